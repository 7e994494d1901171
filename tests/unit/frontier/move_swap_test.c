/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts that move while most of them are swapped to disk: a walk tells each once, whatever is loaded and
 * written meanwhile; and what is said of swapped hosts is done when they are loaded. */
#include "frontier/move.h"

#include "base/hash.h"
#include "base/rng.h"
#include "frontier/swap.h"
#include "frontier/swap_job.h"
#include "lib/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    HOSTS = 60,
    EACH = 12, /* URLs of a host */
    URLS = HOSTS * EACH,
    WALL = 1700000000,
    BUDGET = 12000,
    MOST_JOBS = 4096,
    MOST_STEPS = 100000
};
#define FOLDER "rest"

/* A frontier, a disk, and jobs on their way between the two ------------------------------------ */

struct place {
    struct frontier *frontier;
    struct disk *disk;
    struct swap_job *jobs[MOST_JOBS];
    size_t job_count;
    uint64_t now_ms;
    uint64_t looks, loads;
    char root[64];
};

static void send(void *ctx, struct swap_job *job)
{
    struct place *p = ctx;
    assert_true(p->job_count < MOST_JOBS);
    p->looks += job->what == SWAP_LOOK;
    p->loads += job->what == SWAP_READ;
    p->jobs[p->job_count++] = job;
}

static void open_place(struct place *p)
{
    static const struct frontier_settings tight = {.max_hosts = HOSTS,
                                                   .max_host_queue = URLS,
                                                   .memory_bytes = BUDGET,
                                                   .slice_ms = 5,
                                                   .recent_bytes = 1 << 20};
    memset(p, 0, sizeof *p);
    (void)snprintf(p->root, sizeof p->root, "move_rest.XXXXXX");
    assert_non_null(mkdtemp(p->root));
    assert_rc(disk_real_open(p->root, &p->disk), RC_OK);
    assert_rc(disk_mkdir(p->disk, FOLDER), RC_OK);
    p->frontier = frontier_open(&tight, 0, 1);
    assert_non_null(p->frontier);
    frontier_swap_begin(p->frontier, (struct swap_carrier){send, p}, 0);
    p->now_ms = 1000;
}

static enum rc remove_one(void *ctx, struct str name, bool is_folder)
{
    char path[300];
    (void)is_folder;
    (void)snprintf(path, sizeof path, FOLDER "/" STR_FMT, STR_ARG(name));
    return disk_unlink(ctx, path);
}

static void close_place(struct place *p)
{
    char path[100];
    for (size_t i = 0; i < p->job_count; i++)
        swap_job_close(p->jobs[i]);
    frontier_close(p->frontier);
    assert_rc(disk_list(p->disk, FOLDER, remove_one, p->disk), RC_OK);
    disk_close(p->disk);
    (void)snprintf(path, sizeof path, "%s/" FOLDER, p->root);
    (void)rmdir(path);
    (void)rmdir(p->root);
}

static struct snapshot_context context_of(const struct place *p)
{
    return (struct snapshot_context){
        .now_ms = p->now_ms, .wall_ms = p->now_ms + WALL, .most_wait_ms = 100000};
}

/* The first `count` jobs are done and come back. A file that is not used any more is removed, as
 * the ledger does it: a look that came too late would not find it. */
static void work(struct place *p, size_t count)
{
    struct snapshot_context c = context_of(p);
    for (size_t i = 0; i < count && p->job_count; i++) {
        struct swap_job *j = p->jobs[0];
        struct swap_file loaded;
        char path[SWAP_PATH_BYTES];
        unsigned bucket = j->bucket;
        memmove(p->jobs, p->jobs + 1, --p->job_count * sizeof *p->jobs);
        swap_job_do(p->disk, FOLDER, j);
        assert_rc(frontier_came(p->frontier, j, &c, &loaded), RC_OK);
        if (loaded.generation)
            assert_rc(disk_unlink(p->disk, swap_path(path, FOLDER, bucket, loaded.generation)),
                      RC_OK);
    }
}

