/* SPDX-License-Identifier: Apache-2.0 */
/* Walks over what the crawl knows, for the agent: hosts that now belong to other agents, to be
 * handed over; or what our own stream held, which the servers have lost. The frontiers give the
 * queued URLs, shard by shard and also from swapped buckets, one bucket at a time. The history
 * gives pages that are done (without a history these are left out). */
#include "agent/agent_internal.h"

#include "base/hash.h"

static bool is_mine(void *ctx, uint64_t host_hash)
{
    struct cluster_part *c = ctx;
    (void)pthread_mutex_lock(&c->lock);
    bool is = agent_owns(c->agent, host_hash);
    (void)pthread_mutex_unlock(&c->lock);
    return is;
}

static void begin_tour(struct cluster_part *c, enum port_walk which)
{
    struct cluster_tour *t = &c->tours.of[which];
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
    history_cursor_close(c->tours.history);
    c->tours.history = NULL;
}

/* Asks a shard for the next step. The lock is not held meanwhile, since the shard reads the
 * agent. */
static enum rc step_tour(struct cluster_part *c, struct cluster_tour *t)
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

/* The seed path by which a page was fetched, and the agent that has the page. */
static struct record seed_path_record_of(const struct record *done,
                                         const struct history_entry *history, const struct url *u,
                                         struct str path, struct str where)
{
    return (struct record){.kind = RECORD_SEED_PATH,
                           .host_hash = done->host_hash,
                           .host = done->host,
                           .fingerprint = done->fingerprint,
                           .path = path,
                           .via = history->via,
                           .seed_path = history->seed_path,
                           .port = u->port,
                           .is_https = u->kind == URL_HTTPS,
                           .where = where};
}

/* The records of the next page in the history: at most two. None: the end, or a page without
 * records. */
static enum rc next_history(struct cluster_part *c, struct record *ret, size_t *ret_count)
{
    struct history_entry history;
    struct url_parser parser = {0};
    char room[URL_ROOM_BYTES];
    struct url u;
    uint64_t fingerprint = 0;
    struct str agent = STR("");
    enum rc rc =
        history_cursor_next(c->tours.history, c->tours.history_arena, &fingerprint, &history);
    if (rc || (!history.fetches && !history_entry_is_elsewhere(&history, &agent)) ||
        url_parse(&parser, history.url, NULL, (struct url_room){room, sizeof room}, &u))
        return rc == RC_CORRUPT ? RC_OK : rc;
    struct str host = arena_dup(c->tours.history_arena, url_host(&u));
    struct str path = arena_dup(c->tours.history_arena, url_path_query(&u));
    if (!host.p || !path.p)
        return RC_NOMEM;
    struct record done = {.kind = RECORD_DONE,
                          .host_hash = hash64(host),
                          .host = host,
                          .fingerprint = fingerprint,
                          .time_ms = history.date_ms > 0 ? (uint64_t)history.date_ms : 0,
                          .status = history.code,
                          .where = history.has_digest ? str_c(c->login.name) : STR(""),
                          .where_inc = history.has_digest ? agent_first_inc(c->agent) : 0,
                          .path = path,
                          .is_https = u.kind == URL_HTTPS,
                          .port = u.port,
                          .seed_path = history.seed_path};
    if (history.has_digest)
        memcpy(done.digest, history.digest.bytes, RECORDS_DIGEST_BYTES);
    if (history.fetches)
        ret[(*ret_count)++] = done;
    bool has_seed_path = c->ledger->depth_index && history.file.n;
    if (has_seed_path)
        ret[(*ret_count)++] = seed_path_record_of(&done, &history, &u, path,
                                                  history.fetches ? str_c(c->login.name) : agent);
    return RC_OK;
}

static enum rc walk_history(struct cluster_part *c, struct record *ret, size_t most,
                            size_t *ret_count)
{
    struct history *h = ledger_history(c->ledger->ledger);
    enum rc rc = RC_OK;
    if (!h)
        return RC_OK;
    if (!c->tours.history)
        c->tours.history = history_cursor_open(h);
    if (!c->tours.history)
        return RC_NOMEM;
    arena_clear(c->tours.history_arena);
    while (*ret_count + 2 <= most && rc == RC_OK)
        rc = next_history(c, ret, ret_count);
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

enum rc cluster_walk(struct port *p, enum port_walk which, uint64_t *at, struct record *ret,
                     size_t most, size_t *ret_count)
{
    struct cluster_part *c = cluster_of_port(p);
    struct cluster_tour *t = &c->tours.of[which];
    enum rc rc = RC_OK;
    if (!*at)
        begin_tour(c, which);
    *at = 1;
    *ret_count = 0;
    while (!t->rest.n && t->shard < c->shards && rc == RC_OK) {
        rc = step_tour(c, t);
        if (rc == RC_OK && !t->rest.n && t->walk.at.waits)
            return RC_AGAIN;
    }
    while (rc == RC_OK && *ret_count < most && records_next(&t->rest, &ret[*ret_count]))
        ++*ret_count;
    if (rc == RC_OK && !*ret_count && which == PORT_WALK_OWN)
        rc = walk_history(c, ret, most, ret_count);
    return rc;
}

/* Forgetting ----------------------------------------------------------------------------------- */

enum { FORGET_BYTES = 1 << 20 };

static enum rc forget_hosts(struct cluster_part *c, struct str names)
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

/* Forgets the hosts that the last walk has told whole, some at a time. */
enum rc cluster_forget(struct port *p)
{
    struct cluster_part *c = cluster_of_port(p);
    struct buf *told = &c->tours.of[PORT_WALK_MOVED].walk.names;
    struct str names = buf_str(told);
    enum rc rc = RC_OK;
    while (names.n && rc == RC_OK) {
        size_t n = 0;
        while (n < names.n && n < FORGET_BYTES / 4)
            n += 1 + (size_t)(uint8_t)names.p[n];
        rc = forget_hosts(c, str_first(names, n));
        names = str_from(names, n);
    }
    buf_clear(told);
    return rc;
}
