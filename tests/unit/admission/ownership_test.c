/* SPDX-License-Identifier: Apache-2.0 */
#include "admission/ownership.h"

#include "admission/fingerprints.h"
#include "lib/test.h"

/* Hosts below the limit are this agent's. */
static bool owns(void *ctx, uint64_t host_hash)
{
    return host_hash < *(const uint64_t *)ctx;
}

static void links_of_own_hosts_stay_in_their_order(void **state)
{
    (void)state;
    uint64_t limit = 10;
    struct candidate list[] = {{.fingerprint = 1, .host_hash = 20},
                               {.fingerprint = 2, .host_hash = 5},
                               {.fingerprint = 3, .host_hash = 10},
                               {.fingerprint = 4, .host_hash = 9}};
    struct buf out;
    buf_init(&out, 1000);
    assert_int_equal(ownership_choose((struct ownership_asks){owns, &limit}, list, 4, &out), 2);
    assert_int_equal(list[0].fingerprint, 2);
    assert_int_equal(list[1].fingerprint, 4);
    assert_int_equal(fingerprints_count(&out), 2);
    assert_int_equal(fingerprints_of(&out)[0], 1);
    assert_int_equal(fingerprints_of(&out)[1], 3);
    buf_done(&out);
}

static void where_all_hosts_are_own_nothing_is_left_out(void **state)
{
    (void)state;
    uint64_t limit = 100;
    struct candidate list[] = {{.fingerprint = 1, .host_hash = 20}, {.fingerprint = 2}};
    struct buf out;
    buf_init(&out, 1000);
    assert_int_equal(ownership_choose((struct ownership_asks){owns, &limit}, list, 2, &out), 2);
    assert_int_equal(ownership_choose((struct ownership_asks){owns, &limit}, list, 0, &out), 0);
    assert_int_equal(fingerprints_count(&out), 0);
    buf_done(&out);
}

static void a_list_that_is_full_says_so(void **state)
{
    (void)state;
    uint64_t limit = 0;
    struct candidate list[] = {{.fingerprint = 1}, {.fingerprint = 2}};
    struct buf out;
    buf_init(&out, 8);
    assert_int_equal(ownership_choose((struct ownership_asks){owns, &limit}, list, 2, &out), 0);
    assert_rc(buf_rc(&out), RC_LIMIT);
    buf_done(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_of_own_hosts_stay_in_their_order),
        cmocka_unit_test(where_all_hosts_are_own_nothing_is_left_out),
        cmocka_unit_test(a_list_that_is_full_says_so),
    };
    return cmocka_run_group_tests_name("ownership", tests, NULL, NULL);
}
