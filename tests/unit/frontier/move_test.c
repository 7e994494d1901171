/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts that move between owners: nothing is lost, nothing doubled, no host asked too early. */
#include "frontier/move.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/rng.h"
#include "frontier/redo.h"
#include "lib/test.h"
#include "url/normalise.h"

#include <stdio.h>

enum { HOSTS = 12, URLS = 40, OWNERS = 2, NOW = 1000, STEPS = 3000, WALKS = 6, MOST_TOLD = 2000 };

static const struct frontier_settings roomy = {.max_hosts = 100, .max_host_queue = 1000};

/* The small web of this test ------------------------------------------------------------------ */

static struct str host_of(unsigned h)
{
    static char room[HOSTS][32];
    return str_make(room[h], (size_t)snprintf(room[h], sizeof room[h], "host-%u.test", h));
}

static struct str path_of(unsigned n)
{
    static char room[URLS][80];
    return str_make(room[n], (size_t)snprintf(room[n], sizeof room[n], "/%0*u", (int)(n % 60), n));
}

static struct candidate url_of(unsigned h, unsigned n)
{
    struct buf room = {.max = 1000};
    struct candidate c = {.host_hash = hash64(host_of(h)),
                          .host = host_of(h),
                          .path = path_of(n),
                          .via = n * 7,
                          .port = n % 3 ? 0 : 8080,
                          .is_https = n % 2,
                          .class = n % FRONTIER_CLASSES,
                          .seed_path = str_first(STR("LLELR"), n % 6)};
    assert_rc(move_fingerprint(c.host, c.is_https, c.port, c.path, &room, &c.fingerprint), RC_OK);
    buf_done(&room);
    return c;
}

static enum admitted admit(struct frontier *f, const struct candidate *c)
{
    enum admitted what;
    size_t done;
    assert_rc(frontier_admit(f, c, 1, NOW, &what, &done), RC_OK);
    return what;
}

static struct frontier *filled(unsigned hosts, unsigned urls)
{
    struct frontier *f = frontier_open(&roomy, 0, 1);
    assert_non_null(f);
    for (unsigned i = 0; i < hosts; i++)
        for (unsigned n = 0; n < urls; n++) {
            struct candidate c = url_of(i, n);
            assert_int_equal(admit(f, &c), ADMITTED_NEW);
        }
    return f;
}

/* What a walk told, kept ---------------------------------------------------------------------- */

struct told {
    struct moving_url urls[MOST_TOLD];
    char texts[MOST_TOLD][100];
    unsigned host_at[MOST_TOLD]; /* of the url, in hosts */
    struct moving_host hosts[HOSTS * 2];
    unsigned url_count, host_count, over_count;
    uint64_t mine; /* a bit per host */
    struct frontier *forget_in;
};

static unsigned number_of(uint64_t host_hash)
{
    for (unsigned i = 0; i < HOSTS; i++)
        if (hash64(host_of(i)) == host_hash)
            return i;
    fail();
    return 0;
}

static bool is_mine(void *ctx, uint64_t host_hash)
{
    struct told *t = ctx;
    return t->mine >> number_of(host_hash) & 1;
}

static void take_host(void *ctx, const struct moving_host *h)
{
    struct told *t = ctx;
    assert_true(t->host_count < HOSTS * 2);
    assert_str(h->name, host_of(number_of(h->host_hash)));
    t->hosts[t->host_count++] = *h;
}

static void take_url(void *ctx, const struct moving_url *u)
{
    struct told *t = ctx;
    assert_true(t->url_count < MOST_TOLD && u->path.n + u->seed_path.n < sizeof t->texts[0]);
    char *text = t->texts[t->url_count];
    memcpy(text, u->path.p, u->path.n);
    if (u->seed_path.n)
        memcpy(text + u->path.n, u->seed_path.p, u->seed_path.n);
    t->host_at[t->url_count] = t->host_count - 1;
    t->urls[t->url_count] = *u;
    t->urls[t->url_count].path.p = text;
    t->urls[t->url_count++].seed_path.p = text + u->path.n;
}

static void take_over(void *ctx, uint64_t host_hash, struct str name, bool is_out)
{
    struct told *t = ctx;
    t->over_count++;
    if (t->forget_in)
        assert_rc(move_forget(t->forget_in, host_hash, name), is_out ? RC_AGAIN : RC_OK);
}

