/* SPDX-License-Identifier: Apache-2.0 */
#include "bus/nats_reply.h"

#include "base/rng.h"
#include "bus/bus.h"
#include "lib/test.h"

static const struct ack_row {
    const char *name, *json;
    enum rc rc;
    uint64_t sequence;
    bool is_repeat;
} acks[] = {
    {"taken", "{\"stream\":\"S\", \"seq\":7}", RC_OK, 7, false},
    {"a repeat", "{\"stream\":\"S\", \"seq\":7,\"duplicate\": true}", RC_OK, 7, true},
    {"full by bytes",
     "{\"error\":{\"code\":503,\"err_code\":10077,\"description\":\"maximum bytes exceeded\"},"
     "\"stream\":\"S\",\"seq\":0}",
     RC_LIMIT, 0, false},
    {"full by messages",
     "{\"error\":{\"code\":503,\"err_code\":10077,\"description\":\"maximum messages exceeded\"}}",
     RC_LIMIT, 0, false},
    {"the disk failed",
     "{\"error\":{\"code\":503,\"err_code\":10077,\"description\":\"error opening msg block\"}}",
     RC_AGAIN, 0, false},
    {"no room on the servers",
     "{\"error\":{\"code\":503,\"err_code\":10023,\"description\":\"insufficient resources\"}}",
     RC_LIMIT, 0, false},
    {"no leader", "{\"error\":{\"code\":503,\"err_code\":10008,\"description\":\"away\"}}",
     RC_AGAIN, 0, false},
    {"not allowed",
     "{\"error\":{\"code\":500,\"err_code\":10111,\"description\":\"rollup not permitted\"}}",
     RC_INVALID, 0, false},
    {"an error without anything", "{\"error\":{}}", RC_INVALID, 0, false},
    {"an error that is none", "{\"error\":7,\"seq\":3}", RC_OK, 3, false},
    {"number nothing", "{\"seq\":0}", RC_INVALID, 0, false},
    {"a negative number", "{\"seq\":-1}", RC_INVALID, 0, false},
    {"a number as text", "{\"seq\":\"1\"}", RC_INVALID, 0, false},
    {"twice", "{\"seq\":1,\"seq\":2}", RC_INVALID, 0, false},
    {"a list", "[1]", RC_INVALID, 0, false},
    {"half", "{\"seq\":1", RC_INVALID, 0, false},
    {"more behind it", "{\"seq\":1}x", RC_INVALID, 0, false},
    {"nothing", "", RC_INVALID, 0, false},
};

static void acknowledgements(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof acks / sizeof *acks; i++) {
        struct nats_reply_ack a = nats_reply_ack_read(str_c(acks[i].json));
        if (a.rc != acks[i].rc || a.sequence != acks[i].sequence ||
            a.is_repeat != acks[i].is_repeat)
            fail_msg("%s: rc %d, sequence %llu", acks[i].name, (int)a.rc,
                     (unsigned long long)a.sequence);
    }
}

static void administration(void **state)
{
    char why[16];
    (void)state;
    assert_rc(nats_reply_admin_read(STR("{\"config\":{}}"), why, sizeof why), RC_OK);
    assert_string_equal(why, "");
    assert_rc(
        nats_reply_admin_read(STR("{\"error\":{\"code\":400,\"err_code\":10058,\"description\":"
                                  "\"stream name already in use\"}}"),
                              why, sizeof why),
        RC_EXISTS);
    assert_string_equal(why, "stream name alr");
    assert_rc(nats_reply_admin_read(
                  STR("{\"error\":{\"code\":400,\"err_code\":10005,\"description\":\"x\"}}"), why,
                  sizeof why),
              RC_AGAIN);
    assert_rc(nats_reply_admin_read(STR("hello"), why, sizeof why), RC_INVALID);
}

static void stamps(void **state)
{
    static const char *const bad[] = {"",
                                      "2026-11-16T17:49:53",
                                      "2026-11-16T17:49:53.Z",
                                      "2026-11-16T17:49:53.1x3Z",
                                      "2026-11-16 17:49:53.100Z",
                                      "1969-11-16T17:49:53Z",
                                      "2026-13-16T17:49:53Z",
                                      "2026-00-16T17:49:53Z",
                                      "2026-02-29T17:49:53Z",
                                      "2026-11-16T24:49:53Z",
                                      "2026-11-1aT17:49:53Z",
                                      "2026-11-16T17:49:53+01:00"};
    uint64_t ms = 0;
    (void)state;
    assert_rc(nats_reply_stamp_read(STR("2026-11-16T17:49:53.602252008Z"), &ms), RC_OK);
    assert_int_equal(ms, 1794851393602);
    assert_rc(nats_reply_stamp_read(STR("2026-11-16T17:49:53.6Z"), &ms), RC_OK);
    assert_int_equal(ms, 1794851393600);
    assert_rc(nats_reply_stamp_read(STR("1970-01-01T00:00:00Z"), &ms), RC_OK);
    assert_int_equal(ms, 0);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_rc(nats_reply_stamp_read(str_c(bad[i]), &ms), RC_INVALID);
}

static void subjects(void **state)
{
    static const char *const good[] = {"a", "orb.c.hb.a", "$JS.API.DIRECT.GET.X"};
    static const char *const wild[] = {"*", ">", "orb.*.a", "orb.c.>"};
    static const char *const bad[] = {"",           ".",  "a.", ".a",      "a..b",    "a b",
                                      "a\r\nPUB x", "a*", "a>", "a.b\x7f", "\xc3\xa4"};
    char longest[BUS_MAX_SUBJECT_BYTES + 1];
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(nats_subject_is_good(str_c(good[i]), false));
        assert_true(nats_subject_is_good(str_c(good[i]), true));
    }
    for (size_t i = 0; i < sizeof wild / sizeof *wild; i++) {
        assert_false(nats_subject_is_good(str_c(wild[i]), false));
        assert_true(nats_subject_is_good(str_c(wild[i]), true));
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(nats_subject_is_good(str_c(bad[i]), true));
    assert_false(nats_subject_is_good(STR(">.a"), true));
    memset(longest, 'a', sizeof longest);
    assert_true(nats_subject_is_good(str_make(longest, BUS_MAX_SUBJECT_BYTES), false));
    assert_false(nats_subject_is_good(str_make(longest, sizeof longest), false));
    assert_true(nats_stream_is_good(STR("ORB_c_a-1")));
    assert_false(nats_stream_is_good(STR("ORB.c")));
    assert_false(nats_stream_is_good(STR("")));
}

/* Any bytes are judged, and nothing is read behind them. */
static void junk(void **state)
{
    static const char letters[] = "{}[]\",:.0123456789-TZerrodscqupliat \\u";
    char why[8], text[64];
    struct rng r;
    uint64_t ms;
    (void)state;
    rng_init(&r, test_seed(12));
    for (int i = 0; i < 20000; i++) {
        size_t n = rng_below(&r, sizeof text);
        for (size_t k = 0; k < n; k++)
            text[k] =
                rng_below(&r, 8) ? letters[rng_below(&r, sizeof letters - 1)] : (char)rng_next(&r);
        (void)nats_reply_ack_read(str_make(text, n));
        (void)nats_reply_admin_read(str_make(text, n), why, sizeof why);
        (void)!nats_reply_stamp_read(str_make(text, n), &ms);
        (void)nats_subject_is_good(str_make(text, n), true);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(acknowledgements),
        cmocka_unit_test(administration),
        cmocka_unit_test(stamps),
        cmocka_unit_test(subjects),
        cmocka_unit_test(junk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
