/* SPDX-License-Identifier: Apache-2.0 */
/* settle: every ending of a visit, good or bad.
 *
 * One batch in the journal says what became of it and which new links it brought, so "done" implies
 * that its links are safe. The host goes back with its next moment; links go to the shards that own
 * them. What must be asked again stays at the head of its host's queue. */
#include "components/bringing.h"
#include "components/cluster.h"
#include "components/judge.h"
#include "components/links.h"
#include "components/settle_lines.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"

enum { LINKS, AGAIN };

struct settle_settings {
    bool archive_only;
};

static const struct option settle_options[] = {
    OPTION_BOOL_ROW(struct settle_settings, archive_only, "archive-only", "no",
                    "leave out the graph of links"),
    {0},
};

struct settle_part {
    struct instance *self;
    struct ledger_service *ledger;
    struct frontier *frontier;
    struct depths *depths; /* or NULL */
    struct budget *budget;
    struct pace_service *pace;
    struct addresses_service *addresses;
    struct cluster_service *cluster;
    struct rng rng;
    struct settle_lines lines;
    struct sent_links sent;
};

static void settle_close(struct instance *self)
{
    struct settle_part *s = self->state;
    if (self->shard < CRAWL_MAX_SHARDS)
        s->ledger->sent[self->shard] = NULL;
    settle_lines_done(&s->lines);
    mem_free(s);
}

static enum rc settle_open(struct instance *self, struct buf *why)
{
    (void)why;
    struct settle_part *s = mem_zero(1, sizeof *s);
    if (!s)
        return RC_NOMEM;
    self->state = s;
    s->self = self;
    s->ledger = part_provider(self, 0);
    s->budget = part_provider(self, 1);
    s->pace = part_provider(self, 2);
    s->addresses = part_provider(self, 3);
    s->cluster = part_provider(self, 4);
    s->frontier = ledger_frontier(s->ledger->ledger, self->shard);
    s->depths = s->ledger->depths ? s->ledger->depths[self->shard] : NULL;
    rng_init(&s->rng, clock_wall_ms(s->ledger->clock) + 77 + self->shard);
    settle_lines_init(&s->lines);
    if (self->shard < CRAWL_MAX_SHARDS)
        s->ledger->sent[self->shard] = &s->sent;
    return RC_OK;
}

/* Links ---------------------------------------------------------------------------------------- */

/* What a visit brought that was not known: ours first, then those of other agents' hosts, which are
 * only journalled: they are sent from there. */
struct fresh_links {
    struct candidate *list;
    size_t count, foreign;
    uint64_t generation; /* the cluster's, when that was so */
    struct bringing bringing;
};

/* Known for certain, and not farther away: in this shard's frontier, or sent to its owner since the
 * start (another shard, or another agent), and so in the journal; and not left out there for want
 * of hosts, which may change. */
static bool is_known(struct settle_part *s, const struct visit_link *l, bool is_ours)
{
    unsigned depth = s->depths ? visit_depth(l->hops) : 0;
    if (frontier_is_mine(s->frontier, l->position)) {
        bool knows = frontier_knows(s->frontier, l->position, l->fingerprint) &&
                     (!s->depths || depths_knows(s->depths, l->fingerprint, depth));
        if (knows || is_ours)
            return knows;
    }
    _Atomic uint64_t *slot = &s->sent.slots[l->fingerprint % SENT_SLOTS];
    uint64_t sent = l->fingerprint + depth; /* by a way of other length it is sent again */
    if (atomic_load_explicit(slot, memory_order_relaxed) == sent)
        return true;
    atomic_store_explicit(slot, sent, memory_order_relaxed);
    return false;
}

/* It was not sent: another host may still bring it. */
static void forget_sent(struct settle_part *s, const struct visit_link *l)
{
    atomic_store_explicit(&s->sent.slots[l->fingerprint % SENT_SLOTS], 0, memory_order_relaxed);
}

/* Has the processor fetch what is_known() will look at: the table is larger than its cache. */
static void expect(const struct settle_part *s, const struct visit *v)
{
    for (size_t i = 0; i < v->link_count; i++)
        __builtin_prefetch(&s->sent.slots[v->links[i].fingerprint % SENT_SLOTS], 1);
}

