/* SPDX-License-Identifier: Apache-2.0 */
/* Which member gets a visit: with a real roll, and lanes that the test makes. */
#include "roles/members.h"

#include "base/log.h"
#include "flow/part.h"
#include "flow/pool_port.h"
#include "lib/test.h"

#include <stdio.h>

extern const struct part part_members_least, part_members_modulo, part_members_address;

/* The pool, as the framework would give it ------------------------------------------------------------ */

enum { MOST = 5 };

static struct {
    bool is_there;
    struct pool_roll *roll;
    struct pool_member *members[MOST];
    char full[MOST]; /* member i has no room */
    bool has_room;
    struct str asked; /* for which member, the last time */
    bool was_suspect;
} pool;

struct pool_port *part_pool(struct instance *self)
{
    (void)self;
    return pool.is_there ? (struct pool_port *)(void *)&pool : NULL;
}

struct pool_roll *pool_port_roll(struct pool_port *p)
{
    (void)p;
    return pool.roll;
}

bool pool_port_has_room(struct pool_port *p)
{
    (void)p;
    return pool.has_room;
}

/* Of member c2 the route is 102. */
uint64_t pool_port_route(struct pool_port *p, struct str member, bool is_suspect)
{
    (void)p;
    pool.asked = member;
    pool.was_suspect = is_suspect;
    if (!member.p)
        return 100;
    unsigned i = (unsigned)(member.p[1] - '0');
    return pool.full[i] ? 0 : 100 + i;
}

uint64_t pool_port_quiet_ms(const struct pool_port *p)
{
    (void)p;
    return 15000;
}

void pool_port_wait(struct pool_port *p, struct pool_waiter w)
{
    (void)p;
    (void)w;
}

static void enter(unsigned i)
{
    static const char *const names[] = {"c0", "c1", "c2", "c3", "c4"};
    struct pool_process who = {.name = str_c(names[i]), .boot = i + 1};
    assert_rc(pool_roll_enter(pool.roll, &who, 0, &pool.members[i]), RC_OK);
}

static struct instance self;
static struct members_service *service;

static void open_members(const struct part *part, unsigned count)
{
    struct buf why = {.max = 100};
    memset(&pool, 0, sizeof pool);
    pool.is_there = true;
    pool.roll = pool_roll_open();
    assert_non_null(pool.roll);
    for (unsigned i = 0; i < count; i++)
        enter(i);
    self = (struct instance){.shard_count = 1};
    assert_rc(part->open(&self, &why), RC_OK);
    service = part->provide(&self);
    buf_done(&why);
}

static void close_members(const struct part *part)
{
    part->close(&self);
    pool_roll_close(pool.roll);
}

static uint64_t choose(const char *url, const char *address)
{
    struct address a;
    assert_rc(address_read(str_c(address), &a), RC_OK);
    return service->ops->choose(
        service, &(struct members_key){.fingerprint = 7, .url = str_c(url), .address = &a});
}

/* Tests ------------------------------------------------------------------------------------------------- */

static void modulo_takes_the_sum_of_the_urls_bytes(void **state)
{
    (void)state;
    open_members(&part_members_modulo, 5); /* M2: "http://a.b/" sums to 888 */
    assert_int_equal(choose("http://a.b/", "192.0.2.1"), 103);
    close_members(&part_members_modulo);
    open_members(&part_members_modulo, 2);
    assert_int_equal(choose("http://a.b/", "192.0.2.1"), 100);
    close_members(&part_members_modulo);
}

static void members_that_come_and_go_change_the_numbers(void **state)
{
    (void)state;
    open_members(&part_members_modulo, 5);
    assert_int_equal(choose("http://a.b/", "192.0.2.1"), 103);
    for (unsigned i = 0; i < 3; i++)
        pool_roll_leave(pool.roll, pool.members[i]);
    assert_int_equal(choose("http://a.b/", "192.0.2.1"),
                     103); /* 888 % 2 = 0: the first of c3, c4 */
    assert_str(pool.asked, STR("c3"));
    enter(0); /* c3, c4, c0 */
    assert_int_equal(choose("http://a.b/", "192.0.2.1"), 103);
    assert_int_equal(choose("http://a.b/x", "192.0.2.1"), 103); /* 888 + 'x' = 1008, by 3: 0 */
    assert_int_equal(choose("http://a.b/y", "192.0.2.1"), 104);
    assert_int_equal(choose("http://a.b/z", "192.0.2.1"), 100);
    close_members(&part_members_modulo);
}

