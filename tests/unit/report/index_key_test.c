/* SPDX-License-Identifier: Apache-2.0 */
/* A line of the index with the key of its URL. */
#include "report/index_key.h"

#include "lib/test.h"

#include <stdio.h>

static struct index_key key;
static struct buf out = {.max = 1 << 20};

static void assert_line(const char *line, const char *expected)
{
    buf_clear(&out);
    index_key_put(&key, str_c(line), &out);
    assert_rc(buf_rc(&out), RC_OK);
    assert_str(buf_str(&out), str_c(expected));
}

#define REST ",\"length\":\"5\",\"offset\":\"0\",\"filename\":\"a.warc.gz\"}"
#define TIME " 20261118190451 "

static void a_line_gets_the_key_of_its_url(void **state)
{
    (void)state;
    static const char *const urls[] = {
        "\"http://a.example/b/\"",         /* as a crawl writes it */
        "\"http:\\/\\/a.example\\/b\\/\"", /* with escapes */
    };
    for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) {
        char line[256], expected[256];
        (void)snprintf(line, sizeof line, "example,a)/b" TIME "{\"url\":%s" REST, urls[i]);
        (void)snprintf(expected, sizeof expected, "example,a)/b/" TIME "{\"url\":%s" REST, urls[i]);
        assert_line(line, expected);
    }
    assert_line("k" TIME "{\"mime\":\"text/html\",\"url\":\"http://a.example/b/\"" REST,
                "example,a)/b/" TIME
                "{\"mime\":\"text/html\",\"url\":\"http://a.example/b/\"" REST);
}

static void a_line_without_a_url_keeps_its_key(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "",
        "key",
        "key" TIME,
        "key" TIME "{\"url\":\"http://a.example/b/",
        "key" TIME "{\"url\":\"http://a.example/b/\",\"length\":\"5\"",
        "key" TIME "{\"url\":\"/no-url\"" REST,
        "key" TIME "{\"mime\":\"text/html\"" REST,
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        assert_line(lines[i], lines[i]);
}

int main(void)
{
    assert_rc(index_key_init(&key), RC_OK);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_gets_the_key_of_its_url),
        cmocka_unit_test(a_line_without_a_url_keeps_its_key),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    index_key_done(&key);
    buf_done(&out);
    return failed;
}
