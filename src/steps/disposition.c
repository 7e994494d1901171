/* SPDX-License-Identifier: Apache-2.0 */
/* disposition: every ending of a visit, good or bad, and of a list of URLs.
 *
 * Durability depends on the order. One batch in the journal says what became of a visit and which
 * new links it brought, so "done" implies that its links are safe. Then the links go to the shards
 * that own their hosts, and the cluster hears that the host came back. What stands in the batch and
 * what follows from it is decided in src/outcome. */
#include "asking/ask.h"
#include "asking/guest.h"
#include "host/host_addresses.h"
#include "outcome/hand_out.h"
#include "outcome/outcome.h"
#include "outcome/visit_counts.h"
#include "roles/addresses.h"
#include "roles/http.h"
#include "roles/members.h"
#include "visit/visit_host.h"

#include "base/clock.h"
#include "base/mem.h"

enum { NEED_LEDGER, NEED_BUDGET, NEED_PACE, NEED_ADDRESSES, NEED_CLUSTER, NEED_HTTP, NEED_MEMBERS };

enum { VISITS, LISTS }; /* inlets */
enum { LINKS, AGAIN };  /* outlets */

struct disposition_settings {
    bool archive_only;
};

static const struct option disposition_options[] = {
    OPTION_BOOL_ROW(struct disposition_settings, archive_only, "archive-only", "no",
                    "leave out the graph of links"),
    {0},
};

struct disposition {
    struct instance *self;
    struct pace_service *pace;
    struct addresses_service *addresses;
    struct http *http;               /* NULL: it is at another place */
    struct members_service *members; /* NULL: the wiring has no pool */
    struct rng rng;
    struct outcome_shard here;
};

static void disposition_close(struct instance *self)
{
    struct disposition *s = self->state;
    outcome_shard_done(&s->here);
    mem_free(s);
}

static enum rc disposition_open(struct instance *self, struct buf *why)
{
    (void)why;
    const struct disposition_settings *set = self->settings;
    struct disposition *s = mem_zero(1, sizeof *s);
    if (!s)
        return RC_NOMEM;
    self->state = s;
    s->self = self;
    s->pace = part_provider(self, NEED_PACE);
    s->addresses = part_provider(self, NEED_ADDRESSES);
    s->http = part_provider(self, NEED_HTTP);
    s->members = part_provider(self, NEED_MEMBERS);
    s->here.ledger = part_provider(self, NEED_LEDGER);
    s->here.budget = part_provider(self, NEED_BUDGET);
    s->here.cluster = part_provider(self, NEED_CLUSTER);
    s->here.log = part_log(self);
    s->here.shard = self->shard;
    s->here.has_graph = !set->archive_only;
    outcome_shard_init(&s->here);
    rng_init(&s->rng, clock_wall_ms(s->here.ledger->run.clock) + 77 + self->shard);
    return RC_OK;
}

/* Visits --------------------------------------------------------------------------------------- */

/* The host has gone back to its queue: whether and when its connection is needed again. */
static void tell_http(const struct disposition *s, const struct visit *v, const struct host *host,
                      uint64_t due_ms)
{
    const struct http_ask *ask = &v->answer.ask;
    const struct http_origin origin = {ask->host, ask->port, ask->is_https};
    if (s->http && host && ask->host.n)
        http_expect(s->http, &origin, due_ms, host_queued(host) > 0);
}

/* The turn of another host, to which a robots.txt redirected. */
static void return_guest(const struct disposition *s, struct visit *v, uint64_t wait_ms)
{
    if (!v->route.guest)
        return;
    struct pace_settings pace = s->pace->now(s->pace);
    bool was_asked = v->answer.request.p;
    guest_return(v, &pace, was_asked && !wait_ms ? pace_delay_ms(&pace, 0) : wait_ms);
}

