/* SPDX-License-Identifier: Apache-2.0 */
/* A page has three Poisson processes, one for each kind of change. The events of one form a tree
 * over the span: its root holds how many there are in all, and every node splits its number over
 * its two halves by as many throws of a coin, which follow from the node alone. A node with one
 * event knows its moment at once. */
#include "world/version.h"

#include "world/chance.h"
#include "world/shape.h"

#include <math.h>

enum { SPAN_BITS = 37 };

struct process {
    const struct world *w;
    uint32_t purpose;
    uint64_t page; /* host and page */
    double mean;   /* events in the whole span */
};

/* A part of the span: [start, start + 2^bits). */
struct node {
    uint64_t start;
    unsigned bits;
    uint64_t events;
};

static uint64_t node_chance(const struct process *p, const struct node *n, uint64_t nth)
{
    uint64_t name = (n->start | UINT64_C(1) << SPAN_BITS) >> n->bits; /* as in a heap */
    return world_chance(p->w, p->purpose, p->page, name << 20 | nth);
}

static uint64_t at_most(double value, uint64_t most)
{
    return value <= 0 ? 0 : value >= (double)most ? most : (uint64_t)value;
}

/* How many of n coins fall heads: counted up to a thousand, beyond that by the normal
 * distribution, which then is as good. */
static uint64_t throw_coins(const struct process *p, const struct node *n)
{
    enum { COUNTED = 1024 };
    uint64_t heads = 0, left = n->events;
    if (left > COUNTED) {
        double z = chance_normal(node_chance(p, n, 0));
        return at_most(floor((double)left / 2 + sqrt((double)left) / 2 * z + 0.5), left);
    }
    for (uint64_t i = 0; left > 0; i++) {
        unsigned now = left < 64 ? (unsigned)left : 64;
        heads += (uint64_t)__builtin_popcountll(node_chance(p, n, i) >> (64 - now));
        left -= now;
    }
    return heads;
}

/* Exact for small means, term by term; for large ones the normal distribution with its skew put
 * right. */
static uint64_t throw_poisson(double mean, uint64_t chance)
{
    enum { EXACT = 50, MOST = 1 << 10 };
    double u = chance_unit(chance), term = exp(-mean), sum = term;
    if (mean > EXACT) {
        double z = chance_normal(chance);
        return at_most(floor(mean + sqrt(mean) * z + (z * z - 1) / 6 + 0.5), UINT32_MAX);
    }
    uint64_t k = 0;
    while (u >= sum && k < MOST) {
        k++;
        term *= mean / (double)k;
        sum += term;
    }
    return k;
}

static struct node process_root(const struct process *p)
{
    struct node root = {0, SPAN_BITS, 0};
    root.events = throw_poisson(p->mean, node_chance(p, &root, 1 << 19));
    return root;
}

/* The moment of a node's only event. */
static uint64_t only_event(const struct process *p, const struct node *n)
{
    return n->start + chance_below(node_chance(p, n, 0), UINT64_C(1) << n->bits);
}

static struct node half(const struct node *n, bool right, uint64_t heads)
{
    uint64_t middle = n->start + (UINT64_C(1) << (n->bits - 1));
    if (right)
        return (struct node){middle, n->bits - 1, n->events - heads};
    return (struct node){n->start, n->bits - 1, heads};
}

/* Events at or before `t`, which lies in the span. */
static uint64_t events_until(const struct process *p, uint64_t t)
{
    struct node n = process_root(p);
    uint64_t before = 0;
    while (n.events > 1 && n.bits > 0) {
        uint64_t heads = throw_coins(p, &n);
        struct node right = half(&n, true, heads);
        if (t >= right.start)
            before += heads;
        n = t >= right.start ? right : half(&n, false, heads);
    }
    if (n.events == 1)
        return before + (only_event(p, &n) <= t);
    return before + n.events; /* none, or several within the same millisecond */
}

/* When event number `nth` (0, 1, …) happens. */
static uint64_t event_time(const struct process *p, uint64_t nth)
{
    struct node n = process_root(p);
    while (n.events > 1 && n.bits > 0) {
        uint64_t heads = throw_coins(p, &n);
        bool right = nth >= heads;
        n = half(&n, right, heads);
        nth -= right ? heads : 0;
    }
    return n.events == 1 ? only_event(p, &n) : n.start;
}

