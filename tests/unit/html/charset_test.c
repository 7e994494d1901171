/* SPDX-License-Identifier: Apache-2.0 */
#include "html/charset.h"

#include "base/utf8.h"
#include "lib/test.h"

static void converts(const char *name, const char *charset, struct str bytes, struct str wanted)
{
    struct buf out;
    buf_init(&out, 1 << 20);
    enum rc rc = charset_to_utf8(charset, bytes, &out);
    if (rc != RC_OK || !str_eq(buf_str(&out), wanted))
        fail_msg("%s (%s): rc %d, \"" STR_FMT "\" for \"" STR_FMT "\"", name, charset, (int)rc,
                 STR_ARG(buf_str(&out)), STR_ARG(wanted));
    buf_done(&out);
}

/* A few bytes of each encoding, where it differs from its neighbours, and their code points as in
 * the indexes of the Encoding Standard. 0xfffd: malformed. */
struct byte_row {
    const char *charset;
    struct {
        uint8_t byte;
        uint32_t code;
    } at[6];
};

static const struct byte_row byte_rows[] = {
    {"IBM866", {{0x80, 0x410}, {0xb0, 0x2591}, {0xf2, 0x404}, {0xff, 0xa0}}},
    {"ISO-8859-2", {{0xa1, 0x104}, {0xb1, 0x105}, {0xff, 0x2d9}, {0x85, 0x85}}},
    {"ISO-8859-3", {{0xa1, 0x126}, {0xa5, 0xfffd}, {0xfe, 0x15d}}},
    {"ISO-8859-4", {{0xa2, 0x138}, {0xff, 0x2d9}}},
    {"ISO-8859-5", {{0xa1, 0x401}, {0xf0, 0x2116}, {0xff, 0x45f}}},
    {"ISO-8859-6", {{0xac, 0x60c}, {0xc7, 0x627}, {0xa1, 0xfffd}}},
    {"ISO-8859-7", {{0xa4, 0x20ac}, {0xa1, 0x2018}, {0xd2, 0xfffd}, {0xfe, 0x3ce}}},
    {"ISO-8859-8", {{0xaa, 0xd7}, {0xe0, 0x5d0}, {0xfe, 0x200f}, {0xff, 0xfffd}}},
    {"ISO-8859-8-I", {{0xe0, 0x5d0}, {0xfa, 0x5ea}, {0xbf, 0xfffd}}},
    {"ISO-8859-10", {{0xa4, 0x12a}, {0xbd, 0x2015}, {0xff, 0x138}}},
    {"ISO-8859-13", {{0xa1, 0x201d}, {0xff, 0x2019}}},
    {"ISO-8859-14", {{0xa1, 0x1e02}, {0xff, 0xff}}},
    {"ISO-8859-15", {{0xa4, 0x20ac}, {0xbd, 0x153}, {0x80, 0x80}}},
    {"ISO-8859-16", {{0xa4, 0x20ac}, {0xaa, 0x218}, {0xff, 0xff}}},
    {"KOI8-R", {{0xc1, 0x430}, {0xa3, 0x451}, {0xae, 0x255d}, {0x80, 0x2500}}},
    {"KOI8-U", {{0xc1, 0x430}, {0xa4, 0x454}, {0xae, 0x45e}, {0xbe, 0x40e}}},
    {"macintosh", {{0x80, 0xc4}, {0xdb, 0x20ac}, {0xf0, 0xf8ff}, {0xff, 0x2c7}}},
    {"windows-874", {{0x80, 0x20ac}, {0x81, 0x81}, {0xa1, 0xe01}, {0xdb, 0xfffd}, {0xfb, 0xe5b}}},
    {"windows-1250", {{0x8a, 0x160}, {0x8c, 0x15a}, {0xa5, 0x104}, {0x81, 0x81}}},
    {"windows-1251", {{0x80, 0x402}, {0xa8, 0x401}, {0xc0, 0x410}, {0x98, 0x98}, {0xff, 0x44f}}},
    {"windows-1252", {{0x80, 0x20ac}, {0x81, 0x81}, {0x9f, 0x178}, {0x92, 0x2019}, {0xff, 0xff}}},
    {"windows-1253", {{0xa2, 0x386}, {0xaa, 0xfffd}, {0xd2, 0xfffd}, {0xfe, 0x3ce}}},
    {"windows-1254", {{0xd0, 0x11e}, {0xdd, 0x130}, {0xfd, 0x131}, {0x8e, 0x8e}}},
    {"windows-1255", {{0xe0, 0x5d0}, {0xa4, 0x20aa}, {0xca, 0x5ba}, {0xd9, 0xfffd}}},
    {"windows-1256", {{0x81, 0x67e}, {0xc7, 0x627}, {0xff, 0x6d2}}},
    {"windows-1257", {{0xa1, 0xfffd}, {0xa8, 0xd8}, {0xff, 0x2d9}, {0x8d, 0xa8}}},
    {"windows-1258", {{0xcc, 0x300}, {0xfe, 0x20ab}, {0xd5, 0x1a0}, {0x8a, 0x8a}}},
    {"x-mac-cyrillic", {{0x80, 0x410}, {0xa2, 0x490}, {0xb6, 0x491}, {0xff, 0x20ac}}},
    {"x-user-defined", {{0x80, 0xf780}, {0xff, 0xf7ff}}},
};

