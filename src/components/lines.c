/* SPDX-License-Identifier: Apache-2.0 */
/* lines: the lines of a file or of standard input, one message each.
 *
 * A pipe or terminal is read when epoll says that something is there; a plain file, which epoll
 * does not take, whenever a line is asked for and the buffer has none. */
#include "components/line.h"

#include "base/buf.h"
#include "base/mem.h"
#include "flow/part.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <unistd.h>

enum { CHUNK_BYTES = 64 << 10 };
#define TOO_LONG "a line is longer than 1 MiB"

struct lines_settings {
    struct str file;
};

struct lines {
    struct watch watch;
    struct instance *self;
    struct buf bytes; /* read, and given out up to `given` */
    size_t given;
    bool is_plain; /* never makes us wait */
    bool readable; /* one read will not wait */
    bool at_end;
};

static const struct option lines_options[] = {
    OPTION_TEXT_ROW(struct lines_settings, file, "file", "-", "file to read, - for standard input"),
    {0},
};

static void on_readable(struct watch *w, unsigned events)
{
    (void)events;
    struct lines *l = EVENT_OF(w, struct lines, watch);
    part_unwatch(l->self, w); /* until the buffer is used up */
    l->readable = true;
    part_ready(l->self);
}

static enum rc lines_open(struct instance *self, struct buf *why)
{
    const struct lines_settings *s = self->settings;
    bool is_stdin = str_eq(s->file, STR("-"));
    int fd = is_stdin ? dup(STDIN_FILENO) : open(s->file.p, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        enum rc rc = errno == ENOENT ? RC_NOT_FOUND : RC_IO;
        buf_printf(why, "cannot open %s: %s", s->file.p, strerror(errno));
        return rc;
    }
    struct lines *l = mem_zero(1, sizeof *l);
    if (!l) {
        close(fd);
        return RC_NOMEM;
    }
    l->self = self;
    l->watch = (struct watch){.ready = on_readable, .fd = fd};
    buf_init(&l->bytes, LINE_MAX_BYTES + 2 * CHUNK_BYTES);
    self->state = l;
    return RC_OK;
}

static void lines_close(struct instance *self)
{
    struct lines *l = self->state;
    close(l->watch.fd);
    buf_done(&l->bytes);
    mem_free(l);
}

static void lines_stop(struct instance *self)
{
    struct lines *l = self->state;
    part_unwatch(self, &l->watch);
}

/* One read, which does not wait: the file is plain, or was said to be readable. */
static bool read_more(struct instance *self, struct lines *l)
{
    if (l->given)
        memmove(l->bytes.p, l->bytes.p + l->given, l->bytes.n - l->given);
    l->bytes.n -= l->given;
    l->given = 0;
    char *to = buf_reserve(&l->bytes, CHUNK_BYTES);
    if (!to) {
        part_fail(self, l->bytes.rc, "%s", l->bytes.rc == RC_LIMIT ? TOO_LONG : "out of memory");
        return false;
    }
    ssize_t n = read(l->watch.fd, to, CHUNK_BYTES);
    if (n < 0 && errno != EINTR && errno != EAGAIN) {
        part_fail(self, RC_IO, "cannot read: %s", strerror(errno));
        return false;
    }
    l->at_end = n == 0;
    l->bytes.n += n > 0 ? (size_t)n : 0;
    return true;
}

/* The next whole line, or at the end what is left without one. */
static bool take_line(struct lines *l, struct str *ret)
{
    struct str rest = str_from(buf_str(&l->bytes), l->given);
    size_t end = str_find(rest, '\n');
    if (end == rest.n && !(l->at_end && rest.n))
        return false;
    *ret = str_first(rest, end);
    l->given += end < rest.n ? end + 1 : end;
    if (ret->n && ret->p[ret->n - 1] == '\r')
        ret->n--;
    return true;
}

/* False: no need to wait. */
static bool wait_for_more(struct instance *self, struct lines *l)
{
    enum rc rc = part_watch(self, &l->watch, EPOLLIN);
    l->is_plain = rc == RC_UNSUPPORTED;
    if (rc && !l->is_plain)
        part_fail(self, rc, "cannot wait for input");
    return rc == RC_OK;
}

static enum produced lines_produce(struct instance *self)
{
    struct lines *l = self->state;
    struct str text;
    while (!take_line(l, &text)) {
        if (l->at_end)
            return PRODUCED_IDLE;
        if (!l->is_plain && !l->readable && wait_for_more(self, l))
            return PRODUCED_WAIT;
        l->readable = false;
        if (!read_more(self, l))
            return PRODUCED_IDLE;
    }
    struct line *line = text.n <= LINE_MAX_BYTES ? line_open(text) : NULL;
    if (!line) {
        bool is_long = text.n > LINE_MAX_BYTES;
        part_fail(self, is_long ? RC_LIMIT : RC_NOMEM, "%s", is_long ? TOO_LONG : "out of memory");
        return PRODUCED_IDLE;
    }
    part_emit(self, 0, &line->head);
    return PRODUCED_MORE;
}

const struct part part_lines = {
    .abi = PART_ABI,
    .kind = PART_COMPONENT,
    .name = "lines",
    .help = "reads a file or standard input, line by line",
    .where = PART_ON_ONE_SHARD,
    .outlets = (const struct part_port[]){{"out", LINE_TYPE, "the lines", false}, {0}},
    .options = lines_options,
    .settings_bytes = sizeof(struct lines_settings),
    .open = lines_open,
    .close = lines_close,
    .produce = lines_produce,
    .stop = lines_stop,
};
