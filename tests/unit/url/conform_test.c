/* SPDX-License-Identifier: Apache-2.0 */
/* The url sets of the conformance folder. */
#include "conform.h"

#include "url/encoding.h"
#include "url/host.h"

static bool is_same(struct str a, struct str b)
{
    return a.p && b.p ? str_eq(a, b) : a.p == b.p;
}

/* What the gate is about: a failure, or a result that is http or https. */
static bool is_gated(struct str href)
{
    return !href.p || str_starts(href, STR("http:")) || str_starts(href, STR("https:"));
}

static void test_wpt_urltestdata(void **state)
{
    (void)state;
    json_t *rows = conform_json("url/wpt_urltestdata.json"), *row;
    struct score gate = {.set = "url/wpt_urltestdata.json"};
    struct score others = {.set = "url/wpt_urltestdata.json (other schemes)"};
    size_t i;
    if (!rows)
        skip();
    json_array_foreach(rows, i, row)
    {
        if (!json_is_object(row))
            continue;
        struct str input = conform_field(row, "input"), base = conform_field(row, "base");
        struct str wanted = conform_field(row, "href");
        struct str got = conform_resolve(input, base, NULL);
        score_row(is_gated(wanted) ? &gate : &others, is_same(got, wanted),
                  "\"" STR_FMT "\" on \"" STR_FMT "\": wanted " STR_FMT ", got " STR_FMT,
                  STR_ARG(input), STR_ARG(base), STR_ARG(wanted), STR_ARG(got));
    }
    json_decref(rows);
    score_end(&others, 377);
    score_end(&gate, 514);
}

/* The members of the parsed URL, where a row names them. */
static void test_wpt_parts(void **state)
{
    (void)state;
    json_t *rows = conform_json("url/wpt_urltestdata.json"), *row;
    struct score score = {.set = "url/wpt_urltestdata.json (parts)"};
    size_t i;
    if (!rows)
        skip();
    static char room[URL_ROOM_BYTES];
    json_array_foreach(rows, i, row)
    {
        struct str href = conform_field(row, "href");
        struct url_parser parser = {0};
        struct url u;
        if (!href.p || url_parse(&parser, href, NULL, (struct url_room){room, sizeof room}, &u))
            continue;
        struct str search = url_query(&u).n ? url_part_(&u, u.query_at, u.fragment_at) : STR("");
        struct str hash = url_fragment(&u).n ? url_part_(&u, u.fragment_at, u.n) : STR("");
        bool same = str_eq(url_part_(&u, 0, u.scheme_n + 1u), conform_field(row, "protocol")) &&
                    str_eq(url_part_(&u, u.user_at, u.user_end), conform_field(row, "username")) &&
                    str_eq(url_host(&u), conform_field(row, "hostname")) &&
                    str_eq(url_part_(&u, u.host_at, u.port_end), conform_field(row, "host")) &&
                    str_eq(url_path(&u), conform_field(row, "pathname")) &&
                    str_eq(search, conform_field(row, "search")) &&
                    str_eq(hash, conform_field(row, "hash"));
        score_row(&score, same, STR_FMT, STR_ARG(href));
    }
    json_decref(rows);
    score_end(&score, 624);
}

static void percent_row(struct score *score, struct str input, const char *encoding,
                        struct str want)
{
    struct url_encoding *e = NULL;
    struct buf text = {.max = 4096}, wanted = {.max = 4096};
    assert_int_equal(url_encoding_open(str_c(encoding), &e), RC_OK);
    buf_add(&text, STR("http://h/?"));
    buf_add(&text, input);
    buf_add(&wanted, STR("http://h/?"));
    buf_add(&wanted, want);
    struct str got = conform_resolve(buf_str(&text), STR_NONE, e);
    score_row(score, str_eq(got, buf_str(&wanted)),
              "%s " STR_FMT ": wanted " STR_FMT ", got " STR_FMT, encoding, STR_ARG(input),
              STR_ARG(want), STR_ARG(got));
    buf_done(&text);
    buf_done(&wanted);
    url_encoding_close(e);
}

