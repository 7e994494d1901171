/* SPDX-License-Identifier: Apache-2.0 */
#include "witness/report.h"

#include "witness/account.h"

#include "base/hash.h"
#include "base/jsonw.h"

enum { WORST = 10, WHY_BYTES = 64 * 1024 };

static void ms_field(struct jsonw *j, const char *key, uint64_t us)
{
    jsonw_key(j, key);
    if (us == TALLY_NO_GAP)
        jsonw_null(j);
    else
        jsonw_real(j, (double)us / 1000);
}

static void texts_field(struct jsonw *j, const char *key, const struct examples *e)
{
    jsonw_key(j, key);
    jsonw_array(j);
    for (uint32_t i = 0; i < e->count; i++)
        jsonw_text(j, e->urls[i]);
    jsonw_end(j);
}

static void counts_fields(struct jsonw *j, const struct url_counts *c)
{
    jsonw_u64_field(j, "requests", c->requests);
    jsonw_u64_field(j, "distinct", c->distinct);
    jsonw_u64_field(j, "fetched_again", c->fetched_again);
    jsonw_u64_field(j, "repeats", c->repeats);
}

static void urls_write(struct jsonw *j, const struct witness *w)
{
    jsonw_key(j, "urls");
    jsonw_object(j);
    counts_fields(j, &w->pages);
    jsonw_u64_field(j, "forbidden", w->forbidden);
    jsonw_u64_field(j, "missed", w->urls_missed);
    texts_field(j, "again_first", &w->again);
    texts_field(j, "forbidden_first", &w->not_allowed);
    jsonw_end(j);
    jsonw_key(j, "robots");
    jsonw_object(j);
    counts_fields(j, &w->robots);
    jsonw_end(j);
}

/* What one row says, and what all together say. */
static void tally_fields(struct jsonw *j, const struct tally *t)
{
    jsonw_u64_field(j, "requests", t->requests);
    jsonw_u64_field(j, "connections", t->connections);
    jsonw_u64_field(j, "resumed", t->resumed);
    jsonw_u64_field(j, "most_open", t->most_open);
    jsonw_u64_field(j, "overlaps", t->overlaps);
    ms_field(j, "least_start_gap_ms", t->least_start_gap_us);
    ms_field(j, "least_end_gap_ms", t->least_end_gap_us);
    jsonw_u64_field(j, "during_backoff", t->during_backoff);
    ms_field(j, "worst_early_ms", t->worst_early_us);
    jsonw_u64_field(j, "under_delay", t->under_delay);
    jsonw_u64_field(j, "forbidden", t->forbidden);
}

static void tally_write(struct jsonw *j, const struct tally *t)
{
    char room[16];
    struct buf dotted = buf_on(room, sizeof room);
    uint32_t a = t->address;
    jsonw_object(j);
    if (t->name.p) {
        jsonw_text_field(j, "host", t->name);
    } else {
        buf_printf(&dotted, "%u.%u.%u.%u", a >> 24, a >> 16 & 255, a >> 8 & 255, a & 255);
        jsonw_text_field(j, "address", buf_str(&dotted));
    }
    tally_fields(j, t);
    jsonw_end(j);
}

/* The worst rows, worst first; of equals the one seen first. */
struct worst {
    const struct tally *list[WORST];
    uint32_t count;
};

static void worst_offer(struct worst *w, const struct tally *t)
{
    if (w->count == WORST && tally_compare(t, w->list[WORST - 1]) >= 0)
        return;
    uint32_t at = w->count < WORST ? w->count++ : WORST - 1;
    for (; at > 0 && tally_compare(t, w->list[at - 1]) < 0; at--)
        w->list[at] = w->list[at - 1];
    w->list[at] = t;
}

static void tally_add(struct tally *sum, const struct tally *t)
{
    sum->requests += t->requests;
    sum->connections += t->connections;
    sum->resumed += t->resumed;
    sum->overlaps += t->overlaps;
    sum->during_backoff += t->during_backoff;
    sum->under_delay += t->under_delay;
    sum->forbidden += t->forbidden;
    if (t->most_open > sum->most_open)
        sum->most_open = t->most_open;
    if (t->worst_early_us > sum->worst_early_us)
        sum->worst_early_us = t->worst_early_us;
    if (t->least_start_gap_us < sum->least_start_gap_us)
        sum->least_start_gap_us = t->least_start_gap_us;
    if (t->least_end_gap_us < sum->least_end_gap_us)
        sum->least_end_gap_us = t->least_end_gap_us;
}