/* As a host's extra: one byte, of the host's number. */
static void write_extra(void *ctx, const struct host *h, struct buf *out)
{
    (void)ctx;
    buf_byte(out, (char)number_of(host_hash(h)));
}

static struct snapshot_context context(void)
{
    return (struct snapshot_context){.now_ms = NOW,
                                     .wall_ms = 1700000000000,
                                     .most_wait_ms = 100000,
                                     .write_extra = write_extra};
}

static void walk(struct frontier *f, struct told *t, size_t most)
{
    struct move_walk w = {0};
    struct move_taker taker = {is_mine, take_host, take_url, take_over, t};
    struct snapshot_context c = context();
    bool is_over = false;
    for (unsigned i = 0; i < 20000 && !is_over; i++)
        assert_rc(move_step(f, &w, &c, &taker, most, &is_over), RC_OK);
    assert_true(is_over);
    move_walk_done(&w);
}

/* Tests --------------------------------------------------------------------------------------- */

static void a_fingerprint_is_that_of_the_whole_url(void **state)
{
    (void)state;
    static const char *const urls[] = {"http://a.test/", "https://a.test:8443/x?y=z",
                                       "http://a.test:81/%7Ea", "https://a.test/?"};
    static const struct {
        bool is_https;
        uint16_t port;
        const char *path;
    } parts[] = {{false, 0, "/"}, {true, 8443, "/x?y=z"}, {false, 81, "/%7Ea"}, {true, 0, "/?"}};
    struct buf room = {.max = 1000};
    for (size_t i = 0; i < 4; i++) {
        char text[200];
        struct url u;
        struct url_parser parser = {0};
        uint64_t fingerprint;
        assert_rc(
            url_parse(&parser, str_c(urls[i]), NULL, (struct url_room){text, sizeof text}, &u),
            RC_OK);
        assert_rc(move_fingerprint(STR("a.test"), parts[i].is_https, parts[i].port,
                                   str_c(parts[i].path), &room, &fingerprint),
                  RC_OK);
        assert_true(fingerprint == url_fingerprint(&u));
    }
    buf_done(&room);
}

static void a_walk_tells_all_of_others_whatever_its_steps(void **state)
{
    (void)state;
    for (size_t most = 1; most < 5000; most = most * 3 + 1) {
        struct frontier *f = filled(HOSTS, URLS);
        struct told *t = mem_zero(1, sizeof *t);
        bool seen[HOSTS][URLS] = {{false}};
        t->mine = 0x555;
        frontier_hold(f, frontier_host(f, hash64(host_of(1)), host_of(1)), NOW + 5000);
        walk(f, t, most);
        assert_int_equal(t->host_count, HOSTS / 2);
        assert_int_equal(t->over_count, HOSTS / 2);
        assert_int_equal(t->url_count, HOSTS / 2 * URLS);
        for (unsigned i = 0; i < t->host_count; i++) {
            unsigned h = number_of(t->hosts[i].host_hash);
            assert_true(h % 2 == 1);
            assert_int_equal(t->hosts[i].due_wall_ms, h == 1 ? 1700000005000 : 0);
            assert_int_equal(t->hosts[i].queued, URLS);
        }
        for (unsigned i = 0; i < t->url_count; i++) {
            unsigned h = number_of(t->hosts[t->host_at[i]].host_hash), n = 0;
            while (n < URLS && url_of(h, n).fingerprint != t->urls[i].fingerprint)
                n++;
            assert_true(n < URLS && !seen[h][n]);
            seen[h][n] = true;
            struct candidate c = url_of(h, n);
            assert_str(t->urls[i].path, c.path);
            assert_str(t->urls[i].seed_path, c.seed_path);
            assert_int_equal(t->urls[i].via, c.via);
            assert_int_equal(t->urls[i].class, c.class);
        }
        mem_free(t);
        frontier_close(f);
    }
}

