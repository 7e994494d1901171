/* SPDX-License-Identifier: Apache-2.0 */
#include "ledger/depth_recall.h"
#include "discovery/depth_key.h"
#include "discovery/seed_path.h"
#include "ledger/host_records.h"

#include "base/hash.h"
#include "base/taker.h"
#include "frontier/move.h"
#include "url/normalise.h"

enum { STEP = 1000 };

struct recalling {
    struct ledger *ledger;
    struct depth_index *const *depth_index;
    unsigned shards;
    struct buf *again;
    uint64_t host_hash; /* of the host that is walked */
    struct depth_index *walked;
};

/* Lists ---------------------------------------------------------------------------------------- */

void found_again_put(struct buf *out, const struct found_again *f)
{
    buf_le64(out, f->via);
    buf_le32(out, (uint32_t)f->url.n);
    buf_add(out, f->url);
    buf_le32(out, (uint32_t)f->seed_path.n);
    buf_add(out, f->seed_path);
}

bool found_again_next(struct str *rest, struct found_again *ret)
{
    struct taker t = {.rest = *rest};
    ret->via = take_u64(&t);
    ret->url = take_str32(&t);
    ret->seed_path = take_str32(&t);
    if (!rest->n || t.bad)
        return false;
    *rest = t.rest;
    return true;
}

/* Pages ---------------------------------------------------------------------------------------- */

static struct depth_index *table_of(const struct recalling *r, uint64_t host_hash)
{
    return r->depth_index[frontier_bucket(host_hash) % r->shards];
}

/* A path to a URL is one to its origin. */
static void note_origin(struct depth_index *d, uint64_t host_hash, bool is_https, uint16_t port,
                        struct str seed_path)
{
    uint64_t origin = depth_index_origin_key(host_hash, is_https, port);
    depth_index_waits(d, origin);
    (void)depth_index_found(d, origin, seed_path_depth(seed_path), seed_path);
}

static void find_again(struct recalling *r, struct depth_index *d, uint64_t fingerprint,
                       const struct history_entry *history, struct str seed_path)
{
    found_again_put(r->again, &(struct found_again){history->url, seed_path, history->via});
    depth_index_far(d, fingerprint);
}

/* What an entry of the history is about. */
enum entry_kind {
    ENTRY_PAGE,      /* a page that was asked for here */
    ENTRY_ELSEWHERE, /* a page that another agent of the cluster has */
    ENTRY_NOTE,      /* a shorter path to a URL, under a derived key (discovery/depth_key.h) */
};

static enum entry_kind kind_of(const struct history_entry *history)
{
    struct str agent;
    return history->fetches                              ? ENTRY_PAGE
           : history_entry_is_elsewhere(history, &agent) ? ENTRY_ELSEWHERE
                                                         : ENTRY_NOTE;
}

/* Entries come in any order: a note may come before its page. */
static void recall_history(struct recalling *r, uint64_t key, const struct history_entry *history)
{
    struct url_parser parser = {0};
    char room[URL_ROOM_BYTES];
    struct url u;
    struct str seed_path;
    if (url_parse(&parser, history->url, NULL, (struct url_room){room, sizeof room}, &u))
        return;
    uint64_t host_hash = hash64(url_host(&u)), fingerprint = url_fingerprint(&u);
    unsigned depth = seed_path_depth(history->seed_path);
    struct depth_index *d = table_of(r, host_hash);
    note_origin(d, host_hash, u.kind == URL_HTTPS, u.port, history->seed_path);
    switch (kind_of(history)) {
    case ENTRY_PAGE:
        if (depth_index_done(d, key, depth, &seed_path))
            find_again(r, d, key, history, seed_path);
        break;
    case ENTRY_ELSEWHERE:
        if (depth_index_told(d, key, depth, &seed_path))
            find_again(r, d, key, history, seed_path);
        break;
    case ENTRY_NOTE:
        depth_index_waits(d, fingerprint);
        if (depth_index_found(d, fingerprint, depth, history->seed_path) == SHORTER_DONE)
            find_again(r, d, fingerprint, history, history->seed_path);
        break;
    }
}