static uint32_t count_changes(const struct process *p, uint64_t t, uint64_t *changed_ms)
{
    uint64_t count = events_until(p, t);
    if (count > 0) {
        uint64_t last = WORLD_EPOCH_MS + event_time(p, count - 1);
        *changed_ms = last > *changed_ms ? last : *changed_ms;
    }
    return (uint32_t)count;
}

/* Something published in the two years before the epoch, on a whole second as dates are. */
static struct version version_unchanged(const struct world *w, uint32_t host, uint64_t what)
{
    const uint64_t two_years_s = UINT64_C(2) * 365 * 86400;
    uint64_t age_s = 1 + chance_below(world_chance(w, CHANCE_AGE, host, what), two_years_s);
    return (struct version){.changed_ms = WORLD_EPOCH_MS - age_s * 1000};
}

struct version page_version(const struct world *w, uint32_t host, uint32_t page, uint64_t wall_ms)
{
    static const double shares[] = {0.25, 0.6, 0.15}; /* structure, text, image */
    struct page facts = page_of(w, host, page);
    if (facts.role == PAGE_DUPLICATE || facts.role == PAGE_NEAR_DUPLICATE)
        page = facts.same_as;
    struct version v = version_unchanged(w, host, page);
    v.image_changed_ms = v.changed_ms;
    if (!facts.changes || wall_ms < WORLD_EPOCH_MS)
        return v;
    uint64_t t = wall_ms - WORLD_EPOCH_MS;
    if (t >= WORLD_SPAN_MS)
        t = WORLD_SPAN_MS - 1;
    uint32_t *counts[] = {&v.structure, &v.text, &v.image};
    uint64_t *moments[] = {&v.changed_ms, &v.changed_ms, &v.image_changed_ms};
    for (uint32_t i = 0; i < 3; i++) {
        struct process p = {w, CHANCE_EVENTS + i, (uint64_t)host << 32 | page,
                            facts.change_per_ms * shares[i] * (double)WORLD_SPAN_MS};
        *counts[i] = count_changes(&p, t, moments[i]);
    }
    return v;
}

static struct version image_version(const struct world *w, uint32_t host, uint32_t page,
                                    uint64_t wall_ms)
{
    struct version v = page_version(w, host, page, wall_ms);
    v.changed_ms = v.image_changed_ms;
    return v;
}

static void version_join(struct version *v, struct version other)
{
    v->structure += other.structure;
    v->text += other.text;
    v->image += other.image;
    if (other.changed_ms > v->changed_ms)
        v->changed_ms = other.changed_ms;
}

static struct version pages_version(const struct world *w, uint32_t host, uint32_t from,
                                    uint32_t to, uint64_t wall_ms)
{
    struct version v = {0};
    for (uint32_t p = from; p < to; p++)
        if (sitemap_lists(w, host, p))
            version_join(&v, page_version(w, host, p, wall_ms));
    return v;
}

/* Looking at every page of a large host would take seconds: its index is made anew by the hour. */
static struct version index_version(const struct world *w, uint32_t host, uint64_t wall_ms)
{
    const uint64_t hour_ms = UINT64_C(3600) * 1000;
    uint32_t pages = host_pages(w, host);
    struct version v = version_unchanged(w, host, UINT32_MAX);
    if (host_robots(w, host).sitemaps <= VERSION_WHOLE_PARTS)
        return pages_version(w, host, 0, pages, wall_ms);
    if (wall_ms >= WORLD_EPOCH_MS) {
        v.text = (uint32_t)((wall_ms - WORLD_EPOCH_MS) / hour_ms);
        v.changed_ms = wall_ms - (wall_ms - WORLD_EPOCH_MS) % hour_ms;
    }
    return v;
}

struct version place_version(const struct world *w, struct place p, uint64_t wall_ms)
{
    uint32_t from, to, pages = host_pages(w, p.host);
    switch (p.kind) {
    case PLACE_PAGE:
        return page_version(w, p.host, p.page, wall_ms);
    case PLACE_IMAGE:
        return image_version(w, p.host, p.page, wall_ms);
    case PLACE_SITEMAP:
        sitemap_range(w, p.host, p.nth, &from, &to);
        return pages_version(w, p.host, from, to, wall_ms);
    case PLACE_SITEMAP_INDEX:
        return index_version(w, p.host, wall_ms);
    case PLACE_FEED:
        from = pages > FEED_ITEMS ? pages - FEED_ITEMS : 0;
        return pages_version(w, p.host, from, pages, wall_ms);
    default:
        return version_unchanged(w, p.host, UINT64_C(1) << 40 | (uint64_t)p.kind);
    }
}