static void a_host_that_is_out_stays_until_it_is_back(void **state)
{
    (void)state;
    struct frontier *f = filled(1, 5);
    struct told *t = mem_zero(1, sizeof *t);
    struct checkout l;
    assert_rc(frontier_checkout(f, 0, NOW, &l), RC_OK);
    t->forget_in = f;
    walk(f, t, 100);
    assert_int_equal(t->url_count, 4); /* not the one that is out */
    assert_true(t->hosts[0].is_out);
    assert_rc(move_forget(f, hash64(host_of(0)), host_of(0)), RC_AGAIN);
    frontier_checkin(f, &l, CHECKIN_DONE, 0);
    *t = (struct told){.forget_in = f};
    walk(f, t, 100);
    assert_int_equal(t->url_count, 4);
    assert_int_equal(frontier_counts(f).hosts, 0);
    assert_int_equal(frontier_counts(f).queued, 0);
    assert_int_equal(frontier_counts(f).known, 1); /* what is done */
    assert_rc(move_forget(f, hash64(host_of(0)), host_of(0)), RC_OK);
    assert_rc(frontier_checkout(f, 0, NOW, &l), RC_AGAIN);
    mem_free(t);
    frontier_close(f);
}

static void what_is_forgotten_can_come_back_and_what_is_done_not(void **state)
{
    (void)state;
    struct frontier *f = filled(HOSTS, URLS);
    struct checkout l;
    struct candidate first = url_of(3, 0), second = url_of(3, 1);
    assert_rc(move_done(f, first.host_hash, first.host, &first.fingerprint, 1), RC_OK);
    for (unsigned i = 0; i < HOSTS; i++)
        assert_rc(move_forget(f, hash64(host_of(i)), host_of(i)), RC_OK);
    assert_int_equal(frontier_counts(f).hosts, 0);
    assert_int_equal(frontier_counts(f).known, 1);
    assert_int_equal(admit(f, &first), ADMITTED_KNOWN);
    assert_int_equal(admit(f, &second), ADMITTED_NEW);
    assert_rc(frontier_checkout(f, 0, NOW, &l), RC_OK);
    assert_str(l.path, second.path);
    frontier_checkin(f, &l, CHECKIN_DONE, 0);
    frontier_close(f);
}

static void only_what_is_done_can_become_unknown(void **state)
{
    (void)state;
    struct frontier *f = filled(1, 3);
    struct candidate done = url_of(0, 0), waits = url_of(0, 1), never = url_of(0, 7);
    uint64_t list[] = {done.fingerprint, waits.fingerprint, never.fingerprint};
    struct checkout l;
    assert_rc(move_done(f, done.host_hash, done.host, &done.fingerprint, 1), RC_OK);
    assert_rc(frontier_checkout(f, 0, NOW, &l), RC_OK); /* the second is out */
    assert_str(l.path, waits.path);
    uint64_t known = frontier_counts(f).known;
    assert_rc(move_unknow(f, done.host_hash, done.host, list, 3), RC_OK);
    assert_int_equal(frontier_counts(f).known, known - 1);
    assert_int_equal(admit(f, &waits), ADMITTED_KNOWN);
    assert_int_equal(admit(f, &done), ADMITTED_NEW);
    assert_rc(move_unknow(f, done.host_hash, done.host, list, 3), RC_OK);
    assert_int_equal(admit(f, &done), ADMITTED_KNOWN);
    frontier_checkin(f, &l, CHECKIN_DONE, 0);
    frontier_close(f);
}

static void done_elsewhere_leaves_the_queue_from_anywhere(void **state)
{
    (void)state;
    struct rng rng;
    rng_init(&rng, test_seed(31));
    for (unsigned round = 0; round < 40; round++) {
        struct frontier *f = filled(2, URLS);
        struct checkout l = {0};
        bool is_done[URLS] = {false}, is_out = round % 2;
        unsigned left = URLS;
        if (is_out)
            do
                assert_rc(frontier_checkout(f, round % 4, NOW, &l), RC_OK);
            while (!str_eq(l.host_name, host_of(0)));
        for (unsigned batch = 0; batch < 4; batch++) {
            uint64_t list[URLS];
            size_t count = 0;
            for (unsigned n = 0; n < URLS; n++)
                if (rng_below(&rng, 4) == 0) {
                    struct candidate c = url_of(0, n);
                    bool is_checked_out = is_out && str_eq(l.path, c.path);
                    list[count++] = c.fingerprint;
                    left -= !is_done[n] && !is_checked_out;
                    is_done[n] = true;
                }
            for (unsigned twice = 0; twice < 2; twice++)
                assert_rc(move_done(f, hash64(host_of(0)), host_of(0), list, count), RC_OK);
            assert_int_equal(host_queued(frontier_host(f, hash64(host_of(0)), host_of(0))), left);
            assert_int_equal(frontier_counts(f).known, 2 * URLS);
        }
        if (is_out) { /* it has an end of its own */
            for (unsigned n = 0; n < URLS; n++)
                is_done[n] |= str_eq(l.path, url_of(0, n).path);
            frontier_checkin(f, &l, CHECKIN_DONE, 0);
        }
        unsigned checkout = 0;
        while (frontier_checkout(f, 0, NOW, &l) == RC_OK) {
            for (unsigned n = 0; n < URLS; n++)
                if (str_eq(l.host_name, host_of(0)) && str_eq(l.path, path_of(n)))
                    assert_false(is_done[n]);
            checkout++;
            frontier_checkin(f, &l, CHECKIN_DONE, 0);
        }
        unsigned expected = URLS;
        for (unsigned n = 0; n < URLS; n++)
            expected += !is_done[n];
        /* where round 1, 3 … checkout other hosts on the way they are still out */
        assert_true(is_out || checkout == expected);
        assert_true(checkout <= expected);
        frontier_close(f);
    }
}

