/* SPDX-License-Identifier: Apache-2.0 */
#include "components/settle_lines.h"

#include "components/links.h"

#include "html/page.h"
#include "outputs/arcs.h"
#include "outputs/crawl_log.h"
#include "outputs/kept_seed.h"
#include "outputs/skipped.h"
#include "warc/pages.h"

enum { TEXT_MAX_BYTES = 64 << 20 };

void settle_lines_init(struct settle_lines *l)
{
    *l = (struct settle_lines){0};
    buf_init(&l->text, TEXT_MAX_BYTES);
    buf_init(&l->notes, TEXT_MAX_BYTES);
}

void settle_lines_done(struct settle_lines *l)
{
    buf_done(&l->text);
    buf_done(&l->notes);
}

void settle_lines_clear(struct settle_lines *l)
{
    buf_clear(&l->text);
    l->count = 0;
    l->names_from = l->names_to = 0;
}

/* What was added since `from` belongs to that file. */
static void end_row(struct settle_lines *l, enum ledger_file file, size_t from)
{
    if (l->text.n > from)
        l->rows[l->count++] = (struct settle_line){file, from, l->text.n};
}

enum rc settle_lines_get(struct settle_lines *l, const struct ledger_line **ret, size_t *ret_count)
{
    for (size_t i = 0; i < l->count; i++)
        l->lines[i] =
            (struct ledger_line){l->rows[i].file, str_make(l->text.p + l->rows[i].from,
                                                           l->rows[i].to - l->rows[i].from)};
    *ret = l->lines;
    *ret_count = l->count;
    return buf_rc(&l->text) ? buf_rc(&l->text) : buf_rc(&l->notes);
}

struct str settle_lines_names(const struct settle_lines *l)
{
    return l->names_to > l->names_from
               ? str_make(l->text.p + l->names_from, l->names_to - l->names_from)
               : STR("");
}

/* crawl.log ------------------------------------------------------------------------------------ */

static void note_answer(struct buf *notes, const struct http_answer *a)
{
    static const enum crawl_log_mark cuts[] = {[HTTP_CUT_LENGTH] = MARK_CUT_LENGTH,
                                               [HTTP_CUT_TIME] = MARK_CUT_TIME,
                                               [HTTP_CUT_DISCONNECT] = MARK_CUT_DISCONNECT};
    if (a->cut != HTTP_CUT_NONE)
        crawl_log_mark(notes, cuts[a->cut]);
    if (a->tls_unverified)
        crawl_log_mark(notes, MARK_UNVERIFIED);
    if (a->is_h2)
        crawl_log_mark(notes, MARK_H2);
}

static void note_change(struct buf *notes, const struct visit *v)
{
    enum visit_change change = visit_change(v);
    unsigned what = change == CHANGE_SEEN ? v->what_changed : 0;
    if (change != CHANGE_UNKNOWN)
        crawl_log_mark(notes, change == CHANGE_SEEN ? MARK_CHANGED : MARK_UNCHANGED);
    if (what & PAST_STRUCTURE)
        crawl_log_mark(notes, MARK_CHANGED_STRUCTURE);
    if (what & PAST_TEXT)
        crawl_log_mark(notes, MARK_CHANGED_TEXT);
    if (what & PAST_MARKUP)
        crawl_log_mark(notes, MARK_CHANGED_MARKUP);
}

static void note_left_out(struct buf *notes, const struct visit *v)
{
    for (int why = BRING_OK + 1; why < BRING_VERDICTS_; why++)
        if (v->left_out[why])
            crawl_log_mark_value(notes, MARK_OVER_LIMIT, "%s:%u",
                                 bring_verdict_key((enum bring_verdict)why), v->left_out[why]);
}

static void annotate(struct buf *notes, const struct visit *v)
{
    buf_clear(notes);
    if (v->card->tries)
        crawl_log_mark_value(notes, MARK_TRIES, "%u", v->card->tries + 1);
    if (v->is_kept && v->place.is_revisit)
        crawl_log_mark(notes, v->end.status == 304 ? MARK_NOT_MODIFIED : MARK_DUPLICATE);
    note_change(notes, v);
    if (v->answer)
        note_answer(notes, v->answer);
    if (v->is_cut)
        crawl_log_mark(notes, MARK_LINKS_CUT);
    note_left_out(notes, v);
    if (v->has_other_type)
        crawl_log_mark(notes, MARK_TYPE);
    if (v->robots_bits & PAGE_NOINDEX)
        crawl_log_mark(notes, MARK_NOINDEX);
    if (v->robots_bits & PAGE_NOFOLLOW)
        crawl_log_mark(notes, MARK_NOFOLLOW);
    if (v->score >= 0)
        crawl_log_mark_value(notes, MARK_SCORE, "%.3f", v->score);
    if (v->why || v->note)
        crawl_log_reason_add(notes, v->why ? v->why : v->note);
}

