/* SPDX-License-Identifier: Apache-2.0 */
/* The frontier against a model that is too simple to be wrong, and its rules one by one. */
#include "frontier/frontier.h"

#include "base/hash.h"
#include "base/rng.h"
#include "lib/test.h"

#include <stdio.h>

static const struct frontier_settings roomy = {.max_hosts = 100000, .max_host_queue = 100000};

/* URL `n` of host `h`, in a class; text that lasts as long as the call. */
static struct candidate url_of(unsigned h, unsigned n, unsigned class)
{
    static char host[32], path[64], whole[128];
    int host_n = snprintf(host, sizeof host, "host%u.test", h);
    int path_n = snprintf(path, sizeof path, "/page/%u", n);
    int whole_n = snprintf(whole, sizeof whole, "%s%s", host, path);
    struct str name = str_make(host, (size_t)host_n);
    return (struct candidate){
        .fingerprint = hash64(str_make(whole, (size_t)whole_n)),
        .host_hash = hash64(name),
        .host = name,
        .path = str_make(path, (size_t)path_n),
        .via = n,
        .port = (uint16_t)(n % 3 == 2 ? 8080 : 0),
        .is_https = n % 2 == 1,
        .class = (uint8_t) class,
        .seed_path = str_first(STR("LLRELXLRRRELLLP"), n % 15),
    };
}

static enum admitted admit(struct frontier *f, unsigned h, unsigned n, unsigned class,
                           uint64_t now_ms)
{
    struct candidate c = url_of(h, n, class);
    enum admitted ret;
    size_t done;
    assert_rc(frontier_admit(f, &c, 1, now_ms, &ret, &done), RC_OK);
    return ret;
}

static unsigned number_behind(struct str text, size_t skip)
{
    uint64_t v;
    struct str digits = str_from(text, skip);
    size_t n = 0;
    while (n < digits.n && ascii_is_digit(digits.p[n]))
        n++;
    assert_rc(str_to_u64(str_first(digits, n), &v), RC_OK);
    return (unsigned)v;
}

/* The model ---------------------------------------------------------------------------------- */

enum { HOSTS = 40, URLS = 60, MODEL_CLASSES = 3 };

struct model_url {
    unsigned n, class;
    uint64_t order;
};

struct model {
    struct model_url queue[HOSTS][URLS]; /* by order */
    unsigned count[HOSTS];
    bool seen[HOSTS][URLS];
    uint64_t due[HOSTS];
    bool out[HOSTS];
    struct checkout checkout[HOSTS];
    uint64_t next_order;
};

static void model_add(struct model *m, unsigned h, unsigned n, unsigned class)
{
    m->queue[h][m->count[h]++] = (struct model_url){n, class, m->next_order++};
    m->seen[h][n] = true;
}

/* The first of a class in a host's queue, or -1. */
static int model_head(const struct model *m, unsigned h, unsigned class)
{
    for (unsigned i = 0; i < m->count[h]; i++)
        if (m->queue[h][i].class == class)
            return (int)i;
    return -1;
}

/* Which host should be checked out for a class, or -1: ready, lowest order of its head. */
static int model_pick(const struct model *m, unsigned class, uint64_t now_ms)
{
    int best = -1;
    uint64_t best_order = UINT64_MAX;
    for (unsigned h = 0; h < HOSTS; h++) {
        int at = m->out[h] || m->due[h] > now_ms ? -1 : model_head(m, h, class);
        if (at >= 0 && m->queue[h][at].order < best_order) {
            best_order = m->queue[h][at].order;
            best = (int)h;
        }
    }
    return best;
}

static void model_remove(struct model *m, unsigned h, int at)
{
    m->count[h]--;
    for (unsigned i = (unsigned)at; i < m->count[h]; i++)
        m->queue[h][i] = m->queue[h][i + 1];
}

static void step_lend(struct model *m, struct frontier *f, unsigned class, uint64_t now_ms)
{
    int want = -1;
    unsigned found = class;
    for (unsigned i = 0; i < FRONTIER_CLASSES && want < 0; i++) {
        found = (class + i) % FRONTIER_CLASSES;
        want = model_pick(m, found, now_ms);
    }
    struct checkout l;
    enum rc rc = frontier_checkout(f, class, now_ms, &l);
    if (want < 0) {
        assert_rc(rc, RC_AGAIN);
        assert_true(frontier_due_ms(f) > now_ms);
        return;
    }
    assert_rc(rc, RC_OK);
    unsigned h = number_behind(l.host_name, 4);
    const struct model_url *u = &m->queue[h][model_head(m, h, found)];
    assert_int_equal(h, (unsigned)want);
    assert_int_equal(l.class, found);
    assert_int_equal(number_behind(l.path, 6), u->n);
    assert_true(l.via == u->n && l.is_https == (u->n % 2 == 1));
    assert_str(l.seed_path, str_first(STR("LLRELXLRRRELLLP"), u->n % 15));
    assert_int_equal(l.port, u->n % 3 == 2 ? 8080 : 0);
    assert_false(m->out[h]);
    m->out[h] = true;
    m->checkout[h] = l;
}