static enum rc record_visit(struct disposition *s, struct visit *v)
{
    const struct host *host = v->turn.checkout.host;
    struct ledger_service *ledger = s->here.ledger;
    struct clock *clock = ledger->run.clock;
    struct ending e = ending_of_visit(v, s->pace, &s->rng, clock_now_ms(clock));
    struct outcome o;
    enum rc rc = outcome_of_visit(&s->here, v, &e, (int64_t)clock_wall_ms(clock), &o);
    if (rc)
        return rc;
    if (o.has_shorter_path)
        hand_out_page(s->self, AGAIN, &v->head, &o.page, s->here.cluster);
    visit_counts_ending(&ledger->counts, v, &e);
    ending_keep(&e, v, s->here.budget);
    return_guest(s, v, e.host.verdict.wait_ms);
    rc = outcome_record(&s->here, &o);
    if (rc)
        return rc;
    tell_http(s, v, host, e.due_ms);
    if (o.fresh.new.count) /* a visit of one of them may ask for it before the history has it */
        page_names_put(ledger->names, v->turn.fingerprint, url_href(&v->turn.url));
    hand_out_links(s->self, LINKS, &v->head, &o.fresh);
    return RC_OK;
}

static enum rc record_redirect(struct disposition *s, struct visit *v)
{
    struct outcome o;
    int64_t wall_ms = (int64_t)clock_wall_ms(s->here.ledger->run.clock);
    enum rc rc = outcome_of_redirect(&s->here, v, wall_ms, &o);
    return rc ? rc : outcome_record(&s->here, &o);
}

/* A member of a pool may lie, and its settings may be older than ours. What the server did is in `end`;
 * whether to ask again, and when, is decided here, by our settings and our count of tries. */
static void judge_again(struct disposition *s, struct visit *v)
{
    struct pace_settings pace = s->pace->now(s->pace);
    struct host_standing standing = visit_standing(v);
    uint64_t delay_ms = pace_delay_ms(&pace, standing.crawl_delay_ms);
    if (v->state == VISIT_LATER && v->route.later_ms && v->route.later_ms < delay_ms)
        v->route.later_ms = delay_ms;
    if (v->state != VISIT_LATER && v->state != VISIT_LOST && v->kind == VISIT_PAGE)
        v->answer.has_verdict = false; /* ending_of_visit() makes one */
}

/* A member of a pool will not answer. It may have asked, so the host waits for its delay. A URL with which
 * too many members were lost has its result. False: the URL goes back to its queue. */
static bool is_given_up(struct disposition *s, struct visit *v)
{
    struct pace_settings pace = s->pace->now(s->pace);
    struct host_standing standing = visit_standing(v);
    v->route.later_ms = pace_delay_ms(&pace, standing.crawl_delay_ms);
    if (!v->route.is_blamed ||
        s->members->ops->orphaned(s->members, v->turn.fingerprint) < MEMBERS_MOST_ORPHANINGS)
        return false;
    v->state = VISIT_ENDED;
    v->why = "the members that had it were lost with it";
    v->answer.end.http = HTTP_NOT_HTTP; /* of this page, not of its host */
    v->answer.verdict = (struct pace_verdict){.next = PACE_DONE,
                                              .code = FETCH_ORPHANED,
                                              .failures = standing.failures,
                                              .wait_ms = v->route.later_ms,
                                              .why = HOST_WAIT_DELAY};
    v->answer.has_verdict = true;
    return true;
}

/* Nothing was fetched: the URL goes back to its queue, and the journal gets no entry. */
static void put_back(struct disposition *s, struct visit *v)
{
    struct fresh_links none = {.from = v->turn.checkout.host_name};
    if (ask_has_other_address(v))
        host_addresses_refused(v->turn.record, url_port(&v->turn.url), &v->route.addresses[0],
                               clock_now_ms(s->here.ledger->run.clock));
    return_guest(s, v, v->route.later_ms);
    if (v->route.later_ms)
        v->route.due_ms = clock_now_ms(s->here.ledger->run.clock) + v->route.later_ms;
    if (v->route.is_charged)
        budget_used(s->here.budget, v->turn.checkout.host_name, false, 0);
    ledger_return(s->here.ledger->ledger, s->self->shard, &v->turn.checkout, v->route.due_ms);
    hand_out_links(s->self, LINKS, &v->head, &none);
}

/* Tells the cluster that the host was returned, and which URLs join the seeds. */
static void tell_cluster(struct cluster_service *cluster, const struct visit *v)
{
    const struct found_links *links = &v->judged.links;
    if (v->kind == VISIT_ROBOTS_REDIRECT)
        return;
    for (size_t i = 0; i < links->count; i++)
        if (links->list[i].is_seed)
            cluster->ops->join(cluster, links->list[i].href);
    cluster->ops->give_back(cluster, v->turn.host_claim);
}

