/* SPDX-License-Identifier: Apache-2.0 */
#include "outcome/visit_counts.h"

void visit_counts_found(struct crawl_counts *c, const struct visit *v)
{
    bool fits = v->judged.score > 0 && !v->judged.is_unkept && !v->is_dropped;
    count_add(&c->pages, v->parsed.is_page);
    count_add(&c->bytes, v->answer.uncounted_bytes);
    count_add(fits ? &c->relevant : &c->irrelevant, v->judged.score >= 0);
}

static void count_code(struct crawl_counts *c, const struct visit *v, int code)
{
    if (code >= 100) {
        count_add(&c->fetched, 1);
        count_add(&c->by_class[code / 100 < 6 ? code / 100 : 0], 1);
    } else if (v->state == VISIT_REFUSED) {
        count_add(&c->refused, 1);
        count_add(&c->robots, code == FETCH_ROBOTS || code == FETCH_NO_ROBOTS);
    } else {
        count_add(&c->failed, 1);
    }
}

static void count_change(struct crawl_counts *c, const struct visit *v)
{
    enum visit_change change = visit_change(v);
    unsigned what = change == CHANGE_SEEN ? v->judged.what_changed : 0;
    count_add(&c->changed, change == CHANGE_SEEN);
    count_add(&c->unchanged, change == CHANGE_NONE);
    count_add(&c->changed_structure, (what & HISTORY_STRUCTURE) != 0);
    count_add(&c->changed_text, (what & HISTORY_TEXT) != 0);
    count_add(&c->changed_markup, (what & HISTORY_MARKUP) != 0);
}

void visit_counts_ending(struct crawl_counts *c, const struct visit *v, const struct ending *e)
{
    if (!e->host.is_final) {
        count_add(&c->retried, 1);
        return;
    }
    if (v->kind != VISIT_PAGE)
        return;
    count_code(c, v, e->host.verdict.code);
    count_change(c, v);
    count_add(&c->revisits, v->stored.is_kept && v->stored.location.is_revisit);
    count_add(&c->truncated, v->answer.http && v->answer.http->outcome == HTTP_TRUNCATED);
}
