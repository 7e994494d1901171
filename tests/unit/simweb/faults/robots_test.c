/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/simweb/faults/visit.h"

#include "faults/robots_body.h"

/* The body that a client would read, at most `max` bytes of it, repeats written out. */
static void body_of(const struct visit *v, size_t max, struct buf *out)
{
    buf_init(out, max + REPLY_MAX_STEPS * 1024);
    struct str rest = visit_bytes(v);
    rest = str_from(rest, str_find_str(rest, STR("\r\n\r\n")) + 4);
    size_t head = v->reply.bytes.n - rest.n;
    for (uint32_t i = 0; i < v->reply.step_count && out->n < max; i++) {
        const struct step *s = &v->reply.steps[i];
        size_t skip = head < s->bytes ? head : s->bytes;
        struct str part = str_first(rest, s->bytes - skip);
        head -= skip;
        rest = str_from(rest, part.n);
        uint64_t times = s->kind == STEP_REPEAT ? (s->times ? s->times : UINT64_MAX) : 1;
        for (uint64_t k = 0; k < times && out->n < max; k++)
            buf_add(out, part);
    }
    assert_rc(buf_rc(out), RC_OK);
}

static void errors_come_with_their_status(void **state)
{
    (void)state;
    static const struct {
        const char *host;
        uint16_t status;
    } rows[] = {
        {"none404.f52.test", 404}, {"none401.f52.test", 401}, {"none403.f52.test", 403},
        {"none410.f52.test", 410}, {"e500.f53.test", 500},    {"e503.f53.test", 503},
        {"moved.f54.test", 301},   {"lawless.f54.test", 404}, {"rules.f54.test", 200},
    };
    struct visit v = visit_open();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        visit_get(&v, rows[i].host, "/robots.txt");
        assert_int_equal(v.reply.status, rows[i].status);
    }
    visit_close(&v);
}

static void failures_are_no_answers(void **state)
{
    (void)state;
    struct visit v = visit_open();
    visit_get(&v, "hold.f53.test", "/robots.txt");
    assert_int_equal(v.reply.steps[0].kind, STEP_HOLD);
    visit_get(&v, "reset.f53.test", "/robots.txt");
    assert_int_equal(v.reply.steps[0].kind, STEP_RESET);
    visit_get(&v, "close.f53.test", "/robots.txt");
    assert_int_equal(v.reply.steps[0].kind, STEP_CLOSE);
    visit_get(&v, "turned.f53.test", "/robots.txt");
    assert_int_equal(v.reply.status, 200);
    v.nth = 1;
    visit_get(&v, "turned.f53.test", "/robots.txt");
    assert_int_equal(v.reply.status, 503);
    visit_close(&v);
}

static unsigned hops_to_rules(struct visit *v, const char *host)
{
    char path[64] = "/robots.txt";
    for (unsigned hops = 0; hops < 50; hops++) {
        visit_get(v, host, path);
        if (v->reply.status == 200)
            return hops;
        struct str to = visit_header(v, "Location");
        assert_true(to.n > 0 && to.n < sizeof path);
        memset(path, 0, sizeof path);
        memcpy(path, to.p, to.n);
    }
    return 50;
}

static void chains_are_as_long_as_they_say(void **state)
{
    (void)state;
    struct visit v = visit_open();
    assert_int_equal(hops_to_rules(&v, "chain5.f54.test"), 5);
    assert_int_equal(hops_to_rules(&v, "chain6.f54.test"), 6);
    assert_int_equal(hops_to_rules(&v, "loop.f54.test"), 50);
    visit_close(&v);
}

/* Cut at 500 KiB the file ends in "Disallow: /s"; no line is broken elsewhere. */
static void the_limit_cuts_a_rule_that_would_then_forbid_more(void **state)
{
    (void)state;
    static const char *const hosts[] = {"k600.f55.test", "m50.f55.test", "endless.f55.test"};
    struct visit v = visit_open();
    for (size_t i = 0; i < 3; i++) {
        struct buf body;
        visit_get(&v, hosts[i], "/robots.txt");
        body_of(&v, ROBOTS_600K_BYTES, &body);
        struct str cut = str_first(buf_str(&body), ROBOTS_READ_BYTES);
        assert_true(str_ends(cut, STR("\nDisallow: /s")));
        assert_true(str_starts(cut, STR("User-agent: *\nDisallow: /early/\n#")));
        struct str late = STR("\nDisallow: /late/\n");
        assert_true(str_find_str(cut, late) == cut.n);
        assert_true(str_find_str(buf_str(&body), late) < body.n);
        if (i == 0)
            assert_str(visit_header(&v, "Content-Length"), STR("614400"));
        if (i == 0)
            assert_int_equal(body.n, ROBOTS_600K_BYTES);
        buf_done(&body);
    }
    assert_null(visit_header(&v, "Content-Length").p);
    v.knobs.scale = 1;
    visit_get(&v, "m50.f55.test", "/robots.txt");
    assert_str(visit_header(&v, "Content-Length"), STR("52428800"));
    assert_true(v.reply.bytes.n < 10000); /* it is repeated, not written out */
    visit_close(&v);
}