static void step_settle(struct model *m, struct frontier *f, struct rng *r, unsigned h,
                        uint64_t now_ms)
{
    enum checkin how = (enum checkin)rng_below(r, 3);
    uint64_t due = now_ms + rng_below(r, 30);
    unsigned class = m->checkout[h].class;
    int at = model_head(m, h, class);
    unsigned of_class = 0;
    for (unsigned i = 0; i < m->count[h]; i++)
        of_class += m->queue[h][i].class == class;
    frontier_checkin(f, &m->checkout[h], how, due);
    if (how == CHECKIN_DONE) {
        model_remove(m, h, at);
    } else if (how == CHECKIN_LAST && of_class > 1) {
        struct model_url u = m->queue[h][at];
        model_remove(m, h, at);
        u.order = m->next_order++;
        m->queue[h][m->count[h]++] = u;
    }
    m->out[h] = false;
    if (due > m->due[h])
        m->due[h] = due;
}

static void step_hold(struct model *m, struct frontier *f, unsigned h, uint64_t due)
{
    struct candidate c = url_of(h, 0, 0);
    struct host *host = frontier_host(f, c.host_hash, c.host);
    if (!host)
        return;
    frontier_hold(f, host, due);
    if (due > m->due[h])
        m->due[h] = due;
}

static void compare_counts(const struct model *m, const struct frontier *f)
{
    struct frontier_counts c = frontier_counts(f);
    uint64_t queued = 0, out = 0;
    for (unsigned h = 0; h < HOSTS; h++) {
        queued += m->count[h];
        out += m->out[h];
    }
    assert_int_equal(c.queued, queued);
    assert_int_equal(c.out, out);
    assert_true(c.waiting + c.ready + c.out <= c.hosts);
}

static void it_does_what_a_simple_model_does(void **state)
{
    (void)state;
    static struct model m;
    struct rng r;
    rng_init(&r, test_seed(1));
    for (int round = 0; round < 20; round++) {
        struct frontier *f = frontier_open(&roomy, 0, 1);
        uint64_t now_ms = 1000;
        memset(&m, 0, sizeof m);
        for (int step = 0; step < 4000; step++) {
            unsigned h = (unsigned)rng_below(&r, HOSTS), n = (unsigned)rng_below(&r, URLS);
            unsigned class = (unsigned)rng_below(&r, MODEL_CLASSES);
            switch (rng_below(&r, 6)) {
            case 0:
            case 1:
                assert_int_equal(admit(f, h, n, class, now_ms),
                                 m.seen[h][n] ? ADMITTED_KNOWN : ADMITTED_NEW);
                if (!m.seen[h][n])
                    model_add(&m, h, n, class);
                break;
            case 2:
            case 3:
                step_lend(&m, f, class, now_ms);
                break;
            case 4:
                if (m.out[h])
                    step_settle(&m, f, &r, h, now_ms);
                break;
            default:
                if (rng_below(&r, 10) == 0)
                    step_hold(&m, f, h, now_ms + rng_below(&r, 50));
                now_ms += rng_below(&r, 4);
            }
            compare_counts(&m, f);
        }
        frontier_close(f);
    }
}

/* Rules -------------------------------------------------------------------------------------- */

static void one_host_is_never_lent_twice(void **state)
{
    (void)state;
    struct frontier *f = frontier_open(&roomy, 0, 1);
    struct checkout a, b;
    for (unsigned n = 0; n < 5; n++)
        assert_int_equal(admit(f, 1, n, n % 2, 0), ADMITTED_NEW);
    assert_rc(frontier_checkout(f, 0, 0, &a), RC_OK);
    assert_rc(frontier_checkout(f, 0, 1000, &b), RC_AGAIN);
    assert_int_equal(frontier_due_ms(f), UINT64_MAX);
    frontier_checkin(f, &a, CHECKIN_DONE, 500);
    assert_int_equal(frontier_due_ms(f), 500);
    assert_rc(frontier_checkout(f, 0, 499, &b), RC_AGAIN);
    assert_rc(frontier_checkout(f, 0, 500, &b), RC_OK);
    frontier_close(f);
}

