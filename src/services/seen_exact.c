/* SPDX-License-Identifier: Apache-2.0 */
/* seen/exact: all fingerprints. A crawl's are in the frontier's buckets, and swapped out with them;
 * those of lines are in memory here. */
#include "roles/seen.h"

#include "base/int_set.h"
#include "base/mem.h"
#include "flow/part.h"

struct exact_settings {
    uint64_t max;
};

struct exact {
    struct seen seen; /* first */
    struct int_set fingerprints;
    uint64_t max;
};

static const struct option exact_options[] = {
    OPTION_COUNT_ROW(struct exact_settings, max, "max", "10M",
                     "for lines, not for a crawl: most fingerprints on one shard", .min = 1,
                     .max = UINT64_C(1) << 32),
    {0},
};

static enum rc exact_add(struct seen *s, uint64_t fingerprint, bool *ret_was_there)
{
    struct exact *e = (struct exact *)(void *)s;
    bool is_new = false;
    if (e->fingerprints.count == e->max && !int_set_has(&e->fingerprints, fingerprint))
        return RC_LIMIT;
    enum rc rc = int_set_add(&e->fingerprints, fingerprint, &is_new);
    *ret_was_there = !is_new;
    return rc;
}

static uint64_t exact_count(const struct seen *s)
{
    return ((const struct exact *)(const void *)s)->fingerprints.count;
}

static enum rc exact_open(struct instance *self, struct buf *why)
{
    (void)why;
    const struct exact_settings *s = self->settings;
    struct exact *e = mem_zero(1, sizeof *e);
    if (!e)
        return RC_NOMEM;
    e->seen = (struct seen){exact_add, exact_count, {.kind = SEEN_EXACT}};
    e->max = s->max;
    self->state = e;
    return RC_OK;
}

static void exact_close(struct instance *self)
{
    struct exact *e = self->state;
    int_set_done(&e->fingerprints);
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
    .help = "every fingerprint, in memory; a crawl swaps them to disk past frontier-memory",
    .where = PART_ON_EACH_SHARD,
    .provides = SEEN_INTERFACE,
    .is_of_one_place = true,
    .options = exact_options,
    .settings_bytes = sizeof(struct exact_settings),
    .open = exact_open,
    .close = exact_close,
    .provide = exact_provide,
};
