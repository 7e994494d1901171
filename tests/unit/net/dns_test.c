/* SPDX-License-Identifier: Apache-2.0 */
/* The whole resolver against a name server in the same loop, under a simulated clock: what is kept
 * and how long, which asker is told what, and what happens when nothing comes. */
#include "net/dns.h"

#include "base/mem.h"
#include "dns_script.h"
#include "lib/test.h"

#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_TURNS = 200000 };
#define SECOND UINT64_C(1000)
#define MINUTE (60 * SECOND)
#define HOUR (60 * MINUTE)

struct world {
    struct clock_simulated clock;
    struct loop loop;
    struct dns_script server;
    struct dns_settings settings;
    struct dns *dns;
    char resolver[128];
};

struct asker {
    struct dns_query query;
    struct world *world;
    int told;
    struct dns_result result;
    const char *then; /* asked from within `done` */
    struct asker *next;
    struct asker *cancels; /* from within `done` */
};

static void settings_default(struct world *w)
{
    struct arena *arena = arena_open(4096, 1 << 16);
    assert_non_null(arena);
    assert_rc(options_default(dns_options, &w->settings, arena), RC_OK);
    arena_close(arena);
    w->settings.timeout_ms = 1000;
    (void)snprintf(w->resolver, sizeof w->resolver, "127.0.0.1:%u", w->server.port);
    w->settings.resolver = str_c(w->resolver);
}

static void world_begin(struct world *w, const struct dns_row *rows)
{
    memset(w, 0, sizeof *w);
    clock_simulated_init(&w->clock, 1000, 0);
    assert_rc(loop_init(&w->loop, &w->clock.clock), RC_OK);
    dns_script_begin(&w->server, &w->loop, rows);
    settings_default(w);
}

static void world_open(struct world *w)
{
    struct buf why = {.max = 1000};
    assert_rc(dns_open(&w->loop, &w->settings, &w->dns, &why), RC_OK);
    buf_done(&why);
}

static void world_end(struct world *w)
{
    dns_close(w->dns);
    dns_script_end(&w->server);
    loop_done(&w->loop);
}

static void told(struct dns_query *q, const struct dns_result *r)
{
    struct asker *a = EVENT_OF(q, struct asker, query);
    a->told++;
    a->result = *r;
    if (a->cancels)
        dns_cancel(a->world->dns, &a->cancels->query);
    if (a->then)
        assert_rc(dns_ask(a->world->dns, str_c(a->then), &a->next->query), RC_OK);
}

static void ask(struct world *w, struct asker *a, const char *name)
{
    *a = (struct asker){.query.done = told, .world = w, .then = a->then, .next = a->next};
    assert_rc(dns_ask(w->dns, str_c(name), &a->query), RC_OK);
}

/* The clock stands still while there is anything on the wire. */
static void settle(struct world *w, const struct asker *a)
{
    struct pollfd any = {.fd = w->loop.epoll_fd, .events = POLLIN};
    for (int i = 0; i < MAX_TURNS && !a->told; i++) {
        if (!loop_run(&w->loop))
            poll(&any, 1, 1);
    }
    assert_int_equal(a->told, 1);
}

/* Time jumps from timer to timer until there is an answer. */
static void wait_out(struct world *w, const struct asker *a)
{
    for (int i = 0; i < MAX_TURNS && !a->told; i++) {
        if (!loop_run(&w->loop) && loop_next_ms(&w->loop) > w->clock.now)
            w->clock.now = loop_next_ms(&w->loop);
    }
    assert_int_equal(a->told, 1);
}

static enum dns_outcome ask_and_settle(struct world *w, struct asker *a, const char *name)
{
    ask(w, a, name);
    settle(w, a);
    return a->result.outcome;
}

static void pass(struct world *w, uint64_t ms)
{
    clock_simulated_advance(&w->clock, ms);
    loop_run(&w->loop);
}

