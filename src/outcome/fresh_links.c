/* SPDX-License-Identifier: Apache-2.0 */
#include "outcome/fresh_links.h"

#include "visit/frontier_bringing.h"

static void count_new(const struct link_finder *f, const struct new_links *n)
{
    count_add(&f->counts->known, n->known); /* once: all shards write there */
    count_add(&f->cluster->repeated, n->known_foreign);
    count_add(&f->cluster->foreign, n->foreign);
}

/* `bringing` may be NULL. */
static enum rc find(const struct link_finder *f, struct found_links *links,
                    struct bringing *bringing, struct fresh_links *ret)
{
    if (!links->count)
        return RC_OK;
    bool *ours = arena_alloc(ret->arena, links->count * sizeof *ours);
    if (!ours)
        return RC_NOMEM;
    ret->generation = atomic_load(&f->cluster->generation);
    bool are_all_ours = f->cluster->ops->owns(f->cluster, &links->list[0].host_hash,
                                              sizeof links->list[0], links->count, ours);
    enum rc rc = new_links_find(&f->known, links, are_all_ours ? NULL : ours, bringing, ret->arena,
                                &ret->new);
    count_new(f, &ret->new);
    return rc;
}

enum rc fresh_links_of_visit(const struct link_finder *f, struct visit *v, struct fresh_links *ret)
{
    struct frontier_bringing bringing;
    struct bring_limits limits = budget_bring(f->budget);
    *ret = (struct fresh_links){.arena = v->arena, .from = v->turn.checkout.host_name};
    visit_bringing_init(&bringing, f->known.frontier, &limits, v);
    return find(f, &v->judged.links, &bringing.bringing, ret);
}

enum rc fresh_links_of_list(const struct link_finder *f, struct url_list *l,
                            struct fresh_links *ret)
{
    *ret = (struct fresh_links){.arena = l->arena, .from = STR("")};
    return find(f, &l->links, NULL, ret);
}

/* Those of this agent's hosts that belong to one shard, in the arena; behind the new ones those
 * that are known. RC_NOMEM. */
static enum rc pick(const struct fresh_links *fresh, unsigned shard, unsigned shards,
                    const struct candidate ***ret_list, size_t *ret_count, size_t *ret_repeats)
{
    size_t count = fresh->new.count - fresh->new.foreign, again = fresh->new.again_count;
    *ret_list = NULL;
    *ret_count = *ret_repeats = 0;
    if (!count && !again)
        return RC_OK;
    *ret_list = arena_alloc(fresh->arena, (count + again) * sizeof **ret_list);
    if (!*ret_list)
        return RC_NOMEM;
    *ret_count = candidates_of_shard(fresh->new.list, count, shard, shards, *ret_list);
    *ret_repeats =
        candidates_of_shard(fresh->new.again, again, shard, shards, *ret_list + *ret_count);
    return RC_OK;
}

enum rc fresh_links_for_shard(const struct fresh_links *fresh, unsigned to, unsigned own,
                              unsigned shards, struct links **ret_links)
{
    const struct candidate **list;
    size_t count, repeats;
    enum rc rc = pick(fresh, to, shards, &list, &count, &repeats);
    if (rc)
        return rc;
    struct links *l = NULL;
    if (count || repeats || to == own) {
        l = links_open(list, count + repeats, fresh->from, fresh->epoch, fresh->batch);
        if (!l)
            return RC_NOMEM;
        l->count = count;
        l->repeats = repeats;
        l->generation = fresh->generation;
        l->head.route = to;
    }
    *ret_links = l;
    return RC_OK;
}
