/* SPDX-License-Identifier: Apache-2.0 */
#include "components/depths_recall.h"

#include "base/hash.h"
#include "base/taker.h"
#include "components/visit.h"
#include "frontier/move.h"
#include "url/normalise.h"

enum { STEP = 1000 };

struct recalling {
    struct ledger *ledger;
    struct depths *const *depths;
    unsigned shards;
    struct buf *again;
    uint64_t position; /* of the host that is walked */
    struct depths *walked;
};

/* Lists ---------------------------------------------------------------------------------------- */

void found_again_put(struct buf *out, const struct found_again *f)
{
    buf_le64(out, f->via);
    buf_le32(out, (uint32_t)f->url.n);
    buf_add(out, f->url);
    buf_le32(out, (uint32_t)f->hops.n);
    buf_add(out, f->hops);
}

bool found_again_next(struct str *rest, struct found_again *ret)
{
    struct taker t = {.rest = *rest};
    ret->via = take_u64(&t);
    ret->url = take_str32(&t);
    ret->hops = take_str32(&t);
    if (!rest->n || t.bad)
        return false;
    *rest = t.rest;
    return true;
}

/* Pages ---------------------------------------------------------------------------------------- */

static struct depths *table_of(const struct recalling *r, uint64_t position)
{
    return r->depths[frontier_bucket(position) % r->shards];
}

/* A way to a URL is one to its origin. */
static void note_origin(struct depths *d, uint64_t position, bool is_https, uint16_t port,
                        struct str hops)
{
    uint64_t origin = depths_origin(position, is_https, port);
    depths_waits(d, origin);
    (void)depths_found(d, origin, visit_depth(hops), hops);
}

static void find_again(struct recalling *r, struct depths *d, uint64_t fingerprint,
                       const struct past *past, struct str hops)
{
    found_again_put(r->again, &(struct found_again){past->url, hops, past->via});
    depths_far(d, fingerprint);
}

/* What the history says, in any order: a note may come before its page. */
static void recall_past(struct recalling *r, uint64_t key, const struct past *past)
{
    struct url_parser parser = {0};
    char room[URL_ROOM_BYTES];
    struct url u;
    struct str hops, who;
    if (url_parse(&parser, past->url, NULL, (struct url_room){room, sizeof room}, &u))
        return;
    uint64_t position = hash64(url_host(&u)), fingerprint = url_fingerprint(&u);
    unsigned depth = visit_depth(past->hops);
    struct depths *d = table_of(r, position);
    note_origin(d, position, u.kind == URL_HTTPS, u.port, past->hops);
    if (past->fetches) {
        if (depths_done(d, key, depth, &hops))
            find_again(r, d, key, past, hops);
    } else if (past_is_elsewhere(past, &who)) {
        if (depths_told(d, key, depth, &hops))
            find_again(r, d, key, past, hops);
    } else {
        depths_waits(d, fingerprint);
        if (depths_found(d, fingerprint, depth, past->hops) == NEARER_DONE)
            find_again(r, d, fingerprint, past, past->hops);
    }
}