static void assert_addresses(const struct asker *a, const char *expected)
{
    struct buf got = {.max = 1000};
    for (uint32_t i = 0; i < a->result.count; i++) {
        if (i)
            buf_byte(&got, ' ');
        address_print(&a->result.addresses[i], &got);
    }
    assert_str(buf_str(&got), str_c(expected));
    buf_done(&got);
}

/* Kept so long, and not a millisecond longer. */
static void assert_kept(struct world *w, const char *name, uint64_t ms)
{
    struct asker a = {0};
    ask_and_settle(w, &a, name);
    assert_int_equal(a.result.until_ms, w->loop.now_ms + ms);
    size_t seen = w->server.seen;
    pass(w, ms - 1);
    ask_and_settle(w, &a, name);
    assert_int_equal(w->server.seen, seen);
    pass(w, 1);
    ask_and_settle(w, &a, name);
    assert_true(w->server.seen > seen);
}

static const struct dns_row ttl_rows[] = {
    {.name = "usual.test", .ttl_s = 120, .a = 1},
    {.name = "brief.test", .ttl_s = 0, .a = 1},
    {.name = "eternal.test", .ttl_s = INT32_MAX, .a = 1},
    {.name = "beyond.test", .ttl_s = UINT32_C(1) << 31, .a = 1},
    {.name = "gone.test",
     .rcode = DNS_RCODE_NXDOMAIN,
     .has_soa = true,
     .soa_ttl_s = 500,
     .soa_minimum_s = 200},
    {.name = "gone2.test",
     .rcode = DNS_RCODE_NXDOMAIN,
     .has_soa = true,
     .soa_ttl_s = 90,
     .soa_minimum_s = 200},
    {.name = "gone3.test", .rcode = DNS_RCODE_NXDOMAIN},
    {.name = "gone4.test",
     .rcode = DNS_RCODE_NXDOMAIN,
     .has_soa = true,
     .soa_ttl_s = 1 << 30,
     .soa_minimum_s = 1 << 30},
    {.name = "nodata.test", .has_soa = true, .soa_ttl_s = 300, .soa_minimum_s = 300},
    {.name = "broken.test", .rcode = DNS_RCODE_SERVFAIL},
    {.name = "refused.test", .rcode = DNS_RCODE_REFUSED},
    {0},
};

static void answers_are_kept_for_their_ttl_between_a_minute_and_a_day(void **state)
{
    (void)state;
    struct world w;
    world_begin(&w, ttl_rows);
    world_open(&w);
    assert_kept(&w, "usual.test", 120 * SECOND);
    assert_kept(&w, "brief.test", 1 * MINUTE);
    assert_kept(&w, "eternal.test", 24 * HOUR);
    assert_kept(&w, "beyond.test", 1 * MINUTE); /* RFC 2181: a TTL with its highest bit is 0 */
    world_end(&w);
}

static void names_that_are_not_there_are_kept_as_their_soa_says(void **state)
{
    (void)state;
    struct world w;
    struct asker a = {0};
    world_begin(&w, ttl_rows);
    world_open(&w);
    assert_kept(&w, "gone.test", 200 * SECOND);
    assert_kept(&w, "gone2.test", 90 * SECOND);
    assert_kept(&w, "gone3.test", 1 * MINUTE);
    assert_kept(&w, "gone4.test", 3 * HOUR);
    assert_kept(&w, "nodata.test", 300 * SECOND);
    assert_int_equal(ask_and_settle(&w, &a, "nodata.test"), DNS_NO_NAME);
    assert_int_equal(ask_and_settle(&w, &a, "gone.test"), DNS_NO_NAME);
    assert_int_equal(a.result.count, 0);
    world_end(&w);
}

static void failures_are_kept_for_a_short_while(void **state)
{
    (void)state;
    struct world w;
    struct asker a = {0};
    world_begin(&w, ttl_rows);
    w.settings.failed_ms = 7 * SECOND;
    world_open(&w);
    assert_kept(&w, "broken.test", 7 * SECOND);
    assert_kept(&w, "refused.test", 7 * SECOND);
    assert_int_equal(ask_and_settle(&w, &a, "broken.test"), DNS_FAILED);
    struct dns_counts c = dns_counts(w.dns);
    assert_int_equal(c.failed, 5);
    assert_int_equal(c.from_cache, 2);
    assert_int_equal(c.open, 0);
    world_end(&w);
}

