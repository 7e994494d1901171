/* SPDX-License-Identifier: Apache-2.0 */
#include "control/crawl_status.h"
#include "roles/counters.h"

#include "base/clock.h"
#include "base/jsonw.h"
#include "sink/outbox.h"

static uint64_t get(const _Atomic uint64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

/* The numbers at one moment. */
struct numbers {
    const struct crawl_counts *counts;
    struct ledger_totals totals;
};

static struct numbers numbers_of(const struct ledger_service *l)
{
    return (struct numbers){&l->counts, ledger_totals(l->ledger)};
}

static unsigned long long number(const struct numbers *n, enum counter_id id)
{
    return counter_value(id, n->counts, &n->totals);
}

/* When the next host may be asked, of all shards; UINT64_MAX: none waits. */
static uint64_t next_due_ms(const struct crawl_counts *c)
{
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < sizeof c->shards / sizeof *c->shards; i++) {
        uint64_t due_ms = get(&c->shards[i].due_ms);
        if (get(&c->shards[i].hosts) && due_ms < least)
            least = due_ms;
    }
    return least;
}

static void print_bytes(struct buf *out, uint64_t bytes)
{
    static const char *const units[] = {"B", "KB", "MB", "GB", "TB"};
    double value = (double)bytes;
    size_t unit = 0;
    while (value >= 999.5 && unit < 4) {
        value /= 1000;
        unit++;
    }
    buf_printf(out, unit && value < 9.95 ? "%.1f %s" : "%.0f %s", value, units[unit]);
}

static void print_time(struct buf *out, uint64_t ms)
{
    unsigned long long s = ms / 1000;
    if (s >= 3600)
        buf_printf(out, "%lluh%02llum%02llus", s / 3600, s / 60 % 60, s % 60);
    else if (s >= 60)
        buf_printf(out, "%llum%02llus", s / 60, s % 60);
    else
        buf_printf(out, "%llus", s);
}

/* Why a crawl that does nothing now waits. */
static void print_wait(const struct ledger_service *l, const struct numbers *n, struct buf *out)
{
    uint64_t now_ms = clock_now_ms(l->run.clock), due_ms = next_due_ms(n->counts);
    if (ledger_is_short(l->ledger)) {
        buf_add(out, STR(" · paused: the disk is nearly full"));
    } else if (number(n, COUNTER_OPEN) == 0 && number(n, COUNTER_QUEUED) && due_ms != UINT64_MAX &&
               due_ms > now_ms + 2000) {
        buf_add(out, STR(" · waiting "));
        print_time(out, due_ms - now_ms);
        buf_add(out, STR(" until a host may be asked again"));
    }
}

/* Of a focused crawl: the share of pages that fit the topic. */
static void print_harvest(const struct numbers *n, struct buf *out)
{
    unsigned long long relevant = number(n, COUNTER_RELEVANT);
    unsigned long long scored = relevant + number(n, COUNTER_IRRELEVANT);
    if (scored)
        buf_printf(out, " · harvest %.0f%% (%llu of %llu pages)",
                   100 * (double)relevant / (double)scored, relevant, scored);
}

/* What a Bloom filter of known URLs costs. */
static void print_lost(const struct ledger_service *l, struct buf *out)
{
    struct ledger_seen_numbers n = ledger_seen_numbers(l->ledger);
    if (n.kind == LEDGER_SEEN_BLOOM)
        buf_printf(out, " · Bloom filter: about %.2g URLs lost, 1 new one in %.2g", n.lost,
                   n.loss > 0 ? 1 / n.loss : 1e9);
}

/* Archive files that the archive machine has not acknowledged. */
static void print_unsent(const struct ledger_service *l, struct buf *out)
{
    if (!l->outbox)
        return;
    const struct sink_numbers *n = sink_outbox_numbers(l->outbox);
    buf_printf(out, " · %llu files sent, %llu (", (unsigned long long)get(&n->sent_files),
               (unsigned long long)get(&n->left_files));
    print_bytes(out, get(&n->left_bytes));
    buf_add(out, STR(") unsent"));
    if (atomic_load(&n->is_stuck)) {
        buf_add(out, STR(": "));
        sink_outbox_trouble(l->outbox, out);
    }
}

