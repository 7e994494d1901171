/* SPDX-License-Identifier: Apache-2.0 */
#include "witness/report.h"

#include <jansson.h>

/* So that all fits one screen; the JSON has the rest. */
enum { SHOWN_ROWS = 6, SHOWN_FAULTS = 12, SHOWN_REASONS = 2 };

static unsigned long long number(const json_t *of, const char *key)
{
    const json_t *v = json_object_get(of, key);
    return json_is_integer(v) ? (unsigned long long)json_integer_value(v) : 0;
}

static const char *text(const json_t *of, const char *key)
{
    const char *v = json_string_value(json_object_get(of, key));
    return v ? v : "?";
}

/* "12.345 ms", or "-" where there was no gap to measure. */
static void ms(struct buf *out, const json_t *of, const char *key, int width)
{
    char room[32];
    struct buf b = buf_on(room, sizeof room);
    const json_t *v = json_object_get(of, key);
    if (json_is_number(v))
        buf_printf(&b, "%.1f", json_number_value(v));
    else
        buf_byte(&b, '-');
    buf_printf(out, "%*.*s", width, (int)b.n, b.p);
}

static void urls_print(const json_t *report, struct buf *out)
{
    const json_t *urls = json_object_get(report, "urls");
    buf_printf(out, "%llu requests, %llu of them for robots.txt; %llu are still open\n",
               number(report, "requests"), number(json_object_get(report, "robots"), "requests"),
               number(report, "open"));
    buf_printf(out, "%llu URLs; %llu asked for again, %llu times; %llu requests forbidden\n",
               number(urls, "distinct"), number(urls, "fetched_again"), number(urls, "repeats"),
               number(urls, "forbidden"));
    if (number(report, "missed"))
        buf_printf(out, "%llu requests could not be kept for want of memory\n",
                   number(report, "missed"));
}

static void worst_print(const json_t *part, const char *name_key, struct buf *out)
{
    buf_printf(out, "\n  %-32s %8s %7s %10s %10s %8s %9s\n", name_key, "requests", "at once",
               "start gap", "end gap", "back-off", "forbidden");
    const json_t *row;
    size_t i;
    json_array_foreach(json_object_get(part, "worst"), i, row)
    {
        if (i == SHOWN_ROWS)
            break;
        buf_printf(out, "  %-32s %8llu %7llu ", text(row, name_key), number(row, "requests"),
                   number(row, "most_open"));
        ms(out, row, "least_start_gap_ms", 10);
        buf_byte(out, ' ');
        ms(out, row, "least_end_gap_ms", 10);
        buf_printf(out, " %8llu %9llu\n", number(row, "during_backoff"), number(row, "forbidden"));
    }
}

static void politeness_print(const json_t *report, const char *key, const char *name_key,
                             const char *count_key, struct buf *out)
{
    const json_t *part = json_object_get(report, key);
    buf_printf(out, "\n%llu %s: most at once %llu, least gap from start to start ",
               number(part, count_key), count_key, number(part, "most_open"));
    ms(out, part, "least_start_gap_ms", 0);
    buf_add(out, STR(" ms, from end to start "));
    ms(out, part, "least_end_gap_ms", 0);
    buf_add(out, STR(" ms\n"));
    if (number(part, "during_backoff")) {
        buf_printf(out, "%llu requests came during a back-off, the worst ",
                   number(part, "during_backoff"));
        ms(out, part, "worst_early_ms", 0);
        buf_add(out, STR(" ms too early\n"));
    }
    if (number(part, "under_delay"))
        buf_printf(out, "%llu requests came sooner than the host's Crawl-delay allows\n",
                   number(part, "under_delay"));
    if (json_array_size(json_object_get(part, "worst")))
        worst_print(part, name_key, out);
}

static void bad_print(const json_t *fault, struct buf *out)
{
    const json_t *why = json_object_get(fault, "why");
    const json_t *line;
    size_t i;
    json_array_foreach(why, i, line)
    {
        if (i == SHOWN_REASONS) {
            buf_printf(out, "       and %zu more\n", json_array_size(why) - i);
            break;
        }
        const char *say = json_string_value(line);
        buf_printf(out, "  %-4s %s\n", i ? "" : text(fault, "id"), say ? say : "?");
    }
}

static void faults_print(const json_t *report, struct buf *out)
{
    unsigned good = 0;
    unsigned bad = 0;
    const json_t *all = json_object_get(report, "faults");
    const json_t *fault;
    size_t i;
    json_array_foreach(all, i, fault)
    {
        good += strcmp(text(fault, "verdict"), "good") == 0;
        bad += strcmp(text(fault, "verdict"), "bad") == 0;
    }
    buf_printf(out, "\nfaults: %u good, %u bad, %zu not seen\n", good, bad,
               json_array_size(all) - good - bad);
    unsigned shown = 0;
    json_array_foreach(all, i, fault)
    {
        if (strcmp(text(fault, "verdict"), "bad") == 0 && shown++ < SHOWN_FAULTS)
            bad_print(fault, out);
    }
    if (shown > SHOWN_FAULTS)
        buf_printf(out, "  and %u more\n", shown - SHOWN_FAULTS);
}

enum rc report_text(struct str json, struct buf *out)
{
    json_t *report = json_loadb(json.p ? json.p : "", json.n, 0, NULL);
    if (!json_is_object(report) || !json_is_object(json_object_get(report, "politeness"))) {
        json_decref(report);
        return RC_INVALID;
    }
    urls_print(report, out);
    politeness_print(report, "politeness", "host", "hosts", out);
    politeness_print(report, "addresses", "address", "addresses", out);
    faults_print(report, out);
    json_decref(report);
    return buf_rc(out);
}
