/* SPDX-License-Identifier: Apache-2.0 */
/* Parsing, resolving and serialising: the standard's ground in a table of our own, limits, and what
 * must hold for random input. */
#include "conform.h"

#include "base/mem.h"
#include "base/rng.h"
#include "url/encoding.h"
#include "url/idn.h"
#include "url/machine.h"

struct row {
    const char *name, *base, *input, *href; /* NULL href: refused; NULL base: none */
};

static const struct row rows[] = {
    {"an absolute URL is kept", NULL, "http://h/a?b#c", "http://h/a?b#c"},
    {"scheme and host are lowered, the path is not", NULL, "HTTP://EXAMPLE.com/A",
     "http://example.com/A"},
    {"a host alone gets a path", NULL, "https://h", "https://h/"},
    {"white space and controls around it go", NULL, " \x01\thttp://h/ \n", "http://h/"},
    {"tabs and newlines inside go", NULL, "ht\ttp://h/a\r\nb", "http://h/ab"},
    {"the scheme's own port goes", NULL, "https://h:443/", "https://h/"},
    {"another port stays without its zeros", NULL, "http://h:0081/", "http://h:81/"},
    {"an empty port goes", NULL, "http://h:/", "http://h/"},
    {"port 0 is a port", NULL, "http://h:0/", "http://h:0/"},
    {"a port past 65535 is refused", NULL, "http://h:65536/", NULL},
    {"a port that is no number is refused", NULL, "http://h:8a/", NULL},
    {"userinfo is encoded up to the last @", NULL, "http://a@b:c:d@h/", "http://a%40b:c%3Ad@h/"},
    {"empty userinfo goes", NULL, "http://:@h/", "http://h/"},
    {"an empty password goes", NULL, "http://u:@h/", "http://u@h/"},
    {"userinfo without a host is refused", NULL, "http://u@/", NULL},
    {"no host at all is refused", NULL, "http://", NULL},
    {"any number of slashes leads to the host", NULL, "http:\\\\/h", "http://h/"},
    {"backslashes are slashes", NULL, "http://h\\a\\b", "http://h/a/b"},
    {"a backslash in the query is not", NULL, "http://h/?a\\b", "http://h/?a\\b"},
    {"dot-dot stops at the root", NULL, "http://h/../../a", "http://h/a"},
    {"an encoded dot is a dot", NULL, "http://h/a/%2E%2e/b/.%2E/c/%2e", "http://h/c/"},
    {"three dots are a name", NULL, "http://h/.../a", "http://h/.../a"},
    {"dot-dot takes an empty segment too", NULL, "http://h/a//../b", "http://h/a/b"},
    {"a space in the path is encoded", NULL, "http://h/a b", "http://h/a%20b"},
    {"escapes are left as written", NULL, "http://h/%c3%zz%", "http://h/%c3%zz%"},
    {"UTF-8 is encoded", NULL, "http://h/\xc3\xbc?\xc3\xbc#\xc3\xbc",
     "http://h/%C3%BC?%C3%BC#%C3%BC"},
    {"what is not UTF-8 becomes U+FFFD", NULL, "http://h/\xff", "http://h/%EF%BF%BD"},
    {"a tab does not join two halves of a character", NULL, "http://h/\xc3\t\xbc",
     "http://h/%EF%BF%BD%EF%BF%BD"},
    {"the apostrophe is encoded in the query only", NULL, "http://h/'?'#'", "http://h/'?%27#'"},
    {"the query may hold question marks", NULL, "http://h/?a?b", "http://h/?a?b"},
    {"the fragment may hold anything", NULL, "http://h/#?#/..", "http://h/#?#/.."},

    {"a relative name replaces the last segment", "http://h/a/b", "c", "http://h/a/c"},
    {"a relative name drops query and fragment", "http://h/a/b?q#f", "c", "http://h/a/c"},
    {"an absolute path replaces the path", "http://u@h:8/a/b?q", "/c", "http://u@h:8/c"},
    {"dot-dot climbs", "http://h/a/b/c", "../d", "http://h/a/d"},
    {"dot alone is the folder", "http://h/a/b", ".", "http://h/a/"},
    {"a query replaces the query", "http://h/a/b?q#f", "?r", "http://h/a/b?r"},
    {"an empty query is kept", "http://h/a?q", "?", "http://h/a?"},
    {"a fragment keeps path and query", "http://h/a/b?q#f", "#g", "http://h/a/b?q#g"},
    {"nothing is the base without its fragment", "http://h/a?q#f", "", "http://h/a?q"},
    {"two slashes change the host", "https://h/a", "//g/b", "https://g/b"},
    {"the same scheme without slashes is relative", "http://h/a/b", "http:c", "http://h/a/c"},
    {"another scheme without slashes is absolute", "http://h/a/b", "https:c", "https://c/"},
    {"a colon that ends no scheme is a name", "http://h/a", "1:2", "http://h/1:2"},
    {"relative without a base is refused", NULL, "a/b", NULL},
    {"relative to mailto is refused", "mailto:a@b", "c", NULL},
    {"a fragment on mailto is allowed", "mailto:a@b", "#c", "mailto:a@b#c"},

    {"the base's own host, absolute", "http://h:8/a/b?q#f", "http://h:8/c?d#e", "http://h:8/c?d#e"},
    {"the base's own host and nothing more", "http://h:8/a/b?q#f", "http://h:8", "http://h:8/"},
    {"the base's own host and a query", "http://h/a/b?q", "http://h?r", "http://h/?r"},
    {"the base's own host and a fragment", "http://h/a/b?q", "//h#r", "http://h/#r"},
    {"the base's own host with dots behind it", "https://h/a/b", "//h/c/../d", "https://h/d"},
    {"a longer host is another one", "http://h/a", "http://hh/b", "http://hh/b"},
    {"a host with a port is another one", "http://h/a", "http://h:81/b", "http://h:81/b"},
    {"a longer port is another one", "http://h:8/a", "http://h:80/b", "http://h/b"},
    {"the base's host as a name before @", "http://h/a", "http://h@g/b", "http://h@g/b"},
    {"the base's userinfo comes only if written", "http://u:p@h/a", "http://h/b", "http://h/b"},
    {"the base's userinfo, written", "http://u:p@h/a", "http://u:p@h/b", "http://u:p@h/b"},
    {"another scheme of the same host", "https://h/a", "http://h/b", "http://h/b"},
    {"a backslash behind the base's host", "http://h/a", "http://h\\b", "http://h/b"},

    {"an address is kept", NULL, "http://127.0.0.1:8/a", "http://127.0.0.1:8/a"},
    {"the largest address", NULL, "http://255.255.255.255", "http://255.255.255.255/"},
    {"an address of zeros", NULL, "http://0.0.0.0/", "http://0.0.0.0/"},
    {"zeros in front are octal", NULL, "http://127.0.0.010/", "http://127.0.0.8/"},
    {"three numbers are an address too", NULL, "http://127.0.1/", "http://127.0.0.1/"},
    {"a number past 255 is refused", NULL, "http://127.0.0.256/", NULL},
    {"five numbers are refused", NULL, "http://1.2.3.4.5/", NULL},
    {"an empty number is refused", NULL, "http://1..3.4/", NULL},
    {"a name that ends in a number is refused", NULL, "http://a.1.2.3/", NULL},
    {"digits in front of a letter are a name", NULL, "http://1.2.3.4a/", "http://1.2.3.4a/"},
    {"an address loses its last dot", NULL, "http://1.2.3.4./", "http://1.2.3.4/"},

    {"mailto has an opaque path", "http://h/", "mailto:a@b?subject=x y",
     "mailto:a@b?subject=x%20y"},
    {"javascript is no page", "http://h/", "javascript:void(0)", "javascript:void(0)"},
    {"data keeps its spaces but the last", NULL, "data:a b #c", "data:a b%20#c"},
    {"another scheme keeps the case of its host", NULL, "sc://HoSt/A", "sc://HoSt/A"},
    {"another scheme may have an empty host", NULL, "sc:///a", "sc:///a"},
    {"another scheme has no backslashes", NULL, "sc://h/a\\b", "sc://h/a\\b"},
    {"a path of two slashes does not become a host", NULL, "sc:/..//a", "sc:/.//a"},
    {"a path stops to need that guard", "sc:/.//a", "/b", "sc:/b"},
    {"file needs no host", NULL, "file:///a", "file:///a"},
    {"localhost is no host for file", NULL, "file://localhost/a", "file:///a"},
    {"a drive letter gets its colon", NULL, "file:///C|/a", "file:///C:/a"},
    {"dot-dot keeps the drive", "file:///C:/a", "../../b", "file:///C:/b"},
    {"an absolute path keeps the drive of the base", "file:///C:/a/b", "/c", "file:///C:/c"},
    {"another drive forgets the path of the base", "file:///C:/a/b", "D|/c", "file:///D:/c"},
    {"file resolves a plain name", "file:///a/b", "c", "file:///a/c"},
    {"file takes a host from two slashes", "file:///a/b", "//s/c", "file://s/c"},
};

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct str got = conform_resolve(str_c(rows[i].input), str_c(rows[i].base), NULL);
        struct str want = str_c(rows[i].href);
        if ((got.p == NULL) != (want.p == NULL) || !str_eq(got, want))
            fail_msg("%s: wanted %s, got " STR_FMT, rows[i].name, rows[i].href, STR_ARG(got));
    }
}

