/* SPDX-License-Identifier: Apache-2.0 */
#include "admission/shorter.h"

#include "admission/sitemaps.h"
#include "discovery/depth_key.h"
#include "discovery/seed_path.h"
#include "visit/links.h"

static enum shorter found(const struct shorter_index *s, uint64_t key, const struct candidate *c)
{
    return depth_index_found(s->depths, key, seed_path_depth(c->seed_path), c->seed_path);
}

/* A URL that the frontier knows and the index does not was admitted by an earlier process. */
enum shorter shorter_to_page(const struct shorter_index *s, const struct candidate *c)
{
    if (frontier_knows(s->frontier, c->host_hash, c->fingerprint))
        depth_index_waits(s->depths, c->fingerprint);
    return found(s, c->fingerprint, c);
}

bool shorter_to_sitemaps(const struct shorter_index *s, const struct candidate *c,
                         struct candidate *ret)
{
    uint64_t origin = depth_index_origin_key(c->host_hash, c->is_https, c->port);
    struct candidate robots = *c;
    const struct robots *rules;
    depth_index_waits(s->depths, origin);
    enum shorter is = found(s, origin, c);
    if (sitemaps_of(s->frontier, c, &rules) == SITEMAPS_NONE)
        return false;
    if (is != SHORTER_DONE && !depth_index_take(s->depths, origin, &robots.seed_path))
        return false;
    robots.path = STR("/robots.txt");
    *ret = robots;
    return true;
}

enum rc shorter_remember(struct ledger *l, unsigned shard, const struct candidate *c)
{
    char room[FRONTIER_MAX_PATH_BYTES + FRONTIER_MAX_HOST_BYTES + 32];
    struct buf url = buf_on(room, sizeof room);
    unsigned epoch;
    candidate_print(c, &url);
    struct history_entry history = {.url = buf_str(&url), .via = c->via, .seed_path = c->seed_path};
    struct ledger_outcome o = {.fingerprint = depth_index_note_key(c->fingerprint),
                               .history = &history};
    return ledger_record_outcome(l, shard, &o, &epoch);
}
