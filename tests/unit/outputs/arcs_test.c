/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs/arcs.h"

#include "lib/test.h"

static void a_page_and_its_links_are_read(void **state)
{
    (void)state;
    struct arc_line l;
    char hop;
    uint64_t to;
    assert_rc(arc_line_parse(STR("0123456789abcdef L00000000deadbeef Effffffffffffffff"), &l),
              RC_OK);
    assert_true(l.page == UINT64_C(0x0123456789abcdef));
    assert_true(arc_line_next(&l, &hop, &to));
    assert_true(hop == 'L' && to == 0xdeadbeef);
    assert_true(arc_line_next(&l, &hop, &to));
    assert_true(hop == 'E' && to == UINT64_MAX);
    assert_false(arc_line_next(&l, &hop, &to));
}

static void a_page_may_have_no_links(void **state)
{
    (void)state;
    struct arc_line l;
    char hop;
    uint64_t to;
    assert_rc(arc_line_parse(STR("0000000000000000"), &l), RC_OK);
    assert_false(arc_line_next(&l, &hop, &to));
}

static void what_is_no_line_is_refused(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "",
        "0123456789abcde",
        "0123456789abcdeg",
        "0123456789abcdef ",
        "0123456789abcdef L0123456789abcde",
        "0123456789abcdef  0123456789abcdef",
        "0123456789abcdef L0123456789abcdeffff",
        "0123456789abcdefL0123456789abcdef",
        "0123456789abcdef 10123456789abcdef",
    };
    struct arc_line l;
    struct node_line n;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (arc_line_parse(str_c(rows[i]), &l) != RC_INVALID)
            fail_msg("\"%s\" was read", rows[i]);
    for (size_t i = 0; i < 4; i++)
        assert_rc(node_line_parse(str_c(rows[i]), &n), RC_INVALID);
    assert_rc(node_line_parse(STR("0123456789abcdef_u"), &n), RC_INVALID);
}

static void a_node_is_a_fingerprint_and_the_rest(void **state)
{
    (void)state;
    struct node_line n;
    assert_rc(node_line_parse(STR("00000000000000ff http://a/ b"), &n), RC_OK);
    assert_true(n.fingerprint == 255);
    assert_str(n.url, STR("http://a/ b"));
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    char room[200], hop;
    struct buf out = buf_on(room, sizeof room);
    struct arc_line arcs;
    struct node_line node;
    uint64_t to;
    arc_line_begin(&out, 7);
    arc_line_add(&out, 'L', UINT64_MAX);
    arc_line_add(&out, 'E', 0);
    assert_rc(arc_line_parse(buf_str(&out), &arcs), RC_OK);
    assert_int_equal(arcs.page, 7);
    assert_true(arc_line_next(&arcs, &hop, &to) && hop == 'L' && to == UINT64_MAX);
    assert_true(arc_line_next(&arcs, &hop, &to) && hop == 'E' && to == 0);
    assert_false(arc_line_next(&arcs, &hop, &to));
    buf_clear(&out);
    node_line_begin(&out, 9);
    buf_add(&out, STR("http://a.example/"));
    assert_rc(node_line_parse(buf_str(&out), &node), RC_OK);
    assert_int_equal(node.fingerprint, 9);
    assert_str(node.url, STR("http://a.example/"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_and_its_links_are_read),
        cmocka_unit_test(a_page_may_have_no_links),
        cmocka_unit_test(what_is_no_line_is_refused),
        cmocka_unit_test(a_node_is_a_fingerprint_and_the_rest),
        cmocka_unit_test(what_is_written_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
