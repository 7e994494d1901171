/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/test.h"

#include "wire/dns_message.h"

/* www.Heron1.test, A, IN, recursion desired, id 0x1234. */
#define HEAD "\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00"
#define HEAD_MORE "\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x01"
#define NAME "\x03www\x06Heron1\x04test\x00"
#define A_IN "\x00\x01\x00\x01"
#define OPT "\x00\x00\x29\x04\xd0\x00\x00\x00\x00\x00\x00"

static void a_question_is_read(void **state)
{
    (void)state;
    struct dns_question q;
    assert_rc(dns_question_read(STR(HEAD NAME A_IN), &q), RC_OK);
    assert_int_equal(q.id, 0x1234);
    assert_true(q.recursion_desired);
    assert_str(str_make(q.name, q.name_bytes), STR("www.heron1.test"));
    assert_int_equal(q.type, DNS_A);
    assert_int_equal(q.class, 1);
    assert_int_equal(q.udp_bytes, 512);
    assert_false(q.has_edns);
}

static void edns_says_how_much_the_client_takes(void **state)
{
    (void)state;
    struct dns_question q;
    assert_rc(dns_question_read(STR(HEAD_MORE NAME A_IN OPT), &q), RC_OK);
    assert_true(q.has_edns);
    assert_int_equal(q.udp_bytes, 1232);
    /* Less than 512 means 512, more than we ever send is cut to that. */
    assert_rc(dns_question_read(
                  STR(HEAD_MORE NAME A_IN "\x00\x00\x29\x00\x10\x00\x00\x00\x00\x00\x00"), &q),
              RC_OK);
    assert_int_equal(q.udp_bytes, 512);
    assert_rc(dns_question_read(
                  STR(HEAD_MORE NAME A_IN "\x00\x00\x29\xff\xff\x00\x00\x00\x00\x00\x00"), &q),
              RC_OK);
    assert_int_equal(q.udp_bytes, 4096);
}

static void what_is_no_single_question_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        struct str bytes;
    } rows[] = {
        {"nothing", STR("")},
        {"an answer", STR("\x12\x34\x81\x00\x00\x01\x00\x00\x00\x00\x00\x00" NAME A_IN)},
        {"another opcode", STR("\x12\x34\x29\x00\x00\x01\x00\x00\x00\x00\x00\x00" NAME A_IN)},
        {"no question", STR("\x12\x34\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00")},
        {"two", STR("\x12\x34\x01\x00\x00\x02\x00\x00\x00\x00\x00\x00" NAME A_IN NAME A_IN)},
        {"with an answer", STR("\x12\x34\x01\x00\x00\x01\x00\x01\x00\x00\x00\x00" NAME A_IN)},
        {"a pointer to itself", STR(HEAD "\xc0\x0c" A_IN)},
        {"a pointer behind a label", STR(HEAD "\x03www\xc0\x0c" A_IN)},
        {"a pointer into the header", STR(HEAD "\xc0\x00" A_IN)},
        {"a length of the old kinds", STR(HEAD "\x40"
                                               "abc\x00" A_IN)},
        {"a dot in a label", STR(HEAD "\x03"
                                      "a.b\x04test\x00" A_IN)},
        {"a NUL in a label", STR(HEAD "\x03"
                                      "a\x00"
                                      "b\x04test\x00" A_IN)},
        {"two OPT records",
         STR("\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x02" NAME A_IN OPT OPT)},
        {"more additional records than anyone sends",
         STR("\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\xff\xff" NAME A_IN OPT)},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dns_question q = {.id = 7};
        enum rc rc = dns_question_read(rows[i].bytes, &q);
        if (rc != RC_INVALID)
            fail_msg("%s was accepted", rows[i].name);
        assert_int_equal(q.id, 7); /* untouched */
    }
}

static void every_cut_of_a_question_is_refused(void **state)
{
    (void)state;
    struct str whole = STR(HEAD_MORE NAME A_IN OPT);
    struct dns_question q;
    for (size_t n = 0; n < whole.n; n++) {
        char *copy = test_malloc(n ? n : 1); /* its end is the end of the block, for ASan */
        memcpy(copy, whole.p, n);
        assert_rc(dns_question_read(str_make(copy, n), &q), RC_INVALID);
        test_free(copy);
    }
    assert_rc(dns_question_read(whole, &q), RC_OK);
}

/* Labels of 63 bytes and one that fills up to `wire_bytes`. */
static void put_long_question(struct buf *b, size_t wire_bytes)
{
    buf_add(b, STR(HEAD));
    size_t left = wire_bytes - 1;
    while (left > 0) {
        size_t label = left > 64 ? 63 : left - 1;
        buf_byte(b, (char)label);
        buf_fill(b, 'a', label);
        left -= label + 1;
    }
    buf_byte(b, 0);
    buf_add(b, STR(A_IN));
}

static void a_name_has_at_most_255_bytes(void **state)
{
    (void)state;
    struct dns_question q;
    struct buf b;
    buf_init(&b, 1000);
    put_long_question(&b, 255);
    assert_rc(dns_question_read(buf_str(&b), &q), RC_OK);
    assert_int_equal(q.name_bytes, 253);
    buf_clear(&b);
    put_long_question(&b, 256);
    assert_rc(dns_question_read(buf_str(&b), &q), RC_INVALID);
    buf_done(&b);
}

static struct dns_question question(struct str bytes)
{
    struct dns_question q;
    assert_rc(dns_question_read(bytes, &q), RC_OK);
    return q;
}