static void test_single_bytes_are_the_standards(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof byte_rows / sizeof byte_rows[0]; i++) {
        for (size_t k = 0; k < 6 && byte_rows[i].at[k].code; k++) {
            char byte = (char)byte_rows[i].at[k].byte, wanted[UTF8_MAX_BYTES];
            size_t n = utf8_encode(byte_rows[i].at[k].code, wanted);
            converts("byte", byte_rows[i].charset, str_make(&byte, 1), str_make(wanted, n));
        }
    }
}

struct text_row {
    const char *name, *charset;
    struct str bytes, utf8;
};

#define FFFD "\xef\xbf\xbd"

static const struct text_row text_rows[] = {
    {"UTF-8 is itself", "UTF-8", STR("a\xc3\xa9\xf0\x9f\x98\x80"), STR("aé😀")},
    {"a broken sequence is one U+FFFD", "UTF-8", STR("a\xe2\x82z"), STR("a" FFFD "z")},
    {"an overlong slash is no slash", "UTF-8", STR("\xc0\xaf"), STR(FFFD FFFD)},
    {"little endian", "UTF-16LE", STR("a\0\xe9\0\x3d\xd8\x00\xde"), STR("aé😀")},
    {"big endian", "UTF-16BE", STR("\0a\0\xe9\xd8\x3d\xde\x00"), STR("aé😀")},
    {"a lone first surrogate", "UTF-16LE", STR("\x3d\xd8z\0"), STR(FFFD "z")},
    {"a lone second surrogate", "UTF-16BE", STR("\xde\0\0z"), STR(FFFD "z")},
    {"half a unit at the end", "UTF-16LE", STR("a\0b"), STR("a" FFFD)},
    {"a first surrogate at the very end", "UTF-16LE", STR("\x3d\xd8"), STR(FFFD)},
    {"mixed plain and other text", "windows-1251", STR("<b>\xcf\xf0\xe8</b>"), STR("<b>При</b>")},
    {"replacement gives one character", "replacement", STR("anything"), STR(FFFD)},
    {"nothing stays nothing", "replacement", STR(""), STR("")},
    {"Shift_JIS text", "Shift_JIS", STR("\x93\xfa\x96{\x83\x65\xb1"), STR("日本テｱ")},
    {"Shift_JIS has Windows' wave dash", "Shift_JIS", STR("\x81\x60\x87\x40"), STR("～①")},
    {"Shift_JIS keeps backslash, tilde and controls", "Shift_JIS", STR("\\~\x1a\x1c\x7f\x80"),
     STR("\\~\x1a\x1c\x7f\xc2\x80")},
    {"Shift_JIS private use", "Shift_JIS", STR("\xf0\x40"), STR("\xee\x80\x80")},
    {"EUC-JP text of two and three bytes", "EUC-JP", STR("\xc6\xfc\xcb\xdc\x8e\xb1\x8f\xb0\xa1"),
     STR("日本ｱ丂")},
    {"ISO-2022-JP text", "ISO-2022-JP", STR("\x1b$BF|K\\\x1b(Bx"), STR("日本x")},
    {"ISO-2022-JP Roman letters", "ISO-2022-JP", STR("\x1b(J\\\x1b(B\\"), STR("¥\\")},
    {"EUC-KR has all of windows-949", "EUC-KR", STR("\xb0\xa1\x81\x41\xc8\xfe"), STR("가갂힝")},
    {"GBK text and its euro", "GBK", STR("\xd6\xd0\xce\xc4\x80"), STR("中文€")},
    {"gb18030 in four bytes", "gb18030", STR("\x81\x30\x81\x30\x94\x39\xda\x33"), STR("\xc2\x80💩")},
    {"gb18030 punctuation that once was private use", "gb18030", STR("\xa6\xd9\xa3\xa0"),
     STR("︐\u3000")},
    {"Big5 text", "Big5", STR("\xa4\xa4\xa4\xe5"), STR("中文")},
    {"Big5 has Hong Kong's characters", "Big5", STR("\x87\x40\xa3\xe1\x8f\xa1"), STR("䏰€𨘥")},
    {"Big5 characters ICU lacks", "Big5", STR("\x8e\x69\xa3\xc0\x88\x40"), STR("箸␀㇀")},
    {"Big5 letters with a mark", "Big5", STR("\x88\x62\x88\x64\x88\xa3\x88\xa5"), STR("Ê̄Ê̌ê̄ê̌")},
    {"Big5 private use is malformed", "Big5", STR("\x81\xa1"), STR(FFFD)},
    {"EUC-KR private use is malformed", "EUC-KR", STR("\xc9\xa1"), STR(FFFD)},
    {"the ASCII of a malformed pair is read again", "Big5", STR("\x81\x40"), STR(FFFD "@")},
    {"also in EUC-KR", "EUC-KR", STR("\x81[\xc9 \xff"), STR(FFFD "[" FFFD " " FFFD)},
    {"also in Shift_JIS", "Shift_JIS", STR("\x82\x40\xeb\\\xfd"), STR(FFFD "@" FFFD "\\" FFFD)},
    {"also in EUC-JP", "EUC-JP", STR("\xa4\x22\x8f\xb0<"), STR(FFFD "\"" FFFD "<")},
    {"both bytes past ASCII are malformed together", "EUC-JP",
     STR("\x8e\x80"
         "a\x8f\x8f"
         "a\x8f\xa1\xa0"
         "a"),
     STR(FFFD "a" FFFD "a" FFFD "a")},
    {"together in Shift_JIS too", "Shift_JIS", STR("\x81\xfd\x81\xff"), STR(FFFD FFFD)},
    {"a pair cut off by the end", "Shift_JIS", STR("a\x93"), STR("a" FFFD)},
    {"three bytes cut off by the end", "EUC-JP", STR("a\x8f\xb0"), STR("a" FFFD)},
    {"no vendor's additions behind JIS X 0212", "EUC-JP", STR("\x8f\xf3\xa1"), STR(FFFD)},
    {"no C1 in EUC-JP", "EUC-JP", STR("\x85\xa0"), STR(FFFD FFFD)},
    {"half a pair and half a unit at the end", "UTF-16BE", STR("\0a\xd8\x3d\xde"), STR("a" FFFD)},
    {"an escape that is none is text", "ISO-2022-JP", STR("\x1b(Hx\x1b$"),
     STR(FFFD "(Hx" FFFD "$")},
    {"an escape behind an escape", "ISO-2022-JP", STR("\x1b(J\x1b(Bx"), STR(FFFD "x")},
    {"an escape inside a pair", "ISO-2022-JP", STR("\x1b$BF\x1b(Bx"), STR(FFFD "x")},
    {"ISO-2022-JP katakana", "ISO-2022-JP", STR("\x1b(I1a\x1b(B1"), STR("ｱ" FFFD "1")},
    {"ISO-2022-JP has no shift characters", "ISO-2022-JP", STR("a\x0e\x0f\x80"),
     STR("a" FFFD FFFD FFFD)},
};

