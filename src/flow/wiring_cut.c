/* SPDX-License-Identifier: Apache-2.0 */
/* From the whole wiring to what runs at one place. Connections keep their numbers as names, because
 * these are the same at both ends. */
#include "flow/pool_internal.h"
#include "flow/remote.h"

#include "base/hash.h"

enum { PRINT_MAX_BYTES = 4 << 20, REMOTE_CREDITS = 100000000 };

struct cutter {
    struct wiring *w;
    unsigned here;
    struct wiring_part *components;
    unsigned component_count;
    unsigned *at; /* of each old component: its new index in the list, or WIRING_NOWHERE */
    struct wiring_part *providers;
    unsigned provider_count;
    unsigned *provider_at;
    struct wiring_connection *connections;
    unsigned connection_count;
    const struct place_login *login;
    bool has_pool;
    unsigned pool;                 /* which place */
    struct pool_end_settings *end; /* of the one part that stands for all of its connections */
    unsigned end_at;
    enum rc rc;
};

static void *room(struct cutter *c, size_t bytes)
{
    void *p = arena_zero(c->w->arena, bytes + 1);
    if (!p)
        c->rc = RC_NOMEM;
    return p;
}

static unsigned place_find(const struct wiring *w, struct str name)
{
    for (unsigned i = 0; i < w->place_count; i++)
        if (str_eq(w->places[i].name, name))
            return i;
    return WIRING_NOWHERE;
}

/* The settings of steps at a pool: the members must have those of the manager, or they would ask
 * with another name, and for other types. */
static void print_pool_settings(const struct cutter *c, struct buf *out)
{
    for (unsigned i = 0; c->has_pool && i < c->w->component_count; i++) {
        const struct wiring_part *p = &c->w->components[i];
        for (const struct option *o = p->part->options; p->place == c->pool && o && o->key; o++) {
            buf_printf(out, "%s.%s ", p->name.p, o->key);
            option_print(o, p->settings, out);
            buf_byte(out, '\n');
        }
    }
}

/* Of what both ends must agree on; addresses may differ, seen from different networks. */
static uint64_t digest(struct cutter *c)
{
    struct buf text;
    buf_init(&text, PRINT_MAX_BYTES);
    wiring_print_graph(c->w, &text);
    print_pool_settings(c, &text);
    if (buf_rc(&text) != RC_OK)
        c->rc = buf_rc(&text);
    uint64_t sum = hash64(buf_str(&text));
    buf_done(&text);
    return sum;
}

static unsigned home_of(const struct wiring *w)
{
    for (unsigned i = 0; i < w->component_count; i++)
        if (w->components[i].part->produce)
            return w->components[i].place;
    return 0;
}

/* Providers ------------------------------------------------------------------------------------ */

static bool stands_here(const struct cutter *c, const struct wiring_part *p)
{
    return p->place == c->here;
}

static void want(bool *wanted, const struct wiring_part *p)
{
    bool is_provider = p->part->kind == PART_PROVIDER;
    for (unsigned i = 0; p->part->needs && p->part->needs[i].role; i++)
        if (p->needs[i] != WIRING_NOWHERE &&
            (is_provider || !part_spares(p->part, p->part->needs[i].role)))
            wanted[p->needs[i]] = true;
}

/* The providers that parts here need, and the clock, which no part has to name. A component gets
 * what it spares only where another part needs it; a provider has what it uses beside it. */
static void providers_choose(struct cutter *c)
{
    struct wiring *w = c->w;
    bool *wanted = room(c, w->provider_count * sizeof *wanted);
    c->provider_at = room(c, w->provider_count * sizeof *c->provider_at);
    c->providers = room(c, (w->provider_count + 1) * sizeof *c->providers);
    if (c->rc)
        return;
    for (unsigned i = 0; i < w->component_count; i++)
        if (stands_here(c, &w->components[i]))
            want(wanted, &w->components[i]);
    for (unsigned k = w->provider_count; k-- > 0;) {
        wanted[k] |= strcmp(w->providers[k].part->provides, "clock") == 0;
        if (wanted[k])
            want(wanted, &w->providers[k]);
    }
    for (unsigned k = 0; k < w->provider_count; k++) {
        c->provider_at[k] = wanted[k] ? c->provider_count : WIRING_NOWHERE;
        if (wanted[k])
            c->providers[c->provider_count++] = w->providers[k];
    }
}

