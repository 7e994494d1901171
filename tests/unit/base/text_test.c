/* SPDX-License-Identifier: Apache-2.0 */
/* utf8, jsonw, digest and log: what is written as text. */
#include "lib/test.h"

#include <stdio.h>

#include "base/digest.h"
#include "base/jsonw.h"
#include "base/log.h"
#include "base/utf8.h"

#include <math.h>

static void each_broken_sequence_becomes_one_replacement(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        struct str in, out;
    } rows[] = {
        {"plain ASCII stays", {"abc", 3}, {"abc", 3}},
        {"a valid sequence of each length stays",
         {"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", 9},
         {"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", 9}},
        {"a lone continuation", {"a\x80z", 3}, {"a\xef\xbf\xbdz", 5}},
        {"an overlong slash is two", {"\xc0\xaf", 2}, {"\xef\xbf\xbd\xef\xbf\xbd", 6}},
        {"a surrogate is three", {"\xed\xa0\x80", 3}, {"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd", 9}},
        {"a torn sequence is one", {"\xf0\x9f\x98", 3}, {"\xef\xbf\xbd", 3}},
        {"a torn sequence ends where it cannot go on", {"\xe2\x82z", 3}, {"\xef\xbf\xbdz", 4}},
        {"past U+10FFFF",
         {"\xf4\x90\x80\x80", 4},
         {"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd", 12}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct buf b = {.max = 100};
        buf_utf8_clean(&b, rows[i].in);
        assert_str(buf_str(&b), rows[i].out);
        assert_int_equal(utf8_valid(buf_str(&b)), b.n);
        buf_done(&b);
    }
}

static void every_code_point_comes_back(void **state)
{
    (void)state;
    for (uint32_t code = 0; code <= 0x10ffff; code++) {
        char bytes[4];
        uint32_t back;
        size_t used, n = utf8_encode(code, bytes);
        bool surrogate = code >= 0xd800 && code <= 0xdfff;
        assert_true(utf8_decode(str_make(bytes, n), &back, &used));
        if (back != (surrogate ? UTF8_REPLACEMENT : code) || used != n)
            fail_msg("U+%04X gives U+%04X", code, back);
    }
}

/* utf8_valid has a short way for two and three bytes: it must agree with utf8_decode. */
static void validity_is_that_of_decoding(void **state)
{
    (void)state;
    char s[8] = "...zzzzz";
    for (unsigned v = 0; v < 64 * 256 * 96; v++) {
        s[0] = (char)(0xc0 + v / 256 / 96);
        s[1] = (char)(v / 96 % 256);
        s[2] = (char)(0x70 + v % 96);
        uint32_t code;
        size_t used, want = 0;
        while (want < sizeof s && utf8_decode(str_make(s + want, sizeof s - want), &code, &used))
            want += used;
        if (utf8_valid(str_make(s, sizeof s)) != want)
            fail_msg("%02x %02x %02x", (uint8_t)s[0], (uint8_t)s[1], (uint8_t)s[2]);
    }
}

static void json_is_nested_and_escaped(void **state)
{
    (void)state;
    struct buf b = {.max = 1000};
    struct jsonw j = jsonw_to(&b);
    jsonw_object(&j);
    jsonw_text_field(&j, "s", str_make("a\"\\\n\x01\x7f\xff\xc3\xa4", 9));
    jsonw_key(&j, "list");
    jsonw_array(&j);
    jsonw_u64(&j, UINT64_MAX);
    jsonw_i64(&j, INT64_MIN);
    jsonw_real(&j, 0.5);
    jsonw_real(&j, NAN);
    jsonw_bool(&j, true);
    jsonw_object(&j);
    jsonw_end(&j);
    jsonw_end(&j);
    jsonw_text_field(&j, "none", STR_NONE);
    jsonw_u64_field(&j, "n", 1);
    jsonw_bool_field(&j, "no", false);
    jsonw_end(&j);
    assert_str(buf_str(&b),
               STR("{\"s\":\"a\\\"\\\\\\n\\u0001\\u007f\xef\xbf\xbd\xc3\xa4\",\"list\":["
                   "18446744073709551615,"
                   "-9223372036854775808,0.5,null,true,{}],\"none\":null,\"n\":1,\"no\":false}"));
    buf_done(&b);
}