static const struct dns_row family_rows[] = {
    {.name = "both.test", .ttl_s = 100, .a = 3, .aaaa = 2},
    {.name = "many.test", .ttl_s = 100, .a = 20, .aaaa = 20},
    {.name = "mostly6.test", .ttl_s = 100, .a = 1, .aaaa = 20},
    {.name = "mostly4.test", .ttl_s = 100, .a = 20, .aaaa = 1},
    {.name = "only6.test", .ttl_s = 100, .aaaa = 2},
    {.name = "half.test", .ttl_s = 1000, .a = 1, .silent_aaaa = true},
    {.name = "other.test", .ttl_s = 1000, .aaaa = 1, .silent_a = true},
    {.name = "halfgone.test", .rcode = DNS_RCODE_NXDOMAIN, .silent_aaaa = true},
    {.name = "halfdata.test", .silent_aaaa = true},
    {.name = "silent.test", .silent_a = true, .silent_aaaa = true},
    {.name = "good.test", .ttl_s = 100, .a = 1},
    {0},
};

static void families_take_turns_and_the_one_that_worked_goes_first(void **state)
{
    (void)state;
    struct world w;
    struct asker a = {0};
    world_begin(&w, family_rows);
    world_open(&w);
    ask_and_settle(&w, &a, "both.test");
    assert_addresses(&a, "10.0.0.1 fd00::1 10.0.0.2 fd00::2 10.0.0.3");
    dns_worked(w.dns, &a.result.addresses[1]);
    ask_and_settle(&w, &a, "both.test"); /* from the cache */
    assert_addresses(&a, "fd00::1 10.0.0.1 fd00::2 10.0.0.2 10.0.0.3");
    ask_and_settle(&w, &a, "mostly6.test");
    assert_addresses(&a, "fd00::1 10.0.0.1 fd00::2 fd00::3 fd00::4 fd00::5 fd00::6 fd00::7");
    dns_worked(w.dns, &a.result.addresses[1]);
    ask_and_settle(&w, &a, "many.test");
    assert_addresses(&a, "10.0.0.1 fd00::1 10.0.0.2 fd00::2 10.0.0.3 fd00::3 10.0.0.4 fd00::4");
    ask_and_settle(&w, &a, "mostly4.test");
    assert_addresses(&a, "10.0.0.1 fd00::1 10.0.0.2 10.0.0.3 10.0.0.4 10.0.0.5 10.0.0.6 10.0.0.7");
    ask_and_settle(&w, &a, "only6.test");
    assert_addresses(&a, "fd00::1 fd00::2");
    world_end(&w);
}

static void one_family_is_enough_when_the_other_is_silent(void **state)
{
    (void)state;
    struct world w;
    struct asker a = {0};
    world_begin(&w, family_rows);
    world_open(&w);
    static const char *const names[] = {"half.test", "other.test"};
    for (int i = 0; i < 2; i++) {
        ask(&w, &a, names[i]);
        uint64_t before = w.clock.now;
        wait_out(&w, &a);
        assert_int_equal(a.result.outcome, DNS_FOUND);
        assert_int_equal(a.result.count, 1);
        /* A silent server is asked again soon. */
        assert_int_equal(a.result.until_ms, w.loop.now_ms + MINUTE);
        assert_true(w.clock.now - before >= w.settings.timeout_ms);
    }
    ask(&w, &a, "halfgone.test");
    wait_out(&w, &a);
    assert_int_equal(a.result.outcome, DNS_NO_NAME);
    ask(&w, &a, "halfdata.test");
    wait_out(&w, &a);
    assert_int_equal(a.result.outcome, DNS_TIMEOUT);
    world_end(&w);
}

