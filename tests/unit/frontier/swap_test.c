/* SPDX-License-Identifier: Apache-2.0 */
/* Buckets that are swapped to disk, on a budget that holds only a few of them: nothing is lost, nothing is
 * checked out twice or before its moment, and what comes from a disk is not believed. */
#include "frontier/swap.h"

#include "base/hash.h"
#include "base/rng.h"
#include "frontier/inbox.h"
#include "frontier/swap_job.h"
#include "lib/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { HOSTS = 150, URLS = 2400, WALL = 1700000000, BUDGET = 30000, MOST_JOBS = 4096 };
#define FOLDER "rest"

/* A frontier, a disk, and jobs on their way between the two. */
struct place {
    struct frontier *frontier;
    struct disk *disk;
    struct swap_job *jobs[MOST_JOBS];
    size_t job_count;
    uint64_t now_ms;
    uint64_t written, loads, most_bytes;
    char root[64];
};

static void send(void *ctx, struct swap_job *job)
{
    struct place *p = ctx;
    assert_true(p->job_count < MOST_JOBS);
    p->jobs[p->job_count++] = job;
}

static void open_place(struct place *p, const struct frontier_settings *s)
{
    memset(p, 0, sizeof *p);
    (void)snprintf(p->root, sizeof p->root, "rest_test.XXXXXX");
    assert_non_null(mkdtemp(p->root));
    assert_rc(disk_real_open(p->root, &p->disk), RC_OK);
    assert_rc(disk_mkdir(p->disk, FOLDER), RC_OK);
    p->frontier = frontier_open(s, 0, 1);
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

/* The wall clock runs with the other, from another moment. */
static struct snapshot_context context_of(const struct place *p)
{
    return (struct snapshot_context){
        .now_ms = p->now_ms, .wall_ms = p->now_ms + WALL, .most_wait_ms = 100000};
}

/* The first `count` jobs are done and come back. */
static enum rc work(struct place *p, size_t count)
{
    struct snapshot_context c = context_of(p);
    struct swap_file loaded;
    enum rc rc = RC_OK;
    if (count > p->job_count)
        count = p->job_count;
    for (size_t i = 0; i < count; i++) {
        struct swap_job *j = p->jobs[i];
        swap_job_do(p->disk, FOLDER, j);
        p->written += j->what == SWAP_READ ? 0 : j->bytes.n;
        p->loads += j->what == SWAP_READ;
        enum rc came = frontier_came(p->frontier, j, &c, &loaded);
        rc = rc ? rc : came;
    }
    p->job_count -= count;
    memmove(p->jobs, p->jobs + count, p->job_count * sizeof *p->jobs);
    return rc;
}

static enum rc turn(struct place *p, size_t jobs)
{
    struct snapshot_context c = context_of(p);
    bool more;
    enum rc rc = work(p, jobs);
    rc = rc ? rc : frontier_rotate(p->frontier, &c, false, &more);
    struct frontier_counts n = frontier_counts(p->frontier);
    if (n.bytes > p->most_bytes)
        p->most_bytes = n.bytes;
    return rc;
}

static struct candidate url_of(unsigned n)
{
    static char host[32], path[32], whole[80];
    int host_n = snprintf(host, sizeof host, "host%u.test", n % HOSTS);
    int path_n = snprintf(path, sizeof path, "/%u", n);
    int whole_n = snprintf(whole, sizeof whole, "%s%s", host, path);
    struct str name = str_make(host, (size_t)host_n);
    return (struct candidate){.fingerprint = hash64(str_make(whole, (size_t)whole_n)),
                              .host_hash = hash64(name),
                              .host = name,
                              .path = str_make(path, (size_t)path_n),
                              .via = n / 7,
                              .class = (uint8_t)(n % 11 ? 0 : n % FRONTIER_CLASSES),
                              .seed_path = STR("LL"),
                              .from = STR("other.test")};
}

static enum rc admit(struct place *p, unsigned n, enum admitted *what)
{
    struct candidate c = url_of(n);
    size_t done;
    return frontier_admit(p->frontier, &c, 1, p->now_ms, what, &done);
}

static unsigned number_of(const struct checkout *l)
{
    uint64_t n = URLS;
    (void)!str_to_u64(str_from(l->path, 1), &n);
    return (unsigned)n;
}

/* Each once ---------------------------------------------------------------------------------- */

struct trial {
    struct place place;
    struct rng rng;
    bool is_checked_out[URLS], is_done[URLS];
    uint64_t due_ms[HOSTS];
    bool is_out[HOSTS];
    struct checkout out[8];
    size_t out_count;
    unsigned done;
};

static void check_one_out(struct trial *t)
{
    struct place *p = &t->place;
    struct checkout *l = &t->out[t->out_count];
    if (t->out_count == 8 || frontier_checkout_next(p->frontier, p->now_ms, l) != RC_OK)
        return;
    unsigned n = number_of(l);
    assert_true(n < URLS);
    assert_false(t->is_done[n]);
    assert_false(t->is_out[n % HOSTS]);
    assert_true(t->due_ms[n % HOSTS] <= p->now_ms);
    t->is_out[n % HOSTS] = true;
    t->out_count++;
}

static void check_one_in(struct trial *t)
{
    struct place *p = &t->place;
    if (!t->out_count)
        return;
    size_t at = (size_t)rng_below(&t->rng, t->out_count);
    struct checkout l = t->out[at];
    unsigned n = number_of(&l);
    enum checkin how = (enum checkin)(rng_below(&t->rng, 8) ? CHECKIN_DONE : rng_below(&t->rng, 3));
    t->due_ms[n % HOSTS] = p->now_ms + rng_below(&t->rng, 40);
    t->is_out[n % HOSTS] = false;
    t->is_done[n] = how == CHECKIN_DONE;
    t->done += how == CHECKIN_DONE;
    frontier_checkin(p->frontier, &l, how, t->due_ms[n % HOSTS]);
    t->out[at] = t->out[--t->out_count];
}

/* Links come while other URLs are checked out; jobs come back when they like. */
static void crawl_all(uint64_t slice_ms, enum order_kind order, unsigned seed)
{
    static struct trial t;
    struct frontier_settings s = {.max_hosts = 10000,
                                  .max_host_queue = 10000,
                                  .memory_bytes = BUDGET,
                                  .slice_ms = slice_ms,
                                  .order = order,
                                  .recent_bytes = 1024};
    memset(&t, 0, sizeof t);
    rng_init(&t.rng, test_seed(seed));
    open_place(&t.place, &s);
    unsigned come = 0, steps = 0;
    enum admitted what;
    for (; t.done < URLS && steps < 3000000; steps++) {
        struct place *p = &t.place;
        if (come < URLS && rng_below(&t.rng, 2))
            assert_rc(admit(p, come++, &what), RC_OK);
        if (come && rng_below(&t.rng, 4) == 0) /* known, whether it is_swapped or not */
            assert_rc(admit(p, (unsigned)rng_below(&t.rng, come), &what), RC_OK);
        check_one_out(&t);
        if (rng_below(&t.rng, 2))
            check_one_in(&t);
        assert_rc(turn(p, (size_t)rng_below(&t.rng, 3)), RC_OK);
        p->now_ms += 1 + rng_below(&t.rng, 3);
        struct frontier_counts c = frontier_counts(p->frontier);
        assert_true(c.queued + c.unsorted + t.done >= come);
    }
    assert_int_equal(t.done, URLS);
    while (t.place.job_count)
        assert_rc(turn(&t.place, MOST_JOBS), RC_OK);
    struct frontier_counts c = frontier_counts(t.place.frontier);
    print_message("# slice %llu: %u steps, %llu loads, %llu bytes written, %llu swapped, at most "
                  "%llu bytes\n",
                  (unsigned long long)slice_ms, steps, (unsigned long long)t.place.loads,
                  (unsigned long long)t.place.written, (unsigned long long)c.swapped,
                  (unsigned long long)t.place.most_bytes);
    assert_true(t.place.loads > 10);
    assert_int_equal(c.queued, 0);
    assert_int_equal(c.hosts, HOSTS);
    close_place(&t.place);
}

static void each_url_is_checked_out_once_and_in_its_time(void **state)
{
    (void)state;
    crawl_all(0, ORDER_BREADTH, 5);
    crawl_all(50, ORDER_BREADTH, 6);
}

static void so_it_is_in_every_order(void **state)
{
    (void)state;
    crawl_all(50, ORDER_PRIORITY, 7);
    crawl_all(0, ORDER_TOPIC, 8);
}

/* What does not rest is the same as ever: nothing is sent anywhere. */
static void without_a_budget_nothing_is_swapped(void **state)
{
    (void)state;
    struct place p;
    enum admitted what;
    open_place(&p, &(struct frontier_settings){.max_hosts = 1000, .max_host_queue = 1000});
    for (unsigned i = 0; i < 1000; i++) {
        assert_rc(admit(&p, i, &what), RC_OK);
        assert_int_equal(what, ADMITTED_NEW);
        assert_rc(turn(&p, 1), RC_OK);
    }
    assert_int_equal(frontier_counts(p.frontier).swapped, 0);
    close_place(&p);
}

/* One bucket, swapped ---------------------------------------------------------------------------
 */

/* All of a budget of 1 byte is_swapped but the last. */
static void open_swapped(struct place *p, struct frontier_asks asks, unsigned urls)
{
    enum admitted what;
    open_place(p, &(struct frontier_settings){
                      .max_hosts = 1000, .max_host_queue = 1000, .memory_bytes = 1, .asks = asks});
    for (unsigned i = 0; i < urls; i++)
        assert_rc(admit(p, i, &what), RC_OK);
    for (unsigned i = 0; i < 400; i++) {
        struct snapshot_context c = context_of(p);
        bool more;
        assert_rc(work(p, MOST_JOBS), RC_OK);
        assert_rc(frontier_rotate(p->frontier, &c, true, &more), RC_OK);
    }
    assert_rc(work(p, MOST_JOBS), RC_OK);
}

static struct candidate swapped_url(const struct place *p)
{
    for (unsigned i = 0; i < HOSTS; i++)
        if (frontier_is_swapped(p->frontier, url_of(i).host_hash))
            return url_of(i);
    fail_msg("nothing is swapped");
    return url_of(0);
}

/* Loads the host's bucket, whatever it costs. */
static enum rc bring(struct place *p, uint64_t host_hash)
{
    enum rc rc = RC_OK;
    frontier_want(p->frontier, host_hash);
    for (unsigned i = 0; i < 100 && frontier_is_swapped(p->frontier, host_hash) && rc == RC_OK;
         i++) {
        rc = turn(p, MOST_JOBS);
        rc = rc ? rc : work(p, MOST_JOBS);
    }
    return rc;
}

/* Whatever else is to be swapped out: the caller needs some time to come back. */
static void what_a_caller_wanted_stays_for_a_second(void **state)
{
    (void)state;
    struct place p;
    open_swapped(&p, (struct frontier_asks){0}, 600);
    struct candidate c = swapped_url(&p);
    assert_rc(bring(&p, c.host_hash), RC_OK);
    struct checkout l;
    while (frontier_checkout_next(p.frontier, p.now_ms, &l) == RC_OK) /* then it has no work */
        frontier_checkin(p.frontier, &l, CHECKIN_DONE, 0);
    assert_non_null(frontier_host(p.frontier, c.host_hash, c.host));
    for (unsigned i = 0; i < 20; i++) {
        assert_rc(turn(&p, MOST_JOBS), RC_OK);
        assert_false(frontier_is_swapped(p.frontier, c.host_hash));
    }
    p.now_ms += 2000;
    assert_rc(turn(&p, MOST_JOBS), RC_OK);
    assert_true(frontier_is_swapped(p.frontier, c.host_hash));
    close_place(&p);
}

static void counts_hold_what_is_swapped(void **state)
{
    (void)state;
    struct place p;
    open_swapped(&p, (struct frontier_asks){0}, 600);
    struct frontier_counts c = frontier_counts(p.frontier);
    assert_int_equal(c.hosts, HOSTS);
    assert_int_equal(c.known, 600);
    assert_int_equal(c.queued, 600);
    assert_true(c.swapped > 100);
    assert_int_equal(frontier_due_ms(p.frontier), 0);
    close_place(&p);
}

struct asked {
    unsigned count, new_hosts, became[ADMITTED_REFUSED + 1];
    bool answer;
};

static bool ask(void *ctx, const struct candidate *c, bool is_new_host, unsigned page_hosts)
{
    struct asked *a = ctx;
    a->count++;
    a->new_hosts += is_new_host;
    assert_str(c->from, STR("other.test"));
    assert_int_equal(page_hosts, 0);
    return a->answer;
}

static void hear(void *ctx, enum admitted what)
{
    struct asked *a = ctx;
    a->became[what]++;
}

/* Budgets are asked for what is new, when it turns out to be. */
static void links_are_sorted_when_the_bucket_comes(void **state)
{
    (void)state;
    for (int answer = 0; answer < 2; answer++) {
        struct place p;
        struct asked a = {.answer = answer};
        enum admitted what;
        open_swapped(&p, (struct frontier_asks){ask, hear, NULL, &a}, 300);
        struct candidate known = swapped_url(&p);
        uint64_t host_hash = known.host_hash, n = 0;
        (void)!str_to_u64(str_from(known.path, 1), &n);
        assert_false(frontier_knows(p.frontier, host_hash, known.fingerprint));
        assert_rc(admit(&p, (unsigned)n, &what), RC_OK); /* known, and fresh */
        assert_int_equal(what, ADMITTED_LATER);
        assert_true(frontier_knows(p.frontier, host_hash, known.fingerprint));
        assert_rc(admit(&p, (unsigned)n + HOSTS * 7, &what), RC_OK);
        assert_int_equal(what, ADMITTED_LATER);
        assert_rc(admit(&p, (unsigned)n + HOSTS * 7, &what), RC_OK);
        assert_int_equal(what, ADMITTED_KNOWN);
        assert_int_equal(frontier_counts(p.frontier).unsorted, 2);
        assert_rc(bring(&p, host_hash), RC_OK);
        assert_int_equal(a.count, 1);
        assert_int_equal(a.new_hosts, 0);
        assert_int_equal(a.became[ADMITTED_KNOWN], 1);
        assert_int_equal(a.became[answer ? ADMITTED_NEW : ADMITTED_REFUSED], 1);
        assert_int_equal(frontier_counts(p.frontier).known, 300 + answer);
        close_place(&p);
    }
}

static void an_outcome_is_done_when_the_bucket_comes(void **state)
{
    (void)state;
    struct place p;
    open_swapped(&p, (struct frontier_asks){0}, 300);
    struct candidate c = swapped_url(&p);
    struct redo r = {.host_hash = c.host_hash,
                     .host = c.host,
                     .path = c.path,
                     .class = c.class,
                     .how = CHECKIN_DONE,
                     .sequence = 999999}; /* says nothing here */
    assert_rc(frontier_redo_later(p.frontier, &r, STR(""), p.now_ms + WALL + 5000), RC_OK);
    assert_rc(bring(&p, c.host_hash), RC_OK);
    uint64_t due_ms = 0;
    struct host *h = frontier_host(p.frontier, c.host_hash, c.host);
    assert_non_null(h);
    assert_int_equal(host_queued(h), 1);
    assert_ptr_equal(frontier_first_waiting(p.frontier, &due_ms), h);
    assert_int_equal(due_ms, p.now_ms + 5000);
    close_place(&p);
}

/* A new process reads references: the buckets stay on disk, and every URL is checked out. */
static void references_bring_everything_back(void **state)
{
    (void)state;
    struct place p;
    enum admitted what;
    open_swapped(&p, (struct frontier_asks){0}, 600);
    for (unsigned i = 600; i < 900; i++) /* some of it in files, some in memory */
        assert_rc(admit(&p, i, &what), RC_OK);
    assert_rc(work(&p, MOST_JOBS), RC_OK);
    struct frontier_settings s = {.max_hosts = 1000, .max_host_queue = 1000, .memory_bytes = 1};
    struct frontier *next = frontier_open(&s, 0, 1), *before = p.frontier;
    struct snapshot_context c = context_of(&p);
    for (unsigned i = 0; i < FRONTIER_BUCKETS; i++) {
        struct buf bytes = {.max = 1 << 24};
        struct swap_file file = frontier_swap_file(before, i);
        if (file.generation) {
            swap_write_reference(before, i, &c, &bytes);
            assert_true(swap_is_reference(buf_str(&bytes)));
            assert_rc(swap_read_reference(next, str_first(buf_str(&bytes), bytes.n - 1), &c),
                      RC_CORRUPT);
            assert_rc(swap_file_cut(p.disk, FOLDER, i, file), RC_OK);
            assert_rc(swap_read_reference(next, buf_str(&bytes), &c), RC_OK);
            assert_rc(swap_read_reference(next, buf_str(&bytes), &c), RC_EXISTS);
        } else {
            snapshot_write(before, i, &c, &bytes);
            assert_rc(snapshot_read(next, buf_str(&bytes), &c), RC_OK);
        }
        buf_done(&bytes);
    }
    frontier_swap_begin(next, (struct swap_carrier){send, &p}, frontier_swap_generation(before));
    frontier_close(before);
    p.frontier = next;
    struct checkout l;
    unsigned checkout = 0;
    for (unsigned i = 0; i < 20000 && checkout < 900; i++) {
        while (frontier_checkout(next, 0, p.now_ms, &l) == RC_OK) {
            frontier_checkin(next, &l, CHECKIN_DONE, 0);
            checkout++;
        }
        assert_rc(turn(&p, MOST_JOBS), RC_OK);
        p.now_ms++;
    }
    assert_int_equal(checkout, 900);
    close_place(&p);
}

/* Whatever bytes a file has, they are refused or are the ones written. */
static void a_file_that_was_changed_is_refused(void **state)
{
    (void)state;
    struct place p;
    enum admitted what;
    open_swapped(&p, (struct frontier_asks){0}, 300);
    struct candidate url = swapped_url(&p);
    uint64_t host_hash = url.host_hash, n = 0;
    (void)!str_to_u64(str_from(url.path, 1), &n);
    for (unsigned i = 0; i < 40; i++) /* past what an inbox keeps in memory */
        assert_rc(admit(&p, (unsigned)n + HOSTS * (10 + i), &what), RC_OK);
    assert_rc(work(&p, MOST_JOBS), RC_OK);
    struct swap_file file = frontier_swap_file(p.frontier, frontier_bucket(host_hash));
    struct snapshot_context c = context_of(&p);
    struct buf reference = {.max = 1 << 20};
    swap_write_reference(p.frontier, frontier_bucket(host_hash), &c, &reference);
    assert_true(file.bytes > 600);
    for (uint64_t at = 0; at <= file.bytes; at++) {
        struct frontier_settings s = {.max_hosts = 1000, .max_host_queue = 1000};
        struct frontier *f = frontier_open(&s, 0, 1);
        struct place other = {.frontier = f, .disk = p.disk, .now_ms = p.now_ms};
        bool more;
        struct swap_file loaded;
        frontier_swap_begin(f, (struct swap_carrier){send, &other}, 0);
        assert_rc(swap_read_reference(f, buf_str(&reference), &c), RC_OK);
        frontier_want(f, host_hash);
        assert_rc(frontier_rotate(f, &c, false, &more), RC_OK);
        assert_int_equal(other.job_count, 1);
        swap_job_do(p.disk, FOLDER, other.jobs[0]);
        if (at < file.bytes)
            other.jobs[0]->bytes.p[at] ^= 0x41;
        enum rc rc = frontier_came(f, other.jobs[0], &c, &loaded);
        assert_int_equal(rc == RC_OK, at == file.bytes);
        frontier_close(f);
    }
    buf_done(&reference);
    close_place(&p);
}

static void a_file_that_is_shorter_is_refused(void **state)
{
    (void)state;
    struct place p;
    open_swapped(&p, (struct frontier_asks){0}, 300);
    struct candidate url = swapped_url(&p);
    unsigned bucket = frontier_bucket(url.host_hash);
    uint64_t host_hash = url.host_hash;
    struct swap_file file = frontier_swap_file(p.frontier, bucket);
    struct swap_file less = {file.generation, file.bytes - 1};
    assert_rc(swap_file_cut(p.disk, FOLDER, bucket, less), RC_OK);
    assert_rc(swap_file_check(p.disk, FOLDER, bucket, less), RC_OK);
    assert_rc(swap_file_check(p.disk, FOLDER, bucket, file), RC_CORRUPT);
    assert_rc(swap_file_cut(p.disk, FOLDER, bucket, file), RC_CORRUPT);
    assert_rc(bring(&p, host_hash), RC_CORRUPT);
    close_place(&p);
}

static void records_are_read_as_they_were_put(void **state)
{
    (void)state;
    struct buf b = {.max = 10000};
    struct candidate c = url_of(8);
    struct inbox_record r;
    struct redo o = {.host = c.host, .path = c.path, .how = CHECKIN_LAST, .port = 81};
    inbox_put_link(&b, &c, true);
    size_t first = b.n;
    inbox_put_outcome(&b, &o, STR("record"), 77);
    for (size_t cut = 0; cut <= b.n; cut++) {
        struct str rest = str_first(buf_str(&b), cut);
        enum rc rc = inbox_next(&rest, &r);
        assert_int_equal(rc, cut == 0 ? RC_NOT_FOUND : cut < first ? RC_CORRUPT : RC_OK);
        if (cut < first)
            continue;
        assert_true(r.is_sure);
        assert_str(r.link.path, c.path);
        assert_str(r.link.from, c.from);
        assert_int_equal(r.link.host_hash, c.host_hash);
        rc = inbox_next(&rest, &r);
        assert_int_equal(rc, cut == first ? RC_NOT_FOUND : cut < b.n ? RC_CORRUPT : RC_OK);
    }
    assert_str(r.extra, STR("record"));
    assert_int_equal(r.due_wall_ms, 77);
    assert_int_equal(r.outcome.how, CHECKIN_LAST);
    assert_int_equal(r.outcome.port, 81);
    buf_done(&b);
}

static void names_of_files_are_read_back(void **state)
{
    (void)state;
    char room[SWAP_PATH_BYTES];
    unsigned bucket;
    uint64_t generation;
    assert_string_equal(swap_path(room, "a", 0xabc, 0x12), "a/abc-0000000000000012");
    assert_true(swap_path_read(STR("abc-0000000000000012"), &bucket, &generation));
    assert_int_equal(bucket, 0xabc);
    assert_int_equal(generation, 0x12);
    assert_false(swap_path_read(STR("abc-0000000000000000"), &bucket, &generation));
    assert_false(swap_path_read(STR("abx-0000000000000012"), &bucket, &generation));
    assert_false(swap_path_read(STR("abc-000000000000012"), &bucket, &generation));
}

/* No memory at any point: the failure is told, and nothing leaks. */
static enum rc swap_and_load(void *ctx)
{
    struct place *p = ctx;
    struct frontier_settings s = {.max_hosts = 1000, .max_host_queue = 1000, .memory_bytes = 1};
    enum admitted what;
    enum rc rc = RC_OK;
    p->frontier = frontier_open(&s, 0, 1);
    if (!p->frontier)
        return RC_NOMEM;
    frontier_swap_begin(p->frontier, (struct swap_carrier){send, p}, p->now_ms * 100);
    for (unsigned i = 0; i < 12 && rc == RC_OK; i++) {
        rc = admit(p, i % 6 + i / 6 * HOSTS, &what);
        rc = rc ? rc : turn(p, MOST_JOBS);
        p->now_ms++;
    }
    for (size_t i = 0; i < p->job_count; i++)
        swap_job_close(p->jobs[i]);
    p->job_count = 0;
    frontier_close(p->frontier);
    p->frontier = NULL;
    return rc;
}

static void no_memory_is_told(void **state)
{
    (void)state;
    struct place p;
    open_place(&p, &(struct frontier_settings){.max_hosts = 1000, .max_host_queue = 1000});
    frontier_close(p.frontier);
    p.frontier = NULL;
    test_each_allocation_fails(swap_and_load, &p);
    close_place(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_url_is_checked_out_once_and_in_its_time),
        cmocka_unit_test(so_it_is_in_every_order),
        cmocka_unit_test(without_a_budget_nothing_is_swapped),
        cmocka_unit_test(what_a_caller_wanted_stays_for_a_second),
        cmocka_unit_test(counts_hold_what_is_swapped),
        cmocka_unit_test(links_are_sorted_when_the_bucket_comes),
        cmocka_unit_test(an_outcome_is_done_when_the_bucket_comes),
        cmocka_unit_test(references_bring_everything_back),
        cmocka_unit_test(a_file_that_was_changed_is_refused),
        cmocka_unit_test(a_file_that_is_shorter_is_refused),
        cmocka_unit_test(records_are_read_as_they_were_put),
        cmocka_unit_test(names_of_files_are_read_back),
        cmocka_unit_test(no_memory_is_told),
    };
    return cmocka_run_group_tests_name("rest", tests, NULL, NULL);
}
