/* SPDX-License-Identifier: Apache-2.0 */
/* invariants: the thirteen of docs/cluster-protocol.md, checked from outside: what the streams
 * hold, what the journals hold, and which agent asks which host. */
#include "base/hash.h"
#include "base/mem.h"
#include "simulate/world_internal.h"

#include <stdio.h>

enum { HASH_EVERY = 256, OUTSIDE_DEADS = 6 };

static void checked(struct world *w, int invariant)
{
    w->report->checked[invariant]++;
}

static struct world_agent *agent_named(struct world *w, struct str name)
{
    for (uint32_t i = 0; i < w->agent_count; i++)
        if (str_eq(str_c(w->agents[i]->name), name))
            return w->agents[i];
    return NULL;
}

/* ---- 13, 5, 11: the log ---- */

static void check_moves(struct world *w, const struct roster_entry *e, struct str writer)
{
    uint64_t epoch = roster_epoch(w->truth);
    struct str who = e->kind == ROSTER_DEAD ? e->victim : writer;
    if (epoch < 2 || roster_settled(w->truth) >= epoch || w->is_founding)
        return;
    checked(w, 13);
    for (uint32_t i = 0; i < w->set.hosts; i++) {
        const struct roster_agent *was =
            roster_owner(w->truth, w->web.hosts[i].host_hash, epoch - 1);
        const struct roster_agent *is = roster_owner(w->truth, w->web.hosts[i].host_hash, epoch);
        if (was == is || !was || !is)
            continue;
        bool gained = str_eq(str_c(is->name), who), lost = str_eq(str_c(was->name), who);
        bool right = e->kind == ROSTER_JOIN     ? gained
                     : e->kind == ROSTER_WEIGHT ? gained || lost
                                                : lost;
        if (!right)
            world_break(w, 13, "h%u moved from %s to %s", i, was->name, is->name);
    }
}

static void remember_hash(struct world *w)
{
    size_t length = (size_t)roster_length(w->truth);
    if (length >= w->hash_cap) {
        size_t cap = w->hash_cap ? w->hash_cap * 2 : 256;
        while (cap <= length)
            cap *= 2;
        uint64_t *more = mem_resize(w->hashes, cap * sizeof *more);
        if (!more)
            return;
        w->hashes = more;
        w->hash_cap = cap;
    }
    while (w->hash_count < length)
        w->hashes[w->hash_count++] = 0;
    w->hashes[length] = roster_hash(w->truth);
    w->hash_count = length + 1;
}

static bool is_said_by(struct world *w, struct world_agent *a, const struct model_body *e);

/* Pages of an incarnation that are done and not told in its stream. */
static uint64_t count_unsaid(struct world *w, struct world_agent *a, uint64_t inc)
{
    uint64_t count = 0;
    for (size_t i = 0; i < a->model.count; i++) {
        const struct model_entry *e = &a->model.entries[i];
        count += e->kind == MODEL_PAGE && e->body->inc == inc && !is_said_by(w, a, e->body);
    }
    return count;
}

/* After the servers lost something, or hosts moved, the streams do not show what was told. */
static bool is_bound_checked(const struct world *w)
{
    uint32_t losses = 1 << WORLD_SERVER_INBOX | 1 << WORLD_SERVER_ROSTER;
    return w->set.untold_most && (world_is_large(w) || !(w->set.faults & losses));
}

/* What one death costs: the open pages, and those whose outcome is not told. */
static void check_at_stake(struct world *w, struct world_agent *a, uint64_t inc)
{
    uint64_t count = count_unsaid(w, a, inc);
    for (size_t i = 0; i < WORLD_MAX_OPEN; i++)
        count += a->fetches[i].is_open;
    checked(w, 7);
    if (is_bound_checked(w) && count > w->report->most_at_stake)
        w->report->most_at_stake = count;
    if (is_bound_checked(w) && count > w->set.untold_most + WORLD_MAX_OPEN)
        world_break(w, 7, "%s has %llu pages open or untold; the bound is %llu and %d open ones",
                    a->name, (unsigned long long)count, (unsigned long long)w->set.untold_most,
                    WORLD_MAX_OPEN);
}

