/* SPDX-License-Identifier: Apache-2.0 */
/* Names, addresses, URLs, index pages and the sprinkling. */
#include "unit/simweb/faults/ask.h"

#include "faults/sprinkle.h"

static void a_name_belongs_to_the_fault_in_its_last_label(void **state)
{
    (void)state;
    static const struct {
        const char *name, *id, *label;
    } rows[] = {
        {"f06.test", "F06", ""},
        {"f06.test.", "F06", ""},
        {"refused.f01.test", "F01", "refused"},
        {"a.b.f01.test", "F01", "a.b"},
        {"f94.test", NULL, NULL},
        {"f6.test", NULL, NULL},
        {"f06", NULL, NULL},
        {"f06.tests", NULL, NULL},
        {"f06.latest", NULL, NULL},
        {"f06test", NULL, NULL},
        {".f06.test", NULL, NULL},
        {"f06.www.test", NULL, NULL},
        {"test", NULL, NULL},
        {".test", NULL, NULL},
        {"", NULL, NULL},
    };
    struct made m = make_world("fault=f06 fault=f01");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct str label = STR_NONE;
        const struct fault *f = fault_of_host(m.world, str_c(rows[i].name), &label);
        if (!f != !rows[i].id)
            fail_msg("%s: %s", rows[i].name, f ? f->id : "nobody's");
        if (f) {
            assert_str(str_c(f->id), str_c(rows[i].id));
            assert_str(label, str_c(rows[i].label));
        }
    }
    unmake_world(&m);
}

static void only_enabled_faults_have_hosts(void **state)
{
    (void)state;
    struct str label;
    struct made m = make_world("fault=F06,slow");
    assert_non_null(fault_of_host(m.world, STR("f06.test"), &label));
    assert_non_null(fault_of_host(m.world, STR("f09.test"), &label));
    assert_null(fault_of_host(m.world, STR("f05.test"), &label));
    assert_true(is_zoo(m.world, STR("zoo.test")));
    assert_false(is_zoo(m.world, STR("azoo.test")));
    unmake_world(&m);
    m = make_world("");
    assert_null(fault_of_host(m.world, STR("f06.test"), &label));
    assert_false(is_zoo(m.world, STR("zoo.test")));
    unmake_world(&m);
}

static void hosts_have_addresses_by_number_and_by_mood(void **state)
{
    (void)state;
    const struct fault *f = fault_find(STR("F01"));
    const struct fault_host *row = fault_host(f, STR("refused"));
    assert_non_null(row);
    assert_null(fault_host(f, STR("other")));
    assert_int_equal(fault_address(f, STR("")), 0x7f006401);
    assert_int_equal(fault_address(f, STR("other")), 0x7f006401);
    assert_int_equal(fault_address(f, STR("refused")), 0x7f006501);
    assert_int_equal(fault_address(fault_find(STR("F34")), STR("")), 0x7f006422);
    assert_int_equal(mood_address(row->mood, 7), ADDRESS_REFUSING);
    assert_int_equal(mood_address((struct mood){.address = ADDRESS_BLACKHOLE}, 7), ADDRESS_SILENT);
    assert_int_equal(mood_address((struct mood){.address = ADDRESS_SHARED}, 7), ADDRESS_OF_MANY);
    assert_int_equal(mood_address((struct mood){0}, 7), 7);
}

static void a_row_with_a_star_is_every_other_label(void **state)
{
    (void)state;
    static const struct fault_host hosts[] = {{.label = "a"}, {.label = "*"}, {0}};
    const struct fault f = {.id = "F47", .hosts = hosts};
    assert_ptr_equal(fault_host(&f, STR("a")), &hosts[0]);
    assert_ptr_equal(fault_host(&f, STR("b")), &hosts[1]);
    assert_null(fault_host(&f, STR("")));
    assert_int_equal(fault_address(&f, STR("b")), 0x7f00662f);
}

static void urls_are_the_label_s_or_below_the_mount(void **state)
{
    (void)state;
    struct asking a = ask_open("fault=all http-port=8080 https-port=443");
    char room[200];
    struct buf url = buf_on(room, sizeof room);
    ask(&a, "F01", "", "/");
    fault_url(&a.query, "refused", STR("/page?x=1"), &url);
    assert_str(buf_str(&url), STR("http://refused.f01.test:8080/page?x=1"));
    url = buf_on(room, sizeof room);
    a.query.mount = STR("/f06");
    ask(&a, "F06", "", "/");
    fault_url(&a.query, "", STR("/body"), &url);
    assert_str(buf_str(&url), STR("http://www.heron0.test:8080/f06/body"));
    url = buf_on(room, sizeof room);
    a.request.is_https = true;
    fault_url(&a.query, NULL, STR("/body"), &url);
    assert_str(buf_str(&url), STR("https://www.heron0.test/f06/body"));
    ask_close(&a);
}

