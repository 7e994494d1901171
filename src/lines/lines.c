/* SPDX-License-Identifier: Apache-2.0 */
/* lines: the lines of a file or of standard input, one message each. */
#include "lines/line.h"
#include "roles/line_input.h"

#include "base/mem.h"

struct lines_settings {
    struct str file;
};

static const struct option lines_options[] = {
    OPTION_TEXT_ROW(struct lines_settings, file, "file", "-", "file to read, - for standard input"),
    {0},
};

static enum rc lines_open(struct instance *self, struct buf *why)
{
    const struct lines_settings *s = self->settings;
    struct line_input *in = mem_zero(1, sizeof *in);
    if (!in)
        return RC_NOMEM;
    enum rc rc = line_input_open(in, self, s->file, LINE_MAX_BYTES, why);
    if (rc)
        mem_free(in);
    else
        self->state = in;
    return rc;
}

static void lines_close(struct instance *self)
{
    line_input_done(self->state);
    mem_free(self->state);
}

static void lines_stop(struct instance *self)
{
    line_input_stop(self->state);
}

static enum produced lines_produce(struct instance *self)
{
    struct str text;
    enum line_next next = line_input_next(self->state, &text);
    if (next == LINE_LATER)
        return PRODUCED_WAIT;
    if (next == LINE_END || next == LINE_BROKEN)
        return PRODUCED_IDLE;
    struct line *line = next == LINE_HERE ? line_open(text) : NULL;
    if (!line) {
        bool is_long = next == LINE_TOO_LONG;
        part_fail(self, is_long ? RC_LIMIT : RC_NOMEM, "%s",
                  is_long ? "a line is longer than 1 MiB" : "out of memory");
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