static void an_answer_repeats_the_question_as_it_was_sent(void **state)
{
    (void)state;
    struct dns_question q = question(STR(HEAD NAME A_IN));
    struct dns_writer d;
    struct buf b;
    buf_init(&b, DNS_MAX_BYTES);
    dns_begin(&d, &b, &q, DNS_NOERROR, 512);
    dns_a(&d, STR("www.heron1.test"), 300, 0x7f010203);
    dns_end(&d, &q);
    assert_str(buf_str(&b),
               STR("\x12\x34\x85\x80\x00\x01\x00\x01\x00\x00\x00\x00" NAME A_IN
                   "\xc0\x0c\x00\x01\x00\x01\x00\x00\x01\x2c\x00\x04\x7f\x01\x02\x03"));
    buf_done(&b);
}

static void names_end_in_pointers_into_the_question(void **state)
{
    (void)state;
    struct dns_question q = question(STR(HEAD_MORE NAME A_IN OPT));
    struct dns_writer d;
    struct buf b;
    buf_init(&b, DNS_MAX_BYTES);
    dns_begin(&d, &b, &q, DNS_NOERROR, 512);
    dns_cname(&d, STR("www.heron1.test"), 1, STR("alias1.www.heron1.test"));
    dns_cname(&d, STR("on1.test"), 2, STR("elsewhere.example"));
    dns_soa(&d, STR("test"), 60);
    dns_end(&d, &q);
    struct str records = str_from(buf_str(&b), 12 + sizeof NAME - 1 + 4);
    assert_str(records, STR("\xc0\x0c\x00\x05\x00\x01\x00\x00\x00\x01\x00\x09\x06"
                            "alias1\xc0\x0c"
                            "\x03on1\xc0\x17\x00\x05\x00\x01\x00\x00\x00\x02\x00\x13"
                            "\x09"
                            "elsewhere\x07"
                            "example\x00"
                            "\xc0\x17\x00\x06\x00\x01\x00\x00\x00\x3c\x00\x22"
                            "\x02ns\xc0\x17\x06nobody\xc0\x17\x00\x00\x00\x01\x00\x00\x1c\x20"
                            "\x00\x00\x03\x84\x00\x01\x51\x80\x00\x00\x00\x3c"
                            "\x00\x00\x29\x10\x00\x00\x00\x00\x00\x00\x00"));
    assert_str(str_make(b.p + 4, 8), STR("\x00\x01\x00\x02\x00\x01\x00\x01"));
    buf_done(&b);
}

static void records_that_do_not_fit_are_left_out_and_it_says_so(void **state)
{
    (void)state;
    struct dns_question q = question(STR(HEAD_MORE NAME A_IN OPT));
    struct dns_writer d;
    struct buf b;
    static const uint8_t loopback[16] = {[15] = 1};
    buf_init(&b, DNS_MAX_BYTES);
    for (size_t most = 512; most < 600; most++) {
        buf_clear(&b);
        buf_add(&b, STR("..")); /* the answer need not begin where the buffer does */
        dns_begin(&d, &b, &q, DNS_NOERROR, most);
        for (int i = 0; i < 50; i++)
            dns_a(&d, STR("www.heron1.test"), 300, 0x7f010203);
        dns_aaaa(&d, STR("x"), 300, loopback);
        dns_end(&d, &q);
        assert_int_equal(b.rc, RC_OK);
        size_t expected = (most - 12 - (sizeof NAME - 1) - 4 - 11) / 16;
        assert_int_equal(d.answers, expected);
        assert_in_range(b.n - 2, most - 15, most);
        assert_int_equal(b.p[4] & 2, 2);
        assert_int_equal((unsigned char)b.p[9], expected);
    }
    buf_done(&b);
}

static void a_name_that_is_none_fails(void **state)
{
    (void)state;
    struct dns_question q = question(STR(HEAD NAME A_IN));
    static const char *const bad[] = {
        "a..b", ".a", "0123456789012345678901234567890123456789012345678901234567890123.b"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct dns_writer d;
        struct buf b;
        buf_init(&b, DNS_MAX_BYTES);
        dns_begin(&d, &b, &q, DNS_NOERROR, 512);
        dns_a(&d, str_c(bad[i]), 300, 1);
        dns_end(&d, &q);
        assert_rc(buf_rc(&b), RC_INVALID);
        buf_done(&b);
    }
}

static enum rc write_some(void *ctx)
{
    struct dns_question q = question(STR(HEAD_MORE NAME A_IN OPT));
    struct dns_writer d;
    struct buf b;
    (void)ctx;
    buf_init(&b, DNS_MAX_BYTES);
    dns_begin(&d, &b, &q, DNS_NXDOMAIN_CODE, 4096);
    for (int i = 0; i < 100; i++)
        dns_a(&d, STR("www.heron1.test"), 300, 0x7f010203);
    dns_soa(&d, STR("test"), 60);
    dns_end(&d, &q);
    enum rc rc = buf_rc(&b);
    buf_done(&b);
    return rc;
}

static void without_memory_it_fails_whole(void **state)
{
    (void)state;
    test_each_allocation_fails(write_some, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_question_is_read),
        cmocka_unit_test(edns_says_how_much_the_client_takes),
        cmocka_unit_test(what_is_no_single_question_is_refused),
        cmocka_unit_test(every_cut_of_a_question_is_refused),
        cmocka_unit_test(a_name_has_at_most_255_bytes),
        cmocka_unit_test(an_answer_repeats_the_question_as_it_was_sent),
        cmocka_unit_test(names_end_in_pointers_into_the_question),
        cmocka_unit_test(records_that_do_not_fit_are_left_out_and_it_says_so),
        cmocka_unit_test(a_name_that_is_none_fails),
        cmocka_unit_test(without_memory_it_fails_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
