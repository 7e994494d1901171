/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs/counter_table.h"
#include "report/report.h"

#include "base/jsonw.h"

#include <stddef.h>

/* For a person -------------------------------------------------------------------------------- */

/* 1234567 as "1,234,567". */
static void add_count(struct buf *out, uint64_t v)
{
    char room[24];
    struct buf digits = buf_on(room, sizeof room);
    buf_u64(&digits, v);
    for (size_t i = 0; i < digits.n; i++) {
        if (i && (digits.n - i) % 3 == 0)
            buf_byte(out, ',');
        buf_byte(out, digits.p[i]);
    }
}

static void add_bytes(struct buf *out, uint64_t bytes)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    double v = (double)bytes;
    size_t unit = 0;
    for (; v >= 1000 && unit + 1 < sizeof units / sizeof *units; unit++)
        v /= 1000;
    buf_printf(out, unit ? "%.1f %s" : "%.0f %s", v, units[unit]);
}

/* "  1,234 what", the number at the right of its column. */
static void add_row(struct buf *out, uint64_t count, const char *what)
{
    char room[32];
    struct buf text = buf_on(room, sizeof room);
    add_count(&text, count);
    buf_printf(out, "  %14.*s %s", (int)text.n, text.p, what);
}

static void add_sized_row(struct buf *out, uint64_t count, struct str what, uint64_t bytes)
{
    add_row(out, count, "");
    buf_printf(out, STR_FMT " (", STR_ARG(what));
    add_bytes(out, bytes);
    buf_add(out, STR(")\n"));
}

/* Counters ------------------------------------------------------------------------------------ */

/* When a person sees it; JSON always has it. */
enum shown { ALWAYS, IF_ANY, AFTER_RECRAWLS };

/* A number of the report: its member in JSON, its words for a person, and its field. */
struct report_counter {
    const char *key, *words;
    size_t at;
    const char *bytes_key; /* NULL: its bytes are not counted */
    size_t bytes_at;
    enum shown shown;
};

#define AT(field) offsetof(struct report, field)
#define ROW(key, field, shown, words) {key, words, AT(field), NULL, 0, shown},
#define SIZED(key, field, shown, words, bytes_key, bytes) \
    {key, words, AT(field), bytes_key, AT(bytes), shown},
static const struct report_counter answer_counters[] = {REPORT_ANSWER_COUNTERS(ROW, SIZED){0}};
static const struct report_counter archive_counters[] = {REPORT_ARCHIVE_COUNTERS(ROW){0}};
#undef SIZED
#undef ROW
#undef AT

static uint64_t value_at(const struct report *r, size_t at)
{
    return *(const uint64_t *)(const void *)((const char *)r + at);
}

static bool is_shown(const struct report *r, const struct report_counter *c)
{
    return c->shown == ALWAYS || (c->shown == IF_ANY && value_at(r, c->at)) ||
           (c->shown == AFTER_RECRAWLS && (r->changed || r->unchanged));
}

static void print_counters(const struct report *r, const struct report_counter *c, struct buf *out)
{
    for (; c->key; c++) {
        if (!is_shown(r, c))
            continue;
        if (c->bytes_key) {
            add_sized_row(out, value_at(r, c->at), str_c(c->words), value_at(r, c->bytes_at));
        } else {
            add_row(out, value_at(r, c->at), c->words);
            buf_byte(out, '\n');
        }
    }
}

static void json_counters(const struct report *r, const struct report_counter *c, struct jsonw *j)
{
    for (; c->key; c++) {
        jsonw_u64_field(j, c->key, value_at(r, c->at));
        if (c->bytes_key)
            jsonw_u64_field(j, c->bytes_key, value_at(r, c->bytes_at));
    }
}

/* Sections ------------------------------------------------------------------------------------ */

static uint32_t at_most(uint32_t count, uint32_t most)
{
    return count < most ? count : most;
}

static void print_archives(const struct report *r, struct buf *out)
{
    if (!r->archives.is_read)
        return;
    buf_add(out, STR("Archive\n"));
    print_counters(r, archive_counters, out);
}