static enum rc recall_all(struct recalling *r)
{
    struct arena *arena = arena_open(64 << 10, 16 << 20);
    struct history_cursor *c = history_cursor_open(ledger_history(r->ledger));
    enum rc rc = arena && c ? RC_OK : RC_NOMEM;
    while (rc != RC_NOMEM && rc != RC_NOT_FOUND && rc != RC_IO) {
        struct past past;
        uint64_t key = 0;
        rc = history_cursor_next(c, arena, &key, &past);
        if (rc == RC_OK)
            recall_past(r, key, &past);
        arena_clear(arena);
    }
    history_cursor_close(c);
    arena_close(arena);
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

/* Queues --------------------------------------------------------------------------------------- */

static bool is_passed(void *ctx, uint64_t position)
{
    (void)ctx;
    (void)position;
    return false;
}

static void walk_host(void *ctx, const struct moving_host *h)
{
    struct recalling *r = ctx;
    r->position = h->position;
}

static void walk_url(void *ctx, const struct moving_url *u)
{
    struct recalling *r = ctx;
    (void)depths_found(r->walked, u->fingerprint, visit_depth(u->hops), u->hops);
    note_origin(r->walked, r->position, u->is_https, u->port, u->hops);
}

static void walk_over(void *ctx, uint64_t position, struct str name, bool is_out)
{
    (void)ctx;
    (void)position;
    (void)name;
    (void)is_out;
}

/* Of what is in memory; what rests is taken for something that waits by a long way. */
static enum rc recall_queues(struct recalling *r)
{
    struct move_taker taker = {is_passed, walk_host, walk_url, walk_over, r};
    enum rc rc = RC_OK;
    for (unsigned i = 0; i < r->shards && rc == RC_OK; i++) {
        struct move_walk w = {0};
        bool is_over = false;
        r->walked = r->depths[i];
        while (rc == RC_OK && !is_over)
            rc = ledger_walk(r->ledger, i, &w, &taker, STEP, &is_over);
        move_walk_done(&w);
    }
    return rc;
}

/* What may not have been done ------------------------------------------------------------------ */

static void hear(struct recalling *r, const struct found_again *f)
{
    struct url_parser parser = {0};
    char room[URL_ROOM_BYTES];
    struct url u;
    if (url_parse(&parser, f->url, NULL, (struct url_room){room, sizeof room}, &u))
        return;
    struct depths *d = table_of(r, hash64(url_host(&u)));
    note_origin(d, hash64(url_host(&u)), u.kind == URL_HTTPS, u.port, f->hops);
    if (!depths_knows(d, url_fingerprint(&u), visit_depth(f->hops)))
        found_again_put(r->again, f);
}

static void list_sitemaps(struct recalling *r, const struct robots *rules, struct str hops)
{
    char way[FRONTIER_MAX_HOPS + 1];
    struct str url;
    if (hops.n >= sizeof way)
        return;
    memcpy(way, hops.p, hops.n);
    way[hops.n] = HOP_PREREQUISITE;
    for (size_t i = 0; robots_sitemap(rules, i, &url); i++)
        found_again_put(r->again, &(struct found_again){url, str_make(way, hops.n + 1), 0});
}

static void list_host(void *ctx, const struct host *h)
{
    struct recalling *r = ctx;
    const struct card *c = card_if(h);
    for (unsigned i = 0; c && c->is_listed && i < c->robots_count; i++) {
        const struct card_robots *o = &c->robots[i];
        struct str hops;
        if (o->rules && depths_take(table_of(r, host_position(h)),
                                    depths_origin(host_position(h), o->is_https, o->port), &hops))
            list_sitemaps(r, o->rules, hops);
    }
}

static unsigned depth_of(const struct found_again *f)
{
    unsigned depth = visit_depth(f->hops);
    return depth < FRONTIER_MAX_HOPS ? depth : FRONTIER_MAX_HOPS;
}

/* A URL may be there more than once, and of a list each is taken once, the first: so the nearest
 * come first. A pass for each depth there is; they are few. */
static enum rc nearest_first(struct buf *again)
{
    bool is_there[FRONTIER_MAX_HOPS + 1] = {false};
    struct buf sorted = {.max = again->max};
    struct found_again f;
    for (struct str rest = buf_str(again); found_again_next(&rest, &f);)
        is_there[depth_of(&f)] = true;
    for (unsigned depth = 0; depth <= FRONTIER_MAX_HOPS; depth++)
        for (struct str rest = buf_str(again); is_there[depth] && found_again_next(&rest, &f);)
            if (depth_of(&f) == depth)
                found_again_put(&sorted, &f);
    enum rc rc = buf_rc(&sorted);
    if (rc == RC_OK) {
        buf_clear(again);
        buf_add(again, buf_str(&sorted));
    }
    buf_done(&sorted);
    return rc;
}

enum rc depths_recall(struct ledger *l, struct depths *const *depths, unsigned shards,
                      struct str heard, struct buf *ret_again)
{
    struct recalling r = {.ledger = l, .depths = depths, .shards = shards, .again = ret_again};
    struct found_again f;
    enum rc rc = recall_queues(&r);
    rc = rc ? rc : recall_all(&r);
    while (rc == RC_OK && found_again_next(&heard, &f))
        hear(&r, &f);
    for (unsigned i = 0; rc == RC_OK && i < shards; i++)
        frontier_each_host(ledger_frontier(l, i), list_host, &r);
    rc = rc ? rc : buf_rc(ret_again);
    return rc ? rc : nearest_first(ret_again);
}
