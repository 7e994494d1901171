/* SPDX-License-Identifier: Apache-2.0 */
/* Running wirings: pipelines, pressure, cycles, life cycle. */
#include "flow/flow.h"

#include "lib/test.h"
#include "unit/flow/parts.h"

#include <stdio.h>
#include <unistd.h>

static void must_run(const char *yaml, bool one_thread)
{
    struct buf why = {.max = 4096};
    witness_reset();
    enum rc rc = run_wiring(yaml, one_thread, &why);
    if (rc)
        print_error("%.*s\n", STR_ARG(buf_str(&why)));
    buf_done(&why);
    assert_int_equal(rc, RC_OK);
    assert_int_equal(witness.alive, 0);
    assert_int_equal(witness.wrong_thread, 0);
}

static struct flow *must_start(struct wiring *w)
{
    struct buf why = {.max = 4096};
    struct flow *f = NULL;
    witness_reset();
    assert_rc(flow_open(w, (struct flow_setup){0}, &f, &why), RC_OK);
    assert_rc(flow_start(f), RC_OK);
    buf_done(&why);
    return f;
}

static void wait_for(const _Atomic uint64_t *counter, uint64_t least)
{
    for (int i = 0; i < 60000 && atomic_load(counter) < least; i++)
        usleep(1000);
    assert_true(atomic_load(counter) >= least);
}

static void must_end(struct flow *f)
{
    struct buf why = {.max = 4096};
    enum rc rc = flow_wait(f, &why);
    if (rc)
        print_error("%.*s\n", STR_ARG(buf_str(&why)));
    assert_int_equal(rc, RC_OK);
    flow_close(f);
    buf_done(&why);
    assert_int_equal(witness.alive, 0);
    assert_int_equal(witness.wrong_thread, 0);
}

static const char three_parts[] = "components:\n"
                                  "  numbers: {count: 20000}\n"
                                  "  pass: {add: 1}\n"
                                  "  collect:\n"
                                  "connections:\n"
                                  "  - numbers -> pass -> collect\n";

static void a_pipeline_of_three_parts_on_one_thread(void **state)
{
    (void)state;
    for (int one_thread = 0; one_thread < 2; one_thread++) {
        must_run(three_parts, one_thread);
        assert_int_equal(witness.arrived, 20000);
        assert_int_equal(witness.sum, (uint64_t)20000 * 20001 / 2);
        assert_int_equal(witness.out_of_order, 0);
        assert_int_equal(witness.made, 20000);
    }
}

static const char four_threads[] = "shards: 4\n"
                                   "components:\n"
                                   "  numbers: {count: 20000}\n"
                                   "  pass: {add: 1}\n"
                                   "  collect:\n"
                                   "connections:\n"
                                   "  - numbers -> pass: {queue: 64, route: hash}\n"
                                   "  - pass -> collect: {queue: 16, route: hash}\n";

static void a_pipeline_of_three_parts_on_four_threads_under_load(void **state)
{
    (void)state;
    for (int one_thread = 0; one_thread < 2; one_thread++) {
        must_run(four_threads, one_thread);
        assert_int_equal(witness.arrived, 4 * 20000);
        assert_int_equal(witness.sum, 4 * (uint64_t)20000 * 20001 / 2);
        assert_in_range(witness.foreign, 1, 4 * 20000);
    }
}

static void one_million_messages_in_order(void **state)
{
    (void)state;
    must_run("shards: 2\n"
             "components:\n"
             "  onenumbers: {count: 1M}\n"
             "  pass: {shard: 1}\n"
             "  collect: {shard: 0}\n"
             "connections:\n"
             "  - onenumbers -> pass -> collect: {queue: 256}\n",
             false);
    assert_int_equal(witness.arrived, 1000000);
    assert_int_equal(witness.out_of_order, 0);
}

static void a_slow_consumer_bounds_the_memory(void **state)
{
    (void)state;
    must_run("shards: 2\n"
             "components:\n"
             "  onenumbers: {count: 20000, credits: 1M}\n"
             "  pass: {shard: 1}\n"
             "  collect: {shard: 0, spin: 2}\n"
             "connections:\n"
             "  - onenumbers -> pass -> collect: {queue: 8}\n",
             false);
    assert_int_equal(witness.arrived, 20000);
    assert_int_equal(witness.out_of_order, 0);
    /* Two queues of 8, one message over in front of each, one in each pair of hands. */
    assert_in_range(witness.most_alive, 1, 8 + 8 + 4);
}

