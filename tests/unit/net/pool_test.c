/* SPDX-License-Identifier: Apache-2.0 */
/* The pool: how long connections are kept, which are closed when there are too many, and that a
 * connection on which the other end said anything is gone. Time is simulated. */
#include "net/pool.h"

#include "base/rng.h"
#include "lib/test.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

enum { START_MS = 1000000, KEEP_MS = 15000, UNUSED_MS = 5000 };

struct rig {
    struct clock_simulated clock;
    struct loop loop;
    struct pool pool;
    struct guard *guard;
};

static const struct pool_settings usual = {
    .most = 100, .most_at_address = 6, .keep_ms = KEEP_MS, .unused_ms = UNUSED_MS};

static void rig_init(struct rig *r, const struct pool_settings *s)
{
    static const struct str all[] = {{"all", 3}};
    struct option_list allow = {all, 1};
    struct buf why;
    buf_init(&why, 1000);
    clock_simulated_init(&r->clock, START_MS, START_MS);
    assert_rc(loop_init(&r->loop, &r->clock.clock), RC_OK);
    r->loop.now_ms = START_MS;
    assert_rc(pool_init(&r->pool, &r->loop, s), RC_OK);
    assert_rc(guard_open(&allow, &r->guard, &why), RC_OK);
    buf_done(&why);
}

static void rig_done(struct rig *r)
{
    pool_done(&r->pool);
    guard_close(r->guard);
    loop_done(&r->loop);
}

static void turn(struct rig *r)
{
    loop_collect(&r->loop);
    (void)loop_run(&r->loop);
}

static void advance(struct rig *r, uint64_t ms)
{
    clock_simulated_advance(&r->clock, ms);
    turn(r);
}

static struct http_origin origin_of(unsigned n)
{
    static char name[8][32];
    static unsigned next;
    char *to = name[next++ % 8];
    int bytes = snprintf(to, sizeof name[0], "h%u.test", n);
    return (struct http_origin){{to, (size_t)bytes}, 443, true};
}

static struct address address_of(unsigned n)
{
    return (struct address){.bytes = {127, 9, (unsigned char)(n >> 8), (unsigned char)n}};
}

/* Gives a connection to host `n` at address `at`; returns the other end. */
static int give(struct rig *r, unsigned n, unsigned at, uint64_t server_keep_ms)
{
    int ends[2];
    struct http_origin o = origin_of(n);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
    struct conn *c = conn_open(&r->loop, o.is_https, o.host, o.port);
    assert_non_null(c);
    c->watch.fd = ends[0];
    c->peer = address_of(at);
    c->server_keep_ms = server_keep_ms;
    pool_give(&r->pool, &c);
    assert_null(c);
    return ends[1];
}

static bool has(const struct rig *r, unsigned n)
{
    struct http_origin o = origin_of(n);
    return pool_has(&r->pool, &o);
}

static void expect(struct rig *r, unsigned n, uint64_t due_ms)
{
    struct http_origin o = origin_of(n);
    pool_expect(&r->pool, &o, due_ms, true);
}

/* No URL waits for its host. */
static void hope(struct rig *r, unsigned n, uint64_t due_ms)
{
    struct http_origin o = origin_of(n);
    pool_expect(&r->pool, &o, due_ms, false);
}

static bool take(struct rig *r, unsigned n, unsigned at)
{
    struct http_origin o = origin_of(n);
    struct address a = address_of(at);
    struct conn *c = pool_take(&r->pool, o.is_https, o.host, o.port, &a, 1, r->guard);
    bool found = c != NULL;
    conn_close(c);
    return found;
}

static uint64_t now(const struct rig *r)
{
    return r->loop.now_ms;
}

/* How long ---------------------------------------------------------------------------------- */