static void silence_ends_and_nobody_else_waits_for_it(void **state)
{
    (void)state;
    struct world w;
    struct asker silent = {0}, again = {0}, good = {0};
    world_begin(&w, family_rows);
    world_open(&w);
    ask(&w, &silent, "silent.test");
    ask_and_settle(&w, &good, "good.test");
    assert_int_equal(silent.told, 0);
    wait_out(&w, &silent);
    assert_int_equal(silent.result.outcome, DNS_TIMEOUT);
    size_t seen = w.server.seen;
    assert_int_equal(ask_and_settle(&w, &again, "silent.test"), DNS_TIMEOUT);
    assert_int_equal(w.server.seen, seen);
    world_end(&w); /* the library still holds its calls */
}

static void without_ipv6_only_a_is_asked_for(void **state)
{
    (void)state;
    struct world w;
    struct asker a = {0};
    world_begin(&w, family_rows);
    w.settings.no_v6 = true;
    world_open(&w);
    assert_int_equal(ask_and_settle(&w, &a, "both.test"), DNS_FOUND);
    assert_addresses(&a, "10.0.0.1 10.0.0.2 10.0.0.3");
    assert_int_equal(a.result.until_ms, w.loop.now_ms + 100 * SECOND);
    assert_int_equal(ask_and_settle(&w, &a, "only6.test"), DNS_NO_NAME);
    assert_int_equal(w.server.seen, 2);
    assert_int_equal(w.server.seen_v6, 0);
    world_end(&w);
}

static void those_who_ask_for_the_same_name_are_told_together(void **state)
{
    (void)state;
    struct world w;
    struct asker a[4] = {0};
    world_begin(&w, family_rows);
    world_open(&w);
    ask(&w, &a[0], "good.test");
    ask(&w, &a[1], "GOOD.test");
    ask(&w, &a[2], "good.test.");
    ask(&w, &a[3], "good.test");
    dns_cancel(w.dns, &a[1].query);
    a[2].cancels = &a[3];
    settle(&w, &a[2]);
    assert_int_equal(a[0].told, 1);
    assert_int_equal(a[1].told, 0);
    assert_int_equal(a[3].told, 0);
    assert_int_equal(w.server.seen, 2);
    struct dns_counts c = dns_counts(w.dns);
    assert_int_equal(c.asked, 4);
    assert_int_equal(c.joined, 3);
    assert_int_equal(c.found, 1);
    dns_cancel(w.dns, &a[0].query); /* told long ago: nothing happens */
    world_end(&w);
}

static void an_answer_that_nobody_waits_for_any_more_is_kept(void **state)
{
    (void)state;
    struct world w;
    struct asker gone = {0}, a = {0}, other = {0};
    world_begin(&w, family_rows);
    world_open(&w);
    ask(&w, &gone, "good.test");
    dns_cancel(w.dns, &gone.query);
    ask_and_settle(&w, &other, "both.test");
    ask_and_settle(&w, &a, "good.test");
    assert_int_equal(gone.told, 0);
    assert_int_equal(w.server.seen, 4);
    world_end(&w);
}

static void who_is_told_may_ask_again_at_once(void **state)
{
    (void)state;
    struct world w;
    struct asker third = {0}, second = {0}, first = {0};
    world_begin(&w, family_rows);
    world_open(&w);
    third = (struct asker){.query.done = told, .world = &w};
    second = (struct asker){.query.done = told, .world = &w, .then = "good.test", .next = &third};
    first.then = "both.test";
    first.next = &second;
    ask(&w, &first, "good.test");
    settle(&w, &third);
    assert_int_equal(first.told, 1);
    assert_int_equal(second.told, 1);
    assert_int_equal(second.result.count, 5);
    assert_int_equal(w.server.seen, 4);
    world_end(&w);
}

static void a_name_that_is_forgotten_is_asked_for_again(void **state)
{
    (void)state;
    struct world w;
    struct asker a = {0};
    world_begin(&w, family_rows);
    world_open(&w);
    ask_and_settle(&w, &a, "good.test");
    dns_forget(w.dns, STR("Good.TEST"));
    dns_forget(w.dns, STR("never-heard-of.test"));
    dns_forget(w.dns, STR("no name"));
    ask_and_settle(&w, &a, "good.test");
    assert_int_equal(w.server.seen, 4);
    world_end(&w);
}

