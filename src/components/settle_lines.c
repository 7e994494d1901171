/* SPDX-License-Identifier: Apache-2.0 */
#include "components/settle_lines.h"

#include "components/links.h"

#include "base/jsonw.h"
#include "base/log.h"
#include "html/page.h"
#include "report/arcs.h"
#include "warc/date.h"
#include "warc/pages.h"

#include <stdio.h>

enum { TEXT_MAX_BYTES = 64 << 20 };

void settle_lines_init(struct settle_lines *l)
{
    *l = (struct settle_lines){0};
    buf_init(&l->text, TEXT_MAX_BYTES);
}

void settle_lines_done(struct settle_lines *l)
{
    buf_done(&l->text);
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
    return buf_rc(&l->text);
}

struct str settle_lines_names(const struct settle_lines *l)
{
    return str_make(l->text.p + l->names_from, l->names_to - l->names_from);
}

/* crawl.log ------------------------------------------------------------------------------------ */

static void field(struct buf *out, struct str text)
{
    buf_byte(out, ' ');
    buf_add(out, text.n ? text : STR("-"));
}

/* What a person searching for the unusual looks for. */
static void note(struct buf *out, size_t begun, const char *text)
{
    buf_byte(out, out->n == begun ? ' ' : ',');
    for (const char *c = text; *c; c++)
        buf_byte(out, (char)(*c == ' ' ? '_' : *c));
}

static void note_answer(struct buf *out, size_t begun, const struct http_answer *a)
{
    static const char *const cuts[] = {[HTTP_CUT_LENGTH] = "lenTrunc",
                                       [HTTP_CUT_TIME] = "timeTrunc",
                                       [HTTP_CUT_DISCONNECT] = "midFetchTrunc"};
    if (a->cut != HTTP_CUT_NONE)
        note(out, begun, cuts[a->cut]);
    if (a->tls_unverified)
        note(out, begun, "unverified");
    if (a->is_h2)
        note(out, begun, "h2");
}

static void note_change(struct buf *out, size_t begun, unsigned what)
{
    if (what & PAST_STRUCTURE)
        note(out, begun, "changed:structure");
    if (what & PAST_TEXT)
        note(out, begun, "changed:text");
    if (what & PAST_MARKUP)
        note(out, begun, "changed:markup");
}

static void annotate(struct buf *out, const struct visit *v)
{
    size_t begun = out->n;
    char room[40];
    if (v->card->tries) {
        (void)snprintf(room, sizeof room, "tries:%u", v->card->tries + 1);
        note(out, begun, room);
    }
    if (v->is_kept && v->place.is_revisit)
        note(out, begun, v->end.status == 304 ? "warcRevisit:notModified" : "duplicate:digest");
    if (visit_change(v) != CHANGE_UNKNOWN)
        note(out, begun, visit_change(v) == CHANGE_SEEN ? "changed" : "unchanged");
    if (visit_change(v) == CHANGE_SEEN)
        note_change(out, begun, v->what_changed);
    if (v->answer)
        note_answer(out, begun, v->answer);
    if (v->is_cut)
        note(out, begun, "links:cut");
    for (int why = BRING_OK + 1; why < BRING_VERDICTS_; why++) {
        if (!v->left_out[why])
            continue;
        (void)snprintf(room, sizeof room, "overLimit:%s:%u",
                       bring_verdict_key((enum bring_verdict)why), v->left_out[why]);
        note(out, begun, room);
    }
    if (v->has_other_type)
        note(out, begun, "type");
    if (v->robots_bits & PAGE_NOINDEX)
        note(out, begun, "noindex");
    if (v->robots_bits & PAGE_NOFOLLOW)
        note(out, begun, "nofollow");
    if (v->score >= 0) {
        (void)snprintf(room, sizeof room, "score:%.3f", v->score);
        note(out, begun, room);
    }
    if (v->why || v->note)
        note(out, begun, v->why ? v->why : v->note);
    if (out->n == begun)
        buf_add(out, STR(" -"));
}

static void digest_field(struct buf *out, const struct visit *v)
{
    if (!v->is_kept) {
        buf_add(out, STR(" -"));
        return;
    }
    buf_add(out, STR(" sha1:"));
    buf_base32(out, v->place.digest.bytes, DIGEST_SHA1_BYTES);
}

static void crawl_log(struct settle_lines *l, const struct visit *v, int code, unsigned shard,
                      int64_t wall_ms)
{
    struct buf *out = &l->text;
    size_t from = out->n;
    buf_time_iso(out, (uint64_t)wall_ms);
    buf_byte(out, ' ');
    if (code >= 0)
        buf_u64_wide(out, (unsigned)code, 5, ' ');
    else
        buf_printf(out, "%5d", code);
    buf_byte(out, ' ');
    buf_u64_wide(out, v->answer ? v->answer->body.n : 0, 10, ' ');
    buf_byte(out, ' ');
    buf_add(out, url_href(&v->url));
    buf_byte(out, ' ');
    buf_add(out, v->lent.hops);
    if (v->kind == VISIT_ROBOTS || v->kind == VISIT_HOP)
        buf_byte(out, HOP_PREREQUISITE);
    else if (!v->lent.hops.n)
        buf_byte(out, '-');
    field(out, v->via);
    field(out, v->mime);
    buf_add(out, STR(" #"));
    buf_u64_wide(out, shard, 3, '0');
    buf_byte(out, ' ');
    if (v->date_ms) {
        warc_ts14_print(out, v->date_ms);
        buf_u64_wide(out, (uint64_t)(v->date_ms % 1000), 3, '0');
        buf_byte(out, '+');
        buf_u64(out, v->answer ? v->answer->timing.total_us / 1000 : 0);
    } else {
        buf_byte(out, '-');
    }
    digest_field(out, v);
    buf_add(out, STR(" -"));
    annotate(out, v);
    buf_byte(out, '\n');
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
    char room[ARCS_HEX_BYTES];
    struct buf id = buf_on(room, sizeof room);
    size_t from = l->text.n;
    if (!v->is_page || v->is_unkept || v->kind != VISIT_PAGE)
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
    struct jsonw j = jsonw_to(&l->text);
    jsonw_object(&j);
    jsonw_text_field(&j, "url", url_href(&v->url));
    jsonw_u64_field(&j, "depth", visit_depth(v->lent.hops));
    jsonw_text_field(&j, "reason", str_c(v->why ? v->why : fetch_code_text(code)));
    jsonw_end(&j);
    buf_byte(&l->text, '\n');
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
        buf_hex16(&l->text, c->fingerprint);
        buf_byte(&l->text, ' ');
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
    buf_hex16(&l->text, v->fingerprint);
    for (size_t i = 0; i < v->link_count; i++) {
        buf_byte(&l->text, ' ');
        buf_byte(&l->text, v->links[i].hop);
        buf_hex16(&l->text, v->links[i].fingerprint);
    }
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
        buf_add(&l->text, v->links[i].href);
        if (!visit_is_list(v)) {
            buf_byte(&l->text, ' ');
            buf_add(&l->text, url_href(&v->url));
        }
        buf_byte(&l->text, '\n');
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
