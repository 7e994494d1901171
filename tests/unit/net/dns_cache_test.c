/* SPDX-License-Identifier: Apache-2.0 */
#include "net/dns_cache.h"

#include "base/rng.h"
#include "lib/test.h"
#include "net/dns_hosts.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct dns_name name_of(const char *text)
{
    struct dns_name n;
    assert_rc(dns_name_read(str_c(text), &n), RC_OK);
    return n;
}

static struct dns_name numbered(uint64_t i)
{
    char text[32];
    (void)snprintf(text, sizeof text, "n%llu.test", (unsigned long long)i);
    return name_of(text);
}

static struct dns_result result_of(uint64_t until_ms, uint32_t count)
{
    struct dns_result r = {.outcome = DNS_FOUND, .until_ms = until_ms, .count = count};
    for (uint32_t i = 0; i < count; i++)
        r.addresses[i] = (struct address){.bytes = {1, 2, 3, (uint8_t)i}};
    return r;
}

static void what_is_put_is_got_until_its_time(void **state)
{
    (void)state;
    struct dns_cache *c = dns_cache_open(10, 1);
    struct dns_name a = name_of("a.test"), b = name_of("b.test");
    struct dns_result put = result_of(100, 3), got = {0};
    assert_rc(dns_cache_put(c, &a, &put), RC_OK);
    assert_false(dns_cache_get(c, &b, 0, &got));
    assert_true(dns_cache_get(c, &a, 99, &got));
    assert_int_equal(got.count, 3);
    assert_int_equal(got.until_ms, 100);
    assert_true(address_eq(&got.addresses[2], &put.addresses[2]));
    assert_false(dns_cache_get(c, &a, 100, &got));
    assert_int_equal(dns_cache_count(c), 0);
    put = (struct dns_result){.outcome = DNS_NO_NAME, .until_ms = 500};
    assert_rc(dns_cache_put(c, &a, &put), RC_OK);
    put = result_of(700, 8);
    assert_rc(dns_cache_put(c, &a, &put), RC_OK);
    assert_int_equal(dns_cache_count(c), 1);
    assert_true(dns_cache_get(c, &a, 600, &got));
    assert_int_equal(got.count, 8);
    dns_cache_drop(c, &a);
    dns_cache_drop(c, &a);
    assert_false(dns_cache_get(c, &a, 600, &got));
    dns_cache_close(c);
    dns_cache_close(NULL);
}

static void a_cache_of_no_names_keeps_none(void **state)
{
    (void)state;
    struct dns_cache *c = dns_cache_open(0, 1);
    struct dns_name a = name_of("a.test");
    struct dns_result r = result_of(100, 1);
    assert_rc(dns_cache_put(c, &a, &r), RC_OK);
    assert_false(dns_cache_get(c, &a, 0, &r));
    dns_cache_close(c);
}

enum { MOST = 100, NAMES = 300 };

/* The same with an array and a counter: the entry used longest ago goes. */
struct model {
    uint64_t used[NAMES], until_ms[NAMES]; /* until 0 = not known */
    uint64_t clock;
    unsigned count;
};

static void model_put(struct model *m, uint64_t i, uint64_t until_ms)
{
    if (!m->until_ms[i] && m->count == MOST) {
        size_t oldest = NAMES;
        for (size_t k = 0; k < NAMES; k++) {
            if (m->until_ms[k] && (oldest == NAMES || m->used[k] < m->used[oldest]))
                oldest = k;
        }
        m->until_ms[oldest] = 0;
        m->count--;
    }
    m->count += !m->until_ms[i];
    m->until_ms[i] = until_ms;
    m->used[i] = ++m->clock;
}

static bool model_get(struct model *m, uint64_t i, uint64_t now_ms)
{
    if (!m->until_ms[i])
        return false;
    if (m->until_ms[i] > now_ms) {
        m->used[i] = ++m->clock;
        return true;
    }
    m->until_ms[i] = 0;
    m->count--;
    return false;
}

static void it_does_what_a_plain_list_would_do(void **state)
{
    (void)state;
    struct rng rng;
    struct model m = {.count = 0};
    struct dns_cache *c = dns_cache_open(MOST, 3);
    rng_init(&rng, test_seed(11));
    for (uint64_t now_ms = 1; now_ms < 20000; now_ms++) {
        uint64_t i = rng_below(&rng, NAMES);
        struct dns_name name = numbered(i);
        struct dns_result r;
        if (rng_below(&rng, 3) == 0) {
            r = result_of(now_ms + 1 + rng_below(&rng, 400), (uint32_t)rng_below(&rng, 9));
            assert_rc(dns_cache_put(c, &name, &r), RC_OK);
            model_put(&m, i, r.until_ms);
        } else {
            bool is_known = dns_cache_get(c, &name, now_ms, &r);
            assert_int_equal(is_known, model_get(&m, i, now_ms));
            assert_true(!is_known || r.until_ms == m.until_ms[i]);
        }
        assert_int_equal(dns_cache_count(c), m.count);
    }
    dns_cache_close(c);
}

