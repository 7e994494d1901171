/* SPDX-License-Identifier: Apache-2.0 */
#include "host/host_end.h"
#include "host/host_redirect.h"
#include "lib/test.h"

#include "base/mem.h"

static struct str url_of(const struct host_redirect *r)
{
    return r ? str_make(r->url, r->url_bytes) : STR_NONE;
}

static void one_origin_is_remembered(void **state)
{
    (void)state;
    struct host_record *c = host_record_open();
    size_t empty = host_record_bytes(c);
    assert_null(host_redirect_of(c, false, 0));
    host_redirect_set(c, true, 8443, STR("http://b.test/r"), 2);
    assert_str(url_of(host_redirect_of(c, true, 8443)), STR("http://b.test/r"));
    assert_int_equal(host_redirect_of(c, true, 8443)->count, 2);
    assert_true(!host_redirect_of(c, false, 8443) && !host_redirect_of(c, true, 0));
    assert_true(host_record_bytes(c) > empty);
    host_redirect_set(c, false, 0, STR("http://c.test/"), 1);
    assert_null(host_redirect_of(c, true, 8443));
    assert_str(url_of(host_redirect_of(c, false, 0)), STR("http://c.test/"));
    host_redirect_forget(c);
    assert_null(host_redirect_of(c, false, 0));
    host_redirect_set(c, false, 0, STR("http://c.test/"), 1);
    mem_fault_at(1);
    host_redirect_set(c, false, 0, STR("http://d.test/"), 2);
    mem_fault_at(0);
    assert_null(host_redirect_of(c, false, 0)); /* it begins anew */
    host_redirect_set(c, false, 0, STR("http://c.test/"), 1);
    host_record_close(c);
}

static void it_is_forgotten_with_the_end_of_the_robots_txt(void **state)
{
    (void)state;
    struct host_record *c = host_record_open();
    struct host_outcome o = {.verdict.next = PACE_AGAIN};
    struct host_request r = {.record = c, .path = STR("/")};
    host_redirect_set(c, false, 0, STR("http://b.test/r"), 1);
    struct host_ending e = host_end(&r, &o); /* of a page of another origin */
    host_end_keep(&r, &o, &e, 1);
    assert_non_null(host_redirect_of(c, false, 0));
    r.is_robots = true;
    e = host_end(&r, &o);
    host_end_keep(&r, &o, &e, 1);
    assert_null(host_redirect_of(c, false, 0));
    host_record_close(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_origin_is_remembered),
        cmocka_unit_test(it_is_forgotten_with_the_end_of_the_robots_txt),
    };
    return cmocka_run_group_tests_name("host/host_redirect", tests, NULL, NULL);
}
