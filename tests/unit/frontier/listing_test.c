/* SPDX-License-Identifier: Apache-2.0 */
/* The order of a crawl in the frontier: three lists, their turns, and nothing lost or starved. */
#include "frontier/listing.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/rng.h"
#include "frontier/frontier_internal.h"
#include "frontier/redo.h"
#include "frontier/snapshot.h"
#include "lib/test.h"

#include <stdio.h>

enum { NOW = 1000, MANY = 500, MIDDLE = 100, FEW = 1 };

static struct frontier *open_order(enum order_kind order)
{
    struct frontier_settings s = {
        .max_hosts = 10000, .max_host_queue = 100000, .order = order, .order_half = 0};
    struct frontier *f = frontier_open(&s, 0, 1);
    assert_non_null(f);
    return f;
}

struct link {
    struct candidate c;
    char host[32], path[32];
    struct buf room;
};

/* "/D/N" of "hostH.test". */
static struct candidate link_to(struct link *l, unsigned h, unsigned n, unsigned directory)
{
    char whole[100];
    int host_n = snprintf(l->host, sizeof l->host, "host%u.test", h);
    int path_n = snprintf(l->path, sizeof l->path, "/%u/%u", directory, n);
    int whole_n = snprintf(whole, sizeof whole, "http://%s%s", l->host, l->path);
    struct str host = str_make(l->host, (size_t)host_n);
    return (struct candidate){.fingerprint = hash64(str_make(whole, (size_t)whole_n)),
                              .host_hash = hash64(host),
                              .host = host,
                              .path = str_make(l->path, (size_t)path_n),
                              .via = 9,
                              .seed_path = STR("L")};
}

static enum admitted admit(struct frontier *f, const struct candidate *c)
{
    enum admitted what = ADMITTED_REFUSED;
    size_t done;
    assert_rc(frontier_admit(f, c, 1, NOW, &what, &done), RC_OK);
    return what;
}

/* Pages of that directory of the host have so many links. */
static void admit_forward(struct frontier *f, unsigned h, unsigned n, unsigned forward)
{
    struct link l;
    struct candidate c = link_to(&l, h, n, forward);
    for (unsigned i = 0; i < 40; i++)
        frontier_learn(f, c.host_hash, c.path, forward);
    assert_int_equal(admit(f, &c), ADMITTED_NEW);
}

static unsigned number_of(const struct checkout *l)
{
    uint64_t n = UINT32_MAX;
    struct str rest = str_from(l->path, 1);
    (void)str_take_until(&rest, '/');
    (void)!str_to_u64(rest, &n);
    return (unsigned)n;
}

/* So that the lists know which values there are: as many of each kind. */
static void teach(struct frontier *f)
{
    for (unsigned i = 0; i < 300; i++) {
        order_lists_add(&f->listing->lists, 400);
        order_lists_add(&f->listing->lists, 80);
        order_lists_add(&f->listing->lists, 10);
    }
}

/* Turns ---------------------------------------------------------------------------------------- */

static void three_lists_are_served_4_2_1(void **state)
{
    (void)state;
    static const unsigned turns[] = {0, 1, 0, 2, 0, 1, 0};
    struct frontier *f = open_order(ORDER_PRIORITY);
    struct checkout l;
    teach(f);
    for (unsigned i = 0; i < 300; i++)
        admit_forward(f, i, i, i % 3 == 0 ? MANY : i % 3 == 1 ? MIDDLE : FEW);
    for (unsigned i = 0; i < 140; i++) {
        assert_rc(frontier_checkout_next(f, NOW, &l), RC_OK);
        assert_int_equal(l.class, turns[i % 7]);
        assert_int_equal(number_of(&l) % 3, turns[i % 7]); /* each in the order of admission */
    }
    frontier_close(f);
}

static void a_turn_without_a_ready_host_goes_to_the_best_that_has_one(void **state)
{
    (void)state;
    struct frontier *f = open_order(ORDER_PRIORITY);
    struct checkout l;
    teach(f);
    assert_rc(frontier_checkout_next(f, NOW, &l), RC_AGAIN);
    for (unsigned i = 0; i < 20; i++)
        admit_forward(f, i, i, i % 2 ? MANY : FEW);
    for (unsigned i = 0; i < 7; i++) { /* 0 . 0 2 0 . 0 */
        assert_rc(frontier_checkout_next(f, NOW, &l), RC_OK);
        assert_int_equal(l.class, i == 3 ? 2 : 0);
    }
    while (frontier_checkout_next(f, NOW, &l) == RC_OK)
        continue;
    assert_int_equal(frontier_counts(f).out, 20);
    frontier_close(f);
}

