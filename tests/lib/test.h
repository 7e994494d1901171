/* SPDX-License-Identifier: Apache-2.0 */
/* test: what every test program here needs beside cmocka.
 *
 * A program prints TAP (cmocka's), plus lines that the runner collects:
 *     # set url/wpt_urltestdata.json 873/873      a conformance set, passed of total
 *     # skipped: corpus/python3.11-doc (absent)   what could not run, and why */
#ifndef TESTS_LIB_TEST_H
#define TESTS_LIB_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/buf.h"

/* Sanitizers make a test several times slower, and their build looks at memory: a test of thousands
 * of cases has fewer of them there. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TEST_IS_SANITIZED true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TEST_IS_SANITIZED true
#endif
#endif
#ifndef TEST_IS_SANITIZED
#define TEST_IS_SANITIZED false
#endif

/* True in a cross build that runs under qemu-user (tools/portable.py), some ten times slower: a test
 * of thousands of cases has fewer of them there, and none that starts this program again. */
#ifndef TEST_IS_EMULATED
#define TEST_IS_EMULATED false
#endif

/* Fails the test unless the two are the same bytes; prints both. */
#define assert_str(got, expected) test_assert_str(got, expected, __FILE__, __LINE__)
void test_assert_str(struct str got, struct str expected, const char *file, int line);

#define assert_rc(call, expected) assert_int_equal(call, expected)

/* The whole file, in memory that test_slurp's caller frees with buf_done. False if it is absent. */
bool test_slurp(const char *path, struct buf *ret);

/* Path of a conformance file ("url/wpt_urltestdata.json") in $ORBWEAVER_CONFORMANCE or
 * ../shared/conformance, valid until the next call; NULL, after printing the skip line, if it is
 * absent. A test then returns by skip(). */
const char *test_conformance(const char *file);

/* A path below the project's own tests/ folder: test_data("unit/url/rules.tsv"). */
const char *test_data(const char *file);

/* Counting the rows of a set. `score_row` prints the first rows that fail, with the reason;
 * `score_end` prints the "# set" line and fails the test unless all passed and the total is the one
 * expected: a set that silently shrank would prove nothing. */
struct score {
    const char *set;
    size_t passed, total, shown;
};
void score_row(struct score *s, bool passed, const char *reason, ...) PRINTF_LIKE(3, 4);
void score_end(const struct score *s, size_t expected_total);

/* What a property test seeds its generator with: `usual`, or another number for each
 * $ORBWEAVER_TEST_SEED (the soak tier counts it up). Printed, so that a failure can be had again.
 */
uint64_t test_seed(uint64_t usual);

/* Runs `step` with its first allocation failing, then its second, and so on, until it runs through
 * without meeting the fault; all of our code's allocations go through base/mem.h. Each time `step`
 * must return RC_OK or RC_NOMEM, and RC_OK at the end, and leave no allocation behind. */
void test_each_allocation_fails(enum rc (*step)(void *ctx), void *ctx);

#endif
