/* SPDX-License-Identifier: Apache-2.0 */
/* The crawl's ledger as the agent of a cluster sees it (cluster/protocol/port.h).
 *
 * What other agents tell is journalled first and then mailed to the shards; a crash in between does
 * no harm, because the journal is replayed. Until a shard has it, it counts as open. */
#include "agent/agent_internal.h"
#include "discovery/seed_path.h"
#include "roles/counters.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/mem.h"
#include "ledger/batch.h"

enum { MAX_RECORDS_BYTES = RECORDS_MAX_BATCH_BYTES + (64 << 10) };

/* Mail ----------------------------------------------------------------------------------------- */

/* What the ledger returns for news that it has journalled. */
struct told {
    unsigned epoch;
    uint64_t batch;
};

static bool put_mail(struct cluster_part *c, unsigned shard, enum mail_kind kind, struct told told,
                     struct str bytes)
{
    struct mail *m = mail_new(kind, told.epoch, bytes);
    if (!m)
        return false;
    m->batch = told.batch;
    /* a closed mailbox: the next process does it again */
    (void)mailbox_put(&c->service.mail[shard], &m);
    return true;
}

bool cluster_mail_all(struct cluster_part *c, enum mail_kind kind, unsigned epoch)
{
    bool is_sent = true;
    for (unsigned i = 0; i < c->shards; i++)
        is_sent = put_mail(c, i, kind, (struct told){epoch, 0}, STR("")) && is_sent;
    return is_sent;
}

static unsigned shard_of(const struct cluster_part *c, uint64_t host_hash)
{
    return frontier_bucket(host_hash) % c->shards;
}

static void begin_records(struct cluster_part *c, struct buf *out)
{
    buf_clear(out);
    record_batch_begin(out,
                       &(struct record_batch){.is = BATCH_IS_RECORDS, .src = str_c(c->login.name)});
}

/* Mails to one shard the records of its hosts. */
static enum rc mail_records_of(struct cluster_part *c, unsigned shard, struct str records,
                               struct told told)
{
    struct record r;
    size_t count = 0;
    begin_records(c, &c->scratch);
    while (records_next(&records, &r)) {
        if (shard_of(c, r.host_hash) != shard)
            continue;
        record_put(&c->scratch, &r);
        count++;
    }
    enum rc rc = buf_rc(&c->scratch);
    bool is_mailed = rc || !count || put_mail(c, shard, MAIL_RECORDS, told, buf_str(&c->scratch));
    return is_mailed ? rc : RC_NOMEM;
}

/* Mails to each shard the records of its hosts, in order. There is at least one. */
static enum rc mail_records(struct cluster_part *c, struct str batch, struct told told)
{
    struct record_batch b;
    enum rc rc = record_batch_head(batch, &b);
    if (rc == RC_OK && c->shards == 1)
        return put_mail(c, 0, MAIL_RECORDS, told, batch) ? RC_OK : RC_NOMEM;
    for (unsigned shard = 0; shard < c->shards && rc == RC_OK; shard++)
        rc = mail_records_of(c, shard, b.records, told);
    return rc;
}

/* Telling -------------------------------------------------------------------------------------- */

static enum rc tell_ledger(struct cluster_part *c, struct ledger_news *n, struct told *ret)
{
    n->kept = c->reader.keep != c->reader.keep_said ? c->reader.keep : LEDGER_NOT_SAID;
    enum rc rc = ledger_tell(c->ledger->ledger, n, &ret->epoch, &ret->batch);
    if (rc == RC_OK)
        c->reader.keep_said = c->reader.keep;
    return rc;
}

static enum rc port_note_fact(struct port *p, struct str fact)
{
    struct told told;
    return tell_ledger(cluster_of_port(p), &(struct ledger_news){.fact = fact}, &told);
}