static void it_is_kept_until_after_the_turn_of_its_host(void **state)
{
    (void)state;
    enum told { NOTHING, CERTAIN, PERHAPS };
    static const struct {
        const char *name;
        uint64_t wait_ms; /* until the next request */
        uint64_t server_keep_ms;
        uint64_t kept_ms; /* 0 = it is closed at once */
        enum told told;
    } rows[] = {
        {"nothing is known", 0, 0, KEEP_MS, NOTHING},
        {"the host is due at once", 0, 0, KEEP_MS, CERTAIN},
        {"the host is due in a second", 1000, 0, 1000 + KEEP_MS, CERTAIN},
        {"the host is due in a minute", 60000, 0, 60000 + KEEP_MS, CERTAIN},
        {"the host is due in an hour", 3600000, 0, 0, CERTAIN},
        {"no URL waits", 1000, 0, 1000 + UNUSED_MS, PERHAPS},
        {"no URL waits for a host that is due in an hour", 3600000, 0, 0, PERHAPS},
        {"the server keeps it for less", 1000, 4000, 4000, CERTAIN},
        {"the server keeps it for less, and nothing is known", 0, 4000, 4000, NOTHING},
        {"the server keeps it for more", 1000, 60000, 1000 + KEEP_MS, CERTAIN},
        {"the server does not keep it until then", 5000, 4000, 0, CERTAIN},
        {"the server does not keep an unused one for long", 0, 1000, 1000, PERHAPS},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct rig r;
        rig_init(&r, &usual);
        int other = give(&r, 1, 1, rows[i].server_keep_ms);
        uint64_t due = now(&r) + rows[i].wait_ms;
        if (rows[i].told != NOTHING)
            (rows[i].told == CERTAIN ? expect : hope)(&r, 1, due);
        if (has(&r, 1) != (rows[i].kept_ms > 0))
            fail_msg("%s: at once", rows[i].name);
        if (rows[i].kept_ms) {
            advance(&r, rows[i].kept_ms - 1);
            if (!has(&r, 1))
                fail_msg("%s: closed too early", rows[i].name);
            advance(&r, 1);
        }
        if (has(&r, 1) || r.pool.count)
            fail_msg("%s: kept too long", rows[i].name);
        close(other);
        rig_done(&r);
    }
}

/* A timer that was set for a later one must not hold back an earlier one. */
static void each_is_closed_in_its_time(void **state)
{
    (void)state;
    struct rig r;
    int others[3];
    rig_init(&r, &usual);
    static const uint64_t waits[3] = {50000, 1000, 20000};
    for (unsigned i = 0; i < 3; i++) {
        others[i] = give(&r, i, i, 0);
        expect(&r, i, now(&r) + waits[i]);
    }
    advance(&r, 1000 + KEEP_MS);
    assert_true(has(&r, 0) && !has(&r, 1) && has(&r, 2));
    advance(&r, 19000);
    assert_true(has(&r, 0) && !has(&r, 2));
    advance(&r, 30000);
    assert_int_equal(r.pool.count, 0);
    for (unsigned i = 0; i < 3; i++)
        close(others[i]);
    rig_done(&r);
}

static void what_the_other_end_closes_is_gone_at_once(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r, &usual);
    int other = give(&r, 1, 1, 0), talks = give(&r, 2, 2, 0);
    expect(&r, 1, now(&r) + 1000);
    expect(&r, 2, now(&r) + 1000);
    close(other);
    turn(&r);
    assert_false(has(&r, 1));
    assert_true(has(&r, 2));
    assert_int_equal(send(talks, "x", 1, 0), 1);
    assert_false(take(&r, 2, 2)); /* seen though the loop has not looked */
    assert_int_equal(r.pool.count, 0);
    close(talks);
    rig_done(&r);
}

/* How many ---------------------------------------------------------------------------------- */

/* Of hosts that are asked in turn, the longest idle one is the next to be asked. */
static void the_one_needed_last_goes_first(void **state)
{
    (void)state;
    struct rig r;
    struct pool_settings s = usual;
    int others[5];
    s.most = 3;
    rig_init(&r, &s);
    for (unsigned i = 0; i < 3; i++) {
        others[i] = give(&r, i, i, 0);
        expect(&r, i, now(&r) + 1000 * (i + 1));
    }
    others[3] = give(&r, 3, 3, 0);
    expect(&r, 3, now(&r) + 9000); /* later than all others: it goes itself */
    assert_true(has(&r, 0) && has(&r, 1) && has(&r, 2) && !has(&r, 3));
    others[4] = give(&r, 4, 4, 0);
    expect(&r, 4, now(&r) + 500);
    assert_true(has(&r, 0) && has(&r, 1) && !has(&r, 2) && has(&r, 4));
    hope(&r, 0, now(&r));
    assert_true(pool_drop_one(&r.pool));
    assert_false(has(&r, 0)); /* no URL waits for it */
    assert_int_equal(r.pool.count, 2);
    for (unsigned i = 0; i < 5; i++)
        close(others[i]);
    rig_done(&r);
}

