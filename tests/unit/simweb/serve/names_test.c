/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/test.h"

#include "faults/fault.h"
#include "serve/names.h"
#include "wire/dns_message.h"

#include <stdio.h>

/* One host per mood, named after its number: m0.test, m1.test, …; 127.9.0.<mood> is its address. */
static bool host(void *ctx, struct str name, struct mood *ret_mood, uint32_t *ret_address)
{
    (void)ctx;
    struct str number = str_from(name, 1);
    uint64_t mood = 0;
    if (str_eq(name, STR("www.heron1.test"))) {
        *ret_mood = (struct mood){0};
        *ret_address = 0x7f010001;
        return true;
    }
    if (name.n < 2 || name.p[0] != 'm' || str_to_u64(str_take_until(&number, '.'), &mood) ||
        mood >= DNS_MOODS_ || !str_eq(number, STR("test")))
        return false;
    *ret_mood = (struct mood){.dns = (enum dns_mood)mood};
    *ret_address = 0x7f090000 + (uint32_t)mood;
    return true;
}

struct seen {
    char name[64];
    uint16_t type, rcode;
    int times;
};

static void saw(void *ctx, struct str name, uint16_t type, uint16_t rcode)
{
    struct seen *seen = ctx;
    snprintf(seen->name, sizeof seen->name, STR_FMT, STR_ARG(name));
    seen->type = type;
    seen->rcode = rcode;
    seen->times++;
}

struct setup {
    struct names *names;
    struct seen seen;
};

static int set_up(void **state)
{
    static struct setup s;
    struct names_settings settings = {.suffix = STR("test"), .slow_ms = 2500, .has_v6 = true};
    struct names_asks asks = {.host = host, .saw = saw, .ctx = &s.seen};
    s = (struct setup){.names = names_open(&settings, asks)};
    *state = &s;
    return s.names ? 0 : -1;
}

static int tear_down(void **state)
{
    names_close(((struct setup *)*state)->names);
    return 0;
}

/* Asking, and reading the answer by other means than it was written ------------------------- */

enum { ID = 0x1234 };

static void put_question(struct buf *b, const char *name, enum dns_type type, unsigned edns_bytes)
{
    const unsigned char head[12] = {ID >> 8, ID & 0xff, 1, 0, 0, 1, [11] = edns_bytes ? 1 : 0};
    struct str rest = str_c(name);
    buf_add(b, str_make((const char *)head, sizeof head));
    while (rest.n) {
        struct str label = str_take_until(&rest, '.');
        buf_byte(b, (char)label.n);
        buf_add(b, label);
    }
    const char tail[5] = {0, 0, (char)type, 0, 1};
    buf_add(b, str_make(tail, sizeof tail));
    const unsigned char opt[11] = {0, 0, 41, (unsigned char)(edns_bytes >> 8),
                                   (unsigned char)edns_bytes};
    if (edns_bytes)
        buf_add(b, str_make((const char *)opt, sizeof opt));
}

struct record {
    char name[64];
    unsigned type;
    uint32_t ttl;
    uint32_t address;     /* of an A */
    unsigned char v6[16]; /* of an AAAA */
    char target[64];      /* of a CNAME */
};

struct answer {
    uint64_t delay_ms;
    size_t bytes;
    unsigned id, rcode;
    bool is_cut;
    char asked[64];
    unsigned answers, authorities;
    struct record records[1100]; /* of both sections */
};

static unsigned u16(const unsigned char *p)
{
    return (unsigned)p[0] << 8 | p[1];
}

/* Follows pointers, a few at most. */
static size_t name_at(const unsigned char *m, size_t at, char *to)
{
    size_t after = 0, n = 0;
    for (int jumps = 0; m[at]; at += 1U + m[at]) {
        while (m[at] >= 0xc0) {
            assert_true(jumps++ < 3);
            after = after ? after : at + 2;
            at = u16(m + at) & 0x3fff;
        }
        assert_in_range(m[at], 1, 63);
        assert_true(n + m[at] + 2U < 64);
        if (n)
            to[n++] = '.';
        memcpy(to + n, m + at + 1, m[at]);
        n += m[at];
    }
    to[n] = '\0';
    return after ? after : at + 1;
}