static void the_index_links_every_case(void **state)
{
    (void)state;
    struct asking a = ask_open("fault=all");
    uint32_t count;
    const struct fault *const *all = faults_all(&count);
    for (uint32_t i = 0; i < count; i++) {
        for (const struct fault_case *c = all[i]->cases; c->path; c++) {
            char room[400];
            struct buf href = buf_on(room, sizeof room);
            struct reply *r = ask_fault(&a, all[i], "", "/");
            if (r->status != 200 || !reply_has(r, str_c(all[i]->id)))
                break; /* its own index, the group's test knows it */
            if (strpbrk(c->path, "&<>'\""))
                continue;
            fault_place_url(a.made.world, all[i], str_c(c->label ? c->label : ""), str_c(c->path),
                            &href);
            if (!reply_has(r, buf_str(&href)))
                fail_msg("%s: no link to " STR_FMT, all[i]->id, STR_ARG(buf_str(&href)));
        }
    }
    ask_close(&a);
}

static void what_stands_in_the_index_is_escaped(void **state)
{
    (void)state;
    static const struct fault_case cases[] = {{"", "/a?b=\"1\"&c='2'", "more < less & \"so\""},
                                              {0}};
    const struct fault f = {.id = "F06",
                            .group = "tcp",
                            .does = "a < b",
                            .wants = "b > a",
                            .cases = cases,
                            .is_path = true};
    struct asking a = ask_open("fault=all http-port=80");
    a.query.mount = STR("/f06");
    struct reply *r = ask_fault(&a, &f, "", "/");
    assert_int_equal(r->status, 200);
    assert_true(reply_has(r, STR("href=\"http://www.heron0.test/f06/a?b=&quot;1&quot;&amp;"
                                 "c=&#39;2&#39;\">more &lt; less &amp; &quot;so&quot;</a>")));
    assert_true(reply_has(r, STR("a &lt; b")));
    ask_close(&a);
}

static void what_a_fault_leaves_is_answered_well(void **state)
{
    (void)state;
    struct asking a = ask_open("fault=all");
    assert_int_equal(ask(&a, "F06", "", "/told/body/part")->status, 200);
    assert_int_equal(ask(&a, "F06", "", "/robots.txt")->status, 404);
    assert_int_equal(ask(&a, "F06", "", "/nowhere")->status, 404);
    assert_int_equal(ask(&a, "F01", "other", "/")->status, 200);
    assert_false(reply_has(&a.reply, STR("href")));
    assert_true(reply_has(ask(&a, "F06", "", "/told/x"), STR("Date: ")));
    a.request.method = STR("HEAD");
    struct reply *r = ask(&a, "F06", "", "/");
    assert_true(str_ends(buf_str(&r->bytes), STR("\r\n\r\n")));
    assert_true(reply_has(r, STR("Content-Length: ")));
    ask_close(&a);
}

static void the_zoo_links_what_is_enabled(void **state)
{
    (void)state;
    struct made m = make_world("fault=f06,f10 http-port=8080");
    struct request q = {.method = STR("GET"), .target = STR("/")};
    struct reply r;
    reply_init(&r);
    zoo_answer(m.world, &q, &r);
    assert_int_equal(r.status, 200);
    assert_true(reply_has(&r, STR("\"http://f06.test:8080/\"")));
    assert_true(reply_has(&r, STR("\"http://f10.test:8080/\"")));
    assert_false(reply_has(&r, STR("f07.test")));
    reply_clear(&r);
    q.target = STR("/robots.txt");
    zoo_answer(m.world, &q, &r);
    assert_int_equal(r.status, 404);
    reply_done(&r);
    unmake_world(&m);
}

/* Sprinkling -------------------------------------------------------------------------------- */

enum { HOSTS = 20000 };

static uint32_t count_sprinkled(const struct world *w, const char *id)
{
    uint32_t n = 0;
    for (uint32_t host = 0; host < HOSTS; host++) {
        const struct fault_host *row;
        const struct fault *f = fault_sprinkled(w, host, &row);
        n += f && (!id || str_eq(str_c(f->id), str_c(id)));
        if (!f || f->is_path)
            assert_null(row);
        else
            assert_non_null(row);
    }
    return n;
}

static void a_share_of_all_hosts_has_a_sprinkled_fault(void **state)
{
    (void)state;
    struct made m = make_world("hosts=20000 sprinkle=f06=0.1 sprinkle=f01=.25,f04=0");
    uint32_t f06 = count_sprinkled(m.world, "F06"), f01 = count_sprinkled(m.world, "F01");
    assert_in_range(f06, HOSTS / 10 - 200, HOSTS / 10 + 200);
    assert_in_range(f01, HOSTS / 4 - 300, HOSTS / 4 + 300);
    assert_int_equal(count_sprinkled(m.world, NULL), f06 + f01);
    unmake_world(&m);
    m = make_world("hosts=20000");
    assert_int_equal(count_sprinkled(m.world, NULL), 0);
    unmake_world(&m);
}

