/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/status_screen.h"

#include "cli/control_client.h"
#include "frontier/frontier.h"

static void row(struct buf *out, const char *name)
{
    if (out->n)
        buf_byte(out, '\n');
    buf_printf(out, "%-9s", name);
}

static void number(struct buf *out, const json_t *s, const char *key, const char *what)
{
    buf_printf(out, "%llu %s", (unsigned long long)json_u64(s, key), what);
}

static void more(struct buf *out, const json_t *s, const char *key, const char *what)
{
    if (json_u64(s, key)) {
        buf_add(out, STR(", "));
        number(out, s, key, what);
    }
}

static void bytes(struct buf *out, uint64_t n, const char *what)
{
    static const char *const units[] = {"B", "KB", "MB", "GB", "TB"};
    double value = (double)n;
    size_t unit = 0;
    for (; value >= 999.5 && unit < 4; unit++)
        value /= 1000;
    buf_printf(out, unit && value < 9.95 ? "%.1f %s %s" : "%.0f %s %s", value, units[unit], what);
}

static void span(struct buf *out, uint64_t ms)
{
    unsigned long long s = ms / 1000;
    buf_printf(out, "%llu:%02llu:%02llu", s / 3600, s / 60 % 60, s % 60);
}

static void links(const json_t *s, struct buf *out)
{
    const char *key;
    json_t *value;
    row(out, "links");
    number(out, s, "links", "found");
    more(out, s, "admitted", "new");
    more(out, s, "known_links", "known before");
    more(out, s, "over_budget", "over budget");
    json_object_foreach(json_object_get(s, "over_limit"), key, value)
        buf_printf(out, " (%lld by %s)", (long long)json_integer_value(value), key);
    json_object_foreach(json_object_get(s, "rejected"), key, value)
        buf_printf(out, ", %lld %s", (long long)json_integer_value(value), key);
}

static void hosts(const json_t *s, struct buf *out)
{
    uint64_t all = json_u64(s, "hosts"), waiting = json_u64(s, "hosts_waiting");
    uint64_t ready = json_u64(s, "hosts_ready"), asked = json_u64(s, "out");
    uint64_t busy = waiting + ready + asked;
    row(out, "hosts");
    buf_printf(out, "%llu: %llu being asked, %llu ready, %llu waiting for their moment, %llu idle",
               (unsigned long long)all, (unsigned long long)asked, (unsigned long long)ready,
               (unsigned long long)waiting, (unsigned long long)(all > busy ? all - busy : 0));
    if (json_u64(s, "buckets_resting"))
        buf_printf(out, " or on disk (%llu of %d buckets, %llu links to them not sorted yet)",
                   (unsigned long long)json_u64(s, "buckets_resting"), FRONTIER_BUCKETS,
                   (unsigned long long)json_u64(s, "links_unsorted"));
}

static void fetched(const json_t *s, struct buf *out)
{
    row(out, "fetched");
    number(out, s, "fetched", "answers");
    buf_printf(out, " (%.1f/s now)", json_number_value(json_object_get(s, "rate")));
    more(out, s, "pages", "pages");
    buf_add(out, STR(", "));
    bytes(out, json_u64(s, "bytes"), "received");
    more(out, s, "failed", "failed");
    more(out, s, "retried", "tries to be repeated");
    more(out, s, "refused", "refused");
    more(out, s, "refused_by_robots", "of them by robots.txt");
    more(out, s, "truncated", "cut short");
}

static void disk(const json_t *s, struct buf *out)
{
    row(out, "disk");
    bytes(out, json_u64(s, "archive_bytes"), "of archive, ");
    bytes(out, json_u64(s, "journal_bytes"), "of journal, ");
    number(out, s, "revisits", "captures that repeat a payload");
}

/* What an archive machine has not acknowledged yet. */
static void unsent(const json_t *s, struct buf *out)
{
    const json_t *sink = json_object_get(s, "sink");
    if (!json_is_object(sink))
        return;
    row(out, "sink");
    number(out, sink, "sent_files", "files acknowledged, ");
    number(out, sink, "unsent_files", "not yet (");
    bytes(out, json_u64(sink, "unsent_bytes"), "");
    buf_add(out, STR("), "));
    number(out, sink, "open_files", "being written");
    if (*json_text(sink, "trouble"))
        buf_printf(out, ": %s", json_text(sink, "trouble"));
}

void status_screen(const json_t *s, const char *dir, struct buf *out)
{
    const json_t *waits = json_object_get(s, "waits");
    row(out, "crawl");
    buf_printf(out, "%s: %s, ", dir, json_text(s, "state"));
    if (json_object_get(s, "agents")) /* the sum of a cluster's */
        buf_printf(out, "%zu agents", json_array_size(json_object_get(s, "agents")));
    else
        buf_printf(out, "process %llu", (unsigned long long)json_u64(s, "pid"));
    buf_add(out, STR(", crawling for "));
    span(out, json_u64(s, "elapsed_ms"));
    if (json_is_object(waits)) {
        row(out, "waits");
        buf_printf(out, "%s", json_text(waits, "text"));
    }
    fetched(s, out);
    row(out, "queue");
    number(out, s, "queued", "URLs wait, ");
    number(out, s, "open", "requests are open, ");
    number(out, s, "known", "URLs are known");
    hosts(s, out);
    links(s, out);
    disk(s, out);
    unsent(s, out);
    row(out, "in all");
    number(out, s, "total_pages", "pages, ");
    bytes(out, json_u64(s, "total_bytes"), "over all runs");
    buf_byte(out, '\n');
}
