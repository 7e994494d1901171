/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/test.h"

#include "serve/mood_at.h"

#include "unit/simweb/world/make.h"

static uint32_t address_of(const char *id, const char *label)
{
    const struct fault *f = fault_find(str_c(id));
    assert_non_null(f);
    const struct fault_host *h = fault_host(f, str_c(label));
    return mood_address(h ? h->mood : (struct mood){0}, fault_address(f, str_c(label)));
}

static void an_address_has_the_tls_of_its_bad_host(void **state)
{
    (void)state;
    struct made m = make_world("fault=all");
    assert_int_equal(mood_at(m.world, address_of("F86", "expired")).tls, TLS_EXPIRED);
    assert_int_equal(mood_at(m.world, address_of("F87", "stall")).tls, TLS_STALL);
    /* Shared with hosts that have no TLS of their own to speak of. */
    assert_int_equal(mood_at(m.world, address_of("F88", "one")).tls, TLS_NEEDS_SNI);
    unmake_world(&m);
}

static void the_rest_is_good(void **state)
{
    (void)state;
    struct made m = make_world("fault=f86");
    assert_int_equal(mood_at(m.world, address_of("F86", "good")).tls, TLS_GOOD);
    assert_int_equal(mood_at(m.world, address_of("F86", "")).tls, TLS_GOOD);
    assert_int_equal(mood_at(m.world, 0x7f010000).tls, TLS_GOOD);
    assert_int_equal(mood_at(m.world, address_of("F87", "stall")).tls, TLS_GOOD); /* not enabled */
    unmake_world(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_address_has_the_tls_of_its_bad_host),
        cmocka_unit_test(the_rest_is_good),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
