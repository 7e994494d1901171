/* SPDX-License-Identifier: Apache-2.0 */
#include "visit/visit_lines.h"

#include "discovery/seed_path.h"
#include "host/host_tries.h"
#include "html/page.h"
#include "outputs/arcs.h"
#include "outputs/crawl_log.h"
#include "outputs/kept_seed.h"
#include "outputs/page_line.h"
#include "outputs/skipped.h"
#include "visit/links.h"
#include "visit/visit_host.h"

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
    unsigned what = change == CHANGE_SEEN ? v->judged.what_changed : 0;
    if (change != CHANGE_UNKNOWN)
        crawl_log_mark(notes, change == CHANGE_SEEN ? MARK_CHANGED : MARK_UNCHANGED);
    if (what & HISTORY_STRUCTURE)
        crawl_log_mark(notes, MARK_CHANGED_STRUCTURE);
    if (what & HISTORY_TEXT)
        crawl_log_mark(notes, MARK_CHANGED_TEXT);
    if (what & HISTORY_MARKUP)
        crawl_log_mark(notes, MARK_CHANGED_MARKUP);
}

static void note_left_out(struct buf *notes, const struct visit *v)
{
    for (int why = BRING_OK + 1; why < BRING_VERDICTS_; why++)
        if (v->judged.links.left_out[why])
            crawl_log_mark_value(notes, MARK_OVER_LIMIT, "%s:%u",
                                 bring_verdict_key((enum bring_verdict)why),
                                 v->judged.links.left_out[why]);
}

static void annotate(struct buf *notes, const struct visit *v)
{
    struct host_request request = visit_request(v);
    uint32_t tries = host_tries_get(&request);
    buf_clear(notes);
    if (tries)
        crawl_log_mark_value(notes, MARK_TRIES, "%u", tries + 1);
    if (v->stored.is_kept && v->stored.location.is_revisit)
        crawl_log_mark(notes, v->answer.end.status == 304 ? MARK_NOT_MODIFIED : MARK_DUPLICATE);
    note_change(notes, v);
    if (v->answer.http)
        note_answer(notes, v->answer.http);
    if (v->parsed.is_cut)
        crawl_log_mark(notes, MARK_LINKS_CUT);
    note_left_out(notes, v);
    if (v->answer.has_other_type)
        crawl_log_mark(notes, MARK_TYPE);
    else if (v->answer.http && v->answer.http->outcome == HTTP_UNWANTED)
        crawl_log_mark(notes, MARK_PEEKED);
    if (v->parsed.robots_bits & PAGE_NOINDEX)
        crawl_log_mark(notes, MARK_NOINDEX);
    if (v->parsed.robots_bits & PAGE_NOFOLLOW)
        crawl_log_mark(notes, MARK_NOFOLLOW);
    if (v->judged.score >= 0)
        crawl_log_mark_value(notes, MARK_SCORE, "%.3f", v->judged.score);
    if (v->why || v->parsed.note)
        crawl_log_reason_add(notes, v->why ? v->why : v->parsed.note);
}

static void log_line(struct line_batch *b, const struct visit *v, int code, unsigned shard,
                     int64_t wall_ms)
{
    annotate(&b->notes, v);
    struct crawl_log_entry e = {
        .wall_ms = (uint64_t)wall_ms,
        .status = code,
        .bytes = visit_body_bytes(v),
        .url = url_href(&v->turn.url),
        .path = v->turn.checkout.seed_path,
        .is_prerequisite = v->kind == VISIT_ROBOTS || v->kind == VISIT_ROBOTS_REDIRECT,
        .via = v->stored.via,
        .mime = v->answer.mime,
        .shard = shard,
        .begun_ms = v->answer.date_ms,
        .took_ms = v->answer.http ? v->answer.http->timing.total_us / 1000 : 0,
        .sha1 = v->stored.is_kept ? &v->stored.location.digest : NULL,
        .annotations = buf_str(&b->notes),
    };
    crawl_log_print(line_batch_begin(b), &e);
    line_batch_end(b, OUTPUT_LOG);
}

/* The others ----------------------------------------------------------------------------------- */

static void index_line(struct line_batch *b, const struct visit *v)
{
    if (v->stored.is_kept &&
        capture_print_cdxj(line_batch_begin(b), &v->stored.capture, &v->stored.location) == RC_OK)
        line_batch_end(b, OUTPUT_CDXJ);
}

static void page_line(struct line_batch *b, const struct visit *v)
{
    struct str seed_path = v->turn.checkout.seed_path;
    char room[HEX16_BYTES];
    struct buf id = buf_on(room, sizeof room);
    if (!v->parsed.is_page || v->judged.is_unkept || v->is_dropped || v->kind != VISIT_PAGE)
        return;
    buf_hex16(&id, v->turn.fingerprint);
    struct page_entry e = {
        .id = buf_str(&id),
        .url = url_href(&v->turn.url),
        .date_ms = v->answer.date_ms,
        .title = v->parsed.title,
        .mime = v->answer.mime,
        .status = v->answer.end.status,
        .seed = seed_path.n == 0 || seed_path_joins_seeds(seed_path),
        .depth = seed_path_depth(seed_path),
    };
    if (page_line_print(line_batch_begin(b), &e) == RC_OK)
        line_batch_end(b, e.seed ? OUTPUT_PAGES : OUTPUT_EXTRA_PAGES);
}

static void skipped_line(struct line_batch *b, const struct visit *v, int code)
{
    if (v->state != VISIT_REFUSED)
        return;
    skipped_print(line_batch_begin(b),
                  &(struct skipped){.url = url_href(&v->turn.url),
                                    .depth = seed_path_depth(v->turn.checkout.seed_path),
                                    .reason = str_c(v->why ? v->why : fetch_code_text(code))});
    line_batch_end(b, OUTPUT_SKIPPED);
}

void visit_lines_result(struct line_batch *b, const struct visit *v, int code, unsigned shard,
                        int64_t wall_ms)
{
    log_line(b, v, code, shard, wall_ms);
    index_line(b, v);
    page_line(b, v);
    skipped_line(b, v, code);
}

void node_lines(struct line_batch *b, const struct candidate *links, size_t count)
{
    struct buf *text = line_batch_begin(b);
    for (size_t i = 0; i < count; i++) {
        node_line_begin(text, links[i].fingerprint);
        candidate_print(&links[i], text);
        buf_byte(text, '\n');
    }
    line_batch_end_names(b);
}

void visit_lines_arcs(struct line_batch *b, const struct visit *v)
{
    const struct found_links *links = &v->judged.links;
    if (v->kind != VISIT_PAGE || !links->count)
        return;
    struct buf *text = line_batch_begin(b);
    arc_line_begin(text, v->turn.fingerprint);
    for (size_t i = 0; i < links->count; i++)
        arc_line_add(text, links->list[i].hop, links->list[i].fingerprint);
    buf_byte(text, '\n');
    line_batch_end(b, OUTPUT_ARCS);
}

void seed_lines(struct line_batch *b, const struct found_links *links, struct str from)
{
    struct buf *text = line_batch_begin(b);
    for (size_t i = 0; i < links->count; i++)
        if (links->list[i].is_seed)
            kept_seed_print(text, (struct kept_seed){.url = links->list[i].href, .from = from});
    line_batch_end(b, OUTPUT_SEEDS);
}