static void tallies_write(struct jsonw *j, const char *key, const char *count_key,
                          const struct tallies *t)
{
    struct worst worst = {.count = 0};
    struct tally sum = {.least_start_gap_us = TALLY_NO_GAP, .least_end_gap_us = TALLY_NO_GAP};
    for (uint32_t i = 0; i < t->count; i++) {
        tally_add(&sum, tallies_at(t, i));
        worst_offer(&worst, tallies_at(t, i));
    }
    jsonw_key(j, key);
    jsonw_object(j);
    jsonw_u64_field(j, count_key, t->count);
    tally_fields(j, &sum);
    jsonw_key(j, "worst");
    jsonw_array(j);
    for (uint32_t i = 0; i < worst.count; i++)
        tally_write(j, worst.list[i]);
    jsonw_end(j);
    jsonw_end(j);
}

static void hosts_write(struct jsonw *j, const struct tallies *t)
{
    jsonw_key(j, "hosts");
    jsonw_array(j);
    for (uint32_t i = 0; i < t->count; i++)
        tally_write(j, tallies_at(t, i));
    jsonw_end(j);
}

static void asked_row_write(struct jsonw *j, const struct asked_row *r)
{
    jsonw_object(j);
    jsonw_text_field(j, "name", r->name);
    jsonw_u64_field(j, "type", r->type);
    jsonw_u64_field(j, "rcode", r->rcode);
    jsonw_u64_field(j, "count", r->count);
    jsonw_end(j);
}

static void most_asked_write(struct jsonw *j, const struct asked *a)
{
    const struct asked_row *most[WORST];
    uint32_t count = 0;
    for (uint32_t i = 0; i < a->count; i++) {
        const struct asked_row *r = &a->rows[i];
        if (count == WORST && r->count <= most[WORST - 1]->count)
            continue;
        uint32_t at = count < WORST ? count++ : WORST - 1;
        for (; at > 0 && r->count > most[at - 1]->count; at--)
            most[at] = most[at - 1];
        most[at] = r;
    }
    jsonw_key(j, "most_asked");
    jsonw_array(j);
    for (uint32_t i = 0; i < count; i++)
        asked_row_write(j, most[i]);
    jsonw_end(j);
}

static void dns_write(struct jsonw *j, const struct asked *a)
{
    jsonw_key(j, "dns");
    jsonw_object(j);
    jsonw_u64_field(j, "queries", a->queries);
    jsonw_u64_field(j, "questions", a->count);
    jsonw_u64_field(j, "a", a->a);
    jsonw_u64_field(j, "aaaa", a->aaaa);
    jsonw_u64_field(j, "other", a->other);
    jsonw_key(j, "rcodes");
    jsonw_object(j);
    for (unsigned i = 0; i < ASKED_RCODES; i++) {
        char key[4] = {(char)('0' + i / 10), (char)('0' + i % 10), 0};
        if (a->rcodes[i])
            jsonw_u64_field(j, i < 10 ? key + 1 : key, a->rcodes[i]);
    }
    jsonw_end(j);
    jsonw_u64_field(j, "missed", a->missed);
    most_asked_write(j, a);
    jsonw_end(j);
}

static void dns_names_write(struct jsonw *j, const struct asked *a)
{
    jsonw_key(j, "dns_names");
    jsonw_array(j);
    for (uint32_t i = 0; i < a->count; i++)
        asked_row_write(j, &a->rows[i]);
    jsonw_end(j);
}

static void why_write(struct jsonw *j, struct str why)
{
    jsonw_key(j, "why");
    jsonw_array(j);
    while (why.p && why.n) {
        struct str line = str_take_until(&why, '\n');
        if (line.n)
            jsonw_text(j, line);
    }
    jsonw_end(j);
}