/* Pages whose outcome the adopter cannot have found may be fetched again: those not told when the
 * agent was declared dead, or journalled since. (What it tells later may stand behind the adopter's
 * end.) */
static void allow_dead(struct world *w, const struct roster_entry *e)
{
    struct world_agent *a = agent_named(w, e->victim);
    if (!a)
        return;
    bool is_counted = e->kind == ROSTER_ADOPTED && a->dead_inc == e->inc;
    if (!is_counted && model_inc(&a->model) == e->inc)
        check_at_stake(w, a, e->inc);
    for (size_t i = is_counted ? a->dead_entries : 0; i < a->model.count; i++)
        if (a->model.entries[i].kind == MODEL_PAGE && a->model.entries[i].body->inc == e->inc)
            w->report->refetch_allowance += !is_said_by(w, a, a->model.entries[i].body);
    a->dead_inc = e->inc;
    a->dead_entries = a->model.count;
}

static void roster_taken(struct world *w, const struct nats_sim_message *m)
{
    struct str writer = str_from(m->subject, STR("orb.c.roster.").n);
    struct roster_stand at = {roster_length(w->truth) + 1, m->stamp_ms, writer};
    uint64_t epoch = roster_epoch(w->truth);
    const char *why = "";
    struct roster_entry e;
    if (roster_take(w->truth, &at, m->payload, &why) == RC_NOMEM)
        return;
    if (roster_entry_read(m->payload, &e))
        e = (struct roster_entry){0};
    /* Comparing a thousand agents with a thousand is slow: not at every renewal. */
    if (!world_is_large(w) || roster_epoch(w->truth) != epoch ||
        roster_length(w->truth) % HASH_EVERY == 0)
        remember_hash(w);
    if (w->scale)
        scale_entry(w, &e, writer, !*why, roster_epoch(w->truth) != epoch);
    if (*why || !e.kind || w->is_founding)
        return;
    if (e.kind != ROSTER_RENEW)
        world_say(w, "roster %llu: kind %d by " STR_FMT " about " STR_FMT " epoch %llu",
                  (unsigned long long)roster_length(w->truth), (int)e.kind, STR_ARG(writer),
                  STR_ARG(e.victim), (unsigned long long)roster_epoch(w->truth));
    checked(w, 11);
    if (roster_epoch(w->truth) != epoch && e.kind != ROSTER_RESTORE) {
        if (roster_epoch(w->truth) != epoch + 1)
            world_break(w, 11, "epoch %llu follows %llu",
                        (unsigned long long)roster_epoch(w->truth), (unsigned long long)epoch);
        check_moves(w, &e, writer);
    }
    if (e.kind == ROSTER_DEAD && !w->open_since_ms)
        w->open_since_ms = w->now_ms;
    if (e.kind == ROSTER_DEAD || e.kind == ROSTER_ADOPTED)
        allow_dead(w, &e);
    if (e.kind == ROSTER_SETTLED && w->open_since_ms) {
        uint64_t took = w->now_ms - w->open_since_ms;
        if (took > w->report->longest_recovery_ms)
            w->report->longest_recovery_ms = took;
        w->open_since_ms = 0;
    }
    if (e.kind == ROSTER_GONE) {
        struct world_agent *a = agent_named(w, writer);
        if (a)
            a->is_here = false;
    }
}

/* ---- 6: what streams take ---- */

static void said(struct world *w, const struct record *r, bool is_out, struct str subject)
{
    uint32_t u = web_url_of(&w->web, r);
    if (u == UINT32_MAX)
        return;
    w->urls[u].was_said = true;
    if (!is_out || r->kind != RECORD_DONE)
        return;
    checked(w, 6);
    const struct web_url *page = &w->web.urls[u];
    for (uint32_t i = 0; i < page->link_count; i++)
        if (!w->urls[w->web.links[page->first_link + i]].was_said)
            world_break(w, 6, "the outcome of u%u is in " STR_FMT ", but its link u%u is nowhere",
                        u, STR_ARG(subject), w->web.links[page->first_link + i]);
}

