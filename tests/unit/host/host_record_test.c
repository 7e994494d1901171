/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/ledger/batch_test.c has the record of a frontier's host; here it stands alone. */
#include "host/host_redirect.h"
#include "lib/test.h"

#include "base/mem.h"

static struct robots *rules_of(const char *body)
{
    struct robots *rules = NULL;
    assert_rc(robots_parse(str_c(body), STR("orbweaver"), &rules), RC_OK);
    return rules;
}

static struct host_record *full_record(void)
{
    struct host_record *c = host_record_open();
    assert_non_null(c);
    c->pages = 5;
    c->bytes = 1u << 31;
    c->failures = 2;
    c->tries = 1;
    c->tries_key = 77;
    c->tried_count = 2;
    c->tried = mem_zero(2, sizeof *c->tried);
    assert_non_null(c->tried);
    c->tried[0] = (struct host_tried){UINT64_MAX, 3};
    c->tried[1] = (struct host_tried){5, UINT32_MAX};
    c->dead_code = -8;
    c->is_listed = true;
    c->http = HOST_HTTP_2;
    host_redirect_set(c, true, 8443, STR("http://b.test/r"), 2);
    c->brought = (struct brought){1, 2, 3};
    assert_rc(host_record_set_robots(c, false, 0, rules_of("User-agent: *\nCrawl-delay: 3\n"),
                                     false, 1000),
              RC_OK);
    assert_rc(host_record_set_robots(c, true, 8443, NULL, true, 2000), RC_OK);
    struct host_origin *o = host_origin_of(c, true, 8443, true);
    assert_non_null(o);
    *o = (struct host_origin){
        .port = 8443, .is_https = true, .failures = 4, .dead_code = -2, .trial = 9, .next_ms = 150};
    return c;
}

static const struct host_record_clocks then = {100, 5000, 1000}, now = {7, 5010, 1000};

static void a_record_comes_back_as_it_was(void **state)
{
    (void)state;
    struct host_record *c = full_record(), *copy = host_record_open();
    struct buf bytes = {.max = 1 << 20};
    host_record_write_all(c, &then, true, &bytes);
    for (size_t cut = 0; cut < bytes.n; cut++)
        assert_true(host_record_read_all(copy, &now, str_first(buf_str(&bytes), cut)) != RC_OK);
    assert_rc(host_record_read_all(copy, &now, buf_str(&bytes)), RC_OK);
    assert_true(copy->pages == 5 && copy->bytes == 1u << 31 && copy->failures == 2);
    assert_true(copy->tries_key == 77 && copy->tried_count == 2);
    assert_true(copy->tried[0].key == UINT64_MAX && copy->tried[0].tries == 3);
    assert_true(copy->tried[1].key == 5 && copy->tried[1].tries == UINT32_MAX);
    assert_true(copy->tries == 1 && copy->dead_code == -8 && copy->is_listed);
    assert_int_equal(copy->http, HOST_HTTP_2);
    assert_memory_equal(&copy->brought, &c->brought, sizeof c->brought);
    const struct host_redirect *to = host_redirect_of(copy, true, 8443);
    assert_true(to && to->count == 2);
    assert_str(str_make(to->url, to->url_bytes), STR("http://b.test/r"));
    const struct host_robots *r = host_robots_of(copy, true, 8443);
    assert_true(r && r->is_failing && !r->rules && r->asked_wall_ms == 2000 && r->failures == 1);
    assert_int_equal(host_record_delay_ms(copy), 3000);
    const struct host_origin *o = host_origin_of(copy, true, 8443, false);
    assert_true(o && o->failures == 4 && o->dead_code == -2);
    assert_true(o->trial == 0 && o->next_ms == 47); /* 50 then, of which 10 have passed */
    assert_int_equal(host_record_bytes(copy), host_record_bytes(c));
    host_record_close(c);
    host_record_close(copy);
    buf_done(&bytes);
}

static void a_moment_too_far_away_is_cut(void **state)
{
    (void)state;
    struct host_record *c = full_record(), *copy = host_record_open();
    struct host_record_clocks soon = {7, 5010, 5};
    struct buf bytes = {.max = 1 << 20};
    host_record_write_all(c, &then, false, &bytes);
    assert_rc(host_record_read_all(copy, &soon, buf_str(&bytes)), RC_OK);
    assert_int_equal(host_origin_of(copy, true, 8443, false)->next_ms, 7 + 5);
    assert_int_equal(copy->robots_count, 0);
    host_record_close(c);
    host_record_close(copy);
    buf_done(&bytes);
}