static void turn(struct place *p, size_t jobs)
{
    struct snapshot_context c = context_of(p);
    bool more;
    work(p, jobs);
    assert_rc(frontier_rotate(p->frontier, &c, false, &more), RC_OK);
}

/* The small web -------------------------------------------------------------------------------- */

static struct candidate url_of(unsigned n)
{
    static char host[32], path[32];
    struct buf room = {.max = 1000};
    int host_n = snprintf(host, sizeof host, "host%u.test", n / EACH);
    int path_n = snprintf(path, sizeof path, "/%u", n);
    struct candidate c = {.host = str_make(host, (size_t)host_n),
                          .path = str_make(path, (size_t)path_n),
                          .class = (uint8_t)(n % FRONTIER_CLASSES),
                          .seed_path = STR("LL")};
    c.host_hash = hash64(c.host);
    assert_rc(move_fingerprint(c.host, false, 0, c.path, &room, &c.fingerprint), RC_OK);
    buf_done(&room);
    return c;
}

static enum admitted admit(struct place *p, unsigned n)
{
    struct candidate c = url_of(n);
    enum admitted what;
    size_t done;
    assert_rc(frontier_admit(p->frontier, &c, 1, p->now_ms, &what, &done), RC_OK);
    return what;
}

static bool is_swapped(struct place *p, unsigned host)
{
    return frontier_is_swapped(p->frontier, url_of(host * EACH).host_hash);
}

static void fill(struct place *p)
{
    for (unsigned n = 0; n < URLS; n++) { /* many come to hosts that are swapped by then */
        (void)admit(p, n / HOSTS + n % HOSTS * EACH);
        if (n % 8 == 0)
            turn(p, 10);
    }
    for (unsigned i = 0; i < 200; i++)
        turn(p, 10);
    assert_true(frontier_counts(p->frontier).swapped > 10);
}

static unsigned number_of(struct str name, unsigned from)
{
    uint64_t n = URLS;
    struct str digits = str_from(name, from);
    for (size_t i = 0; i < digits.n; i++)
        if (!ascii_is_digit(digits.p[i]))
            digits.n = i;
    assert_rc(str_to_u64(digits, &n), RC_OK);
    return (unsigned)n;
}

/* What was told: every third host is mine ------------------------------------------------------ */

struct told {
    unsigned hosts[HOSTS], urls[URLS], over[HOSTS];
    unsigned in; /* the host that is told */
    struct place *forget_in;
};

static bool is_mine_host(unsigned host)
{
    return host % 3 == 0;
}

static bool is_mine(void *ctx, uint64_t host_hash)
{
    (void)ctx;
    for (unsigned i = 0; i < HOSTS; i++)
        if (url_of(i * EACH).host_hash == host_hash)
            return is_mine_host(i);
    fail();
    return false;
}

static void take_host(void *ctx, const struct moving_host *h)
{
    struct told *t = ctx;
    t->in = number_of(h->name, 4);
    t->hosts[t->in]++;
}

static void take_url(void *ctx, const struct moving_url *u)
{
    struct told *t = ctx;
    unsigned n = number_of(u->path, 1);
    assert_int_equal(n / EACH, t->in);
    assert_true(u->fingerprint == url_of(n).fingerprint);
    t->urls[n]++;
}

static void take_over(void *ctx, uint64_t host_hash, struct str name, bool is_out)
{
    struct told *t = ctx;
    assert_false(is_out);
    t->over[number_of(name, 4)]++;
    if (t->forget_in)
        assert_rc(move_forget(t->forget_in->frontier, host_hash, name), RC_OK);
}

/* A URL is checked out now and then: mine is done, another's goes back, as a schedule does it. */
static void check_some_out(struct place *p, struct rng *rng, unsigned *done)
{
    struct checkout l;
    for (unsigned i = 0; i < 4 && frontier_checkout(p->frontier, 0, p->now_ms, &l) == RC_OK; i++) {
        bool mine = is_mine_host(number_of(l.host_name, 4));
        *done += mine;
        frontier_checkin(p->frontier, &l, mine ? CHECKIN_DONE : CHECKIN_AGAIN,
                         p->now_ms + 5 + rng_below(rng, 20));
    }
}

