/* SPDX-License-Identifier: Apache-2.0 */
#include "ledger/seed.h"

#include "lib/test.h"
#include "url/idn.h"

#include <stdio.h>

struct row {
    const char *name;
    const char *text;
    const char *url;   /* NULL: it is refused */
    const char *why;   /* part of the reason */
    const char *shown; /* as it may be logged; NULL: as it was written */
};

#define LOGIN "user name or password"
#define SCHEME "neither http nor https"
#define PATH "path of a file"
#define PORT "port is never asked"

static const struct row rows[] = {
    {"a URL", "https://example.org/a?b#c", "https://example.org/a?b#c", NULL, NULL},
    {"blanks around it", " \thttp://a.test/ \r\n", "http://a.test/", NULL,
     " \\u0009http://a.test/ \\u000d\\u000a"},
    {"a host alone", "example.org", "http://example.org/", NULL, NULL},
    {"a host and a path", "example.org/x?y=http://z", "http://example.org/x?y=http://z", NULL,
     NULL},
    {"a host, a port and a path", "example.org:8080/x", "http://example.org:8080/x", NULL, NULL},
    {"a name without dots and a port", "localhost:8080", "http://localhost:8080/", NULL, NULL},
    {"a port and a query", "localhost:8080?q", "http://localhost:8080/?q", NULL, NULL},
    {"an address and a port", "127.0.0.1:8080", "http://127.0.0.1:8080/", NULL, NULL},
    {"IPv6", "[::1]:8080/x", "http://[::1]:8080/x", NULL, NULL},
    {"IPv6 with a scheme", "https://[2001:db8::1]/", "https://[2001:db8::1]/", NULL, NULL},
    {"IPv6 without brackets", "2001:db8::1", NULL, "port", NULL},
    {"no scheme, but slashes", "//example.org/x", "http://example.org/x", NULL, NULL},
    {"one slash too few", "http:/example.org/", "http://example.org/", NULL, NULL},
    {"no slashes", "https:example.org", "https://example.org/", NULL, NULL},
    {"a scheme in capitals", "HTTP://Example.ORG", "http://example.org/", NULL, NULL},
    {"an international name",
     "http://b\xc3\xbc"
     "cher.example/",
     "http://xn--bcher-kva.example/", NULL, NULL},
    {"an international name and a port",
     "b\xc3\xbc"
     "cher.example:8080",
     "http://xn--bcher-kva.example:8080/", NULL, NULL},
    {"a space in the path", "example.org/a b", "http://example.org/a%20b", NULL, NULL},
    {"an @ in the path", "https://example.org/@me", "https://example.org/@me", NULL,
     "https://***@me"},
    {"a port that is written and usual", "http://a.test:80/", "http://a.test/", NULL, NULL},

    {"mail", "mailto:a@b.c", NULL, SCHEME, NULL},
    {"a script", "javascript:alert(1)", NULL, SCHEME, NULL},
    {"data", "data:text/html,<p>", NULL, SCHEME, NULL},
    {"a phone", "tel:5551234", NULL, SCHEME, NULL},
    {"a phone abroad", "tel:+49-30-1", NULL, SCHEME, NULL},
    {"ftp", "ftp://example.org/", NULL, SCHEME, NULL},
    {"a file", "file:///etc/passwd", NULL, SCHEME, NULL},
    {"an app", "android-app://com.example/http/x", NULL, SCHEME, NULL},
    {"view-source", "view-source:http://a.test/", NULL, SCHEME, NULL},
    {"an unknown scheme", "localhost:x", NULL, SCHEME, NULL},
    {"a host with a bad port", "example.org:http", NULL, "port", NULL},
    {"a scheme alone", "https:", NULL, "host", NULL},
    {"a scheme and slashes alone", "http://", NULL, "host", NULL},

    {"a path", "/etc/hosts", NULL, PATH, NULL},
    {"a path from here", "./seeds.txt", NULL, PATH, NULL},
    {"a path from above", "../seeds.txt", NULL, PATH, NULL},
    {"a path of Windows", "C:\\seeds.txt", NULL, PATH, NULL},
    {"another path of Windows", "c:/seeds.txt", NULL, PATH, NULL},
    {"a share of Windows", "\\\\server\\share", NULL, PATH, NULL},
    {"a host of one letter", "a:8080", "http://a:8080/", NULL, NULL},

    {"name and password", "http://user:secret@a.test/", NULL, LOGIN, "http://***@a.test/"},
    {"a name alone", "https://user@a.test/x", NULL, LOGIN, "https://***@a.test/x"},
    {"an empty name", "http://:secret@a.test/", NULL, LOGIN, "http://***@a.test/"},
    {"a name without a scheme", "user@a.test", NULL, LOGIN, "***@a.test"},
    {"name and password without a scheme", "user:secret@a.test", NULL, LOGIN, "***@a.test"},
    {"a password of digits", "user:1234@a.test", NULL, LOGIN, "***@a.test"},
    {"a password with a slash, no scheme", "user:se/cret@a.test", NULL, LOGIN, "***@a.test"},
    {"a call", "sip:joe@a.test", NULL, SCHEME, "***@a.test"},
    {"a source with a password", "view-source:http://a:b@c.test", NULL, SCHEME, "***@c.test"},
    {"a password with a slash", "http://user:se/cret@a.test/", NULL, "port", "http://***@a.test/"},
    {"a password with an @", "http://user:se@cret@a.test/", NULL, LOGIN, "http://***@a.test/"},
    {"a password and slashes", "//user:secret@a.test/", NULL, LOGIN, "***@a.test/"},

    {"mail's port", "http://a.test:25/", NULL, PORT, NULL},
    {"X11's port, no scheme", "a.test:6000", NULL, PORT, NULL},
    {"port 0", "http://a.test:0/", NULL, PORT, NULL},
    {"a port too large", "http://a.test:70000/", NULL, "port", NULL},

    {"nothing", "", NULL, "empty", NULL},
    {"blanks", " \t", NULL, "empty", " \\u0009"},
    {"bytes that are no UTF-8", "http://a.test/\xe9", NULL, "UTF-8", "http://a.test/\xef\xbf\xbd"},
    {"two words", "no host", NULL, "character", NULL},
    {"a colour for the terminal", "\x1b[31mftp://x", NULL, "character", "\\u001b[31mftp://x"},
};

