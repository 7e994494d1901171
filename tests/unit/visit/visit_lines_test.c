/* SPDX-License-Identifier: Apache-2.0 */
/* What the crawl's files and the history say of a visit. */
#include "visit/visit_lines.h"

#include "frontier/host.h"
#include "html/page.h"
#include "lib/test.h"
#include "outputs/arcs.h"
#include "outputs/crawl_log.h"

#define HREF "http://example.org/a"

/* A page that was fetched whole and is in the archive. */
struct world {
    struct line_batch lines;
    struct visit *v;
    struct host *host;
    uint64_t host_bytes;
    struct host_record record;
    struct http_answer answer;
};

static void open_world(struct world *w, const char *seed_path)
{
    *w = (struct world){
        .answer = {.outcome = HTTP_WHOLE, .status = 200, .body = STR("12345"), .bytes_in = 99},
    };
    w->answer.timing.total_us = 7000;
    line_batch_init(&w->lines);
    w->host = host_open(1, STR("example.org"), &w->host_bytes);
    assert_non_null(w->host);
    struct visit *v = w->v = visit_open(VISIT_PAGE, NULL);
    assert_non_null(v);
    v->turn.checkout = (struct checkout){.host = w->host,
                                         .host_name = STR("example.org"),
                                         .path = STR("/a"),
                                         .seed_path = str_c(seed_path),
                                         .via = 6};
    v->turn.record = &w->record;
    assert_rc(visit_name(v, VISIT_PAGE), RC_OK);
    v->state = VISIT_ENDED;
    v->answer.http = &w->answer;
    v->answer.end.status = 200;
    v->answer.date_ms = 1700000000123;
    v->answer.mime = STR("text/html");
    v->parsed.is_page = true;
    v->parsed.title = STR("A title");
    v->stored.is_kept = true;
    v->stored.capture = (struct capture){.target_uri = STR(HREF), .date_ms = 1700000000123};
    v->stored.location = (struct warc_location){
        .offset = 10, .bytes = 300, .record_bytes = 200, .file = "x.warc.gz"};
    v->stored.location.digest.kind = DIGEST_SHA1;
}

static void close_world(struct world *w)
{
    w->v->may_end = true;
    message_end(&w->v->head);
    host_close(w->host, &w->host_bytes);
    line_batch_done(&w->lines);
}

/* The text of that file; absent: it gets none. */
static struct str text_of(const struct world *w, enum output_file file)
{
    for (size_t i = 0; i < w->lines.count; i++)
        if (w->lines.rows[i].file == file)
            return line_batch_text(&w->lines, i);
    return STR_NONE;
}

static void result(struct world *w, int code)
{
    line_batch_clear(&w->lines);
    visit_lines_result(&w->lines, w->v, code, 3, 1700000000999);
    assert_rc(line_batch_rc(&w->lines), RC_OK);
}

static struct crawl_log_line log_line(const struct world *w)
{
    struct crawl_log_line l;
    struct str text = text_of(w, OUTPUT_LOG);
    assert_true(text.n && text.p[text.n - 1] == '\n');
    assert_rc(crawl_log_parse(str_first(text, text.n - 1), &l), RC_OK);
    return l;
}

static struct str annotations(struct world *w, int code)
{
    result(w, code);
    struct str notes = log_line(w).annotations;
    return notes.p ? notes : STR("-");
}

static void a_page_is_logged_and_indexed_and_listed(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, "LL");
    w.v->stored.via = STR("http://example.org/");
    result(&w, 200);
    struct crawl_log_line l = log_line(&w);
    assert_true(l.status == 200 && l.bytes == 5);
    assert_str(l.url, STR(HREF));
    assert_str(l.path, STR("LL"));
    assert_str(l.via, STR("http://example.org/"));
    assert_str(l.mime, STR("text/html"));
    assert_str(l.shard, STR("#003"));
    assert_true(str_starts(l.digest, STR("sha1:")));
    assert_true(text_of(&w, OUTPUT_CDXJ).n > 0);
    assert_true(str_find_str(text_of(&w, OUTPUT_EXTRA_PAGES), STR("A title")) <
                text_of(&w, OUTPUT_EXTRA_PAGES).n);
    assert_null(text_of(&w, OUTPUT_PAGES).p);
    assert_null(text_of(&w, OUTPUT_SKIPPED).p);
    close_world(&w);
}

