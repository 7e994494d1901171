/* SPDX-License-Identifier: Apache-2.0 */
/* What other agents have used, as an agent adds it up from heartbeats. */
#include "cluster/protocol/agent_internal.h"

#include "base/hash.h"
#include "base/mem.h"
#include "lib/test.h"

static struct port_used ours, others;
static struct heartbeat_domain heard;
static uint64_t heard_of;

static struct port_used used(struct port *p)
{
    (void)p;
    return ours;
}

static void take_others(struct port *p, const struct port_used *sum)
{
    (void)p;
    others = *sum;
}

static size_t tell_domains(struct port *p, struct heartbeat_domain *ret, size_t most)
{
    (void)p;
    assert_int_equal(most, HEARTBEAT_MAX_DOMAINS);
    ret[0] = (struct heartbeat_domain){7, 8, 9};
    return 1;
}

static void heard_domain(struct port *p, uint64_t who, const struct heartbeat_domain *d)
{
    (void)p;
    heard_of = who;
    heard = *d;
}

static uint64_t heard_address;

static size_t tell_addresses(struct port *p, uint64_t *ret, size_t most)
{
    (void)p;
    assert_int_equal(most, HEARTBEAT_MAX_ADDRESSES);
    ret[0] = 77;
    return 1;
}

static void heard_addresses(struct port *p, uint64_t who, const uint64_t *list, size_t count)
{
    (void)p;
    heard_of = who;
    heard_address = count ? list[0] : 0;
}

static struct port_ops with_budgets = {.used = used,
                                       .tell_addresses = tell_addresses,
                                       .heard_addresses = heard_addresses,
                                       .others = take_others,
                                       .tell_domains = tell_domains,
                                       .heard_domain = heard_domain};
static struct port_ops without = {0};
static struct port port = {&with_budgets};

static struct agent *start(void)
{
    struct agent *a = test_calloc(1, sizeof *a);
    a->port = &port;
    memcpy(a->name, "a", 2);
    port.ops = &with_budgets;
    ours = others = (struct port_used){0};
    return a;
}

static void end(struct agent *a)
{
    mem_free(a->tally.rows);
    test_free(a);
}

static void say(struct agent *a, const char *name, uint64_t inc, uint64_t pages, uint64_t all)
{
    char room[ROSTER_MAX_NAME_BYTES + 1] = {0};
    memcpy(room, name, strlen(name));
    struct heartbeat h = {.inc = inc, .pages = pages, .bytes = pages * 10, .all_pages = all};
    tally_heard(a, room, &h, &(struct heartbeat_lists){0});
}

static void the_last_word_of_each_counts(void **state)
{
    (void)state;
    struct agent *a = start();
    say(a, "b", 1, 5, 0);
    say(a, "c", 1, 7, 0);
    say(a, "b", 1, 6, 0);
    assert_int_equal(others.pages, 13);
    assert_int_equal(others.bytes, 130);
    say(a, "a", 1, 100, 0); /* its own heartbeat, from the bus */
    assert_int_equal(others.pages, 13);
    end(a);
}

static void who_returns_with_its_journal_is_not_counted_twice(void **state)
{
    (void)state;
    struct agent *a = start();
    say(a, "b", 1, 50, 0);
    say(a, "b", 2, 51, 0);
    assert_int_equal(others.pages, 51);
    end(a);
}

static void what_a_lost_disk_had_taken_stays_taken(void **state)
{
    (void)state;
    struct agent *a = start();
    say(a, "b", 1, 50, 0);
    say(a, "b", 2, 3, 0);
    say(a, "b", 2, 4, 0);
    assert_int_equal(others.pages, 54);
    end(a);
}

static void who_comes_late_believes_what_the_others_have_heard(void **state)
{
    (void)state;
    struct agent *a = start();
    struct heartbeat h = {0};
    struct heartbeat_lists l;
    ours.pages = 10;
    say(a, "b", 1, 20, 200); /* 170 by agents that are gone */
    assert_int_equal(others.pages, 190);
    tally_say(a, &h, &l);
    assert_int_equal(h.pages, 10);
    assert_int_equal(h.all_pages, 200);
    end(a);
}

static void domains_go_through(void **state)
{
    (void)state;
    struct agent *a = start();
    struct heartbeat h = {.inc = 1};
    struct heartbeat_lists l = {.domain_count = 1, .domains = {{1, 2, 3}}};
    char name[ROSTER_MAX_NAME_BYTES + 1] = "b";
    tally_heard(a, name, &h, &l);
    assert_true(heard.domain == 1 && heard.pages == 2 && heard.bytes == 3);
    assert_true(heard_of == hash64(STR("b")));
    tally_say(a, &h, &l);
    assert_true(l.domain_count == 1 && l.domains[0].domain == 7);
    end(a);
}

static void addresses_go_through(void **state)
{
    (void)state;
    struct agent *a = start();
    struct heartbeat h = {.inc = 1};
    struct heartbeat_lists l = {.address_count = 1, .addresses = {5}};
    char name[ROSTER_MAX_NAME_BYTES + 1] = "b";
    tally_heard(a, name, &h, &l);
    assert_true(heard_address == 5 && heard_of == hash64(STR("b")));
    tally_say(a, &h, &l);
    assert_true(l.address_count == 1 && l.addresses[0] == 77);
    end(a);
}

static void a_port_without_budgets_is_left_alone(void **state)
{
    (void)state;
    struct agent *a = start();
    struct heartbeat h = {.pages = 5};
    struct heartbeat_lists l;
    port.ops = &without;
    say(a, "b", 1, 5, 5);
    tally_say(a, &h, &l);
    assert_int_equal(h.pages, 5);
    assert_int_equal(a->tally.count, 0);
    end(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_word_of_each_counts),
        cmocka_unit_test(who_returns_with_its_journal_is_not_counted_twice),
        cmocka_unit_test(what_a_lost_disk_had_taken_stays_taken),
        cmocka_unit_test(who_comes_late_believes_what_the_others_have_heard),
        cmocka_unit_test(domains_go_through),
        cmocka_unit_test(addresses_go_through),
        cmocka_unit_test(a_port_without_budgets_is_left_alone),
    };
    return cmocka_run_group_tests_name("tally", tests, NULL, NULL);
}
