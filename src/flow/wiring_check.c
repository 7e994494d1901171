/* SPDX-License-Identifier: Apache-2.0 */
/* What cannot be seen in one line of a wiring: that ends fit each other, that nothing required is
 * left open, that providers are there, and that no cycle can stand still.
 *
 * The rule for cycles. A connector that does not spill holds back everything in front of it while
 * it is full. If every connector round a cycle did that, all of them could be full at once and
 * wait for each other; if they were all calls, a message would call itself without end. One
 * connector that spills breaks both: it takes the message whatever happens, and the credits of the
 * source bound how many it ever holds. So the graph without spilling connectors has no cycle. */
#include "flow/wiring.h"

struct checker {
    struct wiring *w;
    struct problems *problems;
    enum rc rc;
};

unsigned part_port_count(const struct part_port *ports)
{
    unsigned n = 0;
    while (ports && ports[n].name)
        n++;
    return n;
}

static const struct part_port *outlet_of(const struct wiring *w, const struct wiring_connection *c)
{
    return &w->components[c->from].part->outlets[c->outlet];
}

static const struct part_port *inlet_of(const struct wiring *w, const struct wiring_connection *c)
{
    return &w->components[c->to].part->inlets[c->inlet];
}

#define WRONG(c, at, ...) problems_add((c)->problems, (at)->line, (at)->column, __VA_ARGS__)

/* The only inlet of the part that takes that type; NULL if it has none or several. */
static const struct part_port *only_inlet(const struct part *part, const char *type)
{
    const struct part_port *found = NULL;
    for (const struct part_port *p = part->inlets; p && p->name; p++) {
        if (strcmp(p->type, type) != 0)
            continue;
        if (found)
            return NULL;
        found = p;
    }
    return found;
}

/* An outlet as a wiring names it; the first of a table needs no name. */
static void print_outlet(const struct wiring *w, const struct wiring_connection *k, struct buf *out)
{
    buf_add(out, w->components[k->from].name);
    if (k->outlet)
        buf_printf(out, ".%s", outlet_of(w, k)->name);
}

static void check_types(struct checker *c, const struct wiring_connection *k)
{
    const struct wiring *w = c->w;
    const struct wiring_part *from = &w->components[k->from], *to = &w->components[k->to];
    const struct part_port *out = outlet_of(w, k), *in = inlet_of(w, k);
    if (strcmp(out->type, in->type) == 0)
        return;
    const struct part_port *fits = only_inlet(to->part, out->type);
    struct buf hint = {.max = 1000};
    if (fits) {
        buf_add(&hint, STR("; write \""));
        print_outlet(w, k, &hint);
        buf_printf(&hint, " -> %s.%s\"", to->name.p, fits->name);
    }
    WRONG(c, k, "connections: %s.%s gives messages of type %s, %s.%s takes %s" STR_FMT,
          from->name.p, out->name, out->type, to->name.p, in->name, in->type,
          STR_ARG(buf_str(&hint)));
    if (hint.rc == RC_NOMEM)
        c->rc = RC_NOMEM;
    buf_done(&hint);
}

static void check_outlet_once(struct checker *c, unsigned at)
{
    const struct wiring *w = c->w;
    const struct wiring_connection *k = &w->connections[at];
    for (unsigned i = 0; i < at; i++) {
        const struct wiring_connection *other = &w->connections[i];
        if (other->from == k->from && other->outlet == k->outlet)
            WRONG(c, k,
                  "connections: outlet %s.%s is connected already, in line %u: a message has one "
                  "owner",
                  w->components[k->from].name.p, outlet_of(w, k)->name, other->line);
    }
}

static void check_lost(struct checker *c, const struct wiring_connection *k)
{
    if (k->lost != WIRING_NOWHERE && !c->w->place_count)
        WRONG(c, k, "connections: %s -> %s does not lead to a pool; leave \"lost\" out",
              c->w->components[k->from].name.p, c->w->components[k->to].name.p);
}

static void check_shards(struct checker *c, const struct wiring_connection *k)
{
    const struct wiring_part *from = &c->w->components[k->from], *to = &c->w->components[k->to];
    if (c->w->shards == 1)
        return;
    if (!k->queue_length && from->shard != to->shard) {
        const struct wiring_part *one = from->shard >= 0 ? from : to;
        WRONG(c, k,
              "connections: a call cannot leave the shard, and %s lives on shard %d only; expected "
              "{queue: length}",
              one->name.p, one->shard);
    }
    if (k->queue_length && k->route == ROUTE_UNSAID && from->shard >= 0 && to->shard < 0)
        WRONG(c, k,
              "connections: %s lives on one shard and %s on each; expected route: hash to spread "
              "the messages, or route: same",
              from->name.p, to->name.p);
    if (k->route != ROUTE_UNSAID && to->shard >= 0)
        WRONG(c, k, "connections: route has no meaning: %s lives on shard %d only", to->name.p,
              to->shard);
}

