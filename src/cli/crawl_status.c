/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of a crawl as one line for a person, and as JSON. */
#include "cli/crawl_watch.h"

#include "base/clock.h"
#include "base/jsonw.h"
#include "sink/outbox.h"

static uint64_t get(const _Atomic uint64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

/* All shards together. */
struct sums {
    uint64_t hosts, known, queued, out, waiting, ready, memory_bytes, due_ms, resting, unsorted;
};

static struct sums sums_of(const struct crawl_counts *c)
{
    struct sums s = {.due_ms = UINT64_MAX};
    for (size_t i = 0; i < sizeof c->shards / sizeof *c->shards; i++) {
        const struct crawl_shard_counts *one = &c->shards[i];
        uint64_t due_ms = get(&one->due_ms);
        s.hosts += get(&one->hosts);
        s.known += get(&one->known);
        s.queued += get(&one->queued);
        s.out += get(&one->out);
        s.waiting += get(&one->waiting);
        s.ready += get(&one->ready);
        s.memory_bytes += get(&one->memory_bytes);
        s.resting += get(&one->resting);
        s.unsorted += get(&one->unsorted);
        if (get(&one->hosts) && due_ms < s.due_ms)
            s.due_ms = due_ms;
    }
    return s;
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

/* A crawl that does nothing now says what it waits for. */
static void print_wait(const struct ledger_service *l, const struct sums *s, struct buf *out)
{
    uint64_t now_ms = clock_now_ms(l->clock);
    if (ledger_is_short(l->ledger)) {
        buf_add(out, STR(" · paused: the disk is nearly full"));
    } else if (get(&l->counts.open) == 0 && s->queued && s->due_ms != UINT64_MAX &&
               s->due_ms > now_ms + 2000) {
        buf_add(out, STR(" · waiting "));
        print_time(out, s->due_ms - now_ms);
        buf_add(out, STR(" until a host may be asked again"));
    }
}

/* Of a focused crawl: how much of what was fetched was worth it. */
static void print_harvest(const struct crawl_counts *c, struct buf *out)
{
    uint64_t relevant = get(&c->relevant), scored = relevant + get(&c->irrelevant);
    if (scored)
        buf_printf(out, " · harvest %.0f%% (%llu of %llu pages)",
                   100 * (double)relevant / (double)scored, (unsigned long long)relevant,
                   (unsigned long long)scored);
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
    const struct crawl_counts *c = &l->counts;
    struct sums s = sums_of(c);
    uint64_t fetched = get(&c->fetched);
    print_time(out, ledger_service_elapsed_ms(l));
    print_wait(l, &s, out); /* first of all, for the end of a line may not be seen */
    buf_printf(out, " · %llu fetched", (unsigned long long)fetched);
    if (over_ms)
        buf_printf(out, " (%.0f/s)", (double)(fetched - fetched_before) * 1000 / (double)over_ms);
    buf_add(out, STR(" · "));
    print_bytes(out, get(&c->bytes));
    buf_printf(out, " · %llu queued on %llu hosts · %llu open", (unsigned long long)s.queued,
               (unsigned long long)s.hosts, (unsigned long long)get(&c->open));
    if (s.resting)
        buf_printf(out, " · %llu of %d buckets on disk (%llu links not sorted yet)",
                   (unsigned long long)s.resting, FRONTIER_BUCKETS, (unsigned long long)s.unsorted);
    if (get(&c->failed) || get(&c->refused))
        buf_printf(out, " · %llu failed · %llu refused", (unsigned long long)get(&c->failed),
                   (unsigned long long)get(&c->refused));
    if (get(&c->changed) || get(&c->unchanged))
        buf_printf(out, " · %llu changed · %llu unchanged", (unsigned long long)get(&c->changed),
                   (unsigned long long)get(&c->unchanged));
    print_harvest(c, out);
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

void crawl_status_fields(struct ledger_service *l, struct jsonw *j)
{
    const struct crawl_counts *c = &l->counts;
    struct sums s = sums_of(c);
    struct ledger_totals t = ledger_totals(l->ledger);
    jsonw_u64_field(j, "elapsed_ms", ledger_service_elapsed_ms(l));
    jsonw_u64_field(j, "fetched", get(&c->fetched));
    jsonw_u64_field(j, "pages", get(&c->pages));
    jsonw_u64_field(j, "failed", get(&c->failed));
    jsonw_u64_field(j, "refused", get(&c->refused));
    jsonw_u64_field(j, "refused_by_robots", get(&c->robots));
    jsonw_u64_field(j, "retried", get(&c->retried));
    jsonw_u64_field(j, "bytes", get(&c->bytes));
    jsonw_u64_field(j, "links", get(&c->links));
    jsonw_u64_field(j, "admitted", get(&c->admitted));
    jsonw_u64_field(j, "known_links", get(&c->known));
    jsonw_u64_field(j, "over_budget", get(&c->over_budget));
    jsonw_key(j, "over_limit");
    jsonw_object(j);
    for (int v = BRING_OK + 1; v < BRING_VERDICTS_; v++)
        if (get(&c->over_limit[v]))
            jsonw_u64_field(j, bring_verdict_key((enum bring_verdict)v), get(&c->over_limit[v]));
    jsonw_end(j);
    jsonw_key(j, "rejected");
    jsonw_object(j);
    for (int v = SCOPE_IN + 1; v < SCOPE_VERDICTS_; v++)
        if (get(&c->rejected[v]))
            jsonw_u64_field(j, scope_verdict_text((enum scope_verdict)v), get(&c->rejected[v]));
    jsonw_end(j);
    jsonw_u64_field(j, "revisits", get(&c->revisits));
    jsonw_u64_field(j, "truncated", get(&c->truncated));
    jsonw_u64_field(j, "changed", get(&c->changed));
    jsonw_u64_field(j, "unchanged", get(&c->unchanged));
    jsonw_u64_field(j, "changed_structure", get(&c->changed_structure));
    jsonw_u64_field(j, "changed_text", get(&c->changed_text));
    jsonw_u64_field(j, "changed_markup", get(&c->changed_markup));
    jsonw_u64_field(j, "unkept", get(&c->unkept));
    jsonw_u64_field(j, "relevant", get(&c->relevant));
    jsonw_u64_field(j, "irrelevant", get(&c->irrelevant));
    jsonw_u64_field(j, "off_topic", get(&c->off_topic));
    jsonw_u64_field(j, "open", get(&c->open));
    if (l->outbox)
        write_unsent(l, j);
    jsonw_u64_field(j, "hosts", s.hosts);
    jsonw_u64_field(j, "hosts_waiting", s.waiting);
    jsonw_u64_field(j, "hosts_ready", s.ready);
    jsonw_u64_field(j, "known", s.known);
    jsonw_u64_field(j, "queued", s.queued);
    jsonw_u64_field(j, "out", s.out);
    jsonw_u64_field(j, "frontier_bytes", s.memory_bytes);
    jsonw_u64_field(j, "buckets_resting", s.resting);
    jsonw_u64_field(j, "links_unsorted", s.unsorted);
    jsonw_u64_field(j, "archive_bytes", t.archive_bytes);
    jsonw_u64_field(j, "journal_bytes", t.journal_bytes);
    jsonw_u64_field(j, "total_pages", t.pages);
    jsonw_u64_field(j, "total_bytes", t.bytes);
    jsonw_bool_field(j, "disk_short", ledger_is_short(l->ledger));
}

void crawl_status_json(struct ledger_service *l, struct buf *out)
{
    struct jsonw j = jsonw_to(out);
    jsonw_object(&j);
    crawl_status_fields(l, &j);
    jsonw_end(&j);
}
