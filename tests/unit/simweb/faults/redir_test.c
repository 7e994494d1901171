/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/simweb/faults/visit.h"

struct hop_row {
    const char *name;
    const char *host, *path;
    uint16_t status;
    const char *location;
};

static const struct hop_row hop_rows[] = {
    {"to itself", "f38.test", "/self/308", 308, "/self/308"},
    {"a loop of two", "f38.test", "/two/b", 302, "/two/a"},
    {"a loop of three", "f38.test", "/three/b", 307, "/three/c"},
    {"n leads to n + 1", "f39.test", "/endless?n=41", 302, "/endless?n=42"},
    {"without a number it starts at 1", "f39.test", "/endless", 302, "/endless?n=1"},
    {"a path grows", "f39.test", "/deeper/more/", 301, "/deeper/more/more/"},
    {"the third of four", "f39.test", "/short?n=3", 302, "/short?n=4"},
    {"to another host", "f40.test", "/to-host", 301, "http://other.f40.test:8080/landed"},
    {"to https", "f40.test", "/to-https", 308, "https://secure.f40.test:8443/landed"},
    {"and back", "secure.f40.test", "/back", 307, "http://other.f40.test:8080/landed-from-https"},
    {"file", "f41.test", "/to-file", 302, "file:///told/file/bad"},
    {"javascript", "f41.test", "/to-javascript", 302,
     "javascript:location.href='http://f41.test:8080/told/javascript/bad'"},
    {"data", "f41.test", "/to-data", 302,
     "data:text/html,<a href='http://f41.test:8080/told/data/bad'>a</a>"},
    {"ftp", "f41.test", "/to-ftp", 302, "ftp://f41.test/told/ftp/bad"},
    {"localhost", "f41.test", "/to-localhost", 302, "http://localhost:8080/f41/told/localhost/bad"},
    {"a number", "f41.test", "/to-number", 302, "http://127.0.0.1:8080/f41/told/number/bad"},
    {"a name at 127.0.0.1", "f41.test", "/to-loopback", 302,
     "http://inside.f41.test:8080/told/inside/bad"},
    {"metadata", "f41.test", "/to-metadata", 302, "http://169.254.169.254/latest/meta-data/"},
    {"relative", "f42.test", "/at/relative", 302, "next"},
    {"UTF-8", "f42.test", "/at/utf8", 302, "/told/caf\303\251/good"},
    {"a space", "f42.test", "/at/space", 302, "/told/a space/good"},
    {"a CR", "f42.test", "/at/cr", 302, "/told/c\rr"},
    {"four slashes", "f42.test", "/at/slashes", 302, "http:////f42.test:8080/told/slashes"},
    {"empty", "f42.test", "/at/empty", 302, ""},
    {"a wall", "f43.test", "/wall", 302, "/check"},
    {"and back to it", "f43.test", "/check", 302, "/wall"},
    {"a gate", "f43.test", "/gate?try=8", 302, "/gate?try=9"},
};

static void redirects_lead_where_the_table_says(void **state)
{
    (void)state;
    struct visit v = visit_open();
    for (size_t i = 0; i < sizeof hop_rows / sizeof *hop_rows; i++) {
        const struct hop_row *row = &hop_rows[i];
        print_message("# %s\n", row->name);
        visit_get(&v, row->host, row->path);
        assert_int_equal(v.reply.status, row->status);
        assert_str(visit_header(&v, "Location"), str_c(row->location));
        assert_false(visit_has(&v, "<a href=\"")); /* the body of a redirect tells nothing */
    }
    visit_close(&v);
}

