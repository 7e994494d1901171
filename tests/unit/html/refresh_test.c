/* SPDX-License-Identifier: Apache-2.0 */
#include "html/refresh.h"

#include "lib/test.h"

struct row {
    const char *name, *content, *url; /* url NULL: none */
};

static const struct row rows[] = {
    {"seconds, semicolon, url=", "5; url=/next", "/next"},
    {"no white space at all", "5;url=/next", "/next"},
    {"a comma does as well", "5, url=/next", "/next"},
    {"white space alone does as well", "5 url=/next", "/next"},
    {"without url= the rest is the address", "0; /next", "/next"},
    {"URL in capitals and white space around the sign", "0;URL  =  /next", "/next"},
    {"single quotes are taken off", "0; url='/a b'", "/a b"},
    {"double quotes are taken off, and what follows them", "0; url=\"/a\" target=b", "/a"},
    {"a quote never closed", "0; url='/a", "/a"},
    {"quotes without url=", "0; '/a'", "/a"},
    {"an address that begins with u", "0; up/there", "up/there"},
    {"an address that begins with url", "0; urls.html", "urls.html"},
    {"url without a sign is an address", "0; url", "url"},
    {"no quotes are taken off behind a false url=", "0; u'x'", "u'x'"},
    {"a second semicolon belongs to the address", "0;; url=/a", "; url=/a"},
    {"a fraction of a second", "0.5; url=/a", "/a"},
    {"a fraction without seconds", ".5; url=/a", "/a"},
    {"dots as one likes", "1.2.3; url=/a", "/a"},
    {"leading white space", " \n\t0; url=/a", "/a"},
    {"an absolute address with its own semicolon", "0; http://x/a;b", "http://x/a;b"},
    {"only seconds", "30", NULL},
    {"seconds and a semicolon", "30;", NULL},
    {"an empty address", "30; url=", NULL},
    {"an empty address in quotes", "30; url=''", NULL},
    {"nothing", "", NULL},
    {"no seconds", "; url=/a", NULL},
    {"no seconds, only the address", "url=/a", NULL},
    {"negative seconds", "-1; url=/a", NULL},
    {"letters right behind the seconds", "5s; url=/a", NULL},
};

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct str url = STR_NONE;
        bool found = refresh_url(str_c(rows[i].content), &url);
        if (found != (rows[i].url != NULL))
            fail_msg("%s: found %d", rows[i].name, found);
        if (found)
            assert_str(url, str_c(rows[i].url));
    }
}

static void test_absent_content(void **state)
{
    (void)state;
    struct str url;
    assert_false(refresh_url(STR_NONE, &url));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_absent_content),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
