/* SPDX-License-Identifier: Apache-2.0 */
/* A host whose turn is lent is out, and nothing of it is checked out meanwhile. */
#include "frontier/lend.h"

#include "base/hash.h"
#include "base/mem.h"
#include "lib/test.h"

static const struct frontier_settings roomy = {.max_hosts = 3, .max_host_queue = 100};

static struct frontier *open_with(const char *path)
{
    struct frontier *f = frontier_open(&roomy, 0, 1);
    struct str host = STR("a.test");
    struct candidate c = {.host = host, .host_hash = hash64(host), .path = str_c(path)};
    enum admitted what;
    size_t done;
    assert_non_null(f);
    c.fingerprint = hash64(c.path);
    assert_rc(frontier_admit(f, &c, 1, 0, &what, &done), RC_OK);
    return f;
}

static struct host *need(struct frontier *f, const char *name)
{
    struct host *h = NULL;
    assert_rc(frontier_host_need(f, hash64(str_c(name)), str_c(name), 0, &h), RC_OK);
    assert_str(host_name(h), str_c(name));
    return h;
}

static void nothing_is_checked_out_of_a_host_that_is_lent(void **state)
{
    (void)state;
    struct frontier *f = open_with("/1");
    struct host *h = need(f, "a.test");
    struct checkout c;
    frontier_lend(f, h);
    assert_true(host_is_out(h));
    assert_int_equal(frontier_counts(f).out, 1);
    assert_rc(frontier_checkout(f, 0, 1000, &c), RC_AGAIN);
    assert_int_equal(frontier_due_ms(f), UINT64_MAX);
    frontier_hold(f, h, 400); /* a moment that comes meanwhile counts */
    frontier_take_back(f, h, 500);
    assert_false(host_is_out(h));
    assert_true(host_due_ms(h) == 500 && frontier_due_ms(f) == 500);
    assert_rc(frontier_checkout(f, 0, 499, &c), RC_AGAIN);
    assert_rc(frontier_checkout(f, 0, 500, &c), RC_OK);
    assert_str(c.path, STR("/1"));
    frontier_checkin(f, &c, CHECKIN_DONE, 900);
    frontier_lend(f, h); /* an empty queue is no matter */
    frontier_take_back(f, h, 600);
    assert_int_equal(host_due_ms(h), 900);
    assert_true(frontier_counts(f).out == 0 && frontier_counts(f).queued == 0);
    frontier_close(f);
}

static void a_host_that_waits_or_is_ready_can_be_lent(void **state)
{
    (void)state;
    struct frontier *f = open_with("/1");
    struct host *h = need(f, "a.test");
    for (uint64_t due_ms = 0; due_ms < 600; due_ms += 500) {
        frontier_hold(f, h, due_ms);
        frontier_lend(f, h);
        assert_true(frontier_counts(f).ready == 0 && frontier_counts(f).waiting == 0);
        frontier_take_back(f, h, 0);
        assert_int_equal(frontier_counts(f).ready + frontier_counts(f).waiting, 1);
    }
    frontier_close(f);
}

static void a_host_that_is_not_known_is_made_within_limits(void **state)
{
    (void)state;
    struct frontier *f = open_with("/1");
    struct host *h = NULL;
    struct str name = STR("c.test");
    (void)need(f, "b.test");
    assert_ptr_equal(need(f, "b.test"), need(f, "b.test"));
    mem_fault_at(1);
    assert_rc(frontier_host_need(f, hash64(name), name, 0, &h), RC_NOMEM);
    mem_fault_at(0);
    (void)need(f, "c.test");
    assert_int_equal(frontier_counts(f).hosts, 3);
    assert_rc(frontier_host_need(f, 7, STR("d.test"), 0, &h), RC_LIMIT);
    assert_rc(frontier_host_need(f, 7, STR(""), 0, &h), RC_LIMIT);
    assert_null(h);
    frontier_close(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_checked_out_of_a_host_that_is_lent),
        cmocka_unit_test(a_host_that_waits_or_is_ready_can_be_lent),
        cmocka_unit_test(a_host_that_is_not_known_is_made_within_limits),
    };
    return cmocka_run_group_tests_name("frontier/lend", tests, NULL, NULL);
}
