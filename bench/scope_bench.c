/* SPDX-License-Identifier: Apache-2.0 */
/* scope_bench: what a link costs to be judged, and a query to be counted. */
#include "base/hash.h"
#include "base/mem.h"
#include "bench.h"
#include "scope/budget.h"
#include "scope/scope.h"

#include <stdlib.h>

enum { ROUNDS = 20000, LINKS = 8, SEEDS = 100000, MOST_URL = 160 };

static const char *const links[LINKS] = {
    "https://www.example.org/",
    "https://www.example.org/articles/2024/05/how-to-crawl-the-web.html",
    "https://www.example.org/search?q=web+crawler&page=2&lang=en&sort=date",
    "https://www.example.org/wiki/Caf%C3%A9_(disambiguation)",
    "https://www.example.org/a/b/c/d/e/f/g/h.html",
    "https://www.example.org/files/annual-report-2024.pdf",
    "https://en.other.example/wiki/Web_crawler",
    "https://www.facebook.com/sharer.php?u=https://www.example.org/articles/",
};
static char rooms[LINKS][MOST_URL];
static struct url urls[LINKS];

static struct url parsed(const char *text, char room[MOST_URL])
{
    struct url u;
    struct url_parser parser = {.idn = NULL};
    if (url_parse(&parser, str_c(text), NULL, (struct url_room){room, MOST_URL}, &u))
        abort();
    return u;
}

static void add_seeds(struct scope *s, unsigned count)
{
    char text[MOST_URL], room[MOST_URL];
    struct url seed = parsed("https://www.example.org/articles/", room);
    if (scope_add_seed(s, &seed))
        abort();
    for (unsigned i = 1; i < count; i++) {
        (void)snprintf(text, sizeof text, "https://www.site-%u.example/", i);
        seed = parsed(text, room);
        if (scope_add_seed(s, &seed))
            abort();
    }
}

static void run(const char *name, enum scope_kind kind, unsigned seeds, const char *exclude,
                const char *goal)
{
    struct arena *arena = arena_open(1024, 1 << 16);
    struct scope_settings settings;
    struct scope *s = NULL;
    struct buf why = {.max = 1000};
    struct str pattern = str_c(exclude);
    double ns;
    if (!arena || options_default(scope_options, &settings, arena))
        abort();
    settings.scope = kind;
    settings.exclude = (struct option_list){&pattern, exclude != NULL};
    if (scope_open(&settings, &s, &why))
        abort();
    add_seeds(s, seeds);
    BENCH_BEST(ns, ROUNDS * LINKS,
               for (int i = 0; i < ROUNDS * LINKS; i++)
                   BENCH_USE(scope_check(s, &urls[i % LINKS], STR("LLLL"))));
    bench_row(name, ns, "ns", goal);
    scope_close(s);
    arena_close(arena);
}

static void bench_budget(void)
{
    static const struct budget_settings settings = {.domain_hosts = 1000, .path_queries = 1000};
    enum { PATHS = 100000 };
    struct budget *b = NULL;
    double ns;
    if (budget_open(&settings, &b))
        abort();
    BENCH_BEST(ns, PATHS,
               for (uint64_t i = 0; i < PATHS; i++)
                   BENCH_USE(budget_query(b, hash64_mix(i % 30000), STR("/articles/list?page=2"))));
    bench_row("query of a path", ns, "ns", "< 200");
    BENCH_BEST(
        ns, ROUNDS, for (int i = 0; i < ROUNDS; i++) {
            BENCH_USE(budget_take(b, STR("www.example.org"), 1, 1, 1));
            budget_used(b, STR("www.example.org"), true, 1000);
        });
    bench_row("take and use a page", ns, "ns", "< 5000");
    budget_close(b);
}

int main(void)
{
    for (int i = 0; i < LINKS; i++)
        urls[i] = parsed(links[i], rooms[i]);
    run("link, scope host, 1 seed", SCOPE_HOST, 1, NULL, "well under 100");
    run("link, scope host, 100,000 seeds", SCOPE_HOST, SEEDS, NULL, "well under 100");
    run("link, scope domain", SCOPE_DOMAIN, 1000, NULL, "none");
    run("link, scope prefix", SCOPE_PREFIX, 1000, NULL, "none");
    run("link, scope any", SCOPE_ANY, 1, NULL, "well under 100");
    run("link, scope any, one regex", SCOPE_ANY, 1, "\\.(jpe?g|png|gif|css|js)$", "none");
    bench_budget();
    return 0;
}