static void needs_move(struct cutter *c, struct wiring_part *p)
{
    unsigned count = 0;
    while (p->part->needs && p->part->needs[count].role)
        count++;
    unsigned *needs = room(c, count * sizeof *needs);
    for (unsigned i = 0; i < count && needs; i++)
        needs[i] = p->needs[i] == WIRING_NOWHERE ? WIRING_NOWHERE : c->provider_at[p->needs[i]];
    p->needs = needs;
}

static void remote_provider_add(struct cutter *c, struct str secret)
{
    struct remote_settings *s = room(c, sizeof *s);
    if (!s)
        return;
    *s = (struct remote_settings){
        .places = c->w->places,
        .place_count = c->w->place_count,
        .here = c->here,
        .home = home_of(c->w),
        .wiring = digest(c),
        .secret = arena_dup(c->w->arena, secret),
    };
    s->has_sources = s->here == s->home;
    if (!s->secret.p)
        c->rc = RC_NOMEM;
    c->providers[c->provider_count++] = (struct wiring_part){
        .name = STR("places"), .part = &part_remote, .settings = s, .shard = WIRING_ALL_SHARDS};
}

/* Components and connections ------------------------------------------------------------------- */

static void components_choose(struct cutter *c)
{
    struct wiring *w = c->w;
    c->at = room(c, w->component_count * sizeof *c->at);
    c->components = room(c, (w->component_count + w->connection_count) * sizeof *c->components);
    for (unsigned i = 0; c->rc == RC_OK && i < w->component_count; i++) {
        c->at[i] = WIRING_NOWHERE;
        if (!stands_here(c, &w->components[i]))
            continue;
        c->at[i] = c->component_count;
        struct wiring_part *p = &c->components[c->component_count++];
        *p = w->components[i];
        if (!c->has_pool)
            p->shard = p->shard > 0 ? 0 : p->shard;
    }
}

/* The part at this end of connection `k`; `other` stands elsewhere. */
static unsigned end_add(struct cutter *c, unsigned k, unsigned other, const struct part *part)
{
    const struct wiring_part *far = &c->w->components[other];
    struct remote_end_settings *s = room(c, sizeof *s);
    unsigned *needs = room(c, sizeof *needs);
    struct str name =
        arena_printf(c->w->arena, "%s at %s", far->name.p, c->w->places[far->place].name.p);
    if (!s || !needs || !name.p) {
        c->rc = RC_NOMEM;
        return 0;
    }
    *s = (struct remote_end_settings){
        .cut = k, .peer = far->place, .type = c->w->connections[k].type};
    *needs = c->provider_count - 1;
    c->components[c->component_count] = (struct wiring_part){.name = name,
                                                             .part = part,
                                                             .settings = s,
                                                             .shard = WIRING_ALL_SHARDS,
                                                             .credits = REMOTE_CREDITS,
                                                             .needs = needs,
                                                             .place = c->here};
    return c->component_count++;
}

/* The end of a pool's connections, once. */
static void pool_end_add(struct cutter *c)
{
    const struct wiring *w = c->w;
    bool is_member = c->here == c->pool;
    const struct wiring_place *manager = &w->places[1 - c->pool];
    c->end = room(c, sizeof *c->end);
    if (!c->end)
        return;
    *c->end = (struct pool_end_settings){
        .pool = w->places[c->pool],
        .manager = *manager,
        .options = *w->places[c->pool].pool,
        .place = c->pool,
        .wiring = digest(c),
        .login = c->login->pool,
    };
    c->end_at = c->component_count++;
    c->components[c->end_at] =
        (struct wiring_part){.name = is_member ? manager->name : w->places[c->pool].name,
                             .part = is_member ? &part_pool_member : &part_pool_manager,
                             .settings = c->end,
                             .shard = WIRING_ALL_SHARDS,
                             .credits = REMOTE_CREDITS,
                             .place = c->here};
}

static void call_add(struct cutter *c, const struct wiring_connection *like, unsigned from,
                     unsigned outlet, unsigned to, unsigned inlet)
{
    struct wiring_connection k = *like;
    k.from = from;
    k.outlet = outlet;
    k.to = to;
    k.inlet = inlet;
    k.queue_length = 0;
    k.spills = false;
    k.type = NULL;
    k.lost = WIRING_NOWHERE;
    c->connections[c->connection_count++] = k;
}