/* The new ones among those links that are ours, or among the others. `ours` NULL: all are. */
static void add_new(struct settle_part *s, struct visit *v, const bool *ours, bool is_ours,
                    struct fresh_links *to)
{
    uint64_t known = 0;
    for (size_t i = 0; i < v->link_count; i++) {
        const struct visit_link *l = &v->links[i];
        if (!l->is_wanted || (ours ? ours[i] : true) != is_ours)
            continue;
        if (is_known(s, l, is_ours)) {
            known++;
            continue;
        }
        if (!bringing_new(&to->bringing, v, l)) {
            forget_sent(s, l);
            continue;
        }
        to->list[to->count++] = (struct candidate){
            .fingerprint = l->fingerprint,
            .position = l->position,
            .host = l->host,
            .path = l->path,
            .via = l->via,
            .port = l->port,
            .is_https = l->is_https,
            .hops = l->hops,
        };
        to->foreign += !is_ours;
    }
    count_add(&s->ledger->counts.known, known); /* once: all shards write there */
    if (!is_ours)
        count_add(&s->cluster->repeated, known);
}

/* The new ones among the visit's links, in its arena. */
static enum rc new_links(struct settle_part *s, struct visit *v, struct fresh_links *ret)
{
    *ret = (struct fresh_links){.bringing = bringing_of(v, s->frontier, s->budget)};
    if (!v->link_count)
        return RC_OK;
    ret->list = arena_alloc(v->arena, v->link_count * sizeof *ret->list);
    bool *ours = arena_alloc(v->arena, v->link_count * sizeof *ours);
    if (!ret->list || !ours)
        return RC_NOMEM;
    expect(s, v);
    ret->generation = atomic_load(&s->cluster->generation);
    if (s->cluster->ops->owns(s->cluster, &v->links[0].position, sizeof v->links[0], v->link_count,
                              ours)) {
        add_new(s, v, NULL, true, ret);
        return RC_OK;
    }
    add_new(s, v, ours, true, ret);
    add_new(s, v, ours, false, ret);
    count_add(&s->cluster->foreign, ret->foreign);
    return RC_OK;
}

/* Sends those of one shard; this shard gets a message in any case: a loan has come back. */
static void send_to(struct settle_part *s, struct visit *v, const struct fresh_links *fresh,
                    unsigned epoch, unsigned shard)
{
    struct instance *self = s->self;
    size_t count = fresh->count - fresh->foreign;
    const struct candidate **some =
        count ? arena_alloc(v->arena, count * sizeof(struct candidate *)) : NULL;
    size_t n = 0;
    for (size_t i = 0; some && i < count; i++)
        if (frontier_bucket(fresh->list[i].position) % self->shard_count == shard)
            some[n++] = &fresh->list[i];
    if (!n && shard != self->shard)
        return;
    struct str from = visit_is_list(v) ? STR("") : v->lent.host_name;
    struct links *l =
        (!count || some)
            ? links_open(some, n, from, epoch, ledger_settled_at(s->ledger->ledger, self->shard))
            : NULL;
    if (!l) {
        part_fail(self, RC_NOMEM, "no memory for links");
        return;
    }
    l->generation = fresh->generation;
    l->head.route = shard;
    part_derive(self, &v->head, &l->head);
    part_emit(self, LINKS, &l->head);
}

static void send_links(struct settle_part *s, struct visit *v, const struct fresh_links *fresh,
                       unsigned epoch)
{
    for (unsigned shard = 0; shard < s->self->shard_count; shard++)
        send_to(s, v, fresh, epoch, shard);
}

/* It is done. If a shorter way to it was found since it was lent, its links are judged again, and
 * only then that is the way to remember: what is remembered is how its links were judged. */
static void note_depth(struct settle_part *s, struct visit *v, struct past *past)
{
    struct str hops;
    if (!s->depths || v->kind != VISIT_PAGE ||
        !depths_done(s->depths, v->fingerprint, visit_depth(v->lent.hops), &hops))
        return;
    if (!v->link_count) {
        past->hops = hops;
        return;
    }
    struct candidate c = {.fingerprint = v->fingerprint,
                          .host = v->lent.host_name,
                          .path = v->lent.path,
                          .port = v->lent.port,
                          .is_https = v->lent.is_https,
                          .hops = hops};
    const struct candidate *list = &c;
    struct links *l = links_open(&list, 1, STR(""), 0, 0);
    if (!l) {
        part_fail(s->self, RC_NOMEM, "no memory for links");
        return;
    }
    s->cluster->ops->begin(s->cluster);
    part_derive(s->self, &v->head, &l->head);
    part_emit(s->self, AGAIN, &l->head);
}