static void credits_bound_an_asynchronous_part(void **state)
{
    (void)state;
    must_run("components:\n"
             "  numbers: {count: 100, credits: 7}\n"
             "  delay: {wait: 0s}\n"
             "  collect:\n"
             "connections:\n"
             "  - numbers -> delay -> collect\n",
             false);
    assert_int_equal(witness.arrived, 100);
    assert_int_equal(witness.most_alive, 7);
}

static void work_on_a_helper_thread_comes_back_by_posts(void **state)
{
    (void)state;
    static const char yaml[] = "shards: 2\n"
                               "components:\n"
                               "  numbers: {count: %s, credits: 16}\n"
                               "  abroad:\n"
                               "  collect:\n"
                               "connections:\n"
                               "  - numbers -> abroad -> collect\n";
    char text[sizeof yaml + 20];
    snprintf(text, sizeof text, yaml, "5000");
    must_run(text, false);
    assert_int_equal(witness.arrived, 10000);
    assert_in_range(witness.most_alive, 1, 32);
    must_run(text, true);
    assert_int_equal(witness.arrived, 10000);

    snprintf(text, sizeof text, yaml, "1G"); /* and stopped in the middle */
    struct wiring *w = must_read(text);
    struct flow *f = must_start(w);
    wait_for(&witness.arrived, 1000);
    flow_stop(f);
    must_end(f);
    wiring_close(w);
}

static void a_simulated_clock_jumps_from_timer_to_timer(void **state)
{
    (void)state;
    must_run("shards: 2\n"
             "providers: {clock: {part: simulated, now: 10s}}\n"
             "components:\n"
             "  numbers: {count: 24, credits: 100}\n"
             "  delay: {wait: 1h}\n"
             "  collect:\n"
             "connections:\n"
             "  - numbers -> delay -> collect\n",
             false);
    assert_int_equal(witness.arrived, 48);
    assert_int_equal(witness.last_ms, 10000 + 24 * 3600000);
}

/* Two shards, queues of one, every message foreign, ten rounds each: all queues of the cycle are
 * full most of the time. */
static const char full_cycle[] = "shards: 2\n"
                                 "components:\n"
                                 "  numbers: {count: 3000, hops: 10, foreign: yes, credits: 50}\n"
                                 "  hop:\n"
                                 "  collect:\n"
                                 "connections:\n"
                                 "  - numbers -> hop: {queue: 1, route: hash}\n"
                                 "  - hop.again -> hop: {queue: 1, route: hash, spill: yes}\n"
                                 "  - hop.out -> collect\n";

static void a_cycle_with_queues_of_one_and_every_message_foreign_finishes(void **state)
{
    (void)state;
    for (int one_thread = 0; one_thread < 2; one_thread++) {
        must_run(full_cycle, one_thread);
        assert_int_equal(witness.arrived, 6000);
        assert_in_range(witness.most_alive, 1, 100); /* the credits of both shards */
        assert_int_equal(witness.foreign, 6000);
    }
}

static void derived_messages_take_the_credits_of_their_parent(void **state)
{
    (void)state;
    struct wiring *w = must_read("components:\n"
                                 "  costly: {count: 300, credits: 8}\n"
                                 "  split:\n"
                                 "  delay: {wait: 0s}\n"
                                 "  collect:\n"
                                 "connections:\n"
                                 "  - costly -> split -> delay -> collect\n");
    struct flow *f = NULL;
    struct buf why = {.max = 1000};
    witness_reset();
    assert_rc(flow_open(w, (struct flow_setup){.one_thread = true}, &f, &why), RC_OK);
    assert_rc(flow_start(f), RC_OK);
    assert_rc(flow_wait(f, &why), RC_OK);
    assert_int_equal(witness.arrived, 900);
    assert_in_range(witness.most_alive, 3, 6); /* two at a time, each three messages */
    struct flow_counts c = flow_component_counts(f, 0, -1);
    assert_int_equal(c.overdrawn, 0);
    assert_int_equal(c.credits_out, 0);
    c = flow_component_counts(f, 1, 0);
    assert_int_equal(c.in, 300);
    assert_int_equal(c.out, 900);
    assert_int_equal(c.held, 0);
    flow_close(f);
    wiring_close(w);
}

static void a_source_that_asks_too_little_is_overdrawn_and_still_ends(void **state)
{
    (void)state;
    must_run("components: {numbers: {count: 500, credits: 2}, split: , collect: }\n"
             "connections: [numbers -> split -> collect]\n",
             true);
    assert_int_equal(witness.arrived, 1500);
}