/* Everything happens between the steps of a walk. */
static void walk(struct place *p, struct told *t, struct rng *rng, size_t most, unsigned *done)
{
    struct move_walk w = {.looker = 1};
    struct move_taker taker = {is_mine, take_host, take_url, take_over, t};
    bool is_over = false;
    unsigned steps = 0, waits = 0;
    for (; steps < MOST_STEPS && !is_over; steps++) {
        struct snapshot_context c = context_of(p);
        w.looker = 1;
        assert_rc(move_step(p->frontier, &w, &c, &taker, most, &is_over), RC_OK);
        waits += w.waits;
        p->now_ms += rng_below(rng, 3);
        if (rng_below(rng, 2))
            check_some_out(p, rng, done);
        turn(p, rng_below(rng, 4));
    }
    assert_true(is_over && waits);
    move_walk_done(&w);
}

/* Until nothing is unsorted and nothing on its way. */
static void settle_all(struct place *p)
{
    unsigned done = 0;
    struct rng rng;
    rng_init(&rng, 1);
    for (unsigned i = 0; i < 20000 && frontier_counts(p->frontier).unsorted; i++) {
        p->now_ms++;
        check_some_out(p, &rng, &done);
        turn(p, 10);
    }
    assert_int_equal(frontier_counts(p->frontier).unsorted, 0);
}

/* Tests ---------------------------------------------------------------------------------------- */

static void a_walk_tells_each_host_once_whatever_is_loaded_or_written(void **state)
{
    (void)state;
    uint64_t looks = 0, loads = 0, all_done = 0;
    for (unsigned seed = 0; seed < 40; seed++) {
        struct place p;
        struct told t = {0};
        struct rng rng;
        unsigned done = 0;
        rng_init(&rng, test_seed(51) + seed);
        open_place(&p);
        fill(&p);
        p.loads = 0;
        walk(&p, &t, &rng, 1 + rng_below(&rng, seed % 2 ? 40 : 6), &done);
        for (unsigned i = 0; i < HOSTS; i++) {
            assert_int_equal(t.hosts[i], !is_mine_host(i));
            assert_int_equal(t.over[i], !is_mine_host(i));
        }
        for (unsigned n = 0; n < URLS; n++)
            assert_int_equal(t.urls[n], !is_mine_host(n / EACH));
        looks += p.looks;
        loads += p.loads;
        all_done += done;
        close_place(&p);
    }
    assert_true(looks > 400 && loads > 100 && all_done > 100); /* much went on meanwhile */
}

static void what_rests_and_was_handed_over_is_gone_when_loaded_and_can_come_back(void **state)
{
    (void)state;
    struct place p;
    struct told t = {.forget_in = &p};
    struct rng rng;
    unsigned done = 0, back = 0;
    rng_init(&rng, test_seed(52));
    open_place(&p);
    fill(&p);
    walk(&p, &t, &rng, 20, &done);
    settle_all(&p);
    struct checkout l;
    for (unsigned n = 0; n < URLS; n++) /* all of them have passed the table of recent ones */
        if (!is_mine_host(n / EACH)) {
            enum admitted what = admit(&p, n);
            assert_true(what == ADMITTED_NEW || what == ADMITTED_LATER);
            assert_int_equal(admit(&p, n), ADMITTED_KNOWN);
            turn(&p, 2);
        }
    for (unsigned i = 0; i < 50000 && back < URLS - HOSTS / 3 * EACH; i++) {
        p.now_ms += 10;
        while (frontier_checkout(p.frontier, 0, p.now_ms, &l) == RC_OK) {
            back += !is_mine_host(number_of(l.host_name, 4));
            frontier_checkin(p.frontier, &l, CHECKIN_DONE, 0);
        }
        turn(&p, 10);
    }
    assert_int_equal(back, URLS - HOSTS / 3 * EACH);
    close_place(&p);
}

