/* SPDX-License-Identifier: Apache-2.0 */
/* Which address of a host is asked, and that a try ends however many addresses there are. */
#include "host/host_addresses.h"
#include "host/host_end.h"
#include "lib/test.h"

#include "base/mem.h"

enum { NOW_MS = 1000000, PORT = 80 };

static struct address at(unsigned n)
{
    return (struct address){.bytes = {93, 184, (uint8_t)(n >> 8), (uint8_t)n}};
}

static void fill(struct address *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        list[i] = at(i);
}

static void what_refused_is_passed_over_for_a_while(void **state)
{
    (void)state;
    struct host_record *c = host_record_open();
    struct address list[3];
    fill(list, 3);
    assert_int_equal(host_addresses_choose(c, PORT, list, 3, NOW_MS), 3);
    assert_true(address_eq(&list[0], &(struct address){.bytes = {93, 184, 0, 0}}));
    host_addresses_refused(c, PORT, &list[0], NOW_MS);
    assert_int_equal(host_addresses_choose(c, PORT, list, 3, NOW_MS + 1), 2);
    struct address second = at(1), third = at(2), first = at(0);
    assert_true(address_eq(&list[0], &second) && address_eq(&list[1], &third));
    fill(list, 3); /* another port may be open */
    assert_int_equal(host_addresses_choose(c, 8080, list, 3, NOW_MS + 1), 3);
    assert_true(address_eq(&list[0], &first));
    assert_true(host_record_bytes(c) > sizeof *c);
    assert_int_equal(host_addresses_choose(c, PORT, list, 3, NOW_MS + HOST_REFUSED_MS), 3);
    assert_true(address_eq(&list[0], &first));
    assert_int_equal(c->refused_count, 0);
    host_record_close(c);
}

static void when_all_have_refused_the_next_try_begins_anew(void **state)
{
    (void)state;
    struct host_record *c = host_record_open();
    for (int try = 0; try < 3; try++) {
        for (unsigned turn = 0; turn < 3; turn++) {
            struct address list[3], asked = at(turn);
            fill(list, 3);
            assert_int_equal(host_addresses_choose(c, PORT, list, 3, NOW_MS), 3 - turn);
            assert_true(address_eq(&list[0], &asked));
            if (turn < 2) /* of the last one it is the try that failed */
                host_addresses_refused(c, PORT, &list[0], NOW_MS);
        }
        host_addresses_settled(c);
        struct address last = at(2), list[3];
        host_addresses_refused(c, PORT, &last, NOW_MS); /* by another URL's turn */
        host_addresses_settled(c);
        fill(list, 3);
        assert_int_equal(host_addresses_choose(c, PORT, list, 3, NOW_MS), 3);
        assert_int_equal(c->refused_count, 0);
    }
    host_record_close(c);
}

/* Name servers may give other addresses each time, and memory may be short: neither makes a try
 * endless. */
static void a_try_is_as_many_turns_as_a_record_has_addresses(void **state)
{
    (void)state;
    for (int has_memory = 0; has_memory < 2; has_memory++) {
        struct host_record *c = host_record_open();
        unsigned turns = 0, next = 0;
        for (;; turns++) {
            struct address list[4];
            for (unsigned i = 0; i < 4; i++)
                list[i] = at(next++);
            if (host_addresses_choose(c, PORT, list, 4, NOW_MS) < 2)
                break;
            if (!has_memory)
                mem_fault_at(1);
            host_addresses_refused(c, PORT, &list[0], NOW_MS);
            mem_fault_at(0);
            assert_true(turns < 100);
        }
        assert_int_equal(turns + 1, HOST_RECORD_MAX_ADDRESSES);
        host_addresses_settled(c);
        struct address list[2] = {at(9000), at(9001)};
        assert_int_equal(host_addresses_choose(c, PORT, list, 2, NOW_MS), 2);
        host_record_close(c);
    }
}

static void the_oldest_refusals_are_forgotten(void **state)
{
    (void)state;
    struct host_record *c = host_record_open();
    for (unsigned i = 0; i <= HOST_RECORD_MAX_REFUSED; i++) {
        struct address a = at(i);
        host_addresses_refused(c, PORT, &a, NOW_MS + i);
        host_addresses_refused(c, PORT, &a, NOW_MS + i); /* it is there once */
        host_addresses_settled(c);
    }
    assert_int_equal(c->refused_count, HOST_RECORD_MAX_REFUSED);
    struct address list[2] = {at(1), at(0)}, oldest = at(0);
    assert_int_equal(host_addresses_choose(c, PORT, list, 2, NOW_MS), 1);
    assert_true(address_eq(&list[0], &oldest));
    host_record_close(c);
}

/* Name servers that rotate their answers cost no connection that is open. */
static void the_address_that_was_first_stays_first(void **state)
{
    (void)state;
    struct host_record *c = host_record_open();
    struct address list[6], first = at(5);
    fill(list, 6);
    host_addresses_learn(c, list + 5, 1, NOW_MS);
    host_addresses_learn(c, list, 6, NOW_MS + 9);
    assert_int_equal(c->address_count, HOST_RECORD_MAX_ADDRESSES);
    assert_true(address_eq(&c->addresses[0], &first) && address_eq(&list[0], &first));
    struct address second = at(0), others[2] = {at(7), at(8)};
    assert_true(address_eq(&c->addresses[1], &second));
    host_addresses_learn(c, others, 2, NOW_MS);
    assert_true(address_eq(&c->addresses[0], &others[0]));
    host_record_close(c);
}

/* A request that ended, well or not, begins the count of turns anew. */
static void an_end_begins_the_count_of_turns_anew(void **state)
{
    (void)state;
    struct host_record *c = host_record_open();
    struct host_request r = {.record = c, .path = STR("/")};
    struct host_outcome o = {.verdict.next = PACE_AGAIN};
    c->refused_turns = 3;
    struct host_ending e = host_end(&r, &o);
    host_end_keep(&r, &o, &e, NOW_MS);
    assert_int_equal(c->refused_turns, 0);
    host_record_close(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_refused_is_passed_over_for_a_while),
        cmocka_unit_test(when_all_have_refused_the_next_try_begins_anew),
        cmocka_unit_test(a_try_is_as_many_turns_as_a_record_has_addresses),
        cmocka_unit_test(the_oldest_refusals_are_forgotten),
        cmocka_unit_test(an_end_begins_the_count_of_turns_anew),
        cmocka_unit_test(the_address_that_was_first_stays_first),
    };
    return cmocka_run_group_tests_name("host/host_addresses", tests, NULL, NULL);
}