static void addresses_are_answered_at_once_and_other_numbers_are_no_names(void **state)
{
    (void)state;
    struct world w;
    struct asker a = {0};
    world_begin(&w, family_rows);
    world_open(&w);
    ask(&w, &a, "127.1.2.3");
    assert_int_equal(a.told, 1);
    assert_addresses(&a, "127.1.2.3");
    assert_true(a.result.until_ms == LOOP_NEVER);
    ask(&w, &a, "[fd00::7]");
    assert_addresses(&a, "fd00::7");
    static const char *const wrong[] = {
        "127.1", "0x7f.0.0.1",          "1",   "a.1", "", ".", "a..b", "[::1", "a b.test",
        "a/b",   "ex\xc3\xa4mple.test", "a:80"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_rc(dns_ask(w.dns, str_c(wrong[i]), &a.query), RC_INVALID);
    assert_int_equal(w.server.seen, 0);
    world_end(&w);
}

static void only_so_many_names_are_kept_those_used_last(void **state)
{
    (void)state;
    static const struct dns_row rows[] = {{.name = "*", .ttl_s = 1000, .a = 1}, {0}};
    struct world w;
    struct asker a = {0};
    world_begin(&w, rows);
    w.settings.cache_names = 2;
    world_open(&w);
    ask_and_settle(&w, &a, "one.test");
    ask_and_settle(&w, &a, "two.test");
    ask_and_settle(&w, &a, "one.test");
    ask_and_settle(&w, &a, "three.test"); /* two.test has to go */
    assert_int_equal(w.server.seen, 6);
    ask_and_settle(&w, &a, "one.test");
    assert_int_equal(w.server.seen, 6);
    ask_and_settle(&w, &a, "two.test");
    assert_int_equal(w.server.seen, 8);
    assert_int_equal(dns_counts(w.dns).names, 2);
    world_end(&w);
}

/* More than are sent at once, so that some wait. */
static void thousands_of_names_at_once_are_all_answered(void **state)
{
    (void)state;
    static const struct dns_row rows[] = {{.name = "*", .ttl_s = 1000, .a = 1}, {0}};
    enum { NAMES = 2500 };
    struct world w;
    struct asker *askers = calloc(NAMES, sizeof *askers);
    assert_non_null(askers);
    world_begin(&w, rows);
    w.settings.no_v6 = true;
    w.settings.tries = 10;
    w.loop.clock = clock_real(); /* should a datagram be lost, time must pass */
    loop_run(&w.loop);
    world_open(&w);
    for (int i = 0; i < NAMES; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "n%d.test", i);
        ask(&w, &askers[i], name);
    }
    assert_int_equal(dns_counts(w.dns).open, NAMES);
    for (int i = 0; i < NAMES; i++) {
        settle(&w, &askers[i]);
        assert_int_equal(askers[i].result.outcome, DNS_FOUND);
    }
    assert_int_equal(dns_counts(w.dns).open, 0);
    world_end(&w);
    free(askers);
}

static void lies_are_ignored_and_the_truth_behind_them_is_believed(void **state)
{
    (void)state;
    static const struct dns_row rows[] = {
        {.name = "lied.test", .ttl_s = 100, .a = 1, .aaaa = 1, .lies_first = true}, {0}};
    struct world w;
    struct asker a = {0};
    world_begin(&w, rows);
    world_open(&w);
    assert_int_equal(ask_and_settle(&w, &a, "lied.test"), DNS_FOUND);
    assert_addresses(&a, "10.0.0.1 fd00::1");
    world_end(&w);
}

