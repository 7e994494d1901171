/* SPDX-License-Identifier: Apache-2.0 */
/* resolve: the addresses of a visit's host, from its card or from DNS, those that the guard refuses
 * left out. The visit waits here for DNS; its host is out, so nobody else asks for it. */
#include "components/services.h"
#include "components/visit.h"

#include "base/list.h"
#include "base/mem.h"

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
    *r = (struct resolve){
        .self = self, .dns = part_provider(self, 0), .guard = part_provider(self, 1)};
    self->state = r;
    return RC_OK;
}

static void resolve_close(struct instance *self)
{
    mem_free(self->state);
}

static bool is_own_host(const struct visit *v)
{
    return v->robots_hops == 0;
}

/* Keeps what DNS said on the card, for the host's next visits. */
static void remember(struct visit *v, const struct dns_result *result)
{
    struct card *c = v->card;
    uint32_t count = result->count < CARD_MAX_ADDRESSES ? result->count : CARD_MAX_ADDRESSES;
    if (!is_own_host(v) || !count)
        return;
    struct address *list = mem_resize(c->addresses, count * sizeof *list);
    if (!list)
        return;
    memcpy(list, result->addresses, count * sizeof *list);
    c->addresses = list;
    c->address_count = (uint8_t)count;
    c->addresses_until_ms = result->until_ms;
}

/* Those that may be asked, in their order. */
static void choose(struct resolve *r, struct visit *v, const struct address *list, uint32_t count)
{
    v->address_count = 0;
    for (uint32_t i = 0; i < count && v->address_count < VISIT_MAX_ADDRESSES; i++)
        if (guard_allows(r->guard, &list[i]))
            v->addresses[v->address_count++] = list[i];
    if (v->address_count)
        v->address_group = address_group(&v->addresses[0]);
}

/* Where robots.txt leads cannot be asked: that is no word about the host whose it is. */
static void fail_elsewhere(struct visit *v, const char *why)
{
    v->state = VISIT_ENDED;
    v->end = (struct pace_end){.dns = DNS_FOUND, .http = HTTP_NO_CONNECT};
    v->why = why;
}

static void go_on(struct resolve *r, struct visit *v)
{
    if (!v->address_count && is_own_host(v))
        visit_refuse(v, FETCH_BLOCKED, "its address is private");
    else if (!v->address_count)
        fail_elsewhere(v, "robots.txt leads to a private address");
    part_emit(r->self, v->address_count ? OUT : FAILED, &v->head);
}

static void fail(struct resolve *r, struct visit *v, enum dns_outcome outcome)
{
    const char *why = outcome == DNS_NO_NAME   ? "no such name"
                      : outcome == DNS_TIMEOUT ? "no name server answers"
                                               : "name servers fail";
    if (is_own_host(v)) {
        v->state = VISIT_ENDED;
        v->end = (struct pace_end){.dns = outcome};
        v->why = why;
    } else {
        fail_elsewhere(v, why);
    }
    part_emit(r->self, FAILED, &v->head);
}

static void on_answer(struct dns_query *q, const struct dns_result *result)
{
    struct asking *a = EVENT_OF(q, struct asking, query);
    struct resolve *r = a->resolve;
    struct visit *v = a->visit;
    list_remove(&r->asked, &a->node);
    if (result->outcome == DNS_FOUND) {
        remember(v, result);
        choose(r, v, result->addresses, result->count);
        go_on(r, v);
    } else {
        fail(r, v, result->outcome);
    }
}

static void ask(struct resolve *r, struct visit *v)
{
    struct asking *a = arena_zero(v->arena, sizeof *a);
    if (!a) {
        fail(r, v, DNS_FAILED);
        return;
    }
    *a = (struct asking){.query = {.done = on_answer}, .resolve = r, .visit = v};
    list_add_first(&r->asked, &a->node);
    if (dns_ask(r->dns, url_host(&v->url), &a->query)) {
        list_remove(&r->asked, &a->node);
        fail(r, v, DNS_FAILED);
    }
}

/* Why nothing of the host, or of this origin, is asked for any more; 0 = it is. */
static int dead_code_of(const struct visit *v)
{
    const struct card_origin *o = card_origin_of(v->card, v->lent.is_https, v->lent.port, false);
    if (!is_own_host(v))
        return 0;
    return v->card->dead_code ? v->card->dead_code : o ? o->dead_code : 0;
}

static void resolve_handle(struct instance *self, unsigned inlet, struct message *m)
{
    (void)inlet;
    struct resolve *r = self->state;
    struct visit *v = visit_of(m);
    const struct card *c = v->card;
    bool is_known = is_own_host(v) && c->address_count && c->addresses_until_ms > part_now_ms(self);
    int dead_code = dead_code_of(v);
    if (v->state != VISIT_REFUSED && dead_code)
        visit_refuse(v, dead_code, "its host was given up");
    if (v->state == VISIT_REFUSED) {
        part_emit(self, FAILED, m);
    } else if (is_known) {
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
    .needs = (const struct part_need[]){{"dns", DNS_INTERFACE, "resolves names"},
                                        {"guard", GUARD_INTERFACE, "knows private addresses"},
                                        {0}},
    .open = resolve_open,
    .close = resolve_close,
    .handle = resolve_handle,
    .stop = resolve_stop,
};