/* The past ------------------------------------------------------------------------------------- */

/* The capture that later answers are compared with: this one, or where it brought nothing new the
 * one before. A 304 confirms that, an error says nothing about it, and a revisit has no payload of
 * its own. */
static void past_capture(const struct visit *v, struct past *p)
{
    enum visit_change change = visit_change(v);
    bool is_new = visit_is_whole(v) && change != CHANGE_NONE;
    p->has_digest = is_new || v->past.has_digest;
    p->digest = is_new ? v->place.digest : v->past.digest;
    p->captured_ms = is_new ? v->date_ms : v->past.captured_ms;
    memcpy(p->record_id, is_new ? v->place.id.bytes : v->past.record_id, sizeof p->record_id);
    p->etag = visit_is_whole(v) ? v->heads.etag : v->past.etag;
    p->last_modified = visit_is_whole(v) ? v->heads.last_modified : v->past.last_modified;
    p->changes += change == CHANGE_SEEN;
    p->codes = is_new                  ? v->codes
               : v->past.codes.p       ? v->past.codes
               : change == CHANGE_NONE ? v->codes
                                       : STR_NONE;
    p->what_changed = change == CHANGE_SEEN ? (uint8_t)v->what_changed : v->past.what_changed;
    if (v->end.status == 304 && v->has_past)
        p->mime = v->past.mime;
}

static void past_of(struct settle_part *s, struct visit *v, int code, struct past *p)
{
    *p = (struct past){
        .url = url_href(&v->url),
        .via = v->lent.via,
        .hops = v->lent.hops,
        .date_ms = v->date_ms ? v->date_ms : (int64_t)clock_wall_ms(s->ledger->clock),
        .code = code,
        .bytes = v->answer ? v->answer->body.n : 0,
        .mime = v->mime,
        .fetches = v->has_past ? v->past.fetches + 1 : 1,
        .changes = v->has_past ? v->past.changes : 0,
    };
    past_capture(v, p);
    if (s->depths && v->is_kept) { /* behind the answer stands what was found in it */
        p->file = str_c(v->place.file);
        p->file_offset = v->place.offset + v->place.record_bytes;
        p->file_bytes = v->place.bytes - v->place.record_bytes;
    }
}

/* Results -------------------------------------------------------------------------------------- */

static void count_result(struct settle_part *s, const struct visit *v, int code)
{
    struct crawl_counts *c = &s->ledger->counts;
    if (v->kind != VISIT_PAGE)
        return;
    if (code >= 100) {
        count_add(&c->fetched, 1);
        count_add(&c->by_class[code / 100 < 6 ? code / 100 : 0], 1);
    } else if (v->state == VISIT_REFUSED) {
        count_add(&c->refused, 1);
        count_add(&c->robots, code == FETCH_ROBOTS || code == FETCH_NO_ROBOTS);
    } else {
        count_add(&c->failed, 1);
    }
    count_add(&c->changed, visit_change(v) == CHANGE_SEEN);
    count_add(&c->unchanged, visit_change(v) == CHANGE_NONE);
    unsigned what = visit_change(v) == CHANGE_SEEN ? v->what_changed : 0;
    count_add(&c->changed_structure, (what & PAST_STRUCTURE) != 0);
    count_add(&c->changed_text, (what & PAST_TEXT) != 0);
    count_add(&c->changed_markup, (what & PAST_MARKUP) != 0);
    count_add(&c->revisits, v->is_kept && v->place.is_revisit);
    count_add(&c->truncated, v->answer && v->answer->outcome == HTTP_TRUNCATED);
}

/* What a visit's end comes to. */
struct ending {
    struct pace_verdict verdict;
    struct card_origin *origin; /* that is at fault, and not its host; or NULL */
    enum settle how;
    bool is_final; /* of what was asked for: the URL or its robots.txt */
    bool is_taken; /* a page of the budgets */
};