static void another_server_is_asked_when_the_first_fails(void **state)
{
    (void)state;
    static const struct dns_row failing[] = {{.name = "*", .rcode = DNS_RCODE_SERVFAIL}, {0}};
    struct world w;
    struct asker a = {0};
    struct dns_script second;
    world_begin(&w, failing);
    dns_script_begin(&second, &w.loop, family_rows);
    (void)snprintf(w.resolver, sizeof w.resolver, "127.0.0.1:%u, 127.0.0.1:%u", w.server.port,
                   second.port);
    w.settings.resolver = str_c(w.resolver);
    world_open(&w);
    assert_int_equal(ask_and_settle(&w, &a, "good.test"), DNS_FOUND);
    assert_int_equal(w.server.seen, 2);
    assert_int_equal(second.seen, 2);
    world_end(&w);
    dns_script_end(&second);
}

static void a_port_where_nobody_listens_is_a_failure(void **state)
{
    (void)state;
    struct world w;
    struct asker a = {0};
    struct dns_script gone;
    world_begin(&w, family_rows);
    dns_script_begin(&gone, &w.loop, family_rows);
    dns_script_end(&gone);
    (void)snprintf(w.resolver, sizeof w.resolver, "127.0.0.1:%u", gone.port);
    world_open(&w);
    ask(&w, &a, "good.test");
    wait_out(&w, &a);
    assert_true(a.result.outcome == DNS_FAILED || a.result.outcome == DNS_TIMEOUT);
    world_end(&w);
}

static void names_are_asked_for_as_they_are(void **state)
{
    (void)state;
    struct world w;
    struct asker a = {0};
    world_begin(&w, family_rows);
    assert_int_equal(setenv("LOCALDOMAIN", "search.test", 1), 0);
    world_open(&w);
    assert_int_equal(unsetenv("LOCALDOMAIN"), 0);
    assert_int_equal(ask_and_settle(&w, &a, "host"), DNS_NO_NAME);
    assert_int_equal(w.server.seen, 2);
    assert_string_equal(w.server.last_name, "host");
    assert_int_equal(ask_and_settle(&w, &a, "localhost"), DNS_NO_NAME);
    assert_int_equal(w.server.seen, 4); /* a resolver that was named is asked for everything */
    world_end(&w);
}

static void the_system_s_resolver_knows_this_machine_without_asking(void **state)
{
    (void)state;
    struct world w;
    struct asker a = {0};
    world_begin(&w, family_rows);
    w.settings.resolver = STR_NONE;
    world_open(&w);
    ask(&w, &a, "localhost");
    assert_int_equal(a.told, 1);
    assert_int_equal(address_kind(&a.result.addresses[0]), ADDRESS_LOOPBACK);
    ask(&w, &a, "any.LOCALHOST.");
    assert_addresses(&a, "127.0.0.1 ::1");
    world_end(&w);
}

static void resolvers_are_read_strictly(void **state)
{
    (void)state;
    static const char *const good[] = {"127.0.0.1",  "127.0.0.1:53",
                                       "::1",        "[::1]",
                                       "[::1]:5353", "127.0.0.1:1,[::1]:65535, 127.0.0.2"};
    static const char too_many[] =
        "1.1.1.1,1.1.1.1,1.1.1.1,1.1.1.1,1.1.1.1,1.1.1.1,1.1.1.1,1.1.1.1,"
        "1.1.1.1,1.1.1.1,1.1.1.1,1.1.1.1,1.1.1.1,1.1.1.1,1.1.1.1,1.1.1.1,"
        "1.1.1.1";
    static const char *const wrong[] = {
        "localhost", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:65536", "127.0.0.1:x", "[::1]53",
        "[::1",      ",",          "127.0.0.1,",  "127.1",           too_many};
    struct world w;
    world_begin(&w, family_rows);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        w.settings.resolver = str_c(good[i]);
        world_open(&w);
        dns_close(w.dns);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct buf why = {.max = 1000};
        w.settings.resolver = str_c(wrong[i]);
        w.dns = NULL;
        if (dns_open(&w.loop, &w.settings, &w.dns, &why) != RC_INVALID)
            fail_msg("\"%s\" was taken for a resolver", wrong[i]);
        assert_true(why.n > 0);
        buf_done(&why);
    }
    world_end(&w);
}

