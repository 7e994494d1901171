/* SPDX-License-Identifier: Apache-2.0 */
/* fields: the named fields of a record, gathered line by line as they are read.
 *
 * Text and positions are kept apart from the pointers, because the text moves while it grows:
 * fields_resolve() makes the array once the last line is in. */
#ifndef WARC_FIELDS_H
#define WARC_FIELDS_H

#include "warc/record.h"

struct field_span {
    size_t name, name_n, value, value_n; /* in the text */
    struct warc_position at;             /* of its line */
};

struct fields {
    struct buf text;
    size_t max_count, count, room;
    struct field_span *spans;
    struct warc_field *resolved;
};

void fields_init(struct fields *f, size_t max_bytes, size_t max_count);
void fields_done(struct fields *f);
void fields_clear(struct fields *f); /* keeps the memory */

/* Adds a line that is not empty, without its line end. A blank in front means that it continues the
 * field before. RC_INVALID sets where in the line the problem is and what was expected; RC_LIMIT
 * for too many fields likewise; RC_NOMEM sets neither. */
MUST_CHECK enum rc fields_line(struct fields *f, struct str line, struct warc_position at,
                               size_t *ret_problem_at, const char **ret_expected);

/* All fields, borrowed until the next line or clear. */
const struct warc_field *fields_resolve(struct fields *f);

#endif
