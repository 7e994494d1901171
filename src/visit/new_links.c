/* SPDX-License-Identifier: Apache-2.0 */
#include "visit/new_links.h"

#include "discovery/seed_path.h"

static bool is_known(const struct known_links *k, const struct found_link *l, bool is_ours)
{
    unsigned depth = k->depth_index ? seed_path_depth(l->seed_path) : 0;
    if (frontier_is_mine(k->frontier, l->host_hash)) {
        bool knows = frontier_knows(k->frontier, l->host_hash, l->fingerprint) &&
                     (!k->depth_index || depth_index_knows(k->depth_index, l->fingerprint, depth));
        if (knows || is_ours)
            return knows;
    }
    return sent_filter_add(k->sent, l->fingerprint, depth);
}

static bool is_brought(struct found_links *links, struct bringing *b, const struct found_link *l)
{
    enum bring_verdict v = b ? bringing_new(b, l) : BRING_OK;
    links->left_out[v] += v != BRING_OK;
    return v == BRING_OK;
}

/* Of a topic the shard that finds a link says its list; redirects come first, and what a page
 * embeds with the second. With priority the frontier says it. */
static unsigned class_of(const struct known_links *k, const struct found_links *links,
                         const struct found_link *l)
{
    if (k->order == ORDER_BREADTH)
        return 0;
    if (links->are_revisits)
        return ORDER_REVISITS;
    if (k->order != ORDER_TOPIC || !links->are_of_page)
        return 0;
    return hop_is_deeper(l->hop) ? order_lists_band(k->bands, l->worth) : l->hop == HOP_EMBED;
}

static struct candidate candidate_of(const struct found_link *l, unsigned class)
{
    return (struct candidate){
        .class = (uint8_t) class,
        .forward = l->forward,
        .fingerprint = l->fingerprint,
        .host_hash = l->host_hash,
        .host = l->host,
        .path = l->path,
        .via = l->via,
        .port = l->port,
        .is_https = l->is_https,
        .seed_path = l->seed_path,
    };
}

/* A link that is known is one more page that links to its URL. Other agents are not told. */
static void count_again(const struct known_links *k, const struct found_links *links,
                        const struct found_link *l, bool is_ours, struct arena *arena,
                        struct new_links *to)
{
    if (!links->are_of_page || !is_ours)
        return;
    if (frontier_is_mine(k->frontier, l->host_hash)) {
        frontier_linked_again(k->frontier, l->host_hash, l->fingerprint, 1);
        return;
    }
    unsigned pages = sent_filter_count(k->sent, l->fingerprint, true);
    if (pages && !to->again)
        to->again = arena_alloc(arena, links->count * sizeof *to->again);
    if (!pages || !to->again) /* without memory it is not counted */
        return;
    to->again[to->again_count] = candidate_of(l, 0);
    to->again[to->again_count++].pages = (uint16_t)pages;
}

/* The new ones among the links that are ours, or among the others. */
static uint64_t add_new(const struct known_links *k, struct found_links *links, const bool *ours,
                        bool is_ours, struct bringing *b, struct arena *arena, struct new_links *to)
{
    uint64_t known = 0;
    for (size_t i = 0; i < links->count; i++) {
        const struct found_link *l = &links->list[i];
        if (!l->is_wanted || (ours ? ours[i] : true) != is_ours)
            continue;
        if (is_known(k, l, is_ours)) {
            known++;
            if (k->order == ORDER_PRIORITY)
                count_again(k, links, l, is_ours, arena, to);
        } else if (!is_brought(links, b, l)) {
            sent_filter_forget(k->sent, l->fingerprint); /* another host may still bring it */
        } else {
            if (k->order == ORDER_PRIORITY)
                (void)sent_filter_count(k->sent, l->fingerprint, false);
            to->list[to->count++] = candidate_of(l, class_of(k, links, l));
            to->foreign += !is_ours;
        }
    }
    to->known += known;
    return known;
}

enum rc new_links_find(const struct known_links *k, struct found_links *links, const bool *ours,
                       struct bringing *bringing, struct arena *arena, struct new_links *ret)
{
    *ret = (struct new_links){0};
    if (!links->count)
        return RC_OK;
    ret->list = arena_alloc(arena, links->count * sizeof *ret->list);
    if (!ret->list)
        return RC_NOMEM;
    for (size_t i = 0; i < links->count; i++)
        sent_filter_expect(k->sent, links->list[i].fingerprint);
    (void)add_new(k, links, ours, true, bringing, arena, ret);
    if (ours)
        ret->known_foreign = add_new(k, links, ours, false, bringing, arena, ret);
    return RC_OK;
}

size_t candidates_of_shard(const struct candidate *list, size_t count, unsigned shard,
                           unsigned shards, const struct candidate **ret)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (frontier_bucket(list[i].host_hash) % shards == shard)
            ret[n++] = &list[i];
    return n;
}
