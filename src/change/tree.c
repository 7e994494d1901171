/* SPDX-License-Identifier: Apache-2.0 */
#include "change/tree.h"

#include "base/hash.h"
#include "change/implied.h"
#include "change/simhash.h"

/* Where hashing of children begins: a leaf's `inside`. Part of the stored format. */
static const uint64_t LEAF = UINT64_C(0x9e3779b97f4a7c15);

struct open {
    uint32_t node;
    uint32_t last_child;
    uint32_t is; /* change_implied */
};

struct builder {
    struct change_node *nodes;
    uint32_t count;
    struct open open[CHANGE_MAX_DEPTH + 1]; /* open[0] is the page */
    uint32_t depth;                         /* index of the innermost */
    uint16_t open_by_hash[256]; /* how many open names have this last byte of the hash: an end
                                   tag without a start is seen without searching the stack */
};

static uint16_t *open_count(struct builder *b, uint64_t name_hash)
{
    return &b->open_by_hash[name_hash & 255];
}

static uint32_t node_add(struct builder *b, struct str name, uint64_t name_hash)
{
    struct open *in = &b->open[b->depth];
    uint32_t made = b->count++;
    b->nodes[made] = (struct change_node){
        .name = name,
        .name_hash = name_hash,
        .inside = LEAF,
        .parent = in->node,
        .first_child = CHANGE_NO_NODE,
        .next = CHANGE_NO_NODE,
        .level = b->depth + 1,
        .nodes = 1,
    };
    if (in->last_child == CHANGE_NO_NODE)
        b->nodes[in->node].first_child = made;
    else
        b->nodes[in->last_child].next = made;
    in->last_child = made;
    return made;
}

static void close_innermost(struct builder *b)
{
    --*open_count(b, b->nodes[b->open[b->depth].node].name_hash);
    b->depth--;
}

static void start(struct builder *b, const struct change_tag *tag)
{
    struct change_implied implied = change_implied(tag->name);
    while (b->open[b->depth].is & implied.ends)
        close_innermost(b);
    if (b->depth == CHANGE_MAX_DEPTH)
        close_innermost(b); /* no deeper: it becomes a leaf beside the last one */
    uint64_t name_hash = hash64(tag->name);
    uint32_t made = node_add(b, tag->name, name_hash);
    if (tag->kind == CHANGE_TAG_VOID)
        return;
    b->open[++b->depth] = (struct open){made, CHANGE_NO_NODE, implied.is};
    ++*open_count(b, name_hash);
}

static void close_down_to(struct builder *b, uint32_t at)
{
    while (at > 0 && b->depth >= at)
        close_innermost(b);
}

static void end_heading(struct builder *b)
{
    uint32_t at = b->depth;
    while (at > 0 && b->open[at].is != CHANGE_IMPLIED_HEADING)
        at--;
    close_down_to(b, at);
}

static void end_element(struct builder *b, const struct change_tag *tag)
{
    if (tag->name.p[0] == 'h' && change_implied(tag->name).is == CHANGE_IMPLIED_HEADING) {
        end_heading(b);
        return;
    }
    uint64_t name_hash = hash64(tag->name);
    if (*open_count(b, name_hash) == 0)
        return;
    uint32_t at = b->depth;
    while (at > 0 && b->nodes[b->open[at].node].name_hash != name_hash)
        at--;
    close_down_to(b, at);
}

/* Children come after their parent, so from the last node to the first each is finished before
 * its parent, and its parent has by then taken in all later siblings. */
static void hash_subtrees(struct change_node *nodes, uint32_t count)
{
    for (uint32_t i = count; i-- > 0;) {
        struct change_node *n = &nodes[i];
        n->hash = hash64_mix(n->name_hash ^ hash64_mix(n->inside));
        if (i == 0)
            break;
        struct change_node *parent = &nodes[n->parent];
        parent->inside = hash64_mix(parent->inside + n->hash);
        parent->nodes += n->nodes;
    }
}

static void build(struct builder *b, const struct change_tag *tags, size_t count)
{
    b->nodes[0] = (struct change_node){.name = STR(""),
                                       .inside = LEAF,
                                       .parent = CHANGE_NO_NODE,
                                       .first_child = CHANGE_NO_NODE,
                                       .next = CHANGE_NO_NODE,
                                       .nodes = 1};
    b->count = 1;
    b->open[0] = (struct open){0, CHANGE_NO_NODE, 0};
    for (size_t i = 0; i < count; i++) {
        if (tags[i].name.n == 0)
            continue;
        if (tags[i].kind == CHANGE_TAG_END)
            end_element(b, &tags[i]);
        else
            start(b, &tags[i]);
    }
    hash_subtrees(b->nodes, b->count);
}

enum rc change_tree(const struct change_tag *tags, size_t count, struct arena *arena,
                    struct change_tree *ret)
{
    if (count > CHANGE_MAX_TAGS)
        return RC_LIMIT;
    size_t elements = 1;
    for (size_t i = 0; i < count; i++)
        elements += tags[i].name.n && tags[i].kind != CHANGE_TAG_END;
    struct builder b;
    memset(b.open_by_hash, 0, sizeof b.open_by_hash);
    b.depth = 0;
    b.nodes = arena_alloc(arena, elements * sizeof *b.nodes);
    if (!b.nodes)
        return RC_NOMEM;
    build(&b, tags, count);
    *ret = (struct change_tree){b.nodes, b.count};
    return RC_OK;
}

void change_tree_levels(const struct change_tree *tree, struct change_levels *ret)
{
    *ret = (struct change_levels){.count = 0};
    for (uint32_t i = 1; i < tree->count; i++) {
        uint32_t level = tree->nodes[i].level;
        if (level > CHANGE_LEVELS)
            level = CHANGE_LEVELS;
        ret->at[level - 1]++;
        if (level > ret->count)
            ret->count = level;
    }
}

uint64_t change_levels_differ(const struct change_levels *a, const struct change_levels *b)
{
    uint64_t differ = 0;
    for (unsigned i = 0; i < CHANGE_LEVELS; i++)
        differ |= (uint64_t)(a->at[i] != b->at[i]) << i;
    return differ;
}

uint64_t change_tree_simhash(const struct change_tree *tree)
{
    struct change_sim sim = {.features = 0};
    for (uint32_t i = 1; i < tree->count; i++) {
        const struct change_node *n = &tree->nodes[i];
        const struct change_node *in = &tree->nodes[n->parent];
        uint64_t outer = in->parent == CHANGE_NO_NODE ? 0 : tree->nodes[in->parent].name_hash;
        uint64_t feature = hash64_mix(n->name_hash + hash64_mix(in->name_hash + hash64_mix(outer)));
        change_sim_add(&sim, &feature, 1);
    }
    return change_sim_finish(&sim);
}