void invariants_taken(struct world *w, int stream, uint64_t sequence)
{
    const struct nats_sim_message *m = nats_sim_at(w->servers, stream, sequence);
    struct record_batch b;
    struct record r;
    if (stream == w->roster_stream) {
        w->truth_taken = sequence;
        roster_taken(w, m);
        return;
    }
    if (record_batch_read(m->payload, &b)) {
        world_break(w, 6, "a stream has taken a message that is no batch");
        return;
    }
    bool is_out = str_ends(m->subject, STR(".out"));
    while (b.is == BATCH_IS_RECORDS && records_next(&b.records, &r))
        said(w, &r, is_out, m->subject);
}

/* ---- 2, 3, 4, 9: a fetch begins ---- */

static bool has_open(const struct world_agent *a, const struct world *w, uint32_t host)
{
    for (size_t i = 0; i < WORLD_MAX_OPEN; i++)
        if (a->fetches[i].is_open && w->web.urls[a->fetches[i].url].host == host)
            return true;
    return false;
}

static void check_alone(struct world *w, struct world_agent *a, uint32_t host)
{
    uint64_t host_hash = w->web.hosts[host].host_hash;
    checked(w, 2);
    for (uint32_t i = 0; i < w->agent_count; i++) {
        struct world_agent *b = w->agents[i];
        if (b == a || !b->agent)
            continue;
        bool frozen = world_is_frozen(w, b);
        if (has_open(b, w, host)) {
            if (frozen)
                w->report->frozen_overlaps++;
            else
                world_break(w, 2, "h%u is asked by %s and by %s", host, a->name, b->name);
        }
        if (!frozen && agent_may_fetch(b->agent, host_hash, world_agent_now(w, b)))
            world_break(w, 2, "h%u may be asked by %s and by %s", host, a->name, b->name);
    }
}

static void check_right(struct world *w, struct world_agent *a, uint32_t host)
{
    const struct roster *r = agent_roster(a->agent);
    struct agent_status st;
    agent_status(a->agent, world_agent_now(w, a), &st);
    const struct roster_agent *owner =
        roster_owner(r, w->web.hosts[host].host_hash, roster_epoch(r));
    checked(w, 3);
    if (!owner || strcmp(owner->name, a->name) != 0 || owner->inc != st.inc)
        world_break(w, 3, "%s asks h%u, which is not its own", a->name, host);
    if (st.lease_age_ms >= w->timings.fence_ms)
        world_break(w, 3, "%s fetches with a lease of %llu ms", a->name,
                    (unsigned long long)st.lease_age_ms);
    checked(w, 4);
    const struct roster_agent *truth = roster_find_inc(w->truth, str_c(a->name), st.inc);
    const struct roster_agent *known = roster_find_inc(r, str_c(a->name), st.inc);
    if (!known || known->state == ROSTER_DEAD_NOW || known->state == ROSTER_FORGOTTEN)
        world_break(w, 4, "%s fetches although it has read of its death", a->name);
    if (truth && truth->left_epoch &&
        WALL_MS + w->now_ms >= truth->lease_stamp_ms + w->timings.fence_ms)
        world_break(w, 4, "%s fetches past its fence, after its death", a->name);
}

/* No host is checked out while too many outcomes are untold. With many agents this check takes too
 * long. */
static void check_untold(struct world *w, struct world_agent *a)
{
    if (!is_bound_checked(w) || world_is_large(w))
        return;
    uint64_t count = count_unsaid(w, a, model_inc(&a->model));
    checked(w, 7);
    if (count >= w->set.untold_most)
        world_break(w, 7, "%s checks out more, though %llu pages are untold; the bound is %llu",
                    a->name, (unsigned long long)count, (unsigned long long)w->set.untold_most);
}

