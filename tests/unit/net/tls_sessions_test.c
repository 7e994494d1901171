/* SPDX-License-Identifier: Apache-2.0 */
/* Remembered sessions: by their own name, tickets of TLS 1.3 once, a bounded number. */
#include "net/tls_sessions.h"

#include "base/mem.h"
#include "lib/test.h"

#include <stdio.h>

static SSL_SESSION *session(int version)
{
    SSL_SESSION *s = SSL_SESSION_new();
    assert_non_null(s);
    assert_int_equal(SSL_SESSION_set_protocol_version(s, version), 1);
    return s;
}

static bool takes(struct tls_sessions *t, const char *name)
{
    SSL_SESSION *s = tls_sessions_take(t, str_c(name));
    SSL_SESSION_free(s);
    return s != NULL;
}

static void a_ticket_is_used_once(void **state)
{
    (void)state;
    static struct tls_sessions t;
    t = (struct tls_sessions){.most = 10};
    assert_true(tls_sessions_put(&t, STR("a.test:443"), session(TLS1_3_VERSION)));
    assert_true(tls_sessions_put(&t, STR("b.test:443"), session(TLS1_2_VERSION)));
    assert_false(takes(&t, "a.test:8443"));
    assert_true(takes(&t, "a.test:443"));
    assert_false(takes(&t, "a.test:443"));
    assert_true(takes(&t, "b.test:443"));
    assert_true(takes(&t, "b.test:443"));
    assert_int_equal(t.count, 1);
    tls_sessions_done(&t);
    assert_int_equal(t.count, 0);
}

static void a_later_one_replaces_it(void **state)
{
    (void)state;
    static struct tls_sessions t;
    t = (struct tls_sessions){.most = 10};
    SSL_SESSION *later = session(TLS1_3_VERSION);
    assert_true(tls_sessions_put(&t, STR("a.test:443"), session(TLS1_3_VERSION)));
    assert_true(tls_sessions_put(&t, STR("a.test:443"), later));
    assert_int_equal(t.count, 1);
    SSL_SESSION *s = tls_sessions_take(&t, STR("a.test:443"));
    assert_ptr_equal(s, later);
    SSL_SESSION_free(s);
    tls_sessions_done(&t);
}

static void the_oldest_goes_first(void **state)
{
    (void)state;
    static struct tls_sessions t;
    char name[32];
    t = (struct tls_sessions){.most = 100};
    for (int i = 0; i < 3000; i++) {
        (void)snprintf(name, sizeof name, "h%d.test:443", i);
        assert_true(tls_sessions_put(&t, str_c(name), session(TLS1_2_VERSION)));
        assert_true(t.count <= 100);
        assert_true(takes(&t, "h0.test:443")); /* in use: it stays */
    }
    for (int i = 1; i < 3000; i++) {
        (void)snprintf(name, sizeof name, "h%d.test:443", i);
        assert_true(takes(&t, name) == (i >= 3000 - 99));
    }
    tls_sessions_done(&t);
}

static void without_memory_it_stays_the_callers(void **state)
{
    (void)state;
    static struct tls_sessions t;
    t = (struct tls_sessions){.most = 10};
    SSL_SESSION *s = session(TLS1_3_VERSION);
    mem_fault_at(1);
    bool is_put = tls_sessions_put(&t, STR("a.test:443"), s);
    mem_fault_at(0);
    assert_false(is_put);
    SSL_SESSION_free(s);
    assert_int_equal(t.count, 0);
    tls_sessions_done(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ticket_is_used_once),
        cmocka_unit_test(a_later_one_replaces_it),
        cmocka_unit_test(the_oldest_goes_first),
        cmocka_unit_test(without_memory_it_stays_the_callers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