static size_t record_at(const unsigned char *m, size_t at, struct record *r)
{
    at = name_at(m, at, r->name);
    r->type = u16(m + at);
    r->ttl = (uint32_t)u16(m + at + 4) << 16 | u16(m + at + 6);
    size_t bytes = u16(m + at + 8);
    at += 10;
    if (r->type == DNS_A)
        r->address = (uint32_t)u16(m + at) << 16 | u16(m + at + 2);
    if (r->type == DNS_AAAA)
        memcpy(r->v6, m + at, 16);
    if (r->type == DNS_CNAME_RECORD)
        name_at(m, at, r->target);
    return at + bytes;
}

static const struct answer *ask_as(struct setup *s, const char *name, enum dns_type type,
                                   bool is_tcp, unsigned edns_bytes)
{
    static struct answer a;
    struct buf question, out;
    buf_init(&question, 1000);
    buf_init(&out, DNS_MAX_BYTES);
    put_question(&question, name, type, edns_bytes);
    a = (struct answer){0};
    a.delay_ms = names_answer(s->names, buf_str(&question), is_tcp, &out);
    a.bytes = out.n;
    if (a.delay_ms != NAMES_NEVER) {
        const unsigned char *m = (const unsigned char *)out.p;
        a.id = u16(m);
        a.rcode = m[3] & 15;
        a.is_cut = m[2] & 2;
        a.answers = u16(m + 6);
        a.authorities = u16(m + 8);
        size_t at = name_at(m, 12, a.asked) + 4;
        for (unsigned i = 0; i < a.answers + a.authorities; i++)
            at = record_at(m, at, &a.records[i]);
        assert_int_equal(at + (edns_bytes ? 11 : 0), out.n);
    }
    buf_done(&question);
    buf_done(&out);
    return &a;
}

static const struct answer *ask(struct setup *s, const char *name, enum dns_type type)
{
    return ask_as(s, name, type, false, 0);
}

static const struct answer *ask_mood(struct setup *s, enum dns_mood mood, enum dns_type type)
{
    char name[16];
    snprintf(name, sizeof name, "m%d.test", (int)mood);
    return ask(s, name, type);
}

static void assert_empty(const struct answer *a, enum dns_rcode rcode)
{
    assert_int_equal(a->rcode, rcode);
    assert_int_equal(a->answers, 0);
    assert_int_equal(a->authorities, 1);
    assert_int_equal(a->records[0].type, DNS_SOA);
    assert_string_equal(a->records[0].name, "test");
    assert_int_equal(a->records[0].ttl, NAMES_NEGATIVE_TTL_S);
}

/* Tests ------------------------------------------------------------------------------------- */

static void an_ordinary_host_has_one_address(void **state)
{
    struct setup *s = *state;
    const struct answer *a = ask(s, "www.Heron1.TEST", DNS_A);
    assert_int_equal(a->delay_ms, 0);
    assert_int_equal(a->id, ID);
    assert_string_equal(a->asked, "www.Heron1.TEST");
    assert_int_equal(a->rcode, DNS_NOERROR);
    assert_int_equal(a->answers, 1);
    assert_int_equal(a->authorities, 0);
    assert_int_equal(a->records[0].address, 0x7f010001);
    assert_int_equal(a->records[0].ttl, 300);
    assert_string_equal(s->seen.name, "www.heron1.test");
    assert_int_equal(s->seen.type, DNS_A);
    assert_int_equal(s->seen.rcode, DNS_NOERROR);
    assert_empty(ask(s, "www.heron1.test", DNS_AAAA), DNS_NOERROR);
    assert_empty(ask(s, "www.heron1.test", (enum dns_type)16), DNS_NOERROR);
    assert_int_equal(s->seen.times, 3);
}

static void other_names_do_not_exist_or_are_none_of_ours(void **state)
{
    struct setup *s = *state;
    assert_empty(ask(s, "nobody.test", DNS_A), DNS_NXDOMAIN_CODE);
    assert_empty(ask(s, "m99.test", DNS_A), DNS_NXDOMAIN_CODE);
    assert_int_equal(s->seen.rcode, DNS_NXDOMAIN_CODE);
    assert_empty(ask(s, "test", DNS_A), DNS_NOERROR);
    assert_empty(ask(s, "heron1.test", DNS_A), DNS_NOERROR); /* www.heron1.test is below it */
    static const char *const foreign[] = {"www.example.com", "www.heron1.attest", "com"};
    for (size_t i = 0; i < 3; i++) {
        const struct answer *a = ask(s, foreign[i], DNS_A);
        assert_int_equal(a->rcode, DNS_REFUSED);
        assert_int_equal(a->answers + a->authorities, 0);
    }
}