static void below_a_mount_they_stay_below_it(void **state)
{
    (void)state;
    static const struct {
        const char *id, *path, *location;
    } rows[] = {
        {"F38", "/self/301", "/m/self/301"},
        {"F39", "/endless?n=1", "/m/endless?n=2"},
        {"F41", "/to-file", "file:///m/told/file/bad"},
        {"F41", "/to-loopback", "http://inside.f41.test:8080/told/inside/bad"},
        {"F42", "/at/space", "/m/told/a space/good"},
        {"F42", "/at/slashes", "http:////www.heron7.test:8080/m/told/slashes"},
        {"F43", "/gate", "/m/gate?try=1"},
    };
    struct visit v = visit_open();
    v.mount = "/m";
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct fault *f = fault_named(rows[i].id);
        assert_true(visit_ask(&v, f, STR(""), "www.heron7.test", rows[i].path));
        assert_str(visit_header(&v, "Location"), str_c(rows[i].location));
    }
    visit_close(&v);
}

static void a_chain_ends_in_a_page_and_a_missing_location_is_one(void **state)
{
    (void)state;
    struct visit v = visit_open();
    visit_get(&v, "f39.test", "/short?n=4");
    assert_int_equal(v.reply.status, 200);
    assert_true(visit_has(&v, "/told/short/good"));
    visit_get(&v, "f42.test", "/at/missing");
    assert_int_equal(v.reply.status, 301);
    assert_null(visit_header(&v, "Location").p);
    assert_true(visit_has(&v, "/told/missing/good"));
    visit_get(&v, "f42.test", "/at/query?page=2");
    assert_true(visit_has(&v, "/told/query/good"));
    visit_close(&v);
}

static void a_path_that_grows_stops_growing_before_it_breaks(void **state)
{
    (void)state;
    struct visit v = visit_open();
    struct buf path;
    buf_init(&path, 100000);
    buf_add(&path, STR("/deeper/"));
    for (int i = 0; i < 1000; i++)
        buf_add(&path, STR("more/"));
    visit_get(&v, "f39.test", buf_c(&path));
    assert_str(visit_header(&v, "Location"), STR("/deeper/"));
    buf_done(&path);
    visit_close(&v);
}

static void a_cookie_opens_the_wall(void **state)
{
    (void)state;
    struct visit v = visit_open();
    visit_get(&v, "f43.test", "/wall");
    assert_str(visit_header(&v, "Set-Cookie"), STR("seen=1; Path=/"));
    v.request.headers[0] = (struct header){STR("Cookie"), STR("seen=1")};
    v.request.header_count = 1;
    visit_get(&v, "f43.test", "/wall");
    assert_int_equal(v.reply.status, 200);
    visit_close(&v);
}

static void refreshes_are_written_in_the_element(void **state)
{
    (void)state;
    struct visit v = visit_open();
    visit_get(&v, "f44.test", "/refresh/endless?n=7");
    assert_true(visit_has(&v, "content=\"0; url=endless?n=8\""));
    visit_get(&v, "f44.test", "/refresh/quoted");
    assert_true(visit_has(&v, "content=\"5;URL='../told/quoted/good'\""));
    visit_get(&v, "f44.test", "/refresh/header");
    assert_str(visit_header(&v, "Refresh"), STR("0; url=/refresh/header"));
    visit_close(&v);
}

static void the_forbidden_target_is_forbidden_by_its_own_host(void **state)
{
    (void)state;
    struct visit v = visit_open();
    visit_get(&v, "f40.test", "/to-forbidden");
    assert_str(visit_header(&v, "Location"), STR("http://strict.f40.test:8080/private/landed"));
    visit_get(&v, "strict.f40.test", "/robots.txt");
    assert_true(visit_has(&v, "Disallow: /private/"));
    visit_get(&v, "other.f40.test", "/robots.txt");
    assert_int_equal(v.reply.status, 404);
    visit_close(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(redirects_lead_where_the_table_says),
        cmocka_unit_test(below_a_mount_they_stay_below_it),
        cmocka_unit_test(a_chain_ends_in_a_page_and_a_missing_location_is_one),
        cmocka_unit_test(a_path_that_grows_stops_growing_before_it_breaks),
        cmocka_unit_test(a_cookie_opens_the_wall),
        cmocka_unit_test(refreshes_are_written_in_the_element),
        cmocka_unit_test(the_forbidden_target_is_forbidden_by_its_own_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
