/* SPDX-License-Identifier: Apache-2.0 */
/* ink: how letters become bytes. All text is made as UTF-8; a page in another encoding is written
 * in its ink from the start, so that its text, too, is copied. What an encoding has no letter for
 * is written as a character reference, as authors of such pages do.
 *
 * The tables hold what the pool and the paths use: Western letters, Cyrillic, kana and the kanji
 * of the vocabulary. Labels are those of the WHATWG encoding standard. */
#ifndef CONTENT_INK_H
#define CONTENT_INK_H

#include "base/buf.h"

#include "world/place.h"

enum ink {
    INK_ASCII, /* for pages that never say their encoding: right under any guess */
    INK_UTF8,
    INK_1252,
    INK_SHIFT_JIS,
    INK_KOI8,
    INK_COUNT_
};

/* What a page is written in: CHARSET_UTF16LE is made of UTF-8 at the very end (ink_widen). */
enum ink ink_of(const struct page *page, bool has_mark);

/* "koi8-r", as Content-Type and <meta charset> say it. */
const char *charset_label(enum page_charset c);

/* The next code point of well-formed UTF-8; steps over it. A malformed byte counts as U+FFFD. */
uint32_t utf8_next(struct str *s);

/* Appends UTF-8 text in the ink. The text may hold markup: nothing of ASCII is changed. */
void ink_write(enum ink ink, struct str utf8, struct buf *out);

/* Appends well-formed UTF-8 as UTF-16LE, without a byte order mark. */
void ink_widen(struct str utf8, struct buf *out);

#endif
