/* SPDX-License-Identifier: Apache-2.0 */
/* line_input: the lines of a file or of standard input, for a source, without waiting for them.
 *
 *     switch (line_input_next(&in, &line)) { … case LINE_LATER: return PRODUCED_WAIT; … }
 *
 * A pipe or terminal is read when epoll says that something is there, and part_ready() is called
 * then; a plain file, which epoll does not take, whenever a line is asked for and the buffer has
 * none. */
#ifndef ROLES_LINE_INPUT_H
#define ROLES_LINE_INPUT_H

#include "base/buf.h"
#include "flow/part.h"

enum line_next {
    LINE_HERE,     /* without its end, LF or CR LF; borrowed until the next call */
    LINE_TOO_LONG, /* passed over */
    LINE_LATER,    /* none now: the source waits */
    LINE_END,
    LINE_BROKEN, /* the source has failed (part_fail) */
};

struct line_input {
    struct watch watch;
    struct instance *self;
    struct buf bytes; /* read, and given out up to `given` */
    size_t given;
    size_t max_line;
    bool is_plain; /* never makes us wait */
    bool readable; /* one read will not wait */
    bool at_end;
    bool in_long; /* within a line that is too long */
};

/* `path` "-": standard input. RC_NOT_FOUND, RC_IO with `why`: then it is as if it had not been
 * opened. */
MUST_CHECK enum rc line_input_open(struct line_input *in, struct instance *self, struct str path,
                                   size_t max_line, struct buf *why);
/* Accepts a zeroed one. */
void line_input_done(struct line_input *in);

/* Waits for nothing any more: when the part is stopped. */
void line_input_stop(struct line_input *in);

enum line_next line_input_next(struct line_input *in, struct str *ret);

#endif