static void a_failing_part_stops_the_flow_and_is_named(void **state)
{
    (void)state;
    static const char *const wirings[] = {
        "components:\n"
        "  numbers: {count: 1M}\n"
        "  bad: {part: breaks, at: 500}\n"
        "  delay: {wait: 0s}\n"
        "  collect:\n"
        "connections: [numbers -> bad -> delay -> collect]\n",
        "shards: 3\n"
        "components:\n"
        "  numbers: {count: 1M}\n"
        "  bad: {part: breaks, at: 500}\n"
        "  collect:\n"
        "connections:\n"
        "  - numbers -> bad: {queue: 10, route: hash}\n"
        "  - bad -> collect: {queue: 10, route: hash, spill: yes}\n",
    };
    for (int one_thread = 0; one_thread < 2; one_thread++) {
        for (int i = 0; i < 2; i++) {
            struct buf why = {.max = 4096};
            witness_reset();
            assert_rc(run_wiring(wirings[i], one_thread, &why), RC_CORRUPT);
            assert_true(str_starts(buf_str(&why), STR("component bad")));
            assert_true(str_ends(buf_str(&why), STR(": message 500 is bad")));
            assert_int_equal(witness.alive, 0);
            buf_done(&why);
        }
    }
}

static void a_part_that_fails_to_open_undoes_the_others_in_reverse(void **state)
{
    (void)state;
    struct buf why = {.max = 4096};
    witness_reset();
    assert_rc(run_wiring("shards: 2\n"
                         "providers: {greeting: plain}\n"
                         "components:\n"
                         "  numbers:\n"
                         "  asks:\n"
                         "  bad: {part: breaks, open: yes}\n"
                         "  collect:\n"
                         "connections: [numbers -> asks -> bad -> collect]\n",
                         false, &why),
              RC_IO);
    assert_str(buf_str(&why), STR("component bad on shard 1: told to fail"));
    assert_string_equal(witness.events,
                        "open greeting.0, open numbers.0, open numbers.1, open asks.0, "
                        "open asks.1, open bad.0, close bad.0, close asks.1, close asks.0, "
                        "close numbers.1, close numbers.0, close greeting.0");
    buf_done(&why);
}

static void a_refused_option_is_named_as_the_wiring_names_it(void **state)
{
    (void)state;
    struct buf why = {.max = 4096};
    witness_reset();
    assert_rc(run_wiring("shards: 2\n"
                         "components: {numbers: , bad: {part: breaks, odd: yes}, collect: }\n"
                         "connections: [numbers -> bad -> collect]\n",
                         false, &why),
              RC_INVALID);
    assert_str(buf_str(&why), STR("bad.odd: expected no"));
    buf_done(&why);
}

static void a_part_that_fails_to_start_stops_the_flow(void **state)
{
    (void)state;
    for (int one_thread = 0; one_thread < 2; one_thread++) {
        struct buf why = {.max = 4096};
        witness_reset();
        assert_rc(run_wiring("components: {numbers: , bad: {part: breaks, start: yes}, collect: }\n"
                             "connections: [numbers -> bad -> collect]\n",
                             one_thread, &why),
                  RC_IO);
        assert_str(buf_str(&why), STR("component bad: cannot start"));
        assert_int_equal(witness.arrived, 0);
        buf_done(&why);
    }
}

static void a_part_that_keeps_a_message_for_ever_is_named(void **state)
{
    (void)state;
    struct wiring *w =
        must_read("components: {numbers: , bad: {part: breaks, keep: yes}, collect: }\n"
                  "connections: [numbers -> bad -> collect]\n");
    struct buf why = {.max = 4096};
    struct flow *f = NULL;
    witness_reset();
    assert_rc(flow_open(w, (struct flow_setup){.one_thread = true}, &f, &why), RC_OK);
    assert_rc(flow_start(f), RC_OK);
    while (witness.arrived < 9)
        assert_true(flow_turn(f));
    flow_stop(f);
    assert_rc(flow_wait(f, &why), RC_INVALID);
    assert_str(buf_str(&why), STR("component bad: it did not end 1 of its messages"));
    flow_close(f);
    wiring_close(w);
    buf_done(&why);
    assert_int_equal(witness.alive, 0);
}

