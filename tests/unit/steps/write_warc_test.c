/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/step.h"

extern const struct part part_write_warc;

static struct step s;

static void open_write_warc(const char *settings, unsigned with)
{
    step_world(&s, settings, with);
    assert_rc(step_open(&s, &part_write_warc), RC_OK);
}

static struct visit *page(struct step *w, const char *url, uint16_t status, const char *body)
{
    struct visit *v = step_visit(w, url, "L");
    (void)step_set_answer(w, v, status, "Content-Type: text/plain\r\n", body);
    v->answer.verdict = (struct pace_verdict){.next = PACE_DONE, .code = status};
    v->answer.has_verdict = true;
    return v;
}

static void give(struct visit *v)
{
    step_give(&s, 0, &v->head);
}

static void an_answer_is_archived_and_its_location_is_known(void **state)
{
    (void)state;
    open_write_warc("", 0);
    struct visit *v = page(&s, "http://a.test/1", 200, "hello");
    give(v);
    assert_true(v->stored.is_kept);
    assert_true(v->stored.location.bytes > v->stored.location.record_bytes);
    assert_false(v->stored.location.is_revisit);
    assert_int_equal(v->stored.location.entity_bytes, 5);
    assert_str(v->stored.capture.target_uri, STR("http://a.test/1"));
    assert_null(v->stored.capture.facts); /* they ended with the call */
    assert_int_equal(s.out_count[0], 1);
    step_close(&s);
}

static void links_stand_beside_the_answer_unless_only_answers_are_wanted(void **state)
{
    (void)state;
    uint64_t beside[2];
    for (int archive_only = 0; archive_only < 2; archive_only++) {
        open_write_warc(archive_only ? "archive-only=yes" : "", 0);
        struct visit *v = page(&s, "http://a.test/1", 200, "hello");
        struct found_link links[] = {{.href = STR("http://a.test/2"), .hop = HOP_LINK}};
        v->judged.links.list = links;
        v->judged.links.count = 1;
        give(v);
        beside[archive_only] = v->stored.location.bytes - v->stored.location.record_bytes;
        step_close(&s);
    }
    assert_true(beside[0] > beside[1]);
}

static void what_has_no_result_is_not_archived(void **state)
{
    (void)state;
    open_write_warc("", 0);
    struct visit *again = page(&s, "http://a.test/", 503, "busy");
    again->answer.verdict.next = PACE_AGAIN;
    give(again);
    assert_false(again->stored.is_kept);
    struct visit *none = step_visit(&s, "http://b.test/", "");
    give(none);
    assert_false(none->stored.is_kept);
    struct visit *broken = page(&s, "http://c.test/", 200, "x");
    broken->answer.end.http = HTTP_NOT_HTTP;
    give(broken);
    assert_false(broken->stored.is_kept);
    assert_int_equal(s.ledger->counts.unkept, 0);
    assert_int_equal(s.out_count[0], 3);
    step_close(&s);
}

static void what_is_not_wanted_is_counted_and_left_out(void **state)
{
    (void)state;
    open_write_warc("", 0);
    for (int i = 0; i < 3; i++) {
        static const char *const urls[] = {"http://a.test/", "http://b.test/", "http://c.test/"};
        struct visit *v = page(&s, urls[i], 200, "x");
        v->answer.has_other_type = i == 0;
        v->judged.is_unkept = i == 1;
        v->is_dropped = i == 2;
        give(v);
        assert_false(v->stored.is_kept);
    }
    assert_int_equal(s.ledger->counts.unkept, 3);
    step_close(&s);
}

static void a_crawl_without_an_archive_keeps_nothing(void **state)
{
    (void)state;
    open_write_warc("no-archive=yes", 0);
    struct visit *v = page(&s, "http://a.test/1", 200, "hello");
    give(v);
    assert_false(v->stored.is_kept);
    step_close(&s);
}

static void how_an_answer_was_cut_is_recorded(void **state)
{
    (void)state;
    static const struct {
        enum http_cut cut;
        enum warc_cut is;
    } rows[] = {{HTTP_CUT_LENGTH, WARC_CUT_LENGTH},
                {HTTP_CUT_TIME, WARC_CUT_TIME},
                {HTTP_CUT_DISCONNECT, WARC_CUT_DISCONNECT},
                {HTTP_CUT_NONE, WARC_CUT_NONE}};
    for (unsigned i = 0; i < 4; i++) {
        open_write_warc("", 0);
        struct visit *v = page(&s, "http://a.test/1", 200, "hello");
        struct http_answer a = *v->answer.http;
        a.cut = rows[i].cut;
        a.outcome = a.cut ? HTTP_TRUNCATED : HTTP_WHOLE;
        v->answer.http = &a;
        v->answer.end.http = a.outcome;
        give(v);
        assert_int_equal(v->stored.capture.cut, rows[i].is);
        step_close(&s);
    }
}

static void the_page_that_led_here_is_named(void **state)
{
    (void)state;
    open_write_warc("", 0);
    page_names_put(s.ledger->names, 77, STR("http://a.test/via"));
    struct visit *v = page(&s, "http://a.test/1", 200, "hello");
    v->turn.checkout.via = 77;
    give(v);
    assert_str(v->stored.via, STR("http://a.test/via"));
    step_close(&s);
}

