/* SPDX-License-Identifier: Apache-2.0 */
#include "html/scan.h"
#include "lib/test.h"

static void same_masks(const struct scan *a, const struct scan *b)
{
    assert_true(a->lt == b->lt);
    assert_true(a->delim == b->delim);
    assert_true(a->dq == b->dq);
    assert_true(a->sq == b->sq);
    assert_true(a->special == b->special);
}

static scan_classifier *plain_one(void)
{
    scan_classifier *last = NULL;
    for (unsigned i = 0; scan_classifier_at(i); i++)
        last = scan_classifier_at(i);
    return last;
}

/* Every byte value at every place of a block, by every version that this processor runs. */
static void test_versions_agree(void **state)
{
    (void)state;
    char block[64];
    for (unsigned value = 0; value < 256; value++)
        for (unsigned at = 0; at < 64; at++) {
            struct scan expected, got;
            memset(block, 'x', sizeof block);
            block[at] = (char)value;
            plain_one()(&expected, block);
            for (unsigned i = 0; scan_classifier_at(i); i++) {
                scan_classifier_at(i)(&got, block);
                same_masks(&got, &expected);
            }
        }
}

/* The plain version is what the header says. */
static void test_masks(void **state)
{
    (void)state;
    struct scan s;
    char block[65] = "<>=/ \t\"'&\r                                                       ";
    plain_one()(&s, block);
    assert_true(s.lt == 1);
    assert_true((s.delim & 0x3ff) == 0x23e);
    assert_true(s.dq == 1 << 6);
    assert_true(s.sq == 1 << 7);
    assert_true(s.special == 0x300);
}

/* A search over several blocks and up to an end anywhere finds what memchr finds. */
static void test_find(void **state)
{
    (void)state;
    char text[300];
    memset(text, 'x', sizeof text);
    for (size_t end = 1; end < sizeof text; end += 7)
        for (size_t at = 0; at < sizeof text; at += 3) {
            struct scan s;
            uint64_t special = 0;
            text[at] = '<';
            scan_init(&s, scan_classifier_best(), text, text + end);
            const char *got = scan_find(&s, text, SCAN_LT, &special);
            assert_ptr_equal(got, text + (at < end ? at : end));
            assert_true(special == 0);
            text[at] = '&';
            special = 0;
            scan_init(&s, scan_classifier_best(), text, text + end);
            assert_ptr_equal(scan_find(&s, text, SCAN_LT, &special), text + end);
            assert_int_equal(special != 0, at < end);
            text[at] = 'x';
        }
}

/* So does one that only skips, from anywhere in a block; and the masks go on from there. */
static void test_skip(void **state)
{
    (void)state;
    char text[300];
    memset(text, 'x', sizeof text);
    for (size_t end = 1; end < sizeof text; end += 7)
        for (size_t at = 0; at < sizeof text; at += 3)
            for (size_t from = 0; from <= 64 && from < end; from += 16) {
                struct scan s;
                uint64_t special = 0;
                text[at] = '<';
                scan_init(&s, scan_classifier_best(), text, text + end);
                const char *got = scan_skip(&s, text + from);
                bool is_there = at >= from && at < end;
                assert_ptr_equal(got, text + (is_there ? at : end));
                if (is_there)
                    assert_ptr_equal(scan_find(&s, got, SCAN_LT, &special), got);
                text[at] = 'x';
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_versions_agree),
        cmocka_unit_test(test_masks),
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_skip),
    };
    return cmocka_run_group_tests_name("html/scan", tests, NULL, NULL);
}
