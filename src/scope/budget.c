/* SPDX-License-Identifier: Apache-2.0 */
#include "scope/budget.h"

#include "base/hash.h"
#include "base/mem.h"
#include "scope/domain_table.h"
#include "scope/query_table.h"

#include <assert.h>
#include <stdatomic.h>
#include <sys/random.h>
#include <sys/types.h>

enum { QUERY_SET_BITS = 16 }; /* half a million paths, 8 MB */

/* Each is set on its own, so that a change needs no lock: a thread that reads during a change sees
 * some of the old settings and some of the new ones, for one question. */
struct limits {
    _Atomic uint64_t pages, size_bytes, time_ms, host_pages, host_bytes, domain_pages, domain_bytes,
        domain_hosts, farm_pages, page_hosts, path_queries;
    _Atomic uint64_t sitemap_depth, host_sitemaps, host_sitemap_urls, host_url_bytes;
};

struct budget {
    struct limits limits;
    _Atomic uint64_t pages, bytes, elapsed_ms;   /* the last of earlier runs */
    _Atomic uint64_t fetched;                    /* of the pages; the others are reserved */
    _Atomic uint64_t others_pages, others_bytes; /* other agents', by their word */
    _Atomic bool is_over_elsewhere;
    _Atomic bool was_over_elsewhere; /* said once in this run; the agent that said it may be gone */
    struct domain_sums *sums;        /* NULL: there are no other agents */
    struct domain_table *domains;
    struct query_table *queries;
};

/* clang-format off */
#define ROW(kind, field, ...) OPTION_##kind##_ROW(struct budget_settings, field, __VA_ARGS__)
const struct option budget_options[] = {
    ROW(COUNT, pages, "pages", "0", "stop after this number of pages; 0 is no limit",
        .letter = 'n', .live = true),
    ROW(SIZE, size_bytes, "size", "0", "stop after this number of bytes; 0 is no limit",
        .letter = 'Q', .live = true),
    ROW(DURATION, time_ms, "time", "0", "stop after this time; 0 is no limit",
        .letter = 't', .live = true),
    ROW(COUNT, host_pages, "host-pages", "0", "most pages of a host; 0 is no limit", .live = true),
    ROW(SIZE, host_bytes, "host-size", "0", "most bytes of a host; 0 is no limit", .live = true),
    ROW(COUNT, domain_pages, "domain-pages", "0",
        "most pages of a registrable domain; 0 is no limit", .live = true),
    ROW(SIZE, domain_bytes, "domain-size", "0",
        "most bytes of a registrable domain; 0 is no limit", .live = true),
    ROW(COUNT, domain_hosts, "domain-hosts", "1000",
        "most hosts of a registrable domain, and as many again for each other domain that links to "
        "it; 0 is no limit", .live = true),
    ROW(COUNT, farm_pages, "farm-pages", "20k",
        "most pages of a registrable domain with more hosts than it may have; 0 is no limit",
        .live = true),
    ROW(COUNT, page_hosts, "page-hosts", "200", "most new hosts that one page brings; 0 is no limit",
        .live = true),
    ROW(COUNT, path_queries, "path-queries", "1000",
        "most different queries of one path; 0 is no limit", .live = true),
    ROW(COUNT, bring.sitemap_depth, "sitemap-depth", "3",
        "how deep sitemaps may name sitemaps; 0 is no limit", .live = true),
    ROW(COUNT, bring.sitemaps, "host-sitemaps", "10k",
        "most sitemaps that one host names; 0 is no limit", .live = true),
    ROW(COUNT, bring.sitemap_urls, "host-sitemap-urls", "250k",
        "most new pages that one host names by sitemaps and feeds; 0 is no limit", .live = true),
    ROW(SIZE, bring.url_bytes, "host-url-size", "1G",
        "most bytes of new URLs that the pages and sitemaps of one host bring; 0 is no limit",
        .live = true),
    {0},
};
/* clang-format on */