/* What an earlier capture of the page left in the history. */
static void captured_before(struct visit *v, const struct visit *old)
{
    v->turn.has_history = true;
    v->turn.history = (struct history_entry){.url = url_href(&v->turn.url),
                                             .has_digest = true,
                                             .digest = old->stored.location.digest,
                                             .captured_ms = old->answer.date_ms};
    memcpy(v->turn.history.record_id, old->stored.location.id.bytes, 16);
}

static void a_payload_that_was_captured_before_is_a_revisit(void **state)
{
    (void)state;
    open_write_warc("", 0);
    struct visit *old = page(&s, "http://a.test/1", 200, "a payload that is long enough");
    give(old);
    struct visit *v = page(&s, "http://b.test/1", 200, "a payload that is long enough");
    captured_before(v, old);
    give(v);
    assert_true(v->stored.location.is_revisit);
    struct visit *other = page(&s, "http://c.test/1", 200, "another payload, long enough");
    give(other);
    assert_false(other->stored.location.is_revisit);
    step_close(&s);
}

static void a_304_confirms_the_capture_before_it(void **state)
{
    (void)state;
    open_write_warc("", 0);
    struct visit *old = page(&s, "http://a.test/1", 200, "a payload that is long enough");
    give(old);
    struct visit *v = page(&s, "http://b.test/1", 304, "");
    captured_before(v, old);
    give(v);
    assert_true(v->stored.location.is_revisit);
    assert_true(digest_eq(&v->stored.location.digest, &old->stored.location.digest));
    struct visit *stray = page(&s, "http://c.test/1", 304, "");
    give(stray);
    assert_true(stray->stored.is_kept);
    step_close(&s);
}

/* A payload of which only URI and date are known gets its record's name from the history. */
static void a_record_from_before_a_restart_is_named_by_the_history(void **state)
{
    (void)state;
    for (int is_known = 0; is_known < 2; is_known++) {
        open_write_warc("", STEP_HISTORY);
        struct visit *old = page(&s, "http://a.test/1", 200, "a payload that is long enough");
        give(old);
        struct history_entry h = {.url = STR("http://a.test/1"),
                                  .fetches = 1,
                                  .has_digest = true,
                                  .digest = old->stored.location.digest,
                                  .captured_ms = 4711};
        memcpy(h.record_id, old->stored.location.id.bytes, 16);
        struct ledger_outcome o = {.fingerprint = is_known ? old->turn.fingerprint : 1,
                                   .history = &h};
        unsigned epoch;
        assert_rc(ledger_record_outcome(s.ledger->ledger, 0, &o, &epoch), RC_OK);
        assert_rc(ledger_turn(s.ledger->ledger, 0), RC_OK);
        assert_rc(ledger_sync(s.ledger->ledger), RC_OK);
        struct digest_ref ref = {.date_ms = 1, .uri = STR("http://a.test/1")};
        digest_table_put(ledger_digests(s.ledger->ledger), &old->stored.location.digest, &ref);
        struct visit *v = page(&s, "http://b.test/1", 200, "a payload that is long enough");
        give(v);
        assert_true(v->stored.location.is_revisit);
        step_close(&s);
    }
}

static void an_answer_that_the_standard_forbids_is_told_and_passed_over(void **state)
{
    (void)state;
    open_write_warc("", 0);
    struct visit *v = page(&s, "http://a.test/1", 200, "hello");
    v->parsed.identified = STR("text/\nplain");
    give(v);
    assert_int_equal(s.out_count[0], 1);
    assert_int_equal(s.failed, RC_OK);
    assert_int_equal(s.errors, v->stored.is_kept ? 0 : 1);
    step_close(&s);
}

static struct visit *given;

static void prepare(struct step *w)
{
    given = page(w, "http://a.test/1", 200, "hello");
}

static void run(struct step *w)
{
    step_give(w, 0, &given->head);
    assert_int_equal(w->out_count[0], 1);
    assert_true(given->stored.is_kept || w->failed);
}

static void whatever_allocation_fails_the_answer_is_archived_or_the_crawl_says_so(void **state)
{
    (void)state;
    step_each_allocation_fails(&(struct step_sweep){
        .part = &part_write_warc, .settings = "", .prepare = prepare, .run = run});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_is_archived_and_its_location_is_known),
        cmocka_unit_test(links_stand_beside_the_answer_unless_only_answers_are_wanted),
        cmocka_unit_test(what_has_no_result_is_not_archived),
        cmocka_unit_test(what_is_not_wanted_is_counted_and_left_out),
        cmocka_unit_test(a_crawl_without_an_archive_keeps_nothing),
        cmocka_unit_test(how_an_answer_was_cut_is_recorded),
        cmocka_unit_test(the_page_that_led_here_is_named),
        cmocka_unit_test(a_payload_that_was_captured_before_is_a_revisit),
        cmocka_unit_test(a_304_confirms_the_capture_before_it),
        cmocka_unit_test(a_record_from_before_a_restart_is_named_by_the_history),
        cmocka_unit_test(an_answer_that_the_standard_forbids_is_told_and_passed_over),
        cmocka_unit_test(whatever_allocation_fails_the_answer_is_archived_or_the_crawl_says_so),
    };
    return cmocka_run_group_tests_name("write-warc", tests, NULL, NULL);
}