static void seeds_and_where_they_redirect_to_are_pages_and_others_extra_pages(void **state)
{
    (void)state;
    static const struct {
        const char *seed_path;
        bool is_seed;
    } rows[] = {{"", true}, {"R", true}, {"RRRRR", true}, {"RRRRRR", false}, {"L", false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct world w;
        open_world(&w, rows[i].seed_path);
        result(&w, 200);
        assert_int_equal(text_of(&w, OUTPUT_PAGES).p != NULL, rows[i].is_seed);
        assert_int_equal(text_of(&w, OUTPUT_EXTRA_PAGES).p != NULL, !rows[i].is_seed);
        close_world(&w);
    }
}

static void what_is_no_page_or_is_not_kept_is_not_listed(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct world w;
        open_world(&w, "L");
        w.v->parsed.is_page = i != 0;
        w.v->judged.is_unkept = i == 1;
        w.v->is_dropped = i == 2;
        w.v->kind = i == 3 ? VISIT_ROBOTS : VISIT_PAGE;
        w.v->stored.is_kept = false;
        result(&w, 200);
        assert_null(text_of(&w, OUTPUT_EXTRA_PAGES).p);
        assert_null(text_of(&w, OUTPUT_CDXJ).p);
        assert_null(log_line(&w).digest.p);
        close_world(&w);
    }
}

static void a_robots_txt_is_logged_as_a_prerequisite(void **state)
{
    (void)state;
    const enum visit_kind kinds[] = {VISIT_ROBOTS, VISIT_ROBOTS_REDIRECT};
    for (int i = 0; i < 2; i++) {
        struct world w;
        open_world(&w, "L");
        w.v->kind = kinds[i];
        result(&w, 200);
        assert_str(log_line(&w).path, STR("LP"));
        close_world(&w);
    }
}

static void what_is_refused_is_skipped_with_its_reason(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, "L");
    w.v->answer.http = NULL;
    w.v->answer.date_ms = 0;
    w.v->stored.is_kept = w.v->parsed.is_page = false;
    visit_refuse(w.v, FETCH_ROBOTS, "robots.txt says no");
    result(&w, FETCH_ROBOTS);
    assert_true(str_find_str(text_of(&w, OUTPUT_SKIPPED), STR("robots.txt says no")) <
                text_of(&w, OUTPUT_SKIPPED).n);
    assert_str(crawl_log_reason(&(struct crawl_log_line){
                   .status = -1, .annotations = annotations(&w, FETCH_ROBOTS)}),
               STR("robots.txt_says_no"));
    assert_null(log_line(&w).started.p);
    w.v->why = NULL;
    result(&w, FETCH_ROBOTS);
    assert_true(str_find_str(text_of(&w, OUTPUT_SKIPPED), str_c(fetch_code_text(FETCH_ROBOTS))) <
                text_of(&w, OUTPUT_SKIPPED).n);
    close_world(&w);
}

static void annotations_say_what_is_remarkable_about_an_answer(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, "L");
    assert_str(annotations(&w, 200), STR("-"));
    w.record.tries = 2;
    w.answer.cut = HTTP_CUT_TIME;
    w.answer.tls_unverified = w.answer.is_h2 = true;
    w.v->parsed.is_cut = true;
    w.v->judged.links.left_out[BRING_QUEUE] = 4;
    w.v->answer.has_other_type = true;
    w.v->parsed.robots_bits = PAGE_NOINDEX | PAGE_NOFOLLOW;
    w.v->judged.score = 0.5;
    w.v->parsed.note = "a broken body";
    assert_str(annotations(&w, 200),
               STR("tries:3,timeTrunc,unverified,h2,links:cut,overLimit:host-queue:4,type,noindex,"
                   "nofollow,score:0.500,a_broken_body"));
    close_world(&w);
}