static void digests_have_their_published_values(void **state)
{
    (void)state;
    struct digest d;
    struct buf b = {.max = 200};
    assert_rc(digest_of(DIGEST_SHA1, STR("abc"), &d), RC_OK);
    buf_hex(&b, d.bytes, digest_bytes(d.kind));
    buf_byte(&b, ' ');
    buf_base32(&b, d.bytes, digest_bytes(d.kind));
    assert_str(buf_str(&b), STR("a9993e364706816aba3e25717850c26c9cd0d89d "
                                "VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5"));
    buf_clear(&b);
    assert_rc(digest_of(DIGEST_SHA256, STR_NONE, &d), RC_OK);
    buf_hex(&b, d.bytes, digest_bytes(d.kind));
    assert_str(buf_str(&b),
               STR("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
    buf_done(&b);
}

static void a_digest_in_pieces_is_the_whole_one(void **state)
{
    (void)state;
    struct digest whole, pieces;
    struct digester *d = digester_open(DIGEST_SHA256);
    assert_rc(digest_of(DIGEST_SHA256, STR("hello world"), &whole), RC_OK);
    for (int round = 0; round < 2; round++) {
        digester_add(d, STR("hello"));
        digester_add(d, STR(""));
        digester_add(d, STR(" world"));
        assert_rc(digester_finish(d, &pieces), RC_OK);
        assert_true(digest_eq(&whole, &pieces));
    }
    digester_add(d, STR("given up"));
    assert_rc(digester_restart(d), RC_OK);
    assert_rc(digester_restart(d), RC_OK); /* nothing to forget */
    digester_add(d, STR("hello world"));
    struct digest again;
    assert_rc(digester_finish(d, &again), RC_OK);
    assert_true(digest_eq(&again, &whole));
    digester_close(d);
}

static void a_moment_is_written_with_all_its_digits(void **state)
{
    (void)state;
    struct buf b = {.max = 100};
    buf_time_iso(&b, 0);
    assert_str(buf_str(&b), STR("1970-01-01T00:00:00.000Z"));
    buf_clear(&b);
    buf_time_iso(&b, UINT64_C(1709251199007)); /* the last second of a leap day */
    assert_str(buf_str(&b), STR("2024-02-29T23:59:59.007Z"));
    buf_done(&b);
}

static void base32_and_hex_come_back(void **state)
{
    (void)state;
    uint8_t bytes[20], back[20];
    for (size_t n = 0; n <= sizeof bytes; n++) {
        struct buf b = {.max = 200};
        for (size_t i = 0; i < n; i++)
            bytes[i] = (uint8_t)(i * 37 + n);
        buf_base32(&b, bytes, n);
        assert_rc(base32_decode(buf_str(&b), back, n), RC_OK);
        assert_memory_equal(bytes, back, n);
        buf_clear(&b);
        buf_hex(&b, bytes, n);
        assert_rc(hex_decode(buf_str(&b), back, n), RC_OK);
        assert_memory_equal(bytes, back, n);
        buf_done(&b);
    }
    assert_rc(base32_decode(STR("A1"), back, 1), RC_INVALID);
    assert_rc(base32_decode(STR("AAA"), back, 1), RC_INVALID);
    assert_rc(hex_decode(STR("0g"), back, 1), RC_INVALID);
}

static void take(void *ctx, struct str line)
{
    buf_add(ctx, line);
}

static void a_log_line_quotes_what_needs_it(void **state)
{
    (void)state;
    struct clock_simulated clock;
    struct buf b = {.max = 1000};
    clock_simulated_init(&clock, 0, 1794823200123u);
    struct log *log = log_open(LOG_LEVEL_INFO, false, &clock.clock, (struct log_sink){take, &b});
    log_debug(log, "quiet");
    log_info(log, "host.backoff", LOG_C("host", "a.org"), LOG_U64("wait_ms", 30),
             LOG_C("why", "no \"answer\""));
    log_warn(log, "bare");
    log_write(NULL, LOG_LEVEL_ERROR, "swallowed", LOG_FIELDS());
    assert_str(buf_str(&b), STR("2026-11-16T10:00:00.123Z info host.backoff host=a.org wait_ms=30 "
                                "why=\"no \\\"answer\\\"\"\n"
                                "2026-11-16T10:00:00.123Z warn bare\n"));
    log_close(log);
    buf_clear(&b);
    log = log_open(LOG_LEVEL_INFO, true, &clock.clock, (struct log_sink){take, &b});
    log_error(log, "x", LOG_RC(RC_DISK_FULL), LOG_U64("n", 1));
    assert_str(buf_str(&b),
               STR("{\"time\":\"2026-11-16T10:00:00.123Z\",\"level\":\"error\",\"event\":"
                   "\"x\",\"error\":\"no space left on the disk\",\"n\":1}\n"));
    log_close(log);
    buf_done(&b);
}

struct visible_row {
    const char *name, *text, *shown;
};

static const struct visible_row visible_rows[] = {
    {"letters of all kinds", "a \u00e9\u05d0\u0639\u6f22\U0001f600",
     "a \u00e9\u05d0\u0639\u6f22\U0001f600"},
    {"no-break space and joiners", "\u00a0\u200d\u200c", "\u00a0\u200d\u200c"},
    {"escape and delete", "\x1b[3m\x7f", "\\u001b[3m\\u007f"},
    {"line ends and tabs", "a\tb\nc\rd", "a\\u0009b\\u000ac\\u000dd"},
    {"the first and the last of C1", "\xc2\x80\xc2\x9f", "\\u0080\\u009f"},
    {"CSI in two bytes",
     "\xc2\x9b"
     "31m",
     "\\u009b31m"},
    {"CSI in one byte",
     "\x9b"
     "31m",
     "\xef\xbf\xbd"
     "31m"},
    {"embeddings and overrides", "\u202a\u202b\u202c\u202d\u202e",
     "\\u202a\\u202b\\u202c\\u202d\\u202e"},
    {"isolates", "\u2066\u2067\u2068\u2069", "\\u2066\\u2067\\u2068\\u2069"},
    {"direction marks", "\u200e\u200f\u061c", "\\u200e\\u200f\\u061c"},
    {"separators", "\u2028\u2029", "\\u2028\\u2029"},
    {"their neighbours", "\u200d\u2010\u2027\u202f\u2065\u206a\u061b\u061d",
     "\u200d\u2010\u2027\u202f\u2065\u206a\u061b\u061d"},
    {"cut at its end", "a\xe2\x80", "a\xef\xbf\xbd"},
};

static void what_steers_a_terminal_is_shown_and_nothing_else_changes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof visible_rows / sizeof *visible_rows; i++) {
        const struct visible_row *row = &visible_rows[i];
        char room[200];
        struct buf b = buf_on(room, sizeof room);
        buf_visible(&b, str_c(row->text));
        if (!str_eq(buf_str(&b), str_c(row->shown)))
            fail_msg("%s: " STR_FMT, row->name, STR_ARG(buf_str(&b)));
    }
}