static void test_texts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof text_rows / sizeof text_rows[0]; i++)
        converts(text_rows[i].name, text_rows[i].charset, text_rows[i].bytes, text_rows[i].utf8);
}

/* A lead byte must not swallow the markup behind it, whatever the encoding. */
static void test_lead_byte_spares_markup(void **state)
{
    (void)state;
    static const char *const names[] = {"Big5", "EUC-JP", "EUC-KR", "GBK", "Shift_JIS", "UTF-8"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        converts("lead byte before markup", names[i], STR("x\xe2<a href=\"y\xe2\">"),
                 STR("x" FFFD "<a href=\"y" FFFD "\">"));
}

/* Longer than any inner chunk, with a character of two UTF-16 units on each edge. */
static void test_long_text_crosses_chunks(void **state)
{
    (void)state;
    struct buf in, out;
    buf_init(&in, 1 << 20);
    buf_init(&out, 1 << 20);
    for (int i = 0; i < 5000; i++)
        buf_add(&in, i == 0 ? STR("x\x94\x39\xda\x33") : STR("\x94\x39\xda\x33"));
    assert_rc(charset_to_utf8("gb18030", buf_str(&in), &out), RC_OK);
    assert_int_equal(out.n, 1 + 5000 * 4);
    for (size_t i = 1; i < out.n; i += 4)
        assert_memory_equal(out.p + i, "💩", 4);
    buf_done(&in);
    buf_done(&out);
}

static void test_refusals(void **state)
{
    (void)state;
    struct buf out;
    buf_init(&out, 4);
    assert_rc(charset_to_utf8("latin1", STR("x"), &out), RC_NOT_FOUND);
    assert_rc(charset_to_utf8("windows-1252", STR("\xe9\xe9\xe9"), &out), RC_LIMIT);
    buf_clear(&out);
    assert_rc(charset_to_utf8("Big5", STR("\xa4\xa4\xa4\xe5"), &out), RC_LIMIT);
    buf_clear(&out);
    assert_rc(charset_to_utf8("UTF-8", STR("12345"), &out), RC_LIMIT);
    buf_done(&out);
}

static void test_labels(void **state)
{
    (void)state;
    assert_string_equal(charset_name(STR("latin1")), "windows-1252");
    assert_string_equal(charset_name(STR(" \tISO-8859-1\r\n")), "windows-1252");
    assert_string_equal(charset_name(STR("Utf8")), "UTF-8");
    assert_string_equal(charset_name(STR("SJIS")), "Shift_JIS");
    assert_null(charset_name(STR("")));
    assert_null(charset_name(STR_NONE));
    assert_null(charset_name(STR("utf 8")));
    assert_null(charset_name(STR("a label that is far longer than any label that exists")));
}

struct guess_row {
    const char *name, *body, *content_type;
    const char *charset;
    enum charset_source source;
    size_t bom_bytes;
};

static const struct guess_row guess_rows[] = {
    {"a mark beats the header", "\xef\xbb\xbfx", "text/html; charset=koi8-r", "UTF-8", CHARSET_BOM,
     3},
    {"the mark of UTF-16LE", "\xff\xfex", "", "UTF-16LE", CHARSET_BOM, 2},
    {"the mark of UTF-16BE", "\xfe\xffx", "", "UTF-16BE", CHARSET_BOM, 2},
    {"the header beats the meta", "<meta charset=utf-8>", "text/html;charset=KOI8-R", "KOI8-R",
     CHARSET_HTTP, 0},
    {"the header in double quotes", "", "text/html; Charset = \"koi8-r\" ; x=y", "KOI8-R",
     CHARSET_HTTP, 0},
    {"the header in single quotes", "", "text/html; charset='koi8-r'", "KOI8-R", CHARSET_HTTP, 0},
    {"a semicolon in another parameter's quotes", "", "a/b; x=\";charset=utf-8\"; charset=koi8-r",
     "KOI8-R", CHARSET_HTTP, 0},
    {"an unknown label in the header is not said", "<meta charset=koi8-r>",
     "text/html; charset=none", "KOI8-R", CHARSET_META, 0},
    {"UTF-16 in the header is believed", "", "text/html; charset=utf-16", "UTF-16LE", CHARSET_HTTP,
     0},
    {"UTF-16 in a meta is UTF-8", "<meta charset=utf-16be>", "", "UTF-8", CHARSET_META, 0},
    {"x-user-defined in a meta is windows-1252", "<meta charset=x-user-defined>", "",
     "windows-1252", CHARSET_META, 0},
    {"a comment of two dashes is over at once", "<!--><meta charset=koi8-r>", "", "KOI8-R",
     CHARSET_META, 0},
    {"the XML declaration", "<?xml version='1.0' encoding='koi8-r'?><html>", "", "KOI8-R",
     CHARSET_META, 0},
    {"a meta beats the XML declaration", "<?xml encoding='koi8-r'?><meta charset=big5>", "", "Big5",
     CHARSET_META, 0},
    {"an XML declaration must come first", " <?xml encoding='koi8-r'?>", "", "windows-1252",
     CHARSET_DEFAULT, 0},
    {"an XML declaration without quotes", "<?xml encoding=koi8-r?>", "", "windows-1252",
     CHARSET_DEFAULT, 0},
    {"UTF-8 without a declaration", "<p>caf\xc3\xa9", "text/html", "UTF-8", CHARSET_DETECTED, 0},
    {"UTF-8 cut off inside its last character", "<p>caf\xc3\xa9 \xe2\x82", "", "UTF-8",
     CHARSET_DETECTED, 0},
    {"plain ASCII", "<p>hello", "", "windows-1252", CHARSET_DEFAULT, 0},
    {"nothing at all", "", "", "windows-1252", CHARSET_DEFAULT, 0},
};

static void test_guesses(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof guess_rows / sizeof guess_rows[0]; i++) {
        const struct guess_row *r = &guess_rows[i];
        struct charset_guess g = charset_guess(str_c(r->body), str_c(r->content_type));
        if (strcmp(g.name, r->charset) != 0 || g.source != r->source || g.bom_bytes != r->bom_bytes)
            fail_msg("%s: %s, source %d, mark %zu", r->name, g.name, (int)g.source, g.bom_bytes);
    }
}

