/* SPDX-License-Identifier: Apache-2.0 */
/* addresses/shared: one table of addresses for all shards of the process. */
#include "components/services.h"

#include "flow/part.h"

struct addresses_settings {
    uint64_t conns, delay_ms;
};

static const struct option addresses_options[] = {
    OPTION_COUNT_ROW(struct addresses_settings, conns, "ip-conns", "4",
                     "requests at once to an address", .min = 1, .max = 1000, .live = true),
    OPTION_DURATION_ROW(struct addresses_settings, delay_ms, "ip-delay", "100ms",
                        "between two requests to an address", .live = true),
    {0},
};

static enum rc addresses_open(struct instance *self, struct buf *why)
{
    (void)why;
    const struct addresses_settings *s = self->settings;
    struct address_table *t = NULL;
    enum rc rc = address_table_open(s->conns, s->delay_ms, &t);
    self->state = t;
    return rc;
}

static void addresses_close(struct instance *self)
{
    address_table_close(self->state);
}

static void *addresses_provide(struct instance *self)
{
    return self->state;
}

static void addresses_changed(struct instance *self, const void *old)
{
    (void)old;
    const struct addresses_settings *s = self->settings;
    address_table_change(self->state, s->conns, s->delay_ms);
}

const struct part part_addresses_shared = {
    .abi = PART_ABI,
    .kind = PART_PROVIDER,
    .name = "shared",
    .help = "limits requests to an address, whatever hosts are there",
    .where = PART_ON_ONE_SHARD,
    .provides = ADDRESSES_INTERFACE,
    .options = addresses_options,
    .settings_bytes = sizeof(struct addresses_settings),
    .open = addresses_open,
    .close = addresses_close,
    .provide = addresses_provide,
    .changed = addresses_changed,
};