const char *budget_verdict_text(enum budget_verdict v)
{
    static const char *const texts[BUDGET_VERDICTS_] = {
        [BUDGET_OK] = "within the budget",
        [BUDGET_PAGES] = "the limit of pages is reached",
        [BUDGET_BYTES] = "the limit of bytes is reached",
        [BUDGET_TIME] = "the crawl's time is over",
        [BUDGET_ELSEWHERE] = "another agent says that a limit is reached",
        [BUDGET_HOST] = "the limit of its host is reached",
        [BUDGET_DOMAIN] = "the limit of its domain is reached",
    };
    return (unsigned)v < BUDGET_VERDICTS_ ? texts[v] : "unknown";
}

static uint64_t get(const _Atomic uint64_t *value)
{
    return atomic_load_explicit(value, memory_order_relaxed);
}

static void set(_Atomic uint64_t *value, uint64_t to)
{
    atomic_store_explicit(value, to, memory_order_relaxed);
}

static bool is_full(uint64_t used, const _Atomic uint64_t *limit)
{
    uint64_t most = get(limit);
    return most && used >= most;
}

void budget_change(struct budget *b, const struct budget_settings *to)
{
    struct limits *l = &b->limits;
    set(&l->pages, to->pages);
    set(&l->size_bytes, to->size_bytes);
    set(&l->time_ms, to->time_ms);
    set(&l->host_pages, to->host_pages);
    set(&l->host_bytes, to->host_bytes);
    set(&l->domain_pages, to->domain_pages);
    set(&l->domain_bytes, to->domain_bytes);
    set(&l->domain_hosts, to->domain_hosts);
    set(&l->farm_pages, to->farm_pages);
    set(&l->page_hosts, to->page_hosts);
    set(&l->path_queries, to->path_queries);
    set(&l->sitemap_depth, to->bring.sitemap_depth);
    set(&l->host_sitemaps, to->bring.sitemaps);
    set(&l->host_sitemap_urls, to->bring.sitemap_urls);
    set(&l->host_url_bytes, to->bring.url_bytes);
}

struct bring_limits budget_bring(struct budget *b)
{
    return (struct bring_limits){
        .sitemap_depth = get(&b->limits.sitemap_depth),
        .sitemaps = get(&b->limits.host_sitemaps),
        .sitemap_urls = get(&b->limits.host_sitemap_urls),
        .url_bytes = get(&b->limits.host_url_bytes),
    };
}

enum rc budget_open(const struct budget_settings *s, struct budget **ret)
{
    uint64_t seeds[2] = {1, 2};
    struct budget *b = mem_zero(1, sizeof *b);
    if (!b)
        return RC_NOMEM;
    if (getrandom(seeds, sizeof seeds, GRND_NONBLOCK) != (ssize_t)sizeof seeds)
        seeds[0] ^= (uintptr_t)b; /* early at boot: better than a value that is known */
    b->domains = domain_table_open(seeds[0]);
    b->queries = query_table_open(QUERY_SET_BITS, seeds[1]);
    if (!b->domains || !b->queries) {
        budget_close(b);
        return RC_NOMEM;
    }
    budget_change(b, s);
    *ret = b;
    return RC_OK;
}

void budget_close(struct budget *b)
{
    if (!b)
        return;
    domain_sums_close(b->sums);
    domain_table_close(b->domains);
    query_table_close(b->queries);
    mem_free(b);
}

void budget_restore(struct budget *b, uint64_t pages, uint64_t bytes, uint64_t elapsed_ms)
{
    set(&b->pages, pages);
    set(&b->fetched, pages);
    set(&b->bytes, bytes);
    set(&b->elapsed_ms, elapsed_ms);
}

static uint64_t domain_id(const struct domain *d)
{
    return hash64(str_make(d->name, d->name_bytes));
}

void budget_restore_domain(struct budget *b, struct str host, uint64_t pages, uint64_t bytes,
                           bool is_new_host)
{
    struct domain *d = domain_lock(b->domains, domain_of_host(host));
    if (!d)
        return;
    d->pages += pages;
    d->bytes += bytes;
    d->hosts += is_new_host;
    if (b->sums && (d->pages || d->bytes))
        domain_sums_ours(b->sums, &(struct domain_sum){domain_id(d), d->pages, d->bytes});
    domain_unlock(b->domains, d);
}

/* The crawl as a whole --------------------------------------------------------------------------
 */