static void restarting_gives_the_same_results(void **state)
{
    (void)state;
    struct wiring *w = must_read(four_threads);
    for (int round = 0; round < 3; round++) {
        struct buf why = {.max = 4096};
        struct flow *f = NULL;
        witness_reset();
        assert_rc(flow_open(w, (struct flow_setup){0}, &f, &why), RC_OK);
        assert_rc(flow_start(f), RC_OK);
        if (round == 1) /* the second time it is stopped in the middle */
            flow_stop(f);
        assert_rc(flow_wait(f, &why), RC_OK);
        flow_close(f);
        assert_int_equal(witness.alive, 0);
        if (round != 1)
            assert_int_equal(witness.sum, 4 * (uint64_t)20000 * 20001 / 2);
        buf_done(&why);
    }
    wiring_close(w);
}

static const char endless[] = "shards: 2\n"
                              "components:\n"
                              "  numbers: {count: 1G}\n"
                              "  pass:\n"
                              "  batch:\n"
                              "  collect:\n"
                              "connections:\n"
                              "  - numbers -> pass: {queue: 100, route: hash}\n"
                              "  - pass -> batch -> collect\n";

static void draining_under_load_ends_every_message_at_its_end(void **state)
{
    (void)state;
    struct wiring *w = must_read(endless);
    struct flow *f = must_start(w);
    wait_for(&witness.arrived, 10000);
    flow_drain(f);
    must_end(f);
    assert_int_equal(witness.arrived, witness.made); /* also those that batch held for company */
    wiring_close(w);
}

static void stopping_under_load_releases_every_message(void **state)
{
    (void)state;
    struct wiring *w = must_read(endless);
    struct flow *f = must_start(w);
    wait_for(&witness.arrived, 10000);
    flow_stop(f);
    must_end(f);
    assert_true(witness.arrived <= witness.made);
    wiring_close(w);
}

static void pausing_holds_the_sources_and_lets_the_rest_go_on(void **state)
{
    (void)state;
    struct wiring *w = must_read("shards: 2\n"
                                 "components: {numbers: {count: 1G}, pass: , collect: }\n"
                                 "connections:\n"
                                 "  - numbers -> pass -> collect: {queue: 100, route: hash}\n");
    struct flow *f = must_start(w);
    wait_for(&witness.arrived, 1000);
    flow_pause(f);
    for (int i = 0; i < 60000 && witness.alive; i++)
        usleep(1000);
    uint64_t made = witness.made;
    assert_int_equal(witness.alive, 0); /* what was under way has ended */
    usleep(20000);
    assert_int_equal(witness.made, made); /* and nothing came after it */
    flow_unpause(f);
    wait_for(&witness.made, made + 1000);
    flow_drain(f);
    must_end(f);
    wiring_close(w);
}