static void a_text_of_lines_keeps_them(void **state)
{
    (void)state;
    char room[UTF8_VISIBLE_ROOM], all[200];
    struct buf b = buf_on(all, sizeof all);
    struct str s = STR("a\tb\n\x1b\u202ec\n\r\0");
    while (s.n)
        buf_add(&b, utf8_take_visible(&s, true, room));
    assert_str(buf_str(&b), STR("a\tb\n\\u001b\\u202ec\n\\u000d\\u0000"));
}

static void json_and_logs_escape_what_steers_a_terminal(void **state)
{
    (void)state;
    struct buf b = {.max = 1000};
    struct clock_simulated clock;
    buf_json_escaped(&b, STR("\u202ex\xc2\x9by\u00e9\u2069"));
    assert_str(buf_str(&b), STR("\\u202ex\\u009by\u00e9\\u2069"));
    buf_clear(&b);
    clock_simulated_init(&clock, 0, 1794823200123u);
    struct log *log = log_open(LOG_LEVEL_INFO, false, &clock.clock, (struct log_sink){take, &b});
    log_info(log, "x", LOG_C("url", "a\u202eb"));
    assert_str(buf_str(&b), STR("2026-11-16T10:00:00.123Z info x url=a\\u202eb\n"));
    log_close(log);
    buf_done(&b);
}

static size_t lines_in(struct buf *b)
{
    size_t n = 0;
    for (size_t i = 0; i < b->n; i++)
        n += b->p[i] == '\n';
    return n;
}

