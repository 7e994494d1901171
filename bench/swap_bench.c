/* SPDX-License-Identifier: Apache-2.0 */
/* The frontier past memory: URLs (10^6, or the first argument) on a tenth as many hosts come in
 * pages of 43 links, a thousand pages a second by a clock that is only counted up, into a frontier
 * with a budget of so many MB (the second argument; 40). For each page that comes
 * one URL is checked out and in again. What is written and read is done at once, and its time is
 * counted apart. */
#include "bench.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/rng.h"
#include "frontier/swap_job.h"

#include <stdlib.h>
#include <sys/resource.h>

enum { LINKS = 43, NAME_BYTES = 32, PATH_BYTES = 56, WALL_MS = 1700000000, SLICE_MS = 60000 };
#define FOLDER "rest"

struct web {
    uint64_t hosts;
    unsigned levels; /* 2^levels >= hosts */
    struct candidate list[LINKS];
    char names[LINKS][NAME_BYTES];
    char paths[LINKS][PATH_BYTES];
    enum admitted what[LINKS];
};

struct carrier {
    struct disk *disk;
    struct swap_job *first, *last;
    double disk_ns;
    uint64_t written, read, loads;
};

static void send(void *ctx, struct swap_job *j)
{
    struct carrier *c = ctx;
    double start = bench_cpu_ns();
    if (j->what != SWAP_READ)
        c->written += j->bytes.n;
    swap_job_do(c->disk, FOLDER, j);
    if (j->what == SWAP_READ) {
        c->read += j->bytes.n;
        c->loads++;
    }
    j->next = NULL;
    if (c->last)
        c->last->next = j;
    else
        c->first = j;
    c->last = j;
    c->disk_ns += bench_cpu_ns() - start;
}

static void must(enum rc rc)
{
    if (rc) {
        fprintf(stderr, "%s\n", rc_text(rc));
        exit(1);
    }
}

static void take_back(struct frontier *f, struct carrier *c, const struct snapshot_context *t)
{
    while (c->first) {
        struct swap_job *j = c->first;
        struct swap_file loaded;
        char path[SWAP_PATH_BYTES];
        unsigned bucket = j->bucket;
        c->first = j->next;
        if (!c->first)
            c->last = NULL;
        must(frontier_came(f, j, t, &loaded));
        if (loaded.generation)
            must(disk_unlink(c->disk, swap_path(path, FOLDER, bucket, loaded.generation)));
    }
}

static uint64_t some_host(const struct web *w, struct rng *r)
{
    uint64_t top = UINT64_C(2) << rng_below(r, w->levels);
    uint64_t host = top / 2 + rng_below(r, top / 2);
    return host < w->hosts ? host : rng_below(r, w->hosts);
}

static void make_page(struct web *w, uint64_t page)
{
    struct rng r;
    rng_init(&r, page);
    uint64_t own = rng_below(&r, w->hosts);
    for (unsigned i = 0; i < LINKS; i++) {
        uint64_t host = rng_below(&r, 5) ? own : some_host(w, &r), url = page * LINKS + i;
        int n = snprintf(w->names[i], NAME_BYTES, "www.host%llu.example", (unsigned long long)host);
        struct str name = str_make(w->names[i], (size_t)n);
        n = snprintf(w->paths[i], PATH_BYTES, "/section/topic/a-page-about-%017llu",
                     (unsigned long long)url);
        w->list[i] = (struct candidate){
            .host = name,
            .path = str_make(w->paths[i], (size_t)n),
            .host_hash = hash64(name),
            .fingerprint = hash64_mix(hash64(name) + url * UINT64_C(0x9e3779b97f4a7c15)),
            .via = page,
            .seed_path = STR("LLL"),
        };
    }
}

static long resident_mb(void)
{
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return use.ru_maxrss / 1024;
}

static void show(const struct frontier *f, const struct carrier *c, uint64_t urls,
                 uint64_t checkouts, double ns)
{
    struct frontier_counts n = frontier_counts(f);
    printf("%9llu URLs came, %8llu hosts, %4llu buckets swapped, %8llu not sorted: %6.0f ns a URL "
           "(with "
           "%.2f checkouts), disk %5.0f ns; %5.0f bytes written and %5.0f read a URL, %llu loads; "
           "%llu MB "
           "counted, %ld MB resident at most\n",
           (unsigned long long)urls, (unsigned long long)n.hosts, (unsigned long long)n.swapped,
           (unsigned long long)n.unsorted, ns / (double)urls, (double)checkouts / (double)urls,
           c->disk_ns / (double)urls, (double)c->written / (double)urls,
           (double)c->read / (double)urls, (unsigned long long)c->loads,
           (unsigned long long)(n.bytes >> 20), resident_mb());
    fflush(stdout);
}

static enum rc remove_one(void *ctx, struct str name, bool is_folder)
{
    char path[300];
    (void)is_folder;
    (void)snprintf(path, sizeof path, FOLDER "/" STR_FMT, STR_ARG(name));
    return disk_unlink(ctx, path);
}

static void come_all(struct frontier *f, struct carrier *c, struct web *w, uint64_t most)
{
    double work_ns = 0;
    uint64_t checkouts = 0, next = 10000;
    for (uint64_t page = 0, urls = 0; urls < most; page++) {
        struct snapshot_context t = {
            .now_ms = 1000 + page, .wall_ms = WALL_MS + page, .most_wait_ms = 1 << 30};
        size_t done;
        bool more;
        struct checkout l;
        make_page(w, page);
        double start = bench_cpu_ns(), disk_ns = c->disk_ns;
        must(frontier_admit(f, w->list, LINKS, t.now_ms, w->what, &done));
        if (frontier_checkout(f, 0, t.now_ms, &l) == RC_OK) {
            frontier_checkin(f, &l, CHECKIN_DONE, t.now_ms + 1000);
            checkouts++;
        }
        take_back(f, c, &t);
        must(frontier_rotate(f, &t, false, &more));
        work_ns += bench_cpu_ns() - start - (c->disk_ns - disk_ns);
        urls += LINKS;
        if (urls >= next || urls >= most) {
            show(f, c, urls, checkouts, work_ns);
            next *= 10;
        }
    }
}

int main(int argc, char **argv)
{
    uint64_t most = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000 * 1000;
    uint64_t budget_mb = argc > 2 ? strtoull(argv[2], NULL, 10) : 40;
    struct frontier_settings s = {.max_hosts = 1 << 24,
                                  .max_host_queue = UINT32_MAX,
                                  .memory_bytes = budget_mb << 20,
                                  .slice_ms = SLICE_MS};
    char root[] = "rest_bench.XXXXXX";
    struct carrier c = {0};
    struct frontier *f = frontier_open(&s, 0, 1);
    struct web *w = mem_zero(1, sizeof *w);
    if (!f || !w || !mkdtemp(root))
        return 1;
    must(disk_real_open(root, &c.disk));
    must(disk_mkdir(c.disk, FOLDER));
    frontier_swap_begin(f, (struct swap_carrier){send, &c}, 0);
    w->hosts = most / 10;
    while (UINT64_C(1) << w->levels < w->hosts)
        w->levels++;
    come_all(f, &c, w, most);
    while (c.first) {
        struct swap_job *j = c.first;
        c.first = j->next;
        swap_job_close(j);
    }
    frontier_close(f);
    must(disk_list(c.disk, FOLDER, remove_one, c.disk));
    disk_close(c.disk);
    char path[64];
    (void)snprintf(path, sizeof path, "%s/" FOLDER, root);
    (void)remove(path);
    (void)remove(root);
    mem_free(w);
    return 0;
}
