/* SPDX-License-Identifier: Apache-2.0 */
/* decode: the bytes of a file as UTF-8, piece by piece.
 *
 * The encoding is told by a byte order mark, else by the caller, else by the zeroes of UTF-16, else
 * by encoding="..." of the XML declaration; without any of these it is UTF-8. For that the first
 * bytes are held back. UTF-8 goes through untouched and unchecked: the code that keeps a value
 * cleans it. Latin-1 and ASCII mean windows-1252, as everywhere on the web. */
#ifndef SITEMAP_DECODE_H
#define SITEMAP_DECODE_H

#include "base/str.h"

enum { DECODE_HEAD_BYTES = 512, DECODE_LABEL_BYTES = 40 };

enum decode_charset {
    DECODE_UNDECIDED,
    DECODE_UTF8,
    DECODE_UTF16_LE,
    DECODE_UTF16_BE,
    DECODE_WINDOWS_1252,
};

struct decode {
    enum decode_charset charset;
    bool is_unread; /* the label is of an encoding not known here */
    void (*out)(void *ctx, struct str utf8);
    void *ctx;
    uint16_t high; /* a surrogate that waits for its second half; 0 */
    bool has_odd;  /* the first byte of two has come */
    uint8_t odd;
    size_t label_n, head_n;
    char label[DECODE_LABEL_BYTES];
    char head[DECODE_HEAD_BYTES];
};

/* `label` is the caller's name of the encoding, copied; absent if unknown. */
void decode_init(struct decode *d, struct str label, void (*out)(void *ctx, struct str utf8),
                 void *ctx);
void decode_add(struct decode *d, struct str piece);
/* Gives out what was held back. */
void decode_finish(struct decode *d);

#endif