static char room[URL_ROOM_BYTES], other_room[URL_ROOM_BYTES];

static enum rc parse(struct str input, struct url *ret)
{
    struct url_parser parser = {0};
    return url_parse(&parser, input, NULL, (struct url_room){room, sizeof room}, ret);
}

static void test_parts(void **state)
{
    (void)state;
    struct url u;
    assert_rc(parse(STR("https://us:pw@h.example:8443/a/b?c=d#e"), &u), RC_OK);
    assert_str(url_scheme(&u), STR("https"));
    assert_str(url_part_(&u, u.user_at, u.user_end), STR("us"));
    assert_str(url_part_(&u, u.user_end + 1u, u.pass_end), STR("pw"));
    assert_str(url_host(&u), STR("h.example"));
    assert_int_equal(url_port(&u), 8443);
    assert_str(url_path(&u), STR("/a/b"));
    assert_str(url_path_query(&u), STR("/a/b?c=d"));
    assert_str(url_query(&u), STR("c=d"));
    assert_str(url_fragment(&u), STR("e"));
    assert_int_equal(u.p[u.n], '\0');
}

static void test_absent_and_empty_parts_differ(void **state)
{
    (void)state;
    struct url u;
    assert_rc(parse(STR("http://h/?#"), &u), RC_OK);
    assert_true(url_query(&u).p && url_query(&u).n == 0);
    assert_true(url_fragment(&u).p && url_fragment(&u).n == 0);
    assert_int_equal(url_port(&u), 80);
    assert_str(url_before_path(&u), STR("http://h"));
    assert_rc(parse(STR("mailto:x"), &u), RC_OK);
    assert_null(url_query(&u).p);
    assert_null(url_fragment(&u).p);
    assert_int_equal(url_port(&u), 0);
    assert_true(u.opaque_path && !u.has_host);
}

