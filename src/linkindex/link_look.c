/* SPDX-License-Identifier: Apache-2.0 */
#include "linkindex/link_look.h"

#include "archive/line_file.h"
#include "archive/line_source.h"
#include "base/mem.h"
#include "outputs/arcs.h"

#include <stdlib.h>

enum {
    TRIES = 10, /* the crawl may merge runs between reading LIST and opening them */
    STEP_BYTES = 256 << 10,
    LEAD_BYTES = 2, /* a blank and a letter, before a fingerprint in links.arcs */
};

/* Opening --------------------------------------------------------------------------------------- */

static enum rc open_runs(struct link_look *l, enum pair_kind kind, const struct index_runs *from,
                         struct buf *why)
{
    char path[INDEX_PATH_BYTES];
    enum rc rc = RC_OK;
    l->of[kind].covered = from->covered;
    l->of[kind].runs = from->count ? mem_zero(from->count, sizeof *l->of[kind].runs) : NULL;
    if (from->count && !l->of[kind].runs)
        return RC_NOMEM;
    for (size_t i = 0; i < from->count && rc == RC_OK; i++) {
        struct run *r = &l->of[kind].runs[i];
        rc = run_open(r, l->disk, index_run_path(path, kind, from->list[i].number));
        l->of[kind].count += rc == RC_OK;
        if (rc == RC_OK && (r->kind != kind || r->to != from->list[i].to))
            rc = RC_CORRUPT;
        if (rc)
            buf_printf(why, "%s: %s", path, rc == RC_CORRUPT ? "it is damaged" : rc_text(rc));
    }
    return rc;
}

/* RC_NOT_FOUND: a run is missing, if *ret_has_list. */
static enum rc try_open(struct link_look *l, bool *ret_has_list, struct buf *why)
{
    struct index_list list;
    enum rc rc = index_list_read(l->disk, &list);
    *ret_has_list = rc == RC_OK;
    if (rc && rc != RC_NOT_FOUND)
        buf_printf(why, INDEX_FOLDER "/LIST: %s", rc == RC_CORRUPT ? "it is damaged" : rc_text(rc));
    for (unsigned k = 0; k < PAIR_KINDS && rc == RC_OK; k++)
        rc = open_runs(l, (enum pair_kind)k, &list.of[k], why);
    index_list_done(&list);
    return rc;
}

enum rc link_look_open(struct link_look *l, struct disk *d, struct buf *why)
{
    bool has_list = true;
    enum rc rc = RC_NOT_FOUND;
    *l = (struct link_look){.disk = d};
    for (unsigned i = 0; i < TRIES && rc == RC_NOT_FOUND && has_list; i++) {
        link_look_close(l);
        buf_clear(why);
        rc = try_open(l, &has_list, why);
    }
    if (rc)
        link_look_close(l);
    return rc == RC_NOT_FOUND && has_list ? RC_CORRUPT : rc;
}

void link_look_close(struct link_look *l)
{
    for (unsigned k = 0; k < PAIR_KINDS; k++) {
        for (size_t i = 0; i < l->of[k].count; i++)
            run_close(&l->of[k].runs[i]);
        mem_free(l->of[k].runs);
    }
    *l = (struct link_look){.disk = l->disk};
}

/* Pairs of a key --------------------------------------------------------------------------------- */

typedef enum rc each_pair(void *ctx, const struct pair *p);

static enum rc look_in_run(const struct run *r, uint64_t key, each_pair *each, void *ctx)
{
    struct run_cursor c;
    struct pair p;
    enum rc rc = run_seek(&c, r, key);
    while (rc == RC_OK && !c.is_behind && c.key == key) {
        rc = run_next(&c, &p);
        rc = rc ? rc : each(ctx, &p);
    }
    run_cursor_done(&c);
    return rc;
}

static enum rc look_in_runs(const struct link_look *l, enum pair_kind kind, uint64_t key,
                            each_pair *each, void *ctx)
{
    enum rc rc = RC_OK;
    for (size_t i = 0; i < l->of[kind].count && rc == RC_OK; i++)
        rc = look_in_run(&l->of[kind].runs[i], key, each, ctx);
    return rc;
}

/* The end of a text ------------------------------------------------------------------------------- */

typedef enum rc each_line(void *ctx, struct str line);

