/* SPDX-License-Identifier: Apache-2.0 */
#include "roles/seed_request.h"

#include "lib/test.h"

static void without_the_step_a_request_is_closed_and_released(void **state)
{
    (void)state;
    struct calls calls;
    calls_init(&calls);
    struct seed_request *r = seed_request_open(&calls);
    assert_non_null(r);
    struct str *urls = arena_alloc(r->arena, sizeof *urls);
    assert_non_null(urls);
    *urls = arena_dup(r->arena, STR("http://example.org/"));
    r->urls = urls;
    r->count = 1;
    assert_null(r->call.run); /* the queue of `seeds` serves it */
    assert_rc(calls_ask(&calls, CALLS_SEEDS, &r->call, 1000), RC_CLOSED);
    call_leave(&r->call);
    calls_done(&calls);
}

static enum rc open_and_leave(void *ctx)
{
    struct seed_request *r = seed_request_open(ctx);
    if (r)
        call_leave(&r->call);
    return r ? RC_OK : RC_NOMEM;
}

static void without_memory_there_is_no_request(void **state)
{
    (void)state;
    struct calls calls;
    calls_init(&calls);
    test_each_allocation_fails(open_and_leave, &calls);
    calls_done(&calls);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_the_step_a_request_is_closed_and_released),
        cmocka_unit_test(without_memory_there_is_no_request),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
