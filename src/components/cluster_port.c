/* SPDX-License-Identifier: Apache-2.0 */
/* The crawl's ledger as the agent of a cluster sees it (cluster/port.h).
 *
 * What the agent is told is journalled first and mailed to the shards then; a crash in between does
 * no harm, because the journal is done again. Until a shard has it, it counts as open. */
#include "components/cluster_inside.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/mem.h"
#include "crawl/batch.h"

enum { MAX_RECORDS_BYTES = RECORDS_MAX_BATCH_BYTES + (64 << 10) };

/* Mail ----------------------------------------------------------------------------------------- */

/* What the ledger says of news that it has journalled. */
struct told {
    unsigned epoch;
    uint64_t batch;
};

static bool put(struct cluster_part *c, unsigned shard, enum mail_kind kind, struct told told,
                struct str bytes)
{
    struct mail *m = mail_new(kind, told.epoch, bytes);
    if (!m)
        return false;
    m->batch = told.batch;
    (void)mailbox_put(&c->service.mail[shard], &m); /* closed: the next process does it again */
    return true;
}

bool cluster_mail_all(struct cluster_part *c, enum mail_kind kind, unsigned epoch)
{
    bool is_sent = true;
    for (unsigned i = 0; i < c->shards; i++)
        is_sent = put(c, i, kind, (struct told){epoch, 0}, STR("")) && is_sent;
    return is_sent;
}

static unsigned shard_of(const struct cluster_part *c, uint64_t position)
{
    return frontier_bucket(position) % c->shards;
}

static void begin_records(struct cluster_part *c, struct buf *out)
{
    buf_clear(out);
    record_batch_begin(out,
                       &(struct record_batch){.is = BATCH_IS_RECORDS, .src = str_c(c->login.name)});
}

/* To each shard what is of its hosts, in order. */
static enum rc mail_records(struct cluster_part *c, struct str batch, struct told told)
{
    for (unsigned shard = 0; shard < c->shards; shard++) {
        struct record_batch b;
        struct record r;
        size_t count = 0;
        enum rc rc = record_batch_read(batch, &b);
        begin_records(c, &c->scratch);
        while (rc == RC_OK && records_next(&b.records, &r)) {
            if (shard_of(c, r.position) != shard)
                continue;
            record_put(&c->scratch, &r);
            count++;
        }
        rc = rc ? rc : buf_rc(&c->scratch);
        if (rc == RC_OK && count && !put(c, shard, MAIL_RECORDS, told, buf_str(&c->scratch)))
            rc = RC_NOMEM;
        if (rc)
            return rc;
    }
    return RC_OK;
}

/* Telling -------------------------------------------------------------------------------------- */

static enum rc tell(struct cluster_part *c, struct ledger_news *n, struct told *ret)
{
    n->kept = c->keep != c->keep_said ? c->keep : LEDGER_NOT_SAID;
    enum rc rc = ledger_tell(c->ledger->ledger, n, &ret->epoch, &ret->batch);
    if (rc == RC_OK)
        c->keep_said = c->keep;
    return rc;
}

static enum rc port_note_fact(struct port *p, struct str fact)
{
    struct told told;
    return tell(cluster_of_port(p), &(struct ledger_news){.fact = fact}, &told);
}

bool cluster_is_true(struct cluster_part *c, const struct record *r, struct url_room room,
                     struct url *ret)
{
    struct url_parser parser = {.idn = c->scope->idn};
    uint64_t fingerprint;
    buf_clear(&c->scratch);
    return move_fingerprint(r->host, r->is_https, r->port, r->path, &c->scratch, &fingerprint) ==
               RC_OK &&
           fingerprint == r->fingerprint && r->position == hash64(r->host) &&
           url_parse(&parser, buf_str(&c->scratch), NULL, room, ret) == RC_OK &&
           str_eq(url_href(ret), buf_str(&c->scratch));
}

/* Others judge by the same settings, but by the seeds' redirects that they know of. Where a seed
 * redirects to joins the scope here too. */
static bool is_wanted(struct cluster_part *c, const struct record *r)
{
    char room[URL_ROOM_BYTES];
    struct url u;
    if (!cluster_is_true(c, r, (struct url_room){room, sizeof room}, &u))
        return false;
    enum scope_verdict verdict = scope_check(c->scope->scope, &u, r->hops);
    if (verdict == SCOPE_OUTSIDE && scope_joins(r->hops) &&
        scope_add_seed(c->scope->scope, &u) == RC_OK)
        verdict = scope_check(c->scope->scope, &u, r->hops);
    /* A seed that we were not given, or not yet, is one all the same. */
    return verdict == SCOPE_IN || (verdict == SCOPE_OUTSIDE && !r->hops.n);
}