/* What the host's card says from now on. */
static void update_card(struct settle_part *s, struct visit *v, const struct ending *e)
{
    struct card *c = v->card;
    struct card_origin *o = e->origin;
    c->tries = o ? 0 : e->verdict.tries;
    if (o) {
        o->tries = e->verdict.tries;
        o->trial = e->verdict.tries ? origin_trial(&v->lent) : 0;
        o->failures = e->verdict.failures;
        o->next_ms = clock_now_ms(s->ledger->clock) + e->verdict.wait_ms;
        o->dead_code = e->verdict.next == PACE_DEAD ? e->verdict.code : 0;
        return;
    }
    c->failures = e->verdict.failures;
    if (v->answer && !v->robots_hops)
        card_origin_is_well(c, v->lent.is_https, v->lent.port);
    if (e->is_taken) {
        c->pages++;
        c->bytes += v->answer->bytes_in;
    }
    if (e->verdict.next == PACE_DEAD)
        c->dead_code = e->verdict.code;
}

/* What was refused without a question asks for no wait; all else has a verdict. */
static struct pace_verdict verdict_of(struct settle_part *s, struct visit *v)
{
    if (v->state == VISIT_REFUSED)
        return (struct pace_verdict){
            .next = PACE_DONE, .code = v->code, .failures = v->card->failures};
    visit_judge(v, s->pace, &s->rng);
    return v->verdict;
}

/* Whether the loan stays at the head of its queue. robots.txt is not what it was lent for, unless
 * there never were any rules: then the URL has its result too. */
static enum settle how_of(const struct visit *v, struct pace_verdict *verdict)
{
    const struct card_robots *r = card_robots_of(v->card, v->lent.is_https, v->lent.port);
    if (verdict->next == PACE_AGAIN)
        return SETTLE_AGAIN;
    if (v->kind != VISIT_ROBOTS)
        return SETTLE_DONE;
    if (r && r->rules && verdict->next != PACE_DEAD)
        return SETTLE_AGAIN;
    if (v->answer || v->robots_hops || verdict->code == FETCH_RETRIES)
        verdict->code = FETCH_NO_ROBOTS;
    return SETTLE_DONE;
}

static struct ending ending_of(struct settle_part *s, struct visit *v)
{
    struct ending e = {.verdict = verdict_of(s, v), .origin = visit_faulty_origin(v)};
    e.how = how_of(v, &e.verdict);
    if (e.origin && e.how == SETTLE_AGAIN) /* other origins of the host go on meanwhile */
        e.how = SETTLE_LAST;
    e.is_final = e.verdict.next != PACE_AGAIN;
    e.is_taken = v->kind == VISIT_PAGE && v->answer && e.is_final && e.verdict.code >= 100;
    return e;
}

/* The clock is read anew, for a turn may have taken long since it began; and it counts whole
 * milliseconds, so that one more is needed for a wait that is never shorter. */
static uint64_t due_of(struct settle_part *s, const struct ending *e)
{
    uint64_t wait_ms = e->origin ? s->pace->now(s->pace).delay_ms : e->verdict.wait_ms;
    return clock_now_ms(s->ledger->clock) + wait_ms + (wait_ms > 0);
}

/* A robots.txt that cannot be had is the end of the URL it was asked for too. */
static enum rc end_for_robots(struct settle_part *s, struct visit *v,
                              const struct pace_verdict *verdict, int64_t wall_ms)
{
    if (v->is_kept)
        settle_lines_result(&s->lines, v, v->end.status, s->self->shard, wall_ms);
    if (verdict->code == FETCH_NO_ROBOTS)
        v->why = "its robots.txt cannot be had";
    v->is_kept = false;
    v->answer = NULL;
    v->mime = STR_NONE;
    v->date_ms = 0;
    return visit_name(v, VISIT_PAGE);
}