static void unknown_ones_become_known_without_a_host(void **state)
{
    (void)state;
    struct frontier *f = frontier_open(&roomy, 0, 1);
    struct candidate c = url_of(0, 0);
    assert_rc(move_done(f, c.host_hash, c.host, &c.fingerprint, 1), RC_OK);
    assert_rc(move_done(f, c.host_hash, c.host, &c.fingerprint, 1), RC_OK);
    assert_int_equal(frontier_counts(f).known, 1);
    assert_int_equal(frontier_counts(f).hosts, 0);
    assert_int_equal(admit(f, &c), ADMITTED_KNOWN);
    frontier_close(f);
}

/* Host records -------------------------------------------------------------------------------- */

struct extra_log {
    uint64_t newest_ms;
    char bytes[8];
    unsigned reads;
};

static bool is_newer(void *ctx, const struct host *h, uint64_t time_ms, struct str extra)
{
    const struct extra_log *log = ctx;
    (void)h;
    (void)extra;
    return time_ms > log->newest_ms;
}

static enum rc read_extra(void *ctx, struct host *h, struct str bytes, size_t *ret_bytes)
{
    struct extra_log *log = ctx;
    (void)h;
    *ret_bytes = bytes.n;
    log->reads++;
    memcpy(log->bytes, bytes.p, bytes.n);
    log->newest_ms = (uint64_t)bytes.p[0];
    return RC_OK;
}

static void a_host_record_only_pushes_the_moment_on(void **state)
{
    (void)state;
    static const struct {
        uint64_t in_ms, time_ms, due_ms;
        unsigned reads;
        const char *extra;
    } rows[] = {
        {5000, 3, NOW + 5000, 1, "\3a"},        /* the first */
        {2000, 2, NOW + 5000, 1, "\2b"},        /* older, and earlier */
        {7000, 1, NOW + 7000, 1, "\1c"},        /* older, but later: the moment counts */
        {0, 4, NOW + 7000, 2, "\4d"},           /* newer, with no moment */
        {900000000, 4, NOW + 100000, 2, "\4e"}, /* a clock that is wrong is cut */
    };
    struct frontier *f = frontier_open(&roomy, 0, 1);
    struct candidate c = url_of(0, 0);
    struct snapshot_context context_in = context();
    struct extra_log log = {0};
    context_in.read_extra = read_extra;
    context_in.ctx = &log;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct move_record r = {.host_hash = c.host_hash,
                                .name = c.host,
                                .next_wall_ms =
                                    rows[i].in_ms ? context_in.wall_ms + rows[i].in_ms : 0,
                                .time_ms = rows[i].time_ms,
                                .extra = str_make(rows[i].extra, 2),
                                .is_newer = is_newer,
                                .ctx = &log};
        for (unsigned twice = 0; twice < 2; twice++)
            assert_rc(move_host(f, &r, &context_in), RC_OK);
        assert_int_equal(log.reads, rows[i].reads);
        if (i == 0)
            assert_int_equal(admit(f, &c), ADMITTED_NEW);
        assert_int_equal(frontier_due_ms(f), rows[i].due_ms);
    }
    assert_int_equal(frontier_counts(f).hosts, 1);
    struct move_record none = {.host_hash = 1, .name = STR("")};
    assert_rc(move_host(f, &none, &context_in), RC_INVALID);
    frontier_close(f);
}

/* To and fro ---------------------------------------------------------------------------------- */

