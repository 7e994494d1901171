/* SPDX-License-Identifier: Apache-2.0 */
/* squeeze: text with its white space made single, written piece by piece.
 *
 * Every run of bytes up to space becomes one space, or one line feed where squeeze_break() was
 * called within it; none stands at the start or the end. A zeroed struct with `out` and `max_bytes`
 * set is ready. Memory failures stick in `out`. */
#ifndef HTML_SQUEEZE_H
#define HTML_SQUEEZE_H

#include "base/buf.h"

struct squeeze {
    struct buf *out;
    size_t max_bytes; /* text behind them is dropped, at the boundary of a code point */
    char pending;     /* 0, ' ' or '\n': what goes in front of the next word */
    bool cut;         /* something was dropped */
};

void squeeze_begin(struct squeeze *s, struct buf *out, size_t max_bytes);
void squeeze_add(struct squeeze *s, struct str text);

/* squeeze_break(): the next word starts a new line. squeeze_space(): it is a word of
 * its own. */
static inline void squeeze_break(struct squeeze *s)
{
    s->pending = '\n';
}

static inline void squeeze_space(struct squeeze *s)
{
    s->pending = s->pending ? s->pending : ' ';
}

#endif
