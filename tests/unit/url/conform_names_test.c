/* SPDX-License-Identifier: Apache-2.0 */
/* The sets about names: SURT, public suffixes, IDN; and, as information only, what other crawlers
 * normalise. */
#include "conform.h"

#include "url/domain.h"
#include "url/normalise.h"
#include "url/surt.h"

static void surt_rows(struct score *score, json_t *rows, unsigned form)
{
    struct buf out = {.max = 4096};
    const char *input;
    json_t *want;
    json_object_foreach(rows, input, want)
    {
        buf_clear(&out);
        url_surt(str_c(input), form, &out);
        score_row(score, str_eq(buf_str(&out), conform_str(want)), "%s: got " STR_FMT, input,
                  STR_ARG(buf_str(&out)));
    }
    buf_done(&out);
}

static void test_ssurt(void **state)
{
    (void)state;
    json_t *sets = conform_json("url/urlcanon_ssurt.json");
    struct score score = {.set = "url/urlcanon_ssurt.json"};
    const unsigned full = URL_SURT_SCHEME | URL_SURT_COMMA | URL_SURT_KEEP_WWW;
    if (!sets)
        skip();
    surt_rows(&score, json_object_get(sets, "surt"), full);
    surt_rows(&score, json_object_get(sets, "surtWithoutScheme"),
              full & ~(unsigned)URL_SURT_SCHEME);
    surt_rows(&score, json_object_get(sets, "surtWithoutTrailingComma"),
              full & ~(unsigned)URL_SURT_COMMA);
    json_decref(sets);
    score_end(&score, 18);
}

/* Takes "'text'" or "null" from *s, up to and with the byte behind it. */
static struct str take_argument(struct str *s)
{
    struct str word = str_trim(str_take_until(s, s->n && str_find(*s, ',') < s->n ? ',' : ')'));
    if (word.n < 2 || word.p[0] != '\'')
        return STR_NONE;
    return str_make(word.p + 1, word.n - 2);
}

/* The host as a URL would have it; absent stays absent. */
static struct str canonical(struct str host, struct buf *keep)
{
    struct buf text = {.max = 4096};
    buf_clear(keep);
    buf_printf(&text, "http://" STR_FMT "/", STR_ARG(host));
    struct str href = host.p ? conform_resolve(buf_str(&text), STR_NONE, NULL) : STR_NONE;
    buf_done(&text);
    if (href.n < 8)
        return STR_NONE;
    buf_add(keep, str_make(href.p + 7, href.n - 8));
    return buf_str(keep);
}

static bool same_host(struct str a, struct str b)
{
    return (a.p == NULL) == (b.p == NULL) && str_eq_nocase(a, b);
}

/* Each row as it stands, and as it is in a URL. */
static void psl_row(struct score *score, struct str host, struct str want)
{
    struct buf host_keep = {.max = 4096}, want_keep = {.max = 4096};
    struct str got = url_domain(host);
    struct str got_canonical = url_domain(canonical(host, &host_keep));
    struct str want_canonical = canonical(want, &want_keep);
    score_row(score, same_host(got, want) && same_host(got_canonical, want_canonical),
              STR_FMT ": wanted " STR_FMT ", got " STR_FMT " and " STR_FMT, STR_ARG(host),
              STR_ARG(want), STR_ARG(got), STR_ARG(got_canonical));
    buf_done(&host_keep);
    buf_done(&want_keep);
}

static void test_psl(void **state)
{
    (void)state;
    const char *path = test_conformance("psl/test_psl.txt");
    struct score score = {.set = "psl/test_psl.txt"};
    struct buf file;
    if (!path)
        skip();
    assert_true(test_slurp(path, &file));
    struct str rest = buf_str(&file);
    while (rest.p) {
        struct str line = str_take_until(&rest, '\n');
        if (!str_starts(line, STR("checkPublicSuffix(")))
            continue;
        line = str_from(line, 18);
        struct str host = take_argument(&line);
        psl_row(&score, host, take_argument(&line));
    }
    buf_done(&file);
    score_end(&score, 78);
}

/* Rows decided by a Unicode newer than that of ICU 72. */
static const char *const newer_unicode[] = {
    "look\u180eout.net", "look\u206bout.net", "\u04c0.com",     "\U0002f868.com",
    "\u2183.com",        "\u1e9e.com",        "\u1e9e.foo.com",
};

static bool is_newer(struct str input)
{
    for (size_t i = 0; i < sizeof newer_unicode / sizeof *newer_unicode; i++)
        if (str_eq(input, str_c(newer_unicode[i])))
            return true;
    return false;
}