static void what_is_no_question_gets_no_answer(void **state)
{
    struct setup *s = *state;
    struct buf out;
    buf_init(&out, DNS_MAX_BYTES);
    assert_int_equal(names_answer(s->names, STR("hello"), false, &out), NAMES_NEVER);
    assert_int_equal(out.n, 0);
    buf_done(&out);
    assert_int_equal(s->seen.times, 0);
}

static void bad_moods_answer_late_or_badly_or_not(void **state)
{
    struct setup *s = *state;
    assert_empty(ask_mood(s, DNS_NXDOMAIN, DNS_A), DNS_NXDOMAIN_CODE);
    assert_empty(ask_mood(s, DNS_NXDOMAIN, DNS_AAAA), DNS_NXDOMAIN_CODE);
    const struct answer *a = ask_mood(s, DNS_SERVFAIL, DNS_A);
    assert_int_equal(a->rcode, DNS_SERVFAIL_CODE);
    assert_int_equal(a->answers + a->authorities, 0);
    a = ask_mood(s, DNS_SILENT, DNS_A);
    assert_int_equal(a->delay_ms, NAMES_NEVER);
    assert_int_equal(a->bytes, 0);
    assert_int_equal(s->seen.rcode, NAMES_UNANSWERED);
    a = ask_mood(s, DNS_SLOW, DNS_A);
    assert_int_equal(a->delay_ms, 2500);
    assert_int_equal(a->records[0].address, 0x7f090000 + DNS_SLOW);
}

static void a_rebinding_name_is_right_once(void **state)
{
    struct setup *s = *state;
    assert_empty(ask_mood(s, DNS_REBIND, DNS_AAAA), DNS_NOERROR); /* does not count */
    const struct answer *a = ask_mood(s, DNS_REBIND, DNS_A);
    assert_int_equal(a->records[0].address, 0x7f090000 + DNS_REBIND);
    assert_int_equal(a->records[0].ttl, 0);
    for (int i = 0; i < 3; i++) {
        a = ask_mood(s, DNS_REBIND, DNS_A);
        assert_int_equal(a->answers, 1);
        assert_int_equal(a->records[0].address, ADDRESS_TRAP);
        assert_int_equal(a->records[0].ttl, 0);
    }
    names_reset(s->names);
    a = ask_mood(s, DNS_REBIND, DNS_A);
    assert_int_equal(a->records[0].address, 0x7f090000 + DNS_REBIND);
}