static void what_is_said_of_hosts_that_rest_holds_when_they_are_loaded(void **state)
{
    (void)state;
    struct place p;
    unsigned checkout[URLS] = {0}, host = 0;
    struct checkout l;
    open_place(&p);
    fill(&p);
    while (host < HOSTS && !is_swapped(&p, host))
        host++;
    assert_true(host < HOSTS);
    struct snapshot_context c = context_of(&p);
    struct candidate url = url_of(host * EACH);
    uint64_t before = frontier_counts(p.frontier).unsorted, due_ms = p.now_ms + 50000;
    for (unsigned n = 1; n < EACH; n++) {
        struct candidate done = url_of(host * EACH + n);
        assert_rc(move_done(p.frontier, done.host_hash, done.host, &done.fingerprint, 1), RC_OK);
    }
    url = url_of(host * EACH);
    struct move_record r = {
        .host_hash = url.host_hash, .name = url.host, .next_wall_ms = due_ms + WALL};
    assert_rc(move_host(p.frontier, &r, &c), RC_OK);
    assert_int_equal(frontier_counts(p.frontier).unsorted, before); /* it can wait */
    for (unsigned i = 0; i < 20000 && p.now_ms < due_ms + 10; i++) {
        p.now_ms += 10;
        while (frontier_checkout(p.frontier, 0, p.now_ms, &l) == RC_OK) {
            unsigned n = number_of(l.path, 1);
            assert_true(n / EACH != host || p.now_ms >= due_ms);
            checkout[n]++;
            frontier_checkin(p.frontier, &l, CHECKIN_DONE, 0);
        }
        turn(&p, 10);
    }
    for (unsigned i = 0; i < 2000; i++) {
        while (frontier_checkout(p.frontier, 0, p.now_ms, &l) == RC_OK) {
            checkout[number_of(l.path, 1)]++;
            frontier_checkin(p.frontier, &l, CHECKIN_DONE, 0);
        }
        turn(&p, 10);
        p.now_ms++;
    }
    for (unsigned n = 0; n < URLS; n++)
        assert_int_equal(checkout[n], n / EACH != host || n % EACH == 0);
    close_place(&p);
}

static void a_look_that_nobody_takes_is_dropped_and_asked_for_again(void **state)
{
    (void)state;
    struct place p;
    struct frontier *aside = NULL;
    unsigned host = 0;
    open_place(&p);
    fill(&p);
    while (host < HOSTS && !is_swapped(&p, host))
        host++;
    unsigned bucket = frontier_bucket(url_of(host * EACH).host_hash);
    struct snapshot_context c = context_of(&p);
    uint64_t bytes = frontier_counts(p.frontier).bytes;
    assert_rc(frontier_look(p.frontier, bucket, 0, &c, &aside), RC_AGAIN);
    work(&p, MOST_JOBS);
    assert_true(frontier_counts(p.frontier).bytes > bytes);
    bool more;
    c.now_ms += 60000;
    assert_rc(frontier_rotate(p.frontier, &c, true, &more), RC_OK);
    assert_int_equal(frontier_counts(p.frontier).bytes, bytes);
    assert_rc(frontier_look(p.frontier, bucket, 0, &c, &aside), RC_AGAIN);
    struct candidate done = url_of(host * EACH); /* said while it is on its way */
    assert_rc(move_done(p.frontier, done.host_hash, done.host, &done.fingerprint, 1), RC_OK);
    work(&p, MOST_JOBS);
    assert_rc(frontier_look(p.frontier, bucket, 0, &c, &aside), RC_OK);
    done = url_of(host * EACH);
    assert_int_equal(host_queued(frontier_host(aside, done.host_hash, done.host)), EACH - 1);
    assert_true(is_swapped(&p, host));
    frontier_close(aside);
    close_place(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_walk_tells_each_host_once_whatever_is_loaded_or_written),
        cmocka_unit_test(what_rests_and_was_handed_over_is_gone_when_loaded_and_can_come_back),
        cmocka_unit_test(what_is_said_of_hosts_that_rest_holds_when_they_are_loaded),
        cmocka_unit_test(a_look_that_nobody_takes_is_dropped_and_asked_for_again),
    };
    return cmocka_run_group_tests_name("move_rest", tests, NULL, NULL);
}
