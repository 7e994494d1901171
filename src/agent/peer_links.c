/* SPDX-License-Identifier: Apache-2.0 */
/* peer-links: brings what other agents of a cluster have told to the shard that it concerns.
 *
 * The agent's thread journals it and mails it here, in order. URLs go to the step admit as links
 * do, so that the same budgets hold; what other agents have done, and host records, go to the
 * ledger. This step is a source: in a cluster the crawl does not end before the agent says so. It
 * works while the crawl is paused, since hosts must be handed over meanwhile: the agent's thread
 * waits for the shard that walks over them, and an agent that waits too long is declared dead. */
#include "agent/mail_walk.h"
#include "discovery/depth_index.h"
#include "discovery/seed_path.h"
#include "roles/cluster.h"
#include "roles/ledger.h"
#include "visit/links.h"
#include "visit/visit.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/taker.h"
#include "cluster/wire/records.h"
#include "outputs/kept_seed.h"

enum { NEED_LEDGER, NEED_CLUSTER };

enum { AT_ONCE = 256, LATER_MS = 50 };

struct peer_links {
    struct timer timer;
    struct instance *self;
    struct ledger_service *ledger;
    struct cluster_service *cluster;
    struct mailbox *box; /* of this shard; NULL: there is no mail */
    struct mail *mail;   /* the mail being worked on; NULL: none */
    struct str rest;     /* of that mail */
    bool is_over;        /* the step schedule was told so */
};

static enum rc peer_links_open(struct instance *self, struct buf *why)
{
    (void)why;
    struct peer_links *p = mem_zero(1, sizeof *p);
    if (!p)
        return RC_NOMEM;
    p->self = self;
    p->ledger = part_provider(self, NEED_LEDGER);
    p->cluster = part_provider(self, NEED_CLUSTER);
    p->box = p->cluster->mail ? &p->cluster->mail[self->shard] : NULL;
    p->is_over = !p->box;
    self->state = p;
    return RC_OK;
}

static void peer_links_close(struct instance *self)
{
    struct peer_links *p = self->state;
    mail_free(p->mail);
    mem_free(p);
}

static void end_mail(struct peer_links *p)
{
    mail_free(p->mail);
    p->mail = NULL;
    p->rest = STR("");
}

static bool take_mail(struct peer_links *p)
{
    struct record_batch b = {0};
    p->mail = p->box ? mailbox_take(p->box) : NULL;
    if (!p->mail)
        return false;
    p->rest = buf_str(&p->mail->bytes);
    if (p->mail->kind == MAIL_RECORDS && record_batch_head(p->rest, &b) == RC_OK)
        p->rest = b.records;
    return true;
}

/* Records -------------------------------------------------------------------------------------- */

/* The target of a seed's redirect extends the scope, also in later runs. */
static enum rc keep_seed(struct instance *self, const struct candidate *c)
{
    struct peer_links *p = self->state;
    char room[FRONTIER_MAX_PATH_BYTES + FRONTIER_MAX_HOST_BYTES + 32];
    char line_room[sizeof room + 8];
    struct buf url = buf_on(room, sizeof room), line = buf_on(line_room, sizeof line_room);
    unsigned epoch;
    if (!seed_path_joins_seeds(c->seed_path) ||
        frontier_knows(ledger_frontier(p->ledger->ledger, self->shard), c->host_hash,
                       c->fingerprint))
        return RC_OK;
    candidate_print(c, &url);
    kept_seed_print(&line, (struct kept_seed){.url = buf_str(&url), .from = STR("-")});
    struct ledger_line seed = {LEDGER_SEEDS, buf_str(&line)};
    struct ledger_outcome o = {.lines = &seed, .line_count = 1};
    enum rc rc = buf_rc(&url) ? buf_rc(&url) : buf_rc(&line);
    return rc ? rc : ledger_record_outcome(p->ledger->ledger, self->shard, &o, &epoch);
}

/* Forgets, of the first `count` records, the URLs that are fetched again, host by host. */
static enum rc forget_refetched(struct instance *self, struct peer_links *p, struct str rest,
                                size_t count)
{
    uint64_t list[AT_ONCE], host_hash = 0;
    struct str host = STR("");
    struct record r;
    size_t found = 0;
    enum rc rc = RC_OK;
    for (size_t i = 0; i <= count && rc == RC_OK; i++) {
        bool is_one = i < count && records_next(&rest, &r) && r.is_again;
        if (found && (!is_one || !str_eq(r.host, host))) {
            rc = ledger_unknow(p->ledger->ledger, self->shard, host_hash, host, list, found);
            found = 0;
        }
        if (is_one) {
            host = r.host;
            host_hash = r.host_hash;
            list[found++] = r.fingerprint;
        }
    }
    return rc;
}

