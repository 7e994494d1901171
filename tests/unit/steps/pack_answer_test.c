/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/step.h"

extern const struct part part_pack_answer, part_write_warc;

static struct step s;

static struct visit *page(struct step *w, const char *url, uint16_t status, const char *body)
{
    struct visit *v = step_visit(w, url, "L");
    (void)step_set_answer(w, v, status, "Content-Type: text/plain\r\n", body);
    v->answer.verdict = (struct pace_verdict){.next = PACE_DONE, .code = status};
    v->answer.has_verdict = true;
    return v;
}

static void open_step(const char *settings, const struct part *part)
{
    step_world(&s, settings, 0);
    assert_rc(step_open(&s, part), RC_OK);
}

static void an_answer_is_packed(void **state)
{
    (void)state;
    open_step("", &part_pack_answer);
    struct visit *v = page(&s, "http://a.test/1", 200, "hello");
    step_give(&s, 0, &v->head);
    assert_true(v->packed.is_set && v->packed.has_body);
    assert_int_equal(visit_body_bytes(v), 5);
    assert_int_equal(v->packed.body.entity_bytes, 5);
    assert_rc(visit_check(&v->head, 5), RC_OK);
    assert_rc(visit_check(&v->head, 4), RC_INVALID);
    v->packed.body.digest.bytes[0] ^= 1;
    assert_rc(visit_check(&v->head, 5), RC_INVALID);
    step_close(&s);
}

static void what_is_not_archived_is_not_packed(void **state)
{
    (void)state;
    open_step("", &part_pack_answer);
    struct visit *again = page(&s, "http://a.test/", 503, "busy");
    again->answer.verdict.next = PACE_AGAIN;
    struct visit *unkept = page(&s, "http://b.test/", 200, "soup");
    unkept->judged.is_unkept = true;
    struct visit *none = step_visit(&s, "http://c.test/", "");
    step_give(&s, 0, &again->head);
    step_give(&s, 0, &unkept->head);
    step_give(&s, 0, &none->head);
    assert_true(again->packed.is_set && !again->packed.has_body && unkept->packed.is_set &&
                !unkept->packed.has_body);
    assert_int_equal(visit_body_bytes(again), 4);
    assert_rc(visit_check(&again->head, 5), RC_OK);
    assert_false(none->packed.is_set);
    assert_int_equal(visit_body_bytes(none), 0);
    step_close(&s);
    open_step("no-archive=yes", &part_pack_answer);
    struct visit *v = page(&s, "http://a.test/1", 200, "hello");
    step_give(&s, 0, &v->head);
    assert_true(v->packed.is_set && !v->packed.has_body);
    step_close(&s);
}

/* As the archive sees it: write-warc behind it, at another place. */
static void write_warc_takes_what_was_packed(void **state)
{
    (void)state;
    struct step far;
    step_world(&far, "", 0);
    assert_rc(step_open(&far, &part_pack_answer), RC_OK);
    struct visit *packed = page(&far, "http://a.test/1", 200, "a payload that is long enough");
    step_give(&far, 0, &packed->head);
    open_step("", &part_write_warc);
    for (int i = 0; i < 3; i++) {
        static const char *const urls[] = {"http://a.test/1", "http://b.test/1", "http://c.test/1"};
        struct visit *v = page(&s, urls[i], 200, "");
        v->packed = packed->packed;
        v->packed.has_body = i < 2;
        step_give(&s, 0, &v->head);
        assert_int_equal(v->stored.is_kept, i < 2); /* without a body there is nothing to archive */
        if (i == 0)
            assert_int_equal(v->stored.location.entity_bytes, 29);
        if (i == 0) {
            capture_remember(ledger_digests(s.ledger->ledger), &v->stored.capture,
                             &v->stored.location);
        }
        if (i == 1)
            assert_true(v->stored.location.is_revisit);
    }
    step_close(&s);
    step_close(&far);
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
    assert_int_equal(given->packed.is_set, given->packed.has_body);
}

static void whatever_allocation_fails_the_answer_goes_on(void **state)
{
    (void)state;
    step_each_allocation_fails(&(struct step_sweep){
        .part = &part_pack_answer, .settings = "", .prepare = prepare, .run = run});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_is_packed),
        cmocka_unit_test(what_is_not_archived_is_not_packed),
        cmocka_unit_test(write_warc_takes_what_was_packed),
        cmocka_unit_test(whatever_allocation_fails_the_answer_goes_on),
    };
    return cmocka_run_group_tests_name("pack-answer", tests, NULL, NULL);
}
