/* SPDX-License-Identifier: Apache-2.0 */
/* entity: character references, "&amp;" and "&#38;", as HTML reads them.
 *
 * All 2,231 names of the standard, the longest that fits; numbers with the standard's table for
 * 128-159 and U+FFFD for NUL, surrogates and what is past U+10FFFF. Nothing allocates. */
#ifndef HTML_ENTITY_H
#define HTML_ENTITY_H

#include "base/str.h"

enum {
    ENTITY_MAX_NAME_BYTES = 32, /* behind "&", with the semicolon */
    ENTITY_MAX_TEXT_BYTES = 8,  /* two code points in UTF-8 */
};

struct entity {
    char text[ENTITY_MAX_TEXT_BYTES]; /* UTF-8 */
    uint8_t text_bytes;
    size_t raw_bytes; /* how much of the input it replaces, "&" included */
};

/* Reads the reference at the start of `s`, whose first byte is "&". False when it is no reference
 * and the "&" stands for itself. In an attribute a name without a semicolon in front of "=" or a
 * letter or digit is not one. Time is linear in what it consumes. */
bool entity_read(struct str s, bool in_attribute, struct entity *ret);

/* True when `s`, which starts with "&", could become another or a longer reference if more input
 * followed: then it must not be decided yet. */
bool entity_may_go_on(struct str s);

#endif