/* Emits URLs up to the next record of another kind, or as many as fit into one message. */
static enum rc emit_urls(struct instance *self, struct peer_links *p)
{
    struct candidate list[AT_ONCE];
    const struct candidate *all[AT_ONCE];
    struct str rest = p->rest, before = p->rest;
    struct record r;
    size_t count = 0;
    bool is_any_again = false;
    enum rc rc = RC_OK;
    while (count < AT_ONCE && rc == RC_OK && records_next(&rest, &r) && r.kind == RECORD_URL) {
        is_any_again |= r.is_again;
        list[count] = ledger_candidate_of(&r);
        all[count] = &list[count];
        rc = keep_seed(self, &list[count++]);
        p->rest = rest;
    }
    if (is_any_again && rc == RC_OK)
        rc = forget_refetched(self, p, before, count);
    struct links *l = rc ? NULL : links_open(all, count, STR(""), p->mail->epoch, p->mail->batch);
    if (!l)
        return rc ? rc : RC_NOMEM;
    l->is_told = true;
    part_emit(self, 0, &l->head);
    return RC_OK;
}

static enum rc emit_one(struct instance *self, struct peer_links *p, const struct candidate *c)
{
    struct links *l = links_open(&c, 1, STR(""), p->mail->epoch, p->mail->batch);
    if (!l)
        return RC_NOMEM;
    l->is_told = true;
    part_emit(self, 0, &l->head);
    return RC_OK;
}

static struct depth_index *depths_of(struct instance *self, const struct peer_links *p)
{
    return p->ledger->depth_index ? p->ledger->depth_index[self->shard] : NULL;
}

/* Whether the record says that a page is done which is being fetched again by a shorter seed path.
 * Several agents may say so, and late; with such a record the page would not be fetched. */
static bool is_stale(struct instance *self, const struct peer_links *p, const struct record *r)
{
    struct depth_index *d = depths_of(self, p);
    bool is_done =
        r->kind == RECORD_SEED_PATH || (r->kind == RECORD_DONE && r->where.n && r->path.n);
    return d && is_done &&
           depth_index_waits_again(d, r->fingerprint, seed_path_depth(r->seed_path));
}

/* A page that another agent has fetched; or a shorter seed path to a page that we have, or that no
 * agent has any more. As a link it then has a lower depth than was known, or is new
 * (admission/shorter.h). */
static enum rc emit_seed_path(struct instance *self, struct peer_links *p, const struct record *r)
{
    struct depth_index *d = depths_of(self, p);
    struct candidate c = ledger_candidate_of(r);
    struct str seed_path;
    enum rc rc = ledger_take_seed_path(p->ledger->ledger, self->shard, r);
    if (rc)
        return rc;
    if (d && r->kind == RECORD_SEED_PATH) {
        if (depth_index_told(d, r->fingerprint, seed_path_depth(r->seed_path), &seed_path))
            c.seed_path = seed_path;
    } else if (d && r->where.n) {
        if (depth_index_is_done(d, r->fingerprint, &seed_path) &&
            seed_path_depth(seed_path) < seed_path_depth(r->seed_path))
            c.seed_path = seed_path;
    } else if (d) {
        depth_index_again(d, r->fingerprint);
    }
    return emit_one(self, p, &c);
}

static enum rc emit_link(struct instance *self, struct peer_links *p, const struct record *r)
{
    struct candidate c = ledger_candidate_of(r);
    return emit_one(self, p, &c);
}

/* *ret_emitted: a source gives one message at a time. */
static enum rc work_on_records(struct instance *self, struct peer_links *p, bool *ret_emitted)
{
    struct ledger *l = p->ledger->ledger;
    struct record r;
    enum rc rc = RC_OK;
    while (rc == RC_OK && !*ret_emitted) {
        struct str rest = p->rest;
        size_t fresh;
        if (!records_next(&rest, &r)) {
            end_mail(p);
            return RC_OK;
        }
        *ret_emitted = r.kind == RECORD_URL;
        if (*ret_emitted)
            return emit_urls(self, p);
        p->rest = rest;
        bool is_link = is_stale(self, p, &r);
        *ret_emitted = is_link || r.kind == RECORD_SEED_PATH || r.kind == RECORD_SHORTER;
        if (is_link)
            return emit_link(self, p, &r);
        if (*ret_emitted)
            return emit_seed_path(self, p, &r);
        rc = ledger_merge(l, self->shard, p->mail->epoch, &r, 1, &fresh);
    }
    return rc;
}

static enum rc forget_hosts(struct instance *self, struct peer_links *p)
{
    struct taker t = {.rest = p->rest};
    enum rc rc = RC_OK;
    while (t.rest.n && rc == RC_OK)
        rc = ledger_forget(p->ledger->ledger, self->shard, p->mail->epoch, take_str8(&t));
    end_mail(p);
    return rc;
}

