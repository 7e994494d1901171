/* SPDX-License-Identifier: Apache-2.0 */
#include "asking/waiting.h"

#include "base/mem.h"
#include "lib/step.h"

static struct step s;
static struct waiting waiting;

static void on_due(struct instance *self, struct visit *v)
{
    part_emit(self, 0, &v->head);
}

static void handle(struct instance *self, unsigned inlet, struct message *m)
{
    (void)self;
    assert_rc(waiting_add(&waiting, visit_of(m), s.clock.now + inlet), RC_OK);
}

static void stop(struct instance *self)
{
    (void)self;
    waiting_stop(&waiting);
}

static const struct part part = {.abi = PART_ABI,
                                 .kind = PART_COMPONENT,
                                 .name = "part",
                                 .help = "lets visits wait",
                                 .handle = handle,
                                 .stop = stop};

static void open_part(void)
{
    step_world(&s, "", 0);
    assert_rc(step_open(&s, &part), RC_OK);
    waiting = (struct waiting){.self = &s.part.self, .due = on_due};
}

static void visits_leave_at_their_own_moment(void **state)
{
    (void)state;
    open_part();
    step_give(&s, 200, &step_visit(&s, "http://a.test/", "")->head);
    step_give(&s, 100, &step_visit(&s, "http://b.test/", "")->head);
    step_advance(&s, 99);
    assert_int_equal(s.out_count[0], 0);
    step_advance(&s, 1);
    assert_str(step_visit_at(&s, 0, 0)->turn.checkout.host_name, STR("b.test"));
    step_advance(&s, 99);
    assert_int_equal(s.out_count[0], 1);
    step_advance(&s, 1);
    assert_str(step_visit_at(&s, 0, 1)->turn.checkout.host_name, STR("a.test"));
    assert_null(waiting.visits.first);
    step_close(&s);
}

static void what_waits_ends_when_the_part_stops(void **state)
{
    (void)state;
    open_part();
    step_give(&s, 200, &step_visit(&s, "http://a.test/", "")->head);
    step_give(&s, 100, &step_visit(&s, "http://b.test/", "")->head);
    step_stop(&s);
    assert_int_equal(s.ended, 2);
    step_advance(&s, 500);
    assert_int_equal(s.out_count[0], 0);
    step_close(&s);
}

static void without_memory_the_visit_stays_with_the_caller(void **state)
{
    (void)state;
    for (uint64_t nth = 1; nth < 100; nth++) {
        open_part();
        struct visit *v = step_visit(&s, "http://a.test/", "");
        mem_fault_at(nth);
        enum rc rc = waiting_add(&waiting, v, s.clock.now + 10);
        bool is_hit = mem_fault_hit();
        mem_fault_at(0);
        if (rc) {
            assert_rc(rc, RC_NOMEM);
            assert_null(waiting.visits.first);
            message_end(&v->head);
        } else {
            waiting_stop(&waiting);
        }
        step_close(&s);
        if (!is_hit)
            return;
    }
    fail();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(visits_leave_at_their_own_moment),
        cmocka_unit_test(what_waits_ends_when_the_part_stops),
        cmocka_unit_test(without_memory_the_visit_stays_with_the_caller),
    };
    return cmocka_run_group_tests_name("waiting", tests, NULL, NULL);
}
