/* SPDX-License-Identifier: Apache-2.0 */
#include "url/encoding.h"

#include "conform.h"

static const struct {
    const char *name, *encoding, *query, *want;
} rows[] = {
    {"UTF-8 by name", "utf-8", "\xc3\xbc", "%C3%BC"},
    {"UTF-16 writes UTF-8", "UTF-16LE", "\xc3\xbc", "%C3%BC"},
    {"replacement writes UTF-8", "replacement", "\xc3\xbc", "%C3%BC"},
    {"a single byte", "windows-1252", "\xc3\xbc", "%FC"},
    {"what the encoding lacks becomes a reference", "windows-1252", "\xe2\x98\x83",
     "%26%239731%3B"},
    {"past the BMP too", "windows-1252", "\xf0\x9f\x92\xa9", "%26%23128169%3B"},
    {"ASCII around it stays", "ISO-8859-2", "a=\xc5\x82&b", "a=%B3&b"},
    {"hand-made ISO-8859-16", "ISO-8859-16", "\xc8\x99\xc3\xa3", "%BA%26%23227%3B"},
    {"Latin-1 letters of ISO-8859-16", "iso-8859-16", "\xc3\xa9", "%E9"},
    {"x-user-defined", "x-user-defined", "\xef\x9e\x80\xc3\xa9", "%80%26%23233%3B"},
    {"Shift_JIS trail bytes are encoded where the query asks", "Shift_JIS", "\xe8\xa1\xa8",
     "%95\\"},
    {"Shift_JIS yen is a backslash", "Shift_JIS", "\xc2\xa5", "\\"},
    {"EUC-JP", "EUC-JP", "\xe3\x81\x82", "%A4%A2"},
    {"EUC-JP does not write JIS X 0212", "EUC-JP", "\xe4\xb8\x82", "%26%2319970%3B"},
    {"ISO-2022-JP returns to ASCII", "ISO-2022-JP",
     "\xe3\x81\x82"
     "a",
     "%1B$B$%22%1B(Ba"},
    {"ISO-2022-JP ends in ASCII", "ISO-2022-JP", "\xe3\x81\x82", "%1B$B$%22%1B(B"},
    {"ISO-2022-JP returns to ASCII before a reference", "ISO-2022-JP", "\xe3\x81\x82\xe2\x98\x83",
     "%1B$B$%22%1B(B%26%239731%3B"},
    {"half-width katakana become full-width", "ISO-2022-JP", "\xef\xbd\xb1", "%1B$B%%22%1B(B"},
    {"ISO-2022-JP stays in Roman at a reference", "ISO-2022-JP", "\xc2\xa5\xe2\x98\x83\xc2\xa5",
     "%1B(J\\%26%239731%3B\\%1B(B"},
    {"ISO-2022-JP leaves Roman for what Roman has otherwise", "ISO-2022-JP",
     "\xe2\x80\xbe"
     "a~",
     "%1B(J~a%1B(B~"},
    {"ISO-2022-JP returns to ASCII before a refused escape", "ISO-2022-JP",
     "\xe3\x81\x82\x1b"
     "a",
     "%1B$B$%22%1B(B%26%2365533%3Ba"},
    {"ISO-2022-JP has the extensions of NEC and IBM", "ISO-2022-JP", "\xe2\x85\xb0",
     "%1B$B|q%1B(B"},
    {"what cannot be seen is a reference too", "windows-1252", "a\xe2\x80\x8b", "a%26%238203%3B"},
    {"a soft hyphen that the encoding lacks", "KOI8-R", "\xc2\xad", "%26%23173%3B"},
    {"control characters keep their bytes", "IBM866", "\x1a\x1c\x7f", "%1A%1C%7F"},
    {"control characters keep their bytes in Shift_JIS", "Shift_JIS", "\x1a\x1c\xc2\x80",
     "%1A%1C%80"},
    {"C1 is nothing to EUC-JP", "EUC-JP", "\xc2\x85", "%26%23133%3B"},
    {"nor to EUC-KR", "EUC-KR", "\xc2\x80", "%26%23128%3B"},
    {"KOI8-U has the short U", "KOI8-U", "\xd0\x8e\xd1\x9e", "%BE%AE"},
    {"windows-1253 has no feminine ordinal", "windows-1253", "\xc2\xaa", "%26%23170%3B"},
    {"windows-1255 has holam haser", "windows-1255", "\xd6\xba", "%CA"},
    {"windows-874 has no private use", "windows-874", "\xef\xa3\x81", "%26%2363681%3B"},
    {"GBK as of 2022", "GBK", "\xe9\xbe\xb4\xef\xb8\x90", "%FEY%A6%D9"},
    {"Big5 has pictures of controls", "Big5", "\xe2\x90\x80", "%A3%C0"},
    {"Big5 takes the first of two codes", "Big5", "\xe4\xbb\x9d", "%C6%DF"},
    {"the euro of GBK is one byte", "GBK", "\xe2\x82\xac", "%80"},
    {"the euro of gb18030 is two", "gb18030", "\xe2\x82\xac", "%A2%E3"},
    {"GBK does not write four bytes", "GBK", "\xc2\xa2", "%26%23162%3B"},
    {"gb18030 does", "gb18030", "\xc2\xa2", "%810%844"},
    {"EUC-KR is windows-949", "EUC-KR", "\xea\xb0\x82", "%81A"},
    {"Big5", "Big5", "\xe4\xb8\x80", "%A4@"},
    {"a special query encodes the apostrophe", "windows-1252", "'\xc3\xbc", "%27%FC"},
};

