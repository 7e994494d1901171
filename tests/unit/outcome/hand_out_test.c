/* SPDX-License-Identifier: Apache-2.0 */
#include "outcome/hand_out.h"

#include "base/mem.h"
#include "lib/step.h"

extern const struct part part_disposition; /* a part with these outlets */
enum { LINKS, AGAIN };

static struct step s;

/* A visit that a source has emitted, so that others may descend from it. */
static struct visit *open_world(unsigned with)
{
    step_world(&s, "", with);
    assert_rc(step_open(&s, &part_disposition), RC_OK);
    struct visit *v = visit_open(VISIT_PAGE, NULL);
    assert_non_null(v);
    credit_account_charge(&s.account, &v->head, STEP_CREDITS);
    return v;
}

static void close_world(struct visit *v)
{
    message_end(&v->head);
    step_close(&s);
}

static struct fresh_links two_links(struct candidate list[2], struct arena *arena)
{
    static const char *const urls[] = {"http://c.test/", "http://d.test/", "http://e.test/",
                                       "http://f.test/", "http://g.test/"};
    unsigned next = 0;
    list[0] = step_candidate("http://b.test/", "L");
    do
        list[1] = step_candidate(urls[next++], "L");
    while (frontier_bucket(list[1].host_hash) % 2 == frontier_bucket(list[0].host_hash) % 2);
    return (struct fresh_links){
        .new = {.list = list, .count = 2}, .arena = arena, .from = STR("a.test"), .batch = 7};
}

static void every_shard_with_links_gets_a_message(void **state)
{
    (void)state;
    struct candidate list[2];
    struct visit *v = open_world(STEP_TWO_SHARDS);
    struct fresh_links fresh = two_links(list, v->arena);
    hand_out_links(&s.part.self, LINKS, &v->head, &fresh);
    assert_int_equal(s.out_count[LINKS], 2);
    for (unsigned i = 0; i < 2; i++) {
        struct links *l = step_links_at(&s, LINKS, i);
        assert_int_equal(l->head.route, i);
        assert_int_equal(l->count, 1);
        assert_int_equal(l->batch, 7);
        assert_non_null(l->head.origin); /* it descends from the visit */
    }
    close_world(v);
}

static void without_links_only_this_shard_hears(void **state)
{
    (void)state;
    struct visit *v = open_world(STEP_TWO_SHARDS);
    hand_out_links(&s.part.self, LINKS, &v->head, &(struct fresh_links){.from = STR("a.test")});
    assert_int_equal(s.out_count[LINKS], 1);
    assert_int_equal(step_links_at(&s, LINKS, 0)->head.route, 0);
    close_world(v);
}

static void a_page_to_judge_again_is_work_of_the_cluster(void **state)
{
    (void)state;
    struct visit *v = open_world(0);
    struct candidate page = step_candidate("http://a.test/1", "L");
    hand_out_page(&s.part.self, AGAIN, &v->head, &page, &s.cluster.service);
    struct links *l = step_links_at(&s, AGAIN, 0);
    assert_int_equal(l->count, 1);
    assert_int_equal(l->list[0].fingerprint, page.fingerprint);
    assert_str(l->list[0].seed_path, STR("L"));
    assert_str(l->from, STR(""));
    assert_int_equal(s.cluster.begun, 1);
    close_world(v);
}

static void without_memory_the_step_fails(void **state)
{
    (void)state;
    struct candidate list[2];
    struct visit *v = open_world(0);
    struct fresh_links fresh = two_links(list, v->arena);
    mem_fault_at(1);
    hand_out_links(&s.part.self, LINKS, &v->head, &fresh);
    assert_true(mem_fault_hit());
    assert_int_equal(s.failed, RC_NOMEM);
    assert_int_equal(s.out_count[LINKS], 0);
    close_world(v);
}

static void a_page_without_memory_is_no_work_and_the_step_fails(void **state)
{
    (void)state;
    struct visit *v = open_world(0);
    struct candidate page = step_candidate("http://a.test/1", "L");
    mem_fault_at(1);
    hand_out_page(&s.part.self, AGAIN, &v->head, &page, &s.cluster.service);
    assert_true(mem_fault_hit());
    assert_int_equal(s.failed, RC_NOMEM);
    assert_int_equal(s.cluster.begun, 0);
    assert_int_equal(s.out_count[AGAIN], 0);
    close_world(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shard_with_links_gets_a_message),
        cmocka_unit_test(without_links_only_this_shard_hears),
        cmocka_unit_test(a_page_to_judge_again_is_work_of_the_cluster),
        cmocka_unit_test(without_memory_the_step_fails),
        cmocka_unit_test(a_page_without_memory_is_no_work_and_the_step_fails),
    };
    return cmocka_run_group_tests_name("hand_out", tests, NULL, NULL);
}
