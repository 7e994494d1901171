/* SPDX-License-Identifier: Apache-2.0 */
/* What fails without a server: timings that no roster accepts, and a login to a server that is not
 * there. */
#include "provision/found.h"

#include "provision/nats_client.h"
#include "provision/nats_streams.h"

#include "bus/bus_nats.h"
#include "lib/test.h"

/* Port 1 of loopback: no NATS server listens there. */
static struct nats_login login(void)
{
    struct nats_login l = {
        .crawl = "test", .name = "a1", .url = "nats://127.0.0.1:1", .say_user = "say.a1"};
    assert_rc(secret_make(&l.say), RC_OK);
    return l;
}

static void timings_that_no_roster_accepts_are_refused_at_once(void **state)
{
    (void)state;
    struct nats_login l = login();
    struct buf why = {.max = 4096};
    struct roster_timings t = {1000, 5000, 6000, 55000, 45000, 60000}; /* abort before fence */
    assert_rc(found_crawl(&l, &t, 60 * 1000, &why), RC_INVALID);
    assert_true(str_starts(buf_str(&why), STR("the cluster's timings: ")));
    buf_done(&why);
}

static void a_server_that_is_not_there_is_named(void **state)
{
    (void)state;
    struct nats_login l = login();
    struct nats_client c;
    struct buf why = {.max = 4096};
    assert_int_not_equal(nats_client_open(&c, &l, 300, &why), RC_OK);
    assert_true(str_find_str(buf_str(&why), STR("nats://127.0.0.1:1: ")) < why.n);
    assert_true(str_find_str(buf_str(&why), STR("is nats-server running?")) < why.n);
    nats_client_close(&c);
    buf_clear(&why);
    static struct nats_plan plan;
    assert_int_not_equal(nats_streams_make(&plan, &l, 300, &why), RC_OK);
    assert_true(str_find_str(buf_str(&why), STR("cannot log in as a1")) < why.n);
    buf_done(&why);
    bus_nats_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(timings_that_no_roster_accepts_are_refused_at_once),
        cmocka_unit_test(a_server_that_is_not_there_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
