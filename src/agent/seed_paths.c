/* SPDX-License-Identifier: Apache-2.0 */
/* Depth in a cluster. One agent may have fetched a page whose host belongs to another when a
 * shorter seed path to it is found. The seed path by which a page was fetched moves with its host
 * (RECORD_SEED_PATH). So the owner can see that another path is shorter, and knows which agent has
 * the page (admission/links_again.h). The agent that has the page judges its links again. If that
 * agent has left the ring, or has lost the page, the owner fetches the page again. */
#include "agent/agent_internal.h"
#include "discovery/seed_path.h"
#include "roles/counters.h"
#include "visit/visit.h"

#include "base/hash.h"
#include "ledger/batch.h"

/* Telling -------------------------------------------------------------------------------------- */

bool cluster_read_seed_path(struct cluster_part *c, const struct batch *b, struct record *ret)
{
    if (!c->ledger->depth_index || !b->has_location || str_starts(b->history.mime, STR("image/")))
        return false;
    *ret = (struct record){.kind = RECORD_SEED_PATH,
                           .host_hash = b->url.host_hash,
                           .host = b->url.host,
                           .fingerprint = b->fingerprint,
                           .path = b->url.path,
                           .via = b->history.via,
                           .seed_path = b->history.seed_path,
                           .port = b->url.port,
                           .is_https = b->url.is_https,
                           .where = str_c(c->login.name)};
    return true;
}

bool cluster_read_new_seed_path(struct cluster_part *c, const struct batch *b, struct record *ret)
{
    struct url_parser parser = {0};
    struct url_room room = {c->reader.seed_path_room, sizeof c->reader.seed_path_room};
    struct url u;
    if (!c->ledger->depth_index || b->has_url || !b->has_history || !b->history.fetches ||
        !b->history.file.n || url_parse(&parser, b->history.url, NULL, room, &u))
        return false;
    *ret = (struct record){.kind = RECORD_SEED_PATH,
                           .host_hash = hash64(url_host(&u)),
                           .host = url_host(&u),
                           .fingerprint = b->fingerprint,
                           .path = url_path_query(&u),
                           .via = b->history.via,
                           .seed_path = b->history.seed_path,
                           .port = u.port,
                           .is_https = u.kind == URL_HTTPS,
                           .where = str_c(c->login.name)};
    return true;
}

/* Tells the agent that has the page. Nothing is remembered here: if that agent leaves before it has
 * judged the links, the page is fetched again; when it has judged them, it says so
 * (RECORD_SEED_PATH). */
enum rc cluster_forward(struct cluster_service *s, const struct candidate *c, struct str agent)
{
    struct cluster_part *to = EVENT_OF(s, struct cluster_part, service);
    struct record r = {.kind = RECORD_SHORTER,
                       .host_hash = c->host_hash,
                       .host = c->host,
                       .fingerprint = c->fingerprint,
                       .path = c->path,
                       .via = c->via,
                       .seed_path = c->seed_path,
                       .port = c->port,
                       .is_https = c->is_https,
                       .where = agent};
    struct buf batch = {.max = RECORDS_MAX_BATCH_BYTES};
    unsigned epoch;
    uint64_t batch_position;
    record_batch_begin(&batch, &(struct record_batch){.is = BATCH_IS_RECORDS, .src = s->name});
    record_put(&batch, &r);
    enum rc rc = buf_rc(&batch);
    struct ledger_news news = {.kept = LEDGER_NOT_SAID, .foreign = buf_str(&batch)};
    rc = rc ? rc : ledger_tell(to->ledger->ledger, &news, &epoch, &batch_position);
    buf_done(&batch);
    if (rc == RC_OK)
        count_add(&s->shorter, 1);
    return rc;
}

/* Hearing -------------------------------------------------------------------------------------- */

/* The entry of a page in the history; zeros: there is none. */
static void history_of(struct cluster_part *c, uint64_t fingerprint, struct arena *arena,
                       struct history_entry *ret)
{
    struct history *h = ledger_history(c->ledger->ledger);
    if (!h || history_get(h, fingerprint, arena, ret))
        *ret = (struct history_entry){0};
}

/* A page that another agent has fetched, unless as short a path is known here. If this agent has
 * fetched it, too, the record becomes a link: if its path is shorter, the links of the page are
 * judged again. */
static enum cluster_taken take_seed_path(struct record *r, const struct history_entry *p)
{
    struct str agent;
    bool is_known = p->fetches || history_entry_is_elsewhere(p, &agent);
    if (is_known && seed_path_depth(p->seed_path) <= seed_path_depth(r->seed_path))
        return TAKEN_NOT;
    if (p->fetches) {
        r->kind = RECORD_URL;
        r->where = STR("");
    }
    return TAKEN_IN;
}

/* A shorter seed path to a page that we have, or to a page of our hosts that no agent has (any
 * more). Such a page is fetched again, unless that was done (a queued page is not queued twice).
 * `r` is addressed to us. */
static enum cluster_taken take_shorter(struct cluster_part *c, struct record *r,
                                       const struct history_entry *p)
{
    bool is_here = p->fetches && p->file.n, is_mine = agent_owns(c->agent, r->host_hash);
    if (str_eq(r->where, str_c(c->login.name)) && is_here)
        return TAKEN_IN;
    r->where = STR("");
    if (!is_mine)
        return TAKEN_BACK;
    if (p->fetches && seed_path_depth(p->seed_path) <= seed_path_depth(r->seed_path))
        return TAKEN_NOT; /* it was already fetched again */
    count_add(&c->service.again, 1);
    return TAKEN_IN;
}

enum cluster_taken cluster_take_seed_path(struct cluster_part *c, struct record *r)
{
    char room[URL_ROOM_BYTES];
    struct url u;
    struct history_entry history;
    struct arena *arena = arena_open(4096, 1 << 20);
    enum cluster_taken taken = TAKEN_NOT;
    if (arena && c->ledger->depth_index &&
        cluster_matches_url(c, r, (struct url_room){room, sizeof room}, &u)) {
        history_of(c, r->fingerprint, arena, &history);
        taken = r->kind == RECORD_SEED_PATH ? take_seed_path(r, &history)
                                            : take_shorter(c, r, &history);
    }
    arena_close(arena);
    return taken;
}
