/* SPDX-License-Identifier: Apache-2.0 */
/* Where a wiring may be cut: that its parts can stand where it puts them, and that what goes from
 * a place to another can be written down.
 *
 * Sources stand together at one place. A message from there keeps its credits there, however many
 * places it passes; so that place alone can tell when the flow is over. */
#include "flow/wiring.h"

struct checker {
    struct wiring *w;
    const struct catalog *catalog;
    struct problems *problems;
    unsigned *first_user; /* of each provider: the component that decides where it is */
    bool *reached;        /* the providers that a component needs, also by way of others */
};

#define WRONG(c, at, ...) problems_add((c)->problems, (at)->line, (at)->column, __VA_ARGS__)

static const char *place_of(const struct checker *c, const struct wiring_part *p)
{
    return c->w->places[p->place].name.p;
}

static void check_addresses(struct checker *c)
{
    const struct wiring_place *list = c->w->places;
    for (unsigned i = 0; i < c->w->place_count; i++)
        for (unsigned k = 0; k < i; k++)
            if (!list[i].pool && !list[k].pool && str_eq(list[i].address, list[k].address))
                WRONG(c, &list[i], "places.%s: has the same address as %s", list[i].name.p,
                      list[k].name.p);
}

/* A pool ---------------------------------------------------------------------------------------- */

bool wiring_has_pool(const struct wiring *w, unsigned *ret_at)
{
    for (unsigned i = 0; i < w->place_count; i++)
        if (w->places[i].pool) {
            *ret_at = i;
            return true;
        }
    return false;
}

static void check_pool_alone(struct checker *c, unsigned pool)
{
    const struct wiring *w = c->w;
    char room[200];
    struct buf why = buf_on(room, sizeof room);
    if (w->place_count != 2)
        WRONG(c, &w->places[pool],
              "places.%s: a wiring with a pool has one other place, its manager; found %u others",
              w->places[pool].name.p, w->place_count - 1);
    if (pool_timings_check(&w->places[pool].pool->timings, &why) != RC_OK)
        WRONG(c, &w->places[pool], "places.%s: " STR_FMT, w->places[pool].name.p,
              STR_ARG(buf_str(&why)));
    for (unsigned i = 0; i < w->component_count; i++)
        if (w->components[i].place == pool && w->components[i].part->produce)
            WRONG(c, &w->components[i],
                  "components.%s: is a source, and sources stand at the manager",
                  w->components[i].name.p);
}

/* A message that a member does not answer must have somewhere to go. */
static void check_lost(struct checker *c, const struct wiring_connection *k)
{
    const struct wiring *w = c->w;
    const struct wiring_part *from = &w->components[k->from], *to = &w->components[k->to];
    bool leads_to_pool = w->places[to->place].pool && !w->places[from->place].pool;
    if (!leads_to_pool) {
        if (k->lost != WIRING_NOWHERE)
            WRONG(c, k, "connections: %s -> %s does not lead to a pool; leave \"lost\" out",
                  from->name.p, to->name.p);
        return;
    }
    const char *type = from->part->outlets[k->outlet].type;
    if (k->type && !k->type->lost)
        WRONG(c, k, "connections: messages of type %s cannot go to a pool", type);
    else if (k->lost == WIRING_NOWHERE)
        WRONG(c, k,
              "connections: %s -> %s leads to a pool; write where messages go that no member "
              "answers, "
              "as {lost: disposition}",
              from->name.p, to->name.p);
    else if (w->components[k->lost].place != from->place ||
             strcmp(w->components[k->lost].part->inlets[k->lost_inlet].type, type) != 0)
        WRONG(c, k, "connections: lost: %s must stand at \"%s\" and take messages of type %s",
              w->components[k->lost].name.p, w->places[from->place].name.p, type);
}

static void check_pool(struct checker *c)
{
    unsigned pool, there = 0, back = 0;
    const struct wiring *w = c->w;
    for (unsigned i = 0; i < w->connection_count; i++)
        check_lost(c, &w->connections[i]);
    if (!wiring_has_pool(w, &pool))
        return;
    check_pool_alone(c, pool);
    for (unsigned i = 0; i < w->connection_count; i++) {
        bool begins = w->components[w->connections[i].from].place == pool;
        bool ends = w->components[w->connections[i].to].place == pool;
        there += ends && !begins;
        back += begins && !ends;
    }
    if (there > POOL_MAX_CUTS || back > POOL_MAX_CUTS)
        WRONG(c, &w->places[pool], "places.%s: more than %d connections lead there, or back",
              w->places[pool].name.p, POOL_MAX_CUTS);
}