bool cluster_matches_url(struct cluster_part *c, const struct record *r, struct url_room room,
                         struct url *ret)
{
    struct url_parser parser = {.idn = c->scope->idn};
    uint64_t fingerprint;
    buf_clear(&c->scratch);
    return move_fingerprint(r->host, r->is_https, r->port, r->path, &c->scratch, &fingerprint) ==
               RC_OK &&
           fingerprint == r->fingerprint && r->host_hash == hash64(r->host) &&
           url_parse(&parser, buf_str(&c->scratch), NULL, room, ret) == RC_OK &&
           str_eq(url_href(ret), buf_str(&c->scratch));
}

/* Other agents judge by the same settings, but may know other redirects of seeds. The target of a
 * seed's redirect joins the scope here, too. */
static bool is_wanted(struct cluster_part *c, const struct record *r)
{
    char room[URL_ROOM_BYTES];
    struct url u;
    if (!cluster_matches_url(c, r, (struct url_room){room, sizeof room}, &u))
        return false;
    enum scope_verdict verdict = scope_check(c->scope->scope, &u, r->seed_path);
    if (verdict == SCOPE_OUTSIDE && seed_path_joins_seeds(r->seed_path) &&
        scope_add_seed(c->scope->scope, &u) == RC_OK)
        verdict = scope_check(c->scope->scope, &u, r->seed_path);
    /* A seed counts even if this agent was not given it, or not yet. */
    return verdict == SCOPE_IN || (verdict == SCOPE_OUTSIDE && !r->seed_path.n);
}

/* Where links are counted, each agent that finds one counts. A URL that was queued at the former
 * owner of its host is taken in any case. */
static bool was_told(const struct cluster_part *c, const struct record *r, unsigned depth)
{
    return c->ledger->order != ORDER_PRIORITY && !r->is_back &&
           sent_filter_has(c->told, r->fingerprint, depth);
}

/* Each of the other agents that finds a link tells it: it is journalled and mailed once. A record
 * whose fingerprint is not that of its URL was never taken, and so is never in the filter. If the
 * host leaves this agent and comes back, the agents have a new epoch, and the filter is empty. */
static enum cluster_taken take_url(struct cluster_part *c, const struct record *r)
{
    unsigned depth = c->ledger->depth_index ? seed_path_depth(r->seed_path) : 0;
    count_add(&c->service.told, 1);
    if (was_told(c, r, depth)) {
        count_add(&c->service.told_before, 1);
        return TAKEN_NOT;
    }
    if (is_wanted(c, r)) {
        (void)sent_filter_add(c->told, r->fingerprint, depth);
        return TAKEN_IN;
    }
    count_add(&c->service.refused, 1);
    return TAKEN_NOT;
}