static void bytes_that_are_no_record_are_refused(void **state)
{
    (void)state;
    struct host_record *c = full_record(), *copy = host_record_open();
    struct buf bytes = {.max = 1 << 20};
    host_record_write(c, true, &bytes);
    assert_rc(host_record_read(copy, buf_str(&bytes)), RC_OK);
    assert_rc(host_record_read(copy, STR("")), RC_CORRUPT);
    bytes.p[1] |= 4; /* a flag of a later version */
    assert_rc(host_record_read(copy, buf_str(&bytes)), RC_CORRUPT);
    bytes.p[1] = (char)(bytes.p[1] & ~4);
    bytes.p[0] = 77;
    assert_rc(host_record_read(copy, buf_str(&bytes)), RC_VERSION);
    assert_int_equal(copy->pages, 5); /* what was there stays */
    size_t tried_at = 1 + 1 + 8 + 8 + 4 + 4 + 4 + 24 + 8, http_at = tried_at + 1 + 2 * 12,
           redirect_at = http_at + 1, count_at = redirect_at + 8 + sizeof "http://b.test/r" - 1;
    bytes.p[0] = 6;
    assert_rc(host_record_read(copy, buf_str(&bytes)), RC_OK);
    bytes.p[http_at] = HOST_HTTP_STATES_;
    assert_rc(host_record_read(copy, buf_str(&bytes)), RC_CORRUPT);
    assert_int_equal(copy->http, HOST_HTTP_2);
    bytes.p[http_at] = HOST_HTTP_1_1_ONLY;
    assert_rc(host_record_read(copy, buf_str(&bytes)), RC_OK);
    assert_int_equal(copy->http, HOST_HTTP_1_1_ONLY);
    bytes.p[redirect_at + 2] = 2; /* neither http nor https */
    assert_rc(host_record_read(copy, buf_str(&bytes)), RC_CORRUPT);
    assert_non_null(host_redirect_of(copy, true, 8443));
    bytes.p[redirect_at + 2] = 1;
    bytes.p[count_at] = HOST_RECORD_MAX_ORIGINS + 1;
    assert_rc(host_record_read(copy, buf_str(&bytes)), RC_CORRUPT);
    bytes.p[count_at] = 2;
    bytes.p[tried_at] = HOST_RECORD_MAX_TRIED + 1;
    assert_rc(host_record_read(copy, buf_str(&bytes)), RC_CORRUPT);
    assert_int_equal(copy->tried_count, 2);
    bytes.p[0] = 2; /* of host_record_read_all */
    assert_rc(host_record_read(copy, buf_str(&bytes)), RC_VERSION);
    host_record_close(c);
    host_record_close(copy);
    buf_done(&bytes);
}

/* The form that has all there is to tell, and no later one: earlier versions read it too. */
static void a_record_is_written_in_the_oldest_form_that_does(void **state)
{
    (void)state;
    struct host_record *c = host_record_open(), *full = full_record();
    struct buf bytes = {.max = 1 << 20};
    c->tries = 3; /* as an earlier version has it, without the URL */
    host_record_write(c, false, &bytes);
    assert_true(bytes.p[0] == 1 && bytes.n == 1 + 1 + 8 + 8 + 4 + 4 + 4);
    assert_rc(host_record_read(full, buf_str(&bytes)), RC_OK); /* in place of what it had */
    assert_true(full->tries == 3 && !full->tries_key && !full->tried_count && !full->tried);
    assert_int_equal(full->robots_count, 2); /* the rules stay */
    c->brought.sitemaps = 1;
    buf_clear(&bytes);
    host_record_write(c, false, &bytes);
    assert_int_equal(bytes.p[0], 3);
    c->tries_key = 9;
    buf_clear(&bytes);
    host_record_write(c, false, &bytes);
    assert_int_equal(bytes.p[0], 4);
    assert_rc(host_record_read(full, buf_str(&bytes)), RC_OK);
    assert_true(full->tries == 3 && full->tries_key == 9 && full->brought.sitemaps == 1);
    assert_int_equal(full->http, HOST_HTTP_1_1); /* an earlier version knew nothing of it */
    c->http = HOST_HTTP_TRIAL;
    buf_clear(&bytes);
    host_record_write(c, false, &bytes);
    assert_int_equal(bytes.p[0], 5);
    assert_rc(host_record_read(full, buf_str(&bytes)), RC_OK);
    assert_true(full->http == HOST_HTTP_TRIAL && full->tries_key == 9);
    assert_null(full->redirect); /* in place of what it had, too */
    host_redirect_set(c, false, 0, STR("http://b.test/"), 1);
    buf_clear(&bytes);
    host_record_write(c, false, &bytes);
    assert_int_equal(bytes.p[0], 6);
    assert_rc(host_record_read(full, buf_str(&bytes)), RC_OK);
    assert_non_null(host_redirect_of(full, false, 0));
    host_record_close(c);
    host_record_close(full);
    buf_done(&bytes);
}

