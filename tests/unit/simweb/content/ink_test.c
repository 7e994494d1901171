/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/test.h"

#include "content/ink.h"
#include "world/words.h"

#include <iconv.h>

static const struct {
    enum ink ink;
    enum tongue tongue;
    const char *iconv_name;
} inks[] = {
    {INK_1252, TONGUE_LATIN, "CP1252"},
    {INK_KOI8, TONGUE_RUSSIAN, "KOI8-R"},
    {INK_SHIFT_JIS, TONGUE_JAPANESE, "CP932"},
};

/* The same text by the C library's tables. */
static bool by_iconv(const char *name, struct str utf8, struct buf *out)
{
    iconv_t to = iconv_open(name, "UTF-8");
    if (to == (iconv_t)-1)
        return false;
    char *in = (char *)(uintptr_t)utf8.p, *at = buf_reserve(out, 4 * utf8.n + 16);
    size_t left = utf8.n, room = 4 * utf8.n + 16, before = room;
    bool whole = at && iconv(to, &in, &left, &at, &room) == 0;
    out->n += before - room;
    iconv_close(to);
    return whole;
}

static void check_word(unsigned row, struct str word)
{
    struct buf ours = {.max = 1000}, theirs = {.max = 1000};
    ink_write(inks[row].ink, word, &ours);
    if (!by_iconv(inks[row].iconv_name, word, &theirs))
        fail_msg("iconv cannot write " STR_FMT, STR_ARG(word));
    assert_str(buf_str(&ours), buf_str(&theirs));
    buf_done(&ours);
    buf_done(&theirs);
}

static void every_word_of_a_tongue_has_letters_in_its_ink(void **state)
{
    (void)state;
    for (unsigned row = 0; row < sizeof inks / sizeof *inks; row++)
        for (unsigned kind = 0; kind < WORD_KINDS_; kind++)
            for (uint32_t i = 0; i < words_count(inks[row].tongue, (enum word_kind)kind); i++)
                check_word(row, word_at(inks[row].tongue, (enum word_kind)kind, i));
    check_word(0, STR("\xe2\x80\x9c\xe2\x82\xac\xe2\x80\x94\xe2\x80\xa6\xc2\xab\xe2\x80\x99"));
}

static void what_an_ink_lacks_becomes_a_character_reference(void **state)
{
    (void)state;
    struct buf out = {.max = 1000};
    ink_write(INK_KOI8, STR("a\xc3\xa9<"), &out);
    assert_str(buf_str(&out), STR("a&#233;<"));
    buf_clear(&out);
    ink_write(INK_ASCII, STR("\xe5\xba\xad"), &out);
    assert_str(buf_str(&out), STR("&#24237;"));
    buf_done(&out);
}

static void utf16_is_what_iconv_makes_of_it(void **state)
{
    (void)state;
    struct str text = STR("plain \xc3\xa9 \xe5\xba\xad \xf0\x9f\x90\xa6 end");
    struct buf ours = {.max = 1000}, theirs = {.max = 1000};
    ink_widen(text, &ours);
    assert_true(by_iconv("UTF-16LE", text, &theirs));
    assert_str(buf_str(&ours), buf_str(&theirs));
    buf_done(&ours);
    buf_done(&theirs);
}

static void malformed_utf8_is_replaced_byte_by_byte(void **state)
{
    (void)state;
    struct str s = STR("\xc3"
                       "a\x80\xe5\xba");
    assert_int_equal(utf8_next(&s), 0xfffd);
    assert_int_equal(utf8_next(&s), 'a');
    assert_int_equal(utf8_next(&s), 0xfffd);
    assert_int_equal(utf8_next(&s), 0xfffd);
    assert_int_equal(utf8_next(&s), 0xfffd);
    assert_int_equal(s.n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_word_of_a_tongue_has_letters_in_its_ink),
        cmocka_unit_test(what_an_ink_lacks_becomes_a_character_reference),
        cmocka_unit_test(utf16_is_what_iconv_makes_of_it),
        cmocka_unit_test(malformed_utf8_is_replaced_byte_by_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
