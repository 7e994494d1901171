/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/simweb/faults/visit.h"

static enum dns_mood mood_of(const char *id, const char *label)
{
    const struct fault_host *row = fault_host(fault_named(id), str_c(label));
    return row ? row->mood.dns : DNS_GOOD;
}

static void every_mood_of_a_name_is_some_hosts(void **state)
{
    (void)state;
    bool used[DNS_MOODS_] = {[DNS_GOOD] = true};
    uint32_t count;
    const struct fault *const *all = faults_all(&count);
    for (uint32_t i = 0; i < count; i++)
        for (const struct fault_host *h = all[i]->hosts; h && h->label; h++)
            used[h->mood.dns] = true;
    for (int mood = 0; mood < DNS_MOODS_; mood++)
        assert_true(used[mood]);
    assert_int_equal(mood_of("F46", "nx"), DNS_NXDOMAIN);
    assert_int_equal(mood_of("F46", "good"), DNS_GOOD);
    assert_int_equal(mood_of("F50", "mapped"), DNS_MAPPED);
}

static void a_name_that_leads_to_no_web_is_dead_and_its_page_never_asked(void **state)
{
    (void)state;
    static const char *const ids[] = {"F46", "F50", "F51"};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        const struct fault *f = fault_named(ids[i]);
        for (const struct fault_host *h = f->hosts; h->label; h++) {
            bool never = false;
            for (const struct expect *e = f->expects; e->path; e++)
                never |= e->kind == EXPECT_NEVER && !strcmp(e->label, h->label);
            assert_int_equal(never, h->is_dead);
        }
    }
}

/* Follows the first link of each page: every name is new and is a host of the farm. */
static void the_farm_has_no_end(void **state)
{
    (void)state;
    struct visit v = visit_open();
    char host[100] = "a1.f47.test";
    char before[100] = "";
    for (int i = 0; i < 12; i++) {
        visit_get(&v, host, "/");
        assert_int_equal(v.reply.status, 200);
        struct str page = visit_bytes(&v);
        struct str rest = str_from(page, str_find_str(page, STR("href=\"http://")) + 13);
        struct str next = str_take_until(&rest, ':');
        assert_true(next.n > 0 && next.n < sizeof host);
        memcpy(before, host, sizeof host);
        memset(host, 0, sizeof host);
        memcpy(host, next.p, next.n);
        assert_true(strlen(host) > strlen(before)); /* ten times the number: a digit more */
    }
    assert_int_equal(fault_address(fault_named("F47"), STR("a1")),
                     fault_address(fault_named("F47"), STR("a99")));
    visit_close(&v);
}

static void a_farm_page_names_ten_hosts(void **state)
{
    (void)state;
    struct visit v = visit_open();
    visit_get(&v, "a2.f47.test", "/");
    for (int i = 21; i <= 30; i++) {
        char url[64];
        struct buf b = buf_on(url, sizeof url);
        buf_printf(&b, "\"http://a%d.f47.test:8080/\"", i);
        assert_true(visit_has(&v, buf_c(&b)));
    }
    visit_get(&v, "a99999999999999999999.f47.test", "/");
    assert_int_equal(v.reply.status, 200);
    visit_get(&v, "what.ever.f47.test", "/");
    assert_int_equal(v.reply.status, 200);
    visit_close(&v);
}

static void sixteen_hosts_share_an_address_and_take_their_time(void **state)
{
    (void)state;
    struct visit v = visit_open();
    const struct fault *f = fault_named("F48");
    int hosts = 0;
    for (const struct fault_host *h = f->hosts; h->label; h++, hosts++)
        assert_int_equal(mood_address(h->mood, 1), ADDRESS_OF_MANY);
    assert_int_equal(hosts, 16);
    visit_get(&v, "s16.f48.test", "/page");
    assert_int_equal(v.reply.steps[0].kind, STEP_WAIT);
    assert_int_equal(v.reply.steps[0].ms, 200);
    visit_close(&v);
}

static void a_redirect_leads_to_a_name_that_rebinds(void **state)
{
    (void)state;
    struct visit v = visit_open();
    visit_get(&v, "f49.test", "/hop");
    assert_str(visit_header(&v, "Location"), STR("http://hop.f49.test:8080/page"));
    assert_int_equal(mood_of("F49", "hop"), DNS_REBIND);
    visit_close(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mood_of_a_name_is_some_hosts),
        cmocka_unit_test(a_name_that_leads_to_no_web_is_dead_and_its_page_never_asked),
        cmocka_unit_test(the_farm_has_no_end),
        cmocka_unit_test(a_farm_page_names_ten_hosts),
        cmocka_unit_test(sixteen_hosts_share_an_address_and_take_their_time),
        cmocka_unit_test(a_redirect_leads_to_a_name_that_rebinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
