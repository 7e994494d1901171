/* SPDX-License-Identifier: Apache-2.0 */
#include "net/dns_answer.h"

#include "dns_script.h"
#include "lib/test.h"

#include <stdio.h>
#include <stdlib.h>

enum { A = 1, NS = 2, CNAME = 5, TXT = 16, AAAA = 28, GOOD = 0x8180, NXDOMAIN = 0x8183 };

static struct dns_answer read_as(const struct buf *m, const char *name, bool is_v6)
{
    struct dns_name asked;
    struct dns_answer a;
    memset(&a, 0x55, sizeof a);
    assert_rc(buf_rc(m), RC_OK);
    assert_rc(dns_name_read(str_c(name), &asked), RC_OK);
    dns_answer_read(buf_str(m), &asked, is_v6, &a);
    return a;
}

static void begin(struct buf *m, char *room, size_t bytes, unsigned flags, unsigned type)
{
    *m = buf_on(room, bytes);
    message_begin(m, 7, flags);
    message_question(m, "a.test", type);
}

static void assert_v4(const struct dns_answer *a, uint32_t i, uint8_t last)
{
    const uint8_t expected[4] = {10, 0, 0, last};
    assert_true(i < a->count);
    assert_memory_equal(a->addresses[i].bytes, expected, 4);
}

static void addresses_come_in_their_order_each_once_with_the_least_ttl(void **state)
{
    (void)state;
    char room[1000];
    struct buf m;
    begin(&m, room, sizeof room, GOOD, A);
    message_a(&m, "a.test", 300, 0x0a000002);
    message_a(&m, "A.TEST", 200, 0x0a000001);
    message_a(&m, "a.test", 400, 0x0a000002);
    struct dns_answer a = read_as(&m, "a.test", false);
    assert_int_equal(a.kind, DNS_ANSWER_FOUND);
    assert_int_equal(a.count, 2);
    assert_int_equal(a.ttl_s, 200);
    assert_v4(&a, 0, 2);
    assert_v4(&a, 1, 1);
}

static void what_was_not_asked_for_is_passed_over(void **state)
{
    (void)state;
    char room[1000];
    struct buf m;
    begin(&m, room, sizeof room, GOOD, A);
    message_a(&m, "b.test", 1, 0x0a000009);
    message_aaaa(&m, "a.test", 1, 9);
    message_record(&m, "a.test", TXT, 1, STR("\4text"));
    message_record(&m, "a.test", A, 1, STR("\1\2\3"));     /* too short */
    message_record(&m, "a.test", A, 1, STR("\1\2\3\4\5")); /* too long */
    message_a(&m, "a.test", 100, 0x0a000001);
    message_a(&m, "x.a.test", 1, 0x0a000009);
    struct dns_answer a = read_as(&m, "a.test", false);
    assert_int_equal(a.kind, DNS_ANSWER_FOUND);
    assert_int_equal(a.count, 1);
    assert_int_equal(a.ttl_s, 100);
    assert_v4(&a, 0, 1);
    begin(&m, room, sizeof room, GOOD, AAAA);
    message_a(&m, "a.test", 100, 0x0a000001);
    a = read_as(&m, "a.test", true);
    assert_int_equal(a.kind, DNS_ANSWER_NO_DATA);
    assert_int_equal(a.count, 0);
}

static void chains_are_followed_in_whatever_order_they_stand(void **state)
{
    (void)state;
    char room[1000];
    struct buf m;
    begin(&m, room, sizeof room, GOOD, A);
    message_a(&m, "d.test", 300, 0x0a000001);
    message_cname(&m, "c.test", 250, "d.test");
    message_cname(&m, "a.test", 600, "b.test");
    message_cname(&m, "b.test", 90, "C.test");
    message_a(&m, "b.test", 1, 0x0a000009); /* beside a CNAME: of no name */
    struct dns_answer a = read_as(&m, "a.test", false);
    assert_int_equal(a.kind, DNS_ANSWER_FOUND);
    assert_int_equal(a.ttl_s, 90);
    assert_int_equal(a.count, 1);
    assert_v4(&a, 0, 1);
}

