/* SPDX-License-Identifier: Apache-2.0 */
/* Which capture the history names after a visit: the one that the next answer is compared with. */
#include "visit/visit.h"

#include "lib/test.h"

enum { OLD = 1, NEW = 2 };
#define OLD_MS 1000
#define NEW_MS 9000
#define WALL_MS 9500

static struct http_answer answer;

static struct digest payload(int n)
{
    struct digest d = {.kind = DIGEST_SHA1};
    d.bytes[0] = (uint8_t)n;
    return d;
}

/* An answer with that status, of a URL that was captured before (OLD) or never. */
static struct visit *visit_of_status(uint16_t status, bool has_history)
{
    struct visit *v = visit_open(VISIT_PAGE, NULL);
    assert_non_null(v);
    answer = (struct http_answer){.status = status, .outcome = HTTP_WHOLE, .body = STR("hello")};
    v->turn.checkout.via = 7;
    v->turn.checkout.seed_path = STR("LE");
    v->turn.has_history = has_history;
    if (has_history)
        v->turn.history = (struct history_entry){.has_digest = true,
                                                 .digest = payload(OLD),
                                                 .captured_ms = OLD_MS,
                                                 .record_id = {OLD},
                                                 .etag = STR("\"old\""),
                                                 .last_modified = STR("then"),
                                                 .mime = STR("text/old"),
                                                 .codes = STR("old codes"),
                                                 .what_changed = HISTORY_TEXT,
                                                 .fetches = 3,
                                                 .changes = 1};
    v->answer.http = &answer;
    v->answer.end = (struct pace_end){.http = HTTP_WHOLE, .status = status};
    v->answer.date_ms = NEW_MS;
    v->answer.mime = STR("text/new");
    v->answer.heads.etag = STR("\"new\"");
    v->answer.heads.last_modified = STR("now");
    v->judged.codes = STR("new codes");
    v->judged.what_changed = HISTORY_STRUCTURE;
    v->stored.is_kept = true;
    v->stored.location = (struct warc_location){
        .file = "x.warc.gz", .offset = 100, .bytes = 90, .record_bytes = 60, .id = {{NEW}}};
    v->stored.location.digest = payload(NEW);
    return v;
}

static struct history_entry history_of(const struct visit *v, bool with_links)
{
    struct history_entry h;
    visit_history(v, v->answer.end.status, WALL_MS, with_links, &h);
    return h;
}

static void names_the_new_capture(const struct history_entry *h)
{
    struct digest d = payload(NEW);
    assert_true(h->has_digest && digest_eq(&h->digest, &d));
    assert_int_equal(h->captured_ms, NEW_MS);
    assert_int_equal(h->record_id[0], NEW);
}

static void names_the_old_capture(const struct history_entry *h)
{
    struct digest d = payload(OLD);
    assert_true(h->has_digest && digest_eq(&h->digest, &d));
    assert_int_equal(h->captured_ms, OLD_MS);
    assert_int_equal(h->record_id[0], OLD);
}

static void a_first_capture_is_compared_with_next(void **state)
{
    (void)state;
    struct visit *v = visit_of_status(200, false);
    struct history_entry h = history_of(v, true);
    names_the_new_capture(&h);
    assert_int_equal(h.fetches, 1);
    assert_int_equal(h.changes, 0);
    assert_int_equal(h.what_changed, 0);
    assert_int_equal(h.via, 7);
    assert_int_equal(h.bytes, 5);
    assert_int_equal(h.date_ms, NEW_MS);
    assert_str(h.seed_path, STR("LE"));
    assert_str(h.mime, STR("text/new"));
    assert_str(h.etag, STR("\"new\""));
    assert_str(h.codes, STR("new codes"));
    assert_str(h.file, STR("x.warc.gz"));
    assert_int_equal(h.file_offset, 160); /* behind the answer */
    assert_int_equal(h.file_bytes, 30);
    message_end(&v->head);
}

static void another_payload_is_a_change(void **state)
{
    (void)state;
    struct visit *v = visit_of_status(200, true);
    struct history_entry h = history_of(v, false);
    names_the_new_capture(&h);
    assert_int_equal(h.fetches, 4);
    assert_int_equal(h.changes, 2);
    assert_int_equal(h.what_changed, HISTORY_STRUCTURE);
    assert_str(h.codes, STR("new codes"));
    assert_null(h.file.p);
    message_end(&v->head);
}

static void the_same_payload_again_leaves_the_old_capture(void **state)
{
    (void)state;
    struct visit *v = visit_of_status(200, true);
    v->stored.location.digest = payload(OLD);
    struct history_entry h = history_of(v, true);
    names_the_old_capture(&h);
    assert_int_equal(h.changes, 1);
    assert_int_equal(h.what_changed, HISTORY_TEXT); /* as it was */
    assert_str(h.etag, STR("\"new\""));             /* the server's newest word */
    assert_str(h.codes, STR("old codes"));
    message_end(&v->head);
}

static void codes_are_added_to_a_capture_that_has_none(void **state)
{
    (void)state;
    struct visit *v = visit_of_status(200, true);
    v->stored.location.digest = payload(OLD);
    v->turn.history.codes = STR_NONE;
    struct history_entry h = history_of(v, true);
    assert_str(h.codes, STR("new codes"));
    message_end(&v->head);
}

static void a_304_confirms_the_old_capture(void **state)
{
    (void)state;
    struct visit *v = visit_of_status(304, true);
    struct history_entry h = history_of(v, false);
    names_the_old_capture(&h);
    assert_int_equal(h.code, 304);
    assert_int_equal(h.changes, 1);
    assert_str(h.mime, STR("text/old"));
    assert_str(h.etag, STR("\"old\""));
    assert_str(h.last_modified, STR("then"));
    message_end(&v->head);
}

static void an_error_says_nothing_of_the_capture(void **state)
{
    (void)state;
    static const struct {
        uint16_t status;
        enum http_outcome outcome;
        bool is_kept;
    } rows[] = {{404, HTTP_WHOLE, true}, {200, HTTP_TRUNCATED, true}, {200, HTTP_WHOLE, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct visit *v = visit_of_status(rows[i].status, true);
        answer.outcome = rows[i].outcome;
        v->stored.is_kept = rows[i].is_kept;
        struct history_entry h = history_of(v, true);
        names_the_old_capture(&h);
        assert_str(h.etag, STR("\"old\""));
        assert_str(h.codes, STR("old codes"));
        assert_int_equal(h.changes, 1);
        assert_int_equal(h.file.p != NULL, rows[i].is_kept);
        message_end(&v->head);
    }
}

static void a_visit_that_was_never_asked_has_the_moment_of_its_end(void **state)
{
    (void)state;
    struct visit *v = visit_of_status(0, false);
    v->answer.http = NULL;
    v->answer.date_ms = 0;
    v->stored.is_kept = false;
    struct history_entry h = history_of(v, true);
    assert_int_equal(h.date_ms, WALL_MS);
    assert_int_equal(h.bytes, 0);
    assert_false(h.has_digest);
    message_end(&v->head);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_first_capture_is_compared_with_next),
        cmocka_unit_test(another_payload_is_a_change),
        cmocka_unit_test(the_same_payload_again_leaves_the_old_capture),
        cmocka_unit_test(codes_are_added_to_a_capture_that_has_none),
        cmocka_unit_test(a_304_confirms_the_old_capture),
        cmocka_unit_test(an_error_says_nothing_of_the_capture),
        cmocka_unit_test(a_visit_that_was_never_asked_has_the_moment_of_its_end),
    };
    return cmocka_run_group_tests_name("visit_history", tests, NULL, NULL);
}
