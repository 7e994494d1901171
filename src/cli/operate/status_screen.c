/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/operate/status_screen.h"

#include "control/answer_json.h"
#include "control/status_json.h"
#include "frontier/frontier.h"

static void row(struct buf *out, const char *name)
{
    if (out->n)
        buf_byte(out, '\n');
    buf_printf(out, "%-9s", name);
}

static void number(struct buf *out, const json_t *s, enum counter_id id, const char *what)
{
    buf_printf(out, "%llu %s", (unsigned long long)status_counter(s, id), what);
}

static void more(struct buf *out, const json_t *s, enum counter_id id, const char *what)
{
    if (status_counter(s, id)) {
        buf_add(out, STR(", "));
        number(out, s, id, what);
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
    number(out, s, COUNTER_LINKS, "found");
    more(out, s, COUNTER_ADMITTED, "new");
    more(out, s, COUNTER_KNOWN_LINKS, "known before");
    more(out, s, COUNTER_OVER_BUDGET, "over budget");
    json_object_foreach(status_reasons(s, COUNTER_OVER_LIMIT), key, value)
        buf_printf(out, " (%lld by %s)", (long long)json_integer_value(value), key);
    json_object_foreach(status_reasons(s, COUNTER_REJECTED), key, value)
        buf_printf(out, ", %lld %s", (long long)json_integer_value(value), key);
}

static void hosts(const json_t *s, struct buf *out)
{
    uint64_t all = status_counter(s, COUNTER_HOSTS),
             waiting = status_counter(s, COUNTER_HOSTS_WAITING);
    uint64_t ready = status_counter(s, COUNTER_HOSTS_READY), asked = status_counter(s, COUNTER_OUT);
    uint64_t busy = waiting + ready + asked;
    row(out, "hosts");
    buf_printf(out, "%llu: %llu being asked, %llu ready, %llu waiting for their moment, %llu idle",
               (unsigned long long)all, (unsigned long long)asked, (unsigned long long)ready,
               (unsigned long long)waiting, (unsigned long long)(all > busy ? all - busy : 0));
    if (status_counter(s, COUNTER_BUCKETS_SWAPPED))
        buf_printf(out, " or on disk (%llu of %d buckets, %llu links to them not sorted yet)",
                   (unsigned long long)status_counter(s, COUNTER_BUCKETS_SWAPPED), FRONTIER_BUCKETS,
                   (unsigned long long)status_counter(s, COUNTER_LINKS_UNSORTED));
}

static void fetched(const json_t *s, struct buf *out)
{
    row(out, "fetched");
    number(out, s, COUNTER_FETCHED, "answers");
    buf_printf(out, " (%.1f/s now)", json_number_value(json_object_get(s, "rate")));
    more(out, s, COUNTER_PAGES, "pages");
    buf_add(out, STR(", "));
    bytes(out, status_counter(s, COUNTER_BYTES), "received");
    more(out, s, COUNTER_FAILED, "failed");
    more(out, s, COUNTER_RETRIED, "tries to be repeated");
    more(out, s, COUNTER_REFUSED, "refused");
    more(out, s, COUNTER_REFUSED_BY_ROBOTS, "of them by robots.txt");
    more(out, s, COUNTER_TRUNCATED, "cut short");
}

static void disk(const json_t *s, struct buf *out)
{
    row(out, "disk");
    bytes(out, status_counter(s, COUNTER_ARCHIVE_BYTES), "of archive, ");
    bytes(out, status_counter(s, COUNTER_JOURNAL_BYTES), "of journal, ");
    number(out, s, COUNTER_REVISITS, "captures that repeat a payload");
}

/* Files that an archive machine has not acknowledged yet. */
static void unsent(const json_t *s, struct buf *out)
{
    const json_t *sink = json_object_get(s, "sink");
    if (!json_is_object(sink))
        return;
    row(out, "sink");
    buf_printf(out, "%llu files acknowledged, ", (unsigned long long)json_u64(sink, "sent_files"));
    buf_printf(out, "%llu not yet (", (unsigned long long)json_u64(sink, "unsent_files"));
    bytes(out, json_u64(sink, "unsent_bytes"), "");
    buf_add(out, STR("), "));
    buf_printf(out, "%llu being written", (unsigned long long)json_u64(sink, "open_files"));
    if (*json_text(sink, "trouble"))
        buf_printf(out, ": %s", json_text(sink, "trouble"));
}

/* Crawlers of a managed crawl, clients of a prioritised one. */
static void members(const json_t *s, struct buf *out)
{
    const json_t *m;
    size_t i;
    json_array_foreach(json_object_get(s, "members"), i, m)
    {
        bool is_present = json_is_true(json_object_get(m, "present"));
        row(out, i ? "" : "members");
        buf_printf(out, "%s: ", json_text(m, "name"));
        if (!is_present)
            buf_add(out, STR("absent, "));
        else if (!json_u64(m, "connected"))
            buf_printf(out, "not connected, silent for %llu s, ",
                       (unsigned long long)(json_u64(m, "silent_ms") / 1000));
        else
            buf_printf(out, "number %llu, %llu of %llu visits open, ",
                       (unsigned long long)json_u64(m, "number"),
                       (unsigned long long)json_u64(m, "open"),
                       (unsigned long long)json_u64(m, "window"));
        buf_printf(out, "%llu sent, %llu lost, %llu answered, ",
                   (unsigned long long)json_u64(m, "sent"), (unsigned long long)json_u64(m, "lost"),
                   (unsigned long long)json_u64(m, "answered"));
        bytes(out, json_u64(m, "bytes"), "received");
    }
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
    number(out, s, COUNTER_QUEUED, "URLs wait, ");
    number(out, s, COUNTER_OPEN, "requests are open, ");
    number(out, s, COUNTER_KNOWN, "URLs are known");
    if (*json_text(s, "order"))
        buf_printf(out, "; order: %s", json_text(s, "order"));
    hosts(s, out);
    links(s, out);
    disk(s, out);
    unsent(s, out);
    members(s, out);
    row(out, "in all");
    number(out, s, COUNTER_TOTAL_PAGES, "answers, ");
    bytes(out, status_counter(s, COUNTER_TOTAL_BYTES), "over all runs");
    buf_byte(out, '\n');
}