/* The lines of the crawl's files, into s->lines. */
static enum rc write_lines(struct settle_part *s, struct visit *v, const struct ending *e,
                           const struct candidate *links, size_t count)
{
    const struct settle_settings *set = s->self->settings;
    int64_t wall_ms = (int64_t)clock_wall_ms(s->ledger->clock);
    enum rc rc = RC_OK;
    settle_lines_clear(&s->lines);
    if (v->kind == VISIT_ROBOTS && e->how == SETTLE_DONE)
        rc = end_for_robots(s, v, &e->verdict, wall_ms);
    if (e->is_final && !v->via.p && !set->archive_only) /* what failed did not come past keep */
        v->via = ledger_service_url(s->ledger, v->lent.via, v->arena);
    if (e->is_final)
        settle_lines_result(&s->lines, v, e->verdict.code, s->self->shard, wall_ms);
    settle_lines_links(&s->lines, v, links, count, !set->archive_only);
    return rc;
}

/* Counters, card and budgets. */
static void count_ending(struct settle_part *s, struct visit *v, const struct ending *e)
{
    if (e->is_final)
        count_result(s, v, e->verdict.code);
    else
        count_add(&s->ledger->counts.retried, 1);
    update_card(s, v, e);
    if (v->is_charged)
        budget_used(s->budget, v->lent.host_name, e->is_taken, v->answer ? v->answer->bytes_in : 0);
}

static enum rc settle_result(struct settle_part *s, struct visit *v)
{
    struct ending e = ending_of(s, v);
    unsigned epoch = 0;
    struct past past;
    struct fresh_links fresh;
    struct ledger_outcome o = {
        .lent = &v->lent,
        .how = e.how,
        .due_ms = due_of(s, &e),
        .robots_changed = v->robots_changed,
        .place = v->is_kept ? &v->place : NULL,
        .capture = v->is_kept ? &v->capture : NULL,
        .pages = e.is_taken,
        .bytes = v->is_charged && v->answer ? v->answer->bytes_in : 0,
    };
    enum rc rc = new_links(s, v, &fresh);
    if (rc == RC_OK)
        rc = write_lines(s, v, &e, fresh.list, fresh.count);
    bringing_tell(v, &s->ledger->counts, part_log(s->self));
    if (rc == RC_OK)
        rc = settle_lines_get(&s->lines, &o.lines, &o.line_count);
    if (rc)
        return rc;
    o.names = settle_lines_names(&s->lines);
    if (e.how == SETTLE_DONE) {
        past_of(s, v, e.verdict.code, &past);
        note_depth(s, v, &past);
        o.fingerprint = v->fingerprint;
        o.past = &past;
    }
    o.links = fresh.list;
    o.link_count = fresh.count;
    o.foreign_count = fresh.foreign;
    count_ending(s, v, &e);
    rc = ledger_settle(s->ledger->ledger, s->self->shard, &o, &epoch);
    if (rc)
        return rc;
    if (fresh.count)
        recent_pages_put(s->ledger->recent, v->fingerprint, url_href(&v->url));
    send_links(s, v, &fresh, epoch);
    return RC_OK;
}

/* Seeds, or what is known, or a page's links at their true depth. */
static enum rc settle_list(struct settle_part *s, struct visit *v)
{
    unsigned epoch = 0;
    struct fresh_links fresh;
    enum rc rc = new_links(s, v, &fresh);
    if (rc)
        return rc;
    bringing_tell(v, &s->ledger->counts, part_log(s->self));
    struct ledger_outcome o = {
        .links = fresh.list, .link_count = fresh.count, .foreign_count = fresh.foreign};
    if (v->kind == VISIT_DEEPER && v->has_past) {
        v->past.hops = v->lent.hops;
        o.fingerprint = v->fingerprint;
        o.past = &v->past;
    }
    settle_lines_clear(&s->lines);
    settle_lines_links(&s->lines, v, fresh.list, fresh.count, v->kind != VISIT_KNOWN);
    rc = settle_lines_get(&s->lines, &o.lines, &o.line_count);
    o.names = settle_lines_names(&s->lines);
    if (rc == RC_OK && (o.line_count || fresh.count || o.past))
        rc = ledger_settle(s->ledger->ledger, s->self->shard, &o, &epoch);
    if (rc == RC_OK)
        send_links(s, v, &fresh, epoch);
    return rc;
}

