/* SPDX-License-Identifier: Apache-2.0 */
/* The pages that link to a URL: from the link index of each directory or, where there is none, by
 * a pass over its arcs; then their names, likewise.
 *
 *     pages [ {fingerprint, letters} ... ]   sorted by fingerprint between the two
 *
 * A page takes 16 bytes; a page may be there twice when it was fetched twice. */
#include "report/graph.h"

#include "base/mem.h"
#include "linkindex/link_look.h"
#include "outputs/arcs.h"
#include "outputs/crawl_dir.h"

#include <stdlib.h>

enum {
    MAX_PAGES = 1 << 26,
    MOST_ASKED = 4096, /* names that an index is asked for; of more pages the nodes are read */
};

struct page {
    uint64_t fingerprint;
    uint32_t letters; /* pair_letter() */
    bool is_named;    /* several directories may have its node */
};

struct back_links {
    uint64_t target;
    struct crawl_set crawls;
    struct link_look *looks; /* one a directory */
    bool *has_index;         /* likewise */
    bool all_have_index;
    struct page *pages;
    size_t count, room;
    size_t left; /* pages that may still be named */
    graph_each_page *each;
    void *ctx;
};

/* The indexes ----------------------------------------------------------------------------------- */

static enum rc open_looks(struct back_links *b, struct buf *why)
{
    size_t count = b->crawls.count;
    enum rc rc = RC_OK;
    b->looks = mem_zero(count, sizeof *b->looks);
    b->has_index = mem_zero(count, sizeof *b->has_index);
    b->all_have_index = true;
    if (!b->looks || !b->has_index)
        return RC_NOMEM;
    for (size_t i = 0; i < count && rc == RC_OK; i++) {
        rc = link_look_open(&b->looks[i], b->crawls.list[i], why);
        b->has_index[i] = rc == RC_OK;
        b->all_have_index &= rc == RC_OK;
        rc = rc == RC_NOT_FOUND ? RC_OK : rc;
    }
    return rc;
}

static void close_all(struct back_links *b)
{
    for (size_t i = 0; i < b->crawls.count && b->has_index; i++)
        if (b->has_index[i])
            link_look_close(&b->looks[i]);
    mem_free(b->looks);
    mem_free(b->has_index);
    mem_free(b->pages);
}

static void say_damage(enum rc rc, struct buf *why)
{
    if (rc != RC_CORRUPT)
        return;
    if (!why->n)
        buf_add(why, STR("links/index: a part of it is damaged"));
    buf_add(why, STR("; make it again: orbweaver repair DIR"));
}

/* Pages ----------------------------------------------------------------------------------------- */

static enum rc add_page(void *ctx, uint64_t fingerprint, uint32_t letters)
{
    struct back_links *b = ctx;
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
            letters |= pair_letter(hop);
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

static enum rc find_pages(struct back_links *b)
{
    enum rc rc = RC_OK;
    for (size_t i = 0; i < b->crawls.count && rc == RC_OK; i++)
        rc = b->has_index[i]
                 ? link_look_pages(&b->looks[i], b->target, add_page, b)
                 : crawl_dir_each(b->crawls.list[i], "links/links.arcs", find_target, b);
    sort_pages(b);
    return rc;
}

/* Names ----------------------------------------------------------------------------------------- */

static enum rc name_page(void *ctx, uint64_t fingerprint, struct str url)
{
    struct back_links *b = ctx;
    char letters[PAIR_LETTERS];
    struct page key = {.fingerprint = fingerprint};
    struct page *p =
        b->count ? bsearch(&key, b->pages, b->count, sizeof key, by_fingerprint) : NULL;
    if (!p || p->is_named || !b->left)
        return RC_OK;
    p->is_named = true;
    b->left--;
    return b->each(b->ctx, url, str_make(letters, pair_letters_print(p->letters, letters)));
}

static enum rc name_line(void *ctx, struct str text)
{
    struct node_line node;
    return node_line_parse(text, &node) == RC_OK ? name_page(ctx, node.fingerprint, node.url)
                                                 : RC_OK;
}

/* The first pages, by their fingerprints. */
static enum rc ask_for_names(struct back_links *b, size_t count)
{
    uint64_t *list = mem_alloc((count ? count : 1) * sizeof *list);
    enum rc rc = list ? RC_OK : RC_NOMEM;
    for (size_t i = 0; i < count && list; i++)
        list[i] = b->pages[i].fingerprint;
    for (size_t i = 0; i < b->crawls.count && rc == RC_OK; i++)
        rc = link_look_urls(&b->looks[i], list, count, name_page, b);
    mem_free(list);
    return rc;
}

enum rc graph_pages_to(struct crawl_set crawls, uint64_t fingerprint, graph_each_page *each,
                       void *ctx, struct buf *why)
{
    struct back_links b = {
        .target = fingerprint, .crawls = crawls, .left = SIZE_MAX, .each = each, .ctx = ctx};
    enum rc rc = open_looks(&b, why);
    rc = rc ? rc : find_pages(&b);
    if (rc == RC_OK && b.count && b.all_have_index && b.count <= MOST_ASKED)
        rc = ask_for_names(&b, b.count);
    else if (rc == RC_OK && b.count)
        rc = crawl_set_each(crawls, "links/links.nodes", name_line, &b);
    say_damage(rc, why);
    close_all(&b);
    return rc;
}

enum rc graph_some_pages_to(struct crawl_set crawls, uint64_t fingerprint, size_t most,
                            graph_each_page *each, void *ctx, uint64_t *ret_count, struct buf *why)
{
    struct back_links b = {
        .target = fingerprint, .crawls = crawls, .left = most, .each = each, .ctx = ctx};
    enum rc rc = open_looks(&b, why);
    if (rc == RC_OK && !b.all_have_index)
        rc = RC_NOT_FOUND;
    rc = rc ? rc : find_pages(&b);
    *ret_count = b.count;
    if (rc == RC_OK)
        rc = ask_for_names(&b, b.count < GRAPH_MOST_SOME ? b.count : GRAPH_MOST_SOME);
    say_damage(rc, why);
    close_all(&b);
    return rc;
}
