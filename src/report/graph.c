/* SPDX-License-Identifier: Apache-2.0 */
/* The numbered graph, by sorting and joining:
 *
 *     nodes   fingerprint -> number            sorted by fingerprint
 *     arcs    target page                      sorted, joined with nodes by target:
 *             page number-of-target            sorted, joined with nodes by page:
 *             number-of-page number-of-target  sorted, written in decimal
 *
 * A URL may have several lines in links.nodes (outputs/arcs.h), so the nodes are first made one a
 * URL, the first that was found:
 *
 *     fingerprint order url    sorted, the first of each fingerprint
 *     order fingerprint url    sorted, numbered
 *
 * Until the last step everything has sixteen digits of hexadecimal, so that the order of bytes is
 * that of numbers. */
#include "report/graph.h"

#include "archive/line_source.h"
#include "outputs/arcs.h"
#include "outputs/crawl_dir.h"

enum { STEP_BYTES = 256 << 10, PAIR_BYTES = 2 * HEX16_BYTES + 2, NODE_MAX = 1 << 20 };

static const char nodes_file[] = "links/links.nodes", arcs_file[] = "links/links.arcs";

/* Pairs of numbers, a line each --------------------------------------------------------------- */

static enum rc add_pair(struct line_sink *s, uint64_t a, uint64_t b)
{
    char room[PAIR_BYTES + 1];
    struct buf line = buf_on(room, sizeof room);
    buf_hex16(&line, a);
    buf_byte(&line, ' ');
    buf_hex16(&line, b);
    buf_byte(&line, '\n');
    return line_sink_add(s, buf_str(&line));
}

struct pairs {
    struct line_source source;
    bool is_end;
    uint64_t a, b;
};

static enum rc pairs_next(struct pairs *p)
{
    enum rc rc = line_source_next(&p->source);
    struct str line = p->source.line;
    p->is_end = rc == RC_OK && !line.p;
    if (rc || p->is_end)
        return rc;
    bool ok = line.n == PAIR_BYTES && hex16_read(str_first(line, HEX16_BYTES), &p->a) &&
              hex16_read(str_first(str_from(line, HEX16_BYTES + 1), HEX16_BYTES), &p->b);
    return ok ? RC_OK : RC_CORRUPT;
}

static enum rc pairs_open(struct pairs *p, struct disk *d, const char *path)
{
    *p = (struct pairs){0};
    enum rc rc = line_source_open(&p->source, d, path, UINT64_MAX, STEP_BYTES, PAIR_BYTES);
    return rc ? rc : pairs_next(p);
}

/* Nodes --------------------------------------------------------------------------------------- */

struct numbering {
    struct line_sink urls, numbers;
    struct buf line;
    struct graph_counts *counts;
};

static enum rc number_one(struct numbering *n, const struct node_line *node)
{
    buf_clear(&n->line);
    buf_u64(&n->line, n->counts->nodes);
    buf_byte(&n->line, ' ');
    buf_add(&n->line, node->url);
    buf_byte(&n->line, '\n');
    enum rc rc = buf_rc(&n->line);
    rc = rc ? rc : line_sink_add(&n->urls, buf_str(&n->line));
    return rc ? rc : add_pair(&n->numbers, node->fingerprint, n->counts->nodes++);
}

/* "order fingerprint url": the order has done its work. */
static enum rc number_ordered(void *ctx, struct str text)
{
    struct node_line node;
    if (node_line_parse(str_from(text, HEX16_BYTES + 1), &node) != RC_OK)
        return RC_CORRUPT;
    return number_one(ctx, &node);
}

/* Two numbers before what stands behind the fingerprint: "fingerprint order url" and back. */
struct ordering {
    struct line_sink sink;
    struct buf line;
    uint64_t order, damaged;
    uint64_t last; /* the fingerprint before */
    bool has_last;
};

static enum rc add_ordered(struct ordering *o, uint64_t a, uint64_t b, struct str url)
{
    buf_clear(&o->line);
    buf_hex16(&o->line, a);
    buf_byte(&o->line, ' ');
    buf_hex16(&o->line, b);
    buf_byte(&o->line, ' ');
    buf_add(&o->line, url);
    buf_byte(&o->line, '\n');
    enum rc rc = buf_rc(&o->line);
    return rc ? rc : line_sink_add(&o->sink, buf_str(&o->line));
}