static enum budget_verdict state_but_pages(struct budget *b, uint64_t elapsed_ms)
{
    if (is_full(get(&b->elapsed_ms) + elapsed_ms, &b->limits.time_ms))
        return BUDGET_TIME;
    if (is_full(get(&b->bytes) + get(&b->others_bytes), &b->limits.size_bytes))
        return BUDGET_BYTES;
    return atomic_load(&b->is_over_elsewhere) ? BUDGET_ELSEWHERE : BUDGET_OK;
}

enum budget_verdict budget_state(struct budget *b, uint64_t elapsed_ms)
{
    enum budget_verdict v = state_but_pages(b, elapsed_ms);
    bool is_last = is_full(get(&b->pages) + get(&b->others_pages), &b->limits.pages);
    return v == BUDGET_OK && is_last ? BUDGET_PAGES : v;
}

bool budget_is_spent(struct budget *b)
{
    return is_full(get(&b->fetched) + get(&b->others_pages), &b->limits.pages);
}

uint64_t budget_left_ms(struct budget *b, uint64_t elapsed_ms)
{
    uint64_t most = get(&b->limits.time_ms), used = get(&b->elapsed_ms) + elapsed_ms;
    if (!most)
        return UINT64_MAX;
    return used < most ? most - used : 0;
}

unsigned budget_reached(struct budget *b, uint64_t elapsed_ms)
{
    unsigned reached = budget_is_spent(b) ? 1u << BUDGET_PAGES : 0;
    if (is_full(get(&b->bytes) + get(&b->others_bytes), &b->limits.size_bytes))
        reached |= 1u << BUDGET_BYTES;
    bool is_others_time = !reached && atomic_load(&b->was_over_elsewhere);
    if (get(&b->limits.time_ms) && (is_others_time || !budget_left_ms(b, elapsed_ms)))
        reached |= 1u << BUDGET_TIME;
    return reached;
}

void budget_lift(struct budget *b, enum budget_verdict limit)
{
    if (limit == BUDGET_PAGES)
        set(&b->limits.pages, 0);
    else if (limit == BUDGET_BYTES)
        set(&b->limits.size_bytes, 0);
    else if (limit == BUDGET_TIME)
        set(&b->limits.time_ms, 0);
}

static bool take_page(struct budget *b)
{
    uint64_t used = get(&b->pages);
    do {
        if (is_full(used + get(&b->others_pages), &b->limits.pages))
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&b->pages, &used, used + 1,
                                                    memory_order_relaxed, memory_order_relaxed));
    return true;
}

static bool may_have_host(const struct budget *b, const struct domain *d)
{
    uint64_t each = get(&b->limits.domain_hosts);
    return !each || d->linker_count == DOMAIN_LINKERS ||
           d->hosts / each < UINT64_C(1) + d->linker_count;
}

static bool host_is_full(const struct budget *b, uint64_t pages, uint64_t bytes)
{
    return is_full(pages, &b->limits.host_pages) || is_full(bytes, &b->limits.host_bytes);
}

static bool is_shared(const struct budget *b)
{
    return b->sums && (get(&b->limits.domain_pages) || get(&b->limits.domain_bytes));
}

static bool domain_is_full(const struct budget *b, const struct domain *d)
{
    const struct limits *l = &b->limits;
    struct domain_sum others = {0};
    if (is_shared(b)) {
        others.domain = domain_id(d);
        domain_sums_others(b->sums, &others);
    }
    return is_full(d->pages + others.pages, &l->domain_pages) ||
           is_full(d->bytes + others.bytes, &l->domain_bytes) ||
           (d->was_refused && !may_have_host(b, d) && is_full(d->pages, &l->farm_pages));
}

/* The crawl's page is taken under the lock of the domain's row. Otherwise another thread could see
 * a page that one budget grants and the other takes back. */