static void urls_of_a_list_keep_their_order(void **state)
{
    (void)state;
    struct frontier *f = open_order(ORDER_PRIORITY);
    struct checkout l;
    teach(f);
    for (unsigned i = 0; i < 5; i++)
        admit_forward(f, 1, i, MANY);
    for (unsigned i = 0; i < 5; i++) {
        assert_rc(frontier_checkout_next(f, NOW, &l), RC_OK);
        assert_int_equal(number_of(&l), i);
        assert_int_equal(l.sequence, i + 1);
        frontier_checkin(f, &l, CHECKIN_DONE, 0);
    }
    frontier_close(f);
}

static void revisits_have_their_own_turn(void **state)
{
    (void)state;
    struct frontier *f = open_order(ORDER_PRIORITY);
    struct checkout l;
    teach(f);
    for (unsigned i = 0; i < 60; i++) {
        struct link room;
        struct candidate c = link_to(&room, i, i, MANY);
        c.class = i % 2 ? ORDER_REVISITS : 0;
        assert_int_equal(admit(f, &c), ADMITTED_NEW);
    }
    unsigned revisits = 0;
    for (unsigned i = 0; i < 24; i++) {
        assert_rc(frontier_checkout_next(f, NOW, &l), RC_OK);
        revisits += l.class == ORDER_REVISITS;
    }
    assert_int_equal(revisits, 3); /* one in eight */
    frontier_close(f);
}

static void of_a_topic_a_link_comes_with_its_list(void **state)
{
    (void)state;
    struct frontier *f = open_order(ORDER_TOPIC);
    struct checkout l;
    unsigned counts[FRONTIER_CLASSES] = {0};
    for (unsigned i = 0; i < 300; i++) {
        struct link room;
        struct candidate c = link_to(&room, i, i, FEW);
        c.class = (uint8_t)(i % ORDER_LISTS);
        assert_int_equal(admit(f, &c), ADMITTED_NEW);
    }
    for (unsigned i = 0; i < 96; i++) {
        assert_rc(frontier_checkout_next(f, NOW, &l), RC_OK);
        assert_int_equal(number_of(&l) % ORDER_LISTS, l.class);
        counts[l.class]++;
    }
    assert_int_equal(counts[0], 78);
    assert_int_equal(counts[1], 12);
    assert_int_equal(counts[2], 6);
    frontier_close(f);
}

/* Seven hosts with a delay as long as a round, so that each is ready always at the same turn. */
static void hosts_that_are_locked_to_the_wheel_do_not_starve(void **state)
{
    (void)state;
    enum { HOSTS = 7, TICKS = 1400 };
    struct frontier *f = open_order(ORDER_PRIORITY);
    struct checkout l;
    unsigned since[HOSTS][ORDER_LISTS] = {0}, at = 0, served[ORDER_LISTS] = {0};
    teach(f);
    for (unsigned h = 0; h < HOSTS; h++) { /* at first each waits for its tick */
        for (unsigned i = 0; i < TICKS; i++)
            admit_forward(f, h, at++, i % 2 ? MANY : FEW);
        struct link room;
        struct candidate c = link_to(&room, h, 0, 0);
        frontier_hold(f, frontier_host(f, c.host_hash, c.host), NOW + h + 1);
    }
    for (unsigned tick = 1; tick < TICKS; tick++) {
        assert_rc(frontier_checkout_next(f, NOW + tick, &l), RC_OK);
        unsigned h = (unsigned)(host_name(l.host).p[4] - '0');
        served[l.class]++;
        for (unsigned i = 0; i < ORDER_LISTS; i += 2) {
            since[h][i] = i == l.class ? 0 : since[h][i] + 1;
            assert_in_range(since[h][i], 0, 9);
        }
        frontier_checkin(f, &l, CHECKIN_DONE, NOW + tick + HOSTS);
    }
    assert_true(served[0] > 2 * served[2] && served[2] > TICKS / 12);
    frontier_close(f);
}