static void note_unasked(struct world *w, bool is_wiped)
{
    uint64_t *longest = is_wiped ? &w->report->unasked.wiped_ms : &w->report->unasked.others_ms;
    uint64_t gap_ms = w->now_ms - w->asked_ms[is_wiped];
    if (!w->set.wipe_ms || !w->is_healed)
        return;
    *longest = gap_ms > *longest ? gap_ms : *longest;
    w->asked_ms[is_wiped] = w->now_ms;
}

void invariants_start(struct world *w, struct world_agent *a, uint32_t url)
{
    uint32_t host = w->web.urls[url].host;
    struct world_host *h = &w->hosts[host];
    if (a == w->namesake)
        world_break(w, 2, "h%u is asked by a second process of %s", host, a->name);
    check_alone(w, a, host);
    check_right(w, a, host);
    check_untold(w, a);
    checked(w, 9);
    if (h->was_started && w->now_ms - h->last_start_ms < w->web.hosts[host].delay_ms)
        world_break(w, 9, "h%u is asked after %llu ms, its delay is %llu", host,
                    (unsigned long long)(w->now_ms - h->last_start_ms),
                    (unsigned long long)w->web.hosts[host].delay_ms);
    h->was_started = true;
    h->last_start_ms = w->now_ms;
    note_unasked(w, h->is_wiped);
}

/* ---- 5, 11: after anything an agent did ---- */

/* The seeds stand in a stream. Until then only the operator has them. */
static bool is_seeded(const struct world *w)
{
    for (uint32_t u = 0; u < WEB_SEEDS && u < w->set.urls; u++)
        if (!w->urls[u].was_said)
            return false;
    return true;
}

/* An agent that is not in the roster, as the agent that says "finished" has read it, may still
 * bring work from its former incarnation, or seeds: "finished" speaks only of the members. */
static bool are_all_members(const struct world *w, const struct roster *known)
{
    for (uint32_t i = 0; i < w->agent_count; i++) {
        const struct roster_agent *r = roster_find(known, str_c(w->agents[i]->name));
        bool living = r && (r->state == ROSTER_LIVING || r->state == ROSTER_LEAVING);
        if (w->agents[i]->is_here && !w->agents[i]->is_over && !living)
            return false;
    }
    return true;
}

void invariants_agent(struct world *w, struct world_agent *a)
{
    struct agent_status st;
    if (!a->agent)
        return;
    agent_status(a->agent, world_agent_now(w, a), &st);
    if (a->boot == st.boot && st.is_whole) {
        checked(w, 11);
        if (st.epoch < a->epoch || st.generation < a->generation ||
            (st.generation == a->generation && st.cursor < a->cursor))
            world_break(w, 11, "%s goes back: epoch %llu generation %llu cursor %llu", a->name,
                        (unsigned long long)st.epoch, (unsigned long long)st.generation,
                        (unsigned long long)st.cursor);
    }
    if (st.is_whole && st.roster_length != a->roster_length && st.roster_length < w->hash_count &&
        w->hashes[st.roster_length]) {
        checked(w, 5);
        if (w->hashes[st.roster_length] != roster_hash(agent_roster(a->agent)))
            world_break(w, 5, "%s folds %llu entries to another roster", a->name,
                        (unsigned long long)st.roster_length);
    }
    a->gone_ms = st.state == AGENT_UP && !a->mend_ms ? 0 : a->gone_ms;
    a->boot = st.boot;
    a->epoch = st.epoch;
    a->generation = st.generation;
    a->cursor = st.cursor;
    a->roster_length = st.roster_length;
    if (st.is_finished && !w->finished_ms && is_seeded(w) &&
        are_all_members(w, agent_roster(a->agent))) {
        w->finished_ms = w->now_ms;
        checked(w, 12);
        for (uint32_t u = 0; u < w->set.urls; u++)
            if (!w->urls[u].done_count) {
                world_break(w, 12, "%s says finished, u%u was never fetched", a->name, u);
                return;
            }
    }
}

