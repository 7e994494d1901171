/* SPDX-License-Identifier: Apache-2.0 */
/* post: what other agents of a cluster have told, on the shard that it concerns.
 *
 * The agent's thread has journalled it and mails it here, in order. URLs go to admit as links do,
 * so that the same budgets hold; what is done elsewhere and what is known of hosts goes to the
 * ledger. A source: while there is a cluster the crawl does not end before its agent says so. It
 * works while the crawl is paused: hosts must be handed over meanwhile, and the agent's thread
 * waits for the shard that walks over them. Whoever let it wait would be taken for dead. */
#include "components/cluster.h"
#include "components/links.h"
#include "components/mail_walk.h"
#include "components/services.h"
#include "components/visit.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/taker.h"
#include "cluster/records.h"
#include "outputs/kept_seed.h"

enum { AT_ONCE = 256, LATER_MS = 50 };

struct post_part {
    struct timer timer;
    struct instance *self;
    struct ledger_service *ledger;
    struct cluster_service *cluster;
    struct mailbox *box; /* of this shard; NULL: nothing is mailed */
    struct mail *mail;   /* at hand; NULL: none */
    struct str rest;     /* of it */
    bool is_over;        /* and said to schedule */
};

static enum rc post_open(struct instance *self, struct buf *why)
{
    (void)why;
    struct post_part *p = mem_zero(1, sizeof *p);
    if (!p)
        return RC_NOMEM;
    p->self = self;
    p->ledger = part_provider(self, 0);
    p->cluster = part_provider(self, 1);
    p->box = p->cluster->mail ? &p->cluster->mail[self->shard] : NULL;
    p->is_over = !p->box;
    self->state = p;
    return RC_OK;
}

static void post_close(struct instance *self)
{
    struct post_part *p = self->state;
    mail_free(p->mail);
    mem_free(p);
}

static void end_mail(struct post_part *p)
{
    mail_free(p->mail);
    p->mail = NULL;
    p->rest = STR("");
}

static bool take_mail(struct post_part *p)
{
    struct record_batch b = {0};
    p->mail = p->box ? mailbox_take(p->box) : NULL;
    if (!p->mail)
        return false;
    p->rest = buf_str(&p->mail->bytes);
    if (p->mail->kind == MAIL_RECORDS && record_batch_read(p->rest, &b) == RC_OK)
        p->rest = b.records;
    return true;
}

/* Records -------------------------------------------------------------------------------------- */

/* Where a seed redirects to draws the scope, in later runs too. */
static enum rc keep_seed(struct instance *self, const struct candidate *c)
{
    struct post_part *p = self->state;
    char room[FRONTIER_MAX_PATH_BYTES + FRONTIER_MAX_HOST_BYTES + 32];
    char line_room[sizeof room + 8];
    struct buf url = buf_on(room, sizeof room), line = buf_on(line_room, sizeof line_room);
    unsigned epoch;
    if (!scope_joins(c->hops) || frontier_knows(ledger_frontier(p->ledger->ledger, self->shard),
                                                c->position, c->fingerprint))
        return RC_OK;
    candidate_print(c, &url);
    kept_seed_print(&line, (struct kept_seed){.url = buf_str(&url), .from = STR("-")});
    struct ledger_line seed = {LEDGER_SEEDS, buf_str(&line)};
    struct ledger_outcome o = {.lines = &seed, .line_count = 1};
    enum rc rc = buf_rc(&url) ? buf_rc(&url) : buf_rc(&line);
    return rc ? rc : ledger_settle(p->ledger->ledger, self->shard, &o, &epoch);
}

/* Of the first `count` records those that are asked for again, host by host: they are not known any
 * more. */
static enum rc unknow_again(struct instance *self, struct post_part *p, struct str rest,
                            size_t count)
{
    uint64_t list[AT_ONCE], position = 0;
    struct str host = STR("");
    struct record r;
    size_t found = 0;
    enum rc rc = RC_OK;
    for (size_t i = 0; i <= count && rc == RC_OK; i++) {
        bool is_one = i < count && records_next(&rest, &r) && r.is_again;
        if (found && (!is_one || !str_eq(r.host, host))) {
            rc = ledger_unknow(p->ledger->ledger, self->shard, position, host, list, found);
            found = 0;
        }
        if (is_one) {
            host = r.host;
            position = r.position;
            list[found++] = r.fingerprint;
        }
    }
    return rc;
}

