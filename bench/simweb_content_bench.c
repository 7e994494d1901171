/* SPDX-License-Identifier: Apache-2.0 */
/* What a page of the simulated web costs to make, coding by coding. All pages are 28 KB, most
 * of them of UTF-8; the pieces they are made of are warm, and so is the cache for the few that are
 * not put together from pieces. */
#include "bench.h"

#include "content/content.h"

#include "base/mem.h"

enum { HOSTS = 50, PAGES = 40, BODY_BYTES = 1 << 20 };

static struct world *make_world(struct arena *arena)
{
    struct world_settings s;
    if (options_default(world_options, &s, arena) != RC_OK)
        return NULL;
    s.hosts = HOSTS;
    s.pages = PAGES;
    s.page_bytes = 28 << 10;
    s.page_spread = 0;
    s.redirects = 0;
    return world_open(&s);
}

/* All pages once; the bytes made. */
static uint64_t round_of(struct content *c, enum coding coding, struct buf *out)
{
    uint64_t bytes = 0;
    for (uint32_t h = 0; h < HOSTS; h++)
        for (uint32_t p = 0; p < PAGES; p++) {
            struct place place = {h, PLACE_PAGE, p, 0};
            buf_clear(out);
            content_body(c, place, (struct version){.text = p % 5}, coding, out);
            bytes += out->n;
        }
    return bytes;
}

static void run(struct content *c, enum coding coding, struct buf *out, uint64_t plain_bytes)
{
    static const char *const goals[CODING_COUNT_] = {"< 20000", "< 40000", "< 40000", "< 40000"};
    char name[64];
    double ns;
    uint64_t bytes = round_of(c, coding, out);
    BENCH_BEST(ns, HOSTS * PAGES, bytes = round_of(c, coding, out));
    const char *label = coding == CODING_IDENTITY ? "identity" : coding_name(coding);
    (void)snprintf(name, sizeof name, "simweb page, %s", label);
    bench_row(name, ns, "ns", goals[coding]);
    (void)snprintf(name, sizeof name, "simweb page, %s", label);
    bench_row(name, (double)plain_bytes / (HOSTS * PAGES) / ns * 1e3, "MB/s", "-");
    (void)snprintf(name, sizeof name, "simweb page, %s, plain to coded", label);
    bench_row(name, (double)plain_bytes / (double)bytes, "times", "-");
}

static void run_links(const struct world *w)
{
    struct links *links = mem_alloc(sizeof *links);
    double ns;
    if (!links)
        return;
    BENCH_BEST(
        ns, HOSTS * PAGES,
        for (uint32_t h = 0; h < HOSTS; h++) for (uint32_t p = 0; p < PAGES; p++) {
            links_of(w, (struct place){h, PLACE_PAGE, p, 0}, links);
            BENCH_USE(links->count);
        });
    bench_row("simweb page, its links alone", ns, "ns", "-");
    mem_free(links);
}

int main(void)
{
    struct arena *arena = arena_open(1 << 16, 1 << 20);
    struct world *w = arena ? make_world(arena) : NULL;
    double start = bench_cpu_ns();
    struct content *c = w ? content_open(w) : NULL;
    struct buf out = {.max = BODY_BYTES};
    if (!c)
        return 1;
    bench_row("simweb content_open", (bench_cpu_ns() - start) / 1e6, "ms", "< 100");
    run_links(w);
    uint64_t plain = round_of(c, CODING_IDENTITY, &out);
    for (unsigned k = 0; k < CODING_COUNT_; k++)
        run(c, (enum coding)k, &out, plain);
    buf_done(&out);
    content_close(c);
    world_close(w);
    arena_close(arena);
    return 0;
}