static enum rc order_node(void *ctx, struct str text)
{
    struct ordering *o = ctx;
    struct node_line node;
    if (node_line_parse(text, &node) == RC_OK)
        return add_ordered(o, node.fingerprint, o->order++, node.url);
    o->damaged++;
    return RC_OK;
}

static enum rc keep_first(void *ctx, struct str text)
{
    struct ordering *o = ctx;
    struct node_line node;
    uint64_t order;
    if (node_line_parse(text, &node) || !hex16_read(str_first(node.url, HEX16_BYTES), &order))
        return RC_CORRUPT;
    if (o->has_last && o->last == node.fingerprint)
        return RC_OK;
    o->has_last = true;
    o->last = node.fingerprint;
    return add_ordered(o, order, node.fingerprint, str_from(node.url, HEX16_BYTES + 1));
}

static enum rc end_ordering(struct ordering *o, enum rc rc)
{
    rc = rc ? rc : line_sink_end(&o->sink, false);
    line_sink_done(&o->sink);
    buf_done(&o->line);
    return rc;
}

/* All nodes into part.first, one a URL, in the order they were found. */
static enum rc merge_nodes(struct crawl_set crawls, struct disk *to, uint64_t *damaged)
{
    struct ordering all = {.line = {.max = NODE_MAX + 64}}, first = all;
    enum rc rc = line_sink_open(&all.sink, to, "part.every", STEP_BYTES);
    rc = rc ? rc : crawl_set_each(crawls, nodes_file, order_node, &all);
    rc = end_ordering(&all, rc);
    *damaged += all.damaged;
    rc = rc ? rc : crawl_scratch_sort(to, "part.every", "part.sorted");
    rc = rc ? rc : line_sink_open(&first.sink, to, "part.chosen", STEP_BYTES);
    rc = rc ? rc : crawl_dir_each(to, "part.sorted", keep_first, &first);
    rc = end_ordering(&first, rc);
    rc = rc ? rc : disk_unlink(to, "part.sorted");
    return rc ? rc : crawl_scratch_sort(to, "part.chosen", "part.first");
}

static enum rc number_all(struct crawl_set crawls, struct disk *to, struct numbering *n)
{
    enum rc rc = merge_nodes(crawls, to, &n->counts->damaged);
    rc = rc ? rc : crawl_dir_each(to, "part.first", number_ordered, n);
    return rc ? rc : disk_unlink(to, "part.first");
}

static enum rc number_nodes(struct crawl_set crawls, struct disk *to, struct graph_counts *counts)
{
    struct numbering n = {.line = {.max = NODE_MAX + 64}, .counts = counts};
    enum rc rc = line_sink_open(&n.urls, to, "links.nodes.new", STEP_BYTES);
    rc = rc ? rc : line_sink_open(&n.numbers, to, "part.nodes", STEP_BYTES);
    rc = rc ? rc : number_all(crawls, to, &n);
    rc = rc ? rc : line_sink_end(&n.urls, true);
    rc = rc ? rc : line_sink_end(&n.numbers, false);
    line_sink_done(&n.urls);
    line_sink_done(&n.numbers);
    buf_done(&n.line);
    return rc ? rc : crawl_scratch_sort(to, "part.nodes", "part.numbers");
}

/* Arcs ---------------------------------------------------------------------------------------- */

struct turning {
    struct line_sink sink;
    uint64_t damaged;
};

static enum rc turn_arcs(void *ctx, struct str text)
{
    struct turning *t = ctx;
    struct arc_line line;
    char hop;
    uint64_t target;
    enum rc rc = RC_OK;
    if (arc_line_parse(text, &line) != RC_OK) {
        t->damaged++;
        return RC_OK;
    }
    while (rc == RC_OK && arc_line_next(&line, &hop, &target))
        rc = add_pair(&t->sink, target, line.page);
    return rc;
}

