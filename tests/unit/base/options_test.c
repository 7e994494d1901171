/* SPDX-License-Identifier: Apache-2.0 */
#include "base/options.h"

#include "lib/test.h"

struct all {
    bool flag;
    uint64_t count, size, wait_ms, renamed;
    double share;
    struct str text, unset;
    unsigned choice, was_bool;
    struct option_list list;
};

static const struct option table[] = {
    OPTION_BOOL_ROW(struct all, flag, "flag", "yes", "a flag"),
    OPTION_COUNT_ROW(struct all, count, "count", "20k", "a count", .max = 1000000),
    OPTION_SIZE_ROW(struct all, size, "size", "64k", "a size"),
    OPTION_DURATION_ROW(struct all, wait_ms, "ip-delay", "1500ms", "a wait", .min = 10),
    OPTION_REAL_ROW(struct all, share, "share", "0.25", "a share"),
    OPTION_TEXT_ROW(struct all, text, "text", "hello", "a text"),
    OPTION_TEXT_ROW(struct all, unset, "unset", NULL, "a text without default"),
    OPTION_CHOICE_ROW(struct all, choice, "choice", "domain", "a choice",
                      .choices = "host|domain|any"),
    OPTION_LIST_ROW(struct all, list, "list", "one", "a list"),
    OPTION_COUNT_ROW(struct all, renamed, "renamed", "1", "had another key", .former = "old-key"),
    OPTION_CHOICE_ROW(struct all, was_bool, "version", "auto", "was a bool", .choices = "auto|1|2",
                      .former = "version2", .no = "auto", .yes = "2"),
    {0},
};

static struct arena *arena;
static struct all all;

static int set_up(void **state)
{
    (void)state;
    arena = arena_open(256, 1 << 20);
    return arena && options_default(table, &all, arena) == RC_OK ? 0 : 1;
}

static int tear_down(void **state)
{
    (void)state;
    arena_close(arena);
    return 0;
}

static void defaults_are_read_as_a_person_would_write_them(void **state)
{
    (void)state;
    assert_true(all.flag);
    assert_int_equal(all.count, 20000);
    assert_int_equal(all.size, 65536);
    assert_int_equal(all.wait_ms, 1500);
    assert_true(all.share > 0.249 && all.share < 0.251);
    assert_str(all.text, STR("hello"));
    assert_null(all.unset.p);
    assert_int_equal(all.choice, 1);
    assert_int_equal(all.list.count, 1);
}

