/* SPDX-License-Identifier: Apache-2.0 */
#include "witness/tally.h"

#include "witness/sight.h"

#include "base/hash.h"
#include "base/mem.h"

/* Host names are at most 255 bytes; what a client puts into Host may be longer, and is cut. */
enum { NAME_MAX_BYTES = 255 };
#define NAMES_MAX_BYTES (UINT64_C(2) << 30)

/* From `before` to `after`, 0 where the clock says otherwise. */
static uint64_t gap_us(uint64_t before, uint64_t after)
{
    return after > before ? after - before : 0;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void backoff_note(struct tally *t, uint64_t now_us)
{
    if (now_us >= t->backoff_until_us)
        return;
    uint64_t early_us = t->backoff_until_us - now_us;
    t->during_backoff++;
    if (early_us > t->worst_early_us)
        t->worst_early_us = early_us;
}

void tally_delay(struct tally *t, uint64_t delay_ms)
{
    uint64_t least_ms = delay_ms - delay_ms / 10;
    t->delay_us = least_ms > BACKOFF_SLACK_MS ? (least_ms - BACKOFF_SLACK_MS) * 1000 : 0;
}

/* What is told: what is certain, and what the doubts come to as things stand. */
static void sum_up(struct tally *t)
{
    t->most_open = t->certain.most_open;
    t->overlaps = t->certain.overlaps;
    t->least_end_gap_us = t->certain.least_end_gap_us;
    for (uint32_t i = 0; i < t->doubt_count; i++) {
        uint32_t others = t->doubts[i].others;
        if (!others)
            continue;
        t->overlaps++;
        t->least_end_gap_us = 0;
        if (others + 1 > t->most_open)
            t->most_open = others + 1;
    }
}

/* The oldest doubts are none any more. */
static void make_certain(struct tally *t, uint32_t count)
{
    struct certain *c = &t->certain;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t others = t->doubts[i].others;
        c->overlaps += others > 0;
        c->least_end_gap_us = others ? 0 : c->least_end_gap_us;
        if (others && others + 1 > c->most_open)
            c->most_open = others + 1;
    }
    t->doubt_count -= count;
    memmove(t->doubts, t->doubts + count, t->doubt_count * sizeof *t->doubts);
}

static void begin_beside(struct tally *t, uint64_t now_us)
{
    if (t->doubt_count == TALLY_DOUBTS)
        make_certain(t, 1);
    t->doubts[t->doubt_count++] = (struct doubt){now_us, t->open};
}

static void begin_alone(struct tally *t, uint64_t now_us)
{
    make_certain(t, t->doubt_count);
    if (t->requests)
        t->certain.least_end_gap_us = least(t->certain.least_end_gap_us, gap_us(t->end_us, now_us));
    if (!t->certain.most_open)
        t->certain.most_open = 1;
}

void tally_start(struct tally *t, uint64_t now_us, bool is_forbidden)
{
    t->under_delay += t->requests && gap_us(t->start_us, now_us) < t->delay_us;
    if (t->requests)
        t->least_start_gap_us = least(t->least_start_gap_us, gap_us(t->start_us, now_us));
    if (t->open)
        begin_beside(t, now_us);
    else
        begin_alone(t, now_us);
    backoff_note(t, now_us);
    t->forbidden += is_forbidden;
    t->requests++;
    t->start_us = now_us;
    t->open++;
    sum_up(t);
}

void tally_connected(struct tally *t, bool is_resumed)
{
    t->connections++;
    t->resumed += is_resumed;
}

void tally_pipelined(struct tally *t)
{
    if (t->open != 1) /* counted already */
        return;
    t->certain.overlaps++;
    t->certain.least_end_gap_us = 0;
    if (t->certain.most_open < 2)
        t->certain.most_open = 2;
    sum_up(t);
}