static void test_reasons(void **state)
{
    (void)state;
    static const struct {
        const char *input;
        enum url_reason reason;
    } cases[] = {
        {"a", URL_REASON_NO_BASE},
        {"http://", URL_REASON_HOST_MISSING},
        {"http://a b/", URL_REASON_HOST_CHARACTER},
        {"http://%ff/", URL_REASON_HOST_IDN},
        {"http://1.2.3.4.5/", URL_REASON_IPV4},
        {"http://[1]/", URL_REASON_IPV6},
        {"http://h:x/", URL_REASON_PORT},
        {"http://h/", URL_REASON_NONE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct url_parser parser = {0};
        struct url u;
        enum rc rc = url_parse(&parser, str_c(cases[i].input), NULL,
                               (struct url_room){room, sizeof room}, &u);
        assert_int_equal(rc == RC_OK, cases[i].reason == URL_REASON_NONE);
        assert_int_equal(parser.reason, cases[i].reason);
        assert_true(strlen(url_reason_text(parser.reason)) > 0);
    }
}

static void test_length_limits(void **state)
{
    (void)state;
    struct buf text = {.max = 1 << 18};
    struct url u = {.n = 7}, big;
    buf_add(&text, STR("http://h/"));
    buf_fill(&text, 'a', URL_MAX_BYTES - 9);
    assert_rc(parse(buf_str(&text), &big), RC_OK);
    assert_int_equal(big.n, URL_MAX_BYTES);
    assert_rc(url_copy(&big, (struct url_room){other_room, sizeof other_room}, &big), RC_OK);
    buf_byte(&text, 'a');
    assert_rc(parse(buf_str(&text), &u), RC_LIMIT);
    buf_clear(&text);
    buf_add(&text, STR("http://h/"));
    buf_fill(&text, ' ', 30000);
    buf_byte(&text, 'a');
    assert_rc(parse(buf_str(&text), &u), RC_LIMIT);
    buf_clear(&text);
    buf_fill(&text, '\xff', 40000);
    buf_add(&text, STR(":"));
    assert_rc(parse(buf_str(&text), &u), RC_LIMIT);
    assert_int_equal(u.n, 7);
    struct url_parser parser = {0};
    assert_rc(url_parse(&parser, STR("b"), &big, (struct url_room){room, sizeof room}, &u), RC_OK);
    assert_rc(url_parse(&parser, STR("?b"), &big, (struct url_room){room, sizeof room}, &u),
              RC_LIMIT);
    assert_int_equal(parser.reason, URL_REASON_LENGTH);
    buf_done(&text);
}

static void test_small_rooms_are_refused_not_overrun(void **state)
{
    (void)state;
    static const char *const inputs[] = {"http://h.example:81/a/../b?c#d", "mailto:x y",
                                         "sc:/..//a", "file:///C|/x", "http://[::1]/\xc3\xbc"};
    struct url_parser parser = {0};
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        for (size_t n = 0; n < 80; n++) {
            struct url u = {0};
            memset(room, '!', 100);
            enum rc rc = url_parse(&parser, str_c(inputs[i]), NULL, (struct url_room){room, n}, &u);
            assert_true(rc == RC_LIMIT || (rc == RC_OK && u.n < n));
            assert_int_equal(room[n], '!');
            assert_true(rc == RC_OK || n < 60);
        }
}

static void test_without_idn_international_hosts_are_unsupported(void **state)
{
    (void)state;
    struct url u;
    assert_rc(parse(STR("http://b\xc3\xbc"
                        "cher/"),
                    &u),
              RC_UNSUPPORTED);
    assert_rc(parse(STR("http://xn--bcher-kva/"), &u), RC_OK);
}

static enum rc step_parse_everything(void *ctx)
{
    (void)ctx;
    struct url_idn *idn = NULL;
    struct url_encoding *encoding = NULL;
    enum rc rc = url_idn_open(&idn);
    if (rc == RC_OK)
        rc = url_encoding_open(STR("windows-1252"), &encoding);
    struct url_parser parser = {.idn = idn, .encoding = encoding};
    struct url u;
    if (rc == RC_OK)
        rc = url_parse(&parser,
                       STR("http://b\xc3\xbc"
                           "cher/\xc3\xbc?\xc3\xbc"),
                       NULL, (struct url_room){room, sizeof room}, &u);
    if (rc == RC_OK)
        assert_str(url_href(&u), STR("http://xn--bcher-kva/%C3%BC?%FC"));
    url_encoding_close(encoding);
    url_idn_close(idn);
    return rc;
}

static void test_failing_allocations(void **state)
{
    (void)state;
    test_each_allocation_fails(step_parse_everything, NULL);
}

static void test_parsing_allocates_nothing(void **state)
{
    (void)state;
    mem_fault_at(1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        conform_resolve(str_c(rows[i].input), str_c(rows[i].base), NULL);
    int hit = mem_fault_hit();
    mem_fault_at(0);
    assert_false(hit);
}

/* Text made of the pieces URLs break at, so that random links reach the odd corners. */
static void put_random(struct rng *r, struct buf *out)
{
    static const char *const pieces[] = {
        "http:",
        "https:",
        "file:",
        "sc:",
        "mailto:",
        "//",
        "/",
        "\\",
        ".",
        "..",
        "%2e",
        "%",
        "%41",
        "?",
        "#",
        "@",
        ":",
        "[",
        "]",
        "::1",
        "1",
        "0x",
        "C|",
        "C:",
        "a",
        "B.c",
        "\t",
        " ",
        "\xc3\xbc",
        "\xff",
        "\xe2\x98",
        "&",
        "=",
        "'",
        "<",
        "|",
        "^",
        ";",
        "(",
        "\n",
        "80",
        "443",
        "www.",
        "localhost",
        "xn--",
        "utm_x=1",
        "jsessionid=1",
        "http://127.0.0.1:8080",
        "//127.0.0.1:8080",
        "127.0.0.1",
        "1.2.3",
        ".255",
        ".256",
        "01",
        "0",
        "http://h",
    };
    buf_clear(out);
    for (uint64_t n = rng_below(r, 12); n > 0; n--)
        buf_add(out, str_c(pieces[rng_below(r, sizeof pieces / sizeof *pieces)]));
    if (rng_below(r, 4) == 0)
        buf_byte(out, (char)rng_below(r, 256));
}

/* conform_resolve compares the short way with the machine at each call. */
static void test_what_is_written_parses_to_itself(void **state)
{
    (void)state;
    struct rng r;
    struct buf base = {.max = 4096}, input = base, keep = base;
    size_t resolved = 0;
    rng_init(&r, test_seed(20240501));
    for (int i = 0; i < 200000; i++) {
        put_random(&r, &base);
        put_random(&r, &input);
        struct str bases[] = {STR_NONE, STR("http://h/a/b?c#d"), STR("file:///C:/a"),
                              STR("http://127.0.0.1:8080/a/b"), buf_str(&base)};
        struct str href = conform_resolve(buf_str(&input), bases[rng_below(&r, 5)], NULL);
        if (!href.p)
            continue;
        resolved++;
        buf_clear(&keep);
        buf_add(&keep, href);
        assert_str(conform_resolve(buf_str(&keep), STR_NONE, NULL), buf_str(&keep));
    }
    assert_true(resolved > 50000);
    buf_done(&base);
    buf_done(&input);
    buf_done(&keep);
}

static void test_hostile_lengths_take_linear_time(void **state)
{
    (void)state;
    static const char *const units[] = {"../", "a/../", "%2e%2e/", "//",  "@",
                                        ":",   ".",     "%41",     "\xff"};
    struct buf text = {.max = 1 << 17};
    struct url u;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        buf_clear(&text);
        buf_add(&text, i & 1 ? STR("http://h/") : STR("http://"));
        while (text.n + strlen(units[i]) < URL_MAX_BYTES)
            buf_add(&text, str_c(units[i]));
        for (int n = 0; n < 20; n++) {
            enum rc rc = parse(buf_str(&text), &u);
            assert_true(rc == RC_OK || rc == RC_INVALID || rc == RC_LIMIT);
        }
    }
    buf_done(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_absent_and_empty_parts_differ),
        cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_length_limits),
        cmocka_unit_test(test_small_rooms_are_refused_not_overrun),
        cmocka_unit_test(test_without_idn_international_hosts_are_unsupported),
        cmocka_unit_test(test_failing_allocations),
        cmocka_unit_test(test_parsing_allocates_nothing),
        cmocka_unit_test(test_what_is_written_parses_to_itself),
        cmocka_unit_test(test_hostile_lengths_take_linear_time),
    };
    return cmocka_run_group_tests(tests, conform_setup, conform_teardown);
}