enum rc graph_sort_arcs(struct crawl_set crawls, struct disk *to, const char *path,
                        uint64_t *damaged)
{
    char part[DISK_MAX_PATH_BYTES];
    struct buf name = buf_on(part, sizeof part);
    struct turning t = {0};
    buf_printf(&name, "%s.part", path);
    if (!buf_c(&name))
        return RC_LIMIT;
    enum rc rc = line_sink_open(&t.sink, to, part, STEP_BYTES);
    rc = rc ? rc : crawl_set_each(crawls, arcs_file, turn_arcs, &t);
    rc = rc ? rc : line_sink_end(&t.sink, false);
    line_sink_done(&t.sink);
    *damaged += t.damaged;
    return rc ? rc : crawl_scratch_sort(to, part, path);
}

/* Pairs (key, value) of `from` become (value, number) of their key, or with `number_first`
 * (number, value). Both are sorted by key; what has no number is counted and left out. A key may
 * have several lines in `from`, and in the numbers only if two URLs share a fingerprint: then the
 * first counts. */
static enum rc join_pairs(struct pairs *from, struct pairs *numbers, bool number_first,
                          struct line_sink *sink, uint64_t *unnumbered)
{
    enum rc rc = RC_OK;
    while (rc == RC_OK && !from->is_end) {
        if (!numbers->is_end && numbers->a < from->a) {
            rc = pairs_next(numbers);
            continue;
        }
        if (numbers->is_end || numbers->a > from->a)
            ++*unnumbered;
        else if (number_first)
            rc = add_pair(sink, numbers->b, from->b);
        else
            rc = add_pair(sink, from->b, numbers->b);
        rc = rc ? rc : pairs_next(from);
    }
    return rc;
}

/* Joins the file `from` with part.numbers, sorts what comes of it into `result`, removes `from`. */
static enum rc join(struct disk *to, const char *from, bool number_first, const char *result,
                    uint64_t *unnumbered)
{
    struct pairs left, right = {0};
    struct line_sink sink = {0};
    enum rc rc = pairs_open(&left, to, from);
    rc = rc ? rc : pairs_open(&right, to, "part.numbers");
    rc = rc ? rc : line_sink_open(&sink, to, "part.joined", STEP_BYTES);
    rc = rc ? rc : join_pairs(&left, &right, number_first, &sink, unnumbered);
    rc = rc ? rc : line_sink_end(&sink, false);
    line_source_done(&left.source);
    line_source_done(&right.source);
    line_sink_done(&sink);
    rc = rc ? rc : disk_unlink(to, from);
    return rc ? rc : crawl_scratch_sort(to, "part.joined", result);
}

static enum rc write_decimal(struct disk *to, const char *from, uint64_t *ret_arcs)
{
    char room[64];
    struct pairs p;
    struct line_sink sink = {0};
    enum rc rc = pairs_open(&p, to, from);
    rc = rc ? rc : line_sink_open(&sink, to, "links.arcs.new", STEP_BYTES);
    for (; rc == RC_OK && !p.is_end; ++*ret_arcs) {
        struct buf line = buf_on(room, sizeof room);
        buf_u64(&line, p.a);
        buf_byte(&line, ' ');
        buf_u64(&line, p.b);
        buf_byte(&line, '\n');
        rc = line_sink_add(&sink, buf_str(&line));
        rc = rc ? rc : pairs_next(&p);
    }
    rc = rc ? rc : line_sink_end(&sink, true);
    line_source_done(&p.source);
    line_sink_done(&sink);
    return rc ? rc : disk_unlink(to, from);
}

/* The whole ----------------------------------------------------------------------------------- */

enum rc graph_export(struct crawl_set crawls, struct disk *to, struct graph_counts *ret)
{
    *ret = (struct graph_counts){0};
    uint64_t pageless = 0;
    /* Arcs first: a running crawl admits a URL shortly before or after it writes an arc to it. */
    enum rc rc = graph_sort_arcs(crawls, to, "part.arcs", &ret->damaged);
    rc = rc ? rc : number_nodes(crawls, to, ret);
    rc = rc ? rc : join(to, "part.arcs", false, "part.half", &ret->outside);
    rc = rc ? rc : join(to, "part.half", true, "part.whole", &pageless);
    rc = rc ? rc : write_decimal(to, "part.whole", &ret->arcs);
    rc = rc ? rc : disk_unlink(to, "part.numbers");
    rc = rc ? rc : disk_rename(to, "links.nodes.new", "links.nodes");
    rc = rc ? rc : disk_rename(to, "links.arcs.new", "links.arcs");
    ret->outside += pageless;
    return rc ? rc : disk_dirsync(to, "");
}
