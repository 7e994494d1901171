/* SPDX-License-Identifier: Apache-2.0 */
/* line: the message of the small text parts, one line without its end.
 *
 * `route` is the hash of the text, so that equal lines go to the same shard. */
#ifndef LINES_LINE_H
#define LINES_LINE_H

#include "base/str.h"
#include "flow/message.h"

#define LINE_TYPE "line"
enum { LINE_MAX_BYTES = 1 << 20 };

struct line {
    struct message head;
    struct str text; /* NUL behind it; points to `room` or to what line_replace() made */
    char *replaced;  /* NULL while the text is the first one */
    char room[];
};

/* A copy of `text`; NULL without memory. */
struct line *line_open(struct str text);

/* Gives the line another text, copied; RC_NOMEM leaves the old one. */
MUST_CHECK enum rc line_replace(struct line *line, struct str text);

/* It can go to another place. */
extern const struct message_type line_type;

static inline struct line *line_of(struct message *m)
{
    return (struct line *)(void *)m;
}

#endif