/* Hosts that are checked out come back first: their requests have been aborted. */
static enum rc empty_frontier(struct instance *self, struct peer_links *p, bool *ret_later)
{
    enum rc rc = ledger_empty(p->ledger->ledger, self->shard, p->mail->epoch);
    *ret_later = rc == RC_AGAIN;
    if (*ret_later)
        return RC_OK;
    end_mail(p);
    atomic_fetch_sub(&p->cluster->emptying, 1);
    return rc;
}

static void abort_open(struct instance *self, struct peer_links *p)
{
    const struct cluster_breaker *b = &p->cluster->breakers[self->shard];
    if (b->run)
        b->run(b->ctx);
    end_mail(p);
}

static void walk_frontier(struct instance *self, struct peer_links *p)
{
    mail_walk_step(p->mail->walk, p->ledger->ledger, self->shard,
                   p->ledger->depth_index ? p->ledger->depth_index[self->shard] : NULL,
                   clock_wall_ms(p->ledger->run.clock));
    end_mail(p);
}

static void fail_with_mail(struct instance *self, struct peer_links *p)
{
    part_fail(self, p->mail->rc, "the cluster: " STR_FMT " (%s)", STR_ARG(p->rest),
              rc_text(p->mail->rc));
    end_mail(p);
}

/* Wakes the step schedule: it has nothing more to wait for. */
static enum rc say_over(struct instance *self, struct peer_links *p)
{
    struct links *l = links_open(NULL, 0, STR(""), 0, 0);
    end_mail(p);
    if (!l)
        return RC_NOMEM;
    p->is_over = true;
    part_emit(self, 0, &l->head);
    return RC_OK;
}

/* The source ----------------------------------------------------------------------------------- */

/* Does one piece of mail, or one message of it. */
static enum rc work_on_mail(struct instance *self, struct peer_links *p, bool *ret_emitted,
                            bool *ret_later)
{
    switch (p->mail->kind) {
    case MAIL_RECORDS:
        return work_on_records(self, p, ret_emitted);
    case MAIL_FORGET:
        return forget_hosts(self, p);
    case MAIL_EMPTY:
        return empty_frontier(self, p, ret_later);
    case MAIL_ABORT:
        abort_open(self, p);
        return RC_OK;
    case MAIL_WALK:
        walk_frontier(self, p);
        return RC_OK;
    case MAIL_OVER:
        *ret_emitted = true;
        return say_over(self, p);
    case MAIL_FAILED:
        fail_with_mail(self, p);
        return RC_OK;
    }
    return RC_OK;
}

/* A queue may be empty after records were merged or hosts forgotten. The step schedule would
 * notice when the next host is due, which may be never, and the whole crawl would wait for an
 * empty queue. */
static void gauge_queue(struct instance *self, const struct peer_links *p)
{
    ledger_service_gauge(p->ledger, self->shard);
}

static void on_due(struct timer *t, uint64_t now_ms)
{
    (void)now_ms;
    part_ready(EVENT_OF(t, struct peer_links, timer)->self);
}

static enum produced peer_links_produce(struct instance *self)
{
    struct peer_links *p = self->state;
    bool emitted = false, later = false;
    if (!p->mail && !take_mail(p))
        return p->is_over ? PRODUCED_IDLE : PRODUCED_WAIT;
    enum rc rc = work_on_mail(self, p, &emitted, &later);
    gauge_queue(self, p);
    if (rc == RC_OK && later)
        rc = part_timer(self, &p->timer, part_now_ms(self) + LATER_MS);
    if (rc)
        part_fail(self, rc, "cannot merge the records of other agents: %s", rc_text(rc));
    return later ? PRODUCED_WAIT : PRODUCED_MORE;
}

static void peer_links_start(struct instance *self)
{
    struct peer_links *p = self->state;
    p->timer.due = on_due;
    if (p->box)
        mailbox_open(p->box, self);
}

/* The agent ends first, so that nothing more is journalled for this shard. Mail that is left stays
 * pending: the journal has it, and the next process does it again. */
static void peer_links_stop(struct instance *self)
{
    struct peer_links *p = self->state;
    if (p->box)
        mailbox_close(p->box);
    p->cluster->ops->stop(p->cluster);
    part_timer_stop(self, &p->timer);
}

const struct part part_peer_links = {
    .abi = PART_ABI,
    .kind = PART_COMPONENT,
    .name = "peer-links",
    .former_name = "post",
    .help = "brings the links and records of other agents of a cluster",
    .outlets = (const struct part_port[]){{"out", LINKS_TYPE, "links of this shard", false}, {0}},
    .needs = (const struct part_need[]){[NEED_LEDGER] = {"ledger", LEDGER_INTERFACE, "merges"},
                                        [NEED_CLUSTER] = {"cluster", CLUSTER_INTERFACE,
                                                          "has the records as mail"},
                                        {0}},
    .credits_each = 2,
    .credits_default = 64,
    .runs_while_paused = true,
    .open = peer_links_open,
    .close = peer_links_close,
    .produce = peer_links_produce,
    .start = peer_links_start,
    .stop = peer_links_stop,
};