/* Back links ----------------------------------------------------------------------------------- */

static void a_page_that_many_link_to_goes_to_a_worse_list(void **state)
{
    (void)state;
    struct frontier *f = open_order(ORDER_PRIORITY);
    struct link room;
    struct checkout l;
    struct frontier_worth worth;
    for (unsigned i = 0; i < 30; i++) /* all are alike, so the lists are values of links alone */
        order_lists_add(&f->listing->lists, i < 10 ? 60 : i < 20 ? 0 : -60);
    struct candidate often = link_to(&room, 1, 1, 0);
    often.forward = 1 + 64; /* as an earlier fetch found: so much is expected of its directory */
    assert_int_equal(admit(f, &often), ADMITTED_NEW);
    assert_true(frontier_worth(f, often.host_hash, often.fingerprint, often.path, &worth));
    assert_int_equal(worth.forward, 64);
    assert_int_equal(worth.back, 1);
    assert_int_equal(worth.value, 63);
    for (unsigned i = 0; i < 3; i++) /* as links, and as a shard says */
        assert_int_equal(admit(f, &often), ADMITTED_KNOWN);
    frontier_linked_again(f, often.host_hash, often.fingerprint, 200);
    assert_true(frontier_worth(f, often.host_hash, often.fingerprint, often.path, &worth));
    assert_int_equal(worth.back, 204);
    struct link other;
    struct candidate rare = link_to(&other, 2, 2, 0);
    rare.forward = 1 + 62;
    assert_int_equal(admit(f, &rare), ADMITTED_NEW);
    assert_rc(frontier_checkout_next(f, NOW, &l), RC_OK);
    assert_int_equal(number_of(&l), 2);
    assert_int_equal(l.class, 0);
    assert_rc(frontier_checkout_next(f, NOW, &l), RC_OK);
    assert_int_equal(number_of(&l), 1);
    assert_int_equal(l.class, 2);
    assert_int_equal(frontier_counts(f).queued, 2);
    frontier_close(f);
}

static void revisits_and_links_said_again_are_no_pages_that_link(void **state)
{
    (void)state;
    struct frontier *f = open_order(ORDER_PRIORITY);
    struct link room;
    struct frontier_worth worth;
    struct candidate c = link_to(&room, 1, 1, 0), seed = link_to(&room, 1, 1, 0);
    seed.via = 0;
    assert_int_equal(admit(f, &seed), ADMITTED_NEW);
    assert_true(frontier_worth(f, c.host_hash, c.fingerprint, c.path, &worth));
    assert_int_equal(worth.back, 0);
    c.class = ORDER_REVISITS;
    assert_int_equal(admit(f, &c), ADMITTED_KNOWN);
    f->settings.replays = true;
    c.class = 0;
    assert_int_equal(admit(f, &c), ADMITTED_KNOWN);
    f->settings.replays = false;
    assert_true(frontier_worth(f, c.host_hash, c.fingerprint, c.path, &worth));
    assert_int_equal(worth.back, 0);
    assert_int_equal(admit(f, &c), ADMITTED_KNOWN);
    assert_true(frontier_worth(f, c.host_hash, c.fingerprint, c.path, &worth));
    assert_int_equal(worth.back, 1);
    frontier_close(f);
}

static void breadth_first_counts_nothing(void **state)
{
    (void)state;
    struct frontier *f = open_order(ORDER_BREADTH);
    struct link room;
    struct frontier_worth worth;
    struct candidate c = link_to(&room, 1, 1, 0);
    assert_int_equal(admit(f, &c), ADMITTED_NEW);
    frontier_linked_again(f, c.host_hash, c.fingerprint, 3);
    frontier_learn(f, c.host_hash, c.path, 3);
    assert_false(frontier_worth(f, c.host_hash, c.fingerprint, c.path, &worth));
    assert_null(f->listing);
    assert_null(f->buckets[frontier_bucket(c.host_hash)]->seen.links);
    assert_int_equal(frontier_order(f), ORDER_BREADTH);
    frontier_close(f);
}

/* On disk -------------------------------------------------------------------------------------- */