static void check_sources(struct checker *c)
{
    const struct wiring_part *first = NULL;
    for (unsigned i = 0; i < c->w->component_count; i++) {
        const struct wiring_part *p = &c->w->components[i];
        if (!p->part->produce)
            continue;
        if (!first)
            first = p;
        if (p->place != first->place)
            WRONG(c, p,
                  "components.%s: is a source at \"%s\", and source %s stands at \"%s\": sources "
                  "stand at one place, which can tell when all is over; expected at: %s",
                  p->name.p, place_of(c, p), first->name.p, place_of(c, first), place_of(c, first));
    }
}

/* Providers use those above them, so one walk from below finds all. */
static void reach(struct checker *c, const struct wiring_part *p)
{
    memset(c->reached, 0, c->w->provider_count * sizeof *c->reached);
    for (unsigned i = 0; p->part->needs && p->part->needs[i].role; i++)
        if (p->needs[i] != WIRING_NOWHERE && !part_spares(p->part, p->part->needs[i].role))
            c->reached[p->needs[i]] = true;
    for (unsigned k = c->w->provider_count; k-- > 0;) {
        const struct wiring_part *used = &c->w->providers[k];
        for (unsigned i = 0; c->reached[k] && used->part->needs && used->part->needs[i].role; i++)
            if (used->needs[i] != WIRING_NOWHERE)
                c->reached[used->needs[i]] = true;
    }
}

static void check_providers(struct checker *c, unsigned at)
{
    const struct wiring_part *p = &c->w->components[at];
    reach(c, p);
    for (unsigned k = 0; k < c->w->provider_count; k++) {
        const struct wiring_part *used = &c->w->providers[k];
        if (!c->reached[k] || !used->part->is_of_one_place)
            continue;
        if (c->first_user[k] == WIRING_NOWHERE)
            c->first_user[k] = at;
        const struct wiring_part *first = &c->w->components[c->first_user[k]];
        if (first->place != p->place)
            WRONG(c, p,
                  "components.%s: stands at \"%s\" and needs provider \"%s\", whose state cannot "
                  "be at two places, and %s needs it at \"%s\"; expected at: %s",
                  p->name.p, place_of(c, p), used->name.p, first->name.p, place_of(c, first),
                  place_of(c, first));
    }
}

static const struct message_type *find_in(const struct message_type *const *list, const char *name)
{
    for (; list && *list; list++)
        if (strcmp((*list)->name, name) == 0)
            return *list;
    return NULL;
}

static const struct message_type *find_type(const struct checker *c, const char *name)
{
    const struct message_type *type = find_in(c->catalog->types, name);
    for (unsigned i = 0; i < c->w->component_count && !type; i++)
        type = find_in(c->w->components[i].part->types, name);
    return type;
}

static void check_connection(struct checker *c, struct wiring_connection *k)
{
    const struct wiring_part *from = &c->w->components[k->from], *to = &c->w->components[k->to];
    const char *name = from->part->outlets[k->outlet].type;
    if (from->place == to->place)
        return;
    k->type = find_type(c, name);
    if (!k->type || !k->type->pack || !k->type->unpack)
        WRONG(c, k,
              "connections: messages of type %s cannot go to another place, and %s stands at "
              "\"%s\", %s at \"%s\"; expected both at one",
              name, from->name.p, place_of(c, from), to->name.p, place_of(c, to));
}

/* A connection must lead to each place, or the place would not even be told the end. */
static void check_reached(struct checker *c, unsigned place)
{
    const struct wiring *w = c->w;
    bool is_used = false;
    for (unsigned i = 0; i < w->component_count; i++) {
        const struct wiring_part *p = &w->components[i];
        if (p->place == place && p->part->produce)
            return;
        is_used |= p->place == place;
    }
    for (unsigned i = 0; i < w->connection_count; i++)
        if (w->connections[i].type && w->components[w->connections[i].to].place == place)
            return;
    WRONG(c, &w->places[place], "places.%s: %s", w->places[place].name.p,
          is_used ? "nothing leads there from another place" : "no component stands there");
}

enum rc wiring_check_places(struct wiring *w, const struct catalog *catalog,
                            struct problems *problems)
{
    struct checker c = {.w = w, .catalog = catalog, .problems = problems};
    c.first_user = arena_alloc(w->arena, (w->provider_count + 1) * sizeof *c.first_user);
    c.reached = arena_alloc(w->arena, w->provider_count + 1);
    if (!c.first_user || !c.reached)
        return RC_NOMEM;
    for (unsigned i = 0; i < w->provider_count; i++)
        c.first_user[i] = WIRING_NOWHERE;
    check_addresses(&c);
    check_sources(&c);
    for (unsigned i = 0; i < w->component_count; i++)
        check_providers(&c, i);
    for (unsigned i = 0; i < w->connection_count; i++)
        check_connection(&c, &w->connections[i]);
    check_pool(&c);
    if (problems_rc(problems) == RC_OK)
        for (unsigned i = 0; i < w->place_count; i++)
            check_reached(&c, i);
    return problems_rc(problems);
}
