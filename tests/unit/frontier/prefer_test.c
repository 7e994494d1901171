/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts that the frontier's owner prefers: they come first, within FRONTIER_MAX_BYPASS sequence
 * numbers of the lowest head; every URL is checked out; without a preference nothing changes. */
#include "frontier/frontier.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/rng.h"
#include "lib/test.h"

#include <stdio.h>

enum { HOSTS = 50, URLS = 300 };

static const struct frontier_settings roomy = {.max_hosts = 1000, .max_host_queue = 100000};

/* The owner: which hosts it prefers, and what it was asked. */
struct owner {
    bool warm[HOSTS];
    unsigned asked;
};

static unsigned host_number(struct str name)
{
    uint64_t v = 0;
    for (size_t i = 1; i < name.n && ascii_is_digit(name.p[i]); i++)
        v = v * 10 + (uint64_t)(name.p[i] - '0');
    return (unsigned)v;
}

static bool is_warm(void *ctx, struct str host, uint16_t port, bool is_https)
{
    struct owner *o = ctx;
    o->asked++;
    assert_true(is_https && port == 8443);
    return o->warm[host_number(host)];
}

static enum rc try_admit(struct frontier *f, unsigned h, unsigned n, unsigned class,
                         uint64_t now_ms)
{
    char host[16], path[16];
    int host_n = snprintf(host, sizeof host, "h%u.test", h);
    int path_n = snprintf(path, sizeof path, "/%u", n);
    struct candidate c = {.fingerprint = (uint64_t)h << 32 | (n + 1),
                          .host_hash = hash64(str_make(host, (size_t)host_n)),
                          .host = str_make(host, (size_t)host_n),
                          .path = str_make(path, (size_t)path_n),
                          .port = 8443,
                          .is_https = true,
                          .class = (uint8_t) class};
    enum admitted ret;
    size_t done;
    return frontier_admit(f, &c, 1, now_ms, &ret, &done);
}

static void admit(struct frontier *f, unsigned h, unsigned n, uint64_t now_ms)
{
    assert_rc(try_admit(f, h, n, 0, now_ms), RC_OK);
}

static unsigned next_host(struct frontier *f, uint64_t now_ms)
{
    struct checkout l;
    assert_rc(frontier_checkout(f, 0, now_ms, &l), RC_OK);
    return host_number(l.host_name);
}

/* The model: each host's queue as sequence numbers, in order. ---------------------------------- */

struct model {
    uint64_t queue[HOSTS][URLS];
    unsigned first[HOSTS], count[HOSTS]; /* first: how many are done */
    uint64_t due[HOSTS];
    bool out[HOSTS];
    struct checkout checkout[HOSTS];
    uint64_t next_sequence;
    unsigned left;
};

static bool is_ready(const struct model *m, unsigned h, uint64_t now_ms)
{
    return !m->out[h] && m->first[h] < m->count[h] && m->due[h] <= now_ms;
}

/* The lowest head of the hosts that are ready, or of those of them that are warm. */
static int lowest(const struct model *m, const struct owner *o, bool of_warm, uint64_t now_ms)
{
    int best = -1;
    for (unsigned h = 0; h < HOSTS; h++)
        if (is_ready(m, h, now_ms) && (!of_warm || o->warm[h]) &&
            (best < 0 || m->queue[h][m->first[h]] < m->queue[best][m->first[best]]))
            best = (int)h;
    return best;
}

static uint64_t head_of(const struct model *m, int h)
{
    return m->queue[h][m->first[h]];
}

static void take(struct model *m, struct frontier *f, const struct owner *o, bool exact,
                 uint64_t now_ms)
{
    struct checkout l;
    int low = lowest(m, o, false, now_ms), warm = lowest(m, o, true, now_ms);
    enum rc rc = frontier_checkout(f, 0, now_ms, &l);
    if (low < 0) {
        assert_rc(rc, RC_AGAIN);
        return;
    }
    assert_rc(rc, RC_OK);
    unsigned h = host_number(l.host_name);
    assert_true(is_ready(m, h, now_ms));
    assert_int_equal(l.sequence, head_of(m, (int)h));
    assert_true(l.sequence <= head_of(m, low) + FRONTIER_MAX_BYPASS);
    assert_true((int)h == low || o->warm[h]);
    bool is_near = warm >= 0 && head_of(m, warm) <= head_of(m, low) + FRONTIER_MAX_BYPASS;
    if (exact)
        assert_int_equal((int)h, is_near ? warm : low);
    m->out[h] = true;
    m->checkout[h] = l;
}

static void give_back(struct model *m, struct frontier *f, struct owner *o, struct rng *r,
                      unsigned h, uint64_t now_ms)
{
    bool is_done = rng_below(r, 8) > 0;
    m->due[h] = now_ms + 1 + rng_below(r, 20);
    o->warm[h] = rng_below(r, 3) == 0; /* as a request leaves it */
    frontier_checkin(f, &m->checkout[h], is_done ? CHECKIN_DONE : CHECKIN_AGAIN, m->due[h]);
    m->out[h] = false;
    m->first[h] += is_done;
    m->left -= is_done;
}

/* `exact`: hosts change only while they are out, so the frontier knows all. Otherwise they cool
 * down and warm up at any time, as connections are closed by servers. */