static void a_chain_that_leads_nowhere_is_no_data(void **state)
{
    (void)state;
    char room[1000];
    struct buf m;
    begin(&m, room, sizeof room, GOOD, A);
    message_cname(&m, "a.test", 600, "b.test");
    message_soa(&m, "test", 77, 99);
    struct dns_answer a = read_as(&m, "a.test", false);
    assert_int_equal(a.kind, DNS_ANSWER_NO_DATA);
    assert_int_equal(a.ttl_s, 77);
}

static void circles_are_nonsense(void **state)
{
    (void)state;
    char room[1000];
    struct buf m;
    begin(&m, room, sizeof room, GOOD, A);
    message_cname(&m, "a.test", 600, "b.test");
    message_cname(&m, "b.test", 600, "a.test");
    message_a(&m, "a.test", 1, 0x0a000009);
    assert_int_equal(read_as(&m, "a.test", false).kind, DNS_ANSWER_NONSENSE);
    begin(&m, room, sizeof room, GOOD, A);
    message_cname(&m, "a.test", 600, "a.test");
    assert_int_equal(read_as(&m, "a.test", false).kind, DNS_ANSWER_NONSENSE);
}

static void a_chain_has_sixteen_links_at_most(void **state)
{
    (void)state;
    for (int links = DNS_MAX_CHAIN; links <= DNS_MAX_CHAIN + 1; links++) {
        char room[2000], owner[16] = "a.test", target[16];
        struct buf m;
        begin(&m, room, sizeof room, GOOD, A);
        for (int i = 0; i < links; i++) {
            (void)snprintf(target, sizeof target, "n%d.test", i);
            message_cname(&m, owner, 60, target);
            memcpy(owner, target, sizeof owner);
        }
        message_a(&m, owner, 60, 0x0a000001);
        assert_int_equal(read_as(&m, "a.test", false).kind,
                         links > DNS_MAX_CHAIN ? DNS_ANSWER_NONSENSE : DNS_ANSWER_FOUND);
    }
}

static void a_thousand_addresses_are_the_first_eight(void **state)
{
    (void)state;
    static char room[65535];
    struct buf m;
    begin(&m, room, sizeof room, GOOD, A);
    for (uint32_t i = 1; i <= 1000; i++)
        message_a(&m, "a.test", 60, 0x0a000000 + i);
    struct dns_answer a = read_as(&m, "a.test", false);
    assert_int_equal(a.count, DNS_MAX_ADDRESSES);
    assert_v4(&a, 7, 8);
}

