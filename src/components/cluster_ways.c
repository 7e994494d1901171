/* SPDX-License-Identifier: Apache-2.0 */
/* Depth in a cluster: a page may be asked for by one agent, and its host be another's when a
 * shorter way to it is found. The way by which a page was asked for goes with the host
 * (RECORD_WAY), so that its owner of then can tell that a way is shorter, and whom to tell
 * (deepen.c). Who has the page judges its links again. If it is not in the ring any more, or has
 * lost it, the owner asks for the page once more. */
#include "components/cluster_inside.h"
#include "components/visit.h"

#include "base/hash.h"
#include "crawl/batch.h"

/* Telling -------------------------------------------------------------------------------------- */

bool cluster_read_way(struct cluster_part *c, const struct batch *b, struct record *way)
{
    if (!c->ledger->depths || !b->has_place || str_starts(b->past.mime, STR("image/")))
        return false;
    *way = (struct record){.kind = RECORD_WAY,
                           .position = b->url.position,
                           .host = b->url.host,
                           .fingerprint = b->fingerprint,
                           .path = b->url.path,
                           .via = b->past.via,
                           .hops = b->past.hops,
                           .port = b->url.port,
                           .is_https = b->url.is_https,
                           .where = str_c(c->login.name)};
    return true;
}

bool cluster_read_new_way(struct cluster_part *c, const struct batch *b, struct record *way)
{
    struct url_parser parser = {0};
    struct url_room room = {c->way_room, sizeof c->way_room};
    struct url u;
    if (!c->ledger->depths || b->has_url || !b->has_past || !b->past.fetches || !b->past.file.n ||
        url_parse(&parser, b->past.url, NULL, room, &u))
        return false;
    *way = (struct record){.kind = RECORD_WAY,
                           .position = hash64(url_host(&u)),
                           .host = url_host(&u),
                           .fingerprint = b->fingerprint,
                           .path = url_path_query(&u),
                           .via = b->past.via,
                           .hops = b->past.hops,
                           .port = u.port,
                           .is_https = u.kind == URL_HTTPS,
                           .where = str_c(c->login.name)};
    return true;
}

/* Tells the agent that has the page. Nothing is remembered here: if that agent goes before it has
 * judged the links, the page is asked for again; when it has judged them it says so (RECORD_WAY). */
enum rc cluster_forward(struct cluster_service *s, const struct candidate *c, struct str who)
{
    struct cluster_part *to = EVENT_OF(s, struct cluster_part, service);
    struct record r = {.kind = RECORD_NEARER,
                       .position = c->position,
                       .host = c->host,
                       .fingerprint = c->fingerprint,
                       .path = c->path,
                       .via = c->via,
                       .hops = c->hops,
                       .port = c->port,
                       .is_https = c->is_https,
                       .where = who};
    struct buf batch = {.max = RECORDS_MAX_BATCH_BYTES};
    unsigned epoch;
    uint64_t position;
    record_batch_begin(&batch, &(struct record_batch){.is = BATCH_IS_RECORDS, .src = s->name});
    record_put(&batch, &r);
    enum rc rc = buf_rc(&batch);
    struct ledger_news news = {.kept = LEDGER_NOT_SAID, .foreign = buf_str(&batch)};
    rc = rc ? rc : ledger_tell(to->ledger->ledger, &news, &epoch, &position);
    buf_done(&batch);
    if (rc == RC_OK)
        count_add(&s->nearer, 1);
    return rc;
}

/* Hearing -------------------------------------------------------------------------------------- */

/* What is known here of a page; zeros: nothing. */
static void past_of(struct cluster_part *c, uint64_t fingerprint, struct arena *arena,
                    struct past *ret)
{
    struct history *h = ledger_history(c->ledger->ledger);
    if (!h || history_get(h, fingerprint, arena, ret))
        *ret = (struct past){0};
}

/* A page that was asked for elsewhere, unless as much is known of it. One that was asked for here,
 * too, is a link like any other: its links here are judged again, if it is a shorter way. */
static enum cluster_taken take_way(struct record *r, const struct past *p)
{
    struct str who;
    bool is_known = p->fetches || past_is_elsewhere(p, &who);
    if (is_known && visit_depth(p->hops) <= visit_depth(r->hops))
        return TAKEN_NOT;
    if (p->fetches) {
        r->kind = RECORD_URL;
        r->where = STR("");
    }
    return TAKEN_IN;
}

/* A shorter way to a page that we have, or to one of our hosts that nobody has (any more): that is
 * asked for again, unless that was done (one that waits is not queued twice). `r` is ours. */
static enum cluster_taken take_nearer(struct cluster_part *c, struct record *r,
                                      const struct past *p)
{
    bool is_here = p->fetches && p->file.n, is_mine = agent_owns(c->agent, r->position);
    if (str_eq(r->where, str_c(c->login.name)) && is_here)
        return TAKEN_IN;
    r->where = STR("");
    if (!is_mine)
        return TAKEN_BACK;
    if (p->fetches && visit_depth(p->hops) <= visit_depth(r->hops))
        return TAKEN_NOT; /* it was asked for again */
    count_add(&c->service.again, 1);
    return TAKEN_IN;
}

enum cluster_taken cluster_take_way(struct cluster_part *c, struct record *r)
{
    char room[URL_ROOM_BYTES];
    struct url u;
    struct past past;
    struct arena *arena = arena_open(4096, 1 << 20);
    enum cluster_taken taken = TAKEN_NOT;
    if (arena && c->ledger->depths &&
        cluster_is_true(c, r, (struct url_room){room, sizeof room}, &u)) {
        past_of(c, r->fingerprint, arena, &past);
        taken = r->kind == RECORD_WAY ? take_way(r, &past) : take_nearer(c, r, &past);
    }
    arena_close(arena);
    return taken;
}
