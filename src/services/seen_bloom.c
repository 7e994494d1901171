/* SPDX-License-Identifier: Apache-2.0 */
/* seen/bloom: a Bloom filter (store/bloom.h): a few bits a URL, and some new URLs are taken for
 * known ones. A crawl's filter is the ledger's; the one here is for lines, made with the first
 * line. */
#include "roles/seen.h"

#include "base/mem.h"
#include "flow/part.h"
#include "store/bloom.h"

struct bloom_settings {
    uint64_t expected;
    double loss;
};

struct bloom_part {
    struct seen seen; /* first */
    struct bloom *filter;
};

static const struct option bloom_options[] = {
    OPTION_COUNT_ROW(struct bloom_settings, expected, "expected", "10M",
                     "URLs that the filter is made for; with more of them more are lost", .min = 1,
                     .max = UINT64_C(1) << 36),
    OPTION_REAL_ROW(struct bloom_settings, loss, "loss", "0.0001",
                    "share of new URLs that may be lost when `expected` are known, 1e-9 to 0.1"),
    {0},
};

static enum rc bloom_part_add(struct seen *s, uint64_t fingerprint, bool *ret_was_there)
{
    struct bloom_part *p = (struct bloom_part *)(void *)s;
    if (!p->filter)
        p->filter = bloom_open(bloom_shape(s->plan.expected, s->plan.loss));
    if (!p->filter)
        return RC_NOMEM;
    *ret_was_there = bloom_has(p->filter, fingerprint);
    if (!*ret_was_there)
        bloom_add(p->filter, fingerprint);
    return RC_OK;
}

static uint64_t bloom_part_count(const struct seen *s)
{
    const struct bloom_part *p = (const struct bloom_part *)(const void *)s;
    return p->filter ? bloom_count(p->filter) : 0;
}

static enum rc bloom_part_open(struct instance *self, struct buf *why)
{
    const struct bloom_settings *s = self->settings;
    if (!(s->loss >= BLOOM_LEAST_LOSS && s->loss <= BLOOM_MOST_LOSS)) {
        buf_printf(why, "loss: %g is not from %g to %g", s->loss, BLOOM_LEAST_LOSS,
                   BLOOM_MOST_LOSS);
        return RC_INVALID;
    }
    struct bloom_part *p = mem_zero(1, sizeof *p);
    if (!p)
        return RC_NOMEM;
    p->seen = (struct seen){bloom_part_add,
                            bloom_part_count,
                            {.kind = SEEN_BLOOM, .expected = s->expected, .loss = s->loss}};
    self->state = p;
    return RC_OK;
}

static void bloom_part_close(struct instance *self)
{
    struct bloom_part *p = self->state;
    bloom_close(p->filter);
    mem_free(p);
}

static void *bloom_part_provide(struct instance *self)
{
    return self->state;
}

const struct part part_seen_bloom = {
    .abi = PART_ABI,
    .kind = PART_PROVIDER,
    .name = "bloom",
    .help = "a Bloom filter: a few bits a URL, and a few new URLs are lost; not with --cluster",
    .where = PART_ON_EACH_SHARD,
    .provides = SEEN_INTERFACE,
    .is_of_one_place = true,
    .options = bloom_options,
    .settings_bytes = sizeof(struct bloom_settings),
    .open = bloom_part_open,
    .close = bloom_part_close,
    .provide = bloom_part_provide,
};
