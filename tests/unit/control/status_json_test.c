/* SPDX-License-Identifier: Apache-2.0 */
/* The statuses of several agents, added up by the table of counters. */
#include "control/status_json.h"

#include "control/answer_json.h"
#include "lib/test.h"

#include <string.h>

static void add_agent(json_t *rows, const char *name, json_t *status)
{
    json_t *row = json_pack("{s:s,s:o}", "agent", name, "answer", status);
    assert_non_null(row);
    (void)json_array_append_new(rows, row);
}

/* A status in which each counter is `factor` times its number in the table, plus one. */
static json_t *status_of(json_int_t factor, const char *state)
{
    json_t *s = json_pack("{s:b,s:s,s:i,s:f,s:I}", "ok", 1, "state", state, "pid", 17, "rate", 1.5,
                          "elapsed_ms", 100 * factor);
    assert_non_null(s);
    for (enum counter_id id = 0; id < COUNTERS_; id++) {
        json_t *value = crawl_counters[id].by == COUNTED_BY_REASONS
                            ? json_pack("{s:I}", "a reason", factor)
                            : json_integer(factor * (json_int_t)id + 1);
        (void)json_object_set_new(s, crawl_counters[id].name, value);
    }
    return s;
}

static void every_counter_of_the_table_is_added_up(void **state)
{
    (void)state;
    json_t *rows = json_array();
    add_agent(rows, "a", status_of(1, "running"));
    add_agent(rows, "b", status_of(3, "running"));
    json_t *sum = status_sum(rows);
    for (enum counter_id id = 0; id < COUNTERS_; id++) {
        if (crawl_counters[id].by == COUNTED_BY_REASONS)
            assert_int_equal(json_u64(status_reasons(sum, id), "a reason"), 4);
        else
            assert_int_equal(status_counter(sum, id), 4 * (uint64_t)id + 2);
    }
    assert_string_equal(json_text(sum, "state"), "running");
    assert_true(json_number_value(json_object_get(sum, "rate")) == 3.0);
    assert_int_equal(json_u64(sum, "elapsed_ms"), 300); /* the longest, not the sum */
    assert_null(json_object_get(sum, "pid"));           /* a sum of which means nothing */
    json_decref(sum);
    json_decref(rows);
}

static void an_agent_that_does_not_answer_adds_nothing(void **state)
{
    (void)state;
    json_t *rows = json_array();
    (void)json_array_append_new(rows, json_pack("{s:s,s:s}", "agent", "a", "error", "no answer"));
    add_agent(rows, "b", json_pack("{s:{s:s}}", "error", "code", "busy"));
    json_t *sum = status_sum(rows);
    assert_int_equal(json_object_size(sum), 1); /* "ok" */
    add_agent(rows, "c", status_of(2, "paused"));
    json_decref(sum);
    sum = status_sum(rows);
    assert_int_equal(status_counter(sum, COUNTER_PAGES), 3);
    assert_string_equal(json_text(sum, "state"), "paused");
    json_decref(sum);
    json_decref(rows);
}

static void states_that_differ_are_said_to(void **state)
{
    (void)state;
    json_t *rows = json_array();
    add_agent(rows, "a", status_of(1, "running"));
    add_agent(rows, "b", status_of(1, "paused"));
    add_agent(rows, "c", status_of(1, "running"));
    json_t *sum = status_sum(rows);
    assert_string_equal(json_text(sum, "state"), "not all alike");
    json_decref(sum);
    json_decref(rows);
}

static void numbers_of_the_sink_are_added_and_its_texts_are_not(void **state)
{
    (void)state;
    json_t *rows = json_array();
    for (int i = 0; i < 2; i++) {
        json_t *s = status_of(1, "running");
        (void)json_object_set_new(
            s, "sink",
            json_pack("{s:i,s:i,s:s}", "sent_files", 2 + i, "unsent_files", 1, "trouble", "x"));
        add_agent(rows, "a", s);
    }
    json_t *sum = status_sum(rows), *sink = json_object_get(sum, "sink");
    assert_int_equal(json_u64(sink, "sent_files"), 5);
    assert_int_equal(json_u64(sink, "unsent_files"), 2);
    assert_null(json_object_get(sink, "trouble"));
    json_decref(sum);
    json_decref(rows);
}

static void a_sum_past_the_largest_number_stays_there(void **state)
{
    (void)state;
    json_t *rows = json_array();
    for (int i = 0; i < 3; i++)
        add_agent(rows, "a", json_pack("{s:s,s:I}", "state", "running", "bytes", INT64_MAX - 1));
    add_agent(rows, "b", json_pack("{s:s,s:i}", "state", "running", "bytes", -5));
    json_t *sum = status_sum(rows);
    assert_int_equal(status_counter(sum, COUNTER_BYTES), (uint64_t)INT64_MAX);
    json_decref(sum);
    json_decref(rows);
}

static void members_of_another_type_are_absent(void **state)
{
    (void)state;
    json_t *j = json_pack("{s:s,s:i,s:f,s:n}", "text", "x", "number", 7, "real", 2.5, "null");
    assert_int_equal(json_u64(j, "number"), 7);
    assert_int_equal(json_u64(j, "text"), 0);
    assert_int_equal(json_u64(j, "real"), 0);
    assert_int_equal(json_u64(j, "absent"), 0);
    assert_int_equal(json_u64(NULL, "absent"), 0);
    assert_string_equal(json_text(j, "text"), "x");
    assert_string_equal(json_text(j, "number"), "");
    assert_string_equal(json_text(NULL, "absent"), "");
    json_decref(j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_counter_of_the_table_is_added_up),
        cmocka_unit_test(an_agent_that_does_not_answer_adds_nothing),
        cmocka_unit_test(states_that_differ_are_said_to),
        cmocka_unit_test(numbers_of_the_sink_are_added_and_its_texts_are_not),
        cmocka_unit_test(a_sum_past_the_largest_number_stays_there),
        cmocka_unit_test(members_of_another_type_are_absent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