static void all_is_spread_over_what_can_be_sprinkled(void **state)
{
    (void)state;
    struct made m = make_world("hosts=20000 https=1 sprinkle=all=1");
    uint32_t count, can = 0;
    const struct fault *const *all = faults_all(&count);
    for (uint32_t i = 0; i < count; i++)
        can += fault_can_sprinkle(all[i]);
    assert_true(can > 30);
    uint32_t hosts[100] = {0}; /* by number */
    for (uint32_t host = 0; host < HOSTS; host++) {
        const struct fault_host *row;
        const struct fault *f = fault_sprinkled(m.world, host, &row);
        if (f)
            hosts[(f->id[1] - '0') * 10 + f->id[2] - '0']++;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t n = hosts[i + 1];
        if (!fault_can_sprinkle(all[i]))
            assert_int_equal(n, 0);
        else if (n < HOSTS / can / 2 || n > HOSTS / can * 2)
            fail_msg("%s: %u of %d hosts", all[i]->id, n, HOSTS);
    }
    unmake_world(&m);
}

static void host_0_stays_alive(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed < 50; seed++) {
        char words[64];
        struct buf b = buf_on(words, sizeof words - 1);
        buf_printf(&b, "sprinkle=f01=1 seed=%u", seed);
        words[b.n] = 0;
        struct made m = make_world(words);
        const struct fault_host *row;
        assert_null(fault_sprinkled(m.world, 0, &row));
        assert_non_null(fault_sprinkled(m.world, 1, &row));
        assert_true(row->is_dead);
        unmake_world(&m);
    }
}

static void wrong_settings_are_refused_with_a_reason(void **state)
{
    (void)state;
    static const struct {
        const char *words, *why; /* NULL: nothing is wrong */
    } rows[] = {
        {"fault=f35 fault=ALL fault=tcp,F07", NULL},
        {"sprinkle=f06=0.5 sprinkle=f07=0.5", NULL},
        {"sprinkle=all=1", NULL},
        {"sprinkle=tcp=.01", NULL},
        {"fault=f0x", "did you mean f0"},
        {"fault=tpc", "did you mean tcp?"},
        {"fault=everything", "expected f01 to f93, a group such as tcp, or all"},
        {"fault=f94", "there is no fault \"f94\""},
        {"fault=f06,", "there is no fault \"\""},
        {"sprinkle=f06", "expected FAULT=SHARE"},
        {"sprinkle=f99=0.1", "there is no fault \"f99\""},
        {"sprinkle=f06=2", "expected a number from 0 to 1"},
        {"sprinkle=f06=-0.1", "expected a number from 0 to 1"},
        {"sprinkle=f06=", "expected a number from 0 to 1"},
        {"sprinkle=f06=.", "expected a number from 0 to 1"},
        {"sprinkle=f06=1e-1", "expected a number from 0 to 1"},
        {"sprinkle=f06=0.6 sprinkle=f07=0.6", "add up to 1.2"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct made m = make_settings(rows[i].words);
        char room[400];
        struct buf why = buf_on(room, sizeof room);
        enum rc rc = faults_check(&m.settings, &why);
        size_t at = str_find_str(buf_str(&why), str_c(rows[i].why));
        if (rc != (rows[i].why ? RC_INVALID : RC_OK) || (rows[i].why && at == why.n) ||
            (!rows[i].why && why.n))
            fail_msg("%s: " STR_FMT, rows[i].words, STR_ARG(buf_str(&why)));
        unmake_world(&m);
    }
}

/* Without memory ---------------------------------------------------------------------------- */

static enum rc pages_step(void *ctx)
{
    struct asking *a = ctx;
    enum rc rc = buf_rc(&ask(a, "F15", "", "/")->bytes);
    struct request q = {.method = STR("GET"), .target = STR("/")};
    if (rc == RC_OK) {
        reply_clear(&a->reply);
        zoo_answer(a->made.world, &q, &a->reply);
        rc = buf_rc(&a->reply.bytes);
    }
    reply_done(&a->reply);
    reply_init(&a->reply);
    return rc;
}

static void without_memory_a_page_fails_and_nothing_leaks(void **state)
{
    (void)state;
    struct asking a = ask_open("fault=all");
    test_each_allocation_fails(pages_step, &a);
    ask_close(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_belongs_to_the_fault_in_its_last_label),
        cmocka_unit_test(only_enabled_faults_have_hosts),
        cmocka_unit_test(hosts_have_addresses_by_number_and_by_mood),
        cmocka_unit_test(a_row_with_a_star_is_every_other_label),
        cmocka_unit_test(urls_are_the_label_s_or_below_the_mount),
        cmocka_unit_test(the_index_links_every_case),
        cmocka_unit_test(what_stands_in_the_index_is_escaped),
        cmocka_unit_test(what_a_fault_leaves_is_answered_well),
        cmocka_unit_test(the_zoo_links_what_is_enabled),
        cmocka_unit_test(a_share_of_all_hosts_has_a_sprinkled_fault),
        cmocka_unit_test(all_is_spread_over_what_can_be_sprinkled),
        cmocka_unit_test(host_0_stays_alive),
        cmocka_unit_test(wrong_settings_are_refused_with_a_reason),
        cmocka_unit_test(without_memory_a_page_fails_and_nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