struct world {
    struct frontier *f[OWNERS];
    unsigned owner[HOSTS];
    bool is_found[HOSTS][URLS];
    unsigned fetched[HOSTS][URLS];
    struct rng rng;
};

static void number_of_url(const struct checkout *l, unsigned *h, unsigned *n)
{
    for (*h = 0; !str_eq(host_of(*h), l->host_name); ++*h)
        ;
    for (*n = 0; *n < URLS && !(str_eq(path_of(*n), l->path) && *n % 2 == l->is_https); ++*n)
        ;
    assert_true(*n < URLS);
}

/* What is owned elsewhere goes there; a part of it twice. */
static void move_all(struct world *w, unsigned from)
{
    struct told *t = mem_zero(1, sizeof *t);
    struct frontier *to = w->f[!from];
    struct snapshot_context c = context();
    for (unsigned h = 0; h < HOSTS; h++)
        t->mine |= (uint64_t)(w->owner[h] == from) << h;
    t->forget_in = w->f[from];
    walk(w->f[from], t, 1 + rng_below(&w->rng, 50));
    for (unsigned again = 0; again < 2; again++) {
        for (unsigned i = 0; i < t->host_count; i++) {
            struct move_record r = {.host_hash = t->hosts[i].host_hash,
                                    .name = host_of(number_of(t->hosts[i].host_hash)),
                                    .next_wall_ms = t->hosts[i].due_wall_ms};
            if (rng_below(&w->rng, 2) || !again)
                assert_rc(move_host(to, &r, &c), RC_OK);
        }
        for (unsigned i = 0; i < t->url_count; i++) {
            const struct moving_url *u = &t->urls[i];
            unsigned h = number_of(t->hosts[t->host_at[i]].host_hash);
            struct candidate in = {.fingerprint = u->fingerprint,
                                   .host_hash = hash64(host_of(h)),
                                   .host = host_of(h),
                                   .path = u->path,
                                   .via = u->via,
                                   .port = u->port,
                                   .is_https = u->is_https,
                                   .class = u->class,
                                   .seed_path = u->seed_path};
            if (!again || rng_below(&w->rng, 2))
                (void)admit(to, &in);
        }
    }
    mem_free(t);
}

/* The dones of a host that has moved, out of the other's history; any number of times. */
static void tell_dones(struct world *w, unsigned h)
{
    uint64_t list[URLS];
    size_t count = 0;
    for (unsigned n = 0; n < URLS; n++)
        if (w->fetched[h][n])
            list[count++] = url_of(h, n).fingerprint;
    assert_rc(move_done(w->f[w->owner[h]], hash64(host_of(h)), host_of(h), list, count), RC_OK);
}

static void fetch_some(struct world *w, unsigned who, unsigned most)
{
    struct checkout l;
    while (most-- &&
           frontier_checkout(w->f[who], (unsigned)rng_below(&w->rng, 4), NOW, &l) == RC_OK) {
        unsigned h, n;
        number_of_url(&l, &h, &n);
        assert_int_equal(w->owner[h], who);
        if (rng_below(&w->rng, 4) == 0) {
            frontier_checkin(w->f[who], &l, CHECKIN_LAST, 0);
            continue;
        }
        assert_int_equal(w->fetched[h][n], 0); /* nothing is doubled */
        w->fetched[h][n] = 1;
        frontier_checkin(w->f[who], &l, CHECKIN_DONE, 0);
    }
}

static void find_one(struct world *w)
{
    unsigned h = (unsigned)rng_below(&w->rng, HOSTS), n = (unsigned)rng_below(&w->rng, URLS);
    struct candidate c = url_of(h, n);
    enum admitted what = admit(w->f[w->owner[h]], &c);
    assert_int_equal(what, w->is_found[h][n] ? ADMITTED_KNOWN : ADMITTED_NEW);
    w->is_found[h][n] = true;
}

static void change_owners(struct world *w)
{
    bool has_moved[HOSTS] = {false};
    for (unsigned h = 0; h < HOSTS; h++)
        if (rng_below(&w->rng, 3) == 0) {
            w->owner[h] = !w->owner[h];
            has_moved[h] = true;
        }
    for (unsigned h = 0; h < HOSTS; h++)
        if (has_moved[h] && rng_below(&w->rng, 2)) {
            tell_dones(w, h); /* before its URLs, */
            has_moved[h] = rng_below(&w->rng, 2);
        }
    move_all(w, 0);
    move_all(w, 1);
    for (unsigned h = 0; h < HOSTS; h++)
        if (has_moved[h])
            tell_dones(w, h); /* or behind them */
}