static enum cluster_taken take_url(struct cluster_part *c, const struct record *r)
{
    count_add(&c->service.told, 1);
    if (is_wanted(c, r))
        return TAKEN_IN;
    count_add(&c->service.refused, 1);
    return TAKEN_NOT;
}

/* Into c->mine; what goes back into c->foreign. */
static void choose_mine(struct cluster_part *c, const struct record *list, size_t count,
                        size_t *ret_mine, size_t *ret_back)
{
    for (size_t i = 0; i < count; i++) {
        struct record r = list[i];
        r.is_again = false; /* nobody else says that */
        enum cluster_taken taken = r.kind == RECORD_URL ? take_url(c, &r)
                                   : r.kind == RECORD_WAY || r.kind == RECORD_NEARER
                                       ? cluster_take_way(c, &r)
                                       : TAKEN_IN;
        if (taken != TAKEN_NOT)
            record_put(taken == TAKEN_IN ? &c->mine : &c->foreign, &r);
        *ret_mine += taken == TAKEN_IN;
        *ret_back += taken == TAKEN_BACK;
    }
}

static enum rc port_take_records(struct port *p, const struct record *mine, size_t mine_count,
                                 const struct record *foreign, size_t foreign_count,
                                 struct str fact)
{
    struct cluster_part *c = cluster_of_port(p);
    struct told told;
    size_t chosen = 0, back = 0;
    begin_records(c, &c->mine);
    begin_records(c, &c->foreign);
    choose_mine(c, mine, mine_count, &chosen, &back);
    for (size_t i = 0; i < foreign_count; i++)
        record_put(&c->foreign, &foreign[i]);
    enum rc rc = buf_rc(&c->mine);
    rc = rc ? rc : buf_rc(&c->foreign);
    struct ledger_news n = {.fact = fact,
                            .mine = chosen ? buf_str(&c->mine) : STR(""),
                            .foreign = foreign_count + back ? buf_str(&c->foreign) : STR("")};
    rc = rc ? rc : tell(c, &n, &told);
    return rc || !chosen ? rc : mail_records(c, n.mine, told);
}

enum rc cluster_port_again(struct cluster_part *c, struct str batch)
{
    struct told told;
    (void)pthread_mutex_lock(&c->lock);
    enum rc rc = tell(c, &(struct ledger_news){.mine = batch}, &told);
    rc = rc ? rc : mail_records(c, batch, told);
    (void)pthread_mutex_unlock(&c->lock);
    return rc;
}

static enum rc port_put_aside(struct port *p, struct str fact)
{
    struct cluster_part *c = cluster_of_port(p);
    struct told told;
    enum rc rc = tell(c, &(struct ledger_news){.fact = fact, .is_aside = true}, &told);
    if (rc)
        return rc;
    atomic_fetch_add(&c->service.emptying, c->shards);
    return cluster_mail_all(c, MAIL_EMPTY, told.epoch) ? RC_OK : RC_NOMEM;
}

static enum rc port_recall_facts(struct port *p,
                                 enum rc (*each)(void *ctx, uint64_t position, struct str fact),
                                 void *ctx)
{
    return ledger_facts(cluster_of_port(p)->ledger->ledger, each, ctx);
}

/* The journal ---------------------------------------------------------------------------------- */

static uint64_t port_journal_end(struct port *p)
{
    return ledger_end(cluster_of_port(p)->ledger->ledger);
}

static uint64_t port_journal_durable(struct port *p)
{
    return ledger_durable(cluster_of_port(p)->ledger->ledger);
}

static void port_hurry_on(struct port *p)
{
    struct cluster_part *c = cluster_of_port(p);
    c->is_hurried = true;
    ledger_hurry(c->ledger->ledger);
}

static void port_keep_from(struct port *p, uint64_t from)
{
    cluster_of_port(p)->keep = from;
}

static uint64_t port_kept_from(struct port *p)
{
    return cluster_of_port(p)->keep;
}

