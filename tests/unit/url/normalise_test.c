/* SPDX-License-Identifier: Apache-2.0 */
#include "url/normalise.h"

#include "base/rng.h"
#include "conform.h"

static char room[URL_ROOM_BYTES], other_room[URL_ROOM_BYTES];

#define HEX32 "0123456789abcdef0123456789abcdef"
#define WORD24 "4hqa0555fwsecu455xqckv45"
#define ASPNET "(S(4hqa0555fwsecu455xqckv45))"
#define SID "sid=0123456789abcdef0123456789abcdef"

/* `rules` NULL: the defaults. */
static const struct {
    const char *name, *rules, *input, *want;
} rows[] = {
    {"an ordinary URL is left alone", NULL, "http://h/a/b?c=d&e", "http://h/a/b?c=d&e"},
    {"the fragment goes", NULL, "http://h/a#b", "http://h/a"},
    {"the fragment of mailto goes too", NULL, "mailto:a@b#c", "mailto:a@b"},
    {"userinfo goes", NULL, "http://u:p@h:81/", "http://h:81/"},
    {"dots behind the host go", NULL, "http://h.example../a", "http://h.example/a"},
    {"a host of dots stays", NULL, "http://../a", "http://../a"},
    {"dots stay where the rest would be an address", NULL, "http://1.2.3../", "http://1.2.3../"},
    {"hexadecimal digits are upper case", NULL, "http://h/%c3%bc?%c3", "http://h/%C3%BC?%C3"},
    {"unreserved characters are decoded", NULL, "http://h/%7Ea%41%2d?%5f", "http://h/~aA-?_"},
    {"reserved characters are not", NULL, "http://h/a%2Fb%3F?%26%3D%25",
     "http://h/a%2Fb%3F?%26%3D%25"},
    {"decoding makes no new escape", NULL, "http://h/%%34%31/%4%31", "http://h/%%341/%4%31"},
    {"a percent sign on its own stays", NULL, "http://h/100%?%", "http://h/100%?%"},
    {"an empty query goes", NULL, "http://h/a?", "http://h/a"},
    {"tracking parameters go", NULL, "http://h/?utm_source=x&id=1&gclid=y&FBCLID=z",
     "http://h/?id=1"},
    {"the only parameter takes its mark with it", NULL, "http://h/a?utm_medium=x", "http://h/a"},
    {"a tracking parameter hidden by an escape goes", NULL, "http://h/?utm%5Fid=x&a",
     "http://h/?a"},
    {"a name that only begins alike stays", NULL, "http://h/?gclidx=1&autm_x=2",
     "http://h/?gclidx=1&autm_x=2"},
    {"a session in the path goes", NULL, "http://h/a;jsessionid=A1.n1/b;x=1", "http://h/a/b;x=1"},
    {"a session in the query goes", NULL, "http://h/?PHPSESSID=a1&x=1", "http://h/?x=1"},
    {"sid goes when it looks like a session", NULL, "http://h/?sid=" HEX32, "http://h/"},
    {"sid stays when it may be a page", NULL, "http://h/?sid=42", "http://h/?sid=42"},
    {"ColdFusion's pair goes", NULL, "http://h/?CFID=1&CFTOKEN=2&a=3", "http://h/?a=3"},
    {"a session without a value stays", NULL, "http://h/?jsessionid", "http://h/?jsessionid"},
    {"ASP.NET's segment goes", NULL, "http://h/(S(" WORD24 "))/a.aspx", "http://h/a.aspx"},
    {"ASP.NET's segment goes at the end", NULL, "http://h/a/(A(" WORD24 ")S(" WORD24 "))",
     "http://h/a/"},
    {"other brackets stay", NULL, "http://h/(S(short))/(a)", "http://h/(S(short))/(a)"},
    {"a session is not cut from dot-dot", NULL, "http://h/a/..;jsessionid=1/b",
     "http://h/a/..;jsessionid=1/b"},
    {"a session hides no other session", NULL, "http://h/(S(" WORD24 "));jsessionid=1/a",
     "http://h/a"},
    {"empty parameters stay by default", NULL, "http://h/?a&&b&", "http://h/?a&&b&"},
    {"slashes, www, index file and order stay by default", NULL,
     "http://www.h.example//a/index.html?b&a", "http://www.h.example//a/index.html?b&a"},

    {"nothing happens without rules", "none", "http://u@h./%7e;jsessionid=1?utm_id=1#f",
     "http://u@h./%7e;jsessionid=1?utm_id=1#f"},
    {"empty parameters go", "empty-parameters", "http://h/?&a&&b&", "http://h/?a&b"},
    {"nothing but separators goes", "empty-parameters", "http://h/?&&", "http://h/"},
    {"www goes", "www", "http://www.h.example/", "http://h.example/"},
    {"www goes as often as it stands", "www", "http://www.www.h.example/", "http://h.example/"},
    {"www stays where nothing else would", "www", "http://www.example/", "http://www.example/"},
    {"slashes are joined", "slashes", "http://h//a///b?c//d", "http://h/a/b?c//d"},
    {"the index file goes", "index-file", "http://h/a/Index.HTML", "http://h/a/"},
    {"the index file with a query stays", "index-file", "http://h/index.php?a",
     "http://h/index.php?a"},
    {"the index file goes when its query went", "index-file", "http://h/index.php?utm_id=1",
     "http://h/"},
    {"a longer name is no index file", "index-file", "http://h/index.html5",
     "http://h/index.html5"},
    {"parameters are sorted", "sort-query", "http://h/?b=2&a=2&a=10&a", "http://h/?a&a=10&a=2&b=2"},
    {"file is left alone", "all", "file:///%43|//index.html", "file:///%43|//index.html"},
    {"other schemes are left alone", "all", "sc://u@h/%7e?&b&a", "sc://u@h/%7e?&b&a"},
};

