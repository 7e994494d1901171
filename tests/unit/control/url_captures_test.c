/* SPDX-License-Identifier: Apache-2.0 */
/* Captures come from the index that the crawl writes, and from the sorted one if that is all. */
#include "control/url_captures.h"

#include "control/answer_json.h"
#include "lib/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINE(url, file, offset)                                                                    \
    "org,example)/ 20240102030405 {\"url\":\"" url "\",\"mime\":\"text/html\",\"status\":\"200\"," \
    "\"digest\":\"sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\",\"length\":\"100\",\"offset\":\"" offset \
    "\",\"filename\":\"" file "\"}\n"

struct crawl {
    char dir[64];
};

static int set_up(void **state)
{
    static struct crawl c;
    static const char *const folders[] = {"indexes", "indexes/parts"};
    char path[128];
    (void)snprintf(c.dir, sizeof c.dir, "/tmp/url_captures_XXXXXX");
    if (!mkdtemp(c.dir))
        return 1;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", c.dir, folders[i]);
        if (mkdir(path, 0700))
            return 1;
    }
    *state = &c;
    return 0;
}

static int tear_down(void **state)
{
    const struct crawl *c = *state;
    static const char *const names[] = {"indexes/parts/index.cdxj", "indexes/index.cdxj",
                                        "indexes/parts", "indexes", ""};
    char path[128];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", c->dir, names[i]);
        (void)remove(path);
    }
    return 0;
}

static void write_index(const struct crawl *c, const char *name, const char *text)
{
    char path[128];
    (void)snprintf(path, sizeof path, "%s/%s", c->dir, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static json_t *captures_of(const struct crawl *c, const char *url)
{
    json_t *answer = json_pack("{s:s}", "url", url);
    url_captures_add(c->dir, answer);
    json_t *list = json_incref(json_object_get(answer, "captures"));
    json_decref(answer);
    assert_true(json_is_array(list));
    return list;
}

static void every_capture_of_the_url_is_listed(void **state)
{
    write_index(*state, "indexes/parts/index.cdxj",
                LINE("http://example.org/", "a.warc.gz", "0")
                    LINE("http://example.org/other", "a.warc.gz",
                         "100") "damaged\n" LINE("http://example.org/", "b.warc.gz", "300"));
    write_index(*state, "indexes/index.cdxj", LINE("http://example.org/", "old.warc.gz", "7"));
    json_t *list = captures_of(*state, "http://example.org/");
    assert_int_equal(json_array_size(list), 2);
    assert_string_equal(json_text(json_array_get(list, 0), "file"), "a.warc.gz");
    assert_string_equal(json_text(json_array_get(list, 1), "file"), "b.warc.gz");
    assert_int_equal(json_u64(json_array_get(list, 1), "offset"), 300);
    assert_int_equal(json_u64(json_array_get(list, 1), "length"), 100);
    assert_int_equal(json_u64(json_array_get(list, 1), "status"), 200);
    json_decref(list);
}

static void without_parts_the_sorted_index_counts(void **state)
{
    write_index(*state, "indexes/index.cdxj", LINE("http://example.org/", "old.warc.gz", "7"));
    json_t *list = captures_of(*state, "http://example.org/");
    assert_int_equal(json_array_size(list), 1);
    assert_string_equal(json_text(json_array_get(list, 0), "file"), "old.warc.gz");
    json_decref(list);
}

static void without_an_index_there_are_none(void **state)
{
    json_t *list = captures_of(*state, "http://example.org/");
    assert_int_equal(json_array_size(list), 0);
    json_decref(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_capture_of_the_url_is_listed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_parts_the_sorted_index_counts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_an_index_there_are_none, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
