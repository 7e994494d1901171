/* SPDX-License-Identifier: Apache-2.0 */
#include "change/differences.h"

#include "base/utf8.h"

enum { NAME_BYTES = 24, HEAD_BYTES = 40 };

/* A run of siblings, by node number. */
struct run {
    const uint32_t *at;
    uint32_t n;
};

struct pair {
    uint32_t old, new;
};

struct finder {
    const struct change_tree *old, *new;
    uint32_t *old_list, *new_list; /* room for the longest list of children of either */
    struct pair *queue;            /* elements that correspond and differ inside */
    uint32_t queued;
    struct change_differences *ret;
};

const char *change_difference_kind_name(enum change_difference_kind kind)
{
    static const char *const names[] = {"added", "removed", "renamed"};
    return names[kind];
}

/* Names come from hostile pages and go to a terminal. */
static void add_name(struct buf *b, struct str name)
{
    size_t cut = name.n < NAME_BYTES ? name.n : NAME_BYTES;
    while (cut < name.n && cut > NAME_BYTES - UTF8_MAX_BYTES && (name.p[cut] & 0xc0) == 0x80)
        cut--;
    buf_visible(b, str_first(name, cut));
}

/* The element's number among its siblings of the same name; 0 if it is the only one. */
static uint32_t number_of(const struct change_tree *tree, uint32_t node)
{
    const struct change_node *n = &tree->nodes[node];
    uint32_t same = 0, own = 0;
    for (uint32_t s = tree->nodes[n->parent].first_child; s != CHANGE_NO_NODE;
         s = tree->nodes[s].next) {
        same += tree->nodes[s].name_hash == n->name_hash;
        if (s == node)
            own = same;
    }
    return same > 1 ? own : 0;
}

static void add_step(struct buf *b, const struct change_tree *tree, uint32_t node)
{
    if (b->n)
        buf_byte(b, '>');
    add_name(b, tree->nodes[node].name);
    uint32_t number = number_of(tree, node);
    if (number) {
        buf_byte(b, '[');
        buf_u64(b, number);
        buf_byte(b, ']');
    }
}

/* Keeps what fits of the beginning and of the end, cut where a step begins. */
static void path_fit(struct str all, char *path)
{
    static const char gap[] = "...";
    if (all.n < CHANGE_PATH_BYTES) {
        memcpy(path, all.p, all.n);
        path[all.n] = 0;
        return;
    }
    size_t head = HEAD_BYTES;
    while (head > 0 && all.p[head - 1] != '>')
        head--;
    size_t tail = all.n - (CHANGE_PATH_BYTES - 1 - head - (sizeof gap - 1));
    tail += str_find(str_from(all, tail), '>');
    memcpy(path, all.p, head);
    memcpy(path + head, gap, sizeof gap - 1);
    memcpy(path + head + sizeof gap - 1, all.p + tail, all.n - tail);
    path[head + sizeof gap - 1 + all.n - tail] = 0;
}

static void path_of(const struct change_tree *tree, uint32_t node, char *path)
{
    enum { STEP_BYTES = NAME_BYTES * 3 + 16 };
    uint32_t up[CHANGE_MAX_DEPTH];
    uint32_t depth = 0;
    for (; node != 0; node = tree->nodes[node].parent)
        up[depth++] = node;
    char room[CHANGE_MAX_DEPTH * STEP_BYTES];
    struct buf b = buf_on(room, sizeof room);
    while (depth)
        add_step(&b, tree, up[--depth]);
    path_fit(buf_str(&b), path);
}

static void add_difference(struct finder *f, enum change_difference_kind kind, uint32_t node)
{
    struct change_differences *r = f->ret;
    const struct change_tree *tree = kind == CHANGE_REMOVED ? f->old : f->new;
    uint32_t elements = kind == CHANGE_RENAMED ? 1 : tree->nodes[node].nodes;
    r->all++;
    r->added += kind == CHANGE_ADDED ? elements : 0;
    r->removed += kind == CHANGE_REMOVED ? elements : 0;
    r->renamed += kind == CHANGE_RENAMED;
    if (r->count == CHANGE_MAX_DIFFERENCES)
        return;
    struct change_difference *p = &r->list[r->count++];
    *p = (struct change_difference){
        .kind = kind, .level = tree->nodes[node].level, .elements = elements};
    path_of(tree, node, p->path);
}

typedef bool alike_fn(const struct change_node *a, const struct change_node *b);

static bool same_tree(const struct change_node *a, const struct change_node *b)
{
    return a->hash == b->hash;
}

static bool same_name(const struct change_node *a, const struct change_node *b)
{
    return a->name_hash == b->name_hash;
}

