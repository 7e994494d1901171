/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/test.h"

#include "base/base64.h"
#include "base/rng.h"

static void the_vectors_of_rfc_4648(void **state)
{
    (void)state;
    static const struct {
        struct str bytes, text;
    } rows[] = {
        {STR(""), STR("")},
        {STR("f"), STR("Zg==")},
        {STR("fo"), STR("Zm8=")},
        {STR("foo"), STR("Zm9v")},
        {STR("foob"), STR("Zm9vYg==")},
        {STR("fooba"), STR("Zm9vYmE=")},
        {STR("foobar"), STR("Zm9vYmFy")},
        {STR("\xfb\xff\xbf"), STR("+/+/")},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct buf text = {.max = 100}, bytes = {.max = 100};
        buf_base64(&text, rows[i].bytes);
        assert_str(buf_str(&text), rows[i].text);
        assert_rc(base64_read(rows[i].text, &bytes), RC_OK);
        assert_str(buf_str(&bytes), rows[i].bytes);
        buf_done(&text);
        buf_done(&bytes);
    }
}

static void what_is_no_such_text_is_refused(void **state)
{
    (void)state;
    static const struct str rows[] = {STR("Zg="),   STR("Z"),     STR("Zg==Zg=="), STR("===="),
                                      STR("Zm9\n"), STR("Zm9v "), STR("Zh=="),     STR("Zm9="),
                                      STR("Z-9v"),  STR("=m9v"),  STR("Zm\0v"),    STR("Zg==\n")};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct buf bytes = {.max = 100};
        if (base64_read(rows[i], &bytes) != RC_INVALID)
            fail_msg("row %zu was taken", i);
        buf_done(&bytes);
    }
}

static void all_bytes_come_back(void **state)
{
    (void)state;
    struct rng r;
    rng_init(&r, test_seed(1));
    for (size_t n = 0; n < 300; n++) {
        char room[300];
        struct buf text = {.max = 1000}, bytes = {.max = 1000};
        for (size_t i = 0; i < n; i++)
            room[i] = (char)rng_below(&r, 256);
        buf_base64(&text, str_make(room, n));
        assert_rc(base64_read(buf_str(&text), &bytes), RC_OK);
        assert_str(buf_str(&bytes), str_make(room, n));
        buf_done(&text);
        buf_done(&bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_vectors_of_rfc_4648),
        cmocka_unit_test(what_is_no_such_text_is_refused),
        cmocka_unit_test(all_bytes_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