/* Puts records into c->mine; those that go back into c->foreign. */
static void choose_mine(struct cluster_part *c, const struct record *list, size_t count,
                        size_t *ret_mine, size_t *ret_back)
{
    for (size_t i = 0; i < count; i++) {
        struct record r = list[i];
        r.is_again = false; /* other agents may not say that */
        enum cluster_taken taken = r.kind == RECORD_URL ? take_url(c, &r)
                                   : r.kind == RECORD_SEED_PATH || r.kind == RECORD_SHORTER
                                       ? cluster_take_seed_path(c, &r)
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
    rc = rc ? rc : tell_ledger(c, &n, &told);
    return rc || !chosen ? rc : mail_records(c, n.mine, told);
}

enum rc cluster_port_again(struct cluster_part *c, struct str batch)
{
    struct told told;
    (void)pthread_mutex_lock(&c->lock);
    enum rc rc = tell_ledger(c, &(struct ledger_news){.mine = batch}, &told);
    rc = rc ? rc : mail_records(c, batch, told);
    (void)pthread_mutex_unlock(&c->lock);
    return rc;
}

static enum rc port_put_aside(struct port *p, struct str fact)
{
    struct cluster_part *c = cluster_of_port(p);
    struct told told;
    enum rc rc = tell_ledger(c, &(struct ledger_news){.fact = fact, .is_aside = true}, &told);
    if (rc)
        return rc;
    sent_filter_clear(c->told);
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
    c->reader.is_hurried = true;
    ledger_hurry(c->ledger->ledger);
}

static void port_keep_from(struct port *p, uint64_t from)
{
    cluster_of_port(p)->reader.keep = from;
}

static uint64_t port_kept_from(struct port *p)
{
    return cluster_of_port(p)->reader.keep;
}

/* Makes room for one more link of the batch being read. */
static struct record *one_more_link(struct cluster_part *c, size_t at)
{
    struct record *links = mem_grow(c->reader.links, at, &c->reader.link_room, sizeof *links);
    if (!links)
        return NULL;
    c->reader.links = links;
    return &links[at];
}

static struct record record_of_link(const struct candidate *l)
{
    return (struct record){.kind = RECORD_URL,
                           .host_hash = l->host_hash,
                           .host = l->host,
                           .fingerprint = l->fingerprint,
                           .path = l->path,
                           .via = l->via,
                           .seed_path = l->seed_path,
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
        enum rc rc = record_batch_head(b->news.foreign, &records);
        while (rc == RC_OK && (to = one_more_link(c, ret->link_count)) &&
               records_next(&records.records, to))
            ret->link_count++;
        return rc ? rc : to ? RC_OK : RC_NOMEM;
    }
    while (batch_next_link(&rest, &link, NULL)) {
        to = one_more_link(c, ret->link_count);
        if (!to)
            return RC_NOMEM;
        *to = record_of_link(&link);
        ret->link_count++;
    }
    return RC_OK;
}

/* The outcome of a page that is done. */
static void read_done(struct cluster_part *c, const struct batch *b, struct record *done)
{
    const struct batch_url *u = &b->url;
    *done = (struct record){.kind = RECORD_DONE,
                            .host_hash = u->host_hash,
                            .host = u->host,
                            .fingerprint = b->fingerprint,
                            .time_ms = b->history.date_ms > 0 ? (uint64_t)b->history.date_ms : 0,
                            .status = b->history.code,
                            .where = b->has_location ? str_c(c->login.name) : STR(""),
                            .where_inc = b->has_location ? agent_first_inc(c->agent) : 0,
                            .path = u->path,
                            .port = u->port,
                            .is_https = u->is_https,
                            .class = u->class,
                            .seed_path = b->history.seed_path};
    if (b->history.has_digest)
        memcpy(done->digest, b->history.digest.bytes, RECORDS_DIGEST_BYTES);
}

/* The host record after every request, even one for robots.txt or one that must be repeated: an
 * agent that adopts the host has to respect what was learnt. */
static void read_host(const struct batch_url *u, uint64_t wall_ms, struct record *host)
{
    *host = (struct record){.kind = RECORD_HOST,
                            .host_hash = u->host_hash,
                            .host = u->host,
                            .time_ms = u->due_wall_ms < wall_ms ? u->due_wall_ms : wall_ms,
                            .next_wall_ms = u->due_wall_ms,
                            .state = u->record.n <= RECORDS_MAX_STATE_BYTES ? u->record : STR("")};
}

static void read_outcome(struct cluster_part *c, const struct batch *b, struct port_batch *ret)
{
    if (!b->has_url) {
        ret->outcome_count += cluster_read_new_seed_path(c, b, &c->reader.outcome[0]);
        return;
    }
    bool is_done = b->url.how == CHECKIN_DONE && b->has_history;
    if (is_done)
        read_done(c, b, &c->reader.outcome[ret->outcome_count++]);
    if (is_done)
        ret->outcome_count += cluster_read_seed_path(c, b, &c->reader.outcome[ret->outcome_count]);
    read_host(&b->url, clock_wall_ms(c->ledger->run.clock),
              &c->reader.outcome[ret->outcome_count++]);
}

static enum rc port_read_batch(struct port *p, uint64_t from, struct port_batch *ret)
{
    struct cluster_part *c = cluster_of_port(p);
    struct batch b;
    *ret = (struct port_batch){0};
    enum rc rc = ledger_outbox_next(c->reader.outbox, from, &b, &ret->position, &ret->next);
    rc = rc ? rc : read_links(c, &b, ret);
    if (rc)
        return rc;
    if (b.kind == BATCH_OUTCOME) {
        read_outcome(c, &b, ret);
        ret->pages = b.totals.pages;
    }
    ret->links = c->reader.links;
    ret->outcome = c->reader.outcome;
    return RC_OK;
}

/* The crawl ------------------------------------------------------------------------------------ */

/* The lock is held, as in all that the agent's thread does. */
static void port_new_epoch(struct port *p)
{
    struct cluster_part *c = cluster_of_port(p);
    c->claims.before += c->claims.now;
    c->claims.now = 0;
    sent_filter_clear(c->told);
    atomic_fetch_add(&c->service.generation, 1);
}

static void port_abort_all(struct port *p)
{
    struct cluster_part *c = cluster_of_port(p);
    if (!cluster_mail_all(c, MAIL_ABORT, 0))
        log_error(c->log, "cluster.abort_failed", LOG_C("why", "no memory"));
}

/* Includes swapped URLs, and links to them that are not judged yet. */
static uint64_t queued_urls(const struct cluster_part *c)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < c->shards; i++)
        sum += atomic_load(&c->ledger->counts.shards[i % CRAWL_MAX_SHARDS].work);
    return sum;
}

