/* SPDX-License-Identifier: Apache-2.0 */
/* addresses/shared: which addresses and hosts are asked now, for all shards of the process. The
 * queue of a host gives out one visit at a time; the table of hosts matters where the robots.txt of
 * another host redirects to one. */
#include "roles/addresses.h"

#include "base/mem.h"
#include "flow/part.h"

struct addresses_settings {
    uint64_t conns, ip_delay_ms, delay_ms;
};

#define ROW(kind, field, ...) OPTION_##kind##_ROW(struct addresses_settings, field, __VA_ARGS__)
static const struct option addresses_options[] = {
    ROW(COUNT, conns, "ip-conns", "4", "most open requests to an address", .min = 1, .max = 1000,
        .live = true),
    ROW(DURATION, ip_delay_ms, "ip-delay", "100ms", "least time between two requests to an address",
        .live = true),
    ROW(DURATION, delay_ms, "delay", "1s", "least time between two requests to a host",
        .live = true),
    {0},
};
#undef ROW

static void addresses_close(struct instance *self)
{
    struct addresses_service *s = self->state;
    permit_table_close(s->addresses);
    permit_table_close(s->hosts);
    mem_free(s);
}

static enum rc addresses_open(struct instance *self, struct buf *why)
{
    (void)why;
    const struct addresses_settings *set = self->settings;
    struct addresses_service *s = mem_zero(1, sizeof *s);
    if (!s)
        return RC_NOMEM;
    self->state = s;
    enum rc rc = permit_table_open(set->conns, set->ip_delay_ms, &s->addresses);
    if (rc == RC_OK)
        rc = permit_table_open(1, set->delay_ms, &s->hosts);
    if (rc)
        addresses_close(self);
    return rc;
}

static void *addresses_provide(struct instance *self)
{
    return self->state;
}

static void addresses_changed(struct instance *self, const void *old)
{
    (void)old;
    struct addresses_service *s = self->state;
    const struct addresses_settings *set = self->settings;
    permit_table_change(s->addresses, set->conns, set->ip_delay_ms);
    permit_table_change(s->hosts, 1, set->delay_ms);
}

const struct part part_addresses_shared = {
    .abi = PART_ABI,
    .kind = PART_PROVIDER,
    .name = "shared",
    .help = "limits requests to an address, whatever hosts are there",
    .where = PART_ON_ONE_SHARD,
    .provides = ADDRESSES_INTERFACE,
    .is_of_one_place = true,
    .options = addresses_options,
    .settings_bytes = sizeof(struct addresses_settings),
    .open = addresses_open,
    .close = addresses_close,
    .provide = addresses_provide,
    .changed = addresses_changed,
};