static void print_answers(const struct report *r, struct buf *out)
{
    buf_add(out, STR("Answers\n"));
    print_counters(r, answer_counters, out);
    if (r->first.p)
        buf_printf(out, "  from " STR_FMT " to " STR_FMT "\n", STR_ARG(r->first), STR_ARG(r->last));
    buf_add(out, STR("\nKinds of answers\n"));
    for (int i = 0; i < MEDIA_COUNT; i++)
        if (r->media[i].urls)
            add_sized_row(out, r->media[i].urls, r->media[i].name, r->media[i].bytes);
}

static void print_codes(struct report *r, struct buf *out)
{
    void **rows = tally_sorted(&r->codes, report_by_code_urls);
    buf_add(out, STR("\nStatus\n"));
    for (uint32_t i = 0; rows && i < at_most(tally_count(&r->codes), 2 * REPORT_TOP); i++) {
        const struct report_code *c = rows[i];
        add_row(out, c->urls, "");
        buf_add(out, c->name);
        buf_byte(out, '\n');
    }
}

static void print_mimes(struct report *r, struct buf *out)
{
    void **rows = tally_sorted(&r->mimes, report_by_mime_urls);
    buf_add(out, STR("\nMedia types"));
    buf_printf(out, " (%u in all)\n", tally_count(&r->mimes));
    for (uint32_t i = 0; rows && i < at_most(tally_count(&r->mimes), REPORT_TOP); i++) {
        const struct report_mime *m = rows[i];
        add_sized_row(out, m->urls, m->name, m->bytes);
    }
}

static void print_hosts(struct report *r, struct buf *out)
{
    void **rows = tally_sorted(&r->hosts, report_by_host_urls);
    buf_printf(out, "\nHosts (%u in all)\n", tally_count(&r->hosts));
    for (uint32_t i = 0; rows && i < at_most(tally_count(&r->hosts), REPORT_TOP); i++) {
        const struct report_host *h = rows[i];
        add_sized_row(out, h->urls, h->name, h->bytes);
    }
}

static void print_degrees(const struct report_degrees *d, const char *what, struct buf *out)
{
    if (d->count == 0)
        return;
    buf_printf(out, "\n%s: %.1f on average, at most ", what, (double)d->sum / (double)d->count);
    add_count(out, d->most);
    buf_byte(out, '\n');
    for (unsigned bits = 0; bits < REPORT_DEGREES; bits++) {
        if (d->in[bits] == 0)
            continue;
        uint64_t low = bits ? UINT64_C(1) << (bits - 1) : 0;
        add_row(out, d->in[bits], "with ");
        buf_u64(out, low);
        if (low > 1) {
            buf_add(out, STR(" to "));
            buf_u64(out, 2 * low - 1);
        }
        buf_byte(out, '\n');
    }
}

static void print_links(const struct report *r, struct buf *out)
{
    buf_add(out, STR("\nLinks\n"));
    add_row(out, r->known, "URLs known\n");
    add_row(out, r->remaining, "of them not asked for yet\n");
    if (!r->has_links)
        return;
    add_row(out, r->pages_with_links, "pages with links\n");
    add_row(out, r->out.sum, "links on pages\n");
    add_row(out, r->in.count, "URLs linked to\n");
    print_degrees(&r->out, "Links on a page", out);
    print_degrees(&r->in, "Pages that link to a URL", out);
    if (r->top_count)
        buf_add(out, STR("\nLinked to by most pages\n"));
    for (size_t i = 0; i < r->top_count; i++) {
        add_row(out, r->top[i].pages, "");
        buf_add(out, r->top[i].url.p ? r->top[i].url : STR("(a URL outside the crawl)"));
        buf_byte(out, '\n');
    }
}

void report_print(struct report *r, struct buf *out)
{
    print_answers(r, out);
    print_archives(r, out);
    print_codes(r, out);
    print_mimes(r, out);
    print_hosts(r, out);
    print_links(r, out);
    if (r->damaged) {
        buf_byte(out, '\n');
        add_row(out, r->damaged, "lines of the crawl's files could not be read\n");
    }
}

/* As JSON ------------------------------------------------------------------------------------- */

static void json_answers(const struct report *r, struct jsonw *j)
{
    json_counters(r, answer_counters, j);
    if (r->archives.is_read)
        json_counters(r, archive_counters, j);
    jsonw_text_field(j, "first", r->first);
    jsonw_text_field(j, "last", r->last);
    jsonw_u64_field(j, "damagedLines", r->damaged);
}

