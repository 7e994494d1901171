/* SPDX-License-Identifier: Apache-2.0 */
/* charset: which encoding a page is in, and the page as UTF-8.
 *
 * Names are those of the WHATWG Encoding Standard ("windows-1252", "Shift_JIS", "UTF-8"), in its
 * spelling. Every `const char *name` here points to static memory: two names are the same encoding
 * exactly when strcmp says so.
 *
 * A caller does:
 *     struct charset_guess g = charset_guess(body, content_type);
 *     rc = charset_to_utf8(g.name, str_from(body, g.bom_bytes), &text);  */
#ifndef HTML_CHARSET_H
#define HTML_CHARSET_H

#include "base/buf.h"

/* The encoding a label ("latin1", " UTF8 ", "x-sjis") stands for, or NULL if it is no label. White
 * space around it and the case of letters do not matter. */
const char *charset_name(struct str label);

/* Where an answer comes from, the most trustworthy first. */
enum charset_source {
    CHARSET_BOM,      /* the first bytes of the body */
    CHARSET_HTTP,     /* charset= in Content-Type */
    CHARSET_META,     /* <meta charset>, <meta http-equiv>, or the XML declaration */
    CHARSET_DETECTED, /* the bytes look like it */
    CHARSET_DEFAULT,  /* nothing known: windows-1252 */
};

struct charset_guess {
    const char *name; /* never NULL */
    enum charset_source source;
    size_t bom_bytes; /* how much of the body is byte order mark: skip it before converting */
};

/* Decides in the order of enum charset_source. `body` is the page's start or all of it, the longer
 * the better for detection; `http_content_type` is the header's value or absent. An unknown label
 * counts as absent.
 *
 * Where the first 1,024 bytes declare nothing, a meta in the first 64 KiB outside scripts, styles
 * and comments still counts, since a browser's parser would meet it and change over. Where nothing
 * is declared: UTF-8 if the bytes are that and not plain ASCII; else what ICU's detector is sure
 * enough of; else windows-1252. Detection looks at no more than a few KiB around the first bytes
 * past ASCII. */
struct charset_guess charset_guess(struct str body, struct str http_content_type);

/* The declaration in the first 1,024 bytes, as in "prescan a byte stream to determine its encoding"
 * of the HTML Standard, or NULL. UTF-16 becomes UTF-8 (the declaration was read as ASCII, so it
 * cannot be true) and x-user-defined becomes windows-1252. A body that starts with the UTF-16 form
 * of "<?x" is UTF-16; without any meta, the encoding of an XML declaration counts. */
const char *charset_prescan(struct str body);

/* The value of charset= in a Content-Type ("text/html; charset=\"utf-8\""), a piece of it, or
 * absent. Quotes of either kind are taken off. */
struct str charset_param(struct str content_type);

/* Appends `body` as UTF-8, each malformed sequence as U+FFFD. The result is always valid UTF-8.
 * Byte order marks are kept: skip bom_bytes first. RC_NOT_FOUND if `name` is no name of an encoding
 * (a label will not do), RC_NOMEM, or RC_LIMIT when *out is full; *out may then hold a part.
 *
 * Every encoding is read as the standard reads it, malformed bytes too; ICU lends the characters of
 * the East Asian ones. "replacement" gives one U+FFFD for anything, GBK is read as gb18030. */
MUST_CHECK enum rc charset_to_utf8(const char *name, struct str body, struct buf *out);

#endif