static void annotations_say_how_a_page_has_changed(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, "L");
    w.v->turn.has_history = w.v->turn.history.has_digest = true;
    w.v->turn.history.digest = w.v->stored.location.digest;
    struct crawl_log_line l = {.annotations = annotations(&w, 200)};
    assert_true(crawl_log_has(&l, STR("unchanged")));
    w.v->turn.history.digest.bytes[0] ^= 1;
    w.v->judged.what_changed = HISTORY_STRUCTURE | HISTORY_TEXT;
    l.annotations = annotations(&w, 200);
    assert_true(crawl_log_has(&l, STR("changed")) && crawl_log_has(&l, STR("changed:text")));
    w.v->judged.what_changed = HISTORY_MARKUP;
    l.annotations = annotations(&w, 200);
    assert_false(crawl_log_has(&l, STR("changed:text")));
    assert_true(crawl_log_has(&l, STR("changed:markup")));
    w.v->stored.location.is_revisit = true;
    result(&w, 200);
    l = log_line(&w);
    assert_true(crawl_log_is_duplicate(&l) && !crawl_log_is_not_modified(&l));
    w.v->answer.end.status = 304;
    result(&w, 304);
    l = log_line(&w);
    assert_true(crawl_log_is_not_modified(&l) && crawl_log_has(&l, STR("unchanged")));
    close_world(&w);
}

static void links_leave_arcs_names_and_seeds(void **state)
{
    (void)state;
    struct world w;
    struct found_link links[] = {
        {.href = STR("http://example.org/b"), .fingerprint = 0x11, .hop = 'L'},
        {.href = STR("http://www.example.org/"), .fingerprint = 0x22, .hop = 'R', .is_seed = true}};
    struct candidate fresh = {
        .fingerprint = 0x11, .host = STR("example.org"), .path = STR("/b"), .port = 81};
    open_world(&w, "");
    visit_lines_arcs(&w.lines, w.v);
    assert_int_equal(w.lines.count, 0); /* no links */
    w.v->judged.links = (struct found_links){.list = links, .count = 2};
    node_lines(&w.lines, &fresh, 1);
    visit_lines_arcs(&w.lines, w.v);
    seed_lines(&w.lines, &w.v->judged.links, STR(HREF));
    assert_str(line_batch_names(&w.lines), STR("0000000000000011 http://example.org:81/b\n"));
    struct str text = text_of(&w, OUTPUT_ARCS);
    struct arc_line arcs;
    char hop;
    uint64_t to;
    assert_rc(arc_line_parse(str_first(text, text.n - 1), &arcs), RC_OK);
    assert_true(arcs.page == w.v->turn.fingerprint);
    assert_true(arc_line_next(&arcs, &hop, &to) && hop == 'L' && to == 0x11);
    assert_true(arc_line_next(&arcs, &hop, &to) && hop == 'R' && to == 0x22);
    assert_false(arc_line_next(&arcs, &hop, &to));
    assert_str(text_of(&w, OUTPUT_SEEDS), STR("http://www.example.org/ " HREF "\n"));
    line_batch_clear(&w.lines);
    w.v->kind = VISIT_ROBOTS; /* its sitemaps are no arcs of the graph */
    visit_lines_arcs(&w.lines, w.v);
    assert_int_equal(w.lines.count, 0);
    seed_lines(&w.lines, &w.v->judged.links, STR_NONE);
    assert_str(text_of(&w, OUTPUT_SEEDS), STR("http://www.example.org/\n"));
    close_world(&w);
}

/* The history ---------------------------------------------------------------------------------- */

static struct history_entry history(const struct world *w, bool with_links)
{
    struct history_entry h;
    visit_history(w->v, 200, 42, with_links, &h);
    return h;
}

