/* SPDX-License-Identifier: Apache-2.0 */
/* Every ticket ends exactly once, whatever ends it. */
#include "bus/open_calls.h"

#include "base/rng.h"
#include "lib/test.h"

static void a_key_ends_its_call_once(void **state)
{
    struct open_calls *c = open_calls_open(4);
    struct open_call in = {.ticket = 7, .link = 1, .kind = OPEN_GET}, out;
    uint64_t key, again;
    (void)state;
    assert_non_null(c);
    assert_rc(open_calls_begin(c, &in, 100, &key), RC_OK);
    assert_true(open_calls_end(c, key, &out));
    assert_int_equal(out.ticket, 7);
    assert_int_equal(out.kind, OPEN_GET);
    assert_false(open_calls_end(c, key, &out));
    assert_rc(open_calls_begin(c, &in, 100, &again), RC_OK);
    assert_int_not_equal(key, again); /* the same slot, another key */
    assert_false(open_calls_end(c, key, &out));
    assert_false(open_calls_end(c, UINT64_MAX, &out));
    assert_int_equal(open_calls_count(c), 1);
    open_calls_close(c);
}

static void a_full_table_takes_no_more(void **state)
{
    struct open_calls *c = open_calls_open(2);
    struct open_call in = {.ticket = 1};
    uint64_t key;
    (void)state;
    assert_rc(open_calls_begin(c, &in, 1, &key), RC_OK);
    assert_rc(open_calls_begin(c, &in, 2, &key), RC_OK);
    assert_rc(open_calls_begin(c, &in, 3, &key), RC_AGAIN);
    assert_true(open_calls_end(c, key, &in));
    assert_rc(open_calls_begin(c, &in, 3, &key), RC_OK);
    open_calls_close(c);
}

static void due_ones_come_in_order(void **state)
{
    struct open_calls *c = open_calls_open(8);
    static const uint64_t due[] = {50, 10, 30};
    struct open_call out;
    uint64_t key;
    (void)state;
    assert_int_equal(open_calls_next_ms(c), OPEN_CALLS_NEVER);
    for (uint64_t i = 0; i < 3; i++)
        assert_rc(open_calls_begin(c, &(struct open_call){.ticket = i}, due[i], &key), RC_OK);
    assert_int_equal(open_calls_next_ms(c), 10);
    assert_false(open_calls_due(c, 9, &out));
    assert_true(open_calls_due(c, 30, &out));
    assert_int_equal(out.ticket, 1);
    assert_true(open_calls_due(c, 30, &out));
    assert_int_equal(out.ticket, 2);
    assert_false(open_calls_due(c, 30, &out));
    open_calls_close(c);
}

static void a_lost_connection_takes_its_own_calls_only(void **state)
{
    struct open_calls *c = open_calls_open(8);
    struct open_call out;
    uint64_t key;
    size_t lost = 0;
    (void)state;
    for (uint64_t i = 0; i < 6; i++)
        assert_rc(
            open_calls_begin(c, &(struct open_call){.ticket = i, .link = i / 2}, 100 - i, &key),
            RC_OK);
    while (open_calls_older(c, 2, &out)) {
        assert_true(out.link < 2);
        lost++;
    }
    assert_int_equal(lost, 4);
    assert_int_equal(open_calls_count(c), 2);
    open_calls_close(c);
}

/* Begun, answered, answered twice, timed out and lost at random: each ticket ends once. */
static void each_ticket_ends_once(void **state)
{
    enum { MAX = 64, STEPS = 20000, KEYS = 256 };
    static uint8_t ended[STEPS];
    struct open_calls *c = open_calls_open(MAX);
    uint64_t keys[KEYS] = {0}, begun = 0, link = 1;
    struct open_call out;
    struct rng r;
    (void)state;
    rng_init(&r, test_seed(11));
    memset(ended, 0, sizeof ended);
    for (uint64_t now = 0; now < STEPS; now++) {
        struct open_call in = {.ticket = begun, .link = link};
        uint64_t what = rng_below(&r, 100);
        if (open_calls_begin(c, &in, now + rng_below(&r, 90), &keys[begun % KEYS]) == RC_OK)
            begun++;
        if (what < 60 && open_calls_end(c, keys[rng_below(&r, KEYS)], &out))
            ended[out.ticket]++;
        if (what > 30 && open_calls_due(c, now, &out))
            ended[out.ticket]++;
        if (what == 0)
            link++;
        if (open_calls_older(c, link, &out))
            ended[out.ticket]++;
    }
    while (open_calls_due(c, UINT64_MAX, &out))
        ended[out.ticket]++;
    for (uint64_t i = 0; i < begun; i++)
        assert_int_equal(ended[i], 1);
    assert_int_equal(open_calls_count(c), 0);
    open_calls_close(c);
}

static enum rc open_it(void *ctx)
{
    struct open_calls *c = open_calls_open(16);
    (void)ctx;
    open_calls_close(c);
    return c ? RC_OK : RC_NOMEM;
}

static void without_memory_there_is_none(void **state)
{
    (void)state;
    test_each_allocation_fails(open_it, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_key_ends_its_call_once),
        cmocka_unit_test(a_full_table_takes_no_more),
        cmocka_unit_test(due_ones_come_in_order),
        cmocka_unit_test(a_lost_connection_takes_its_own_calls_only),
        cmocka_unit_test(each_ticket_ends_once),
        cmocka_unit_test(without_memory_there_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
