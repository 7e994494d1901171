/* SPDX-License-Identifier: Apache-2.0 */
#include "drive.h"

#include "bench.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/rng.h"
#include "ledger/host_records.h"

#include <ftw.h>
#include <stdlib.h>
#include <string.h>

enum { TURN_PAGES = 100, FILL = 43, TEXT = 64, DELAY_MS = 1000, PAGE_MS = 2 };

struct links {
    struct candidate list[FILL];
    char hosts[FILL][TEXT], paths[FILL][TEXT];
};

bool drive_folder(char root[DRIVE_ROOT_BYTES])
{
    const char *tmp = getenv("TMPDIR");
    (void)snprintf(root, DRIVE_ROOT_BYTES, "%s/orbweaver-bench-XXXXXX", tmp ? tmp : "/tmp");
    return mkdtemp(root) != NULL;
}

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st, (void)kind, (void)at;
    return remove(path);
}

void drive_remove(const char *root)
{
    (void)nftw(root, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

/* As many from 1 to 2 as from 1,000 to 2,000. */
static uint64_t some_host(uint64_t hosts, uint64_t seed)
{
    struct rng r;
    unsigned levels = 1;
    rng_init(&r, seed);
    while (UINT64_C(1) << levels < hosts)
        levels++;
    uint64_t top = UINT64_C(2) << rng_below(&r, levels);
    uint64_t host = top / 2 + rng_below(&r, top / 2);
    return host < hosts ? host : rng_below(&r, hosts);
}

/* The first URLs give every host one; then four of five follow the page they stand on. */
static uint64_t host_of(const struct drive *d, uint64_t url)
{
    if (url < d->hosts)
        return url;
    uint64_t page = url / DRIVE_NEW;
    return some_host(d->hosts, hash64_mix(url) % 5 ? ~page : url);
}

static uint64_t fingerprint_of(uint64_t url)
{
    return hash64_mix(url + 1);
}

static struct str host_name_of(char room[TEXT], uint64_t host)
{
    int n = snprintf(room, TEXT, "www.host%llu.example", (unsigned long long)host);
    return str_make(room, (size_t)n);
}

/* The `count` URLs from `url` on, as candidates. */
static void make_links(const struct drive *d, struct links *l, uint64_t url, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        struct str host = host_name_of(l->hosts[i], host_of(d, url + i));
        int n = snprintf(l->paths[i], TEXT, "/section/topic/a-page-about-%018llu",
                         (unsigned long long)url + i);
        l->list[i] = (struct candidate){.fingerprint = fingerprint_of(url + i),
                                        .host_hash = hash64(host),
                                        .host = host,
                                        .path = str_make(l->paths[i], (size_t)n),
                                        .via = url,
                                        .seed_path = STR("LLL")};
    }
}

enum rc drive_open(const char *root, uint64_t hosts, struct drive *ret)
{
    struct buf why = {.max = 1000};
    struct ledger_settings s = {.shards = 1,
                                .frontier = {.max_hosts = 1 << 24, .max_host_queue = UINT32_MAX},
                                .warc = {.prefix = STR("B"),
                                         .host = STR("bench"),
                                         .roll_bytes = 1000000000,
                                         .buffer_bytes = 16 << 20},
                                .journal = {.segment_bytes = 64 << 20, .buffer_bytes = 16 << 20},
                                .digest_bytes = 1 << 20,
                                .snapshot_bytes = UINT64_MAX,
                                .most_wait_ms = 86400 * 1000,
                                .clock = clock_real()};
    struct drive d = {.hosts = hosts};
    enum rc rc = disk_real_open(root, &d.disk);
    if (rc)
        return rc;
    rc = ledger_open(d.disk, &s, (struct ledger_hears){0}, &d.ledger, &d.report, &why);
    if (rc) {
        (void)fprintf(stderr, "%s: %s: " STR_FMT "\n", root, rc_text(rc), STR_ARG(buf_str(&why)));
        disk_close(d.disk);
    } else {
        d.now_ms = clock_now_ms(s.clock) + s.most_wait_ms; /* nobody waits for an earlier run */
        d.urls = frontier_counts(ledger_frontier(d.ledger, 0)).known;
        *ret = d;
    }
    buf_done(&why);
    return rc;
}

void drive_close(struct drive *d)
{
    ledger_close(d->ledger);
    disk_close(d->disk);
}

static enum rc fill_some(struct drive *d, struct links *l, bool journalled)
{
    enum admitted what[FILL];
    size_t done;
    unsigned epoch;
    if (!journalled)
        return frontier_admit(ledger_frontier(d->ledger, 0), l->list, FILL, d->now_ms, what, &done);
    struct ledger_outcome o = {.links = l->list, .link_count = FILL};
    enum rc rc = ledger_record_outcome(d->ledger, 0, &o, &epoch);
    rc = rc ? rc : ledger_admit(d->ledger, 0, epoch, l->list, FILL, d->now_ms, what);
    return rc || d->urls / FILL % TURN_PAGES ? rc : ledger_turn(d->ledger, 0);
}

enum rc drive_fill(struct drive *d, uint64_t urls, bool journalled)
{
    static struct links l;
    enum rc rc = RC_OK;
    while (d->urls < urls && rc == RC_OK) {
        make_links(d, &l, d->urls, FILL);
        rc = fill_some(d, &l, journalled);
        d->urls += FILL;
    }
    return rc;
}

/* What is looked up: made before the time is taken. */
struct question {
    uint64_t host_hash, fingerprint;
};

static void make_questions(const struct drive *d, struct question list[DRIVE_KNOWN])
{
    char room[TEXT];
    for (unsigned i = 0; i < DRIVE_KNOWN; i++) {
        uint64_t url = hash64_mix(d->urls * DRIVE_KNOWN + i) % d->urls;
        list[i].host_hash = hash64(host_name_of(room, host_of(d, url)));
        list[i].fingerprint = fingerprint_of(url);
    }
}

static void make_lines(struct ledger_line lines[4])
{
    static char text[700];
    memset(text, 'x', sizeof text);
    text[249] = text[429] = text[499] = text[699] = '\n';
    lines[0] = (struct ledger_line){LEDGER_CDXJ, str_make(text, 250)};
    lines[1] = (struct ledger_line){LEDGER_CRAWL_LOG, str_make(text + 250, 180)};
    lines[2] = (struct ledger_line){LEDGER_NODES, str_make(text + 430, 70)};
    lines[3] = (struct ledger_line){LEDGER_ARCS, str_make(text + 500, 200)};
}

enum rc drive_page(struct drive *d, struct drive_times *t)
{
    static struct links new;
    struct question known[DRIVE_KNOWN];
    struct ledger_line lines[4];
    enum admitted what[DRIVE_NEW];
    struct frontier *f = ledger_frontier(d->ledger, 0);
    struct checkout checkout;
    unsigned epoch;
    make_links(d, &new, d->urls, DRIVE_NEW);
    make_questions(d, known);
    make_lines(lines);
    double start = bench_cpu_ns();
    bool has_url = frontier_checkout(f, 0, d->now_ms, &checkout) == RC_OK;
    struct host_record *record = has_url ? host_record_of(checkout.host) : NULL;
    if (record)
        record->pages++;
    double checkout_at = bench_cpu_ns();
    for (unsigned i = 0; i < DRIVE_KNOWN; i++)
        BENCH_USE(frontier_knows(f, known[i].host_hash, known[i].fingerprint));
    double known_at = bench_cpu_ns();
    struct ledger_outcome o = {.checkout = has_url ? &checkout : NULL,
                               .due_ms = d->now_ms + DELAY_MS,
                               .lines = lines,
                               .line_count = 4,
                               .links = new.list,
                               .link_count = DRIVE_NEW,
                               .pages = 1,
                               .bytes = 30000};
    enum rc rc = ledger_record_outcome(d->ledger, 0, &o, &epoch);
    double recorded_at = bench_cpu_ns();
    rc = rc ? rc : ledger_admit(d->ledger, 0, epoch, new.list, DRIVE_NEW, d->now_ms, what);
    double admitted_at = bench_cpu_ns();
    d->urls += DRIVE_NEW;
    d->now_ms += PAGE_MS;
    if (rc == RC_OK && d->urls / DRIVE_NEW % TURN_PAGES == 0)
        rc = ledger_turn(d->ledger, 0);
    t->checkout += checkout_at - start;
    t->knows += known_at - checkout_at;
    t->outcome += recorded_at - known_at;
    t->admit += admitted_at - recorded_at;
    t->turn += bench_cpu_ns() - admitted_at;
    return rc;
}