static void test_toascii(void **state)
{
    (void)state;
    json_t *rows = conform_json("psl/wpt_toascii.json"), *row;
    struct score score = {.set = "psl/wpt_toascii.json"};
    struct buf keep = {.max = 4096};
    size_t i, newer = 0;
    if (!rows)
        skip();
    json_array_foreach(rows, i, row)
    {
        struct str input = conform_field(row, "input"), want = conform_field(row, "output");
        if (!json_is_object(row))
            continue;
        struct str got = canonical(input, &keep);
        bool same = (got.p == NULL) == (want.p == NULL) && str_eq(got, want);
        newer += !same && is_newer(input);
        score_row(&score, same || is_newer(input), STR_FMT ": wanted " STR_FMT ", got " STR_FMT,
                  STR_ARG(input), STR_ARG(want), STR_ARG(got));
    }
    print_message("# info psl/wpt_toascii.json: %zu rows by a newer Unicode, named in the test\n",
                  newer);
    json_decref(rows);
    buf_done(&keep);
    assert_true(newer <= 7);
    score_end(&score, 87);
}

/* What others normalise. The policies differ on purpose, so these are counts, not gates. */
struct policy {
    const char *source;
    const char *rules; /* NULL: the key of a CDX index */
    size_t same, total;
};

static void policy_row(struct policy *p, struct str input, struct str want)
{
    static char room[URL_ROOM_BYTES];
    struct url_parser parser = {0};
    struct url u;
    struct buf out = {.max = 1 << 20};
    struct str got = STR_NONE, bad;
    uint32_t rules;
    p->total++;
    if (url_parse(&parser, input, NULL, (struct url_room){room, sizeof room}, &u) == RC_OK) {
        assert_int_equal(url_rules_parse(str_c(p->rules), &rules, &bad), RC_OK);
        url_normalise(&u, rules);
        got = url_href(&u);
        if (!p->rules) {
            url_cdx_key(&u, &out);
            got = buf_str(&out);
        }
    }
    p->same += str_eq(want, STR("<NULL>")) ? !got.p : got.p && str_eq(got, want);
    buf_done(&out);
}

static void test_info_other_crawlers(void **state)
{
    (void)state;
    struct policy policies[] = {
        {"crawler-commons:BasicURLNormalizer", "slashes,sort-query,empty-parameters", 0, 0},
        {"heritrix:FixupQueryString", "empty-parameters", 0, 0},
        {"heritrix:RulesCanonicalizationPolicy", "www", 0, 0},
        {"heritrix:StripUserinfoRule", "default", 0, 0},
        {"heritrix:StripWWWRule", "www", 0, 0},
        {"nutch:urlnormalizer-basic", "slashes", 0, 0},
        {"nutch:urlnormalizer-querystring", "sort-query", 0, 0},
        {"nutch:urlnormalizer-regex", "slashes,index-file,empty-parameters", 0, 0},
        {"webarchive-commons:IAURLCanonicalizer-aggressive", "www,sort-query", 0, 0},
        {"webarchive-commons:OrdinaryIA", "default", 0, 0},
        {"webarchive-commons:WaybackURLKeyMaker", NULL, 0, 0},
    };
    const char *path = test_conformance("url/canonicalise_cases.tsv");
    struct buf file, input = {.max = 1 << 20}, want = {.max = 1 << 20};
    if (!path)
        skip();
    assert_true(test_slurp(path, &file));
    struct str rest = buf_str(&file);
    while (rest.p) {
        struct str line = str_take_until(&rest, '\n');
        struct str source = str_take_until(&line, '\t');
        str_take_until(&line, '\t');
        str_take_until(&line, '\t');
        struct str raw = str_take_until(&line, '\t');
        for (size_t i = 0; line.p && i < sizeof policies / sizeof *policies; i++)
            if (str_eq(source, str_c(policies[i].source)))
                policy_row(&policies[i], conform_unescape(raw, &input),
                           conform_unescape(line, &want));
    }
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        assert_true(policies[i].total > 0);
        print_message("# info url/canonicalise_cases.tsv %s: %zu/%zu with rules %s\n",
                      policies[i].source, policies[i].same, policies[i].total,
                      policies[i].rules ? policies[i].rules : "of the CDX key");
    }
    buf_done(&file);
    buf_done(&input);
    buf_done(&want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ssurt),
        cmocka_unit_test(test_psl),
        cmocka_unit_test(test_toascii),
        cmocka_unit_test(test_info_other_crawlers),
    };
    return cmocka_run_group_tests(tests, conform_setup, conform_teardown);
}
