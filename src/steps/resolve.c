/* SPDX-License-Identifier: Apache-2.0 */
/* resolve: finds the addresses of a visit's host, in its record or by DNS, and leaves out those
 * that the guard refuses. The visit waits here for DNS. Its host is checked out meanwhile, so no
 * other visit asks for the same name. */
#include "host/host_addresses.h"
#include "host/host_end.h"
#include "roles/dns.h"
#include "roles/guard.h"
#include "visit/visit.h"

#include "base/list.h"
#include "base/mem.h"

enum { NEED_DNS, NEED_GUARD };

enum { OUT, FAILED };

/* One question under way. */
struct asking {
    struct dns_query query;
    struct resolve *resolve;
    struct visit *visit;
    struct list_node node;
};

struct resolve {
    struct instance *self;
    struct dns *dns;
    struct guard *guard;
    struct list asked;
};

static enum rc resolve_open(struct instance *self, struct buf *why)
{
    (void)why;
    struct resolve *r = mem_zero(1, sizeof *r);
    if (!r)
        return RC_NOMEM;
    *r = (struct resolve){.self = self,
                          .dns = part_provider(self, NEED_DNS),
                          .guard = part_provider(self, NEED_GUARD)};
    self->state = r;
    return RC_OK;
}

static void resolve_close(struct instance *self)
{
    mem_free(self->state);
}

static bool is_own_host(const struct visit *v)
{
    return v->turn.robots_redirects == 0;
}

/* Takes the addresses that the guard allows, in their order, without those that have refused a
 * connection lately. */
static void choose(struct resolve *r, struct visit *v, const struct address *list, uint32_t count)
{
    struct visit_route *to = &v->route;
    to->address_count = 0;
    for (uint32_t i = 0; i < count && to->address_count < VISIT_MAX_ADDRESSES; i++)
        if (guard_allows(r->guard, &list[i]))
            to->addresses[to->address_count++] = list[i];
    to->address_count = host_addresses_choose(v->turn.record, url_port(&v->turn.url), to->addresses,
                                              to->address_count, part_now_ms(r->self));
    if (to->address_count)
        to->permit.address_group = address_group(&to->addresses[0]);
}

/* No address of the visit's host can be asked. If a robots.txt redirected there, that says nothing
 * about the host that has the robots.txt (host/host_end.h). */
static void fail(struct resolve *r, struct visit *v, enum dns_outcome outcome, const char *why)
{
    v->state = VISIT_ENDED;
    v->answer.end = host_end_of_name(outcome, !is_own_host(v));
    v->why = why;
    part_emit(r->self, FAILED, &v->head);
}

static const char *why_of(enum dns_outcome outcome)
{
    return outcome == DNS_NO_NAME   ? "no such name"
           : outcome == DNS_TIMEOUT ? "no name server answers"
                                    : "name servers fail";
}

static void go_on(struct resolve *r, struct visit *v)
{
    if (!v->route.address_count && !is_own_host(v)) {
        fail(r, v, DNS_FOUND, "robots.txt leads to a private address");
        return;
    }
    if (!v->route.address_count)
        visit_refuse(v, FETCH_BLOCKED, "its address is private");
    part_emit(r->self, v->route.address_count ? OUT : FAILED, &v->head);
}

static void on_answer(struct dns_query *q, const struct dns_result *result)
{
    struct asking *a = EVENT_OF(q, struct asking, query);
    struct resolve *r = a->resolve;
    struct visit *v = a->visit;
    list_remove(&r->asked, &a->node);
    if (result->outcome == DNS_FOUND) {
        struct dns_result found = *result;
        if (is_own_host(v))
            host_addresses_learn(v->turn.record, found.addresses, found.count, found.until_ms);
        choose(r, v, found.addresses, found.count);
        go_on(r, v);
    } else {
        fail(r, v, result->outcome, why_of(result->outcome));
    }
}

static void ask(struct resolve *r, struct visit *v)
{
    struct asking *a = arena_zero(v->arena, sizeof *a);
    if (!a) {
        fail(r, v, DNS_FAILED, why_of(DNS_FAILED));
        return;
    }
    *a = (struct asking){.query = {.done = on_answer}, .resolve = r, .visit = v};
    list_add_first(&r->asked, &a->node);
    if (dns_ask(r->dns, url_host(&v->turn.url), &a->query)) {
        list_remove(&r->asked, &a->node);
        fail(r, v, DNS_FAILED, why_of(DNS_FAILED));
    }
}

static void resolve_handle(struct instance *self, unsigned inlet, struct message *m)
{
    (void)inlet;
    struct resolve *r = self->state;
    struct visit *v = visit_of(m);
    const struct host_record *c = v->turn.record;
    if (v->state == VISIT_REFUSED || v->state == VISIT_LATER) {
        part_emit(self, FAILED, m);
    } else if (is_own_host(v) && host_record_has_addresses(c, part_now_ms(self))) {
        choose(r, v, c->addresses, c->address_count);
        go_on(r, v);
    } else {
        ask(r, v);
    }
}

static void resolve_stop(struct instance *self)
{
    struct resolve *r = self->state;
    while (r->asked.first) {
        struct asking *a = LIST_OF(r->asked.first, struct asking, node);
        dns_cancel(r->dns, &a->query);
        list_remove(&r->asked, &a->node);
        part_end(self, &a->visit->head);
    }
}

const struct part part_resolve = {
    .abi = PART_ABI,
    .kind = PART_COMPONENT,
    .name = "resolve",
    .help = "finds the addresses of a visit's host that may be asked",
    .inlets = (const struct part_port[]){{"in", VISIT_TYPE, "visits", false}, {0}},
    .outlets = (const struct part_port[]){{"out", VISIT_TYPE, "with addresses", false},
                                          {"failed", VISIT_TYPE, "without any", false},
                                          {0}},
    .needs = (const struct part_need[]){[NEED_DNS] = {"dns", DNS_INTERFACE, "resolves names"},
                                        [NEED_GUARD] = {"guard", GUARD_INTERFACE,
                                                        "knows private addresses"},
                                        {0}},
    .open = resolve_open,
    .close = resolve_close,
    .handle = resolve_handle,
    .stop = resolve_stop,
};