static void files_hold_the_bytes_they_are_about(void **state)
{
    (void)state;
    static const struct {
        const char *host;
        struct str has;
    } rows[] = {
        {"bom.f57.test", STR("\r\n\r\n\357\273\277User-agent: *\n")},
        {"utf16.f57.test", STR("\377\376U\0s\0e\0r\0")},
        {"cr.f57.test", STR("*\rDisallow: /private/\r")},
        {"crlf.f57.test", STR("*\r\nDisallow: /private/\r\n")},
        {"nul.f57.test", STR("Dis\0allow: /page\nDisallow: /private/\n")},
        {"latin1.f57.test", STR("/caf\351/\n")},
        {"html.f56.test", STR("text/html")},
        {"image.f56.test", STR("\211PNG\r\n\032\n")},
        {"dollar.f58.test", STR("/mid$dle\n")},
        {"typo.f59.test", STR("Dissallow: /typo/\n")},
        {"nocolon.f59.test", STR("Disallow /nocolon/\n")},
        {"empty.f59.test", STR("Disallow:\n")},
        {"fifth.f60.test", STR("Crawl-delay: 0.2\n")},
        {"decades.f60.test", STR("Crawl-delay: 1000000000\n")},
    };
    struct visit v = visit_open();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        visit_get(&v, rows[i].host, "/robots.txt");
        assert_int_equal(v.reply.status, 200);
        struct str all = visit_bytes(&v);
        assert_true(str_find_str(all, rows[i].has) < all.n);
    }
    visit_close(&v);
}

static void many_rules_are_as_many_as_the_scale_says(void **state)
{
    (void)state;
    struct visit v = visit_open();
    visit_get(&v, "rules.f58.test", "/robots.txt");
    assert_true(visit_has(&v, "Disallow: /d/000999/\n"));
    assert_false(visit_has(&v, "Disallow: /d/001000/\n"));
    v.knobs.scale = 1;
    visit_get(&v, "rules.f58.test", "/robots.txt");
    assert_true(visit_has(&v, "Disallow: /d/099999/\n"));
    visit_get(&v, "longline.f58.test", "/robots.txt");
    assert_true(v.reply.bytes.n > 120000);
    visit_close(&v);
}

static void rules_change_with_the_second_visit(void **state)
{
    (void)state;
    struct visit v = visit_open();
    visit_get(&v, "closing.f61.test", "/robots.txt");
    assert_false(visit_has(&v, "/queued/"));
    v.nth = 1;
    visit_get(&v, "closing.f61.test", "/robots.txt");
    assert_true(visit_has(&v, "/queued/"));
    visit_get(&v, "opening.f61.test", "/robots.txt");
    assert_true(visit_has(&v, "/later/"));
    v.nth = 5;
    visit_get(&v, "opening.f61.test", "/robots.txt");
    assert_false(visit_has(&v, "/later/"));
    visit_close(&v);
}

static void on_an_ordinary_host_only_robots_txt_is_taken_over(void **state)
{
    (void)state;
    struct visit v = visit_open();
    const struct fault *f = fault_named("F53");
    assert_true(visit_ask(&v, f, STR("e503"), "www.heron7.test", "/robots.txt"));
    assert_false(visit_ask(&v, f, STR("e503"), "www.heron7.test", "/"));
    assert_false(visit_ask(&v, f, STR("e503"), "www.heron7.test", "/private/page-7.html"));
    visit_close(&v);
}

static enum rc ask_for_long_ones(void *ctx)
{
    struct visit *v = ctx;
    static const char *const hosts[] = {"rules.f58.test", "longline.f58.test", "k600.f55.test"};
    reply_init(&v->reply);
    enum rc rc = RC_OK;
    for (size_t i = 0; i < 3 && rc == RC_OK; i++) {
        struct str label = STR_NONE;
        const struct fault *f = fault_of_host(v->made.world, str_c(hosts[i]), &label);
        assert_true(visit_ask(v, f, label, hosts[i], "/robots.txt"));
        rc = buf_rc(&v->reply.bytes);
    }
    reply_done(&v->reply);
    return rc;
}

static void without_memory_the_reply_says_so(void **state)
{
    (void)state;
    struct visit v = visit_open();
    reply_done(&v.reply);
    test_each_allocation_fails(ask_for_long_ones, &v);
    reply_init(&v.reply);
    visit_close(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_come_with_their_status),
        cmocka_unit_test(failures_are_no_answers),
        cmocka_unit_test(chains_are_as_long_as_they_say),
        cmocka_unit_test(the_limit_cuts_a_rule_that_would_then_forbid_more),
        cmocka_unit_test(files_hold_the_bytes_they_are_about),
        cmocka_unit_test(many_rules_are_as_many_as_the_scale_says),
        cmocka_unit_test(rules_change_with_the_second_visit),
        cmocka_unit_test(on_an_ordinary_host_only_robots_txt_is_taken_over),
        cmocka_unit_test(without_memory_the_reply_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