static const struct snapshot_context context = {
    .now_ms = NOW, .wall_ms = 1700000000000, .most_wait_ms = 100000};

static enum rc write_bucket(const struct frontier *f, unsigned bucket, struct buf *out)
{
    buf_clear(out);
    snapshot_write(f, bucket, &context, out);
    return buf_rc(out);
}

static enum rc copy_all(const struct frontier *from, struct frontier *to)
{
    struct buf bytes = {.max = 1 << 24};
    enum rc rc = RC_OK;
    for (unsigned b = 0; b < FRONTIER_BUCKETS && rc == RC_OK; b++) {
        rc = write_bucket(from, b, &bytes);
        rc = rc ? rc : snapshot_read(to, buf_str(&bytes), &context);
    }
    buf_done(&bytes);
    return rc;
}

static struct frontier *with_links(enum order_kind order)
{
    struct frontier *f = open_order(order);
    for (unsigned i = 0; i < 60; i++) {
        struct link room;
        struct candidate c = link_to(&room, i % 7, i,
                                     i % 3 == 0   ? MANY
                                     : i % 3 == 1 ? MIDDLE
                                                  : FEW);
        assert_int_equal(admit(f, &c), ADMITTED_NEW);
        frontier_linked_again(f, c.host_hash, c.fingerprint, i * 5);
    }
    return f;
}

static void lists_and_counts_are_in_the_snapshot(void **state)
{
    (void)state;
    struct frontier *f = with_links(ORDER_PRIORITY), *copy = open_order(ORDER_PRIORITY);
    struct frontier_worth worth;
    assert_rc(copy_all(f, copy), RC_OK);
    for (unsigned i = 0; i < 60; i++) {
        struct link room;
        struct candidate c = link_to(&room, i % 7, i,
                                     i % 3 == 0   ? MANY
                                     : i % 3 == 1 ? MIDDLE
                                                  : FEW);
        assert_true(frontier_worth(copy, c.host_hash, c.fingerprint, c.path, &worth));
        assert_int_equal(worth.back, 1 + i * 5 < 255 ? 1 + i * 5 : 255);
    }
    for (unsigned b = 0; b < FRONTIER_BUCKETS; b++)
        for (uint32_t i = 0; f->buckets[b] && i < f->buckets[b]->host_slots; i++) {
            struct host *h = f->buckets[b]->hosts[i];
            struct host *h2 = h ? frontier_host(copy, h->host_hash, host_name(h)) : NULL;
            for (unsigned class = 0; h && class < FRONTIER_CLASSES; class ++) {
                const struct host_class *c = host_class_of(h, class);
                const struct host_class *c2 = host_class_of(h2, class);
                assert_int_equal(c ? c->queue.count : 0, c2 ? c2->queue.count : 0);
            }
        }
    frontier_close(f);
    frontier_close(copy);
}

/* A crawl goes on with another order, and with directories of the version before. */
static void each_order_reads_the_snapshots_of_the_others(void **state)
{
    (void)state;
    for (unsigned from = 0; from < ORDER_KINDS_; from++)
        for (unsigned to = 0; to < ORDER_KINDS_; to++) {
            struct frontier *f = with_links((enum order_kind)from);
            struct frontier *copy = open_order((enum order_kind)to);
            struct checkout l;
            unsigned count = 0;
            assert_rc(copy_all(f, copy), RC_OK);
            while (frontier_checkout_next(copy, NOW, &l) == RC_OK) {
                frontier_checkin(copy, &l, CHECKIN_DONE, 0);
                count++;
            }
            assert_int_equal(count, 60);
            frontier_close(f);
            frontier_close(copy);
        }
}

static void breadth_first_after_lists_is_the_order_of_admission(void **state)
{
    (void)state;
    struct frontier *f = open_order(ORDER_TOPIC), *copy = open_order(ORDER_BREADTH);
    struct checkout l;
    for (unsigned i = 0; i < 60; i++) {
        struct link room;
        struct candidate c = link_to(&room, i, i, 0);
        c.class = (uint8_t)(i * 7 % ORDER_LISTS);
        assert_int_equal(admit(f, &c), ADMITTED_NEW);
    }
    assert_rc(copy_all(f, copy), RC_OK);
    for (unsigned i = 0; i < 60; i++) {
        assert_rc(frontier_checkout_next(copy, NOW, &l), RC_OK);
        assert_int_equal(number_of(&l), i);
    }
    frontier_close(f);
    frontier_close(copy);
}