/* ---- 1, 10: where every URL is ---- */

/* Journals and streams are visited one after the other, so a second mention follows the first. */
static bool copies_add(struct world_copies *p, uint32_t where)
{
    if (p->last == where)
        return false;
    p->last = where;
    p->first = p->count++ ? p->first : where;
    return true;
}

static uint32_t journal_of(uint32_t agent)
{
    return 2 * agent + 1;
}

static void note_copy(struct world *w, uint32_t u, bool is_done, uint32_t where)
{
    if (u == UINT32_MAX)
        return;
    if (copies_add(&w->urls[u].copies, where))
        w->urls[u].journals += where & 1;
    if (is_done)
        (void)copies_add(&w->urls[u].done_copies, where);
}

static uint64_t inc_of_subject(struct str subject, const struct world_agent *a)
{
    uint64_t inc = 0;
    struct str rest = str_from(subject, STR("orb.c.j.").n + strlen(a->name) + 1);
    (void)!str_to_u64(str_first(rest, str_find(rest, '.')), &inc);
    return inc;
}

/* Whether an agent will read the stream: its owner, or an adopter. */
static bool is_read(const struct world *w, const struct world_agent *a, uint64_t inc)
{
    const struct roster_agent *r = roster_find_inc(w->truth, str_c(a->name), inc);
    return r && r->state != ROSTER_FORGOTTEN;
}

/* Remembers what a stream holds for an incarnation, so that only new messages are read. */
static struct world_held *held_of(struct world *w, struct world_agent *a, uint64_t inc)
{
    for (size_t i = 0; i < a->held_count; i++)
        if (a->held[i].inc == inc)
            return &a->held[i];
    if (a->held_count == WORLD_MAX_INCS) {
        world_break(w, 12, "%s has had too many incarnations", a->name);
        return NULL;
    }
    struct world_held *h = &a->held[a->held_count];
    *h = (struct world_held){.inc = inc, .bits = mem_zero(w->set.urls, 1)};
    if (!h->bits)
        return NULL;
    a->held_count++;
    return h;
}

void invariants_forget_held(struct world_agent *a)
{
    while (a->held_count)
        mem_free(a->held[--a->held_count].bits);
    a->held_upto = 0;
}

static void read_stream(struct world *w, struct world_agent *a)
{
    struct record_batch b;
    struct record r;
    while (a->held_upto < nats_sim_length(w->servers, a->stream)) {
        const struct nats_sim_message *m = nats_sim_at(w->servers, a->stream, ++a->held_upto);
        struct world_held *h = held_of(w, a, inc_of_subject(m->subject, a));
        if (!h || record_batch_read(m->payload, &b) || b.is != BATCH_IS_RECORDS)
            continue;
        while (records_next(&b.records, &r)) {
            uint32_t u = web_url_of(&w->web, &r);
            if (u != UINT32_MAX)
                h->bits[u] |= (uint8_t)(r.kind == RECORD_DONE ? 3 : 1);
        }
    }
}

/* The outcome stands in the agent's own stream, where an adopter finds it. */
static bool is_said_by(struct world *w, struct world_agent *a, const struct model_body *e)
{
    read_stream(w, a);
    struct world_held *h = held_of(w, a, e->inc);
    return h && h->bits[e->url] & 2;
}

static void note_stream(struct world *w, struct world_agent *a, uint32_t where)
{
    read_stream(w, a);
    for (size_t i = 0; i < a->held_count; i++)
        if (is_read(w, a, a->held[i].inc))
            for (uint32_t u = 0; u < w->set.urls; u++)
                if (a->held[i].bits[u])
                    note_copy(w, u, a->held[i].bits[u] & 2, where);
}

/* The batches for others that the agent still keeps: it reads them again after any restart, also as
 * another incarnation. */
