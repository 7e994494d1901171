/* SPDX-License-Identifier: Apache-2.0 */
#include "linkindex/index_list.h"

#include "base/hash.h"
#include "lib/test.h"

static void add(struct index_list *l, enum pair_kind kind, uint64_t number, uint64_t from,
                uint64_t to)
{
    struct index_run run = {.number = number, .from = from, .to = to, .bytes = 100, .level = 1};
    assert_rc(index_list_put(l, kind, l->of[kind].count, 0, run), RC_OK);
    l->of[kind].covered = to;
    l->of[kind].tail_hash = to * 77;
}

static void what_is_printed_is_read(void **state)
{
    (void)state;
    struct index_list l = {0}, again;
    struct buf text = {.max = 10000}, same = {.max = 10000};
    add(&l, PAIRS_LINKS, 1, 0, 10);
    add(&l, PAIRS_LINKS, 7, 10, 30);
    add(&l, PAIRS_NAMES, 3, 0, 5);
    assert_int_equal(index_list_next(&l), 8);
    index_list_print(&l, &text);
    assert_rc(index_list_parse(buf_str(&text), &again), RC_OK);
    index_list_print(&again, &same);
    assert_str(buf_str(&same), buf_str(&text));
    index_list_done(&again);
    index_list_done(&l);
    buf_done(&text);
    buf_done(&same);
}

static void runs_are_replaced_by_one(void **state)
{
    (void)state;
    struct index_list l = {0};
    for (uint64_t i = 0; i < 5; i++)
        add(&l, PAIRS_LINKS, i + 1, i * 10, i * 10 + 10);
    struct index_run run = {.number = 9, .from = 10, .to = 40};
    assert_rc(index_list_put(&l, PAIRS_LINKS, 1, 3, run), RC_OK);
    assert_int_equal(l.of[PAIRS_LINKS].count, 3);
    assert_int_equal(l.of[PAIRS_LINKS].list[0].number, 1);
    assert_int_equal(l.of[PAIRS_LINKS].list[1].number, 9);
    assert_int_equal(l.of[PAIRS_LINKS].list[2].number, 5);
    index_list_done(&l);
}

static void what_is_no_list_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum rc rc;
    } rows[] = {
        {"orbweaver link index 1\n", RC_OK},
        {"orbweaver link index 2\n", RC_VERSION},
        {"orbweaver link index\n", RC_CORRUPT},
        {"orbweaver crawl 1\n", RC_CORRUPT},
        {"", RC_CORRUPT},
        {"orbweaver link index 1\ncovers links 0 0000000000000000\n", RC_OK},
        {"orbweaver link index 1\ncovers links 1 0000000000000000\n", RC_CORRUPT},
        {"orbweaver link index 1\ncovers hosts 0 0000000000000000\n", RC_CORRUPT},
        {"orbweaver link index 1\nrun links 1 0 0 5 100\n", RC_CORRUPT}, /* not covered */
        {"orbweaver link index 1\nrun links 1 0 0 5 100\ncovers links 5 00000000000000ff\n", RC_OK},
        {"orbweaver link index 1\nrun links 1 0 1 5 100\ncovers links 5 00000000000000ff\n",
         RC_CORRUPT}, /* a gap */
        {"orbweaver link index 1\nrun links 1 0 0 0 100\n", RC_CORRUPT},
        {"orbweaver link index 1\nrun links 0 0 0 5 100\ncovers links 5 00000000000000ff\n",
         RC_CORRUPT},
        {"orbweaver link index 1\nrun links 1 65 0 5 100\ncovers links 5 00000000000000ff\n",
         RC_CORRUPT},
        {"orbweaver link index 1\nrun links 1 0 0 5\n", RC_CORRUPT},
        {"orbweaver link index 1\nrun links 1 0 0 5 100 1\n", RC_CORRUPT},
        {"orbweaver link index 1\nwalk\n", RC_CORRUPT},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct buf text = {.max = 1000};
        struct index_list l;
        buf_add(&text, str_c(rows[i].text));
        buf_printf(&text, "check %016llx\n", (unsigned long long)hash64(buf_str(&text)));
        enum rc rc = index_list_parse(buf_str(&text), &l);
        if (rc != rows[i].rc)
            fail_msg("row %zu: %s", i, rc_text(rc));
        index_list_done(&l);
        text.p[3] ^= 1;
        assert_rc(index_list_parse(buf_str(&text), &l), RC_CORRUPT);
        buf_done(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_printed_is_read),
        cmocka_unit_test(runs_are_replaced_by_one),
        cmocka_unit_test(what_is_no_list_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
