/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/test.h"

#include "warc/cdxj.h"

static const struct cdxj_entry page = {
    .key = {"com,example)/a?b", 16},
    .date_ms = 1714979289123,
    .url = {"http://www.example.com/a?b", 26},
    .mime = {"text/html", 9},
    .status = 200,
    .digest = {"sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N", 37},
    .length = 1043,
    .offset = 333,
    .filename = {"x.warc.gz", 9},
};

#define PAGE                                                                                  \
    "com,example)/a?b 20240506070809 "                                                        \
    "{\"url\":\"http://www.example.com/a?b\",\"mime\":\"text/html\","                         \
    "\"status\":\"200\",\"digest\":\"VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N\",\"length\":\"1043\"," \
    "\"offset\":\"333\",\"filename\":\"x.warc.gz\"}\n"

static void a_line_as_the_field_writes_it(void **state)
{
    (void)state;
    struct buf out = {.max = 4096};
    assert_rc(cdxj_print(&out, &page), RC_OK);
    assert_str(buf_str(&out), STR(PAGE));
    buf_clear(&out);
    struct cdxj_entry bare = page;
    bare.mime = STR("warc/revisit");
    bare.status = 0;
    bare.digest = STR_NONE;
    bare.offset = 0;
    assert_rc(cdxj_print(&out, &bare), RC_OK);
    assert_str(
        buf_str(&out),
        STR("com,example)/a?b 20240506070809 {\"url\":\"http://www.example.com/a?b\",\"mime\":"
            "\"warc/revisit\",\"length\":\"1043\",\"offset\":\"0\",\"filename\":\"x.warc.gz\"}\n"));
    buf_done(&out);
}

static void a_line_is_read_back(void **state)
{
    (void)state;
    struct buf room = {.max = 4096};
    struct cdxj_entry e;
    assert_rc(cdxj_parse(STR(PAGE), &room, &e), RC_OK);
    assert_str(e.key, page.key);
    assert_true(e.date_ms == 1714979289000);
    assert_str(e.url, page.url);
    assert_str(e.mime, page.mime);
    assert_int_equal(e.status, 200);
    assert_str(e.digest, STR("VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N"));
    assert_int_equal(e.length, 1043);
    assert_int_equal(e.offset, 333);
    assert_str(e.filename, page.filename);
    buf_done(&room);
}

static void what_cannot_stand_in_a_line_is_refused(void **state)
{
    (void)state;
    struct buf out = {.max = 4096};
    struct cdxj_entry bad[8];
    for (size_t i = 0; i < 8; i++)
        bad[i] = page;
    bad[0].key = STR("com,example)/a b");
    bad[1].key = STR("");
    bad[2].key = STR("com\n");
    bad[3].url = STR("http://\xff/");
    bad[4].url = STR_NONE;
    bad[5].filename = STR_NONE;
    bad[6].date_ms = INT64_MAX;
    bad[7].status = 1000;
    for (size_t i = 0; i < 8; i++)
        assert_rc(cdxj_print(&out, &bad[i]), RC_INVALID);
    assert_int_equal(out.n, 0);
    char small[40];
    struct buf full = buf_on(small, sizeof small);
    assert_rc(cdxj_print(&full, &page), RC_LIMIT);
    assert_int_equal(full.n, 0);
    buf_done(&out);
}

#define KEY "k 20240506070809 "
#define MUST "\"url\":\"u\",\"length\":\"1\",\"offset\":\"2\",\"filename\":\"f\""