static void normalise(struct url *u, const char *list)
{
    uint32_t rules;
    struct str bad;
    assert_rc(url_rules_parse(str_c(list), &rules, &bad), RC_OK);
    url_normalise(u, rules);
}

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct url_parser parser = {0};
        struct url u;
        assert_rc(url_parse(&parser, str_c(rows[i].input), NULL,
                            (struct url_room){room, sizeof room}, &u),
                  RC_OK);
        for (int twice = 0; twice < 2; twice++) {
            normalise(&u, rows[i].rules);
            if (!str_eq(url_href(&u), str_c(rows[i].want)))
                fail_msg("%s: " STR_FMT, rows[i].name, STR_ARG(url_href(&u)));
            assert_int_equal(u.p[u.n], '\0');
        }
    }
}

static void test_parts_follow(void **state)
{
    (void)state;
    struct url_parser parser = {0};
    struct url u;
    assert_rc(url_parse(&parser,
                        STR("http://u:p@www.h.example.:81/%41/;jsessionid=1?utm_id=1&a=%62#f"),
                        NULL, (struct url_room){room, sizeof room}, &u),
              RC_OK);
    normalise(&u, "www,-fragment");
    assert_str(url_href(&u), STR("http://h.example:81/A/?a=b#f"));
    assert_str(url_host(&u), STR("h.example"));
    assert_int_equal(url_port(&u), 81);
    assert_str(url_path(&u), STR("/A/"));
    assert_str(url_query(&u), STR("a=b"));
    assert_str(url_fragment(&u), STR("f"));
    assert_int_equal(u.user_end, u.host_at);
}

static void test_rule_lists(void **state)
{
    (void)state;
    static const struct {
        const char *list;
        uint32_t want;
    } cases[] = {
        {"", URL_RULES_DEFAULT},
        {"default", URL_RULES_DEFAULT},
        {"none", 0},
        {"all", URL_RULES_ALL},
        {"none, fragment ,+www", URL_RULE_FRAGMENT | URL_RULE_WWW},
        {"-tracking,sort-query", (URL_RULES_DEFAULT & ~URL_RULE_TRACKING) | URL_RULE_SORT_QUERY},
        {"none,dot-segments", 0},
    };
    uint32_t rules;
    struct str bad;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_rc(url_rules_parse(str_c(cases[i].list), &rules, &bad), RC_OK);
        assert_int_equal(rules, cases[i].want);
    }
    assert_rc(url_rules_parse(STR("fragment,traking"), &rules, &bad), RC_INVALID);
    assert_str(bad, STR("traking"));
    assert_rc(url_rules_parse(STR("-dot-segments"), &rules, &bad), RC_INVALID);
    assert_str(bad, STR("-dot-segments"));
}