/* Its loan has come back, or its list is in the journal. */
static void tell_cluster(struct settle_part *s, const struct visit *v)
{
    if (v->kind == VISIT_HOP)
        return;
    for (size_t i = 0; !visit_is_list(v) && i < v->link_count; i++)
        if (v->links[i].is_seed)
            s->cluster->ops->join(s->cluster, v->links[i].href);
    if (!visit_is_list(v))
        s->cluster->ops->give_back(s->cluster, v->loan);
    else
        s->cluster->ops->end(s->cluster);
}

/* A hop of robots.txt: its records and lines. */
static enum rc settle_hop(struct settle_part *s, struct visit *v)
{
    unsigned epoch = 0;
    struct ledger_outcome o = {
        .place = v->is_kept ? &v->place : NULL,
        .capture = v->is_kept ? &v->capture : NULL,
    };
    settle_lines_clear(&s->lines);
    settle_lines_result(&s->lines, v, v->end.status, s->self->shard,
                        (int64_t)clock_wall_ms(s->ledger->clock));
    enum rc rc = settle_lines_get(&s->lines, &o.lines, &o.line_count);
    return rc ? rc : ledger_settle(s->ledger->ledger, s->self->shard, &o, &epoch);
}

/* What parts found that may have been at another place, where nobody counts. */
static void count_found(struct settle_part *s, struct visit *v)
{
    struct crawl_counts *c = &s->ledger->counts;
    bool fits = v->score > 0 && !v->is_unkept && !v->is_dropped;
    count_add(&c->pages, v->is_page);
    count_add(&c->bytes, v->uncounted_bytes);
    count_add(fits ? &c->relevant : &c->irrelevant, v->score >= 0);
}

static void settle_handle(struct instance *self, unsigned inlet, struct message *m)
{
    (void)inlet;
    struct settle_part *s = self->state;
    struct visit *v = visit_of(m);
    enum rc rc = RC_OK;
    count_found(s, v);
    visit_leave(v, s->addresses, clock_now_ms(s->ledger->clock));
    if (visit_is_list(v)) {
        rc = settle_list(s, v);
        v->is_safe = rc == RC_OK;
    } else if (v->kind == VISIT_HOP) {
        rc = settle_hop(s, v);
    } else if (v->state == VISIT_LATER) {
        if (v->is_charged) /* broken off: nothing was taken */
            budget_used(s->budget, v->lent.host_name, false, 0);
        ledger_return(s->ledger->ledger, self->shard, &v->lent, v->due_ms);
        send_to(s, v, &(struct fresh_links){0}, 0, self->shard);
    } else {
        rc = settle_result(s, v);
    }
    if (rc)
        part_fail(self, rc, "cannot remember what became of a URL: %s", rc_text(rc));
    tell_cluster(s, v);
    v->is_settled = true;
    part_end(self, m);
}

/* Once a turn everything goes to the kernel, where it survives the end of this process. */
static void settle_turn(struct instance *self)
{
    struct settle_part *s = self->state;
    enum rc rc = ledger_turn(s->ledger->ledger, self->shard);
    if (rc)
        part_fail(self, rc, "cannot write to the crawl's directory: %s", rc_text(rc));
}

const struct part part_settle = {
    .abi = PART_ABI,
    .kind = PART_COMPONENT,
    .name = "settle",
    .help = "remembers what became of a visit, and returns its host",
    .inlets = (const struct part_port[]){{"in", VISIT_TYPE, "visits that have ended", false}, {0}},
    .outlets = (const struct part_port[]){{"links", LINKS_TYPE, "what it found", false},
                                          {"again", LINKS_TYPE,
                                           "a page that is nearer than it seemed", true},
                                          {0}},
    .needs = (const struct part_need[]){{"ledger", LEDGER_INTERFACE, "remembers"},
                                        {"budget", BUDGET_INTERFACE, "is told what it took"},
                                        {"pace", PACE_INTERFACE, "says when to ask again"},
                                        {"addresses", ADDRESSES_INTERFACE, "gets slots back"},
                                        {"cluster", CLUSTER_INTERFACE, "knows what is ours"},
                                        {0}},
    .options = settle_options,
    .settings_bytes = sizeof(struct settle_settings),
    .open = settle_open,
    .close = settle_close,
    .handle = settle_handle,
    .turn = settle_turn,
};