static void crawl_log(struct settle_lines *l, const struct visit *v, int code, unsigned shard,
                      int64_t wall_ms)
{
    size_t from = l->text.n;
    annotate(&l->notes, v);
    struct crawl_log_entry e = {
        .wall_ms = (uint64_t)wall_ms,
        .status = code,
        .bytes = v->answer ? v->answer->body.n : 0,
        .url = url_href(&v->url),
        .path = v->lent.hops,
        .is_prerequisite = v->kind == VISIT_ROBOTS || v->kind == VISIT_HOP,
        .via = v->via,
        .mime = v->mime,
        .shard = shard,
        .begun_ms = v->date_ms,
        .took_ms = v->answer ? v->answer->timing.total_us / 1000 : 0,
        .sha1 = v->is_kept ? &v->place.digest : NULL,
        .annotations = buf_str(&l->notes),
    };
    crawl_log_print(&l->text, &e);
    end_row(l, LEDGER_CRAWL_LOG, from);
}

/* The others ----------------------------------------------------------------------------------- */

static void index_line(struct settle_lines *l, const struct visit *v)
{
    size_t from = l->text.n;
    if (v->is_kept && capture_print_cdxj(&l->text, &v->capture, &v->place) == RC_OK)
        end_row(l, LEDGER_CDXJ, from);
}

static void page_line(struct settle_lines *l, const struct visit *v)
{
    char room[HEX16_BYTES];
    struct buf id = buf_on(room, sizeof room);
    size_t from = l->text.n;
    if (!v->is_page || v->is_unkept || v->is_dropped || v->kind != VISIT_PAGE)
        return;
    buf_hex16(&id, v->fingerprint);
    struct page_entry e = {
        .id = buf_str(&id),
        .url = url_href(&v->url),
        .date_ms = v->date_ms,
        .title = v->title,
        .mime = v->mime,
        .status = v->end.status,
        .seed = v->lent.hops.n == 0 || scope_joins(v->lent.hops), /* or where one leads */
        .depth = visit_depth(v->lent.hops),
    };
    if (pages_print(&l->text, &e) == RC_OK)
        end_row(l, e.seed ? LEDGER_PAGES : LEDGER_EXTRA_PAGES, from);
}

static void skipped_line(struct settle_lines *l, const struct visit *v, int code)
{
    if (v->state != VISIT_REFUSED)
        return;
    size_t from = l->text.n;
    skipped_print(&l->text,
                  &(struct skipped){.url = url_href(&v->url),
                                    .depth = visit_depth(v->lent.hops),
                                    .reason = str_c(v->why ? v->why : fetch_code_text(code))});
    end_row(l, LEDGER_SKIPPED, from);
}

void settle_lines_result(struct settle_lines *l, const struct visit *v, int code, unsigned shard,
                         int64_t wall_ms)
{
    crawl_log(l, v, code, shard, wall_ms);
    index_line(l, v);
    page_line(l, v);
    skipped_line(l, v, code);
}

static void node_lines(struct settle_lines *l, const struct candidate *links, size_t count)
{
    l->names_from = l->text.n;
    for (size_t i = 0; i < count; i++) {
        const struct candidate *c = &links[i];
        node_line_begin(&l->text, c->fingerprint);
        candidate_print(c, &l->text);
        buf_byte(&l->text, '\n');
    }
    l->names_to = l->text.n;
}

static void arcs_line(struct settle_lines *l, const struct visit *v)
{
    size_t from = l->text.n;
    if (v->kind != VISIT_PAGE || !v->link_count)
        return;
    arc_line_begin(&l->text, v->fingerprint);
    for (size_t i = 0; i < v->link_count; i++)
        arc_line_add(&l->text, v->links[i].hop, v->links[i].fingerprint);
    buf_byte(&l->text, '\n');
    end_row(l, LEDGER_ARCS, from);
}

/* A seed, or where one redirects to with the URL that said so. */
static void seed_lines(struct settle_lines *l, const struct visit *v)
{
    size_t from = l->text.n;
    for (size_t i = 0; i < v->link_count; i++) {
        if (!v->links[i].is_seed)
            continue;
        kept_seed_print(
            &l->text, (struct kept_seed){.url = v->links[i].href,
                                         .from = visit_is_list(v) ? STR_NONE : url_href(&v->url)});
    }
    end_row(l, LEDGER_SEEDS, from);
}

void settle_lines_links(struct settle_lines *l, const struct visit *v,
                        const struct candidate *links, size_t count, bool with_graph)
{
    if (with_graph) {
        node_lines(l, links, count);
        arcs_line(l, v);
    }
    seed_lines(l, v);
}