/* A connection between the manager and its pool: its end here is a call to or from the one part. */
static void pool_connection_move(struct cutter *c, unsigned k)
{
    const struct wiring_connection *old = &c->w->connections[k];
    struct pool_end_settings *s = c->end;
    bool leads_there = c->w->components[old->to].place == c->pool;
    unsigned slot = leads_there ? s->there_count++ : s->back_count++;
    struct pool_cut cut = {.cut = (uint16_t)k, .type = old->type};
    *(leads_there ? &s->there[slot] : &s->back[slot]) = cut;
    if (c->at[old->from] != WIRING_NOWHERE)
        call_add(c, old, c->at[old->from], old->outlet, c->end_at, slot);
    else
        call_add(c, old, c->end_at, slot, c->at[old->to], old->inlet);
    if (leads_there && c->here != c->pool)
        call_add(c, old, c->end_at, POOL_LOST_OUTLETS + slot, c->at[old->lost], old->lost_inlet);
}

static void connection_move(struct cutter *c, unsigned k)
{
    if (c->has_pool && c->w->connections[k].type) {
        pool_connection_move(c, k);
        return;
    }
    struct wiring_connection connection = c->w->connections[k];
    unsigned from = c->at[connection.from], to = c->at[connection.to];
    if (from == WIRING_NOWHERE && to == WIRING_NOWHERE)
        return;
    if (from == WIRING_NOWHERE) {
        from = end_add(c, k, connection.from, &part_remote_in);
        connection.outlet = 0;
    } else if (to == WIRING_NOWHERE) {
        to = end_add(c, k, connection.to, &part_remote_out);
        connection.inlet = 0;
    }
    if (connection.type) { /* the connection to this end is a call; the link is the queue */
        connection.queue_length = 0;
        connection.spills = false;
        connection.type = NULL;
    }
    connection.from = from;
    connection.to = to;
    c->connections[c->connection_count++] = connection;
}

enum rc wiring_cut(struct wiring *w, struct str place, const struct place_login *login,
                   struct buf *why)
{
    struct cutter c = {.w = w, .here = place_find(w, place), .login = login};
    c.has_pool = wiring_has_pool(w, &c.pool);
    if (c.here == WIRING_NOWHERE) {
        struct nearest near = {.wanted = place};
        for (unsigned i = 0; i < w->place_count; i++)
            nearest_try(&near, w->places[i].name);
        buf_printf(why, "the wiring has no place \"" STR_FMT "\"", STR_ARG(place));
        nearest_print(&near, why);
        for (unsigned i = 0; !near.name.p && i < w->place_count; i++)
            buf_printf(why, "%s%s", i ? ", " : "; expected one of: ", w->places[i].name.p);
        return RC_NOT_FOUND;
    }
    for (unsigned i = 0; i < w->provider_count; i++)
        if (strcmp(w->providers[i].part->provides, "clock") == 0 &&
            strcmp(w->providers[i].part->name, "real") != 0) {
            buf_add(why, STR("a simulated clock cannot run at several places"));
            return RC_INVALID;
        }
    components_choose(&c);
    providers_choose(&c);
    for (unsigned i = 0; i < c.provider_count && c.rc == RC_OK; i++)
        needs_move(&c, &c.providers[i]);
    for (unsigned i = 0; i < c.component_count && c.rc == RC_OK; i++)
        needs_move(&c, &c.components[i]);
    if (c.rc == RC_OK && c.has_pool)
        pool_end_add(&c);
    else if (c.rc == RC_OK)
        remote_provider_add(&c, login->secret);
    c.connections = room(&c, 2 * w->connection_count * sizeof *c.connections);
    for (unsigned k = 0; k < w->connection_count && c.rc == RC_OK; k++)
        connection_move(&c, k);
    if (c.rc)
        return c.rc;
    w->components = c.components;
    w->component_count = c.component_count;
    w->providers = c.providers;
    w->provider_count = c.provider_count;
    w->connections = c.connections;
    w->connection_count = c.connection_count;
    if (!c.has_pool)
        w->shards = 1;
    return RC_OK;
}
