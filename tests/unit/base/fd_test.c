/* SPDX-License-Identifier: Apache-2.0 */
#include "base/fd.h"

#include "lib/test.h"

#include <sys/resource.h>
#include <unistd.h>

static void the_limit_goes_up_to_what_the_system_allows(void **state)
{
    (void)state;
    struct rlimit before, low;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    low = before;
    low.rlim_cur = before.rlim_max < 64 ? before.rlim_max : 64;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
    assert_int_equal(fd_limit(), low.rlim_cur);
    fd_raise_limit();
    assert_int_equal(fd_limit(), before.rlim_max);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
}

static void everything_is_written(void **state)
{
    (void)state;
    int ends[2];
    char got[8] = {0};
    assert_int_equal(pipe(ends), 0);
    assert_true(fd_write_all(ends[1], STR("seven b")));
    assert_int_equal(read(ends[0], got, sizeof got), 7);
    assert_string_equal(got, "seven b");
    close(ends[0]);
    close(ends[1]);
    assert_false(fd_write_all(ends[1], STR("x")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_limit_goes_up_to_what_the_system_allows),
        cmocka_unit_test(everything_is_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