static void note_outbox(struct world *w, struct world_agent *a, uint32_t where)
{
    struct port_batch b;
    struct model *m = &a->model;
    size_t durable = m->durable;
    m->durable = m->count;
    uint64_t from = a->agent ? m->keep : m->kept;
    while (m->port.ops->read(&m->port, from, &b) == RC_OK) {
        for (size_t i = 0; i < b.link_count; i++)
            note_copy(w, web_url_of(&w->web, &b.links[i]), b.links[i].kind == RECORD_DONE, where);
        for (size_t i = 0; i < b.outcome_count; i++)
            note_copy(w, web_url_of(&w->web, &b.outcome[i]), b.outcome[i].kind == RECORD_DONE,
                      where);
        from = b.next;
    }
    m->durable = durable;
}

static void note_journal(struct world *w, struct world_agent *a, uint32_t where)
{
    struct model *m = &a->model;
    const struct roster_agent *r = roster_find(w->truth, str_c(a->name));
    uint64_t inc = m->count ? model_inc(m) : 0;
    note_outbox(w, a, where);
    if (!r || r->inc != inc || inc == a->stale_inc ||
        (r->state != ROSTER_LIVING && r->state != ROSTER_LEAVING))
        return;
    for (uint32_t u = 0; model_next_url(m, &u); u++)
        if (model_url(m, u)->state != MODEL_UNKNOWN)
            note_copy(w, u, model_url(m, u)->state == MODEL_DONE, where);
}

static bool has_copy(const struct world *w, uint32_t u)
{
    return w->urls[u].copies.count > 0;
}

/* Whether the page is done in another journal or stream than `gone`; 0: none is gone. */
static bool is_done_without(const struct world_url *u, uint32_t gone)
{
    return u->done_copies.count > (u->done_copies.first == gone);
}

/* Every link of every page that is done is known somewhere; also if any one disk were lost,
 * together with the pages that are done only there. */
static void check_links(struct world *w, bool with_spares)
{
    for (uint32_t u = 0; u < w->set.urls; u++) {
        const struct web_url *page = &w->web.urls[u];
        for (uint32_t i = 0; is_done_without(&w->urls[u], 0) && i < page->link_count; i++) {
            uint32_t v = w->web.links[page->first_link + i];
            const struct world_url *at = &w->urls[v];
            uint32_t only = at->copies.count == 1 && at->journals == 1 ? at->copies.first : 0;
            if (!at->copies.count)
                world_break(w, 1, "u%u is lost: its page u%u is done", v, u);
            else if (with_spares && only && is_done_without(&w->urls[u], only))
                world_break(w, 1, "u%u is lost: its page u%u is done, without the disk of %s", v, u,
                            w->agents[only / 2]->name);
        }
    }
}

/* No agent is dead, and every journal belongs to the incarnation in the roster. */
static bool are_all_well(const struct world *w)
{
    for (size_t i = 0; i < roster_count(w->truth); i++)
        if (roster_at(w->truth, i)->state == ROSTER_DEAD_NOW)
            return false;
    for (uint32_t i = 0; i < w->agent_count; i++) {
        const struct world_agent *a = w->agents[i];
        const struct roster_agent *r = roster_find(w->truth, str_c(a->name));
        bool living = r && (r->state == ROSTER_LIVING || r->state == ROSTER_LEAVING);
        if (living && (model_inc(&a->model) != r->inc || r->inc == a->stale_inc))
            return false;
    }
    return true;
}

void invariants_outside(struct world *w, struct world_agent *a)
{
    struct port_batch b;
    struct model *m = &a->model;
    size_t durable = m->durable;
    m->durable = m->count;
    for (uint64_t from = m->keep; m->port.ops->read(&m->port, from, &b) == RC_OK; from = b.next)
        for (size_t i = 0; i < b.link_count + b.outcome_count; i++) {
            const struct record *r = i < b.link_count ? &b.links[i] : &b.outcome[i - b.link_count];
            uint32_t u = web_url_of(&w->web, r);
            if (u != UINT32_MAX)
                w->urls[u].outside_ms = w->now_ms;
        }
    m->durable = durable;
}