/* Lines that no run has, up to the last whole one; without the LF. */
static enum rc walk_rest(const struct link_look *l, enum pair_kind kind, each_line *each, void *ctx)
{
    struct line_source s;
    const char *path = index_text_path(kind);
    uint64_t bytes = 0;
    enum rc rc = line_file_whole(l->disk, path, &bytes);
    if (rc || bytes <= l->of[kind].covered)
        return rc ? rc : bytes < l->of[kind].covered ? RC_CORRUPT : RC_OK;
    rc = line_source_open(&s, l->disk, path, bytes, STEP_BYTES, LINE_FILE_MAX_LINE);
    s.at = l->of[kind].covered;
    rc = rc ? rc : line_source_next(&s);
    while (rc == RC_OK && s.line.p) {
        rc = each(ctx, str_first(s.line, s.line.n - 1));
        rc = rc ? rc : line_source_next(&s);
    }
    line_source_done(&s);
    return rc;
}

/* Pages ------------------------------------------------------------------------------------------ */

struct pages {
    uint64_t target;
    char digits[HEX16_BYTES + 1];
    link_look_page *each;
    void *ctx;
};

static enum rc take_pair(void *ctx, const struct pair *p)
{
    struct pages *g = ctx;
    return g->each(g->ctx, p->value, p->letters);
}

/* Most lines do not have the digits at all. */
static enum rc take_arcs(void *ctx, struct str line)
{
    struct pages *g = ctx;
    struct arc_line arcs;
    uint32_t letters = 0;
    char hop;
    uint64_t to;
    struct str links = str_from(line, HEX16_BYTES < line.n ? HEX16_BYTES : line.n);
    if (str_find_str(links, str_make(g->digits, HEX16_BYTES)) == links.n ||
        arc_line_parse(line, &arcs) != RC_OK)
        return RC_OK;
    while (arc_line_next(&arcs, &hop, &to))
        if (to == g->target)
            letters |= pair_letter(hop);
    return letters ? g->each(g->ctx, arcs.page, letters) : RC_OK;
}

enum rc link_look_pages(const struct link_look *l, uint64_t target, link_look_page *each, void *ctx)
{
    struct pages g = {.target = target, .each = each, .ctx = ctx};
    struct buf digits = buf_on(g.digits, sizeof g.digits);
    buf_hex16(&digits, target);
    enum rc rc = look_in_runs(l, PAIRS_LINKS, target, take_pair, &g);
    return rc ? rc : walk_rest(l, PAIRS_LINKS, take_arcs, &g);
}

/* URLs ------------------------------------------------------------------------------------------- */

struct urls {
    const struct link_look *look;
    const uint64_t *list;
    size_t count;
    link_look_url *each;
    void *ctx;
};

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static enum rc take_node(void *ctx, struct str line)
{
    struct urls *u = ctx;
    struct node_line node;
    if (node_line_parse(line, &node) != RC_OK ||
        !bsearch(&node.fingerprint, u->list, u->count, sizeof *u->list, by_value))
        return RC_OK;
    return u->each(u->ctx, node.fingerprint, node.url);
}

/* The line that begins there. */
static enum rc read_node(void *ctx, const struct pair *p)
{
    struct urls *u = ctx;
    struct line_source s;
    enum { LINE_STEP = 1024 };
    enum rc rc = line_source_open(&s, u->look->disk, index_text_path(PAIRS_NAMES),
                                  u->look->of[PAIRS_NAMES].covered, LINE_STEP, LINE_FILE_MAX_LINE);
    s.at = p->value;
    if (rc == RC_OK && p->value >= s.end)
        rc = RC_CORRUPT;
    rc = rc ? rc : line_source_next(&s);
    if (rc == RC_OK && s.line.p)
        rc = take_node(u, str_first(s.line, s.line.n - 1));
    line_source_done(&s);
    return rc == RC_INVALID || rc == RC_LIMIT ? RC_CORRUPT : rc;
}

enum rc link_look_urls(const struct link_look *l, const uint64_t *fingerprints, size_t count,
                       link_look_url *each, void *ctx)
{
    struct urls u = {l, fingerprints, count, each, ctx};
    enum rc rc = RC_OK;
    for (size_t i = 0; i < count && rc == RC_OK; i++)
        rc = look_in_runs(l, PAIRS_NAMES, fingerprints[i], read_node, &u);
    return rc || !count ? rc : walk_rest(l, PAIRS_NAMES, take_node, &u);
}
