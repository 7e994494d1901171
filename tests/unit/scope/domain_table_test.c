/* SPDX-License-Identifier: Apache-2.0 */
#include "scope/domain_table.h"

#include "base/mem.h"
#include "lib/test.h"

#include <stdio.h>

static struct str name_of(unsigned i, char room[32])
{
    int n = snprintf(room, 32, "d%u.test", i);
    return str_make(room, (size_t)n);
}

static void a_domain_keeps_its_row(void **state)
{
    (void)state;
    enum { DOMAINS = 5000 }; /* more than the first buckets of all stripes hold */
    char room[32];
    struct domain_table *t = domain_table_open(7);
    for (unsigned i = 0; i < DOMAINS; i++) {
        struct domain *d = domain_lock(t, name_of(i, room));
        assert_true(d && !d->pages && !d->linker_count && !d->was_refused);
        d->pages = i + 1;
        domain_unlock(t, d);
    }
    for (unsigned i = 0; i < DOMAINS; i++) {
        struct domain *d = domain_lock(t, name_of(i, room));
        assert_int_equal(d->pages, i + 1);
        assert_str(str_make(d->name, d->name_bytes), name_of(i, room));
        domain_unlock(t, d);
    }
    domain_table_close(t);
    domain_table_close(NULL);
}

static void a_long_name_is_cut_and_found_again(void **state)
{
    (void)state;
    char name[2000];
    memset(name, 'x', sizeof name);
    struct domain_table *t = domain_table_open(7);
    struct domain *d = domain_lock(t, str_make(name, sizeof name));
    assert_int_equal(d->name_bytes, 1023);
    d->pages = 5;
    domain_unlock(t, d);
    d = domain_lock(t, str_make(name, 1500));
    assert_int_equal(d->pages, 5);
    domain_unlock(t, d);
    domain_table_close(t);
}

static void each_linker_counts_once_and_only_a_few_are_told_apart(void **state)
{
    (void)state;
    char room[32];
    struct domain_table *t = domain_table_open(7);
    struct domain *d = domain_lock(t, STR("a.test"));
    for (int twice = 0; twice < 2; twice++)
        domain_add_linker(d, STR("b.test"));
    assert_int_equal(d->linker_count, 1);
    for (unsigned i = 0; i < 100; i++)
        domain_add_linker(d, name_of(i, room));
    assert_int_equal(d->linker_count, DOMAIN_LINKERS);
    domain_unlock(t, d);
    domain_table_close(t);
}

static void a_host_counts_as_its_registrable_domain_or_itself(void **state)
{
    (void)state;
    assert_str(domain_of_host(STR("www.example.co.uk")), STR("example.co.uk"));
    assert_str(domain_of_host(STR("a.b.example.com")), STR("example.com"));
    assert_str(domain_of_host(STR("localhost")), STR("localhost"));
    assert_str(domain_of_host(STR("localhost.")), STR("localhost"));
    assert_str(domain_of_host(STR("127.0.0.1")), STR("127.0.0.1"));
    assert_str(domain_of_host(STR(".")), STR("."));
}

/* Nothing stays locked: the next call would wait for ever. */
static void without_memory_nothing_is_locked(void **state)
{
    (void)state;
    for (uint64_t nth = 1; nth <= 2; nth++) { /* the buckets, the row */
        struct domain_table *t = domain_table_open(7);
        mem_fault_at(nth);
        assert_null(domain_lock(t, STR("a.test")));
        mem_fault_at(0);
        struct domain *d = domain_lock(t, STR("a.test"));
        assert_non_null(d);
        domain_unlock(t, d);
        domain_table_close(t);
    }
    mem_fault_at(1);
    assert_null(domain_table_open(7));
    mem_fault_at(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_domain_keeps_its_row),
        cmocka_unit_test(a_long_name_is_cut_and_found_again),
        cmocka_unit_test(each_linker_counts_once_and_only_a_few_are_told_apart),
        cmocka_unit_test(a_host_counts_as_its_registrable_domain_or_itself),
        cmocka_unit_test(without_memory_nothing_is_locked),
    };
    return cmocka_run_group_tests_name("domain_table", tests, NULL, NULL);
}