static const struct {
    const char *key, *text;
    const char *printed; /* NULL: refused, with `why` */
    const char *why;
} rows[] = {
    {"flag", "off", "no", NULL},
    {"flag", "YES", "yes", NULL},
    {"flag", "maybe", NULL, "expected yes or no"},
    {"count", "7", "7", NULL},
    {"count", "1M", "1000000", NULL},
    {"count", "0.5k", "500", NULL},
    {"count", "1.001k", "1001", NULL},
    {"count", "1e6", "1000000", NULL},
    {"count", "25e0", "25", NULL},
    {"count", "1e20", NULL, "expected a whole number such as 100, 20k or 1M"},
    {"count", "9e19", NULL, "expected a whole number such as 100, 20k or 1M"},
    {"count", "e7", NULL, "expected a whole number such as 100, 20k or 1M"},
    {"count", "1e", NULL, "expected a whole number such as 100, 20k or 1M"},
    {"count", "1.5", NULL, "expected a whole number such as 100, 20k or 1M"},
    {"count", "0x10", NULL, "expected a whole number such as 100, 20k or 1M"},
    {"count", "+5", NULL, "expected a whole number such as 100, 20k or 1M"},
    {"count", " 5", NULL, "expected a whole number such as 100, 20k or 1M"},
    {"count", "1.k", NULL, "expected a whole number such as 100, 20k or 1M"},
    {"count", ".5k", NULL, "expected a whole number such as 100, 20k or 1M"},
    {"count", "1.2.3k", NULL, "expected a whole number such as 100, 20k or 1M"},
    {"size", "18446744073709551.615kB", "18446744073709551615", NULL},
    {"size", "18446744073709551.616kB", NULL, "expected a size such as 512, 64k, 10M or 1GB"},
    {"size", "16777216T", NULL, "expected a size such as 512, 64k, 10M or 1GB"},
    {"size", "0.999999999T", "1099511626676", NULL},
    {"ip-delay", "1.5h", "90m", NULL},
    {"ip-delay", "1.999999999d", "172799999ms", NULL},
    {"ip-delay", "1.0000000001d", NULL, "expected a duration such as 500ms, 1s, 2m, 1h or 7d"},
    {"ip-delay", "20.5ms", NULL, "expected a duration such as 500ms, 1s, 2m, 1h or 7d"},
    {"count", "2M", NULL,
     "expected a whole number such as 100, 20k or 1M, at least 0 and at most 1000000"},
    {"count", "-1", NULL, "expected a whole number such as 100, 20k or 1M"},
    {"count", "", NULL, "expected a whole number such as 100, 20k or 1M"},
    {"count", "99999999999999999999", NULL, "expected a whole number such as 100, 20k or 1M"},
    {"count", "99999999999G", NULL, "expected a whole number such as 100, 20k or 1M"},
    {"size", "512", "512", NULL},
    {"size", "1G", "1G", NULL},
    {"size", "1GB", "1GB", NULL},
    {"size", "3 MiB", "3M", NULL},
    {"size", "1X", NULL, "expected a size such as 512, 64k, 10M or 1GB"},
    {"ip-delay", "2", "2s", NULL},
    {"ip-delay", "1.5s", "1500ms", NULL},
    {"ip-delay", "90m", "90m", NULL},
    {"ip-delay", "7d", "7d", NULL},
    {"ip-delay", "5ms", NULL,
     "expected a duration such as 500ms, 1s, 2m, 1h or 7d, at least 10 (in milliseconds)"},
    {"share", "1e-3", "0.001", NULL},
    {"share", "nan", NULL, "expected a number such as 0.25"},
    {"share", "1x", NULL, "expected a number such as 0.25"},
    {"text", "", "", NULL},
    {"text", "a b", "a b", NULL},
    {"choice", "any", "any", NULL},
    {"choice", "Host", NULL, "expected one of host|domain|any"},
};

static void values_are_set_from_text_and_printed_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct buf why = {.max = 1000}, before = why, after = why;
        const struct option *o = option_find(table, str_c(rows[i].key));
        assert_non_null(o);
        option_print(o, &all, &before);
        enum rc rc = option_set(o, &all, arena, str_c(rows[i].text), &why);
        option_print(o, &all, &after);
        if (rc != (rows[i].printed ? RC_OK : RC_INVALID))
            fail_msg("%s \"%s\": %s", rows[i].key, rows[i].text, rc_text(rc));
        assert_str(buf_str(&after), rows[i].printed ? str_c(rows[i].printed) : buf_str(&before));
        assert_str(buf_str(&why), rows[i].why ? str_c(rows[i].why) : STR(""));
        buf_done(&why);
        buf_done(&before);
        buf_done(&after);
    }
}

static void what_is_printed_reads_back_as_the_same_value(void **state)
{
    (void)state;
    for (uint64_t v = 10; v < UINT64_C(1) << 50; v = v * 3 + 1) {
        struct buf out = {.max = 100}, why = out;
        all.wait_ms = all.size = v;
        for (size_t i = 2; i <= 3; i++) {
            buf_clear(&out);
            option_print(&table[i], &all, &out);
            assert_rc(option_set(&table[i], &all, arena, buf_str(&out), &why), RC_OK);
        }
        assert_int_equal(all.wait_ms, v);
        assert_int_equal(all.size, v);
        buf_done(&out);
        buf_done(&why);
    }
}

static void a_list_grows_until_it_is_cleared(void **state)
{
    (void)state;
    const struct option *o = option_find(table, STR("list"));
    struct buf out = {.max = 100}, why = out;
    assert_rc(option_set(o, &all, arena, STR("two"), &why), RC_OK);
    option_print(o, &all, &out);
    assert_str(buf_str(&out), STR("one, two"));
    option_list_clear(o, &all);
    assert_int_equal(all.list.count, 0);
    buf_done(&out);
}