static void only_priority_writes_the_new_version(void **state)
{
    (void)state;
    struct buf bytes = {.max = 1 << 20};
    for (unsigned order = 0; order < ORDER_KINDS_; order++) {
        struct frontier *f = with_links((enum order_kind)order);
        struct link room;
        unsigned bucket = frontier_bucket(link_to(&room, 1, 1, 0).host_hash);
        assert_rc(write_bucket(f, bucket, &bytes), RC_OK);
        assert_int_equal(bytes.p[8],
                         order == ORDER_PRIORITY ? SNAPSHOT_VERSION_LINKS : SNAPSHOT_VERSION);
        frontier_close(f);
    }
    buf_done(&bytes);
}

static void put_hash(struct buf *bytes)
{
    uint64_t hash = hash64(str_first(buf_str(bytes), bytes->n - 8));
    for (unsigned i = 0; i < 8; i++)
        bytes->p[bytes->n - 8 + i] = (char)(hash >> 8 * i);
}

/* With a hash that fits, so that what is inside is looked at. */
static void a_snapshot_with_counts_missing_is_refused(void **state)
{
    (void)state;
    struct frontier *f = with_links(ORDER_PRIORITY);
    struct link room;
    unsigned bucket = frontier_bucket(link_to(&room, 1, 1, 0).host_hash);
    struct buf bytes = {.max = 1 << 20};
    for (unsigned what = 0; what < 4; what++) {
        struct frontier *copy = open_order(what % 2 ? ORDER_PRIORITY : ORDER_BREADTH);
        assert_rc(write_bucket(f, bucket, &bytes), RC_OK);
        if (what < 2)
            bytes.n--; /* a count */
        else
            bytes.p[8] = SNAPSHOT_VERSION_LINKS + 1;
        put_hash(&bytes);
        assert_rc(snapshot_read(copy, buf_str(&bytes), &context),
                  what < 2 ? RC_CORRUPT : RC_VERSION);
        assert_int_equal(frontier_counts(copy).known, 0);
        frontier_close(copy);
    }
    buf_done(&bytes);
    frontier_close(f);
}

/* A model -------------------------------------------------------------------------------------- */

/* A crawl that dies again and again: what it has is a snapshot, of which each bucket was made at a
 * moment of its own, and a journal from the snapshot's beginning on. Each URL must be done once,
 * and no list of a host may wait long. */
enum { HOSTS = 40, URLS = 3000, EVENTS = 20000 };

struct event {
    bool is_link;
    unsigned n;
    uint64_t sequence;
    uint8_t class, how;
};

struct model {
    struct frontier *f;
    struct rng rng;
    enum order_kind order;
    bool is_in[URLS], is_done[URLS];
    unsigned waits[HOSTS][FRONTIER_CLASSES];
    struct event journal[EVENTS];
    size_t events;
    struct buf snapshot[FRONTIER_BUCKETS], next[FRONTIER_BUCKETS];
    unsigned sliced; /* buckets of the next snapshot */
    size_t next_from, snapshot_from;
    uint64_t now;
};

static struct candidate model_link(struct link *room, const struct model *m, unsigned n)
{
    struct candidate c = link_to(room, n % HOSTS, n, n % 3);
    c.is_https = m->order == ORDER_BREADTH && n % 7 == 0; /* a second origin */
    if (m->order != ORDER_BREADTH && n % 13 == 0)
        c.class = ORDER_REVISITS;
    else if (m->order == ORDER_TOPIC)
        c.class = (uint8_t)(n % ORDER_LISTS);
    c.forward = (uint16_t)(n % 3 ? 0 : 1 + n * 37 % 200);
    return c;
}

static void note(struct model *m, struct event e)
{
    assert_true(m->events < EVENTS);
    m->journal[m->events++] = e;
}