/* An agent outside the roster sent the URL, and then lost its disk. The agent that must read it may
 * be away, declared dead and adopted: until then only the servers have it. */
static bool was_outside(const struct world *w, uint32_t u)
{
    uint64_t at = w->urls[u].outside_ms;
    return at && w->now_ms - at < OUTSIDE_DEADS * (uint64_t)w->timings.dead_ms;
}

/* No agent will find the URL again: it is a seed, or a page with a link to it is done. */
static bool is_needed(const struct world *w, uint32_t u)
{
    for (uint32_t p = 0; p < w->set.urls; p++) {
        const struct web_url *page = &w->web.urls[p];
        for (uint32_t i = 0; is_done_without(&w->urls[p], 0) && i < page->link_count; i++)
            if (w->web.links[page->first_link + i] == u)
                return true;
    }
    return u < WEB_SEEDS;
}

/* Any one disk may be lost at the next moment; or, while all agents are well, all that the servers
 * have. */
static void check_spares(struct world *w)
{
    bool is_quiet = w->now_ms < w->quiet_until_ms; /* the servers' disks were just lost */
    check_links(w, !is_quiet);
    if (is_quiet || !are_all_well(w))
        return;
    for (uint32_t u = 0; u < w->set.urls; u++)
        if (has_copy(w, u) && !w->urls[u].journals && !was_outside(w, u) && is_needed(w, u))
            world_break(w, 1, "u%u is only on the servers", u);
}

/* 10: what acked_through has passed is in a journal, or stands in another agent's stream. */
static void check_acked_through(struct world *w, struct world_agent *a, uint32_t own)
{
    struct agent_status st;
    struct record_batch b;
    struct record r;
    agent_status(a->agent, world_agent_now(w, a), &st);
    const struct roster_agent *truth = roster_find_inc(w->truth, str_c(a->name), st.inc);
    if (!st.is_whole || !truth || truth->boot != st.boot || truth->state != ROSTER_LIVING)
        return;
    if (a->acked_through_generation != (st.inc << 32 | st.generation)) {
        a->acked_through_generation = st.inc << 32 | st.generation;
        a->acked_through_checked = 0;
    }
    checked(w, 10);
    uint64_t split_at =
        nats_sim_split_at(w->servers, a->stream); /* behind it only receipts count */
    for (uint64_t s = a->acked_through_checked + 1; s <= st.acked_through && s <= split_at; s++) {
        const struct nats_sim_message *m = nats_sim_at(w->servers, a->stream, s);
        if (!m || inc_of_subject(m->subject, a) != st.inc || record_batch_read(m->payload, &b) ||
            b.is != BATCH_IS_RECORDS || str_ends(m->subject, STR(".out")))
            continue;
        while (records_next(&b.records, &r)) {
            uint32_t u = web_url_of(&w->web, &r);
            if (u != UINT32_MAX && w->urls[u].copies.count <= (w->urls[u].copies.first == own))
                world_break(w, 10, "%s's acked_through has passed u%u, which is nowhere else",
                            a->name, u);
        }
    }
    a->acked_through_checked = st.acked_through;
}

void invariants_copies(struct world *w)
{
    namesake_look(w);
    /* Servers that lost the roster do not know which agents are living until an agent restores
     * it. */
    if (roster_epoch(w->truth) < w->epoch_seen)
        return;
    w->epoch_seen = roster_epoch(w->truth);
    for (uint32_t u = 0; u < w->set.urls; u++) {
        w->urls[u].copies = w->urls[u].done_copies = (struct world_copies){0};
        w->urls[u].journals = 0;
    }
    for (uint32_t i = 0; i < w->agent_count; i++) {
        note_stream(w, w->agents[i], journal_of(i) + 1);
        note_journal(w, w->agents[i], journal_of(i));
    }
    checked(w, 1);
    for (uint32_t u = 0; u < WEB_SEEDS && is_seeded(w) && u < w->set.urls; u++)
        if (!has_copy(w, u))
            world_break(w, 1, "seed u%u is lost", u);
    check_spares(w);
    for (uint32_t i = 0; i < w->agent_count; i++)
        if (w->agents[i]->agent)
            check_acked_through(w, w->agents[i], journal_of(i) + 1);
}