static void a_live_option_changes_on_the_thread_of_its_instance(void **state)
{
    (void)state;
    struct wiring *w = must_read(endless);
    struct flow *f = must_start(w);
    struct buf why = {.max = 4096};
    for (int i = 0; i < 200; i++) {
        char text[20];
        snprintf(text, sizeof text, "%d", i + 1);
        assert_rc(flow_change(f, STR("pass"), i % 2 ? STR("label") : STR("add"), str_c(text), &why),
                  RC_OK);
    }
    wait_for(&witness.changed, 400); /* two instances each */
    static const struct {
        const char *component, *key, *value;
        enum rc rc;
        const char *why;
    } rows[] = {
        {"relay", "plus", "3", RC_OK, ""}, /* former names */
        {"pass", "fixed", "2", RC_UNSUPPORTED, "pass.fixed cannot be changed while running"},
        {"pass", "ad", "2", RC_NOT_FOUND, "pass has no option \"ad\"; did you mean \"add\"?"},
        {"pas", "add", "2", RC_NOT_FOUND,
         "no component or provider is named \"pas\"; did you mean \"pass\"?"},
        {"pass", "add", "much", RC_INVALID, "expected a whole number such as 100, 20k or 1M"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        buf_clear(&why);
        assert_rc(flow_change(f, str_c(rows[i].component), str_c(rows[i].key), str_c(rows[i].value),
                              &why),
                  rows[i].rc);
        assert_str(buf_str(&why), str_c(rows[i].why));
    }
    flow_stop(f);
    /* Changes that no instance takes over any more are not lost memory. */
    assert_true(flow_change(f, STR("pass"), STR("add"), STR("5"), &why) == RC_OK);
    must_end(f);
    wiring_close(w);
    buf_done(&why);
}

static void a_flow_that_is_closed_while_running_stops(void **state)
{
    (void)state;
    struct wiring *w = must_read(endless);
    struct flow *f = must_start(w);
    flow_close(f);
    assert_int_equal(witness.alive, 0);
    wiring_close(w);
}

static void counts_can_be_read_while_it_runs(void **state)
{
    (void)state;
    struct wiring *w = must_read(four_threads);
    struct flow *f = must_start(w);
    struct flow_counts c;
    do {
        c = flow_component_counts(f, 2, -1);
        struct flow_waiting k = flow_connection_waiting(f, 0);
        assert_true(k.queued <= 4 * 64);
    } while (c.ended < 4 * 20000);
    struct buf text = {.max = 10000};
    flow_print_counts(f, &text);
    assert_true(str_find_str(buf_str(&text), STR("80000")) < text.n);
    buf_done(&text);
    must_end(f);
    wiring_close(w);
}

/* ---- every allocation fails ---- */

static enum rc read_and_run(void *ctx)
{
    struct problems problems;
    struct buf why = {.max = 4096};
    problems_init(&problems, "test.yaml");
    struct wiring *w = NULL;
    struct flow *f = NULL;
    enum rc rc = wiring_read(str_c(ctx), "test.yaml", &test_catalog, &w, &problems);
    if (rc == RC_OK)
        rc = flow_open(w, (struct flow_setup){.one_thread = true}, &f, &why);
    if (rc == RC_OK)
        rc = flow_change(f, STR("pass"), STR("label"), STR("other"), &why);
    if (rc == RC_OK)
        rc = flow_start(f);
    if (rc == RC_OK)
        rc = flow_wait(f, &why);
    flow_close(f);
    wiring_close(w);
    problems_done(&problems);
    buf_done(&why);
    return rc;
}

static void every_allocation_may_fail_from_reading_to_closing(void **state)
{
    (void)state;
    char yaml[] = "shards: 2\n"
                  "providers: {voice: greeting/plain, greeting: fancy}\n"
                  "components:\n"
                  "  numbers: {count: 20, credits: 3}\n"
                  "  asks:\n"
                  "  pass: {label: long}\n"
                  "  delay: {wait: 0s}\n"
                  "  collect:\n"
                  "connections:\n"
                  "  - numbers -> asks -> pass -> delay\n"
                  "  - delay -> collect: {queue: 1, route: hash}\n";
    witness_reset();
    test_each_allocation_fails(read_and_run, yaml);
    assert_int_equal(witness.alive, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pipeline_of_three_parts_on_one_thread),
        cmocka_unit_test(a_pipeline_of_three_parts_on_four_threads_under_load),
        cmocka_unit_test(one_million_messages_in_order),
        cmocka_unit_test(a_slow_consumer_bounds_the_memory),
        cmocka_unit_test(credits_bound_an_asynchronous_part),
        cmocka_unit_test(work_on_a_helper_thread_comes_back_by_posts),
        cmocka_unit_test(a_simulated_clock_jumps_from_timer_to_timer),
        cmocka_unit_test(a_cycle_with_queues_of_one_and_every_message_foreign_finishes),
        cmocka_unit_test(derived_messages_take_the_credits_of_their_parent),
        cmocka_unit_test(a_source_that_asks_too_little_is_overdrawn_and_still_ends),
        cmocka_unit_test(a_failing_part_stops_the_flow_and_is_named),
        cmocka_unit_test(a_part_that_fails_to_open_undoes_the_others_in_reverse),
        cmocka_unit_test(a_refused_option_is_named_as_the_wiring_names_it),
        cmocka_unit_test(a_part_that_fails_to_start_stops_the_flow),
        cmocka_unit_test(a_part_that_keeps_a_message_for_ever_is_named),
        cmocka_unit_test(restarting_gives_the_same_results),
        cmocka_unit_test(draining_under_load_ends_every_message_at_its_end),
        cmocka_unit_test(stopping_under_load_releases_every_message),
        cmocka_unit_test(pausing_holds_the_sources_and_lets_the_rest_go_on),
        cmocka_unit_test(a_live_option_changes_on_the_thread_of_its_instance),
        cmocka_unit_test(a_flow_that_is_closed_while_running_stops),
        cmocka_unit_test(counts_can_be_read_while_it_runs),
        cmocka_unit_test(every_allocation_may_fail_from_reading_to_closing),
    };
    return cmocka_run_group_tests_name("flow: C1 C3 C8", tests, NULL, NULL);
}
