/* SPDX-License-Identifier: Apache-2.0 */
/* url_bench: resolving and normalising links as they stand in pages. */
#include "base/mem.h"
#include "bench.h"
#include "url/domain.h"
#include "url/idn.h"
#include "url/machine.h"
#include "url/normalise.h"
#include "url/surt.h"

#include <stdlib.h>

enum { ROUNDS = 200000 };

static const struct {
    const char *name, *link;
} links[] = {
    {"relative", "chapter-2.html"},
    {"relative with dots", "../images/2024/figure-1.png"},
    {"absolute path", "/articles/2024/05/how-to-crawl-the-web.html"},
    {"absolute", "https://www.example.org/articles/2024/05/how-to-crawl-the-web.html"},
    {"query", "/search?q=web+crawler&page=2&lang=en&sort=date"},
    {"query with tracking", "https://www.example.org/p/42?utm_source=feed&utm_medium=rss&id=7"},
    {"percent-encoded path", "/wiki/Caf%c3%a9_%28disambiguation%29"},
    {"fragment", "#section-2"},
    {"other scheme", "mailto:someone@example.org"},
    {"space (whole machine)", "/files/annual report 2024.pdf"},
    {"UTF-8 (whole machine)", "/wiki/Z\xc3\xbcrich"},
    {"IDN host (ICU)", "https://b\xc3\xbc"
                       "cher.example/katalog"},
};
enum { LINK_COUNT = sizeof links / sizeof *links, TYPICAL = 8 };

static char page_room[URL_ROOM_BYTES], room[URL_ROOM_BYTES];
static struct url page;
static struct url_parser parser;
static const struct url_room link_room = {room, sizeof room};

static void resolve(struct str link)
{
    struct url u;
    if (url_parse(&parser, link, &page, link_room, &u))
        abort();
    url_normalise(&u, URL_RULES_DEFAULT);
    BENCH_USE(u.n);
}

static void resolve_slowly(struct str link)
{
    struct url u;
    if (url_machine_parse(&parser, link, &page, link_room, &u))
        abort();
    url_normalise(&u, URL_RULES_DEFAULT);
    BENCH_USE(u.n);
}

static void bench_links(void)
{
    double ns, sum = 0;
    for (size_t i = 0; i < LINK_COUNT; i++) {
        struct str link = str_c(links[i].link);
        BENCH_BEST(ns, ROUNDS, for (int n = 0; n < ROUNDS; n++) resolve(link));
        bench_row(links[i].name, ns, "ns", i < TYPICAL ? "well under 500" : "none");
        sum += i < TYPICAL ? ns : 0;
    }
    bench_row("mean of the first eight", sum / TYPICAL, "ns", "well under 500");
    struct str link = str_c(links[3].link);
    BENCH_BEST(ns, ROUNDS, for (int n = 0; n < ROUNDS; n++) resolve_slowly(link));
    bench_row("absolute, by the whole machine", ns, "ns", "none");
}

static void bench_swap(void)
{
    double ns;
    struct url u;
    char text[256];
    if (url_parse(&parser, str_c(links[3].link), NULL, link_room, &u))
        abort();
    BENCH_BEST(ns, ROUNDS, for (int n = 0; n < ROUNDS; n++) BENCH_USE(url_fingerprint(&u)));
    bench_row("fingerprint", ns, "ns", "none");
    BENCH_BEST(
        ns, ROUNDS, for (int n = 0; n < ROUNDS; n++) {
            struct buf out = buf_on(text, sizeof text);
            url_cdx_key(&u, &out);
            BENCH_USE(out.n);
        });
    bench_row("CDX key", ns, "ns", "none");
    BENCH_BEST(ns, ROUNDS, for (int n = 0; n < ROUNDS; n++) BENCH_USE(url_domain(url_host(&u)).n));
    bench_row("registrable domain (libpsl)", ns, "ns", "none");
}

int main(void)
{
    struct url_idn *idn = NULL;
    if (url_idn_open(&idn))
        return 1;
    parser.idn = idn;
    if (url_parse(&parser, STR("https://www.example.org/articles/2024/05/index.html?x=1"), NULL,
                  (struct url_room){page_room, sizeof page_room}, &page))
        return 1;
    /* Any allocation of ours from here on fails, and says so below. */
    mem_fault_at(1);
    bench_links();
    bench_swap();
    bench_row("allocations", mem_fault_hit(), "", "0");
    mem_fault_at(0);
    url_idn_close(idn);
    return 0;
}
