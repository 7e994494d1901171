/* SPDX-License-Identifier: Apache-2.0 */
/* References become URLs, each once; and what is said to be a URL is normalised all the same. */
#include "scope/link_urls.h"

#include "lib/test.h"
#include "url/normalise.h"

enum { HOST_BYTES = 60, PATH_BYTES = 100, LINK_BYTES = 300 };

static struct link_urls *urls;
static struct url page;
static char page_room[URL_ROOM_BYTES];

static int open_urls(void **state)
{
    (void)state;
    struct url_parser parser = {0};
    urls = link_urls_open(&(struct link_urls_settings){.rules = URL_RULES_DEFAULT,
                                                       .host_bytes = HOST_BYTES,
                                                       .path_bytes = PATH_BYTES,
                                                       .link_bytes = LINK_BYTES});
    return !urls || url_parse(&parser, STR("http://a.test/dir/page"), NULL,
                              (struct url_room){page_room, sizeof page_room}, &page) != RC_OK;
}

static int close_urls(void **state)
{
    (void)state;
    link_urls_close(urls);
    return 0;
}

static void begin(const char *base, const char *charset, bool are_urls)
{
    struct link_urls_source s = {.page = &page,
                                 .base = base ? str_c(base) : STR_NONE,
                                 .charset = charset,
                                 .are_urls = are_urls};
    assert_rc(link_urls_begin(urls, &s, 50), RC_OK);
}

/* The URL of the reference; NULL: nothing is made of it. */
static const char *next(const char *raw)
{
    struct url u;
    uint64_t fingerprint;
    struct link_reference r = {.raw = str_c(raw), .hop = 'L'};
    if (!link_urls_next(urls, &r, &u, &fingerprint))
        return NULL;
    assert_true(fingerprint == url_fingerprint(&u));
    return u.p;
}

static void a_reference_is_resolved_and_normalised_and_counts_once(void **state)
{
    (void)state;
    begin(NULL, NULL, false);
    assert_string_equal(next("../x?b=1&utm_source=y#z"), "http://a.test/x?b=1");
    assert_null(next("/x?b=1"));
    assert_null(next("mailto:x@a.test"));
    assert_null(next("http://"));
    assert_false(link_urls_end(urls));
    begin("/other/", NULL, false);
    assert_string_equal(next("x?b=1"), "http://a.test/other/x?b=1"); /* of another page */
    assert_false(link_urls_end(urls));
    begin("mailto:x", NULL, false);
    assert_string_equal(next("x"), "http://a.test/dir/x");
    assert_false(link_urls_end(urls));
}

static void a_query_is_in_the_encoding_of_its_page_unless_it_is_a_url_already(void **state)
{
    (void)state;
    begin(NULL, "windows-1252", false);
    assert_string_equal(next("?q=\xc3\xa4"), "http://a.test/dir/page?q=%E4");
    assert_false(link_urls_end(urls));
    begin(NULL, "windows-1252", true);
    assert_string_equal(next("http://b.test/?q=%E4"), "http://b.test/?q=%E4");
    assert_false(link_urls_end(urls));
}

static void what_a_frontier_cannot_hold_is_left_out(void **state)
{
    (void)state;
    static char host[HOST_BYTES + 30], path[PATH_BYTES + 30];
    memcpy(host, "http://", 7);
    for (size_t i = 0; i <= HOST_BYTES; i++)
        host[7 + i] = i % 20 == 19 ? '.' : 'h';
    memcpy(path, "http://a.test/", 14);
    memset(path + 14, 'p', PATH_BYTES);
    begin(NULL, NULL, false);
    assert_null(next(host));
    assert_null(next(path));
    path[13 + PATH_BYTES] = '\0';
    assert_non_null(next(path));
    assert_false(link_urls_end(urls));
}

static void texts_have_a_bound(void **state)
{
    (void)state;
    begin(NULL, NULL, false);
    char raw[90] = "http://a.test/";
    memset(raw + 14, 'x', 75);
    for (int i = 0; i < 3; i++) {
        raw[14] = (char)('a' + i);
        assert_non_null(next(raw));
    }
    raw[14] = 'z';
    assert_null(next(raw));
    assert_non_null(next("/short"));
    assert_true(link_urls_end(urls));
}

/* What another process calls a URL is one, in normal form, or is made one. */
static void what_is_said_to_be_a_url_is_believed_in_nothing(void **state)
{
    (void)state;
    begin(NULL, NULL, true);
    assert_string_equal(next("http://b.test/a?x=1"), "http://b.test/a?x=1");
    assert_string_equal(next("HTTP://B.test:80/./c/../d#e"), "http://b.test/d");
    assert_null(next("http://b.test/%64")); /* the same once more */
    assert_string_equal(next("http://u:p@b.test/e?utm_id=1"), "http://b.test/e");
    assert_string_equal(next("relative"), "http://a.test/dir/relative");
    assert_null(next("javascript:alert(1)"));
    assert_string_equal(next("http://b.test/\r\nx y"), "http://b.test/x%20y");
    assert_false(link_urls_end(urls));
}

/* Making twice is making once: a URL of one is a URL of another. */
static void urls_are_made_of_urls_as_they_are(void **state)
{
    (void)state;
    static const char *const raws[] = {
        "a b",     "//c.test:8080/?q", "?x=%7e&y", "http://[::1]/%zz",
        "x;sid=1", "/a//b/./c/%2e/d",  "?",        "http://1.2.3/"};
    for (size_t i = 0; i < sizeof raws / sizeof *raws; i++) {
        char first[200];
        begin(NULL, NULL, false);
        const char *made = next(raws[i]);
        assert_non_null(made);
        assert_true(strlen(made) < sizeof first);
        memcpy(first, made, strlen(made) + 1);
        assert_false(link_urls_end(urls));
        begin(NULL, NULL, true);
        assert_string_equal(next(first), first);
        assert_false(link_urls_end(urls));
    }
}

static enum rc one_page(void *ctx)
{
    struct link_urls *own = link_urls_open(&(struct link_urls_settings){.link_bytes = 100});
    (void)ctx;
    enum rc rc = own ? link_urls_begin(own, &(struct link_urls_source){0}, 10) : RC_NOMEM;
    if (rc == RC_OK)
        (void)link_urls_end(own);
    link_urls_close(own);
    return rc;
}

static void memory_may_be_short(void **state)
{
    (void)state;
    test_each_allocation_fails(one_page, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reference_is_resolved_and_normalised_and_counts_once),
        cmocka_unit_test(a_query_is_in_the_encoding_of_its_page_unless_it_is_a_url_already),
        cmocka_unit_test(what_a_frontier_cannot_hold_is_left_out),
        cmocka_unit_test(texts_have_a_bound),
        cmocka_unit_test(what_is_said_to_be_a_url_is_believed_in_nothing),
        cmocka_unit_test(urls_are_made_of_urls_as_they_are),
        cmocka_unit_test(memory_may_be_short),
    };
    return cmocka_run_group_tests_name("link_urls", tests, open_urls, close_urls);
}
