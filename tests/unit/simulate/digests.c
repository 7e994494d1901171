/* SPDX-License-Identifier: Apache-2.0 */
#include "digests.h"

#include "base/hash.h"
#include "lib/test.h"

#include <stdlib.h>

enum { OUTCOME_BYTES = 4096, SHOWN = 20 };

static uint32_t half(uint64_t hash)
{
    return (uint32_t)(hash >> 32);
}

static void add_all(struct buf *out, const char *what, const uint64_t *list, int count)
{
    buf_printf(out, "%s", what);
    for (int i = 0; i < count; i++)
        buf_printf(out, " %llu", (unsigned long long)list[i]);
    buf_printf(out, "\n");
}

/* As text, so that it is the same on every machine. */
static uint32_t outcome_of(const struct world_report *r)
{
    char room[OUTCOME_BYTES];
    struct buf out = buf_on(room, sizeof room);
    const uint64_t numbers[] = {r->events,
                                r->ended_ms,
                                r->fetches,
                                r->refetches,
                                r->refetch_allowance,
                                r->frozen_overlaps,
                                r->appends,
                                r->gets,
                                r->says,
                                r->epochs,
                                r->most_at_stake,
                                r->longest_recovery_ms,
                                (uint64_t)r->broken};
    add_all(&out, "numbers", numbers, sizeof numbers / sizeof *numbers);
    add_all(&out, "faults", r->faults, WORLD_FAULTS);
    add_all(&out, "post", r->nats_sim_faults, NATS_SIM_FAULTS);
    add_all(&out, "checked", r->checked, WORLD_INVARIANTS + 1);
    assert_rc(buf_rc(&out), RC_OK);
    return half(hash64(buf_str(&out)));
}

static uint32_t outcome_of_pool(const struct pool_world_report *r)
{
    char room[OUTCOME_BYTES];
    struct buf out = buf_on(room, sizeof room);
    const uint64_t numbers[] = {r->events,      r->ended_ms,        r->requests, r->orphanings,
                                r->settled,     r->given_up,        r->unlucky,  r->frozen_overlaps,
                                r->late_starts, (uint64_t)r->broken};
    add_all(&out, "numbers", numbers, sizeof numbers / sizeof *numbers);
    add_all(&out, "faults", r->faults, POOL_WORLD_FAULTS);
    add_all(&out, "met", r->met, POOL_WORLD_EVENTS);
    add_all(&out, "checked", r->checked, POOL_WORLD_INVARIANTS_);
    assert_rc(buf_rc(&out), RC_OK);
    return half(hash64(buf_str(&out)));
}

static void read_rows(struct digests *d)
{
    unsigned long long seed, expected = 1;
    unsigned outcome, messages;
    FILE *f = fopen(test_data(d->path), "r");
    assert_non_null(f);
    while (fscanf(f, "%llu %x %x", &seed, &outcome, &messages) == 3) {
        assert_int_equal(seed, expected++);
        assert_true(seed <= DIGESTS_SEEDS);
        d->rows[seed - 1] = (struct digest){outcome, messages};
    }
    assert_true(feof(f));
    assert_int_equal(expected, DIGESTS_SEEDS + 1);
    (void)fclose(f);
}

void digests_open(struct digests *d, const char *path)
{
    const char *written = getenv("ORB_DIGESTS");
    *d = (struct digests){.path = path, .rows = calloc(DIGESTS_SEEDS, sizeof *d->rows)};
    assert_non_null(d->rows);
    if (written) {
        d->out = fopen(written, "w");
        assert_non_null(d->out);
    } else {
        read_rows(d);
    }
}

static void compare(struct digests *d, uint64_t seed, struct digest got)
{
    struct digest want = d->rows[seed - 1];
    bool is_other = got.outcome != want.outcome, says_other = got.messages != want.messages;
    if (!is_other && !says_other)
        return;
    if (d->differ++ < SHOWN)
        print_message("# seed %llu differs from %s: %s\n", (unsigned long long)seed, d->path,
                      is_other ? "its outcome" : "its messages alone");
}

static void seen(struct digests *d, uint64_t seed, struct digest got)
{
    if (d->out)
        (void)fprintf(d->out, "%llu %08x %08x\n", (unsigned long long)seed, got.outcome,
                      got.messages);
    else if (seed >= 1 && seed <= DIGESTS_SEEDS)
        compare(d, seed, got);
}

void digests_seen(void *ctx, uint64_t seed, const struct world_report *r)
{
    seen(ctx, seed, (struct digest){outcome_of(r), half(r->messages_hash)});
}

void digests_seen_pool(void *ctx, uint64_t seed, const struct pool_world_report *r)
{
    seen(ctx, seed, (struct digest){outcome_of_pool(r), half(r->frames_hash)});
}

uint64_t digests_close(struct digests *d)
{
    if (d->differ)
        print_message("# %llu seeds differ from %s. If the protocol was meant to change, write it "
                      "again: docs/cluster-protocol.md\n",
                      (unsigned long long)d->differ, d->path);
    if (d->out && fclose(d->out) != 0)
        fail_msg("digests: not written");
    free(d->rows);
    return d->differ;
}