static void to_and_fro_nothing_is_lost_and_nothing_doubled(void **state)
{
    (void)state;
    uint64_t seed = test_seed(41);
    for (unsigned walk_number = 0; walk_number < WALKS; walk_number++) {
        struct world *w = mem_zero(1, sizeof *w);
        unsigned found = 0, fetched = 0, moves = 0;
        rng_init(&w->rng, seed + walk_number);
        for (unsigned i = 0; i < OWNERS; i++)
            assert_non_null(w->f[i] = frontier_open(&roomy, 0, 1));
        for (unsigned step = 0; step < STEPS; step++) {
            uint64_t choice = rng_below(&w->rng, 40);
            if (choice < 36)
                find_one(w);
            else if (choice < 39)
                fetch_some(w, (unsigned)rng_below(&w->rng, 2), (unsigned)rng_below(&w->rng, 8));
            else if (++moves)
                change_owners(w);
        }
        assert_true(moves > 20);
        while (frontier_counts(w->f[0]).queued + frontier_counts(w->f[1]).queued) {
            fetch_some(w, 0, 1000);
            fetch_some(w, 1, 1000);
        }
        for (unsigned h = 0; h < HOSTS; h++)
            for (unsigned n = 0; n < URLS; n++) {
                found += w->is_found[h][n];
                fetched += w->fetched[h][n];
            }
        assert_int_equal(found, fetched); /* nothing is lost */
        for (unsigned i = 0; i < OWNERS; i++)
            frontier_close(w->f[i]);
        mem_free(w);
    }
}

/* Without memory ------------------------------------------------------------------------------ */

static enum rc move_some(void *ctx)
{
    (void)ctx;
    struct frontier *f = frontier_open(&roomy, 0, 1);
    enum admitted what[1];
    size_t done;
    enum rc rc = f ? RC_OK : RC_NOMEM;
    static struct told t;
    t = (struct told){0};
    struct move_taker taker = {is_mine, take_host, take_url, take_over, &t};
    struct snapshot_context c = context();
    for (unsigned n = 0; n < 12 && rc == RC_OK; n++) {
        static char path[12][8];
        int bytes = snprintf(path[n], sizeof path[n], "/%u", n);
        struct candidate in = {.fingerprint = n + 1,
                               .host_hash = hash64(host_of(0)),
                               .host = host_of(0),
                               .path = str_make(path[n], (size_t)bytes)};
        rc = frontier_admit(f, &in, 1, NOW, what, &done);
    }
    struct move_walk w = {0};
    bool is_over = false;
    while (rc == RC_OK && !is_over)
        rc = move_step(f, &w, &c, &taker, 100, &is_over);
    move_walk_done(&w);
    uint64_t list[100];
    for (unsigned i = 0; i < 100; i++)
        list[i] = 1 + i * i;
    if (rc == RC_OK)
        rc = move_done(f, hash64(host_of(0)), host_of(0), list, 100);
    if (rc == RC_OK) {
        uint64_t hosts = frontier_counts(f).hosts;
        rc = move_forget(f, hash64(host_of(0)), host_of(0));
        assert_int_equal(frontier_counts(f).hosts, rc ? hosts : 0);
    }
    struct move_record r = {.host_hash = hash64(host_of(1)), .name = host_of(1)};
    if (rc == RC_OK)
        rc = move_host(f, &r, &c);
    frontier_close(f);
    return rc;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    test_each_allocation_fails(move_some, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fingerprint_is_that_of_the_whole_url),
        cmocka_unit_test(a_walk_tells_all_of_others_whatever_its_steps),
        cmocka_unit_test(a_host_that_is_out_stays_until_it_is_back),
        cmocka_unit_test(what_is_forgotten_can_come_back_and_what_is_done_not),
        cmocka_unit_test(only_what_is_done_can_become_unknown),
        cmocka_unit_test(done_elsewhere_leaves_the_queue_from_anywhere),
        cmocka_unit_test(unknown_ones_become_known_without_a_host),
        cmocka_unit_test(a_host_record_only_pushes_the_moment_on),
        cmocka_unit_test(to_and_fro_nothing_is_lost_and_nothing_doubled),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("move", tests, NULL, NULL);
}
