/* SPDX-License-Identifier: Apache-2.0 */
/* utf8: code points in and out, with the replacement rule of the WHATWG Encoding Standard: each
 * longest prefix of a would-be sequence that cannot go on becomes one U+FFFD. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include "base/buf.h"

enum { UTF8_REPLACEMENT = 0xfffd, UTF8_MAX_BYTES = 4 };

/* Reads one code point at the start of `s` (which is not empty) and sets *ret_bytes to how many
 * bytes it took, at least 1. Anything that is not UTF-8 gives UTF8_REPLACEMENT and false. */
bool utf8_decode(struct str s, uint32_t *ret_code, size_t *ret_bytes);

/* Writes `code` to `to` (room for 4) and returns its length; surrogates and numbers past U+10FFFF
 * are written as U+FFFD. */
size_t utf8_encode(uint32_t code, char *to);

void buf_utf8(struct buf *b, uint32_t code);

/* Length of the ASCII at the start of `s`. */
size_t utf8_ascii_run(struct str s);

/* Length of the valid UTF-8 at the start of `s`: s.n if all of it is. */
size_t utf8_valid(struct str s);

/* Appends `s` with everything that is not UTF-8 replaced. */
void buf_utf8_clean(struct buf *b, struct str s);

/* Whether a terminal obeys this code point, or a reader is misled by it: controls (U+0000 to 1F, 7F
 * to 9F), marks that turn the direction of text (U+061C, 200E, 200F, 202A to 202E, 2066 to 2069)
 * and separators of lines (U+2028, 2029). */
bool utf8_is_steering(uint32_t code);

/* Appends `s`, which came from the web, in a form that is safe to print on a terminal: a code point
 * that steers is written as \u202e, what is not UTF-8 as U+FFFD. Within JSON this is the same
 * text. */
void buf_visible(struct buf *b, struct str s);

/* The same piece by piece, to write without a buf: takes the next piece from *s (not empty), which
 * lies in `s` or in `room`. With `has_lines` line feeds and tabs stay. */
enum { UTF8_VISIBLE_ROOM = 8 };
struct str utf8_take_visible(struct str *s, bool has_lines, char room[UTF8_VISIBLE_ROOM]);

#endif