static void handle_visit(struct instance *self, struct message *m)
{
    struct disposition *s = self->state;
    struct visit *v = visit_of(m);
    enum rc rc = RC_OK;
    visit_counts_found(&s->here.ledger->counts, v);
    if (s->members)
        judge_again(s, v);
    host_permit_return(&v->route.permit, s->addresses->addresses, s->addresses->hosts,
                       clock_now_ms(s->here.ledger->run.clock));
    if (v->kind == VISIT_ROBOTS_REDIRECT)
        rc = record_redirect(s, v);
    else if (v->state == VISIT_LATER || (v->state == VISIT_LOST && !is_given_up(s, v)))
        put_back(s, v);
    else
        rc = record_visit(s, v);
    if (s->members && v->state != VISIT_LATER && v->state != VISIT_LOST)
        s->members->ops->settled(s->members, v->turn.fingerprint);
    if (rc)
        part_fail(self, rc, "cannot record the outcome of a URL: %s", rc_text(rc));
    tell_cluster(s->here.cluster, v);
    v->may_end = true;
    part_end(self, m);
}

/* Lists ---------------------------------------------------------------------------------------- */

static enum rc record_list(struct disposition *s, struct url_list *l)
{
    struct outcome o;
    enum rc rc = outcome_of_list(&s->here, l, &o);
    if (rc == RC_OK)
        rc = outcome_record(&s->here, &o);
    if (rc == RC_OK)
        hand_out_links(s->self, LINKS, &l->head, &o.fresh);
    return rc;
}

static void handle_list(struct instance *self, struct message *m)
{
    struct disposition *s = self->state;
    struct url_list *l = url_list_of(m);
    enum rc rc = record_list(s, l);
    if (rc)
        part_fail(self, rc, "cannot record a list of URLs: %s", rc_text(rc));
    l->is_safe = rc == RC_OK;
    l->may_end = true;
    part_end(self, m);
}

static void disposition_handle(struct instance *self, unsigned inlet, struct message *m)
{
    if (inlet == LISTS)
        handle_list(self, m);
    else
        handle_visit(self, m);
}

/* Once a turn everything goes to the kernel, where it survives the end of this process. */
static void disposition_turn(struct instance *self)
{
    struct disposition *s = self->state;
    enum rc rc = ledger_turn(s->here.ledger->ledger, self->shard);
    if (rc)
        part_fail(self, rc, "cannot write to the crawl's directory: %s", rc_text(rc));
}

const struct part part_disposition = {
    .abi = PART_ABI,
    .kind = PART_COMPONENT,
    .name = "disposition",
    .former_name = "settle",
    .help = "records what became of a visit, and returns its host",
    .inlets =
        (const struct part_port[]){[VISITS] = {"in", VISIT_TYPE, "visits that have ended", false},
                                   [LISTS] = {"lists", URL_LIST_TYPE, "lists of URLs", false},
                                   {0}},
    .outlets =
        (const struct part_port[]){
            {"links", LINKS_TYPE, "new links, for the shards that own their hosts", false},
            {"again", LINKS_TYPE, "a page to which a shorter path was found", true},
            {0}},
    .needs =
        (const struct part_need[]){
            [NEED_LEDGER] = {"ledger", LEDGER_INTERFACE, "journals the outcome"},
            [NEED_BUDGET] = {"budget", BUDGET_INTERFACE, "counts what the visit took"},
            [NEED_PACE] = {"pace", PACE_INTERFACE, "says when to ask again"},
            [NEED_ADDRESSES] = {"addresses", ADDRESSES_INTERFACE, "gets permits back"},
            [NEED_CLUSTER] = {"cluster", CLUSTER_INTERFACE, "knows which hosts are ours"},
            [NEED_HTTP] = {"http", HTTP_INTERFACE, "is told when a host is asked again"},
            [NEED_MEMBERS] = {"members", MEMBERS_INTERFACE,
                              "knows URLs with which members were lost", true},
            {0}},
    .spares = (const char *const[]){"http", NULL},
    .options = disposition_options,
    .settings_bytes = sizeof(struct disposition_settings),
    .open = disposition_open,
    .close = disposition_close,
    .handle = disposition_handle,
    .turn = disposition_turn,
};