static void a_host_that_is_full_takes_no_more_and_forgets_what_it_refused(void **state)
{
    (void)state;
    struct frontier_settings tight = {.max_hosts = 2, .max_host_queue = 2};
    struct frontier *f = frontier_open(&tight, 0, 1);
    struct checkout l;
    assert_int_equal(admit(f, 1, 0, 0, 0), ADMITTED_NEW);
    assert_int_equal(admit(f, 1, 1, 0, 0), ADMITTED_NEW);
    assert_int_equal(admit(f, 1, 2, 0, 0), ADMITTED_HOST_FULL);
    assert_int_equal(admit(f, 1, 1, 0, 0), ADMITTED_KNOWN);
    assert_int_equal(admit(f, 2, 0, 0, 0), ADMITTED_NEW);
    assert_int_equal(admit(f, 3, 0, 0, 0), ADMITTED_HOSTS_FULL);
    assert_rc(frontier_checkout(f, 0, 0, &l), RC_OK);
    frontier_checkin(f, &l, CHECKIN_DONE, 0);
    assert_int_equal(admit(f, 1, 2, 0, 0), ADMITTED_NEW);
    frontier_close(f);
}

static void a_host_has_so_many_bytes_of_queue(void **state)
{
    (void)state;
    enum { MOST_BYTES = 64 << 10 };
    struct frontier_settings tight = roomy;
    tight.max_host_queue_bytes = MOST_BYTES;
    struct frontier *f = frontier_open(&tight, 0, 1);
    struct candidate c = url_of(1, 0, 0);
    struct checkout l;
    unsigned n = 0;
    while (n < 10000 && admit(f, 1, n, 0, 0) == ADMITTED_NEW)
        n++;
    struct host *h = frontier_host(f, c.host_hash, c.host);
    assert_int_equal(host_queued(h), n);
    assert_true(n > 100 && n < 10000);
    assert_in_range(host_queue_bytes(h), MOST_BYTES, MOST_BYTES + 8192);
    assert_true(frontier_host_is_full(f, h, 0, 0));
    assert_int_equal(admit(f, 2, 0, 0, 0), ADMITTED_NEW); /* another host has its own */
    assert_false(frontier_host_is_full(
        f, frontier_host(f, url_of(2, 0, 0).host_hash, url_of(2, 0, 0).host), 0, 0));
    for (unsigned i = 0; i < n; i++) { /* what leaves the queue makes room */
        assert_rc(frontier_checkout(f, 0, 0, &l), RC_OK);
        frontier_checkin(f, &l, CHECKIN_DONE, 0);
    }
    assert_false(frontier_host_is_full(f, h, 0, 0));
    assert_true(frontier_host_is_full(f, h, roomy.max_host_queue, 0));
    assert_true(frontier_host_is_full(f, h, 0, MOST_BYTES));
    assert_int_equal(admit(f, 1, n, 0, 0), ADMITTED_NEW);
    frontier_close(f);
}

struct extra {
    int *freed;
};

static void count_free(void *extra)
{
    ++*((struct extra *)extra)->freed;
}

static void what_others_keep_on_a_host_goes_with_it(void **state)
{
    (void)state;
    int freed = 0;
    struct extra mine = {&freed};
    struct frontier *f = frontier_open(&roomy, 0, 1);
    struct candidate c = url_of(1, 0, 0);
    assert_int_equal(admit(f, 1, 0, 0, 0), ADMITTED_NEW);
    c = url_of(1, 0, 0);
    struct host *h = frontier_host(f, c.host_hash, c.host);
    assert_non_null(h);
    assert_str(host_name(h), c.host);
    assert_true(host_hash(h) == c.host_hash && host_queued(h) == 1);
    host_set_extra(h, &mine, count_free);
    assert_ptr_equal(host_extra(h), &mine);
    frontier_close(f);
    assert_int_equal(freed, 1);
}

static enum rc every_step(void *ctx)
{
    (void)ctx;
    struct frontier *f = frontier_open(&roomy, 0, 1);
    struct checkout l;
    enum rc rc = f ? RC_OK : RC_NOMEM;
    for (unsigned i = 0; i < 120 && rc == RC_OK; i++) {
        struct candidate c = url_of(i % 17, i, i % 3);
        enum admitted what;
        size_t done;
        struct frontier_counts before = frontier_counts(f);
        rc = frontier_admit(f, &c, 1, 0, &what, &done);
        struct frontier_counts after = frontier_counts(f);
        assert_int_equal(after.queued, before.queued + (rc == RC_OK));
        assert_int_equal(after.known, before.known + (rc == RC_OK));
    }
    for (unsigned i = 0; i < 40 && rc == RC_OK; i++)
        if (frontier_checkout(f, 0, i, &l) == RC_OK)
            frontier_checkin(f, &l, (enum checkin)(i % 3), i + 3);
    frontier_close(f);
    return rc;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    test_each_allocation_fails(every_step, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_host_is_never_lent_twice),
        cmocka_unit_test(a_host_that_is_full_takes_no_more_and_forgets_what_it_refused),
        cmocka_unit_test(a_host_has_so_many_bytes_of_queue),
        cmocka_unit_test(what_others_keep_on_a_host_goes_with_it),
        cmocka_unit_test(it_does_what_a_simple_model_does),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("frontier", tests, NULL, NULL);
}
