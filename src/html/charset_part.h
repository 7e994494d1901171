/* SPDX-License-Identifier: Apache-2.0 */
/* charset_part: what the charset_*.c files share among themselves. Callers use charset.h. */
#ifndef HTML_CHARSET_PART_H
#define HTML_CHARSET_PART_H

#include "base/buf.h"

/* How an encoding is converted. */
enum charset_kind {
    KIND_UTF8,
    KIND_UTF16LE,
    KIND_UTF16BE,
    KIND_SINGLE,       /* `table` has the code points of 0x80 to 0xff, 0 for none */
    KIND_USER_DEFINED, /* 0x80 to 0xff are U+F780 to U+F7FF */
    KIND_REPLACEMENT,
    KIND_ICU, /* charset_icu.c has it, by name */
};

struct charset {
    const char *name;
    enum charset_kind kind;
    const uint16_t *table;
};

/* The encoding with exactly this name, or NULL. */
const struct charset *charset_find(const char *name);

/* The declaration among the first bytes of `head`, NULL if there is none or it is cut off. With
 * `skip_raw`, what stands inside script, style, title, textarea and xmp is no declaration. */
const char *charset_declared(struct str head, bool skip_raw);

/* Appends `body` as UTF-8, read by ICU's converter for `name`. RC_UNSUPPORTED if this ICU was built
 * without that converter. */
MUST_CHECK enum rc charset_icu_to_utf8(const char *name, struct str body, struct buf *out);

/* What ICU's detector makes of `sample`, as a name of ours; NULL if it is not sure enough. */
const char *charset_icu_detect(struct str sample);

#endif