static void a_first_capture_is_what_later_ones_are_compared_with(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, "LL");
    w.v->stored.location.digest.bytes[0] = 9;
    w.v->answer.heads.etag = STR("\"x\"");
    w.v->judged.codes = STR("codes");
    struct history_entry h = history(&w, true);
    assert_str(h.url, STR(HREF));
    assert_str(h.seed_path, STR("LL"));
    assert_true(h.via == 6 && h.code == 200 && h.bytes == 5 && h.fetches == 1 && h.changes == 0);
    assert_true(h.date_ms == 1700000000123 && h.captured_ms == h.date_ms);
    assert_true(h.has_digest && h.digest.bytes[0] == 9);
    assert_str(h.etag, STR("\"x\""));
    assert_str(h.codes, STR("codes"));
    assert_str(h.file, STR("x.warc.gz"));
    assert_true(h.file_offset == 210 && h.file_bytes == 100); /* behind the answer */
    assert_null(history(&w, false).file.p);
    w.v->answer.date_ms = 0; /* it was never asked for */
    assert_true(history(&w, true).date_ms == 42);
    close_world(&w);
}

static void a_change_is_counted_and_an_error_keeps_the_capture_before(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, "L");
    w.v->turn.has_history = true;
    w.v->turn.history = (struct history_entry){.has_digest = true,
                                               .captured_ms = 7,
                                               .fetches = 3,
                                               .changes = 1,
                                               .etag = STR("\"old\""),
                                               .mime = STR("text/old"),
                                               .codes = STR("old"),
                                               .what_changed = HISTORY_TEXT};
    w.v->turn.history.digest.kind = DIGEST_SHA1;
    w.v->turn.history.digest.bytes[0] = 1;
    w.v->judged.what_changed = HISTORY_MARKUP;
    struct history_entry h = history(&w, false);
    assert_true(h.fetches == 4 && h.changes == 2 && h.what_changed == HISTORY_MARKUP);
    assert_true(h.captured_ms == 1700000000123 && h.digest.bytes[0] == 0);
    w.v->answer.end.status = 304;
    h = history(&w, false);
    assert_true(h.changes == 1 && h.captured_ms == 7 && h.digest.bytes[0] == 1);
    assert_str(h.mime, STR("text/old"));
    assert_str(h.codes, STR("old"));
    w.v->answer.end.status = 500;
    h = history(&w, false);
    assert_true(h.changes == 1 && h.captured_ms == 7 && h.what_changed == HISTORY_TEXT);
    assert_str(h.etag, STR("\"old\""));
    assert_str(h.mime, STR("text/html"));
    close_world(&w);
}

static void the_history_says_what_cut_an_answer(void **state)
{
    (void)state;
    static const uint8_t expected[] = {[HTTP_CUT_NONE] = HISTORY_WHOLE,
                                       [HTTP_CUT_LENGTH] = HISTORY_CUT_LENGTH,
                                       [HTTP_CUT_TIME] = HISTORY_CUT_TIME,
                                       [HTTP_CUT_DISCONNECT] = HISTORY_CUT_DISCONNECT};
    struct world w;
    open_world(&w, "L");
    struct http_answer answer = *w.v->answer.http;
    w.v->answer.http = &answer;
    for (unsigned i = 0; i < sizeof expected; i++) {
        answer.cut = (enum http_cut)i;
        assert_int_equal(history(&w, false).cut, expected[i]);
    }
    w.v->answer.http = NULL;
    assert_int_equal(history(&w, false).cut, HISTORY_WHOLE);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_is_logged_and_indexed_and_listed),
        cmocka_unit_test(seeds_and_where_they_redirect_to_are_pages_and_others_extra_pages),
        cmocka_unit_test(what_is_no_page_or_is_not_kept_is_not_listed),
        cmocka_unit_test(a_robots_txt_is_logged_as_a_prerequisite),
        cmocka_unit_test(what_is_refused_is_skipped_with_its_reason),
        cmocka_unit_test(annotations_say_what_is_remarkable_about_an_answer),
        cmocka_unit_test(annotations_say_how_a_page_has_changed),
        cmocka_unit_test(links_leave_arcs_names_and_seeds),
        cmocka_unit_test(a_first_capture_is_what_later_ones_are_compared_with),
        cmocka_unit_test(a_change_is_counted_and_an_error_keeps_the_capture_before),
        cmocka_unit_test(the_history_says_what_cut_an_answer),
    };
    return cmocka_run_group_tests_name("visit_lines", tests, NULL, NULL);
}
