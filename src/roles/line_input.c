/* SPDX-License-Identifier: Apache-2.0 */
#include "roles/line_input.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <unistd.h>

enum { CHUNK_BYTES = 64 << 10 };

static void on_readable(struct watch *w, unsigned events)
{
    (void)events;
    struct line_input *in = EVENT_OF(w, struct line_input, watch);
    part_unwatch(in->self, w); /* until the buffer is used up */
    in->readable = true;
    part_ready(in->self);
}

enum rc line_input_open(struct line_input *in, struct instance *self, struct str path,
                        size_t max_line, struct buf *why)
{
    bool is_stdin = str_eq(path, STR("-"));
    int fd = is_stdin ? dup(STDIN_FILENO) : open(path.p, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        enum rc rc = errno == ENOENT ? RC_NOT_FOUND : RC_IO;
        buf_printf(why, "cannot open %s: %s", path.p, strerror(errno));
        return rc;
    }
    *in = (struct line_input){
        .self = self, .watch = {.ready = on_readable, .fd = fd}, .max_line = max_line};
    buf_init(&in->bytes, max_line + 2 * CHUNK_BYTES);
    return RC_OK;
}

void line_input_done(struct line_input *in)
{
    if (!in->self)
        return;
    close(in->watch.fd);
    buf_done(&in->bytes);
    in->self = NULL;
}

void line_input_stop(struct line_input *in)
{
    if (in->self)
        part_unwatch(in->self, &in->watch);
}

static void drop_given(struct line_input *in)
{
    if (in->given)
        memmove(in->bytes.p, in->bytes.p + in->given, in->bytes.n - in->given);
    in->bytes.n -= in->given;
    in->given = 0;
}

/* One read, which does not wait: the file is plain, or was said to be readable. */
static bool read_more(struct line_input *in)
{
    drop_given(in);
    char *to = buf_reserve(&in->bytes, CHUNK_BYTES);
    if (!to) {
        part_fail(in->self, RC_NOMEM, "out of memory");
        return false;
    }
    ssize_t n = read(in->watch.fd, to, CHUNK_BYTES);
    if (n < 0 && errno != EINTR && errno != EAGAIN) {
        part_fail(in->self, errno == EISDIR ? RC_INVALID : RC_IO, "cannot read: %s",
                  strerror(errno));
        return false;
    }
    in->at_end = n == 0;
    in->bytes.n += n > 0 ? (size_t)n : 0;
    return true;
}

/* The next whole line, or at the end what is left without one. Of a line that is too long nothing
 * is kept but that it was. */
static bool take_line(struct line_input *in, struct str *ret, bool *ret_is_long)
{
    struct str rest = str_from(buf_str(&in->bytes), in->given);
    size_t end = str_find(rest, '\n');
    if (end == rest.n && !(in->at_end && (rest.n || in->in_long))) {
        in->in_long |= rest.n > in->max_line;
        if (in->in_long)
            in->given = in->bytes.n;
        return false;
    }
    *ret = str_first(rest, end);
    *ret_is_long = in->in_long || ret->n > in->max_line;
    in->in_long = false;
    in->given += end < rest.n ? end + 1 : end;
    if (ret->n && ret->p[ret->n - 1] == '\r')
        ret->n--;
    return true;
}

/* False: no need to wait. */
static bool wait_for_more(struct line_input *in)
{
    enum rc rc = part_watch(in->self, &in->watch, EPOLLIN);
    in->is_plain = rc == RC_UNSUPPORTED;
    if (rc && !in->is_plain)
        part_fail(in->self, rc, "cannot wait for input");
    return rc == RC_OK;
}

enum line_next line_input_next(struct line_input *in, struct str *ret)
{
    bool is_long;
    while (!take_line(in, ret, &is_long)) {
        if (in->at_end)
            return LINE_END;
        if (!in->is_plain && !in->readable && wait_for_more(in))
            return LINE_LATER;
        in->readable = false;
        if (!read_more(in))
            return LINE_BROKEN;
    }
    return is_long ? LINE_TOO_LONG : LINE_HERE;
}
