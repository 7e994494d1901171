/* SPDX-License-Identifier: Apache-2.0 */
/* write: the end of a wiring for people: lines into a file or to standard output.
 *
 * Lines are gathered and written when the buffer is full, at most FLUSH_MS later, and at the end. A
 * plain write(2), which may wait for the reader of the output: this part is for trying wirings, not
 * for the crawl, whose writing goes through the disk provider. */
#include "lines/line.h"

#include "base/buf.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "flow/part.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum { FLUSH_BYTES = 64 << 10, FLUSH_MS = 100 };

struct write_settings {
    struct str file;
    bool append;
};

struct write_state {
    struct instance *self;
    struct timer timer;
    bool timer_set;
    bool is_terminal; /* which no line may steer */
    int fd;
    struct buf bytes;
};

static const struct option write_options[] = {
    OPTION_TEXT_ROW(struct write_settings, file, "file", "-",
                    "file to write, - for standard output"),
    OPTION_BOOL_ROW(struct write_settings, append, "append", "no",
                    "add to the file instead of replacing it"),
    {0},
};

static void write_out(struct write_state *w)
{
    if (!fd_write_all(w->fd, buf_str(&w->bytes)))
        part_fail(w->self, errno == ENOSPC ? RC_DISK_FULL : RC_IO, "cannot write: %s",
                  strerror(errno));
    buf_clear(&w->bytes);
}

static void on_timer(struct timer *t, uint64_t now_ms)
{
    (void)now_ms;
    struct write_state *w = EVENT_OF(t, struct write_state, timer);
    w->timer_set = false;
    write_out(w);
}

static enum rc write_open(struct instance *self, struct buf *why)
{
    const struct write_settings *s = self->settings;
    int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (s->append ? O_APPEND : O_TRUNC);
    bool is_stdout = str_eq(s->file, STR("-"));
    int fd = is_stdout ? dup(STDOUT_FILENO) : open(s->file.p, flags, 0666);
    if (fd < 0) {
        buf_printf(why, "cannot open %s: %s", s->file.p, strerror(errno));
        return RC_IO;
    }
    struct write_state *w = mem_zero(1, sizeof *w);
    if (!w) {
        close(fd);
        return RC_NOMEM;
    }
    w->self = self;
    w->fd = fd;
    w->is_terminal = isatty(fd);
    w->timer.due = on_timer;
    buf_init(&w->bytes, FLUSH_BYTES + UTF8_VISIBLE_ROOM * LINE_MAX_BYTES + 1);
    self->state = w;
    return RC_OK;
}

static void write_close(struct instance *self)
{
    struct write_state *w = self->state;
    close(w->fd);
    buf_done(&w->bytes);
    mem_free(w);
}

static void write_handle(struct instance *self, unsigned inlet, struct message *m)
{
    (void)inlet;
    struct write_state *w = self->state;
    (w->is_terminal ? buf_visible : buf_add)(&w->bytes, line_of(m)->text);
    buf_byte(&w->bytes, '\n');
    if (buf_rc(&w->bytes) != RC_OK)
        part_fail(self, w->bytes.rc, "no room for a line");
    else if (w->bytes.n >= FLUSH_BYTES)
        write_out(w);
    else if (!w->timer_set)
        w->timer_set = part_timer(self, &w->timer, part_now_ms(self) + FLUSH_MS) == RC_OK;
    part_end(self, m);
}

static void write_stop(struct instance *self)
{
    struct write_state *w = self->state;
    part_timer_stop(self, &w->timer);
    write_out(w);
}

const struct part part_write = {
    .abi = PART_ABI,
    .kind = PART_COMPONENT,
    .name = "write",
    .help = "writes lines to a file or to standard output",
    .where = PART_ON_ONE_SHARD,
    .inlets = (const struct part_port[]){{"in", LINE_TYPE, "lines", false}, {0}},
    .options = write_options,
    .settings_bytes = sizeof(struct write_settings),
    .open = write_open,
    .close = write_close,
    .handle = write_handle,
    .stop = write_stop,
};
