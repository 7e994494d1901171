/* SPDX-License-Identifier: Apache-2.0 */
/* The robots sets. Rows of crawl_delay_cases.jsonl whose agent is a whole User-Agent header
 * ("Mozilla delaybot 99.9", "googlebot/2.1") are read as a crawler that goes by each of these
 * words; robots_cases.jsonl compares the agent whole. */
#include "robots/robots.h"

#include "lib/test.h"

#include <jansson.h>

/* "/path?query" of an absolute URL; what stands behind a '#' is robots_check's to ignore. */
static struct str url_path(struct str url)
{
    size_t at = str_find_str(url, STR("://"));
    struct str rest = str_from(url, at < url.n ? at + 3 : 0);
    size_t end = 0;
    while (end < rest.n && !strchr("/?;#", rest.p[end]))
        end++;
    return str_from(rest, end);
}

static struct str json_str(const json_t *row, const char *key)
{
    const json_t *v = json_object_get(row, key);
    return str_make(json_string_value(v), json_string_length(v));
}

static int base64_digit(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

static void base64_decode(struct str s, struct buf *out)
{
    uint32_t bits = 0;
    int count = 0;
    for (size_t i = 0; i < s.n && base64_digit(s.p[i]) >= 0; i++) {
        bits = bits << 6 | (uint32_t)base64_digit(s.p[i]);
        count += 6;
        if (count >= 8) {
            count -= 8;
            buf_byte(out, (char)(bits >> count));
        }
    }
}

static void row_body(const json_t *row, struct buf *out)
{
    buf_clear(out);
    if (json_object_get(row, "robots_b64"))
        base64_decode(json_str(row, "robots_b64"), out);
    else
        buf_add(out, json_str(row, "robots"));
}

typedef bool row_check(const json_t *row, struct str body, struct buf *why);

static void run_set(const char *set, size_t total, row_check *check)
{
    const char *path = test_conformance(set);
    if (!path)
        skip();
    struct buf file, body, why;
    assert_true(test_slurp(path, &file));
    buf_init(&body, 1 << 20);
    buf_init(&why, 1 << 20);
    struct score score = {.set = set};
    struct str rest = buf_str(&file);
    while (rest.p) {
        struct str line = str_take_until(&rest, '\n');
        if (line.n == 0)
            continue;
        json_t *row = json_loadb(line.p, line.n, JSON_ALLOW_NUL, NULL);
        assert_non_null(row);
        row_body(row, &body);
        buf_clear(&why);
        bool passed = check(row, buf_str(&body), &why);
        score_row(&score, passed, "%s %s: " STR_FMT,
                  json_str(row, "id").p ? json_str(row, "id").p : "", json_str(row, "test").p,
                  STR_ARG(buf_str(&why)));
        json_decref(row);
    }
    score_end(&score, total);
    buf_done(&file);
    buf_done(&body);
    buf_done(&why);
}

static bool check_rules(const json_t *row, struct str body, struct buf *why)
{
    struct robots *r;
    assert_rc(robots_parse(body, json_str(row, "agent"), &r), RC_OK);
    struct robots_verdict v = robots_check(r, url_path(json_str(row, "url")));
    buf_printf(why, "%.60s %.60s: %s by line %u", json_str(row, "agent").p, json_str(row, "url").p,
               v.allowed ? "allowed" : "denied", v.line);
    robots_free(r);
    return v.allowed == json_is_true(json_object_get(row, "allowed"));
}

/* The rules for the first name the file knows: the whole agent, else one of its words. */
static struct robots *parse_by_words(struct str body, struct str agent)
{
    struct robots *r;
    assert_rc(robots_parse(body, agent, &r), RC_OK);
    struct str words = agent;
    while (words.p && !robots_is_named(r)) {
        struct str word = str_take_until(&words, ' ');
        robots_free(r);
        assert_rc(robots_parse(body, str_first(word, str_find(word, '/')), &r), RC_OK);
    }
    return r;
}

static bool check_delay(const json_t *row, struct str body, struct buf *why)
{
    struct robots *r = parse_by_words(body, json_str(row, "agent"));
    const json_t *expected = json_object_get(row, "delay_s");
    uint32_t ms = 0;
    bool given = robots_delay_ms(r, &ms);
    buf_printf(why, "%s: %d, %u ms", json_str(row, "agent").p, given, ms);
    robots_free(r);
    return given == !json_is_null(expected) && ms == (uint32_t)(json_number_value(expected) * 1000);
}

static bool check_sitemaps(const json_t *row, struct str body, struct buf *why)
{
    struct robots *r;
    assert_rc(robots_parse(body, STR("*"), &r), RC_OK);
    const json_t *expected = json_object_get(row, "sitemaps");
    struct str url;
    size_t i = 0;
    bool same = true;
    for (; robots_sitemap(r, i, &url); i++) {
        const json_t *e = json_array_get(expected, i);
        same &= e && str_eq(url, str_make(json_string_value(e), json_string_length(e)));
        buf_printf(why, STR_FMT " ", STR_ARG(url));
    }
    robots_free(r);
    return same && i == json_array_size(expected);
}

static void test_rules(void **state)
{
    (void)state;
    run_set("robots/robots_cases.jsonl", 599, check_rules);
}

static void test_delays(void **state)
{
    (void)state;
    run_set("robots/crawl_delay_cases.jsonl", 28, check_delay);
}

static void test_sitemaps(void **state)
{
    (void)state;
    run_set("robots/sitemap_line_cases.jsonl", 7, check_sitemaps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_delays),
        cmocka_unit_test(test_sitemaps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
