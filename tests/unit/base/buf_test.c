/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/test.h"

#include "base/mem.h"
#include "base/taker.h"

#include <stdio.h>

static void it_grows_and_keeps_what_it_has(void **state)
{
    (void)state;
    struct buf b = {.max = 1 << 20};
    for (int i = 0; i < 5000; i++)
        buf_printf(&b, "%d,", i);
    assert_rc(buf_rc(&b), RC_OK);
    assert_true(str_starts(buf_str(&b), STR("0,1,2,")));
    assert_true(str_ends(buf_str(&b), STR(",4998,4999,")));
    buf_done(&b);
    assert_str(buf_str(&b), STR(""));
}

static void past_its_maximum_the_failure_sticks(void **state)
{
    (void)state;
    struct buf b = {.max = 10};
    buf_add(&b, STR("12345678"));
    buf_add(&b, STR("abc"));
    buf_add(&b, STR("x"));
    assert_rc(buf_rc(&b), RC_LIMIT);
    assert_str(buf_str(&b), STR("12345678"));
    buf_clear(&b);
    buf_add(&b, STR("1234567890"));
    assert_rc(buf_rc(&b), RC_OK);
    buf_done(&b);
}

static void no_memory_sticks_too(void **state)
{
    (void)state;
    struct buf b = {.max = 1000};
    mem_fault_at(1);
    buf_add(&b, STR("x"));
    assert_true(mem_fault_hit());
    mem_fault_at(0);
    buf_add(&b, STR("y"));
    assert_rc(buf_rc(&b), RC_NOMEM);
    assert_int_equal(b.n, 0);
    buf_done(&b);
}

static void long_printf_and_c_string(void **state)
{
    (void)state;
    struct buf b = {.max = 10000};
    buf_printf(&b, "%0*d", 3000, 7);
    assert_int_equal(b.n, 3000);
    assert_int_equal(strlen(buf_c(&b)), 3000);
    buf_clear(&b);
    buf_fill(&b, '-', 3);
    buf_u64(&b, 0);
    buf_u64(&b, UINT64_MAX);
    assert_str(buf_str(&b), STR("---018446744073709551615"));
    buf_done(&b);
}

static void padded_numbers_are_as_printf_writes_them(void **state)
{
    (void)state;
    static const unsigned long long values[] = {0, 7, 99, 100, 12345, 999999, UINT64_MAX};
    struct buf b = {.max = 1000};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        for (unsigned width = 0; width <= 20; width++) {
            char want[2][32];
            (void)snprintf(want[0], sizeof want[0], "%*llu", (int)width, values[i]);
            (void)snprintf(want[1], sizeof want[1], "%0*llu", (int)width, values[i]);
            for (int zeros = 0; zeros < 2; zeros++) {
                buf_clear(&b);
                buf_u64_wide(&b, values[i], width, zeros ? '0' : ' ');
                assert_str(buf_str(&b), str_c(want[zeros]));
            }
        }
    buf_done(&b);
}

static void adding_nothing_is_no_failure(void **state)
{
    (void)state;
    struct buf b = {.max = 0};
    buf_add(&b, STR_NONE);
    buf_add(&b, STR(""));
    assert_rc(buf_rc(&b), RC_OK);
    buf_byte(&b, 'x');
    assert_rc(buf_rc(&b), RC_LIMIT);
    assert_null(b.p);
}

static void integers_are_little_endian_D17(void **state)
{
    (void)state;
    struct buf b = {.max = 100};
    buf_le16(&b, 0x0102);
    buf_le32(&b, 0x03040506);
    buf_le64(&b, 0x0708090a0b0c0d0e);
    assert_str(buf_str(&b), STR("\x02\x01\x06\x05\x04\x03\x0e\x0d\x0c\x0b\x0a\x09\x08\x07"));
    buf_done(&b);
}

static void a_text_behind_its_length_is_read_back(void **state)
{
    (void)state;
    char bytes[300];
    struct buf b = {.max = 1000};
    struct str most = {bytes, 255}, more = {bytes, sizeof bytes};
    memset(bytes, 'x', sizeof bytes);
    buf_str8(&b, STR("ab"));
    buf_str8(&b, most);
    buf_str32(&b, more);
    buf_str32(&b, STR(""));
    assert_true(str_starts(buf_str(&b), STR("\x02"
                                            "ab\xff")));
    struct taker t = {.rest = buf_str(&b)};
    assert_str(take_str8(&t), STR("ab"));
    assert_str(take_str8(&t), most);
    assert_str(take_str32(&t), more);
    assert_str(take_str32(&t), STR(""));
    assert_true(!t.bad && !t.rest.n);
    buf_done(&b);
}

static void on_the_callers_room_it_never_grows(void **state)
{
    (void)state;
    char room[4];
    struct buf b = buf_on(room, sizeof room);
    buf_add(&b, STR("1234"));
    assert_rc(buf_rc(&b), RC_OK);
    buf_byte(&b, '5');
    assert_rc(buf_rc(&b), RC_LIMIT);
    assert_ptr_equal(b.p, room);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_grows_and_keeps_what_it_has),
        cmocka_unit_test(past_its_maximum_the_failure_sticks),
        cmocka_unit_test(no_memory_sticks_too),
        cmocka_unit_test(long_printf_and_c_string),
        cmocka_unit_test(padded_numbers_are_as_printf_writes_them),
        cmocka_unit_test(adding_nothing_is_no_failure),
        cmocka_unit_test(integers_are_little_endian_D17),
        cmocka_unit_test(a_text_behind_its_length_is_read_back),
        cmocka_unit_test(on_the_callers_room_it_never_grows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
