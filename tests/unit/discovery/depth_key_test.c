/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of notes and origins. */
#include "discovery/depth_key.h"

#include "lib/test.h"

static void the_key_of_a_note_is_as_on_disk(void **state)
{
    (void)state;
    assert_true(depth_index_note_key(0) == UINT64_C(0x392e5f05500570a5));
    assert_true(depth_index_note_key(1) == UINT64_C(0xb4d8861e92fe1da7));
    assert_true(depth_index_note_key(depth_index_note_key(1)) != 1);
}

static void an_origin_is_a_host_a_scheme_and_a_port(void **state)
{
    (void)state;
    uint64_t origin = depth_index_origin_key(99, false, 0);
    assert_true(origin == depth_index_origin_key(99, false, 0));
    assert_true(origin != depth_index_origin_key(99, true, 0));
    assert_true(origin != depth_index_origin_key(99, false, 8080));
    assert_true(origin != depth_index_origin_key(98, false, 0));
    assert_true(origin != 99 && origin != depth_index_note_key(99));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_key_of_a_note_is_as_on_disk),
        cmocka_unit_test(an_origin_is_a_host_a_scheme_and_a_port),
    };
    return cmocka_run_group_tests_name("depth_key", tests, NULL, NULL);
}
