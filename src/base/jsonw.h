/* SPDX-License-Identifier: Apache-2.0 */
/* jsonw: writes JSON into a buf, one value after another; commas and nesting are its business.
 *
 *     struct jsonw j = jsonw_to(&out);
 *     jsonw_object(&j);
 *     jsonw_text_field(&j, "url", url);
 *     jsonw_u64_field(&j, "size", 5);
 *     jsonw_end(&j);                        {"url":"...","size":5}
 *
 * Text that is not UTF-8 is written with U+FFFD, so that the line is always JSON. Failures stick
 * in the buf. Keys are literals and are written as they are. */
#ifndef BASE_JSONW_H
#define BASE_JSONW_H

#include "base/buf.h"

enum { JSONW_MAX_DEPTH = 63 };

struct jsonw {
    struct buf *out;
    uint64_t is_array;  /* a bit per open level */
    uint64_t has_value; /* likewise: the next one needs a comma */
    unsigned depth;
    bool after_key;
};

static inline struct jsonw jsonw_to(struct buf *out)
{
    return (struct jsonw){.out = out};
}

void jsonw_object(struct jsonw *j);
void jsonw_array(struct jsonw *j);
void jsonw_end(struct jsonw *j); /* closes the innermost of the two */

void jsonw_key_(struct jsonw *j, struct str key);
static inline void jsonw_key(struct jsonw *j, const char *key)
{
    jsonw_key_(j, str_c(key)); /* the length of a literal is known here */
}
void jsonw_text(struct jsonw *j, struct str s);
void jsonw_u64(struct jsonw *j, uint64_t v);
void jsonw_i64(struct jsonw *j, int64_t v);
void jsonw_real(struct jsonw *j, double v); /* what is not a finite number becomes null */
void jsonw_bool(struct jsonw *j, bool v);
void jsonw_null(struct jsonw *j);
void jsonw_raw(struct jsonw *j, struct str json); /* one value that is JSON already */

/* key and value in one call; text that is absent becomes null */
static inline void jsonw_text_field(struct jsonw *j, const char *key, struct str s)
{
    jsonw_key(j, key);
    if (s.p)
        jsonw_text(j, s);
    else
        jsonw_null(j);
}

static inline void jsonw_u64_field(struct jsonw *j, const char *key, uint64_t v)
{
    jsonw_key(j, key);
    jsonw_u64(j, v);
}

static inline void jsonw_bool_field(struct jsonw *j, const char *key, bool v)
{
    jsonw_key(j, key);
    jsonw_bool(j, v);
}

/* Only the escaping: `s` as it stands between the quotes of a JSON string. What steers a terminal
 * (base/utf8.h) is written as \u202e, too. */
void buf_json_escaped(struct buf *b, struct str s);

#endif
