/* SPDX-License-Identifier: Apache-2.0 */
/* clock/simulated: time that stands still while there is work and jumps to the next timer when
 * there is none. A flow with it runs on one thread, the same way every time. */
#include "base/clock.h"

#include "base/mem.h"
#include "flow/part.h"

struct simulated_settings {
    uint64_t now_ms;
    uint64_t wall_ms;
};

static const struct option simulated_options[] = {
    OPTION_DURATION_ROW(struct simulated_settings, now_ms, "now", "0s",
                        "the time at which it begins"),
    OPTION_DURATION_ROW(struct simulated_settings, wall_ms, "wall", "0s",
                        "the time at which the wall clock begins, since 1970"),
    {0},
};

static enum rc simulated_open(struct instance *self, struct buf *why)
{
    (void)why;
    const struct simulated_settings *s = self->settings;
    struct clock_simulated *c = mem_alloc(sizeof *c);
    if (!c)
        return RC_NOMEM;
    clock_simulated_init(c, s->now_ms, s->wall_ms);
    self->state = c;
    return RC_OK;
}

static void simulated_close(struct instance *self)
{
    mem_free(self->state);
}

static void *simulated_provide(struct instance *self)
{
    struct clock_simulated *c = self->state;
    return &c->clock;
}

const struct part part_clock_simulated = {
    .abi = PART_ABI,
    .kind = PART_PROVIDER,
    .name = "simulated",
    .help = "time that jumps from timer to timer",
    .where = PART_ON_ONE_SHARD,
    .provides = "clock",
    .options = simulated_options,
    .settings_bytes = sizeof(struct simulated_settings),
    .open = simulated_open,
    .close = simulated_close,
    .provide = simulated_provide,
};
