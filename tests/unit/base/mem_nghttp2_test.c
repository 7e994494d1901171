/* SPDX-License-Identifier: Apache-2.0 */
/* A session whose memory is ours: each of its allocations is counted, and can be made to fail. */
#include "base/mem_nghttp2.h"

#include "lib/test.h"

static int session_open(nghttp2_session **ret)
{
    nghttp2_mem mem = MEM_NGHTTP2;
    nghttp2_session_callbacks *calls = NULL;
    assert_int_equal(nghttp2_session_callbacks_new(&calls), 0);
    int error = nghttp2_session_client_new3(ret, calls, NULL, NULL, &mem);
    nghttp2_session_callbacks_del(calls);
    return error;
}

static void what_a_session_takes_is_counted_and_given_back(void **state)
{
    (void)state;
    nghttp2_session *session = NULL;
    int64_t before = mem_live();
    assert_int_equal(session_open(&session), 0);
    assert_true(mem_live() > before);
    nghttp2_session_del(session);
    assert_int_equal(mem_live(), before);
}

static void every_allocation_of_a_session_may_fail(void **state)
{
    (void)state;
    int64_t before = mem_live();
    for (uint64_t nth = 1;; nth++) {
        nghttp2_session *session = NULL;
        mem_fault_at(nth);
        int error = session_open(&session);
        int was_hit = mem_fault_hit();
        mem_fault_at(0);
        if (!error)
            nghttp2_session_del(session);
        assert_int_equal(mem_live(), before);
        if (!was_hit) {
            assert_true(nth > 1);
            return;
        }
        assert_int_equal(error, NGHTTP2_ERR_NOMEM);
    }
}

static void the_four_doors_are_those_of_mem(void **state)
{
    (void)state;
    nghttp2_mem mem = MEM_NGHTTP2;
    int64_t before = mem_live();
    unsigned char *zeros = mem.calloc(3, 5, mem.mem_user_data);
    assert_non_null(zeros);
    for (int i = 0; i < 15; i++)
        assert_int_equal(zeros[i], 0);
    unsigned char *more = mem.realloc(zeros, 100, mem.mem_user_data);
    assert_non_null(more);
    void *other = mem.malloc(7, mem.mem_user_data);
    assert_int_equal(mem_live(), before + 2);
    mem.free(other, mem.mem_user_data);
    mem.free(more, mem.mem_user_data);
    assert_int_equal(mem_live(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_session_takes_is_counted_and_given_back),
        cmocka_unit_test(every_allocation_of_a_session_may_fail),
        cmocka_unit_test(the_four_doors_are_those_of_mem),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
