/* SPDX-License-Identifier: Apache-2.0 */
/* The pages that link to a URL: one pass over the arcs for the pages, one over the nodes for their
 * names.
 *
 *     pages [ {fingerprint, letters} ... ]   sorted by fingerprint between the two passes
 *
 * A page takes 16 bytes; a page may be there twice when it was fetched twice. */
#include "report/graph.h"

#include "base/mem.h"
#include "outputs/arcs.h"
#include "outputs/crawl_dir.h"

#include <stdlib.h>

enum { MAX_PAGES = 1 << 26 };

struct page {
    uint64_t fingerprint;
    uint32_t letters; /* a bit for each letter of the alphabet */
    bool is_named;    /* several directories may have its node */
};

struct back_links {
    uint64_t target;
    struct page *pages;
    size_t count, room;
    graph_each_page *each;
    void *ctx;
};

static enum rc add_page(struct back_links *b, uint64_t fingerprint, uint32_t letters)
{
    if (b->count == MAX_PAGES)
        return RC_LIMIT;
    struct page *pages = mem_grow(b->pages, b->count, &b->room, sizeof *pages);
    if (!pages)
        return RC_NOMEM;
    b->pages = pages;
    b->pages[b->count++] = (struct page){.fingerprint = fingerprint, .letters = letters};
    return RC_OK;
}

static enum rc find_target(void *ctx, struct str text)
{
    struct back_links *b = ctx;
    struct arc_line line;
    char hop;
    uint64_t target;
    uint32_t letters = 0;
    if (arc_line_parse(text, &line) != RC_OK)
        return RC_OK;
    while (arc_line_next(&line, &hop, &target))
        if (target == b->target)
            letters |= UINT32_C(1) << (ascii_upper(hop) - 'A');
    return letters ? add_page(b, line.page, letters) : RC_OK;
}

static int by_fingerprint(const void *a, const void *b)
{
    uint64_t x = ((const struct page *)a)->fingerprint, y = ((const struct page *)b)->fingerprint;
    return x < y ? -1 : x > y;
}

/* Sorts; pages that are there twice become one. */
static void sort_pages(struct back_links *b)
{
    size_t kept = 0;
    if (b->count)
        qsort(b->pages, b->count, sizeof *b->pages, by_fingerprint);
    for (size_t i = 0; i < b->count; i++) {
        if (kept && b->pages[kept - 1].fingerprint == b->pages[i].fingerprint)
            b->pages[kept - 1].letters |= b->pages[i].letters;
        else
            b->pages[kept++] = b->pages[i];
    }
    b->count = kept;
}

static enum rc name_page(void *ctx, struct str text)
{
    struct back_links *b = ctx;
    struct node_line node;
    char letters[32];
    size_t n = 0;
    if (node_line_parse(text, &node) != RC_OK)
        return RC_OK;
    struct page key = {.fingerprint = node.fingerprint};
    struct page *p =
        b->count ? bsearch(&key, b->pages, b->count, sizeof key, by_fingerprint) : NULL;
    if (!p || p->is_named)
        return RC_OK;
    p->is_named = true;
    for (unsigned letter = 0; letter < 26; letter++)
        if (p->letters >> letter & 1)
            letters[n++] = (char)('A' + letter);
    return b->each(b->ctx, node.url, str_make(letters, n));
}

enum rc graph_pages_to(struct crawl_set crawls, uint64_t fingerprint, graph_each_page *each,
                       void *ctx)
{
    struct back_links b = {.target = fingerprint, .each = each, .ctx = ctx};
    enum rc rc = crawl_set_each(crawls, "links/links.arcs", find_target, &b);
    sort_pages(&b);
    if (rc == RC_OK && b.count)
        rc = crawl_set_each(crawls, "links/links.nodes", name_page, &b);
    mem_free(b.pages);
    return rc;
}
