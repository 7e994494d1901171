/* SPDX-License-Identifier: Apache-2.0 */
/* The filter finds everything that was added, and mistakes new ones as seldom as it says. */
#include "base/hash.h"
#include "base/mem.h"
#include "lib/test.h"
#include "store/bloom.h"

static uint64_t key(uint64_t i)
{
    return hash64_mix(i * 2 + 1);
}

static void what_was_added_is_found(void **state)
{
    (void)state;
    struct bloom *b = bloom_open(bloom_shape(1000, 0.001));
    assert_non_null(b);
    for (uint64_t i = 0; i < 3000; i++) { /* more than expected: then it only mistakes more */
        bloom_add(b, key(i));
        assert_true(bloom_has(b, key(i)));
    }
    for (uint64_t i = 0; i < 3000; i++)
        assert_true(bloom_has(b, key(i)));
    uint64_t count = bloom_count(b);
    bloom_add(b, key(1));
    assert_int_equal(bloom_count(b), count);
    bloom_clear(b);
    for (uint64_t i = 0; i < 3000; i++)
        assert_false(bloom_has(b, key(i)));
    assert_int_equal(bloom_count(b), 0);
    bloom_close(b);
}

/* Within a twentieth, and five times what chance does. */
static bool is_near(double counted, double expected)
{
    double off = counted > expected ? counted - expected : expected - counted;
    double more = off - expected / 20;
    return more <= 0 || more * more <= 25 * (expected + 1);
}

/* With `expected` in it, and the mistakes of 1,000,000 others. */
static void loss_is_what_was_asked_for(double loss)
{
    enum { EXPECTED = 100000, OTHERS = 1000000 };
    struct bloom *b = bloom_open(bloom_shape(EXPECTED, loss));
    uint64_t found = 0, lost = 0;
    assert_non_null(b);
    for (uint64_t i = 0; i < EXPECTED; i++) {
        lost += bloom_has(b, key(i));
        bloom_add(b, key(i));
    }
    for (uint64_t i = 0; i < OTHERS; i++)
        found += bloom_has(b, key(EXPECTED + i));
    double now = bloom_loss(b), mean = now * OTHERS, said = bloom_lost(b);
    print_message(
        "# loss %g: %llu of %d mistaken, %.0f expected; %llu lost, %.1f expected; %.1f bits each\n",
        loss, (unsigned long long)found, OTHERS, mean, (unsigned long long)lost, said,
        8.0 * (double)bloom_bytes(b) / EXPECTED);
    assert_true(now <= loss && now > loss / 2);
    assert_true(is_near((double)found, mean) && is_near((double)lost, said));
    bloom_close(b);
}

static void the_loss_is_what_was_asked_for(void **state)
{
    (void)state;
    static const double losses[] = {0.1, 0.01, 1e-3, 1e-4, 1e-5};
    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++)
        loss_is_what_was_asked_for(losses[i]);
}

static void it_is_the_same_after_its_bytes_were_read(void **state)
{
    (void)state;
    struct bloom *one = bloom_open(bloom_shape(5000, 1e-4)), *two;
    for (uint64_t i = 0; i < 4000; i++)
        bloom_add(one, key(i));
    assert_non_null(two = bloom_open(bloom_shape_of(one)));
    struct buf bytes = {.max = 1 << 20};
    for (uint64_t at = 0; at < bloom_bytes(one); at += 640) {
        buf_clear(&bytes);
        bloom_write(one, at, 640, &bytes);
        assert_rc(bloom_read(two, at, buf_str(&bytes)), RC_OK);
    }
    bloom_set_count(two, bloom_count(one));
    for (uint64_t i = 0; i < 20000; i++)
        assert_int_equal(bloom_has(one, key(i)), bloom_has(two, key(i)));
    assert_true(bloom_loss(one) == bloom_loss(two) && bloom_lost(one) == bloom_lost(two));
    buf_clear(&bytes);
    buf_fill(&bytes, 0, 64);
    assert_rc(bloom_read(two, bloom_bytes(two), buf_str(&bytes)), RC_CORRUPT);
    assert_rc(bloom_read(two, 32, buf_str(&bytes)), RC_CORRUPT);
    assert_rc(bloom_read(two, 0, str_first(buf_str(&bytes), 63)), RC_CORRUPT);
    buf_done(&bytes);
    bloom_close(one);
    bloom_close(two);
}

static void a_shape_that_makes_no_sense_and_missing_memory_give_none(void **state)
{
    (void)state;
    int64_t live = mem_live();
    assert_null(bloom_open((struct bloom_shape){0, 4}));
    assert_null(bloom_open((struct bloom_shape){4, 0}));
    assert_null(bloom_open((struct bloom_shape){UINT64_MAX, 4}));
    assert_null(bloom_open((struct bloom_shape){4, 1000}));
    assert_null(bloom_open(bloom_shape(UINT64_MAX, 0.1)));
    for (uint64_t i = 1; i <= 2; i++) {
        mem_fault_at(i);
        assert_null(bloom_open((struct bloom_shape){4, 4}));
    }
    mem_fault_at(0);
    assert_int_equal(mem_live(), live);
    bloom_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_added_is_found),
        cmocka_unit_test(the_loss_is_what_was_asked_for),
        cmocka_unit_test(it_is_the_same_after_its_bytes_were_read),
        cmocka_unit_test(a_shape_that_makes_no_sense_and_missing_memory_give_none),
    };
    return cmocka_run_group_tests_name("bloom", tests, NULL, NULL);
}
