/* SPDX-License-Identifier: Apache-2.0 */
/* The frontier without network, under a clock that is only counted up: what a new URL, a known one
 * and a checkout cost and take as the crawl grows from 10^4 URLs to the argument (10^6; 10^7 with a
 * million hosts is the whole spike). */
#include "bench.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/rng.h"
#include "frontier/frontier.h"

#include <stdlib.h>
#include <sys/resource.h>

enum { LINKS = 43, PAGES = 100, URLS = LINKS * PAGES, NAME_BYTES = 32, PATH_BYTES = 56 };

/* Pages' links, written before the time is taken. */
struct batch {
    struct candidate list[URLS];
    char names[URLS][NAME_BYTES];
    char paths[URLS][PATH_BYTES];
    enum admitted what[URLS];
};

struct web {
    uint64_t hosts;
    unsigned levels; /* 2^levels >= hosts */
    struct batch batch;
};

/* By Zipf's law with exponent 1, nearly: as many from 1 to 2 as from 1,000 to 2,000. */
static uint64_t some_host(const struct web *w, struct rng *r)
{
    uint64_t top = UINT64_C(2) << rng_below(r, w->levels);
    uint64_t host = top / 2 + rng_below(r, top / 2);
    return host < w->hosts ? host : rng_below(r, w->hosts);
}

static void make_link(struct web *w, unsigned i, uint64_t host, uint64_t url)
{
    struct batch *b = &w->batch;
    int n = snprintf(b->names[i], NAME_BYTES, "www.host%llu.example", (unsigned long long)host);
    struct str name = str_make(b->names[i], (size_t)n);
    n = snprintf(b->paths[i], PATH_BYTES, "/section/topic/a-page-about-%017llu",
                 (unsigned long long)url);
    b->list[i] = (struct candidate){
        .host = name,
        .path = str_make(b->paths[i], (size_t)n),
        .host_hash = hash64(name),
        .fingerprint = hash64_mix(hash64(name) + url * UINT64_C(0x9e3779b97f4a7c15)),
        .via = url,
        .seed_path = STR("LLL"),
    };
}

/* PAGES pages whose numbers begin at `page`: four links in five stay on the page's own host. The
 * same page has the same links whenever it is made. */
static void make_pages(struct web *w, uint64_t page)
{
    for (unsigned p = 0; p < PAGES; p++) {
        struct rng r;
        rng_init(&r, page + p);
        uint64_t own = some_host(w, &r);
        for (unsigned i = 0; i < LINKS; i++)
            make_link(w, p * LINKS + i, rng_below(&r, 5) ? own : some_host(w, &r),
                      (page + p) * LINKS + i);
    }
}

/* What admitting the batch costs, page by page. */
static double admit_ns(struct web *w, struct frontier *f)
{
    size_t done;
    double start = bench_cpu_ns();
    for (unsigned p = 0; p < PAGES; p++)
        if (frontier_admit(f, w->batch.list + (size_t)p * LINKS, LINKS, 0,
                           w->batch.what + (size_t)p * LINKS, &done))
            abort();
    return bench_cpu_ns() - start;
}

static void make_hosts(struct web *w, struct frontier *f)
{
    for (uint64_t h = 0; h < w->hosts; h += URLS) {
        for (unsigned i = 0; i < URLS; i++)
            make_link(w, i, (h + i) % w->hosts, UINT64_C(1) << 50 | (h + i));
        (void)admit_ns(w, f);
    }
}

/* Ten batches of new pages, of pages from anywhere before, and of checkouts. */
static void measure(struct web *w, struct frontier *f, uint64_t *pages, struct rng *r)
{
    double fresh = 0, known = 0, checkouts = 0;
    uint64_t count = 0;
    for (int i = 0; i < 10; i++, *pages += PAGES) {
        make_pages(w, *pages);
        fresh += admit_ns(w, f);
        make_pages(w, rng_below(r, *pages / PAGES + 1) * PAGES);
        known += admit_ns(w, f);
    }
    double start = bench_cpu_ns();
    for (; count < 10000; count++) {
        struct checkout l;
        if (frontier_checkout(f, 0, count * 10, &l))
            break;
        frontier_checkin(f, &l, CHECKIN_AGAIN, count * 10 + 1000);
    }
    checkouts = bench_cpu_ns() - start;
    struct frontier_counts c = frontier_counts(f);
    printf("%9llu URLs %8llu hosts: new %6.0f ns, known %5.0f ns, checkout %6.0f ns, %5.1f bytes a "
           "URL\n",
           (unsigned long long)c.known, (unsigned long long)c.hosts, fresh / (10 * URLS),
           known / (10 * URLS), checkouts / (double)(count ? count : 1),
           (double)c.bytes / (double)c.known);
}

int main(int argc, char **argv)
{
    uint64_t most = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000 * 1000;
    struct frontier_settings s = {.max_hosts = 1 << 24, .max_host_queue = UINT32_MAX};
    struct frontier *f = frontier_open(&s, 0, 1);
    struct web *w = mem_zero(1, sizeof *w);
    struct rng r;
    uint64_t pages = 0;
    if (!f || !w)
        return 1;
    rng_init(&r, 1);
    w->hosts = most / 10;
    while (UINT64_C(1) << w->levels < w->hosts)
        w->levels++;
    for (uint64_t target = 10000; target <= most; target *= 10) {
        while (frontier_counts(f).known < target) {
            make_pages(w, pages);
            (void)admit_ns(w, f);
            pages += PAGES;
        }
        if (target == most)
            make_hosts(w, f);
        measure(w, f, &pages, &r);
    }
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    printf(
        "goals: new 1000 ns, known 150 ns; 10^7 URLs and 10^6 hosts below 2 GB: resident %ld MB\n",
        use.ru_maxrss / 1024);
    frontier_close(f);
    mem_free(w);
    return 0;
}
