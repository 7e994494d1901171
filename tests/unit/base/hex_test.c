/* SPDX-License-Identifier: Apache-2.0 */
#include "base/hex.h"

#include "lib/test.h"

static void numbers_are_written_with_all_their_digits(void **state)
{
    (void)state;
    char room[40];
    struct buf b = buf_on(room, sizeof room);
    buf_hex16(&b, 0);
    buf_hex16(&b, UINT64_C(0xfedcba9876543210));
    assert_str(buf_str(&b), STR("0000000000000000fedcba9876543210"));
}

static void every_byte_is_a_digit_or_is_refused(void **state)
{
    (void)state;
    for (unsigned c = 0; c < 256; c++) {
        for (unsigned at = 0; at < 16; at++) {
            char text[] = "fa90AF09fa90AF09";
            uint64_t value = 77, shift = 60 - 4 * at;
            uint64_t rest = UINT64_C(0xfa90af09fa90af09) & ~(UINT64_C(15) << shift);
            int digit = ascii_hex((char)c);
            text[at] = (char)c;
            assert_int_equal(hex16_read(str_make(text, 16), &value), digit >= 0);
            assert_true(value == (digit < 0 ? 77 : (rest | (uint64_t)digit << shift)));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_byte_is_a_digit_or_is_refused),
        cmocka_unit_test(numbers_are_written_with_all_their_digits),
    };
    return cmocka_run_group_tests_name("hex", tests, NULL, NULL);
}
