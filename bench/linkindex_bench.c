/* SPDX-License-Identifier: Apache-2.0 */
/* The link index: CPU of its thread for each link and for a page of 43 links, all merges included,
 * and of a look into it. The arguments: pages (400,000), and bytes of text that make a run. The
 * usual ones make as many runs of as many levels as 10,000,000 pages with runs of 16 MB would. */
#include "bench.h"

#include "base/hash.h"
#include "base/rng.h"
#include "linkindex/link_index.h"
#include "linkindex/link_look.h"
#include "outputs/arcs.h"

#include <ftw.h>
#include <stdlib.h>

enum { LINKS = 43, FLUSH_BYTES = 8 << 20 };

static void must(enum rc rc)
{
    if (!rc)
        return;
    (void)fprintf(stderr, "%s\n", rc_text(rc));
    abort();
}

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st, (void)kind, (void)at;
    return remove(path);
}

static uint64_t append(struct disk_file *f, struct buf *text, size_t least)
{
    struct str piece = buf_str(text);
    must(buf_rc(text));
    if (piece.n < least || !piece.n)
        return 0;
    must(disk_append(f, &piece, 1));
    buf_clear(text);
    return piece.n;
}

/* A third of the links lead to one in a hundred URLs, the rest anywhere. */
static uint64_t choose(struct rng *rng, uint64_t pages)
{
    uint64_t url = rng_below(rng, rng_below(rng, 3) ? pages : pages / 100 + 1);
    return hash64_mix(url + 1);
}

static void make_text(struct disk *d, uint64_t pages, uint64_t bytes[PAIR_KINDS])
{
    struct buf arcs = {.max = 64 << 20}, nodes = {.max = 64 << 20};
    struct disk_file *f[PAIR_KINDS];
    struct rng rng;
    rng_init(&rng, 1);
    must(disk_mkdir(d, "links"));
    for (unsigned k = 0; k < PAIR_KINDS; k++)
        must(disk_open(d, index_text_path((enum pair_kind)k), DISK_CREATE, &f[k]));
    for (uint64_t i = 0; i < pages; i++) {
        arc_line_begin(&arcs, hash64_mix(i + 1));
        for (unsigned n = 0; n < LINKS; n++)
            arc_line_add(&arcs, n % 9 ? 'L' : 'E', choose(&rng, pages));
        buf_byte(&arcs, '\n');
        node_line_begin(&nodes, hash64_mix(i + 1));
        buf_printf(&nodes, "https://www.host%llu.example/a/usual/path/of/%llu.html\n",
                   (unsigned long long)(i % 1000), (unsigned long long)i);
        bytes[PAIRS_LINKS] += append(f[PAIRS_LINKS], &arcs, FLUSH_BYTES);
        bytes[PAIRS_NAMES] += append(f[PAIRS_NAMES], &nodes, FLUSH_BYTES);
    }
    bytes[PAIRS_LINKS] += append(f[PAIRS_LINKS], &arcs, 0);
    bytes[PAIRS_NAMES] += append(f[PAIRS_NAMES], &nodes, 0);
    for (unsigned k = 0; k < PAIR_KINDS; k++)
        disk_file_close(f[k]);
    buf_done(&arcs);
    buf_done(&nodes);
}

static void grow(struct disk *d, const uint64_t bytes[PAIR_KINDS], size_t chunk, uint64_t pages)
{
    struct link_index_settings s = {.chunk_bytes = chunk};
    struct link_index x;
    struct buf why = {.max = 1000};
    bool did = true;
    uint64_t size = 0;
    unsigned level = 0;
    must(link_index_open(&x, d, &s, &why));
    double start = bench_cpu_ns();
    while (did)
        must(link_index_grow(&x, bytes, &did));
    double ns = (bench_cpu_ns() - start) / (double)pages;
    const struct index_runs *r = &x.list.of[PAIRS_LINKS];
    for (size_t i = 0; i < r->count; i++) {
        size += r->list[i].bytes;
        level = r->list[i].level > level ? r->list[i].level : level;
    }
    bench_row("link index: a link", ns / LINKS, "ns", "230");
    bench_row("link index: a page of 43 links", ns / 1000, "us", "10");
    bench_row("runs that were made of text", (double)r->covered / (double)x.settings.chunk_bytes,
              "runs", "-");
    bench_row("how often a link was merged, at most", level, "times", "-");
    bench_row("bytes of the index for a link", (double)size / (double)(pages * LINKS), "bytes",
              "-");
    link_index_close(&x);
}

static enum rc count_page(void *ctx, uint64_t page, uint32_t letters)
{
    (void)page, (void)letters;
    ++*(uint64_t *)ctx;
    return RC_OK;
}

static enum rc count_url(void *ctx, uint64_t fingerprint, struct str url)
{
    (void)fingerprint, (void)url;
    ++*(uint64_t *)ctx;
    return RC_OK;
}

static void look(struct disk *d, uint64_t pages)
{
    struct link_look l;
    struct buf why = {.max = 1000};
    struct rng rng;
    uint64_t found = 0;
    rng_init(&rng, 2);
    double start = bench_cpu_ns();
    must(link_look_open(&l, d, &why));
    bench_row("open it to look", (bench_cpu_ns() - start) / 1e6, "ms", "-");
    start = bench_cpu_ns();
    for (unsigned i = 0; i < 20; i++)
        must(link_look_pages(&l, hash64_mix(rng_below(&rng, pages) + 1), count_page, &found));
    bench_row("which pages link to a URL", (bench_cpu_ns() - start) / 20e6, "ms", "-");
    BENCH_USE(found);
    found = 0;
    start = bench_cpu_ns();
    for (unsigned i = 0; i < 20; i++) {
        uint64_t one = hash64_mix(rng_below(&rng, pages) + 1);
        must(link_look_urls(&l, &one, 1, count_url, &found));
    }
    bench_row("the URL of a fingerprint", (bench_cpu_ns() - start) / 20e6, "ms", "-");
    if (found != 20)
        must(RC_CORRUPT);
    link_look_close(&l);
}

int main(int argc, char **argv)
{
    uint64_t pages = argc > 1 ? strtoull(argv[1], NULL, 10) : 400000;
    size_t chunk = argc > 2 ? (size_t)strtoull(argv[2], NULL, 10)
                            : (size_t)((double)LINK_INDEX_CHUNK * (double)pages / 1e7);
    const char *folder = getenv("TMPDIR");
    char root[1000];
    (void)snprintf(root, sizeof root, "%s/orbweaver-links-XXXXXX", folder ? folder : "/tmp");
    uint64_t bytes[PAIR_KINDS] = {0};
    struct disk *d;
    if (!mkdtemp(root))
        abort();
    must(disk_real_open(root, &d));
    make_text(d, pages, bytes);
    grow(d, bytes, chunk, pages);
    look(d, pages);
    disk_close(d);
    (void)nftw(root, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    return 0;
}