/* URLs up to the next record of another kind, or as many as go into one message. */
static enum rc emit_urls(struct instance *self, struct post_part *p)
{
    struct candidate list[AT_ONCE];
    const struct candidate *all[AT_ONCE];
    struct str rest = p->rest, before = p->rest;
    struct record r;
    size_t count = 0;
    enum rc rc = RC_OK;
    while (count < AT_ONCE && rc == RC_OK && records_next(&rest, &r) && r.kind == RECORD_URL) {
        list[count] = ledger_candidate_of(&r);
        all[count] = &list[count];
        rc = keep_seed(self, &list[count++]);
        p->rest = rest;
    }
    rc = rc ? rc : unknow_again(self, p, before, count);
    struct links *l = rc ? NULL : links_open(all, count, STR(""), p->mail->epoch, p->mail->batch);
    if (!l)
        return rc ? rc : RC_NOMEM;
    l->is_told = true;
    part_emit(self, 0, &l->head);
    return RC_OK;
}

static enum rc emit_one(struct instance *self, struct post_part *p, const struct candidate *c)
{
    struct links *l = links_open(&c, 1, STR(""), p->mail->epoch, p->mail->batch);
    if (!l)
        return RC_NOMEM;
    l->is_told = true;
    part_emit(self, 0, &l->head);
    return RC_OK;
}

static struct depths *depths_of(struct instance *self, const struct post_part *p)
{
    return p->ledger->depths ? p->ledger->depths[self->shard] : NULL;
}

/* Whether it says that a page was done which is asked for again since, by a shorter way: several
 * may tell that, and late. It would not be asked for then. */
static bool is_stale(struct instance *self, const struct post_part *p, const struct record *r)
{
    struct depths *d = depths_of(self, p);
    bool is_done = r->kind == RECORD_WAY || (r->kind == RECORD_DONE && r->where.n && r->path.n);
    return d && is_done && depths_waits_again(d, r->fingerprint, visit_depth(r->hops));
}

/* A page that somebody else has asked for, or a shorter way to one that we have, or that nobody has
 * any more. As a link it then is nearer than it seemed, or new (admit.c). */
static enum rc emit_way(struct instance *self, struct post_part *p, const struct record *r)
{
    struct depths *d = depths_of(self, p);
    struct candidate c = ledger_candidate_of(r);
    struct str hops;
    enum rc rc = ledger_take_way(p->ledger->ledger, self->shard, r);
    if (rc)
        return rc;
    if (d && r->kind == RECORD_WAY) {
        if (depths_told(d, r->fingerprint, visit_depth(r->hops), &hops))
            c.hops = hops;
    } else if (d && r->where.n) {
        if (depths_is_done(d, r->fingerprint, &hops) && visit_depth(hops) < visit_depth(r->hops))
            c.hops = hops;
    } else if (d) {
        depths_again(d, r->fingerprint);
    }
    return emit_one(self, p, &c);
}

static enum rc emit_link(struct instance *self, struct post_part *p, const struct record *r)
{
    struct candidate c = ledger_candidate_of(r);
    return emit_one(self, p, &c);
}

/* *ret_emitted: a source gives one message at a time. */
static enum rc work_on_records(struct instance *self, struct post_part *p, bool *ret_emitted)
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
        *ret_emitted = is_link || r.kind == RECORD_WAY || r.kind == RECORD_NEARER;
        if (is_link)
            return emit_link(self, p, &r);
        if (*ret_emitted)
            return emit_way(self, p, &r);
        rc = ledger_merge(l, self->shard, p->mail->epoch, &r, 1, &fresh);
    }
    return rc;
}

static enum rc forget(struct instance *self, struct post_part *p)
{
    struct taker t = {.rest = p->rest};
    enum rc rc = RC_OK;
    while (t.rest.n && rc == RC_OK)
        rc = ledger_forget(p->ledger->ledger, self->shard, p->mail->epoch, take_str8(&t));
    end_mail(p);
    return rc;
}