/* The library's memory comes through base/mem too, so that its failures are among them. It may then
 * fail the question instead of the call. */
static enum rc ask_once(void *ctx)
{
    struct world *w = ctx;
    struct asker a = {.query.done = told, .world = w};
    struct buf why = {.max = 1000};
    enum rc rc = dns_open(&w->loop, &w->settings, &w->dns, &why);
    if (!rc) {
        rc = dns_ask(w->dns, STR("both.test"), &a.query);
        if (!rc)
            wait_out(w, &a);
        if (!rc && a.result.outcome != DNS_FOUND)
            rc = RC_NOMEM;
        dns_close(w->dns);
    }
    buf_done(&why);
    return rc;
}

static void without_memory_nothing_breaks_or_is_lost(void **state)
{
    (void)state;
    struct world w;
    world_begin(&w, family_rows);
    struct timer room[4] = {0}; /* the loop's own heap keeps what it has grown to */
    for (int i = 0; i < 4; i++)
        assert_rc(loop_timer(&w.loop, &room[i], LOOP_NEVER), RC_OK);
    for (int i = 0; i < 4; i++)
        loop_timer_stop(&w.loop, &room[i]);
    test_each_allocation_fails(ask_once, &w);
    w.settings.resolver = STR_NONE;
    w.dns = NULL;
    world_end(&w);
}

/* Shards of a process, each with its own loop, channel and server. */
static void *shard(void *ctx)
{
    struct world *w = ctx;
    struct asker a = {0};
    world_begin(w, family_rows);
    world_open(w);
    for (int i = 0; i < 20; i++) {
        ask_and_settle(w, &a, "both.test");
        dns_forget(w->dns, STR("both.test"));
    }
    dns_close(w->dns);
    w->dns = NULL;
    world_open(w);
    ask_and_settle(w, &a, "good.test");
    world_end(w);
    return NULL;
}

static void shards_do_not_meet(void **state)
{
    (void)state;
    enum { SHARDS = 4 };
    pthread_t threads[SHARDS];
    struct world *worlds = calloc(SHARDS, sizeof *worlds);
    assert_non_null(worlds);
    for (int i = 0; i < SHARDS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, shard, &worlds[i]), 0);
    for (int i = 0; i < SHARDS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    free(worlds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_kept_for_their_ttl_between_a_minute_and_a_day),
        cmocka_unit_test(names_that_are_not_there_are_kept_as_their_soa_says),
        cmocka_unit_test(failures_are_kept_for_a_short_while),
        cmocka_unit_test(families_take_turns_and_the_one_that_worked_goes_first),
        cmocka_unit_test(one_family_is_enough_when_the_other_is_silent),
        cmocka_unit_test(silence_ends_and_nobody_else_waits_for_it),
        cmocka_unit_test(without_ipv6_only_a_is_asked_for),
        cmocka_unit_test(those_who_ask_for_the_same_name_are_told_together),
        cmocka_unit_test(an_answer_that_nobody_waits_for_any_more_is_kept),
        cmocka_unit_test(who_is_told_may_ask_again_at_once),
        cmocka_unit_test(a_name_that_is_forgotten_is_asked_for_again),
        cmocka_unit_test(addresses_are_answered_at_once_and_other_numbers_are_no_names),
        cmocka_unit_test(only_so_many_names_are_kept_those_used_last),
        cmocka_unit_test(thousands_of_names_at_once_are_all_answered),
        cmocka_unit_test(lies_are_ignored_and_the_truth_behind_them_is_believed),
        cmocka_unit_test(another_server_is_asked_when_the_first_fails),
        cmocka_unit_test(a_port_where_nobody_listens_is_a_failure),
        cmocka_unit_test(names_are_asked_for_as_they_are),
        cmocka_unit_test(the_system_s_resolver_knows_this_machine_without_asking),
        cmocka_unit_test(resolvers_are_read_strictly),
        cmocka_unit_test(without_memory_nothing_breaks_or_is_lost),
        cmocka_unit_test(shards_do_not_meet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