static void test_wpt_percent_encoding(void **state)
{
    (void)state;
    json_t *rows = conform_json("url/wpt_percent-encoding.json"), *row, *want;
    struct score score = {.set = "url/wpt_percent-encoding.json"};
    const char *encoding;
    size_t i;
    if (!rows)
        skip();
    json_array_foreach(rows, i, row)
    {
        json_object_foreach(json_object_get(row, "output"), encoding, want)
        {
            percent_row(&score, conform_field(row, "input"), encoding, conform_str(want));
        }
    }
    json_decref(rows);
    score_end(&score, 16);
}

static void test_resolve_cases(void **state)
{
    (void)state;
    const char *path = test_conformance("url/resolve_cases.tsv");
    struct score score = {.set = "url/resolve_cases.tsv"};
    struct buf file, base_text = {.max = 1 << 20}, input_text = base_text, href_text = base_text;
    if (!path)
        skip();
    assert_true(test_slurp(path, &file));
    struct str rest = buf_str(&file);
    while (rest.p) {
        struct str line = str_take_until(&rest, '\n');
        if (line.n == 0 || line.p[0] == '#')
            continue;
        str_take_until(&line, '\t');
        struct str base = conform_unescape(str_take_until(&line, '\t'), &base_text);
        struct str input = conform_unescape(str_take_until(&line, '\t'), &input_text);
        struct str href =
            str_eq(line, STR("<NULL>")) ? STR_NONE : conform_unescape(line, &href_text);
        struct str got = conform_resolve(input, base.n ? base : STR_NONE, NULL);
        score_row(&score, is_same(got, href),
                  "\"" STR_FMT "\" on \"" STR_FMT "\": wanted " STR_FMT ", got " STR_FMT,
                  STR_ARG(input), STR_ARG(base), STR_ARG(href), STR_ARG(got));
    }
    buf_done(&file);
    buf_done(&base_text);
    buf_done(&input_text);
    buf_done(&href_text);
    score_end(&score, 913);
}

static void dots_row(struct score *score, const char *input, struct str wanted)
{
    struct buf text = {.max = 4096};
    buf_printf(&text, "http://h%s", input);
    struct str got = conform_resolve(buf_str(&text), STR_NONE, NULL);
    got = str_from(got, strlen("http://h"));
    score_row(score, str_eq(got, wanted), "%s: wanted " STR_FMT ", got " STR_FMT, input,
              STR_ARG(wanted), STR_ARG(got));
    buf_done(&text);
}

static void test_path_dots(void **state)
{
    (void)state;
    json_t *sets = conform_json("url/urlcanon_path_dots.json"), *wanted;
    struct score score = {.set = "url/urlcanon_path_dots.json"};
    const char *input;
    if (!sets)
        skip();
    json_object_foreach(json_object_get(sets, "special"), input, wanted)
    {
        if (!strchr(input, '\\'))
            dots_row(&score, input, conform_str(wanted));
    }
    json_decref(sets);
    score_end(&score, 348);
}

static void test_funky_ipv4(void **state)
{
    (void)state;
    json_t *rows = conform_json("url/urlcanon_funky_ipv4.json"), *value;
    struct score score = {.set = "url/urlcanon_funky_ipv4.json"};
    const char *input;
    if (!rows)
        skip();
    json_object_foreach(rows, input, value)
    {
        char room[32];
        struct url_out out = {.p = room, .cap = sizeof room};
        struct str got = STR_NONE;
        uint32_t address;
        if (url_ipv4_parse(str_c(input), &address)) {
            url_ipv4_write(&out, address);
            got = str_make(room, out.n);
        }
        score_row(&score, is_same(got, conform_str(value)), "%s: got " STR_FMT, input,
                  STR_ARG(got));
    }
    json_decref(rows);
    score_end(&score, 47);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wpt_urltestdata),
        cmocka_unit_test(test_wpt_parts),
        cmocka_unit_test(test_wpt_percent_encoding),
        cmocka_unit_test(test_resolve_cases),
        cmocka_unit_test(test_path_dots),
        cmocka_unit_test(test_funky_ipv4),
    };
    return cmocka_run_group_tests(tests, conform_setup, conform_teardown);
}