/* One more link of the batch at hand. */
static struct record *one_more(struct cluster_part *c, size_t at)
{
    if (at == c->link_room) {
        size_t room = c->link_room ? c->link_room * 2 : 1024;
        struct record *more = mem_resize(c->links, room * sizeof *more);
        if (!more)
            return NULL;
        c->links = more;
        c->link_room = room;
    }
    return &c->links[at];
}

static struct record record_of_link(const struct candidate *l)
{
    return (struct record){.kind = RECORD_URL,
                           .position = l->position,
                           .host = l->host,
                           .fingerprint = l->fingerprint,
                           .path = l->path,
                           .via = l->via,
                           .hops = l->hops,
                           .port = l->port,
                           .is_https = l->is_https,
                           .class = l->class};
}

static enum rc read_links(struct cluster_part *c, const struct batch *b, struct port_batch *ret)
{
    struct record_batch records;
    struct candidate link;
    struct str rest = b->links;
    struct record *to = NULL;
    if (b->kind == BATCH_NEWS) {
        enum rc rc = record_batch_read(b->news.foreign, &records);
        while (rc == RC_OK && (to = one_more(c, ret->link_count)) &&
               records_next(&records.records, to))
            ret->link_count++;
        return rc ? rc : to ? RC_OK : RC_NOMEM;
    }
    while (batch_next_link(&rest, &link, NULL)) {
        to = one_more(c, ret->link_count);
        if (!to)
            return RC_NOMEM;
        *to = record_of_link(&link);
        ret->link_count++;
    }
    return RC_OK;
}

/* A page that is done: what came of it. */
static void read_done(struct cluster_part *c, const struct batch *b, struct record *done)
{
    const struct batch_url *u = &b->url;
    *done = (struct record){.kind = RECORD_DONE,
                            .position = u->position,
                            .host = u->host,
                            .fingerprint = b->fingerprint,
                            .time_ms = b->past.date_ms > 0 ? (uint64_t)b->past.date_ms : 0,
                            .status = b->past.code,
                            .where = b->has_place ? str_c(c->login.name) : STR(""),
                            .where_inc = b->has_place ? agent_first_inc(c->agent) : 0,
                            .path = u->path,
                            .port = u->port,
                            .is_https = u->is_https,
                            .class = u->class,
                            .hops = b->past.hops};
    if (b->past.has_digest)
        memcpy(done->digest, b->past.digest.bytes, RECORDS_DIGEST_BYTES);
}

/* The host as it is after a request, also one that has to be made again or was for robots.txt: who
 * adopts the host keeps to what was learnt from it. */
static void read_host(const struct batch_url *u, uint64_t wall_ms, struct record *host)
{
    *host = (struct record){.kind = RECORD_HOST,
                            .position = u->position,
                            .host = u->host,
                            .time_ms = u->due_wall_ms < wall_ms ? u->due_wall_ms : wall_ms,
                            .next_wall_ms = u->due_wall_ms,
                            .state = u->card.n <= RECORDS_MAX_STATE_BYTES ? u->card : STR("")};
}

static void read_outcome(struct cluster_part *c, const struct batch *b, struct port_batch *ret)
{
    if (!b->has_url) {
        ret->outcome_count += cluster_read_new_way(c, b, &c->outcome[0]);
        return;
    }
    bool is_done = b->url.how == SETTLE_DONE && b->has_past;
    if (is_done)
        read_done(c, b, &c->outcome[ret->outcome_count++]);
    if (is_done)
        ret->outcome_count += cluster_read_way(c, b, &c->outcome[ret->outcome_count]);
    read_host(&b->url, clock_wall_ms(c->ledger->clock), &c->outcome[ret->outcome_count++]);
}

static enum rc port_read_batch(struct port *p, uint64_t from, struct port_batch *ret)
{
    struct cluster_part *c = cluster_of_port(p);
    struct batch b;
    *ret = (struct port_batch){0};
    enum rc rc = ledger_outbox_next(c->outbox, from, &b, &ret->position, &ret->next);
    rc = rc ? rc : read_links(c, &b, ret);
    if (rc)
        return rc;
    if (b.kind == BATCH_OUTCOME) {
        read_outcome(c, &b, ret);
        ret->pages = b.totals.pages;
    }
    ret->links = c->links;
    ret->outcome = c->outcome;
    return RC_OK;
}

/* The crawl ------------------------------------------------------------------------------------ */

/* With the lock, as all that the agent's thread does. */
static void port_new_epoch(struct port *p)
{
    struct cluster_part *c = cluster_of_port(p);
    c->open_before += c->open_now;
    c->open_now = 0;
    atomic_fetch_add(&c->service.generation, 1);
}