static bool is_connected(const struct wiring *w, unsigned component, unsigned port, bool is_outlet)
{
    for (unsigned i = 0; i < w->connection_count; i++) {
        const struct wiring_connection *k = &w->connections[i];
        if (is_outlet ? k->from == component && k->outlet == port
                      : k->to == component && k->inlet == port)
            return true;
    }
    return false;
}

/* The only inlet of another component that takes that type and is not connected; NULL: there is
 * none, or more than one. */
static const struct part_port *only_open_inlet(const struct wiring *w, unsigned component,
                                               const char *type, const struct wiring_part **ret)
{
    const struct part_port *found = NULL;
    for (unsigned i = 0; i < w->component_count; i++) {
        const struct part_port *in = w->components[i].part->inlets;
        for (unsigned j = 0; i != component && in && in[j].name; j++) {
            if (strcmp(in[j].type, type) != 0 || is_connected(w, i, j, false))
                continue;
            if (found)
                return NULL;
            found = &in[j];
            *ret = &w->components[i];
        }
    }
    return found;
}

static void check_outlet(struct checker *c, unsigned component, const struct part_port *out)
{
    const struct wiring_part *p = &c->w->components[component], *to = NULL;
    const struct part_port *in = only_open_inlet(c->w, component, out->type, &to);
    if (in)
        WRONG(c, p, "components.%s: outlet \"%s\" is not connected; write \"%s.%s -> %s.%s\"",
              p->name.p, out->name, p->name.p, out->name, to->name.p, in->name);
    else
        WRONG(c, p, "components.%s: outlet \"%s\" is not connected", p->name.p, out->name);
}

static void check_ports(struct checker *c, unsigned component, bool is_outlet)
{
    const struct wiring_part *p = &c->w->components[component];
    const struct part_port *ports = is_outlet ? p->part->outlets : p->part->inlets;
    for (unsigned i = 0; ports && ports[i].name; i++) {
        if (ports[i].optional || is_connected(c->w, component, i, is_outlet))
            continue;
        if (is_outlet)
            check_outlet(c, component, &ports[i]);
        else
            WRONG(c, p, "components.%s: inlet \"%s\" is not connected", p->name.p, ports[i].name);
    }
}

static int find_role(const struct wiring *w, const char *role)
{
    for (unsigned i = 0; i < w->provider_count; i++)
        if (str_eq(w->providers[i].name, str_c(role)))
            return (int)i;
    return -1;
}

bool part_spares(const struct part *part, const char *role)
{
    for (const char *const *s = part->spares; s && *s; s++)
        if (strcmp(*s, role) == 0)
            return true;
    return false;
}

/* A provider may use those above it only, so that opening goes from top to bottom. */
static void check_need(struct checker *c, struct wiring_part *p, unsigned at, unsigned above)
{
    const struct part_need *need = &p->part->needs[at];
    int found = find_role(c->w, need->role);
    bool can_spare = p->part->kind == PART_PROVIDER && part_spares(p->part, need->role);
    if (found < 0 && (can_spare || need->is_optional)) {
        p->needs[at] = WIRING_NOWHERE;
        return;
    }
    if (found < 0) {
        struct nearest near = {.wanted = str_c(need->role)};
        for (unsigned i = 0; i < c->w->provider_count; i++)
            nearest_try(&near, c->w->providers[i].name);
        WRONG(c, p, "%s: part \"%s\" needs a provider \"%s\"%s%s", p->name.p, p->part->name,
              need->role, near.name.p ? "; providers has one named " : "",
              near.name.p ? near.name.p : "");
        return;
    }
    const struct wiring_part *provider = &c->w->providers[found];
    p->needs[at] = (unsigned)found;
    if (strcmp(provider->part->provides, need->interface) != 0)
        WRONG(c, p, "%s: needs a provider of \"%s\", and providers.%s provides \"%s\"", p->name.p,
              need->interface, need->role, provider->part->provides);
    if ((unsigned)found >= above)
        WRONG(c, p, "providers.%s: needs \"%s\", which must stand above it", p->name.p, need->role);
    if (p->part->kind == PART_PROVIDER && p->shard >= 0 && provider->shard < 0 && !can_spare)
        WRONG(c, p,
              "providers.%s: exists once for all shards and cannot use \"%s\", which each "
              "shard has for itself",
              p->name.p, need->role);
}