static enum rc fill(void *ctx)
{
    (void)ctx;
    struct dns_cache *c = dns_cache_open(1000, 1);
    enum rc rc = c ? RC_OK : RC_NOMEM;
    struct dns_result r = result_of(100, 2);
    for (uint64_t i = 0; i < 150 && c; i++) {
        struct dns_name name = numbered(i);
        if (dns_cache_put(c, &name, &r))
            rc = RC_NOMEM;
    }
    uint32_t least = c && rc ? 149 : 150; /* without room for more buckets it only gets slower */
    if (c && dns_cache_count(c) < least)
        rc = RC_CORRUPT;
    dns_cache_close(c);
    return rc;
}

static void without_memory_it_keeps_less(void **state)
{
    (void)state;
    test_each_allocation_fails(fill, NULL);
}

/* Hosts files -------------------------------------------------------------------------------- */

static const char hosts_text[] = "# a comment\n"
                                 "127.0.0.1\tlocalhost\n"
                                 "10.0.0.1  One.test one   # 10.0.0.9 never\n"
                                 "\n"
                                 "   10.0.0.2 two.test.\r\n"
                                 "fd00::1 one.test\n"
                                 "10.0.0.3 one.test\n"
                                 "999.0.0.1 wrong.test\n"
                                 "10.0.0.4\n"
                                 "10.0.0.5 bad..name good.test\n"
                                 "fe80::1%eth0 zone.test\n"
                                 "10.0.0.6 last.test";

static void hosts_path(char path[64])
{
    (void)snprintf(path, 64, "/tmp/dns-hosts-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, hosts_text, sizeof hosts_text - 1), (ssize_t)sizeof hosts_text - 1);
    close(fd);
}

static void assert_hosts(const struct dns_hosts *h, const char *name, const char *expected)
{
    struct dns_name n = name_of(name);
    struct dns_result r = {0};
    struct buf got = {.max = 1000};
    assert_int_equal(dns_hosts_find(h, &n, &r), expected[0] != 0);
    for (uint32_t i = 0; i < r.count; i++) {
        if (i)
            buf_byte(&got, ' ');
        address_print(&r.addresses[i], &got);
    }
    assert_str(buf_str(&got), str_c(expected));
    buf_done(&got);
}

static void a_hosts_file_is_read_as_the_system_reads_it(void **state)
{
    (void)state;
    char path[64];
    struct dns_hosts *h = NULL;
    hosts_path(path);
    assert_rc(dns_hosts_open(path, &h), RC_OK);
    unlink(path);
    assert_hosts(h, "localhost", "127.0.0.1");
    assert_hosts(h, "one.test", "10.0.0.1 fd00::1 10.0.0.3");
    assert_hosts(h, "one", "10.0.0.1");
    assert_hosts(h, "two.test", "10.0.0.2");
    assert_hosts(h, "good.test", "10.0.0.5");
    assert_hosts(h, "last.test", "10.0.0.6");
    assert_hosts(h, "never", "");
    assert_hosts(h, "wrong.test", "");
    assert_hosts(h, "zone.test", "");
    assert_hosts(h, "a.one.test", "");
    dns_hosts_close(h);
    dns_hosts_close(NULL);
}

static void a_hosts_file_that_is_not_there_has_no_names(void **state)
{
    (void)state;
    struct dns_hosts *h = NULL;
    assert_rc(dns_hosts_open("/nowhere/hosts", &h), RC_OK);
    assert_hosts(h, "localhost", "");
    dns_hosts_close(h);
    assert_rc(dns_hosts_open("/", &h), RC_OK);
    assert_hosts(h, "localhost", "");
    dns_hosts_close(h);
}

static enum rc hosts_once(void *path)
{
    struct dns_hosts *h = NULL;
    enum rc rc = dns_hosts_open(path, &h);
    dns_hosts_close(h);
    return rc;
}

static void without_memory_there_are_no_hosts(void **state)
{
    (void)state;
    char path[64];
    hosts_path(path);
    test_each_allocation_fails(hosts_once, path);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_put_is_got_until_its_time),
        cmocka_unit_test(a_cache_of_no_names_keeps_none),
        cmocka_unit_test(it_does_what_a_plain_list_would_do),
        cmocka_unit_test(without_memory_it_keeps_less),
        cmocka_unit_test(a_hosts_file_is_read_as_the_system_reads_it),
        cmocka_unit_test(a_hosts_file_that_is_not_there_has_no_names),
        cmocka_unit_test(without_memory_there_are_no_hosts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
