/* SPDX-License-Identifier: Apache-2.0 */
/* What the durability of a page costs the shard's thread: 40 links that are known, 5 that are new,
 * four lines; settled, admitted, and given to the kernel every 100 pages. Syncs and images are the
 * helper's time and are not counted. On real files in a folder of its own below $TMPDIR or /tmp. */
#include "bench.h"

#include "base/clock.h"
#include "base/hash.h"
#include "crawl/ledger.h"

#include <ftw.h>
#include <stdlib.h>
#include <string.h>

enum { PAGES = 20000, NEW = 5, KNOWN = 40, TURN_PAGES = 100, HOSTS = 500, TEXT = 64 };

struct page {
    struct candidate links[NEW];
    char hosts[NEW][TEXT], paths[NEW][TEXT];
};

struct times {
    double settle, admit, knows, turn;
};

/* The page's links are those numbered from page * NEW on. */
static void make_page(struct page *p, uint64_t page)
{
    for (unsigned i = 0; i < NEW; i++) {
        unsigned long long n = page * NEW + i;
        (void)snprintf(p->hosts[i], TEXT, "www.host%llu.example", n % HOSTS);
        (void)snprintf(p->paths[i], TEXT, "/category/%llu/some-article-%llu.html", n % 97, n);
        p->links[i] = (struct candidate){.fingerprint = hash64_mix(n + 1),
                                         .position = hash64(str_c(p->hosts[i])),
                                         .host = str_c(p->hosts[i]),
                                         .path = str_c(p->paths[i]),
                                         .via = page,
                                         .hops = STR("LLL")};
    }
}

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st, (void)kind, (void)at;
    return remove(path);
}

static enum rc do_page(struct ledger *l, uint64_t page, uint64_t now_ms, struct times *t)
{
    static char text[700];
    static struct page p;
    enum admitted what[NEW];
    struct lent lent;
    unsigned epoch;
    memset(text, 'x', sizeof text);
    text[249] = text[429] = text[499] = text[699] = '\n';
    struct ledger_line lines[] = {{LEDGER_CDXJ, str_make(text, 250)},
                                  {LEDGER_CRAWL_LOG, str_make(text + 250, 180)},
                                  {LEDGER_NODES, str_make(text + 430, 70)},
                                  {LEDGER_ARCS, str_make(text + 500, 200)}};
    struct frontier *f = ledger_frontier(l, 0);
    make_page(&p, page);
    bool lends = frontier_lend(f, 0, now_ms, &lent) == RC_OK;
    struct card *card = lends ? card_of(lent.host) : NULL;
    struct ledger_outcome o = {.lent = lends ? &lent : NULL,
                               .due_ms = now_ms + 1,
                               .lines = lines,
                               .line_count = 4,
                               .links = p.links,
                               .link_count = NEW,
                               .pages = 1,
                               .bytes = 30000};
    if (card)
        card->pages++;
    double start = bench_cpu_ns();
    for (uint64_t i = 0; i < KNOWN; i++) {
        uint64_t n = hash64_mix(page * KNOWN + i) % (page * NEW + 1);
        BENCH_USE(frontier_knows(f, p.links[i % NEW].position, hash64_mix(n + 1)));
    }
    double known = bench_cpu_ns();
    enum rc rc = ledger_settle(l, 0, &o, &epoch);
    double settled = bench_cpu_ns();
    rc = rc ? rc : ledger_admit(l, 0, epoch, p.links, NEW, now_ms, what);
    double admitted = bench_cpu_ns();
    if (rc == RC_OK && page % TURN_PAGES == 0)
        rc = ledger_turn(l, 0);
    t->knows += known - start;
    t->settle += settled - known;
    t->admit += admitted - settled;
    t->turn += bench_cpu_ns() - admitted;
    return rc;
}

static enum rc run(const char *root)
{
    struct disk *d;
    struct ledger *l;
    struct ledger_report report;
    struct times t = {0};
    struct buf why = {.max = 1000};
    struct ledger_settings s = {.shards = 1,
                                .frontier = {.max_hosts = 1 << 20, .max_host_queue = 1 << 20},
                                .warc = {.prefix = STR("B"),
                                         .host = STR("bench"),
                                         .roll_bytes = 1000000000,
                                         .buffer_bytes = 16 << 20},
                                .journal = {.segment_bytes = 64 << 20, .buffer_bytes = 16 << 20},
                                .digest_bytes = 1 << 20,
                                .image_bytes = UINT64_MAX,
                                .clock = clock_real()};
    enum rc rc = disk_real_open(root, &d);
    if (rc)
        return rc;
    rc = ledger_open(d, &s, (struct ledger_hears){0}, &l, &report, &why);
    if (rc) {
        disk_close(d);
        return rc;
    }
    for (uint64_t page = 0; page < PAGES && rc == RC_OK; page++)
        rc = do_page(l, page, 1000 + page * 2, &t);
    if (rc == RC_OK) {
        bench_row("settle: 5 links, 4 lines", t.settle / PAGES / 1000, "us", "10");
        bench_row("admit: 5 new", t.admit / PAGES / 1000, "us", "5");
        bench_row("known: 40", t.knows / PAGES / 1000, "us", "6");
        bench_row("turn, a page's share", t.turn / PAGES / 1000, "us", "10");
    }
    if (rc == RC_OK && (rc = ledger_sync(l)) == RC_OK)
        bench_row("journal", (double)ledger_totals(l).journal_bytes / PAGES, "bytes", "-");
    ledger_close(l);
    buf_done(&why);
    disk_close(d);
    return rc;
}

int main(void)
{
    char root[200];
    const char *tmp = getenv("TMPDIR");
    (void)snprintf(root, sizeof root, "%s/orbweaver-bench-XXXXXX", tmp ? tmp : "/tmp");
    if (!mkdtemp(root))
        return 1;
    enum rc rc = run(root);
    (void)nftw(root, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    return rc != RC_OK;
}