static void addresses_that_are_not_for_the_public(void **state)
{
    struct setup *s = *state;
    static const struct {
        enum dns_mood mood;
        uint32_t address;
    } rows[] = {
        {DNS_PRIVATE_10, 0x0a000001}, {DNS_PRIVATE_172, 0xac100001}, {DNS_PRIVATE_192, 0xc0a80001},
        {DNS_LINK_LOCAL, 0xa9fea9fe}, {DNS_LOOPBACK, 0x7f000001},    {DNS_ZERO, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct answer *a = ask_mood(s, rows[i].mood, DNS_A);
        assert_int_equal(a->answers, 1);
        assert_int_equal(a->records[0].type, DNS_A);
        assert_int_equal(a->records[0].address, rows[i].address);
        assert_empty(ask_mood(s, rows[i].mood, DNS_AAAA), DNS_NOERROR);
    }
}

static void addresses_of_the_longer_kind(void **state)
{
    struct setup *s = *state;
    static const struct {
        enum dns_mood mood;
        bool has_a;
        unsigned char address[16];
    } rows[] = {
        {DNS_MAPPED, false, {[10] = 0xff, 0xff, 10, 0, 0, 1}},
        {DNS_MAPPED_LOOPBACK, false, {[10] = 0xff, 0xff, 127, 0, 0, 1}},
        {DNS_NAT64, false, {0, 0x64, 0xff, 0x9b, [12] = 10, 0, 0, 1}},
        {DNS_UNIQUE_LOCAL, false, {0xfd, [15] = 1}},
        {DNS_V6_TOO, true, {[15] = 1}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct answer *a = ask_mood(s, rows[i].mood, DNS_AAAA);
        assert_int_equal(a->answers, 1);
        assert_int_equal(a->records[0].type, DNS_AAAA);
        assert_memory_equal(a->records[0].v6, rows[i].address, 16);
        a = ask_mood(s, rows[i].mood, DNS_A);
        assert_int_equal(a->answers, rows[i].has_a ? 1 : 0);
    }
}

static void a_machine_without_v6_is_not_named_by_it(void **state)
{
    (void)state;
    struct names_settings settings = {.suffix = STR("test")};
    struct setup s = {.names = names_open(&settings, (struct names_asks){.host = host})};
    assert_empty(ask_mood(&s, DNS_V6_TOO, DNS_AAAA), DNS_NOERROR);
    names_close(s.names);
}

static void a_chain_leads_over_three_names(void **state)
{
    struct setup *s = *state;
    char host_name[16], name[32];
    snprintf(host_name, sizeof host_name, "m%d.test", DNS_CNAME);
    const struct answer *a = ask(s, host_name, DNS_A);
    assert_int_equal(a->answers, 4);
    assert_string_equal(a->records[0].name, host_name);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(a->records[i].type, DNS_CNAME_RECORD);
        assert_string_equal(a->records[i].target, a->records[i + 1].name);
    }
    assert_int_equal(a->records[3].address, 0x7f090000 + DNS_CNAME);
    assert_int_equal(ask(s, host_name, DNS_AAAA)->answers, 3);
    assert_int_equal(ask(s, host_name, DNS_CNAME_RECORD)->answers, 1);
    /* Each link can be asked for itself, and there are no more. */
    for (unsigned i = 1; i <= 3; i++) {
        snprintf(name, sizeof name, "alias%u.%s", i, host_name);
        a = ask(s, name, DNS_A);
        assert_int_equal(a->answers, 4 - i);
        assert_string_equal(a->records[0].name, name);
        assert_int_equal(a->records[3 - i].address, 0x7f090000 + DNS_CNAME);
    }
    snprintf(name, sizeof name, "alias4.%s", host_name);
    assert_empty(ask(s, name, DNS_A), DNS_NXDOMAIN_CODE);
    assert_empty(ask(s, "alias1.www.heron1.test", DNS_A), DNS_NXDOMAIN_CODE);
}

static void a_loop_leads_back(void **state)
{
    struct setup *s = *state;
    char name[32];
    const struct answer *a = ask_mood(s, DNS_CNAME_LOOP, DNS_A);
    assert_int_equal(a->answers, 2);
    assert_string_equal(a->records[0].target, a->records[1].name);
    assert_string_equal(a->records[1].target, a->records[0].name);
    snprintf(name, sizeof name, "loop.m%d.test", DNS_CNAME_LOOP);
    a = ask(s, name, DNS_AAAA);
    assert_int_equal(a->answers, 2);
    assert_string_equal(a->records[0].name, name);
    assert_string_equal(a->records[1].target, name);
}

static void a_thousand_addresses_are_cut_over_udp_and_whole_over_tcp(void **state)
{
    struct setup *s = *state;
    char name[16];
    snprintf(name, sizeof name, "m%d.test", DNS_MANY);
    const struct answer *a = ask(s, name, DNS_A);
    assert_true(a->is_cut);
    assert_in_range(a->bytes, 480, 512);
    assert_int_equal(a->records[0].address, 0x7f090000 + DNS_MANY);
    a = ask_as(s, name, DNS_A, false, 4096);
    assert_true(a->is_cut);
    assert_in_range(a->bytes, 4070, 4096);
    a = ask_as(s, name, DNS_A, true, 0);
    assert_false(a->is_cut);
    assert_int_equal(a->answers, NAMES_MANY);
    assert_int_equal(a->records[0].address, 0x7f090000 + DNS_MANY);
    for (unsigned i = 1; i < NAMES_MANY; i++)
        assert_in_range(a->records[i].address, 0x7f005b00, 0x7f005eff);
}

static void ttls_may_be_nothing_or_too_much(void **state)
{
    struct setup *s = *state;
    assert_int_equal(ask_mood(s, DNS_TTL_ZERO, DNS_A)->records[0].ttl, 0);
    assert_int_equal(ask_mood(s, DNS_TTL_HUGE, DNS_A)->records[0].ttl, 0x7fffffff);
    assert_int_equal(ask_mood(s, DNS_TTL_HUGE, DNS_A)->records[0].ttl, 0xffffffff);
    assert_int_equal(ask_mood(s, DNS_TTL_HUGE, DNS_A)->records[0].ttl, 0x7fffffff);
}

static void the_first_of_two_addresses_may_be_dead(void **state)
{
    struct setup *s = *state;
    const struct answer *a = ask_mood(s, DNS_DEAD_FIRST, DNS_A);
    assert_int_equal(a->answers, 2);
    assert_int_equal(a->records[0].address, ADDRESS_REFUSING);
    assert_int_equal(a->records[1].address, 0x7f090000 + DNS_DEAD_FIRST);
    a = ask_mood(s, DNS_TRAP_SECOND, DNS_A);
    assert_int_equal(a->answers, 2);
    assert_int_equal(a->records[0].address, ADDRESS_REFUSING);
    assert_int_equal(a->records[1].address, ADDRESS_TRAP);
}

static void a_liar_answers_what_nobody_asked(void **state)
{
    struct setup *s = *state;
    char name[16];
    snprintf(name, sizeof name, "m%d.test", DNS_LIES);
    for (int i = 0; i < 4; i++) {
        const struct answer *a = ask(s, name, DNS_A);
        bool other_id = a->id != ID, other_name = strcmp(a->asked, name) != 0;
        assert_true(other_id != other_name);
        assert_int_equal(other_id, i % 2 == 0);
        assert_int_equal(a->records[0].address, ADDRESS_TRAP);
        assert_string_equal(a->records[0].name, a->asked);
        assert_string_equal(s->seen.name, name); /* the witness hears what was asked */
    }
}

/* Every name is a host that rebinds. */
static bool any_host(void *ctx, struct str name, struct mood *ret_mood, uint32_t *ret_address)
{
    (void)ctx, (void)name;
    *ret_mood = (struct mood){.dns = DNS_REBIND};
    *ret_address = 5;
    return true;
}

static void many_hosts_are_counted_apart(void **state)
{
    (void)state;
    struct names_settings settings = {.suffix = STR("test")};
    struct setup s = {.names = names_open(&settings, (struct names_asks){.host = any_host})};
    for (uint32_t round = 0; round < 2; round++)
        for (int i = 0; i < 2000; i++) {
            char name[16];
            snprintf(name, sizeof name, "h%d.test", i);
            assert_int_equal(ask(&s, name, DNS_A)->records[0].address, round ? ADDRESS_TRAP : 5);
        }
    names_close(s.names);
}

static enum rc live(void *ctx)
{
    (void)ctx;
    struct names_settings settings = {.suffix = STR("test")};
    struct names *n = names_open(&settings, (struct names_asks){.host = any_host});
    struct buf question, out;
    if (!n)
        return RC_NOMEM;
    buf_init(&question, 1000);
    buf_init(&out, DNS_MAX_BYTES);
    enum rc rc = RC_OK;
    put_question(&question, "a.test", DNS_A, 1232);
    if (question.rc)
        rc = question.rc;
    else if (names_answer(n, buf_str(&question), true, &out) == NAMES_NEVER)
        rc = out.rc;
    assert_true(rc == RC_OK || out.n == 0);
    buf_done(&question);
    buf_done(&out);
    names_close(n);
    return rc;
}

static void without_memory_there_is_no_answer(void **state)
{
    (void)state;
    test_each_allocation_fails(live, NULL);
}

#define WITH_NAMES(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_NAMES(an_ordinary_host_has_one_address),
        WITH_NAMES(other_names_do_not_exist_or_are_none_of_ours),
        WITH_NAMES(what_is_no_question_gets_no_answer),
        WITH_NAMES(bad_moods_answer_late_or_badly_or_not),
        WITH_NAMES(a_rebinding_name_is_right_once),
        WITH_NAMES(addresses_that_are_not_for_the_public),
        WITH_NAMES(addresses_of_the_longer_kind),
        cmocka_unit_test(a_machine_without_v6_is_not_named_by_it),
        WITH_NAMES(a_chain_leads_over_three_names),
        WITH_NAMES(a_loop_leads_back),
        WITH_NAMES(a_thousand_addresses_are_cut_over_udp_and_whole_over_tcp),
        WITH_NAMES(ttls_may_be_nothing_or_too_much),
        WITH_NAMES(the_first_of_two_addresses_may_be_dead),
        WITH_NAMES(a_liar_answers_what_nobody_asked),
        cmocka_unit_test(many_hosts_are_counted_apart),
        cmocka_unit_test(without_memory_there_is_no_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