static void without_hints_the_longest_idle_one_goes_first(void **state)
{
    (void)state;
    struct rig r;
    struct pool_settings s = usual;
    int others[3];
    s.most = 2;
    rig_init(&r, &s);
    for (unsigned i = 0; i < 3; i++) {
        others[i] = give(&r, i, i, 0);
        advance(&r, 1);
        assert_true(r.pool.count <= 2);
    }
    assert_true(!has(&r, 0) && has(&r, 1) && has(&r, 2));
    for (unsigned i = 0; i < 3; i++)
        close(others[i]);
    rig_done(&r);
}

static void one_machine_has_so_many(void **state)
{
    (void)state;
    struct rig r;
    struct pool_settings s = usual;
    int others[9];
    s.most_at_address = 3;
    rig_init(&r, &s);
    for (unsigned i = 0; i < 8; i++) {
        others[i] = give(&r, i, i % 2, 0); /* four at each */
        expect(&r, i, now(&r) + 1000 + i);
    }
    assert_int_equal(r.pool.count, 6);
    assert_true(!has(&r, 6) && !has(&r, 7)); /* needed last at theirs */
    others[8] = give(&r, 8, 0, 0);
    advance(&r, 0); /* nothing was said of it: then it is the one to go */
    assert_true(!has(&r, 8) && has(&r, 0) && has(&r, 2) && has(&r, 4));
    for (unsigned i = 0; i < 9; i++)
        close(others[i]);
    rig_done(&r);
}

static void none_may_be_wanted(void **state)
{
    (void)state;
    struct rig r;
    struct pool_settings s = usual;
    s.most = 0;
    rig_init(&r, &s);
    close(give(&r, 1, 1, 0));
    assert_int_equal(r.pool.count, 0);
    expect(&r, 1, now(&r));
    assert_false(has(&r, 1));
    assert_false(pool_drop_one(&r.pool));
    rig_done(&r);
}

/* Everything by chance: the limits hold after every step that ends a request, and what is in the
 * pool is found by all of its ways. */
static void limits_hold_whatever_happens(void **state)
{
    (void)state;
    enum { HOSTS = 60, STEPS = TEST_IS_EMULATED ? 2000 : 20000 };
    struct rig r;
    struct rng rng;
    struct pool_settings s = {.most = 20, .most_at_address = 4, .keep_ms = 300, .unused_ms = 100};
    int others[HOSTS];
    rng_init(&rng, 7);
    rig_init(&r, &s);
    for (unsigned i = 0; i < HOSTS; i++)
        others[i] = -1;
    for (unsigned i = 0; i < STEPS; i++) {
        unsigned n = (unsigned)rng_below(&rng, HOSTS), at = n % 7;
        if (!take(&r, n, at) && others[n] >= 0) {
            close(others[n]);
            others[n] = -1;
        }
        if (others[n] >= 0)
            close(others[n]);
        others[n] = give(&r, n, at, rng_below(&rng, 3) ? 0 : 1 + rng_below(&rng, 500));
        if (rng_below(&rng, 4))
            (rng_below(&rng, 5) ? expect : hope)(&r, n, now(&r) + rng_below(&rng, 400));
        if (rng_below(&rng, 3) == 0)
            advance(&r, rng_below(&rng, 20));
        assert_true(r.pool.count <= s.most + 1);
        assert_true(r.pool.ends.count == r.pool.count && r.pool.uses.count == r.pool.count);
        unsigned found = 0, at_machine[7] = {0};
        for (unsigned h = 0; h < HOSTS; h++)
            if (has(&r, h)) {
                found++;
                at_machine[h % 7]++;
            }
        assert_int_equal(found, r.pool.count);
        for (unsigned m = 0; m < 7; m++)
            assert_true(at_machine[m] <= s.most_at_address + 1);
    }
    advance(&r, 1000);
    assert_int_equal(r.pool.count, 0);
    for (unsigned i = 0; i < HOSTS; i++)
        if (others[i] >= 0)
            close(others[i]);
    rig_done(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_kept_until_after_the_turn_of_its_host),
        cmocka_unit_test(each_is_closed_in_its_time),
        cmocka_unit_test(what_the_other_end_closes_is_gone_at_once),
        cmocka_unit_test(the_one_needed_last_goes_first),
        cmocka_unit_test(without_hints_the_longest_idle_one_goes_first),
        cmocka_unit_test(one_machine_has_so_many),
        cmocka_unit_test(none_may_be_wanted),
        cmocka_unit_test(limits_hold_whatever_happens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