/* The order matters: work that leaves one count is already in the next. A shard's count of its
 * queue may be some milliseconds old, but it is renewed before a shard without work waits. */
static struct port_counts port_count_all(struct port *p)
{
    struct cluster_part *c = cluster_of_port(p);
    struct port_counts n = {0};
    /* The operator's entries may be seeds: until they are read no agent is idle. */
    n.open = atomic_load(&c->lists) + !atomic_load(&c->service.peers->is_ready);
    n.open += ledger_pending(c->ledger->ledger) + cluster_lost_waits(c);
    n.open += c->claims.now + c->claims.before;
    n.queued = queued_urls(c);
    n.admitted = atomic_load(&c->ledger->counts.admitted) + atomic_load(&c->ledger->counts.fetched);
    n.moving = c->claims.before;
    n.pages = atomic_load(&c->ledger->counts.fetched);
    n.last = ledger_for_others(c->ledger->ledger);
    n.journalled = ledger_totals(c->ledger->ledger).pages;
    return n;
}

static struct port_recrawl port_last_recrawl(struct port *p)
{
    struct cluster_part *c = cluster_of_port(p);
    struct ledger_recrawl r = ledger_last_recrawl(c->ledger->ledger);
    return (struct port_recrawl){
        .id = r.id, .wall_ms = r.wall_ms, .now_wall_ms = clock_wall_ms(c->ledger->run.clock)};
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
    .last_recrawl = port_last_recrawl,
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
        mail_walk_init(&c->tours.of[i].walk);
    c->reader.keep = kept == LEDGER_NOT_SAID ? 0 : kept;
    c->reader.keep_said =
        kept; /* at the first start the next fact writes 0, so that the whole journal is kept */
    c->reader.outbox = ledger_outbox_open(c->ledger->ledger);
    c->tours.history_arena = arena_open(64 << 10, 16 << 20);
    c->ledger->told = c->told = mem_zero(1, sizeof *c->told);
    return c->reader.outbox && c->tours.history_arena && c->told ? RC_OK : RC_NOMEM;
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
    ledger_outbox_close(c->reader.outbox);
    c->ledger->told = NULL;
    mem_free(c->told);
    history_cursor_close(c->tours.history);
    arena_close(c->tours.history_arena);
    mem_free(c->reader.links);
    buf_done(&c->mine);
    buf_done(&c->foreign);
    buf_done(&c->scratch);
    for (unsigned i = 0; i < 2; i++)
        mail_walk_done(&c->tours.of[i].walk);
}