/* What is out comes back first: it has been aborted. */
static enum rc empty(struct instance *self, struct post_part *p, bool *ret_later)
{
    enum rc rc = ledger_empty(p->ledger->ledger, self->shard, p->mail->epoch);
    *ret_later = rc == RC_AGAIN;
    if (*ret_later)
        return RC_OK;
    end_mail(p);
    atomic_fetch_sub(&p->cluster->emptying, 1);
    return rc;
}

static void abort_open(struct instance *self, struct post_part *p)
{
    const struct cluster_breaker *b = &p->cluster->breakers[self->shard];
    if (b->run)
        b->run(b->ctx);
    end_mail(p);
}

static void walk(struct instance *self, struct post_part *p)
{
    mail_walk_step(p->mail->walk, p->ledger->ledger, self->shard,
                   p->ledger->depths ? p->ledger->depths[self->shard] : NULL,
                   clock_wall_ms(p->ledger->clock));
    end_mail(p);
}

static void fail(struct instance *self, struct post_part *p)
{
    part_fail(self, p->mail->rc, "the cluster: " STR_FMT " (%s)", STR_ARG(p->rest),
              rc_text(p->mail->rc));
    end_mail(p);
}

/* Schedule is woken: it has nothing more to wait for. */
static enum rc say_over(struct instance *self, struct post_part *p)
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

/* One piece of mail, or a message of it. */
static enum rc work(struct instance *self, struct post_part *p, bool *ret_emitted, bool *ret_later)
{
    switch (p->mail->kind) {
    case MAIL_RECORDS:
        return work_on_records(self, p, ret_emitted);
    case MAIL_FORGET:
        return forget(self, p);
    case MAIL_EMPTY:
        return empty(self, p, ret_later);
    case MAIL_ABORT:
        abort_open(self, p);
        return RC_OK;
    case MAIL_WALK:
        walk(self, p);
        return RC_OK;
    case MAIL_OVER:
        *ret_emitted = true;
        return say_over(self, p);
    case MAIL_FAILED:
        fail(self, p);
        return RC_OK;
    }
    return RC_OK;
}

/* What was merged or forgotten may have emptied a queue. Schedule would see it when the next host
 * is due, which may be never: the whole crawl would wait for a queue that is not there. */
static void gauge(struct instance *self, const struct post_part *p)
{
    ledger_service_gauge(p->ledger, self->shard);
}

static void on_due(struct timer *t, uint64_t now_ms)
{
    (void)now_ms;
    part_ready(EVENT_OF(t, struct post_part, timer)->self);
}

static enum produced post_produce(struct instance *self)
{
    struct post_part *p = self->state;
    bool emitted = false, later = false;
    if (!p->mail && !take_mail(p))
        return p->is_over ? PRODUCED_IDLE : PRODUCED_WAIT;
    enum rc rc = work(self, p, &emitted, &later);
    gauge(self, p);
    if (rc == RC_OK && later)
        rc = part_timer(self, &p->timer, part_now_ms(self) + LATER_MS);
    if (rc)
        part_fail(self, rc, "what other agents told cannot be merged: %s", rc_text(rc));
    return later ? PRODUCED_WAIT : PRODUCED_MORE;
}

static void post_start(struct instance *self)
{
    struct post_part *p = self->state;
    p->timer.due = on_due;
    if (p->box)
        mailbox_open(p->box, self);
}

/* The agent ends first, so that nothing more is journalled for this shard. What is left in the box
 * stays pending: the journal keeps it, and the next process does it again. */
static void post_stop(struct instance *self)
{
    struct post_part *p = self->state;
    if (p->box)
        mailbox_close(p->box);
    p->cluster->ops->stop(p->cluster);
    part_timer_stop(self, &p->timer);
}

const struct part part_cluster_post = {
    .abi = PART_ABI,
    .kind = PART_COMPONENT,
    .name = "post",
    .help = "brings what other agents of a cluster have told",
    .outlets = (const struct part_port[]){{"out", LINKS_TYPE, "links of this shard", false}, {0}},
    .needs = (const struct part_need[]){{"ledger", LEDGER_INTERFACE, "merges"},
                                        {"cluster", CLUSTER_INTERFACE, "has the mail"},
                                        {0}},
    .credits_each = 2,
    .credits_default = 64,
    .never_rests = true,
    .open = post_open,
    .close = post_close,
    .produce = post_produce,
    .start = post_start,
    .stop = post_stop,
};
