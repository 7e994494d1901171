/* SPDX-License-Identifier: Apache-2.0 */
/* The link structure: how many links pages have, how many pages link to a URL, and to which most.
 */
#include "outputs/arcs.h"
#include "outputs/crawl_dir.h"
#include "report/graph.h"
#include "report/report.h"

/* Its bucket is the number of its bits. */
static void count_degree(struct report_degrees *d, uint64_t degree)
{
    unsigned bits = degree ? 64 - (unsigned)__builtin_clzll(degree) : 0;
    d->in[bits < REPORT_DEGREES ? bits : REPORT_DEGREES - 1]++;
    d->count++;
    d->sum += degree;
    if (degree > d->most)
        d->most = degree;
}

static enum rc take_page(void *ctx, struct str text)
{
    struct report *r = ctx;
    struct arc_line line;
    char hop;
    uint64_t to, links = 0;
    if (arc_line_parse(text, &line) != RC_OK)
        return RC_OK; /* counted when they are sorted */
    while (arc_line_next(&line, &hop, &to))
        links++;
    r->pages_with_links += links > 0;
    count_degree(&r->out, links);
    return RC_OK;
}

struct counting {
    struct report *report;
    uint64_t target, pages; /* of the target whose lines are being read */
};

/* Keeps the top in order, most first; of equals the first stays. */
static void note_top(struct report *r, uint64_t fingerprint, uint64_t pages)
{
    size_t at = r->top_count;
    while (at && r->top[at - 1].pages < pages)
        at--;
    if (at == REPORT_TOP)
        return;
    if (r->top_count < REPORT_TOP)
        r->top_count++;
    memmove(&r->top[at + 1], &r->top[at], (r->top_count - at - 1) * sizeof r->top[0]);
    r->top[at] = (struct report_linked){.fingerprint = fingerprint, .pages = pages};
}

static void end_target(struct counting *c)
{
    if (c->pages == 0)
        return;
    count_degree(&c->report->in, c->pages);
    note_top(c->report, c->target, c->pages);
    c->pages = 0;
}

static enum rc take_arc(void *ctx, struct str line)
{
    struct counting *c = ctx;
    uint64_t target;
    if (!hex16_read(str_first(line, HEX16_BYTES), &target))
        return RC_CORRUPT;
    if (c->pages && target != c->target)
        end_target(c);
    c->target = target;
    c->pages++;
    return RC_OK;
}

static enum rc name_top(void *ctx, struct str text)
{
    struct report *r = ctx;
    struct node_line node;
    if (node_line_parse(text, &node) != RC_OK)
        return RC_OK;
    for (size_t i = 0; i < r->top_count; i++) {
        if (r->top[i].fingerprint != node.fingerprint || r->top[i].url.p)
            continue;
        r->top[i].url = arena_dup(r->hosts.arena, node.url);
        if (!r->top[i].url.p)
            return RC_NOMEM;
    }
    return RC_OK;
}

enum rc report_read_links(struct crawl_set crawls, struct disk *scratch, struct report *r)
{
    struct counting c = {.report = r};
    enum rc rc = crawl_set_each(crawls, "links/links.arcs", take_page, r);
    rc = rc ? rc : graph_sort_arcs(crawls, scratch, "scratch/arcs", &r->damaged);
    rc = rc ? rc : crawl_dir_each(scratch, "scratch/arcs", take_arc, &c);
    end_target(&c);
    return rc ? rc : crawl_set_each(crawls, "links/links.nodes", name_top, r);
}