static void a_copy_needs_nothing_of_the_original(void **state)
{
    (void)state;
    struct arena *other = arena_open(256, 1 << 20);
    assert_non_null(other);
    struct all copy;
    assert_rc(options_copy(table, sizeof all, &all, &copy, other), RC_OK);
    memset((char *)(uintptr_t)all.text.p, 'x', all.text.n);
    memset((char *)(uintptr_t)all.list.items[0].p, 'x', all.list.items[0].n);
    assert_str(copy.text, STR("hello"));
    assert_str(copy.list.items[0], STR("one"));
    assert_null(copy.unset.p);
    assert_int_equal(copy.wait_ms, 1500);
    arena_close(other);
}

static void the_nearest_key_is_suggested(void **state)
{
    (void)state;
    static const struct {
        const char *written, *meant;
    } near[] = {{"cuont", "count"},
                {"ip_delay", "ip-delay"},
                {"ipdelay", "ip-delay"},
                {"teext", "text"},
                {"lits", "list"},
                {"colour", NULL},
                {"", NULL},
                {"x", NULL}};
    for (size_t i = 0; i < sizeof near / sizeof near[0]; i++) {
        const char *got = option_suggest(table, str_c(near[i].written));
        if (near[i].meant)
            assert_string_equal(got, near[i].meant);
        else
            assert_null(got);
    }
    assert_int_equal(name_distance(STR("abc"), STR("acb"), 5), 1);
    assert_int_equal(name_distance(STR("abc"), STR("xyz"), 1), 2);
}

static void a_renamed_option_is_found_by_its_former_key(void **state)
{
    (void)state;
    struct buf why = {.max = 1000};
    const struct option *o = option_find(table, STR("old-key"));
    assert_non_null(o);
    assert_ptr_equal(o, option_find(table, STR("renamed")));
    assert_string_equal(o->key, "renamed");
    assert_rc(option_set(o, &all, arena, STR("7"), &why), RC_OK);
    assert_int_equal(all.renamed, 7);
    assert_null(option_find(table, STR("old-ke")));
    assert_string_equal(option_suggest(table, STR("rename")), "renamed");
    buf_done(&why);
}

static void a_choice_that_was_a_bool_still_takes_yes_and_no(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int value; /* -1: refused */
    } words[] = {{"yes", 2}, {"no", 0}, {"true", 2}, {"OFF", 0}, {"auto", 0},
                 {"1", 1},   {"2", 2},  {"on", 2},   {"0", -1},  {"", -1}};
    const struct option *o = option_find(table, STR("version2"));
    struct buf why = {.max = 1000};
    assert_ptr_equal(o, option_find(table, STR("version")));
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        all.was_bool = 7;
        enum rc rc = option_set(o, &all, arena, str_c(words[i].text), &why);
        assert_rc(rc, words[i].value < 0 ? RC_INVALID : RC_OK);
        assert_int_equal(all.was_bool, words[i].value < 0 ? 7 : words[i].value);
    }
    assert_rc(option_set(option_find(table, STR("choice")), &all, arena, STR("yes"), &why),
              RC_INVALID); /* it never was one */
    buf_done(&why);
}

static enum rc copy_all(void *ctx)
{
    (void)ctx;
    struct arena *a = arena_open(32, 1 << 20);
    struct all one, two;
    enum rc rc = a ? options_default(table, &one, a) : RC_NOMEM;
    if (rc == RC_OK)
        rc = options_copy(table, sizeof one, &one, &two, a);
    arena_close(a);
    return rc;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    test_each_allocation_fails(copy_all, NULL);
}

int main(void)
{
#define EACH(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        EACH(defaults_are_read_as_a_person_would_write_them),
        EACH(values_are_set_from_text_and_printed_back),
        EACH(what_is_printed_reads_back_as_the_same_value),
        EACH(a_list_grows_until_it_is_cleared),
        EACH(a_copy_needs_nothing_of_the_original),
        EACH(the_nearest_key_is_suggested),
        EACH(a_renamed_option_is_found_by_its_former_key),
        EACH(a_choice_that_was_a_bool_still_takes_yes_and_no),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("base/options", tests, NULL, NULL);
}