static void an_origin_twice_is_no_record(void **state)
{
    (void)state;
    struct host_record *c = host_record_open(), *copy = host_record_open();
    struct buf bytes = {.max = 1 << 20};
    assert_rc(host_record_set_robots(c, false, 1, NULL, true, 1), RC_OK);
    assert_rc(host_record_set_robots(c, false, 2, NULL, true, 1), RC_OK);
    c->robots[1].port = 1;
    host_record_write(c, true, &bytes);
    assert_rc(host_record_read(copy, buf_str(&bytes)), RC_CORRUPT);
    host_record_close(c);
    host_record_close(copy);
    buf_done(&bytes);
}

static void the_oldest_rules_make_way(void **state)
{
    (void)state;
    struct host_record *c = host_record_open();
    for (uint16_t i = 0; i < HOST_RECORD_MAX_ORIGINS; i++)
        assert_rc(host_record_set_robots(c, false, i, rules_of(""), false, i == 5 ? 1 : 100 + i),
                  RC_OK);
    assert_rc(host_record_set_robots(c, true, 0, NULL, true, 900), RC_OK);
    assert_int_equal(c->robots_count, HOST_RECORD_MAX_ORIGINS);
    assert_true(!host_robots_of(c, false, 5) && host_robots_of(c, true, 0));
    assert_rc(host_record_set_robots(c, false, 0, NULL, true, 950), RC_OK); /* its rules stay */
    assert_rc(host_record_set_robots(c, false, 0, NULL, true, 960), RC_OK);
    const struct host_robots *r = host_robots_of(c, false, 0);
    assert_true(r->rules && r->failures == 2 && r->had_wall_ms == 100 && r->asked_wall_ms == 960);
    host_record_close(c);
}

static void only_so_many_origins_are_known(void **state)
{
    (void)state;
    struct host_record *c = host_record_open();
    for (uint16_t i = 0; i < HOST_RECORD_MAX_ORIGINS; i++)
        assert_non_null(host_origin_of(c, true, i, true));
    assert_null(host_origin_of(c, false, 0, true));
    assert_non_null(host_origin_of(c, true, 3, true));
    host_origin_is_well(c, false, 0); /* not known: nothing happens */
    host_origin_of(c, true, 3, false)->failures = 3;
    host_origin_is_well(c, true, 3);
    assert_int_equal(host_origin_of(c, true, 3, false)->failures, 0);
    host_record_close(c);
}

static void addresses_are_kept_until_their_moment(void **state)
{
    (void)state;
    struct host_record *c = host_record_open();
    struct address list[6];
    memset(list, 0, sizeof list);
    for (size_t i = 0; i < 6; i++)
        list[i].bytes[0] = (uint8_t)(i + 1);
    host_record_set_addresses(c, list, 0, 50);
    assert_false(host_record_has_addresses(c, 10));
    mem_fault_at(1);
    host_record_set_addresses(c, list, 6, 50);
    mem_fault_at(0);
    assert_false(host_record_has_addresses(c, 10));
    host_record_set_addresses(c, list, 6, 50);
    assert_true(host_record_has_addresses(c, 49) && !host_record_has_addresses(c, 50));
    assert_int_equal(c->address_count, HOST_RECORD_MAX_ADDRESSES);
    assert_int_equal(c->addresses[3].bytes[0], 4);
    host_record_set_addresses(c, list + 5, 1, 90);
    assert_true(c->address_count == 1 && c->addresses[0].bytes[0] == 6);
    host_record_close(c);
    host_record_close(NULL);
}

static enum rc read_steps(void *ctx)
{
    struct host_record *copy = host_record_open();
    enum rc rc = copy ? host_record_read_all(copy, &now, buf_str(ctx)) : RC_NOMEM;
    host_record_close(copy);
    return rc;
}

static void without_memory_nothing_leaks(void **state)
{
    (void)state;
    struct host_record *c = full_record();
    struct buf bytes = {.max = 1 << 20};
    host_record_write_all(c, &then, true, &bytes);
    test_each_allocation_fails(read_steps, &bytes);
    host_record_close(c);
    buf_done(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_record_comes_back_as_it_was),
        cmocka_unit_test(a_moment_too_far_away_is_cut),
        cmocka_unit_test(a_record_is_written_in_the_oldest_form_that_does),
        cmocka_unit_test(bytes_that_are_no_record_are_refused),
        cmocka_unit_test(an_origin_twice_is_no_record),
        cmocka_unit_test(the_oldest_rules_make_way),
        cmocka_unit_test(only_so_many_origins_are_known),
        cmocka_unit_test(addresses_are_kept_until_their_moment),
        cmocka_unit_test(without_memory_nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
