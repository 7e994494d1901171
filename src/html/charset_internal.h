/* SPDX-License-Identifier: Apache-2.0 */
/* charset_internal: what the charset_*.c files share. Callers use charset.h. */
#ifndef HTML_CHARSET_INTERNAL_H
#define HTML_CHARSET_INTERNAL_H

#include "base/buf.h"

/* How an encoding is converted. */
enum charset_kind {
    KIND_UTF8,
    KIND_UTF16LE,
    KIND_UTF16BE,
    KIND_SINGLE,       /* `table` has the code points of 0x80 to 0xff, 0 for none */
    KIND_USER_DEFINED, /* 0x80 to 0xff are U+F780 to U+F7FF */
    KIND_REPLACEMENT,
    KIND_PAIRS,       /* charset_pairs.c has it, by name */
    KIND_ISO_2022_JP, /* charset_jis.c */
    KIND_ICU,         /* charset_icu.c has it, by name */
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

/* Append `body` as UTF-8: GBK and gb18030; Big5, EUC-JP, EUC-KR and Shift_JIS; ISO-2022-JP.
 * RC_UNSUPPORTED if this ICU was built without the converter. */
MUST_CHECK enum rc charset_icu_to_utf8(const char *name, struct str body, struct buf *out);
MUST_CHECK enum rc charset_pairs_to_utf8(const char *name, struct str body, struct buf *out);
MUST_CHECK enum rc charset_jis_to_utf8(struct str body, struct buf *out);

/* The characters of Big5, EUC-JP, EUC-KR or Shift_JIS, by ICU, which is asked once for each
 * different pair of bytes that a text has. */
struct charset_pairs;
MUST_CHECK enum rc charset_pairs_open(const char *name, struct charset_pairs **ret);
void charset_pairs_close(struct charset_pairs *p);

/* The code point of a lead byte (0x80 or more) and a trail byte; U+FFFD if they have none. */
uint32_t charset_pair(struct charset_pairs *p, uint8_t lead, uint8_t trail);

/* The same for any sequence of a single character, such as the three bytes of JIS X 0212. */
uint32_t charset_sequence(struct charset_pairs *p, struct str bytes);

/* What ICU's detector makes of `sample`, as a name of ours; NULL if it is not sure enough. */
const char *charset_icu_detect(struct str sample);

#endif