static bool holds(struct buf *b, const char *text)
{
    return strstr(buf_c(b), text) != NULL;
}

static void lines_that_a_peer_causes_are_limited_and_counted(void **state)
{
    (void)state;
    struct clock_simulated clock;
    struct buf b = {.max = 100000};
    clock_simulated_init(&clock, 5000, 1794823200123u);
    struct log *log = log_open(LOG_LEVEL_INFO, false, &clock.clock, (struct log_sink){take, &b});
    for (unsigned i = 0; i < 1244; i++)
        log_warn_limited(log, "bus.junk", LOG_U64("n", i));
    log_warn_limited(log, "bus.other", LOG_U64("n", 1));
    log_write_limited(log, LOG_LEVEL_DEBUG, "bus.quiet", LOG_FIELDS());
    assert_int_equal(lines_in(&b), LOG_LIMIT_LINES + 1);
    buf_clear(&b);
    clock_simulated_advance(&clock, LOG_LIMIT_MS);
    log_info(log, "any.line");
    assert_str(buf_str(&b), STR("2026-11-16T10:01:00.123Z warn bus.junk more_like_this=1234\n"
                                "2026-11-16T10:01:00.123Z info any.line\n"));
    buf_clear(&b);
    for (unsigned i = 0; i < LOG_LIMIT_LINES + 2; i++)
        log_warn_limited(log, "bus.junk", LOG_U64("n", i));
    assert_int_equal(lines_in(&b), LOG_LIMIT_LINES);
    buf_clear(&b);
    log_close(log);
    assert_true(lines_in(&b) == 1 && holds(&b, "bus.junk more_like_this=2\n"));
    buf_done(&b);
}

static void a_slow_trickle_is_written_whole(void **state)
{
    (void)state;
    struct clock_simulated clock;
    struct buf b = {.max = 100000};
    clock_simulated_init(&clock, 0, 1794823200123u);
    struct log *log = log_open(LOG_LEVEL_INFO, false, &clock.clock, (struct log_sink){take, &b});
    for (unsigned i = 0; i < 100; i++) {
        log_info_limited(log, "place.refused", LOG_U64("n", i));
        clock_simulated_advance(&clock, LOG_LIMIT_MS / LOG_LIMIT_LINES);
    }
    log_close(log);
    assert_int_equal(lines_in(&b), 100);
    buf_done(&b);
}

static void more_events_than_are_limited_each_share_one_count(void **state)
{
    (void)state;
    struct clock_simulated clock;
    static char names[2 * LOG_LIMIT_EVENTS][8];
    struct buf b = {.max = 100000};
    clock_simulated_init(&clock, 0, 1794823200123u);
    struct log *log = log_open(LOG_LEVEL_INFO, false, &clock.clock, (struct log_sink){take, &b});
    for (unsigned i = 0; i < 2 * LOG_LIMIT_EVENTS; i++) {
        snprintf(names[i], sizeof names[i], "e.%u", i);
        log_info_limited(log, names[i]);
    }
    assert_int_equal(lines_in(&b), LOG_LIMIT_EVENTS - 1 + LOG_LIMIT_LINES);
    log_close(log);
    assert_true(holds(&b, "info other more_like_this=23\n"));
    buf_done(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_broken_sequence_becomes_one_replacement),
        cmocka_unit_test(every_code_point_comes_back),
        cmocka_unit_test(validity_is_that_of_decoding),
        cmocka_unit_test(json_is_nested_and_escaped),
        cmocka_unit_test(digests_have_their_published_values),
        cmocka_unit_test(a_digest_in_pieces_is_the_whole_one),
        cmocka_unit_test(a_moment_is_written_with_all_its_digits),
        cmocka_unit_test(base32_and_hex_come_back),
        cmocka_unit_test(a_log_line_quotes_what_needs_it),
        cmocka_unit_test(what_steers_a_terminal_is_shown_and_nothing_else_changes),
        cmocka_unit_test(a_text_of_lines_keeps_them),
        cmocka_unit_test(lines_that_a_peer_causes_are_limited_and_counted),
        cmocka_unit_test(a_slow_trickle_is_written_whole),
        cmocka_unit_test(more_events_than_are_limited_each_share_one_count),
        cmocka_unit_test(json_and_logs_escape_what_steers_a_terminal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
