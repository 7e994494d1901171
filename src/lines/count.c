/* SPDX-License-Identifier: Apache-2.0 */
/* count: counts lines and their bytes; when the flow ends, says how many on standard error. */
#include "lines/line.h"

#include "base/mem.h"
#include "flow/part.h"

#include <stdio.h>

struct count_settings {
    bool quiet;
};

struct count {
    uint64_t lines, bytes;
};

static const struct option count_options[] = {
    OPTION_BOOL_ROW(struct count_settings, quiet, "quiet", "no", "do not print the numbers"),
    {0},
};

static enum rc count_open(struct instance *self, struct buf *why)
{
    (void)why;
    self->state = mem_zero(1, sizeof(struct count));
    return self->state ? RC_OK : RC_NOMEM;
}

static void count_close(struct instance *self)
{
    mem_free(self->state);
}

static void count_handle(struct instance *self, unsigned inlet, struct message *m)
{
    (void)inlet;
    struct count *c = self->state;
    c->lines++;
    c->bytes += line_of(m)->text.n;
    part_emit(self, 0, m);
}

static void count_stop(struct instance *self)
{
    const struct count *c = self->state;
    const struct count_settings *s = self->settings;
    if (!s->quiet)
        (void)fprintf(stderr, "%s: shard=%u lines=%llu bytes=%llu\n", self->name, self->shard,
                      (unsigned long long)c->lines, (unsigned long long)c->bytes);
}

const struct part part_count = {
    .abi = PART_ABI,
    .kind = PART_COMPONENT,
    .name = "count",
    .help = "counts lines and bytes, and passes them on",
    .inlets = (const struct part_port[]){{"in", LINE_TYPE, "lines", false}, {0}},
    .outlets = (const struct part_port[]){{"out", LINE_TYPE, "the same lines", true}, {0}},
    .options = count_options,
    .settings_bytes = sizeof(struct count_settings),
    .open = count_open,
    .close = count_close,
    .handle = count_handle,
    .stop = count_stop,
};