void tally_end(struct tally *t, uint64_t now_us, uint64_t backoff_until_us)
{
    if (t->open)
        t->open--;
    if (now_us > t->end_us)
        t->end_us = now_us;
    if (backoff_until_us > t->backoff_until_us)
        t->backoff_until_us = backoff_until_us;
}

void tally_left(struct tally *t, uint64_t start_us, uint64_t now_us, uint64_t backoff_until_us)
{
    for (uint32_t i = 0; i < t->doubt_count; i++) {
        struct doubt *d = &t->doubts[i];
        bool is_beside = start_us < d->start_us && d->others > 0;
        if (is_beside && gap_us(d->start_us, now_us) < UINT64_C(1000) * FAREWELL_MS)
            d->others--;
    }
    sum_up(t);
    tally_end(t, now_us, backoff_until_us);
}

static int more_first(uint64_t a, uint64_t b)
{
    return a > b ? -1 : a < b;
}

int tally_compare(const struct tally *a, const struct tally *b)
{
    int order = more_first(a->most_open, b->most_open);
    if (!order)
        order = more_first(a->during_backoff, b->during_backoff);
    if (!order)
        order = more_first(a->under_delay, b->under_delay);
    if (!order)
        order = more_first(a->forbidden, b->forbidden);
    if (!order)
        order = more_first(b->least_end_gap_us, a->least_end_gap_us);
    return order ? order : more_first(a->requests, b->requests);
}

void tallies_init(struct tallies *t, uint32_t max_entries)
{
    memset(t->chunks, 0, sizeof t->chunks);
    index_init(&t->index, max_entries);
    texts_init(&t->names, NAMES_MAX_BYTES);
    t->count = 0;
}

void tallies_done(struct tallies *t)
{
    for (uint32_t i = 0; i < TALLIES_CHUNKS && t->chunks[i]; i++)
        mem_free(t->chunks[i]);
    index_done(&t->index);
    texts_done(&t->names);
    tallies_init(t, (uint32_t)t->index.max);
}

/* The next free row, zeroed; counted only once its maker is content with it. */
static struct tally *row_make(struct tallies *t)
{
    uint32_t chunk = t->count / TALLIES_A_CHUNK;
    if (chunk >= TALLIES_CHUNKS)
        return NULL;
    if (!t->chunks[chunk])
        t->chunks[chunk] = mem_zero(TALLIES_A_CHUNK, sizeof(struct tally));
    if (!t->chunks[chunk])
        return NULL;
    struct tally *row = tallies_at(t, t->count);
    *row = (struct tally){.least_start_gap_us = TALLY_NO_GAP,
                          .least_end_gap_us = TALLY_NO_GAP,
                          .certain = {.least_end_gap_us = TALLY_NO_GAP}};
    return row;
}

/* The index holds row + 1. A number of 0 that is there already is an entry whose row could not be
 * made for want of memory: it is tried again. */
static int64_t row_put(struct tallies *t, uint64_t hash, struct str name, uint32_t address)
{
    uint32_t *number = index_put(&t->index, hash);
    if (!number)
        return -1;
    if (*number)
        return (int64_t)*number - 1;
    struct tally *row = row_make(t);
    if (!row)
        return -1;
    if (name.p) {
        row->name = texts_add(&t->names, name);
        if (!row->name.p)
            return -1;
    }
    row->address = address;
    *number = ++t->count;
    return (int64_t)*number - 1;
}

int64_t tallies_put_host(struct tallies *t, struct str name)
{
    name = name.p ? str_first(name, NAME_MAX_BYTES) : STR("");
    return row_put(t, hash64(name), name, 0);
}

int64_t tallies_put_address(struct tallies *t, uint32_t address)
{
    return row_put(t, hash64_mix(UINT64_C(1) << 32 | address), STR_NONE, address);
}

const struct tally *tallies_find_host(const struct tallies *t, struct str name)
{
    const uint32_t *number = index_get(&t->index, hash64(str_first(name, NAME_MAX_BYTES)));
    return number && *number ? tallies_at(t, *number - 1) : NULL;
}