static void names_that_are_not_there_have_the_soa_s_time(void **state)
{
    (void)state;
    char room[1000];
    struct buf m;
    static const uint32_t rows[][3] = {{100, 200, 100}, {200, 100, 100},      {0, 100, 0},
                                       {100, 0, 0},     {UINT32_MAX, 100, 0}, {100, UINT32_MAX, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin(&m, room, sizeof room, NXDOMAIN, AAAA);
        message_soa(&m, "test", rows[i][0], rows[i][1]);
        struct dns_answer a = read_as(&m, "a.test", true);
        assert_int_equal(a.kind, DNS_ANSWER_NO_NAME);
        assert_int_equal(a.ttl_s, rows[i][2]);
    }
    begin(&m, room, sizeof room, NXDOMAIN, AAAA);
    assert_int_equal(read_as(&m, "a.test", true).ttl_s, 0);
    begin(&m, room, sizeof room, NXDOMAIN, A); /* it cannot be there and not be there */
    message_a(&m, "a.test", 60, 0x0a000001);
    struct dns_answer a = read_as(&m, "a.test", false);
    assert_int_equal(a.kind, DNS_ANSWER_NO_NAME);
    assert_int_equal(a.count, 0);
}

static void answers_to_other_questions_are_nonsense(void **state)
{
    (void)state;
    char room[1000];
    struct buf m;
    begin(&m, room, sizeof room, GOOD, A);
    message_a(&m, "a.test", 60, 0x0a000001);
    assert_int_equal(read_as(&m, "a.test", false).kind, DNS_ANSWER_FOUND);
    assert_int_equal(read_as(&m, "b.test", false).kind, DNS_ANSWER_NONSENSE);
    assert_int_equal(read_as(&m, "a.test.x", false).kind, DNS_ANSWER_NONSENSE);
    assert_int_equal(read_as(&m, "a.test", true).kind, DNS_ANSWER_NONSENSE);
    m.p[5] = 2; /* two questions */
    assert_int_equal(read_as(&m, "a.test", false).kind, DNS_ANSWER_NONSENSE);
    m.p[5] = 1;
    m.p[2] = 1; /* a question */
    assert_int_equal(read_as(&m, "a.test", false).kind, DNS_ANSWER_NONSENSE);
    m.p[2] = (char)0x81;
    m.p[3] = (char)0x82;
    assert_int_equal(read_as(&m, "a.test", false).kind, DNS_ANSWER_REFUSED);
}

static void a_message_cut_anywhere_is_never_read_past_its_end(void **state)
{
    (void)state;
    char room[1000];
    struct buf m;
    begin(&m, room, sizeof room, GOOD, A);
    message_cname(&m, "a.test", 60, "b.test");
    message_a(&m, "b.test", 60, 0x0a000001);
    for (size_t n = 0; n < m.n; n++) {
        char *exact = malloc(n ? n : 1); /* so that a sanitizer sees a step too far */
        assert_non_null(exact);
        memcpy(exact, m.p, n);
        struct buf cut = buf_on(exact, n);
        cut.n = n;
        assert_int_equal(read_as(&cut, "a.test", false).kind, DNS_ANSWER_NONSENSE);
        free(exact);
    }
}

/* Header and question take 24 bytes; a name stands from byte 12. */
static void names_may_point_back_and_nowhere_else(void **state)
{
    (void)state;
    static const struct {
        struct str owner;
        enum dns_answer_kind kind;
    } rows[] = {
        {STR("\xc0\x0c"), DNS_ANSWER_FOUND},
        {STR("\1a\xc0\x0e"), DNS_ANSWER_FOUND},    /* a + "test" */
        {STR("\xc0\x18"), DNS_ANSWER_NONSENSE},    /* itself */
        {STR("\xc0\x19"), DNS_ANSWER_NONSENSE},    /* forwards */
        {STR("\xff\xff"), DNS_ANSWER_NONSENSE},    /* outside */
        {STR("\1a\xc0\x18"), DNS_ANSWER_NONSENSE}, /* a circle with a label in it */
        {STR("\x40"), DNS_ANSWER_NONSENSE},        /* lengths that mean nothing */
        {STR("\x80\x0c"), DNS_ANSWER_NONSENSE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char room[200];
        struct buf m;
        begin(&m, room, sizeof room, GOOD, A);
        assert_int_equal(m.n, 24);
        buf_add(&m, rows[i].owner);
        buf_add(&m, STR("\0\1\0\1\0\0\0\x3c\0\4\x0a\0\0\1"));
        m.p[7] = 1;
        if (read_as(&m, "a.test", false).kind != rows[i].kind)
            fail_msg("row %zu", i);
    }
}

/* 3,000 records, each with a name of pointers to pointers: bounded by jumps, not by luck. */
static void chains_of_pointers_end(void **state)
{
    (void)state;
    static char room[65535];
    struct buf m;
    begin(&m, room, sizeof room, GOOD, A);
    size_t first = m.n;
    buf_add(&m, STR("\xc0\x0c\0\x10\0\1\0\0\0\1"));
    buf_byte(&m, (char)((2 * (DNS_MAX_JUMPS + 2)) >> 8));
    buf_byte(&m, (char)(2 * (DNS_MAX_JUMPS + 2)));
    size_t at = m.n;
    for (size_t i = 0; i < DNS_MAX_JUMPS + 2; i++) {
        size_t to = i ? at + 2 * (i - 1) : 12;
        buf_byte(&m, (char)(0xc0 | to >> 8));
        buf_byte(&m, (char)to);
    }
    m.p[7] = 2;
    size_t records = m.n;
    for (size_t jumps = DNS_MAX_JUMPS - 1; jumps <= DNS_MAX_JUMPS; jumps++) {
        m.n = records;
        size_t to = at + 2 * jumps; /* and one more to get there, and one to the question */
        to -= 2;
        buf_byte(&m, (char)(0xc0 | to >> 8));
        buf_byte(&m, (char)to);
        buf_add(&m, STR("\0\1\0\1\0\0\0\x3c\0\4\x0a\0\0\1"));
        assert_int_equal(read_as(&m, "a.test", false).kind,
                         jumps < DNS_MAX_JUMPS ? DNS_ANSWER_FOUND : DNS_ANSWER_NONSENSE);
    }
    assert_true(first == 24);
}

static void names_are_checked_before_they_are_asked_for(void **state)
{
    (void)state;
    struct dns_name n;
    char label[65], name[300];
    memset(label, 'a', sizeof label);
    assert_rc(dns_name_read(str_make(label, 63), &n), RC_OK);
    assert_rc(dns_name_read(str_make(label, 64), &n), RC_INVALID);
    for (size_t i = 0; i < sizeof name; i++)
        name[i] = i % 2 ? '.' : 'a';
    assert_rc(dns_name_read(str_make(name, 253), &n), RC_OK);
    assert_int_equal(n.n, 253);
    assert_rc(dns_name_read(str_make(name, 254), &n), RC_OK); /* a dot at its end */
    assert_int_equal(n.n, 253);
    assert_rc(dns_name_read(str_make(name, 255), &n), RC_INVALID);
    assert_rc(dns_name_read(STR("_Dmarc.Ex-ample.TEST."), &n), RC_OK);
    assert_str(dns_name_str(&n), STR("_dmarc.ex-ample.test"));
    assert_rc(dns_name_read(STR("a.b0x"), &n), RC_OK);
    static const char *const wrong[] = {
        "",     ".",   "..",   "a..",    ".a",      "a..b",     "a b",  "a\tb",       "a%b",
        "a\\b", "a.0", "a.0x", "a.0x1f", "1.2.3.4", "a*b.test", "a.1.", "caf\xc3\xa9"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        if (dns_name_read(str_c(wrong[i]), &n) != RC_INVALID)
            fail_msg("\"%s\" was taken for a name", wrong[i]);
    }
    assert_rc(dns_name_read(STR("a\0b"), &n), RC_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_come_in_their_order_each_once_with_the_least_ttl),
        cmocka_unit_test(what_was_not_asked_for_is_passed_over),
        cmocka_unit_test(chains_are_followed_in_whatever_order_they_stand),
        cmocka_unit_test(a_chain_that_leads_nowhere_is_no_data),
        cmocka_unit_test(circles_are_nonsense),
        cmocka_unit_test(a_chain_has_sixteen_links_at_most),
        cmocka_unit_test(a_thousand_addresses_are_the_first_eight),
        cmocka_unit_test(names_that_are_not_there_have_the_soa_s_time),
        cmocka_unit_test(answers_to_other_questions_are_nonsense),
        cmocka_unit_test(a_message_cut_anywhere_is_never_read_past_its_end),
        cmocka_unit_test(names_may_point_back_and_nowhere_else),
        cmocka_unit_test(chains_of_pointers_end),
        cmocka_unit_test(names_are_checked_before_they_are_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