static void run_model(uint64_t seed, bool exact)
{
    static struct model m;
    struct owner o = {.asked = 0};
    struct rng r;
    rng_init(&r, seed);
    memset(&m, 0, sizeof m);
    m.next_sequence = 1;
    struct frontier *f = frontier_open(&roomy, 0, 1);
    frontier_prefer(f, (struct frontier_preference){is_warm, &o});
    uint64_t now_ms = 1000;
    for (unsigned step = 0; step < 60000 || m.left; step++) {
        unsigned h = (unsigned)rng_below(&r, HOSTS);
        assert_true(step < 1000000);
        if (step < 30000 && rng_below(&r, 3) == 0 && m.count[h] < URLS) {
            m.queue[h][m.count[h]] = m.next_sequence++;
            admit(f, h, m.count[h]++, now_ms);
            m.left++;
        }
        take(&m, f, &o, exact, now_ms);
        if (m.out[h])
            give_back(&m, f, &o, &r, h, now_ms);
        unsigned other = (unsigned)rng_below(&r, HOSTS);
        if (!exact && rng_below(&r, 4) == 0)
            o.warm[other] = !o.warm[other];
        now_ms += rng_below(&r, 3);
    }
    assert_int_equal(frontier_counts(f).queued, 0);
    frontier_close(f);
}

static void warm_hosts_come_first_within_the_bound(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < (TEST_IS_EMULATED ? 1 : 3); i++)
        run_model(test_seed(i + 1), true);
}

static void order_holds_within_the_bound_whatever_cools_down(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < (TEST_IS_EMULATED ? 1 : 3); i++)
        run_model(test_seed(i + 10), false);
}

/* The rules, one by one. ----------------------------------------------------------------------- */

static void a_warm_host_beyond_the_bound_waits(void **state)
{
    (void)state;
    struct owner o = {.warm = {[2] = true, [3] = true}};
    struct frontier *f = frontier_open(&roomy, 0, 1);
    frontier_prefer(f, (struct frontier_preference){is_warm, &o});
    admit(f, 0, 0, 0); /* sequence 1 */
    for (unsigned n = 0; n < FRONTIER_MAX_BYPASS - 1; n++)
        admit(f, 1, n, 0); /* 2 … 1,000 */
    admit(f, 2, 0, 0);     /* 1,001: within it */
    admit(f, 3, 0, 0);     /* 1,002: beyond it */
    assert_int_equal(next_host(f, 0), 2);
    assert_int_equal(next_host(f, 0), 0);
    assert_int_equal(next_host(f, 0), 3); /* host 1's head is 2: now within it */
    assert_int_equal(next_host(f, 0), 1);
    frontier_close(f);
}

static void a_host_that_cooled_down_keeps_its_place(void **state)
{
    (void)state;
    struct owner o = {.warm = {[2] = true}};
    struct frontier *f = frontier_open(&roomy, 0, 1);
    frontier_prefer(f, (struct frontier_preference){is_warm, &o});
    for (unsigned h = 0; h < 4; h++)
        admit(f, h, 0, 0);
    o.warm[2] = false;
    for (unsigned h = 0; h < 4; h++)
        assert_int_equal(next_host(f, 0), h);
    frontier_close(f);
}

/* A preference that is taken back is not asked any more; hosts that had it are found all the
 * same. */
static void no_preference_asks_nothing(void **state)
{
    (void)state;
    struct owner o = {.warm = {[1] = true}};
    struct frontier *f = frontier_open(&roomy, 0, 1);
    frontier_prefer(f, (struct frontier_preference){is_warm, &o});
    admit(f, 0, 0, 0);
    admit(f, 1, 0, 0);
    unsigned asked = o.asked;
    frontier_prefer(f, (struct frontier_preference){0});
    admit(f, 2, 0, 0);
    assert_int_equal(next_host(f, 0), 0);
    assert_int_equal(next_host(f, 0), 1);
    assert_int_equal(next_host(f, 0), 2);
    assert_int_equal(o.asked, asked);
    frontier_close(f);
}

/* A host that waits in two classes stands in a heap of each. */
static void every_class_has_its_own(void **state)
{
    (void)state;
    struct owner o = {.warm = {[1] = true}};
    struct frontier *f = frontier_open(&roomy, 0, 1);
    struct checkout l;
    frontier_prefer(f, (struct frontier_preference){is_warm, &o});
    for (unsigned h = 0; h < 2; h++)
        for (unsigned class = 0; class < 2; class ++)
            assert_rc(try_admit(f, h, class, class, 0), RC_OK);
    assert_rc(frontier_checkout(f, 1, 0, &l), RC_OK);
    assert_int_equal(host_number(l.host_name), 1);
    assert_int_equal(l.class, 1);
    frontier_checkin(f, &l, CHECKIN_DONE, 5);
    assert_int_equal(next_host(f, 10), 1);
    assert_int_equal(next_host(f, 10), 0);
    frontier_close(f);
}

/* Without memory for the second heap a host is not preferred, and not lost either. */
static void without_memory_nothing_is_lost(void **state)
{
    (void)state;
    struct owner o = {.warm = {[1] = true}};
    for (unsigned fails = 1; fails < 20; fails++) {
        struct frontier *f = frontier_open(&roomy, 0, 1);
        frontier_prefer(f, (struct frontier_preference){is_warm, &o});
        admit(f, 0, 0, 0);
        mem_fault_at(fails);
        bool came = try_admit(f, 1, 0, 0, 0) == RC_OK;
        mem_fault_at(0);
        unsigned found = 0;
        struct checkout l;
        while (frontier_checkout(f, 0, 0, &l) == RC_OK)
            found++;
        assert_int_equal(found, 1 + came);
        frontier_close(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(warm_hosts_come_first_within_the_bound),
        cmocka_unit_test(order_holds_within_the_bound_whatever_cools_down),
        cmocka_unit_test(a_warm_host_beyond_the_bound_waits),
        cmocka_unit_test(a_host_that_cooled_down_keeps_its_place),
        cmocka_unit_test(no_preference_asks_nothing),
        cmocka_unit_test(every_class_has_its_own),
        cmocka_unit_test(without_memory_nothing_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