enum budget_verdict budget_take(struct budget *b, struct str host, uint64_t host_pages,
                                uint64_t host_bytes, uint64_t elapsed_ms)
{
    enum budget_verdict v = budget_state(b, elapsed_ms);
    if (v)
        return v;
    if (host_is_full(b, host_pages, host_bytes))
        return BUDGET_HOST;
    struct domain *d = domain_lock(b->domains, domain_of_host(host));
    if (!d) /* no memory to count it in */
        return take_page(b) ? BUDGET_OK : BUDGET_PAGES;
    if (domain_is_full(b, d))
        v = BUDGET_DOMAIN;
    else if (!take_page(b))
        v = BUDGET_PAGES;
    else
        d->pages++;
    domain_unlock(b->domains, d);
    return v;
}

enum budget_verdict budget_share(struct budget *b, struct str host, uint64_t host_pages,
                                 uint64_t host_bytes)
{
    if (host_is_full(b, host_pages, host_bytes))
        return BUDGET_HOST;
    struct domain *d = domain_lock(b->domains, domain_of_host(host));
    if (!d)
        return BUDGET_OK;
    enum budget_verdict v = domain_is_full(b, d) ? BUDGET_DOMAIN : BUDGET_OK;
    domain_unlock(b->domains, d);
    return v;
}

void budget_used(struct budget *b, struct str host, bool fetched, uint64_t bytes)
{
    atomic_fetch_add_explicit(&b->bytes, bytes, memory_order_relaxed);
    if (fetched) {
        atomic_fetch_add_explicit(&b->fetched, 1, memory_order_relaxed);
    } else {
        uint64_t before = atomic_fetch_sub_explicit(&b->pages, 1, memory_order_relaxed);
        assert(before > 0);
    }
    struct domain *d = domain_lock(b->domains, domain_of_host(host));
    if (!d)
        return;
    d->bytes += bytes;
    d->pages -= !fetched && d->pages;
    if (is_shared(b))
        domain_sums_ours(b->sums, &(struct domain_sum){domain_id(d), d->pages, d->bytes});
    domain_unlock(b->domains, d);
}

/* Several agents --------------------------------------------------------------------------------
 */

enum rc budget_share_with_others(struct budget *b)
{
    if (!b->sums)
        b->sums = domain_sums_open();
    return b->sums ? RC_OK : RC_NOMEM;
}

struct budget_sum budget_sum(struct budget *b, uint64_t elapsed_ms)
{
    enum budget_verdict v = budget_state(b, elapsed_ms);
    bool is_ours = v == BUDGET_TIME || v == BUDGET_BYTES || budget_is_spent(b);
    return (struct budget_sum){get(&b->fetched), get(&b->bytes), is_ours};
}

void budget_others(struct budget *b, const struct budget_sum *s)
{
    if (!b->sums)
        return;
    set(&b->others_pages, s->pages);
    set(&b->others_bytes, s->bytes);
    atomic_store(&b->is_over_elsewhere, s->is_over);
    if (s->is_over)
        atomic_store(&b->was_over_elsewhere, true);
}

size_t budget_tell_domains(struct budget *b, struct domain_sum *ret, size_t most)
{
    return is_shared(b) ? domain_sums_tell(b->sums, ret, most) : 0;
}

void budget_heard_domain(struct budget *b, uint64_t agent, const struct domain_sum *d)
{
    if (b->sums)
        domain_sums_heard(b->sums, agent, d);
}

/* What may be admitted --------------------------------------------------------------------------
 */

bool budget_new_host(struct budget *b, struct str host, struct str from_host,
                     unsigned page_new_hosts)
{
    struct str domain = domain_of_host(host), from = domain_of_host(from_host);
    bool is_seed = from_host.n == 0;
    struct domain *d = domain_lock(b->domains, domain);
    if (!d)
        return is_seed;
    if (!is_seed && !str_eq(domain, from))
        domain_add_linker(d, from);
    bool may = is_seed || may_have_host(b, d);
    d->was_refused |= !may;
    may = may && (is_seed || !is_full(page_new_hosts, &b->limits.page_hosts));
    d->hosts += may;
    domain_unlock(b->domains, d);
    return may;
}

bool budget_query(struct budget *b, uint64_t host_hash, struct str path_query)
{
    uint64_t most = get(&b->limits.path_queries);
    size_t path = str_find(path_query, '?');
    if (!most || path == path_query.n)
        return true;
    return query_table_count(b->queries, host_hash, str_first(path_query, path), most);
}