static bool alike_at(const struct finder *f, struct run a, struct run b, uint32_t i, uint32_t j,
                     alike_fn *alike)
{
    return i < a.n && j < b.n && alike(&f->old->nodes[a.at[i]], &f->new->nodes[b.at[j]]);
}

static struct run run_from(struct run r, uint32_t from)
{
    return (struct run){r.at + from, r.n - from};
}

static struct run run_first(struct run r, uint32_t n)
{
    return (struct run){r.at, n < r.n ? n : r.n};
}

/* How many siblings of each to leave behind until two are alike: as few as possible in all; all of
 * them if none are within sight. */
static struct pair gap_to(const struct finder *f, struct run a, struct run b, alike_fn *alike)
{
    for (uint32_t sum = 0; sum <= CHANGE_LOOK_AHEAD; sum++)
        for (uint32_t i = 0; i <= sum; i++)
            if (alike_at(f, a, b, i, sum - i, alike))
                return (struct pair){i, sum - i};
    return (struct pair){a.n, b.n};
}

/* Siblings without a partner of their name. */
static void unlike(struct finder *f, struct run a, struct run b)
{
    while (a.n && b.n && f->old->nodes[*a.at].inside == f->new->nodes[*b.at].inside) {
        add_difference(f, CHANGE_RENAMED, *b.at);
        a = run_from(a, 1);
        b = run_from(b, 1);
    }
    for (uint32_t i = 0; i < a.n; i++)
        add_difference(f, CHANGE_REMOVED, a.at[i]);
    for (uint32_t i = 0; i < b.n; i++)
        add_difference(f, CHANGE_ADDED, b.at[i]);
}

/* Two lists without equal subtrees opposite each other: partners by name. */
static void align_names(struct finder *f, struct run a, struct run b)
{
    while (a.n || b.n) {
        struct pair gap = gap_to(f, a, b, same_name);
        unlike(f, run_first(a, gap.old), run_first(b, gap.new));
        a = run_from(a, gap.old);
        b = run_from(b, gap.new);
        if (a.n == 0 || b.n == 0)
            continue;
        if (f->old->nodes[*a.at].hash != f->new->nodes[*b.at].hash)
            f->queue[f->queued++] = (struct pair){*a.at, *b.at};
        a = run_from(a, 1);
        b = run_from(b, 1);
    }
}

static void align(struct finder *f, struct run a, struct run b)
{
    while (alike_at(f, a, b, 0, 0, same_tree)) {
        a = run_from(a, 1);
        b = run_from(b, 1);
    }
    while (a.n && b.n && alike_at(f, a, b, a.n - 1, b.n - 1, same_tree)) {
        a.n--;
        b.n--;
    }
    while (a.n || b.n) {
        struct pair gap = gap_to(f, a, b, same_tree);
        align_names(f, run_first(a, gap.old), run_first(b, gap.new));
        a = run_from(a, gap.old);
        b = run_from(b, gap.new);
        if (a.n && b.n) {
            a = run_from(a, 1);
            b = run_from(b, 1);
        }
    }
}

static struct run children(const struct change_tree *tree, uint32_t node, uint32_t *list)
{
    struct run r = {list, 0};
    for (uint32_t c = tree->nodes[node].first_child; c != CHANGE_NO_NODE; c = tree->nodes[c].next)
        list[r.n++] = c;
    return r;
}

/* Counts each element once: what is neither removed nor added nor renamed is in both. */
static double similarity(const struct finder *f)
{
    double all = (double)(f->old->count - 1) + (double)(f->new->count - 1);
    double gone = (double)f->ret->added + f->ret->removed + 2.0 * f->ret->renamed;
    return all > 0 ? (all - gone) / all : 1;
}

enum rc change_differences(const struct change_tree *old, const struct change_tree *new,
                           struct arena *arena, struct change_differences *ret)
{
    struct finder f = {.old = old, .new = new, .ret = ret};
    uint32_t fewer = old->count < new->count ? old->count : new->count;
    f.old_list = arena_alloc(arena, old->count * sizeof *f.old_list);
    f.new_list = arena_alloc(arena, new->count * sizeof *f.new_list);
    f.queue = arena_alloc(arena, fewer * sizeof *f.queue);
    if (!f.old_list || !f.new_list || !f.queue)
        return RC_NOMEM;
    *ret = (struct change_differences){.count = 0};
    if (old->nodes[0].hash != new->nodes[0].hash)
        f.queue[f.queued++] = (struct pair){0, 0};
    for (uint32_t next = 0; next < f.queued; next++) {
        struct pair p = f.queue[next];
        align(&f, children(old, p.old, f.old_list), children(new, p.new, f.new_list));
    }
    ret->similarity = similarity(&f);
    return RC_OK;
}