/* Every bit has one row, every row a name and a help. */
static void test_the_table_is_whole(void **state)
{
    (void)state;
    uint32_t seen = 0;
    for (const struct url_rule_row *r = url_rules; r->name; r++) {
        assert_true(strlen(r->name) > 0 && strlen(r->help) > 0);
        assert_int_equal(seen & r->bit, 0);
        seen |= r->bit;
    }
    assert_int_equal(seen, URL_RULES_ALL);
}

/* A number here is part of our files: it can never change. */
static void test_the_fingerprint_is_fixed(void **state)
{
    (void)state;
    struct url_parser parser = {0};
    struct url u;
    assert_rc(url_parse(&parser, STR("http://example.com/"), NULL,
                        (struct url_room){room, sizeof room}, &u),
              RC_OK);
    assert_int_equal(url_fingerprint(&u), UINT64_C(0xb97a010e03af1e2b));
}

static void put_random(struct rng *r, struct buf *out)
{
    static const char *const pieces[] = {
        "/",     "//", ".",          "..",  "%",   "%2e",       "%41",  "%3",  "4", "1",
        "a",     "?",  "&",          "=",   ";",   "#",         ASPNET, "(",   ")", "jsessionid=1",
        "utm_x", SID,  "index.html", "b=2", "a=1", "%75tm_x=1", "@",    ":80",
    };
    static const char *const hosts[] = {"http://h",
                                        "http://www.h.x.",
                                        "https://u:p@www.www.1..",
                                        "ftp://h.:21",
                                        "http://1.2.3.4",
                                        "http://0x1..",
                                        "ws://[::1]",
                                        "sc:/",
                                        "file:///C|"};
    buf_clear(out);
    buf_add(out, str_c(hosts[rng_below(r, sizeof hosts / sizeof *hosts)]));
    buf_byte(out, '/');
    for (uint64_t n = rng_below(r, 14); n > 0; n--)
        buf_add(out, str_c(pieces[rng_below(r, sizeof pieces / sizeof *pieces)]));
}

static void test_twice_equals_once_and_parses_to_itself(void **state)
{
    (void)state;
    struct rng r;
    struct buf text = {.max = 8192};
    struct url_parser parser = {0};
    rng_init(&r, test_seed(7));
    for (int i = 0; i < 200000; i++) {
        struct url u, again;
        put_random(&r, &text);
        uint32_t rules = (uint32_t)rng_below(&r, URL_RULES_ALL + 1);
        if (url_parse(&parser, buf_str(&text), NULL, (struct url_room){room, sizeof room}, &u))
            continue;
        size_t before = u.n;
        url_normalise(&u, rules);
        assert_true(u.n <= before);
        assert_rc(url_parse(&parser, url_href(&u), NULL,
                            (struct url_room){other_room, sizeof other_room}, &again),
                  RC_OK);
        assert_str(url_href(&again), url_href(&u));
        url_normalise(&again, rules);
        assert_str(url_href(&again), url_href(&u));
    }
    buf_done(&text);
}

static void test_hostile_lengths_take_linear_time(void **state)
{
    (void)state;
    static const char *const units[] = {"/a;jsessionid=1",
                                        "/(S(4hqa0555fwsecu455xqckv45))",
                                        "%41",
                                        "//",
                                        ";",
                                        "?&",
                                        "&utm_id=1",
                                        "&b&a"};
    struct url_parser parser = {0};
    struct buf text = {.max = 1 << 17};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        for (int n = 0; n < 20; n++) {
            struct url u;
            buf_clear(&text);
            buf_add(&text, i < 5 ? STR("http://h/") : STR("http://h/?"));
            while (text.n + strlen(units[i]) < URL_MAX_BYTES)
                buf_add(&text, str_c(units[i]));
            assert_rc(
                url_parse(&parser, buf_str(&text), NULL, (struct url_room){room, sizeof room}, &u),
                RC_OK);
            url_normalise(&u, URL_RULES_ALL);
        }
    buf_done(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_parts_follow),
        cmocka_unit_test(test_rule_lists),
        cmocka_unit_test(test_the_table_is_whole),
        cmocka_unit_test(test_the_fingerprint_is_fixed),
        cmocka_unit_test(test_twice_equals_once_and_parses_to_itself),
        cmocka_unit_test(test_hostile_lengths_take_linear_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