static void each_text_is_a_url_or_says_why_not(void **state)
{
    (void)state;
    static char room[URL_ROOM_BYTES];
    struct url_idn *idn = NULL;
    struct score score = {.set = "seeds"};
    assert_rc(url_idn_open(&idn), RC_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *r = &rows[i];
        struct url u;
        const char *why = "";
        enum rc rc = seed_read(str_c(r->text), idn, (struct url_room){room, sizeof room}, &u, &why);
        bool is_good = r->url ? rc == RC_OK && str_eq(url_href(&u), str_c(r->url))
                              : rc == RC_INVALID && strstr(why, r->why);
        struct buf shown = {.max = 4096};
        seed_print(str_c(r->text), &shown);
        bool is_shown = str_eq(buf_str(&shown), str_c(r->shown ? r->shown : r->text));
        score_row(&score, is_good && is_shown, "%s: %d " STR_FMT " (%s), shown as " STR_FMT,
                  r->name, rc, STR_ARG(rc ? STR("-") : url_href(&u)), why,
                  STR_ARG(buf_str(&shown)));
        buf_done(&shown);
    }
    score_end(&score, sizeof rows / sizeof *rows);
    url_idn_close(idn);
}

static void long_texts_are_refused_and_cut_where_they_are_shown(void **state)
{
    (void)state;
    static char room[URL_ROOM_BYTES], text[URL_MAX_BYTES + 100];
    static const size_t lengths[] = {65100, URL_MAX_BYTES - 7, URL_MAX_BYTES, sizeof text};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        memset(text, 'a', sizeof text);
        memcpy(text, "a.test/", 7);
        struct str seed = str_make(text, lengths[i]);
        struct buf shown = {.max = 4096};
        struct url u;
        const char *why = "";
        assert_rc(seed_read(seed, NULL, (struct url_room){room, sizeof room}, &u, &why),
                  RC_INVALID);
        assert_non_null(strstr(why, "long"));
        seed_print(seed, &shown);
        assert_true(shown.n < 300);
        buf_done(&shown);
    }
}

static void a_line_has_a_seed_without_comment_and_mark(void **state)
{
    (void)state;
    static const struct {
        const char *line, *seed;
    } lines[] = {
        {"http://a.test/", "http://a.test/"},
        {"  http://a.test/  # mine", "http://a.test/"},
        {"\xef\xbb\xbfhttp://a.test/", "http://a.test/"},
        {"http://a.test/#part", "http://a.test/#part"},
        {"# nothing", ""},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        assert_true(str_eq(seed_line(str_c(lines[i].line)), str_c(lines[i].seed)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_text_is_a_url_or_says_why_not),
        cmocka_unit_test(long_texts_are_refused_and_cut_where_they_are_shown),
        cmocka_unit_test(a_line_has_a_seed_without_comment_and_mark),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