static void test_utf16_xml_declaration(void **state)
{
    (void)state;
    assert_string_equal(charset_prescan(STR("<\0?\0x\0m\0")), "UTF-16LE");
    assert_string_equal(charset_prescan(STR("\0<\0?\0x\0m")), "UTF-16BE");
}

static const char *guess_behind(size_t filler_bytes, struct str markup)
{
    struct buf page;
    buf_init(&page, 1 << 20);
    buf_add(&page, STR("<p>"));
    buf_fill(&page, 'x', filler_bytes);
    buf_add(&page, markup);
    const char *name = charset_guess(buf_str(&page), STR_NONE).name;
    buf_done(&page);
    return name;
}

static void test_late_meta(void **state)
{
    (void)state;
    struct str meta = STR("<meta charset=koi8-r>");
    assert_string_equal(guess_behind(2000, meta), "KOI8-R");
    assert_string_equal(guess_behind(70000, meta), "windows-1252");
    assert_string_equal(guess_behind(2000, STR("<script>'<meta charset=koi8-r>'</script>")),
                        "windows-1252");
    assert_string_equal(guess_behind(2000, STR("<script>'<meta charset=koi8-r>'</script>"
                                               "<meta charset=big5>")),
                        "Big5");
}

struct sample {
    const char *name, *charset, *bytes;
};