static void port_abort_all(struct port *p)
{
    struct cluster_part *c = cluster_of_port(p);
    if (!cluster_mail_all(c, MAIL_ABORT, 0))
        log_error(c->log, "cluster.abort", LOG_C("why", "no memory"));
}

/* What rests on disk too, and links to it that nobody has looked at yet. */
static uint64_t queued(const struct cluster_part *c)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < c->shards; i++)
        sum += atomic_load(&c->ledger->counts.shards[i % CRAWL_MAX_SHARDS].work);
    return sum;
}

/* In this order: what leaves one count is in the next by then. A shard's word on its queue may be
 * some milliseconds old, but it is renewed before a shard without work waits. */
static struct port_counts port_count_all(struct port *p)
{
    struct cluster_part *c = cluster_of_port(p);
    struct port_counts n = {0};
    /* What the operator has said may be seeds: until it is known nobody is idle. */
    n.open = atomic_load(&c->lists) + !atomic_load(&c->service.talk->is_ready);
    n.open += ledger_pending(c->ledger->ledger) + cluster_lost_waits(c);
    n.open += c->open_now + c->open_before;
    n.queued = queued(c);
    n.admitted = atomic_load(&c->ledger->counts.admitted) + atomic_load(&c->ledger->counts.fetched);
    n.moving = c->open_before;
    n.pages = atomic_load(&c->ledger->counts.fetched);
    n.last = ledger_for_others(c->ledger->ledger);
    n.journalled = ledger_totals(c->ledger->ledger).pages;
    return n;
}

static struct port_restart port_restarted(struct port *p)
{
    struct cluster_part *c = cluster_of_port(p);
    struct ledger_restarts r = ledger_restarts(c->ledger->ledger);
    return (struct port_restart){
        .id = r.id, .wall_ms = r.wall_ms, .now_wall_ms = clock_wall_ms(c->ledger->clock)};
}

const struct port_ops cluster_port_ops = {
    .note = port_note_fact,
    .take = port_take_records,
    .recall = port_recall_facts,
    .end = port_journal_end,
    .durable = port_journal_durable,
    .read = port_read_batch,
    .keep = port_keep_from,
    .kept = port_kept_from,
    .epoch = port_new_epoch,
    .abort = port_abort_all,
    .counts = port_count_all,
    .walk = cluster_walk,
    .forget = cluster_forget,
    .aside = port_put_aside,
    .restart = port_restarted,
    .hurry = port_hurry_on,
    .used = cluster_used,
    .others = cluster_share_others,
    .tell_domains = cluster_tell_domains,
    .heard_domain = cluster_heard_domain,
    .tell_addresses = cluster_tell_addresses,
    .heard_addresses = cluster_heard_addresses,
};

enum rc cluster_port_open(struct cluster_part *c)
{
    uint64_t kept = ledger_kept(c->ledger->ledger);
    c->port.ops = &cluster_port_ops;
    buf_init(&c->mine, MAX_RECORDS_BYTES);
    buf_init(&c->foreign, MAX_RECORDS_BYTES);
    buf_init(&c->scratch, MAX_RECORDS_BYTES);
    for (unsigned i = 0; i < 2; i++)
        mail_walk_init(&c->tours[i].walk);
    c->keep = kept == LEDGER_NOT_SAID ? 0 : kept;
    c->keep_said = kept; /* at the very first the next fact says 0: the journal stays whole */
    c->outbox = ledger_outbox_open(c->ledger->ledger);
    c->past_arena = arena_open(64 << 10, 16 << 20);
    return c->outbox && c->past_arena ? RC_OK : RC_NOMEM;
}

bool cluster_port_is_founded(struct cluster_part *c)
{
    return ledger_kept(c->ledger->ledger) != LEDGER_NOT_SAID;
}

enum rc cluster_port_found(struct cluster_part *c)
{
    return cluster_port_is_founded(c) ? RC_OK : port_note_fact(&c->port, STR(""));
}

void cluster_port_close(struct cluster_part *c)
{
    ledger_outbox_close(c->outbox);
    history_cursor_close(c->past);
    arena_close(c->past_arena);
    mem_free(c->links);
    buf_done(&c->mine);
    buf_done(&c->foreign);
    buf_done(&c->scratch);
    for (unsigned i = 0; i < 2; i++)
        mail_walk_done(&c->tours[i].walk);
}
