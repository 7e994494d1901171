/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of sets of known URLs (ledger.h, enum ledger_seen): what a page costs whose links are
 * looked up, journalled if new, and admitted. CPU of the whole process, so that snapshots, and the
 * threads that sort and merge a database, count too. The argument is the number of pages (20,000).
 */
#include "bench.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/rng.h"
#include "ledger/ledger.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

enum { LINKS = 40, NEW_LINKS = 4, HOSTS = 3000, SNAPSHOT_EVERY = 5000 };

struct run {
    struct disk *disk;
    struct ledger *ledger;
    struct frontier *frontier;
    struct rng rng;
    uint64_t urls; /* admitted so far */
    char names[LINKS][32], paths[LINKS][32];
};

static double process_cpu_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st, (void)kind, (void)at;
    return remove(path);
}

static void must(enum rc rc)
{
    if (!rc)
        return;
    (void)fprintf(stderr, "%s\n", rc_text(rc));
    abort();
}

static void open_run(struct run *r, const char *root, const char *seen, enum ledger_seen kind)
{
    struct buf why = {.max = 1000};
    struct ledger_report report;
    struct ledger_settings s = {
        .shards = 1,
        .frontier = {.max_hosts = 1000000, .max_host_queue = 1000000},
        .seen = {.kind = kind, .path = seen, .bytes = 64 << 20, .expected = 10000000, .loss = 1e-4},
        .warc = {.prefix = STR("B"), .host = STR("b"), .info = {.software = STR("bench")}},
        .journal = {.segment_bytes = 64 << 20, .buffer_bytes = 16 << 20},
        .digest_bytes = 10000,
        .snapshot_bytes = UINT64_MAX,
        .slice_buckets = 4096,
        .clock = clock_real()};
    *r = (struct run){0};
    rng_init(&r->rng, 1);
    must(disk_real_open(root, &r->disk));
    must(ledger_open(r->disk, &s, (struct ledger_hears){0}, &r->ledger, &report, &why));
    r->frontier = ledger_frontier(r->ledger, 0);
}

static struct candidate link_of(struct run *r, unsigned at, uint64_t url)
{
    uint64_t host = hash64_mix(url) % HOSTS;
    int n =
        snprintf(r->names[at], sizeof r->names[at], "host%llu.example", (unsigned long long)host);
    int m =
        snprintf(r->paths[at], sizeof r->paths[at], "/topic/page-%llu", (unsigned long long)url);
    struct str name = str_make(r->names[at], (size_t)n);
    return (struct candidate){.fingerprint = hash64_mix(url + 77),
                              .host = name,
                              .host_hash = hash64(name),
                              .path = str_make(r->paths[at], (size_t)m),
                              .seed_path = STR("LL")};
}

static uint64_t choose_url(struct run *r, unsigned at)
{
    return at < NEW_LINKS || !r->urls ? r->urls + at : rng_below(&r->rng, r->urls);
}

static void page(struct run *r)
{
    struct candidate fresh[LINKS];
    enum admitted became[LINKS];
    size_t count = 0;
    unsigned epoch;
    for (unsigned i = 0; i < LINKS; i++) {
        struct candidate c = link_of(r, i, choose_url(r, i));
        if (!frontier_knows(r->frontier, c.host_hash, c.fingerprint))
            fresh[count++] = c;
    }
    struct ledger_outcome o = {.links = fresh, .link_count = count};
    must(ledger_record_outcome(r->ledger, 0, &o, &epoch));
    must(ledger_admit(r->ledger, 0, epoch, fresh, count, 0, became));
    must(ledger_turn(r->ledger, 0));
    r->urls += r->urls ? NEW_LINKS : LINKS;
}

static void take_snapshot(struct run *r)
{
    ledger_checkpoint(r->ledger);
    for (unsigned i = 0; i < 3; i++) {
        must(ledger_sync(r->ledger));
        for (unsigned k = 0; k < 80; k++)
            must(ledger_turn(r->ledger, 0));
    }
}

static void look_up(struct run *r, const char *kind, bool is_known)
{
    enum { LOOKS = 200000 };
    char name[60];
    uint64_t found = 0;
    double start = process_cpu_us();
    for (unsigned i = 0; i < LOOKS; i++) {
        uint64_t url = rng_below(&r->rng, r->urls) + (is_known ? 0 : r->urls + LINKS);
        struct candidate c = link_of(r, 0, url);
        found += frontier_knows(r->frontier, c.host_hash, c.fingerprint);
    }
    (void)snprintf(name, sizeof name, "%s: look up a %s URL", kind, is_known ? "known" : "new");
    bench_row(name, (process_cpu_us() - start) / LOOKS, "us", "-");
    BENCH_USE(found);
}

static void measure(const char *kind_name, enum ledger_seen kind, uint64_t pages)
{
    struct run r;
    char root[] = "/tmp/orbweaver-seen-XXXXXX", seen[60], name[60];
    if (!mkdtemp(root))
        abort();
    (void)snprintf(seen, sizeof seen, "%s/seen", root);
    open_run(&r, root, seen, kind);
    double start = process_cpu_us();
    for (uint64_t i = 1; i <= pages; i++) {
        page(&r);
        if (i % SNAPSHOT_EVERY == 0)
            take_snapshot(&r);
    }
    (void)snprintf(name, sizeof name, "%s: a page of %d links", kind_name, LINKS);
    bench_row(name, (process_cpu_us() - start) / (double)pages, "us", "-");
    take_snapshot(&r);
    look_up(&r, kind_name, true);
    look_up(&r, kind_name, false);
    struct frontier_counts c = frontier_counts(r.frontier);
    (void)snprintf(name, sizeof name, "%s: memory of the frontier", kind_name);
    bench_row(name, (double)c.bytes / (double)c.known, "bytes a known URL", "-");
    ledger_close(r.ledger);
    disk_close(r.disk);
    (void)nftw(root, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

int main(int argc, char **argv)
{
    uint64_t pages = argc > 1 ? strtoull(argv[1], NULL, 10) : 20000;
    measure("exact", LEDGER_SEEN_EXACT, pages);
    measure("rocksdb", LEDGER_SEEN_ROCKSDB, pages);
    measure("bloom", LEDGER_SEEN_BLOOM, pages);
    return 0;
}
