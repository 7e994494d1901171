/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/test.h"

#include "base/hash.h"
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { SHOWN_FAILURES = 20, MAX_FILE_BYTES = 1 << 30 };

void test_assert_str(struct str got, struct str expected, const char *file, int line)
{
    if (str_eq(got, expected))
        return;
    print_error("expected \"" STR_FMT "\", got \"" STR_FMT "\"\n", STR_ARG(expected), STR_ARG(got));
    _fail(file, line);
}

bool test_slurp(const char *path, struct buf *ret)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return false;
    buf_init(ret, MAX_FILE_BYTES);
    char *to;
    while ((to = buf_reserve(ret, 1 << 16))) {
        size_t n = fread(to, 1, 1 << 16, f);
        if (n == 0)
            break;
        ret->n += n;
    }
    fclose(f);
    return buf_rc(ret) == RC_OK;
}

static const char *joined(const char *folder, const char *file)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    return path;
}

const char *test_conformance(const char *file)
{
    const char *folder = getenv("ORBWEAVER_CONFORMANCE");
    const char *path = joined(folder ? folder : SOURCE_ROOT "/../shared/conformance", file);
    struct stat st;
    if (stat(path, &st) == 0)
        return path;
    print_message("# skipped: conformance/%s (absent)\n", file);
    return NULL;
}

const char *test_data(const char *file)
{
    return joined(SOURCE_ROOT "/tests", file);
}

void score_row(struct score *s, bool passed, const char *reason, ...)
{
    s->total++;
    s->passed += passed;
    if (passed || ++s->shown > SHOWN_FAILURES)
        return;
    va_list args;
    va_start(args, reason);
    char text[2000];
    vsnprintf(text, sizeof text, reason, args);
    va_end(args);
    print_message("# %s: %s\n", s->set, text);
}

void score_end(const struct score *s, size_t expected_total)
{
    print_message("# set %s %zu/%zu\n", s->set, s->passed, s->total);
    assert_int_equal(s->total, expected_total);
    assert_int_equal(s->passed, s->total);
}

uint64_t test_seed(uint64_t usual)
{
    const char *text = getenv("ORBWEAVER_TEST_SEED");
    uint64_t round = 0;
    if (text && str_to_u64(str_c(text), &round) == RC_OK)
        print_message("# seed %llu of round %s\n", (unsigned long long)usual, text);
    return usual ^ hash64_mix(round);
}

void test_each_allocation_fails(enum rc (*step)(void *ctx), void *ctx)
{
    for (uint64_t nth = 1;; nth++) {
        int64_t before = mem_live();
        mem_fault_at(nth);
        enum rc rc = step(ctx);
        int hit = mem_fault_hit();
        mem_fault_at(0);
        if (mem_live() != before)
            fail_msg("allocation %llu failing leaks %lld", (unsigned long long)nth,
                     (long long)(mem_live() - before));
        if (!hit) {
            assert_int_equal(rc, RC_OK);
            return;
        }
        if (rc != RC_OK && rc != RC_NOMEM)
            fail_msg("allocation %llu failing gives: %s", (unsigned long long)nth, rc_text(rc));
    }
}