static const struct sample samples[] = {
    {"Russian in KOI8-R", "KOI8-R",
     "\367\323\305 \314\300\304\311 \322\317\326\304\301\300\324\323\321 \323\327\317"
     "\302\317\304\316\331\315\311 \311 \322\301\327\316\331\315\311 \327 \323\327\317"
     "\305\315 \304\317\323\324\317\311\316\323\324\327\305 \311 \320\322\301\327\301"
     "\310. \357\316\311 \316\301\304\305\314\305\316\331 \322\301\332\325\315\317\315"
     " \311 \323\317\327\305\323\324\330\300 \311 \304\317\314\326\316\331 \320\317"
     "\323\324\325\320\301\324\330 \327 \317\324\316\317\333\305\316\311\311 \304\322"
     "\325\307 \304\322\325\307\301 \327 \304\325\310\305 \302\322\301\324\323\324\327"
     "\301."},
    {"Russian in windows-1251", "windows-1251",
     "\302\361\345 \353\376\344\350 \360\356\346\344\340\376\362\361\377 \361\342\356"
     "\341\356\344\355\373\354\350 \350 \360\340\342\355\373\354\350 \342 \361\342\356"
     "\345\354 \344\356\361\362\356\350\355\361\362\342\345 \350 \357\360\340\342\340"
     "\365. \316\355\350 \355\340\344\345\353\345\355\373 \360\340\347\363\354\356\354"
     " \350 \361\356\342\345\361\362\374\376 \350 \344\356\353\346\355\373 \357\356"
     "\361\362\363\357\340\362\374 \342 \356\362\355\356\370\345\355\350\350 \344\360"
     "\363\343 \344\360\363\343\340 \342 \344\363\365\345 \341\360\340\362\361\362\342"
     "\340."},
    {"Japanese in Shift_JIS", "Shift_JIS",
     "\202\267\202\327\202\304\202\314\220l\212\324\202\315\201A\220\266\202\334\202"
     "\352\202\310\202\252\202\347\202\311\202\265\202\304\216\251\227R\202\305\202"
     "\240\202\350\201A\202\251\202\302\201A\221\270\214\265\202\306\214\240\227\230"
     "\202\306\202\311\202\302\202\242\202\304\225\275\223\231\202\305\202\240\202\351"
     "\201B\220l\212\324\202\315\201A\227\235\220\253\202\306\227\307\220S\202\306\202"
     "\360\216\366\202\257\202\347\202\352\202\304\202\250\202\350\201A\214\335\202"
     "\242\202\311\223\257\226E\202\314\220\270\220_\202\360\202\340\202\301\202\304"
     "\215s\223\256\202\265\202\310\202\257\202\352\202\316\202\310\202\347\202\310"
     "\202\242\201B"},
    {"Japanese in EUC-JP", "EUC-JP",
     "\244\271\244\331\244\306\244\316\277\315\264\326\244\317\241\242\300\270\244\336"
     "\244\354\244\312\244\254\244\351\244\313\244\267\244\306\274\253\315\263\244\307"
     "\244\242\244\352\241\242\244\253\244\304\241\242\302\272\270\267\244\310\270\242"
     "\315\370\244\310\244\313\244\304\244\244\244\306\312\277\305\371\244\307\244\242"
     "\244\353\241\243\277\315\264\326\244\317\241\242\315\375\300\255\244\310\316\311"
     "\277\264\244\310\244\362\274\370\244\261\244\351\244\354\244\306\244\252\244\352"
     "\241\242\270\337\244\244\244\313\306\261\313\246\244\316\300\272\277\300\244\362"
     "\244\342\244\303\244\306\271\324\306\260\244\267\244\312\244\261\244\354\244\320"
     "\244\312\244\351\244\312\244\244\241\243"},
    {"Japanese in ISO-2022-JP", "ISO-2022-JP",
     "\033$B$9$Y$F$N\?M4V$O!\042@8$^$l$J$,$i$K$7$F<+M3$G$\042$j!\042$+$D!\042B:87$H8"
     "\042Mx$H$K$D$$$FJ\?Ey$G$\042$k!#\033(B"},
    {"Korean in EUC-KR", "EUC-KR",
     "\270\360\265\347 \300\316\260\243\300\272 \305\302\276\356\263\257 \266\247\272"
     "\316\305\315 \300\332\300\257\267\316\277\354\270\347 \261\327 \301\270\276\366"
     "\260\372 \261\307\270\256\277\241 \300\326\276\356 \265\277\265\356\307\317\264"
     "\331. \300\316\260\243\300\272 \303\265\272\316\300\373\300\270\267\316 \300\314"
     "\274\272\260\372 \276\347\275\311\300\273 \272\316\277\251\271\336\276\322\300"
     "\270\270\347 \274\255\267\316 \307\374\301\246\276\326\300\307 \301\244\275\305"
     "\300\270\267\316 \307\340\265\277\307\317\277\251\276\337 \307\321\264\331."},
    {"Chinese in GBK", "gb18030",
     "\310\313\310\313\311\372\266\370\327\324\323\311,\324\332\327\360\321\317\272"
     "\315\310\250\300\373\311\317\322\273\302\311\306\275\265\310\241\243\313\373\303"
     "\307\270\263\323\320\300\355\320\324\272\315\301\274\320\304,\262\242\323\246"
     "\322\324\320\326\265\334\271\330\317\265\265\304\276\253\311\361\317\340\266\324"
     "\264\375\241\243\310\313\310\313\323\320\327\312\270\361\317\355\323\320\261\276"
     "\320\373\321\324\313\371\324\330\265\304\322\273\307\320\310\250\300\373\272\315"
     "\327\324\323\311,\262\273\267\326\326\326\327\345\241\242\267\364\311\253\241"
     "\242\320\324\261\360\241\242\323\357\321\324\241\242\327\332\275\314\241\242\325"
     "\376\326\316\273\362\306\344\313\373\274\373\275\342\241\243"},
    {"Chinese in Big5", "Big5",
     "\244H\244H\245\315\246\323\246\333\245\321,\246b\264L\304Y\251M\305v\247Q\244W"
     "\244@\253\337\245\255\265\245\241C\245L\255\314\275\341\246\263\262z\251\312\251"
     "M\250}\244\337,\250\303\300\263\245H\245S\247\314\303\366\253Y\252\272\272\353"
     "\257\253\254\333\271\357\253\335\241C\244H\244H\246\263\270\352\256\346\250\311"
     "\246\263\245\273\253\305\250\245\251\322\270\374\252\272\244@\244\301\305v\247Q"
     "\251M\246\333\245\321,\244\243\244\300\272\330\261\332\241B\275\247\246\342\241B"
     "\251\312\247O\241B\273y\250\245\241B\251v\261\320\241B\254F\252v\251\316\250\344"
     "\245L\250\243\270\321\241C"},
    {"Greek in ISO-8859-7", "ISO-8859-7",
     "\274\353\357\351 \357\351 \334\355\350\361\371\360\357\351 \343\345\355\355\351"
     "\357\375\355\364\341\351 \345\353\345\375\350\345\361\357\351 \352\341\351 \337"
     "\363\357\351 \363\364\347\355 \341\356\351\357\360\361\335\360\345\351\341 \352"
     "\341\351 \364\341 \344\351\352\341\351\376\354\341\364\341. \305\337\355\341\351"
     " \360\361\357\351\352\351\363\354\335\355\357\351 \354\345 \353\357\343\351\352"
     "\336 \352\341\351 \363\365\355\345\337\344\347\363\347, \352\341\351 \357\366"
     "\345\337\353\357\365\355 \355\341 \363\365\354\360\345\361\351\366\335\361\357"
     "\355\364\341\351 \354\345\364\341\356\375 \364\357\365\362 \354\345 \360\355\345"
     "\375\354\341 \341\344\345\353\366\357\363\375\355\347\362."},
    {"French in windows-1252", "windows-1252",
     "Tous les \352tres humains naissent libres et \351gaux en dignit\351 et en droits"
     ". Ils sont dou\351s de raison et de conscience et doivent agir les uns envers le"
     "s autres dans un esprit de fraternit\351."},
    {"Polish in windows-1250", "windows-1250",
     "Wszyscy ludzie rodz\271 si\352 wolni i r\363wni pod wzgl\352dem swej godno\234ci"
     " i swych praw. S\271 oni obdarzeni rozumem i sumieniem i powinni post\352powa"
     "\346 wobec innych w duchu braterstwa. Ka\277dy cz\263owiek posiada wszystkie pra"
     "wa."},
    {"Polish in ISO-8859-2", "ISO-8859-2",
     "Wszyscy ludzie rodz\261 si\352 wolni i r\363wni pod wzgl\352dem swej godno\266ci"
     " i swych praw. S\261 oni obdarzeni rozumem i sumieniem i powinni post\352powa"
     "\346 wobec innych w duchu braterstwa. Ka\277dy cz\263owiek posiada wszystkie pra"
     "wa."},
};