/* ---- 7 ---- */

/* Open pages may be fetched again; if the journal is lost, also pages whose outcome is not told. */
void invariants_allow(struct world *w, struct world_agent *a, bool is_journal_lost)
{
    const struct model *m = &a->model;
    if (is_journal_lost)
        check_at_stake(w, a, model_inc(m));
    for (size_t i = 0; i < WORLD_MAX_OPEN; i++)
        w->report->refetch_allowance += a->fetches[i].is_open;
    for (size_t i = 0; i < m->count; i++) {
        const struct model_entry *e = &m->entries[i];
        bool is_loose = is_journal_lost || i >= m->durable;
        if (e->kind == MODEL_PAGE && is_loose && !is_said_by(w, a, e->body))
            w->report->refetch_allowance++;
    }
}

/* ---- 8, 7, 12: at the end ---- */

static void merge_all(struct world *w, struct model *m, uint64_t seed)
{
    struct rng r;
    struct record_batch b;
    struct record rec;
    rng_init(&r, seed);
    uint64_t twice = seed & 1;
    for (uint32_t k = 0; k < w->agent_count; k++) {
        uint32_t at = (uint32_t)((k + seed) % w->agent_count);
        uint64_t n = nats_sim_length(w->servers, w->agents[at]->stream);
        uint64_t stride = n > 1 ? 1 + rng_below(&r, n - 1) : 1;
        for (uint64_t pass = 0; pass < stride + twice; pass++)
            for (uint64_t s = 1 + pass % stride; s <= n; s += stride) {
                const struct nats_sim_message *p =
                    nats_sim_at(w->servers, w->agents[at]->stream, s);
                if (record_batch_read(p->payload, &b) || b.is != BATCH_IS_RECORDS)
                    continue;
                while (records_next(&b.records, &rec))
                    model_merge(m, &rec);
            }
    }
}

static uint64_t state_hash(const struct world *w, const struct model *m)
{
    uint64_t hash = 0;
    for (uint32_t u = 0; u < w->set.urls; u++)
        hash = hash64_mix(hash * 31 + model_url(m, u)->state + model_url(m, u)->time_ms * 7);
    for (uint32_t h = 0; h < w->set.hosts; h++)
        hash = hash64_mix(hash * 31 + model_host(m, h)->next_ms);
    return hash;
}

static void check_merging(struct world *w)
{
    uint64_t first = 0;
    checked(w, 8);
    for (uint64_t i = 0; i < 3; i++) {
        struct model m;
        if (model_init(&m, &w->web, "x", w->facts) == RC_OK) {
            merge_all(w, &m, w->set.seed * 3 + i);
            uint64_t hash = state_hash(w, &m);
            if (i == 0)
                first = hash;
            else if (hash != first)
                world_break(w, 8, "the records merged in another order give another state");
        }
        model_done(&m);
    }
}

void invariants_end(struct world *w)
{
    invariants_copies(w);
    check_merging(w);
    checked(w, 7);
    if (w->report->refetches > w->report->refetch_allowance)
        world_break(w, 7, "%llu refetches, %llu allowed", (unsigned long long)w->report->refetches,
                    (unsigned long long)w->report->refetch_allowance);
    checked(w, 12);
    for (uint32_t u = 0; u < w->set.urls; u++)
        if (!w->urls[u].done_copies.count)
            world_break(w, 12, "finished, but no agent knows that u%u is done", u);
}