static void model_admit(struct model *m)
{
    unsigned n = (unsigned)rng_below(&m->rng, URLS);
    struct link room;
    struct candidate c = model_link(&room, m, n);
    if (!m->is_in[n])
        note(m, (struct event){.is_link = true, .n = n});
    assert_int_equal(admit(m->f, &c), m->is_in[n] ? ADMITTED_KNOWN : ADMITTED_NEW);
    m->is_in[n] = true;
    if (n % 5 == 0)
        frontier_linked_again(m->f, c.host_hash, c.fingerprint, 40);
    frontier_learn(m->f, c.host_hash, c.path, n % 100);
}

/* The head of a class that it passes over has waited one turn of its host longer. */
static void count_waits(struct model *m, struct host *h, unsigned n, unsigned served)
{
    for (unsigned i = 0; i < FRONTIER_CLASSES; i++) {
        const struct host_class *c = host_class_of(h, i);
        bool waits = i != served && c && c->queue.count;
        unsigned *wait = &m->waits[n % HOSTS][i];
        *wait = waits ? *wait + 1 : 0;
        assert_in_range(*wait, 0, m->order == ORDER_PRIORITY ? 9 : 17);
    }
}

static void model_checkout(struct model *m)
{
    struct checkout l;
    if (frontier_checkout_next(m->f, m->now, &l) != RC_OK)
        return;
    unsigned n = number_of(&l),
             how = rng_below(&m->rng, 12) ? CHECKIN_DONE : (unsigned)rng_below(&m->rng, 3);
    assert_true(n < URLS && m->is_in[n] && !m->is_done[n]);
    count_waits(m, l.host, n, l.class);
    m->is_done[n] = how == CHECKIN_DONE;
    bool may_be_unsaid = how == CHECKIN_LAST && host_origins(l.host) > 1;
    if (!may_be_unsaid || rng_below(&m->rng, 2)) /* a host of several origins journals not each */
        note(m,
             (struct event){.n = n, .sequence = l.sequence, .class = l.class, .how = (uint8_t)how});
    frontier_checkin(m->f, &l, (enum checkin)how, m->now + rng_below(&m->rng, 30));
}

/* A few buckets; a snapshot that is whole takes the place of the one before. */
static void model_slice(struct model *m)
{
    if (!m->sliced)
        m->next_from = m->events;
    for (unsigned i = 0; i < 300 && m->sliced < FRONTIER_BUCKETS; i++)
        assert_rc(write_bucket(m->f, m->sliced, &m->next[m->sliced]), RC_OK), m->sliced++;
    if (m->sliced < FRONTIER_BUCKETS)
        return;
    for (unsigned b = 0; b < FRONTIER_BUCKETS; b++) {
        struct buf old = m->snapshot[b];
        m->snapshot[b] = m->next[b];
        m->next[b] = old;
    }
    m->snapshot_from = m->next_from;
    m->sliced = 0;
}

static void model_redo(struct model *m, const struct event *e)
{
    struct link room;
    struct candidate c = model_link(&room, m, e->n);
    if (e->is_link) {
        (void)admit(m->f, &c);
        return;
    }
    frontier_redo(m->f, &(struct redo){.host_hash = c.host_hash,
                                       .host = c.host,
                                       .path = c.path,
                                       .is_https = c.is_https,
                                       .sequence = e->sequence,
                                       .class = e->class,
                                       .how = (enum checkin)e->how});
}

static void model_crash(struct model *m)
{
    frontier_close(m->f);
    m->f = open_order(m->order);
    m->f->settings.replays = true;
    for (unsigned b = 0; b < FRONTIER_BUCKETS; b++)
        if (m->snapshot[b].n)
            assert_rc(snapshot_read(m->f, buf_str(&m->snapshot[b]), &context), RC_OK);
    for (size_t i = m->snapshot_from; i < m->events; i++)
        model_redo(m, &m->journal[i]);
    m->f->settings.replays = false;
    m->sliced = 0;
    memset(m->waits, 0, sizeof m->waits);
}

static void check_counts(const struct model *m)
{
    unsigned queued = 0;
    for (unsigned i = 0; i < URLS; i++)
        queued += m->is_in[i] && !m->is_done[i];
    assert_int_equal(frontier_counts(m->f).queued, queued);
}