static void test_undeclared_text_is_detected(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        struct charset_guess g = charset_guess(str_c(samples[i].bytes), STR_NONE);
        if (strcmp(g.name, samples[i].charset) != 0 || g.source != CHARSET_DETECTED)
            fail_msg("%s: %s, source %d", samples[i].name, g.name, (int)g.source);
    }
}

/* The detector reads a few KiB only; they must be those that tell. */
static void test_detection_looks_where_the_text_is(void **state)
{
    (void)state;
    struct buf page;
    buf_init(&page, 1 << 20);
    buf_fill(&page, 'x', 100000);
    buf_add(&page, str_c(samples[0].bytes));
    struct charset_guess g = charset_guess(buf_str(&page), STR_NONE);
    assert_string_equal(g.name, samples[0].charset);
    buf_done(&page);
}

static enum rc convert_some(void *ctx)
{
    struct buf out;
    buf_init(&out, 1 << 16);
    struct charset_guess g = charset_guess(STR("<meta charset=big5>\xa4\xa4"), STR_NONE);
    enum rc rc = charset_to_utf8(ctx ? ctx : g.name, STR("<b>\xa4\xa4</b>"), &out);
    buf_done(&out);
    return rc;
}

static void test_allocations(void **state)
{
    (void)state;
    char latin[] = "windows-1252", utf8[] = "UTF-8", utf16[] = "UTF-16BE", jis[] = "ISO-2022-JP";
    test_each_allocation_fails(convert_some, NULL);
    test_each_allocation_fails(convert_some, latin);
    test_each_allocation_fails(convert_some, utf8);
    test_each_allocation_fails(convert_some, utf16);
    test_each_allocation_fails(convert_some, jis);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_single_bytes_are_the_standards),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_lead_byte_spares_markup),
        cmocka_unit_test(test_long_text_crosses_chunks),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_labels),
        cmocka_unit_test(test_guesses),
        cmocka_unit_test(test_utf16_xml_declaration),
        cmocka_unit_test(test_late_meta),
        cmocka_unit_test(test_undeclared_text_is_detected),
        cmocka_unit_test(test_detection_looks_where_the_text_is),
        cmocka_unit_test(test_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
