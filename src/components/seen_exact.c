/* SPDX-License-Identifier: Apache-2.0 */
/* seen/exact: fingerprints in one open-addressing table, at most 3/4 full. 0 means free, so the
 * fingerprint 0 is remembered apart. */
#include "components/seen.h"

#include "base/hash.h"
#include "base/mem.h"
#include "flow/part.h"

enum { FIRST_SLOTS = 1024 };

struct exact_settings {
    uint64_t max;
};

struct exact {
    struct seen seen; /* first */
    uint64_t *slots;
    uint64_t slot_count, count, max;
    bool has_zero;
};

static const struct option exact_options[] = {
    OPTION_COUNT_ROW(struct exact_settings, max, "max", "10M", "most fingerprints on one shard",
                     .min = 1, .max = UINT64_C(1) << 32),
    {0},
};

static uint64_t *slot_of(const struct exact *e, uint64_t fingerprint)
{
    uint64_t at = hash64_mix(fingerprint) & (e->slot_count - 1);
    while (e->slots[at] && e->slots[at] != fingerprint)
        at = (at + 1) & (e->slot_count - 1);
    return &e->slots[at];
}

static enum rc grow(struct exact *e)
{
    struct exact old = *e;
    e->slot_count = old.slot_count ? old.slot_count * 2 : FIRST_SLOTS;
    e->slots = mem_zero(e->slot_count, sizeof *e->slots);
    if (!e->slots) {
        *e = old;
        return RC_NOMEM;
    }
    for (uint64_t i = 0; i < old.slot_count; i++)
        if (old.slots[i])
            *slot_of(e, old.slots[i]) = old.slots[i];
    mem_free(old.slots);
    return RC_OK;
}

static enum rc exact_add(struct seen *s, uint64_t fingerprint, bool *ret_was_there)
{
    struct exact *e = (struct exact *)(void *)s;
    if (fingerprint == 0 ? e->has_zero : e->slot_count && *slot_of(e, fingerprint)) {
        *ret_was_there = true;
        return RC_OK;
    }
    if (e->count == e->max)
        return RC_LIMIT;
    if (e->count >= e->slot_count / 4 * 3) {
        enum rc rc = grow(e);
        if (rc)
            return rc;
    }
    if (fingerprint)
        *slot_of(e, fingerprint) = fingerprint;
    else
        e->has_zero = true;
    e->count++;
    *ret_was_there = false;
    return RC_OK;
}

static uint64_t exact_count(const struct seen *s)
{
    return ((const struct exact *)(const void *)s)->count;
}

static enum rc exact_open(struct instance *self, struct buf *why)
{
    (void)why;
    const struct exact_settings *s = self->settings;
    struct exact *e = mem_zero(1, sizeof *e);
    if (!e)
        return RC_NOMEM;
    e->seen = (struct seen){exact_add, exact_count};
    e->max = s->max;
    self->state = e;
    return RC_OK;
}

static void exact_close(struct instance *self)
{
    struct exact *e = self->state;
    mem_free(e->slots);
    mem_free(e);
}

static void *exact_provide(struct instance *self)
{
    return self->state;
}

const struct part part_seen_exact = {
    .abi = PART_ABI,
    .kind = PART_PROVIDER,
    .name = "exact",
    .help = "every fingerprint, in memory",
    .where = PART_ON_EACH_SHARD,
    .provides = SEEN_INTERFACE,
    .is_of_one_place = true,
    .options = exact_options,
    .settings_bytes = sizeof(struct exact_settings),
    .open = exact_open,
    .close = exact_close,
    .provide = exact_provide,
};