static void test_rows(void **state)
{
    (void)state;
    struct buf text = {.max = 4096}, want = {.max = 4096};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct url_encoding *e = NULL;
        assert_rc(url_encoding_open(str_c(rows[i].encoding), &e), RC_OK);
        buf_clear(&text);
        buf_printf(&text, "http://h/?%s#\xc3\xbc", rows[i].query);
        buf_clear(&want);
        buf_printf(&want, "http://h/?%s#%%C3%%BC", rows[i].want);
        for (int twice = 0; twice < 2; twice++) {
            struct str got = conform_resolve(buf_str(&text), STR_NONE, e);
            if (!str_eq(got, buf_str(&want)))
                fail_msg("%s: " STR_FMT, rows[i].name, STR_ARG(got));
        }
        url_encoding_close(e);
    }
    buf_done(&text);
    buf_done(&want);
}

static void test_only_the_query_of_http_is_in_the_encoding(void **state)
{
    (void)state;
    struct url_encoding *e = NULL;
    assert_rc(url_encoding_open(STR("windows-1252"), &e), RC_OK);
    assert_str(conform_resolve(STR("http://h/\xc3\xbc?\xc3\xbc"), STR_NONE, e),
               STR("http://h/%C3%BC?%FC"));
    assert_str(conform_resolve(STR("ws://h/?\xc3\xbc"), STR_NONE, e), STR("ws://h/?%C3%BC"));
    assert_str(conform_resolve(STR("sc://h/?\xc3\xbc"), STR_NONE, e), STR("sc://h/?%C3%BC"));
    url_encoding_close(e);
}

/* Every name of the Encoding Standard opens. */
static void test_all_names(void **state)
{
    (void)state;
    static const char *const names[] = {
        "UTF-8",        "IBM866",       "ISO-8859-2",   "ISO-8859-3",     "ISO-8859-4",
        "ISO-8859-5",   "ISO-8859-6",   "ISO-8859-7",   "ISO-8859-8",     "ISO-8859-8-I",
        "ISO-8859-10",  "ISO-8859-13",  "ISO-8859-14",  "ISO-8859-15",    "ISO-8859-16",
        "KOI8-R",       "KOI8-U",       "macintosh",    "windows-874",    "windows-1250",
        "windows-1251", "windows-1252", "windows-1253", "windows-1254",   "windows-1255",
        "windows-1256", "windows-1257", "windows-1258", "x-mac-cyrillic", "GBK",
        "gb18030",      "Big5",         "EUC-JP",       "ISO-2022-JP",    "Shift_JIS",
        "EUC-KR",       "replacement",  "UTF-16BE",     "UTF-16LE",       "x-user-defined",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct url_encoding *e = NULL;
        assert_rc(url_encoding_open(str_c(names[i]), &e), RC_OK);
        url_encoding_close(e);
    }
    struct url_encoding *e = NULL;
    assert_rc(url_encoding_open(STR("latin-klingon"), &e), RC_NOT_FOUND);
    assert_null(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_only_the_query_of_http_is_in_the_encoding),
        cmocka_unit_test(test_all_names),
    };
    return cmocka_run_group_tests(tests, conform_setup, conform_teardown);
}