static const struct {
    const char *name, *line;
    enum rc rc;
    const char *url;
} rows[] = {
    {"the least there can be", KEY "{" MUST "}", RC_OK, "u"},
    {"numbers as numbers",
     KEY "{\"url\":\"u\",\"length\":1,\"offset\":2,\"filename\":\"f\",\"status\":404}", RC_OK, "u"},
    {"a status that is none", KEY "{" MUST ",\"status\":\"-\"}", RC_OK, "u"},
    {"blanks anywhere",
     KEY " { \"url\" : \"u\" , \"length\" : \"1\" ,\t\"offset\":\"2\",\"filename\":\"f\" } \r\n",
     RC_OK, "u"},
    {"keys we do not know", KEY "{\"x\":null,\"y\":true,\"z\":-1.5e3," MUST "}", RC_OK, "u"},
    {"things nested in them", KEY "{\"x\":{\"url\":[\"}\",{}]},\"y\":[]," MUST "}", RC_OK, "u"},
    {"escapes",
     KEY "{\"url\":\"\\u0041\\n\\\"\\\\\\/"
         "\\ud83d\\ude00\",\"length\":\"1\",\"offset\":\"2\",\"filename\":\"f\"}",
     RC_OK, "A\n\"\\/\xf0\x9f\x98\x80"},
    {"half a surrogate pair",
     KEY "{\"url\":\"\\ud83dx\",\"length\":\"1\",\"offset\":\"2\",\"filename\":\"f\"}", RC_OK,
     "\xef\xbf\xbdx"},
    {"two first halves",
     KEY "{\"url\":\"\\ud83d\\ud83d\\ude00\",\"length\":\"1\",\"offset\":\"2\",\"filename\":\"f\"}",
     RC_OK, "\xef\xbf\xbd\xf0\x9f\x98\x80"},
    {"no key", " 20240506070809 {" MUST "}", RC_INVALID, NULL},
    {"a short date", "k 2024 {" MUST "}", RC_INVALID, NULL},
    {"no object", KEY, RC_INVALID, NULL},
    {"an empty object", KEY "{}", RC_INVALID, NULL},
    {"something behind the object", KEY "{" MUST "} x", RC_INVALID, NULL},
    {"an object that does not end", KEY "{" MUST, RC_INVALID, NULL},
    {"a comma too many", KEY "{" MUST ",}", RC_INVALID, NULL},
    {"no URL", KEY "{\"length\":\"1\",\"offset\":\"2\",\"filename\":\"f\"}", RC_INVALID, NULL},
    {"no offset", KEY "{\"url\":\"u\",\"length\":\"1\",\"filename\":\"f\"}", RC_INVALID, NULL},
    {"a length that is none",
     KEY "{\"url\":\"u\",\"length\":\"x\",\"offset\":\"2\",\"filename\":\"f\"}", RC_INVALID, NULL},
    {"a negative offset", KEY "{\"url\":\"u\",\"length\":\"1\",\"offset\":-2,\"filename\":\"f\"}",
     RC_INVALID, NULL},
    {"a key twice", KEY "{" MUST ",\"url\":\"v\"}", RC_INVALID, NULL},
    {"an object where a text belongs",
     KEY "{\"url\":{},\"length\":\"1\",\"offset\":\"2\",\"filename\":\"f\"}", RC_INVALID, NULL},
    {"a raw line end in a text", KEY "{\"x\":\"a\nb\"," MUST "}", RC_INVALID, NULL},
    {"a text that is not UTF-8", KEY "{\"x\":\"\xff\"," MUST "}", RC_INVALID, NULL},
    {"an unknown escape", KEY "{\"x\":\"\\x\"," MUST "}", RC_INVALID, NULL},
    {"a short code", KEY "{\"x\":\"\\u12\"," MUST "}", RC_INVALID, NULL},
    {"nothing", "", RC_INVALID, NULL},
};

static void lines_of_others_are_read_or_refused(void **state)
{
    (void)state;
    struct buf room = {.max = 4096};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct cdxj_entry e = {0};
        enum rc rc = cdxj_parse(str_c(rows[i].line), &room, &e);
        if (rc != rows[i].rc || !str_eq(e.url, str_c(rows[i].url)))
            fail_msg("%s: %s, \"" STR_FMT "\"", rows[i].name, rc_text(rc), STR_ARG(e.url));
    }
    buf_done(&room);
}

static void depth_and_length_have_limits(void **state)
{
    (void)state;
    struct buf line = {.max = 4 << 20}, room = {.max = 4 << 20};
    struct cdxj_entry e;
    for (size_t depth = CDXJ_MAX_DEPTH; depth <= CDXJ_MAX_DEPTH + 1; depth++) {
        buf_clear(&line);
        buf_add(&line, STR(KEY "{\"x\":"));
        buf_fill(&line, '[', depth);
        buf_fill(&line, ']', depth);
        buf_add(&line, STR("," MUST "}"));
        assert_rc(cdxj_parse(buf_str(&line), &room, &e), depth > CDXJ_MAX_DEPTH ? RC_LIMIT : RC_OK);
    }
    buf_clear(&line);
    buf_fill(&line, 'k', CDXJ_MAX_LINE + 1);
    assert_rc(cdxj_parse(buf_str(&line), &room, &e), RC_LIMIT);
    buf_done(&line);
    buf_done(&room);
}

static void lines_sort_by_bytes(void **state)
{
    (void)state;
    static const char *const sorted[] = {"com,a)/ 2", "com,a)/a 1", "com,a,b)/ 1", "com,b)/ 1",
                                         "\xc3\xa9"};
    for (size_t i = 1; i < 5; i++)
        assert_true(str_cmp(str_c(sorted[i - 1]), str_c(sorted[i])) < 0);
}

static enum rc both_ways(void *ctx)
{
    (void)ctx;
    struct buf out = {.max = 4096}, room = {.max = 4096};
    struct cdxj_entry e;
    enum rc rc = cdxj_print(&out, &page);
    if (rc == RC_OK)
        rc = cdxj_parse(buf_str(&out), &room, &e);
    buf_done(&out);
    buf_done(&room);
    return rc;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    test_each_allocation_fails(both_ways, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_as_the_field_writes_it),
        cmocka_unit_test(a_line_is_read_back),
        cmocka_unit_test(what_cannot_stand_in_a_line_is_refused),
        cmocka_unit_test(lines_of_others_are_read_or_refused),
        cmocka_unit_test(depth_and_length_have_limits),
        cmocka_unit_test(lines_sort_by_bytes),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