static enum rc recall_all(struct recalling *r)
{
    struct arena *arena = arena_open(64 << 10, 16 << 20);
    struct history_cursor *c = history_cursor_open(ledger_history(r->ledger));
    enum rc rc = arena && c ? RC_OK : RC_NOMEM;
    while (rc != RC_NOMEM && rc != RC_NOT_FOUND && rc != RC_IO) {
        struct history_entry history;
        uint64_t key = 0;
        rc = history_cursor_next(c, arena, &key, &history);
        if (rc == RC_OK)
            recall_history(r, key, &history);
        arena_clear(arena);
    }
    history_cursor_close(c);
    arena_close(arena);
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

/* Queues --------------------------------------------------------------------------------------- */

static bool is_passed(void *ctx, uint64_t host_hash)
{
    (void)ctx;
    (void)host_hash;
    return false;
}

static void walk_host(void *ctx, const struct moving_host *h)
{
    struct recalling *r = ctx;
    r->host_hash = h->host_hash;
}

static void walk_url(void *ctx, const struct moving_url *u)
{
    struct recalling *r = ctx;
    (void)depth_index_found(r->walked, u->fingerprint, seed_path_depth(u->seed_path), u->seed_path);
    note_origin(r->walked, r->host_hash, u->is_https, u->port, u->seed_path);
}

static void walk_over(void *ctx, uint64_t host_hash, struct str name, bool is_out)
{
    (void)ctx;
    (void)host_hash;
    (void)name;
    (void)is_out;
}

/* Hosts in memory. A URL of a swapped host counts as one that waits by a long path. */
static enum rc recall_queues(struct recalling *r)
{
    struct move_taker taker = {is_passed, walk_host, walk_url, walk_over, r};
    enum rc rc = RC_OK;
    for (unsigned i = 0; i < r->shards && rc == RC_OK; i++) {
        struct move_walk w = {0};
        bool is_over = false;
        r->walked = r->depth_index[i];
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
    struct depth_index *d = table_of(r, hash64(url_host(&u)));
    note_origin(d, hash64(url_host(&u)), u.kind == URL_HTTPS, u.port, f->seed_path);
    if (!depth_index_knows(d, url_fingerprint(&u), seed_path_depth(f->seed_path)))
        found_again_put(r->again, f);
}

static void list_sitemaps(struct recalling *r, const struct robots *rules, struct str seed_path)
{
    char room[SEED_PATH_ROOM];
    struct str sitemap_path = seed_path_append(seed_path, HOP_PREREQUISITE, room);
    struct str url;
    for (size_t i = 0; robots_sitemap(rules, i, &url); i++)
        found_again_put(r->again, &(struct found_again){url, sitemap_path, 0});
}

static void list_host(void *ctx, const struct host *h)
{
    struct recalling *r = ctx;
    const struct host_record *c = host_record_if(h);
    for (unsigned i = 0; c && c->is_listed && i < c->robots_count; i++) {
        const struct host_robots *o = &c->robots[i];
        struct str seed_path;
        if (o->rules && depth_index_take(table_of(r, host_hash(h)),
                                         depth_index_origin_key(host_hash(h), o->is_https, o->port),
                                         &seed_path))
            list_sitemaps(r, o->rules, seed_path);
    }
}

static unsigned depth_of(const struct found_again *f)
{
    unsigned depth = seed_path_depth(f->seed_path);
    return depth < SEED_PATH_MAX ? depth : SEED_PATH_MAX;
}

/* A URL may be there more than once, and judge-links takes the first of a list: so the shortest
 * paths come first. There is one pass for each depth; depths are few. */
static enum rc shortest_first(struct buf *again)
{
    bool is_there[SEED_PATH_MAX + 1] = {false};
    struct buf sorted = {.max = again->max};
    struct found_again f;
    for (struct str rest = buf_str(again); found_again_next(&rest, &f);)
        is_there[depth_of(&f)] = true;
    for (unsigned depth = 0; depth <= SEED_PATH_MAX; depth++)
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

enum rc depth_recall(struct ledger *l, struct depth_index *const *depth_index, unsigned shards,
                     struct str heard, struct buf *ret_again)
{
    struct recalling r = {
        .ledger = l, .depth_index = depth_index, .shards = shards, .again = ret_again};
    struct found_again f;
    enum rc rc = recall_queues(&r);
    rc = rc ? rc : recall_all(&r);
    while (rc == RC_OK && found_again_next(&heard, &f))
        hear(&r, &f);
    for (unsigned i = 0; rc == RC_OK && i < shards; i++)
        frontier_each_host(ledger_frontier(l, i), list_host, &r);
    rc = rc ? rc : buf_rc(ret_again);
    return rc ? rc : shortest_first(ret_again);
}