static void run_model(enum order_kind order, unsigned seed)
{
    struct model *m = mem_zero(1, sizeof *m);
    assert_non_null(m);
    rng_init(&m->rng, test_seed(seed));
    m->order = order;
    m->f = open_order(order);
    for (unsigned b = 0; b < FRONTIER_BUCKETS; b++)
        m->snapshot[b].max = m->next[b].max = 1 << 20;
    for (unsigned step = 0; step < 9000; step++) {
        model_admit(m);
        if (rng_below(&m->rng, 3) == 0)
            model_checkout(m);
        if (rng_below(&m->rng, 40) == 0)
            model_slice(m);
        if (rng_below(&m->rng, 700) == 0)
            model_crash(m);
        m->now += rng_below(&m->rng, 3);
        if (step % 100 == 0)
            check_counts(m);
    }
    for (unsigned i = 0; i < 200000 && frontier_counts(m->f).queued; i++, m->now += 5) {
        model_checkout(m);
        if (rng_below(&m->rng, 700) == 0)
            model_crash(m);
    }
    check_counts(m);
    for (unsigned i = 0; i < URLS; i++)
        assert_int_equal(m->is_done[i], m->is_in[i]);
    for (unsigned b = 0; b < FRONTIER_BUCKETS; b++) {
        buf_done(&m->snapshot[b]);
        buf_done(&m->next[b]);
    }
    frontier_close(m->f);
    mem_free(m);
}

static void no_url_is_lost_or_done_twice_and_no_list_waits_long(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < (TEST_IS_SANITIZED || TEST_IS_EMULATED ? 1 : 5); seed++)
        for (unsigned order = 0; order < ORDER_KINDS_; order++)
            run_model((enum order_kind)order, 30 + seed);
}

/* Memory --------------------------------------------------------------------------------------- */

static enum rc few_urls(void *ctx)
{
    struct frontier_settings s = {.max_hosts = 10, .max_host_queue = 10, .order = ORDER_PRIORITY};
    struct frontier *f = frontier_open(&s, 0, 1);
    enum rc rc = f ? RC_OK : RC_NOMEM;
    struct checkout l;
    (void)ctx;
    for (unsigned i = 0; i < 9 && rc == RC_OK; i++) {
        struct link room;
        struct candidate c = link_to(&room, i % 2, i, i * 50);
        enum admitted what;
        size_t done;
        rc = frontier_admit(f, &c, 1, NOW, &what, &done);
        if (rc == RC_OK)
            frontier_linked_again(f, c.host_hash, c.fingerprint, 255);
    }
    for (unsigned i = 0; i < 9 && rc == RC_OK; i++) { /* heads move; without memory they stay */
        assert_rc(frontier_checkout_next(f, NOW, &l), RC_OK);
        frontier_checkin(f, &l, CHECKIN_DONE, 0);
    }
    frontier_close(f);
    return rc;
}

static void no_memory_loses_nothing(void **state)
{
    (void)state;
    test_each_allocation_fails(few_urls, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_lists_are_served_4_2_1),
        cmocka_unit_test(a_turn_without_a_ready_host_goes_to_the_best_that_has_one),
        cmocka_unit_test(urls_of_a_list_keep_their_order),
        cmocka_unit_test(revisits_have_their_own_turn),
        cmocka_unit_test(of_a_topic_a_link_comes_with_its_list),
        cmocka_unit_test(hosts_that_are_locked_to_the_wheel_do_not_starve),
        cmocka_unit_test(a_page_that_many_link_to_goes_to_a_worse_list),
        cmocka_unit_test(revisits_and_links_said_again_are_no_pages_that_link),
        cmocka_unit_test(breadth_first_counts_nothing),
        cmocka_unit_test(lists_and_counts_are_in_the_snapshot),
        cmocka_unit_test(each_order_reads_the_snapshots_of_the_others),
        cmocka_unit_test(breadth_first_after_lists_is_the_order_of_admission),
        cmocka_unit_test(only_priority_writes_the_new_version),
        cmocka_unit_test(a_snapshot_with_counts_missing_is_refused),
        cmocka_unit_test(no_url_is_lost_or_done_twice_and_no_list_waits_long),
        cmocka_unit_test(no_memory_loses_nothing),
    };
    return cmocka_run_group_tests_name("listing", tests, NULL, NULL);
}
