/* SPDX-License-Identifier: Apache-2.0 */
#include "host/address_peers.h"

#include "lib/test.h"

enum { HERE = 7, THERE = 8, DELAY = 100, NOW = 1000, LASTS = 500 };

/* When the second request may begin, the first having begun at `now_ms`. */
static uint64_t second(struct permit_table *t, uint64_t group, uint64_t now_ms)
{
    assert_int_equal(permit_table_ask(t, group, now_ms), 0);
    permit_table_done(t, group, now_ms);
    return permit_table_ask(t, group, now_ms) - now_ms;
}

static void each_agent_that_names_an_address_counts_once(void **state)
{
    (void)state;
    struct permit_table *t;
    struct address_peers *p;
    assert_rc(permit_table_open(4, DELAY, &t), RC_OK);
    assert_rc(address_peers_open(&p), RC_OK);
    (void)permit_table_ask(t, HERE, 0);
    (void)permit_table_ask(t, THERE, 0);
    address_peers_heard(p, 1, (const uint64_t[]){HERE, THERE}, 2, NOW + LASTS);
    address_peers_heard(p, 2, (const uint64_t[]){HERE}, 1, NOW + LASTS);
    address_peers_heard(p, 2, (const uint64_t[]){HERE}, 1, NOW + LASTS); /* its last word */
    address_peers_tell(p, t, NOW, NOW + LASTS);
    assert_int_equal(second(t, HERE, NOW), 3 * DELAY);
    assert_int_equal(second(t, THERE, NOW), 2 * DELAY);
    address_peers_close(p);
    permit_table_close(t);
}

static void who_is_silent_asks_nothing(void **state)
{
    (void)state;
    struct permit_table *t;
    struct address_peers *p;
    assert_rc(permit_table_open(4, DELAY, &t), RC_OK);
    assert_rc(address_peers_open(&p), RC_OK);
    (void)permit_table_ask(t, HERE, 0);
    address_peers_heard(p, 1, (const uint64_t[]){HERE}, 1, NOW);
    address_peers_heard(p, 2, (const uint64_t[]){HERE}, 1, NOW + LASTS);
    address_peers_tell(p, t, NOW, NOW + LASTS);
    assert_int_equal(second(t, HERE, NOW), 2 * DELAY);
    address_peers_heard(p, 2, NULL, 0, NOW + 9 * LASTS);
    address_peers_tell(p, t, NOW + LASTS, NOW + 9 * LASTS);
    assert_int_equal(second(t, HERE, NOW + LASTS), DELAY);
    address_peers_close(p);
    permit_table_close(t);
}

static void there_may_be_many_of_them(void **state)
{
    (void)state;
    struct permit_table *t;
    struct address_peers *p;
    assert_rc(permit_table_open(4, 1, &t), RC_OK);
    assert_rc(address_peers_open(&p), RC_OK);
    (void)permit_table_ask(t, HERE, 0);
    for (uint64_t who = 0; who < ADDRESS_PEERS_AGENTS + 10; who++)
        address_peers_heard(p, who, (const uint64_t[]){HERE}, 1, NOW + LASTS);
    address_peers_tell(p, t, NOW, NOW + LASTS);
    assert_int_equal(second(t, HERE, NOW), ADDRESS_PEERS_AGENTS + 1);
    address_peers_close(p);
    permit_table_close(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_agent_that_names_an_address_counts_once),
        cmocka_unit_test(who_is_silent_asks_nothing),
        cmocka_unit_test(there_may_be_many_of_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
