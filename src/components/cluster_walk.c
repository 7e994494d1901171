/* SPDX-License-Identifier: Apache-2.0 */
/* Walks over what the crawl knows, for the agent: hosts that are others' now, to be handed over; or
 * what our own stream held, which the servers have lost. Frontiers tell what waits, shard by shard,
 * also what rests on disk, one bucket at a time; what is done the history tells (without a history
 * it is not told). */
#include "components/cluster_inside.h"

#include "base/hash.h"

static bool is_mine(void *ctx, uint64_t position)
{
    struct cluster_part *c = ctx;
    (void)pthread_mutex_lock(&c->lock);
    bool is = agent_owns(c->agent, position);
    (void)pthread_mutex_unlock(&c->lock);
    return is;
}

static void begin(struct cluster_part *c, enum port_walk which)
{
    struct cluster_tour *t = &c->tours[which];
    move_walk_done(&t->walk.at);
    buf_clear(&t->walk.names);
    t->walk.is_over = false;
    t->walk.wants_mine = which == PORT_WALK_OWN;
    t->walk.is_mine = is_mine;
    t->walk.ctx = c;
    t->shard = 0;
    t->rest = STR("");
    if (which != PORT_WALK_OWN)
        return;
    history_cursor_close(c->past);
    c->past = NULL;
}

/* The next step of a shard, waited for without the lock: the shard looks at the agent. */
static enum rc step(struct cluster_part *c, struct cluster_tour *t)
{
    struct record_batch b;
    (void)pthread_mutex_unlock(&c->lock);
    enum rc rc = mail_walk_ask(&t->walk, &c->service.mail[t->shard]);
    (void)pthread_mutex_lock(&c->lock);
    rc = rc ? rc : record_batch_read(buf_str(&t->walk.bytes), &b);
    if (rc)
        return rc;
    t->rest = b.records;
    if (t->walk.is_over) {
        move_walk_done(&t->walk.at);
        t->shard++;
    }
    return RC_OK;
}

/* By which way it was asked for, and who has it. */
static struct record way_of(const struct record *done, const struct past *past, const struct url *u,
                            struct str path, struct str where)
{
    return (struct record){.kind = RECORD_WAY,
                           .position = done->position,
                           .host = done->host,
                           .fingerprint = done->fingerprint,
                           .path = path,
                           .via = past->via,
                           .hops = past->hops,
                           .port = u->port,
                           .is_https = u->kind == URL_HTTPS,
                           .where = where};
}

/* What the history knows of a page: two records at most; none: that was all, or this is none. */
static enum rc next_past(struct cluster_part *c, struct record *ret, size_t *ret_count)
{
    struct past past;
    struct url_parser parser = {0};
    char room[URL_ROOM_BYTES];
    struct url u;
    uint64_t fingerprint = 0;
    struct str who = STR("");
    enum rc rc = history_cursor_next(c->past, c->past_arena, &fingerprint, &past);
    if (rc || (!past.fetches && !past_is_elsewhere(&past, &who)) ||
        url_parse(&parser, past.url, NULL, (struct url_room){room, sizeof room}, &u))
        return rc == RC_CORRUPT ? RC_OK : rc;
    struct str host = arena_dup(c->past_arena, url_host(&u));
    struct str path = arena_dup(c->past_arena, url_path_query(&u));
    if (!host.p || !path.p)
        return RC_NOMEM;
    struct record done = {.kind = RECORD_DONE,
                          .position = hash64(host),
                          .host = host,
                          .fingerprint = fingerprint,
                          .time_ms = past.date_ms > 0 ? (uint64_t)past.date_ms : 0,
                          .status = past.code,
                          .where = past.has_digest ? str_c(c->login.name) : STR(""),
                          .where_inc = past.has_digest ? agent_first_inc(c->agent) : 0,
                          .path = path,
                          .is_https = u.kind == URL_HTTPS,
                          .port = u.port,
                          .hops = past.hops};
    if (past.has_digest)
        memcpy(done.digest, past.digest.bytes, RECORDS_DIGEST_BYTES);
    if (past.fetches)
        ret[(*ret_count)++] = done;
    bool has_way = c->ledger->depths && past.file.n;
    if (has_way)
        ret[(*ret_count)++] =
            way_of(&done, &past, &u, path, past.fetches ? str_c(c->login.name) : who);
    return RC_OK;
}

static enum rc walk_past(struct cluster_part *c, struct record *ret, size_t most, size_t *ret_count)
{
    struct history *h = ledger_history(c->ledger->ledger);
    enum rc rc = RC_OK;
    if (!h)
        return RC_OK;
    if (!c->past)
        c->past = history_cursor_open(h);
    if (!c->past)
        return RC_NOMEM;
    arena_clear(c->past_arena);
    while (*ret_count + 2 <= most && rc == RC_OK)
        rc = next_past(c, ret, ret_count);
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

enum rc cluster_walk(struct port *p, enum port_walk which, uint64_t *token, struct record *ret,
                     size_t most, size_t *ret_count)
{
    struct cluster_part *c = cluster_of_port(p);
    struct cluster_tour *t = &c->tours[which];
    enum rc rc = RC_OK;
    if (!*token)
        begin(c, which);
    *token = 1;
    *ret_count = 0;
    while (!t->rest.n && t->shard < c->shards && rc == RC_OK) {
        rc = step(c, t);
        if (rc == RC_OK && !t->rest.n && t->walk.at.waits)
            return RC_AGAIN;
    }
    while (rc == RC_OK && *ret_count < most && records_next(&t->rest, &ret[*ret_count]))
        ++*ret_count;
    if (rc == RC_OK && !*ret_count && which == PORT_WALK_OWN)
        rc = walk_past(c, ret, most, ret_count);
    return rc;
}

/* Forgetting ----------------------------------------------------------------------------------- */

enum { FORGET_BYTES = 1 << 20 };

static enum rc forget(struct cluster_part *c, struct str names)
{
    struct ledger_news n = {.kept = LEDGER_NOT_SAID, .forgotten = names};
    unsigned epoch;
    uint64_t batch;
    enum rc rc = ledger_tell(c->ledger->ledger, &n, &epoch, &batch);
    for (unsigned shard = 0; shard < c->shards && rc == RC_OK; shard++) {
        struct str rest = names;
        buf_clear(&c->scratch);
        while (rest.n) {
            struct str name = str_make(rest.p + 1, (uint8_t)rest.p[0]);
            if (frontier_bucket(hash64(name)) % c->shards == shard)
                buf_add(&c->scratch, str_first(rest, 1 + name.n));
            rest = str_from(rest, 1 + name.n);
        }
        rc = buf_rc(&c->scratch);
        struct mail *m = rc ? NULL : mail_new(MAIL_FORGET, epoch, buf_str(&c->scratch));
        rc = rc ? rc : m ? RC_OK : RC_NOMEM;
        if (m)
            (void)mailbox_put(&c->service.mail[shard], &m);
    }
    return rc;
}

/* Those that the last walk has told whole, some at a time. */
enum rc cluster_forget(struct port *p)
{
    struct cluster_part *c = cluster_of_port(p);
    struct buf *told = &c->tours[PORT_WALK_MOVED].walk.names;
    struct str names = buf_str(told);
    enum rc rc = RC_OK;
    while (names.n && rc == RC_OK) {
        size_t n = 0;
        while (n < names.n && n < FORGET_BYTES / 4)
            n += 1 + (size_t)(uint8_t)names.p[n];
        rc = forget(c, str_first(names, n));
        names = str_from(names, n);
    }
    buf_clear(told);
    return rc;
}