void crawl_status_print(struct ledger_service *l, uint64_t fetched_before, uint64_t over_ms,
                        struct buf *out)
{
    struct numbers n = {.counts = &l->counts}; /* no totals: a busy ledger must not stop the line */
    unsigned long long fetched = number(&n, COUNTER_FETCHED);
    print_time(out, run_clock_elapsed_ms(&l->run));
    print_wait(l, &n, out); /* first, because a terminal may cut the end of the line */
    buf_printf(out, " · %llu fetched", fetched);
    if (over_ms)
        buf_printf(out, " (%.0f/s)", (double)(fetched - fetched_before) * 1000 / (double)over_ms);
    buf_add(out, STR(" · "));
    print_bytes(out, number(&n, COUNTER_BYTES));
    buf_printf(out, " · %llu queued on %llu hosts · %llu open", number(&n, COUNTER_QUEUED),
               number(&n, COUNTER_HOSTS), number(&n, COUNTER_OPEN));
    if (number(&n, COUNTER_BUCKETS_SWAPPED))
        buf_printf(out, " · %llu of %d buckets on disk (%llu links not sorted yet)",
                   number(&n, COUNTER_BUCKETS_SWAPPED), FRONTIER_BUCKETS,
                   number(&n, COUNTER_LINKS_UNSORTED));
    if (number(&n, COUNTER_FAILED) || number(&n, COUNTER_REFUSED))
        buf_printf(out, " · %llu failed · %llu refused", number(&n, COUNTER_FAILED),
                   number(&n, COUNTER_REFUSED));
    if (number(&n, COUNTER_CHANGED) || number(&n, COUNTER_UNCHANGED))
        buf_printf(out, " · %llu changed · %llu unchanged", number(&n, COUNTER_CHANGED),
                   number(&n, COUNTER_UNCHANGED));
    print_harvest(&n, out);
    print_lost(l, out);
    print_unsent(l, out);
}

static void write_unsent(const struct ledger_service *l, struct jsonw *j)
{
    const struct sink_numbers *n = sink_outbox_numbers(l->outbox);
    struct buf why = {.max = 1000};
    sink_outbox_trouble(l->outbox, &why);
    jsonw_key(j, "sink");
    jsonw_object(j);
    jsonw_u64_field(j, "sent_files", get(&n->sent_files));
    jsonw_u64_field(j, "sent_bytes", get(&n->sent_bytes));
    jsonw_u64_field(j, "unsent_files", get(&n->left_files));
    jsonw_u64_field(j, "unsent_bytes", get(&n->left_bytes));
    jsonw_u64_field(j, "open_files", get(&n->open_files));
    jsonw_text_field(j, "trouble", buf_str(&why));
    jsonw_end(j);
    buf_done(&why);
}

static void write_lost(const struct ledger_service *l, struct jsonw *j)
{
    struct ledger_seen_numbers n = ledger_seen_numbers(l->ledger);
    if (n.kind != LEDGER_SEEN_BLOOM)
        return;
    jsonw_key(j, "seen");
    jsonw_object(j);
    jsonw_text_field(j, "kind", STR("bloom"));
    jsonw_u64_field(j, "expected", n.expected);
    jsonw_key(j, "loss_at_expected");
    jsonw_real(j, n.most_loss);
    jsonw_u64_field(j, "in_filter", n.count);
    jsonw_key(j, "loss_now");
    jsonw_real(j, n.loss);
    jsonw_key(j, "urls_lost_so_far");
    jsonw_real(j, n.lost);
    jsonw_u64_field(j, "bytes", n.bytes);
    jsonw_end(j);
}

/* A counter by reasons, without those that are 0. */
static void write_reasons(struct jsonw *j, const struct numbers *n, enum counter_id id)
{
    const char *reason;
    uint64_t count;
    jsonw_object(j);
    for (size_t i = 0; counter_reason(id, n->counts, i, &reason, &count); i++)
        if (count)
            jsonw_u64_field(j, reason, count);
    jsonw_end(j);
}

static void write_counters(struct jsonw *j, const struct numbers *n, enum counter_id from,
                           enum counter_id to)
{
    for (enum counter_id id = from; id < to; id++) {
        jsonw_key(j, crawl_counters[id].name);
        if (crawl_counters[id].by == COUNTED_BY_REASONS)
            write_reasons(j, n, id);
        else
            jsonw_u64(j, number(n, id));
    }
}

void crawl_status_fields(struct ledger_service *l, struct jsonw *j)
{
    struct numbers n = numbers_of(l);
    jsonw_u64_field(j, "elapsed_ms", run_clock_elapsed_ms(&l->run));
    jsonw_text_field(j, "order", str_c(order_name(l->order)));
    write_counters(j, &n, 0, COUNTER_HOSTS);
    if (l->outbox)
        write_unsent(l, j);
    write_counters(j, &n, COUNTER_HOSTS, COUNTERS_);
    jsonw_bool_field(j, "disk_short", ledger_is_short(l->ledger));
    write_lost(l, j);
}

void crawl_status_json(struct ledger_service *l, struct buf *out)
{
    struct jsonw j = jsonw_to(out);
    jsonw_object(&j);
    crawl_status_fields(l, &j);
    jsonw_end(&j);
}