static void fault_write(struct jsonw *j, const struct witness *w, const struct fault *f,
                        const struct fault_knobs *knobs, uint64_t now_us)
{
    struct buf why;
    buf_init(&why, WHY_BYTES);
    const struct sights_list *l = sights_of(&w->sights, f);
    enum verdict v = judge_fault(f, knobs, l ? l->list : NULL, l ? l->count : 0, now_us, &why);
    jsonw_object(j);
    jsonw_text_field(j, "id", str_c(f->id));
    jsonw_text_field(j, "verdict", str_c(verdict_name(v)));
    jsonw_u64_field(j, "requests", l ? l->count : 0);
    jsonw_u64_field(j, "dropped", l ? l->dropped : 0);
    why_write(j, buf_str(&why));
    jsonw_end(j);
    buf_done(&why);
}

static void faults_write(struct jsonw *j, const struct witness *w, const struct fault_knobs *knobs,
                         uint64_t now_us)
{
    uint32_t count;
    const struct fault *const *all = faults_all(&count);
    jsonw_key(j, "faults");
    jsonw_array(j);
    for (uint32_t i = 0; i < count; i++)
        fault_write(j, w, all[i], knobs, now_us);
    jsonw_end(j);
}

/* In the order they were first asked for; the counts are found again by the text. */
static void url_counts_write(struct jsonw *j, const struct witness *w)
{
    struct texts_walk walk = {0};
    struct str url;
    jsonw_key(j, "url_counts");
    jsonw_object(j);
    struct buf *out = j->out;
    for (bool first = true; texts_next(&w->url_texts, &walk, &url); first = false) {
        /* jsonw's keys are literals; these are not. */
        buf_add(out, first ? STR("\"") : STR(",\""));
        buf_json_escaped(out, url);
        buf_printf(out, "\":%u", (unsigned)witness_url_count(w, url));
    }
    jsonw_end(j);
}

static void sight_write(struct jsonw *j, const struct sight *s)
{
    char room[128];
    struct buf facts = buf_on(room, sizeof room);
    sight_facts_print(s->facts, &facts);
    jsonw_object(j);
    jsonw_text_field(j, "fault", str_c(s->fault->id));
    jsonw_text_field(j, "host", s->host);
    jsonw_text_field(j, "label", s->label);
    jsonw_text_field(j, "path", s->path);
    jsonw_u64_field(j, "address", s->address);
    jsonw_u64_field(j, "connection", s->connection);
    jsonw_u64_field(j, "nth_on_conn", s->nth_on_conn);
    jsonw_u64_field(j, "start_us", s->start_us);
    jsonw_u64_field(j, "end_us", s->end_us);
    jsonw_u64_field(j, "bytes", s->bytes);
    jsonw_u64_field(j, "status", s->status);
    jsonw_text_field(j, "end", str_c(sight_end_name(s->end)));
    jsonw_u64_field(j, "backoff_ms", s->backoff_ms);
    jsonw_text_field(j, "facts", str_trim(buf_str(&facts)));
    jsonw_end(j);
}

static void sights_write(struct jsonw *j, const struct sights *all)
{
    jsonw_key(j, "sights");
    jsonw_array(j);
    for (uint32_t i = 0; i < all->list_count; i++)
        for (uint32_t k = 0; k < all->lists[i].count; k++)
            sight_write(j, &all->lists[i].list[k]);
    jsonw_end(j);
}

void witness_report(const struct witness *w, const struct fault_knobs *knobs, uint64_t now_us,
                    struct report_wish wish, struct buf *out)
{
    struct jsonw j = jsonw_to(out);
    jsonw_object(&j);
    jsonw_u64_field(&j, "requests", w->requests);
    jsonw_u64_field(&j, "open", w->open.count);
    jsonw_u64_field(&j, "missed", w->missed);
    urls_write(&j, w);
    tallies_write(&j, "politeness", "hosts", &w->hosts);
    tallies_write(&j, "addresses", "addresses", &w->addresses);
    dns_write(&j, &w->asked);
    faults_write(&j, w, knobs, now_us);
    if (wish.urls)
        url_counts_write(&j, w);
    if (wish.hosts) {
        hosts_write(&j, &w->hosts);
        dns_names_write(&j, &w->asked);
    }
    if (wish.sights)
        sights_write(&j, &w->sights);
    jsonw_end(&j);
}