static void json_named(struct jsonw *j, struct str name, uint64_t urls, uint64_t bytes)
{
    jsonw_object(j);
    jsonw_text_field(j, "name", name);
    jsonw_u64_field(j, "urls", urls);
    jsonw_u64_field(j, "bytes", bytes);
    jsonw_end(j);
}

static void json_kinds(struct report *r, struct jsonw *j)
{
    jsonw_key(j, "kinds");
    jsonw_array(j);
    for (int i = 0; i < MEDIA_COUNT; i++)
        json_named(j, r->media[i].name, r->media[i].urls, r->media[i].bytes);
    jsonw_end(j);
    void **rows = tally_sorted(&r->mimes, report_by_mime_urls);
    jsonw_key(j, "mediaTypes");
    jsonw_array(j);
    for (uint32_t i = 0; rows && i < tally_count(&r->mimes); i++) {
        const struct report_mime *m = rows[i];
        json_named(j, m->name, m->urls, m->bytes);
    }
    jsonw_end(j);
}

static void json_codes(struct report *r, struct jsonw *j)
{
    void **rows = tally_sorted(&r->codes, report_by_code_urls);
    jsonw_key(j, "statuses");
    jsonw_array(j);
    for (uint32_t i = 0; rows && i < tally_count(&r->codes); i++) {
        const struct report_code *c = rows[i];
        jsonw_object(j);
        jsonw_key(j, "code");
        jsonw_i64(j, c->code);
        jsonw_u64_field(j, "urls", c->urls);
        jsonw_end(j);
    }
    jsonw_end(j);
}

static void json_hosts(struct report *r, struct jsonw *j)
{
    void **rows = tally_sorted(&r->hosts, report_by_host_urls);
    jsonw_u64_field(j, "hosts", tally_count(&r->hosts));
    jsonw_key(j, "topHosts");
    jsonw_array(j);
    for (uint32_t i = 0; rows && i < at_most(tally_count(&r->hosts), REPORT_TOP); i++) {
        const struct report_host *h = rows[i];
        json_named(j, h->name, h->urls, h->bytes);
    }
    jsonw_end(j);
}

static void json_degrees(const struct report_degrees *d, const char *key, struct jsonw *j)
{
    jsonw_key(j, key);
    jsonw_object(j);
    jsonw_u64_field(j, "count", d->count);
    jsonw_u64_field(j, "sum", d->sum);
    jsonw_u64_field(j, "most", d->most);
    jsonw_key(j, "from");
    jsonw_array(j);
    for (unsigned bits = 0; bits < REPORT_DEGREES; bits++) {
        if (d->in[bits] == 0)
            continue;
        jsonw_object(j);
        jsonw_u64_field(j, "degree", bits ? UINT64_C(1) << (bits - 1) : 0);
        jsonw_u64_field(j, "count", d->in[bits]);
        jsonw_end(j);
    }
    jsonw_end(j);
    jsonw_end(j);
}

static void json_links(const struct report *r, struct jsonw *j)
{
    jsonw_key(j, "links");
    jsonw_object(j);
    jsonw_u64_field(j, "known", r->known);
    jsonw_u64_field(j, "remaining", r->remaining);
    json_degrees(&r->out, "outDegrees", j);
    json_degrees(&r->in, "inDegrees", j);
    jsonw_key(j, "mostLinked");
    jsonw_array(j);
    for (size_t i = 0; i < r->top_count; i++) {
        jsonw_object(j);
        jsonw_text_field(j, "url", r->top[i].url);
        jsonw_u64_field(j, "pages", r->top[i].pages);
        jsonw_end(j);
    }
    jsonw_end(j);
    jsonw_end(j);
}

void report_print_json(struct report *r, struct buf *out)
{
    struct jsonw j = jsonw_to(out);
    jsonw_object(&j);
    json_answers(r, &j);
    json_kinds(r, &j);
    json_codes(r, &j);
    json_hosts(r, &j);
    json_links(r, &j);
    jsonw_end(&j);
    buf_byte(out, '\n');
}