static void check_needs(struct checker *c, struct wiring_part *p, unsigned above)
{
    unsigned count = 0;
    while (p->part->needs && p->part->needs[count].role)
        count++;
    p->needs = arena_zero(c->w->arena, count * sizeof *p->needs);
    if (!p->needs)
        c->rc = RC_NOMEM;
    for (unsigned i = 0; i < count && p->needs; i++)
        check_need(c, p, i, above);
}

static void check_source(struct checker *c)
{
    for (unsigned i = 0; i < c->w->component_count; i++)
        if (c->w->components[i].part->produce)
            return;
    problems_add(c->problems, 1, 1, "components: none is a source, so nothing would ever happen");
}

/* ---- cycles ---- */

struct walk {
    unsigned *path; /* connections from the start to here */
    unsigned *next; /* for each depth: the connection to look at next */
    char *state;    /* of each component: 0 new, 1 on the path, 2 done */
};

static void tell_cycle(struct checker *c, const struct walk *walk, unsigned depth, unsigned closing)
{
    const struct wiring *w = c->w;
    const struct wiring_connection *last = &w->connections[closing];
    unsigned first = depth;
    while (first > 0 && w->connections[walk->path[first - 1]].from != last->to)
        first--;
    first = last->to == last->from ? depth : first - 1; /* it is on the path, so it was found */
    struct buf names = {.max = 4000};
    bool queued = last->queue_length > 0;
    for (unsigned i = first; i < depth; i++) {
        const struct wiring_connection *k = &w->connections[walk->path[i]];
        buf_printf(&names, "%s -> ", w->components[k->from].name.p);
        queued |= k->queue_length > 0;
    }
    buf_printf(&names, "%s -> %s", w->components[last->from].name.p,
               w->components[last->to].name.p);
    WRONG(c, last,
          "connections: the cycle " STR_FMT " %s; expected {queue: length, spill: yes} on one of "
          "its connections",
          STR_ARG(buf_str(&names)),
          queued ? "can fill its queues and stand still" : "calls itself without end");
    if (names.rc == RC_NOMEM)
        c->rc = RC_NOMEM;
    buf_done(&names);
}

/* Depth first, without recursion: path[0..depth) leads from `start` to the component looked at. */
static void walk_from(struct checker *c, struct walk *walk, unsigned start)
{
    const struct wiring *w = c->w;
    unsigned depth = 0, at = start;
    walk->state[start] = 1;
    walk->next[0] = 0;
    for (;;) {
        unsigned k = walk->next[depth];
        while (k < w->connection_count &&
               (w->connections[k].from != at || w->connections[k].spills))
            k++;
        walk->next[depth] = k + 1;
        if (k >= w->connection_count) {
            walk->state[at] = 2;
            if (depth == 0)
                return;
            at = w->connections[walk->path[--depth]].from;
            continue;
        }
        unsigned to = w->connections[k].to;
        if (walk->state[to] == 1) {
            tell_cycle(c, walk, depth, k);
        } else if (walk->state[to] == 0) {
            walk->path[depth++] = k;
            walk->next[depth] = 0;
            walk->state[to] = 1;
            at = to;
        }
    }
}

static void check_cycles(struct checker *c)
{
    const struct wiring *w = c->w;
    struct walk walk = {
        .path = arena_zero(w->arena, (w->component_count + 1) * sizeof(unsigned)),
        .next = arena_zero(w->arena, (w->component_count + 1) * sizeof(unsigned)),
        .state = arena_zero(w->arena, w->component_count + 1),
    };
    if (!walk.path || !walk.next || !walk.state) {
        c->rc = RC_NOMEM;
        return;
    }
    for (unsigned i = 0; i < w->component_count; i++)
        if (walk.state[i] == 0)
            walk_from(c, &walk, i);
}

enum rc wiring_check(struct wiring *w, const struct catalog *catalog, struct problems *problems)
{
    struct checker c = {.w = w, .problems = problems};
    for (unsigned i = 0; i < w->provider_count; i++)
        check_needs(&c, &w->providers[i], i);
    for (unsigned i = 0; i < w->component_count; i++) {
        check_needs(&c, &w->components[i], w->provider_count);
        check_ports(&c, i, false);
        check_ports(&c, i, true);
    }
    for (unsigned i = 0; i < w->connection_count; i++) {
        check_types(&c, &w->connections[i]);
        check_outlet_once(&c, i);
        check_lost(&c, &w->connections[i]);
        check_shards(&c, &w->connections[i]);
    }
    check_source(&c);
    check_cycles(&c);
    if (c.rc == RC_OK)
        c.rc = problems_rc(problems);
    return c.rc || !w->place_count ? c.rc : wiring_check_places(w, catalog, problems);
}
