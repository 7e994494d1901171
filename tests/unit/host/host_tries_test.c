/* SPDX-License-Identifier: Apache-2.0 */
#include "host/host_tries.h"
#include "lib/test.h"

#include "base/mem.h"

#include <stdio.h>

static struct host_request request(struct host_record *c, const char *path)
{
    return (struct host_request){.record = c, .path = str_c(path), .has_several_origins = true};
}

static uint32_t tries_of(struct host_record *c, const char *path)
{
    struct host_request r = request(c, path);
    return host_tries_get(&r);
}

static void set(struct host_record *c, const char *path, uint32_t tries, bool is_head)
{
    struct host_request r = request(c, path);
    host_tries_set(&r, tries, is_head);
}

static void each_url_has_its_own_tries(void **state)
{
    (void)state;
    struct host_record *c = host_record_open();
    set(c, "/a", 0, true);
    assert_int_equal(tries_of(c, "/a"), 0);
    set(c, "/a", 1, true);
    assert_true(c->tries == 1 && c->tried_count == 0);
    set(c, "/b", 2, true); /* another class of the frontier comes first */
    set(c, "/c", 3, false);
    assert_true(tries_of(c, "/a") == 1 && tries_of(c, "/b") == 2 && tries_of(c, "/c") == 3);
    assert_int_equal(tries_of(c, "/d"), 0);
    assert_int_equal(c->tries, 2); /* of the head */
    set(c, "/a", 2, true);         /* each is counted in one place */
    assert_true(c->tries == 2 && c->tried_count == 2);
    set(c, "/a", 3, false);
    assert_true(c->tries == 0 && c->tried_count == 3 && tries_of(c, "/a") == 3);
    host_record_close(c);
}

static void an_origin_and_its_robots_txt_are_counted_apart(void **state)
{
    (void)state;
    struct host_record *c = host_record_open();
    struct host_request page = request(c, "/a"), robots = page, https = page, port = page;
    robots.is_robots = true;
    https.is_https = true;
    port.port = 8080;
    host_tries_set(&page, 1, true);
    assert_true(!host_tries_get(&robots) && !host_tries_get(&https) && !host_tries_get(&port));
    host_tries_set(&robots, 2, true);
    host_tries_set(&https, 3, true);
    host_tries_set(&port, 4, true);
    assert_true(host_tries_get(&page) == 1 && host_tries_get(&robots) == 2);
    assert_true(host_tries_get(&https) == 3 && host_tries_get(&port) == 4);
    host_tries_set(&robots, 0, true); /* it was had */
    assert_true(host_tries_get(&page) == 1 && host_tries_get(&robots) == 0);
    host_tries_set(&robots, 1, true);
    host_tries_forget(&page); /* the URL has its result */
    assert_true(!host_tries_get(&page) && !host_tries_get(&robots));
    assert_true(host_tries_get(&https) == 3 && host_tries_get(&port) == 4);
    host_tries_forget(&https);
    host_tries_forget(&port);
    host_tries_forget(&port);
    assert_true(!c->tries && !c->tries_key && !c->tried_count && !c->tried);
    host_record_close(c);
}

/* A record of an earlier version has tries, and no name for them. */
static void tries_without_a_name_are_those_of_the_next_url(void **state)
{
    (void)state;
    struct host_record *c = host_record_open();
    c->tries = 2;
    assert_int_equal(tries_of(c, "/a"), 2);
    set(c, "/a", 3, true);
    assert_true(tries_of(c, "/a") == 3 && tries_of(c, "/b") == 0);
    host_record_close(c);
    c = host_record_open();
    c->tries = 2;
    struct host_request r = request(c, "/a");
    host_tries_forget(&r);
    assert_int_equal(tries_of(c, "/b"), 0);
    host_record_close(c);
}

static void of_too_many_the_oldest_makes_way(void **state)
{
    (void)state;
    struct host_record *c = host_record_open();
    char path[16];
    for (int i = 0; i <= HOST_RECORD_MAX_TRIED; i++) {
        (void)snprintf(path, sizeof path, "/%d", i);
        set(c, path, 1 + (uint32_t)i, false);
    }
    assert_int_equal(c->tried_count, HOST_RECORD_MAX_TRIED);
    assert_true(tries_of(c, "/0") == 0 && tries_of(c, "/1") == 2 && tries_of(c, "/2") == 3);
    assert_int_equal(tries_of(c, path), HOST_RECORD_MAX_TRIED + 1);
    host_record_close(c);
}

static void a_trial_has_the_tries_of_its_url(void **state)
{
    (void)state;
    struct host_record *c = host_record_open();
    struct host_request r = request(c, "/a");
    r.port = 81;
    struct host_origin *o = host_origin_of(c, false, 81, true);
    host_tries_set(&r, 2, false);
    assert_int_equal(host_tries_of_trial(c, o), 0);
    o->trial = host_trial(r.path);
    assert_int_equal(host_tries_of_trial(c, o), 2);
    r.is_robots = true;
    host_tries_set(&r, 1, false);
    assert_int_equal(host_tries_of_trial(c, o), 1);
    host_record_close(c);
}

static void without_memory_a_count_is_lost_and_nothing_else(void **state)
{
    (void)state;
    struct host_record *c = host_record_open();
    set(c, "/a", 1, false);
    mem_fault_at(1);
    set(c, "/b", 1, false);
    mem_fault_at(0);
    assert_true(tries_of(c, "/a") == 1 && tries_of(c, "/b") == 0);
    host_record_close(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_url_has_its_own_tries),
        cmocka_unit_test(an_origin_and_its_robots_txt_are_counted_apart),
        cmocka_unit_test(tries_without_a_name_are_those_of_the_next_url),
        cmocka_unit_test(of_too_many_the_oldest_makes_way),
        cmocka_unit_test(a_trial_has_the_tries_of_its_url),
        cmocka_unit_test(without_memory_a_count_is_lost_and_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