static void near_addresses_go_to_one_member(void **state)
{
    (void)state;
    open_members(&part_members_address, 5);
    uint64_t first = choose("http://a.b/", "192.0.2.1");
    bool differs = false;
    for (unsigned i = 0; i < 50; i++) {
        char address[20];
        (void)snprintf(address, sizeof address, "192.0.2.%u", i);
        assert_int_equal(choose("http://other.test/page", address), first);
        (void)snprintf(address, sizeof address, "198.51.%u.1", i);
        differs |= choose("http://other.test/page", address) != first;
    }
    assert_true(differs);
    close_members(&part_members_address);
}

static void a_member_without_room_keeps_its_visits_waiting(void **state)
{
    (void)state;
    open_members(&part_members_modulo, 5);
    pool.full[3] = 1;
    assert_int_equal(choose("http://a.b/", "192.0.2.1"), 0);
    pool.full[3] = 0;
    assert_int_equal(choose("http://a.b/", "192.0.2.1"), 103);
    close_members(&part_members_modulo);
}

static void without_members_nothing_is_chosen(void **state)
{
    (void)state;
    open_members(&part_members_modulo, 0);
    assert_int_equal(choose("http://a.b/", "192.0.2.1"), 0);
    assert_false(service->ops->has_any(service));
    enter(2);
    assert_true(service->ops->has_any(service));
    assert_int_equal(choose("http://a.b/", "192.0.2.1"), 102);
    close_members(&part_members_modulo);
}

static void least_asks_for_any_member(void **state)
{
    (void)state;
    open_members(&part_members_least, 3);
    assert_int_equal(choose("http://a.b/", "192.0.2.1"), 100);
    assert_null(pool.asked.p);
    close_members(&part_members_least);
}

static void what_was_lost_is_a_suspect_until_it_has_a_result(void **state)
{
    (void)state;
    open_members(&part_members_least, 3);
    (void)choose("http://a.b/", "192.0.2.1");
    assert_false(pool.was_suspect);
    assert_int_equal(service->ops->orphaned(service, 7), 1);
    assert_int_equal(service->ops->orphaned(service, 8), 1);
    assert_int_equal(service->ops->orphaned(service, 7), 2);
    (void)choose("http://a.b/", "192.0.2.1");
    assert_true(pool.was_suspect);
    service->ops->settled(service, 7);
    (void)choose("http://a.b/", "192.0.2.1");
    assert_false(pool.was_suspect);
    assert_int_equal(service->ops->orphaned(service, 7), 1);
    assert_int_equal(service->ops->orphaned(service, 8), 2);
    close_members(&part_members_least);
}

static void suspects_are_bounded(void **state)
{
    (void)state;
    open_members(&part_members_least, 1);
    for (uint64_t i = 1; i <= 70000; i++)
        assert_int_equal(service->ops->orphaned(service, i), 1);
    assert_int_equal(service->ops->orphaned(service, 1), 2);
    assert_int_equal(service->ops->orphaned(service, 70000), 1); /* it found no place */
    close_members(&part_members_least);
}

static void in_one_process_every_visit_goes_on(void **state)
{
    (void)state;
    open_members(&part_members_modulo, 0);
    pool.is_there = false;
    assert_int_not_equal(choose("http://a.b/", "192.0.2.1"), 0);
    assert_true(service->ops->has_room(service));
    assert_true(service->ops->has_any(service));
    assert_int_equal(service->ops->quiet_ms(service), 0);
    close_members(&part_members_modulo);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modulo_takes_the_sum_of_the_urls_bytes),
        cmocka_unit_test(members_that_come_and_go_change_the_numbers),
        cmocka_unit_test(near_addresses_go_to_one_member),
        cmocka_unit_test(a_member_without_room_keeps_its_visits_waiting),
        cmocka_unit_test(without_members_nothing_is_chosen),
        cmocka_unit_test(least_asks_for_any_member),
        cmocka_unit_test(what_was_lost_is_a_suspect_until_it_has_a_result),
        cmocka_unit_test(suspects_are_bounded),
        cmocka_unit_test(in_one_process_every_visit_goes_on),
    };
    return cmocka_run_group_tests_name("members", tests, NULL, NULL);
}
