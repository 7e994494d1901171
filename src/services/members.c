/* SPDX-License-Identifier: Apache-2.0 */
/* members/least, modulo, address: which member of the pool gets a visit. They differ in one function, so
 * they share a file. `least` takes the member with the fewest visits, `modulo` and `address` ask an
 * assignment (assign/assign.h) over the members that are present, made anew when these change. A member
 * that is chosen and has no room, or is silent, keeps its visits waiting: the others get theirs. */
#include "roles/members.h"

#include "assign/assign.h"
#include "base/clock.h"
#include "base/int_map.h"
#include "base/mem.h"
#include "flow/part.h"
#include "flow/pool_port.h"
#include "pool/roll.h"

enum { MOST_SUSPECTS = 65536, MOST_MEMBERS = ASSIGN_MAX_AGENTS };

struct members {
    struct members_service service; /* first */
    struct instance *self;
    const struct assign_kind *kind; /* NULL: least */
    struct assign *assign;          /* of the members at `epoch`; NULL: there are none */
    uint64_t epoch;
    struct str *names;
    unsigned name_count;
    struct int_map orphanings; /* of URLs that have no result yet: uint64_t */
};

static struct members *of(struct members_service *s)
{
    return (struct members *)(void *)s;
}

/* Open parts find the pool only once all of them are open. */
static struct pool_port *port_of(const struct members *m)
{
    return part_pool(m->self);
}

/* The members that are present ----------------------------------------------------------------------- */

static void assign_anew(struct members *m)
{
    struct assign_agent *agents = mem_zero(m->name_count + 1, sizeof *agents);
    assign_close(m->assign);
    m->assign = NULL;
    for (unsigned i = 0; agents && i < m->name_count; i++)
        agents[i] = (struct assign_agent){.name = m->names[i], .weight = ASSIGN_WEIGHT_ONE};
    /* Without memory, or when the points of two members meet, no member is chosen by it. */
    if (agents && m->kind && m->name_count &&
        assign_open(m->kind, NULL, agents, m->name_count, m->epoch, NULL, &m->assign) != RC_OK)
        m->assign = NULL;
    mem_free(agents);
}

static void look_who_is_here(struct members *m, struct pool_port *port)
{
    struct pool_roll *roll = pool_port_roll(port);
    uint64_t epoch = pool_roll_epoch(roll);
    if (epoch == m->epoch)
        return;
    m->epoch = epoch;
    unsigned count = pool_roll_names(roll, m->names, MOST_MEMBERS);
    m->name_count = count < MOST_MEMBERS ? count : MOST_MEMBERS;
    assign_anew(m);
}

/* Choosing --------------------------------------------------------------------------------------------- */

static struct assign_ip ip_of(const struct address *a)
{
    struct assign_ip ip = {0};
    if (a) {
        ip.bytes = a->is_v6 ? 16 : 4;
        memcpy(ip.at, a->bytes, ip.bytes);
    }
    return ip;
}

static uint64_t choose_assigned(const struct members *m, struct pool_port *port,
                                const struct members_key *key, bool is_suspect)
{
    struct assign_key k = {.url = key->url, .ip = ip_of(key->address)};
    uint32_t at;
    if (!m->assign || assign_owner(m->assign, &k, &at) != RC_OK)
        return 0;
    return pool_port_route(port, m->assign->agents[at].name, is_suspect);
}

static uint64_t members_choose(struct members_service *s, const struct members_key *key)
{
    struct members *m = of(s);
    struct pool_port *port = port_of(m);
    if (!port)
        return 1; /* no pool: the route means nothing */
    bool is_suspect = m->orphanings.count && int_map_get(&m->orphanings, key->fingerprint);
    if (!m->kind)
        return pool_port_route(port, STR_NONE, is_suspect);
    look_who_is_here(m, port);
    return choose_assigned(m, port, key, is_suspect);
}

static bool members_has_room(struct members_service *s)
{
    struct pool_port *port = port_of(of(s));
    return !port || pool_port_has_room(port);
}

static void members_wake_with(struct members_service *s, void (*call)(void *ctx), void *ctx)
{
    struct pool_port *port = port_of(of(s));
    if (port)
        pool_port_wait(port, (struct pool_waiter){call, ctx});
}

static uint64_t members_quiet_ms(struct members_service *s)
{
    struct pool_port *port = port_of(of(s));
    return port ? pool_port_quiet_ms(port) : 0;
}

/* Suspects --------------------------------------------------------------------------------------------- */

/* Past the limit a URL that kills members is not recognised: there would have to be as many of them. */
static unsigned members_orphaned(struct members_service *s, uint64_t fingerprint)
{
    struct members *m = of(s);
    bool is_known = int_map_get(&m->orphanings, fingerprint) != NULL;
    uint64_t *times = is_known || m->orphanings.count < MOST_SUSPECTS
                          ? int_map_need(&m->orphanings, fingerprint, NULL)
                          : NULL;
    return times ? (unsigned)++*times : 1;
}

static void members_settled(struct members_service *s, uint64_t fingerprint)
{
    struct members *m = of(s);
    if (m->orphanings.count)
        (void)int_map_remove(&m->orphanings, fingerprint);
}

/* For people --------------------------------------------------------------------------------------------- */

static void view_one(struct jsonw *j, const struct pool_member_view *v, uint64_t now_ms,
                     int64_t wall_ms)
{
    jsonw_object(j);
    jsonw_text_field(j, "name", str_c(v->name));
    jsonw_bool_field(j, "present", v->lanes > 0);
    jsonw_bool_field(j, "leaving", v->is_leaving);
    if (v->lanes)
        jsonw_u64_field(j, "number", v->number);
    const struct {
        const char *key;
        uint64_t value;
    } rows[] = {
        {"lanes", v->lanes},
        {"connected", v->up},
        {"open", v->open},
        {"window", v->window},
        {"silent_ms", v->lanes && now_ms > v->heard_ms ? now_ms - v->heard_ms : 0},
        {"since_s", (uint64_t)((wall_ms - (int64_t)v->since_ms) / 1000)},
        {"sent", v->sent},
        {"answered", v->fetched},
        {"lost", v->lost},
        {"bytes", v->bytes_in},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        jsonw_u64_field(j, rows[i].key, rows[i].value);
    jsonw_end(j);
}

/* Without a pool this process is all there is. */
static bool members_has_any(struct members_service *s)
{
    struct pool_port *port = port_of(of(s));
    return !port || pool_roll_names(pool_port_roll(port), NULL, 0) > 0;
}

static void members_view(struct members_service *s, struct jsonw *j)
{
    struct members *m = of(s);
    struct pool_port *port = port_of(m);
    struct pool_member_view *list = port ? mem_zero(MOST_MEMBERS, sizeof *list) : NULL;
    unsigned count = list ? pool_roll_view(pool_port_roll(port), list, MOST_MEMBERS) : 0;
    struct clock *clock = part_clock(m->self);
    jsonw_array(j);
    for (unsigned i = 0; i < count && i < MOST_MEMBERS; i++)
        view_one(j, &list[i], clock_now_ms(clock), (int64_t)clock_wall_ms(clock));
    jsonw_end(j);
    mem_free(list);
}

/* The parts ------------------------------------------------------------------------------------------------ */

static const struct members_ops ops = {
    .has_room = members_has_room,
    .choose = members_choose,
    .orphaned = members_orphaned,
    .settled = members_settled,
    .quiet_ms = members_quiet_ms,
    .wake_with = members_wake_with,
    .has_any = members_has_any,
    .view = members_view,
};

static void members_close(struct instance *self)
{
    struct members *m = self->state;
    assign_close(m->assign);
    int_map_done(&m->orphanings);
    mem_free(m->names);
    mem_free(m);
}

static enum rc open_kind(struct instance *self, const char *kind)
{
    struct members *m = mem_zero(1, sizeof *m);
    if (!m)
        return RC_NOMEM;
    self->state = m;
    m->service.ops = &ops;
    m->self = self;
    m->kind = kind ? assign_kind_find(str_c(kind)) : NULL;
    m->orphanings = INT_MAP(sizeof(uint64_t));
    m->names = mem_zero(MOST_MEMBERS, sizeof *m->names);
    if (m->names)
        return RC_OK;
    members_close(self);
    return RC_NOMEM;
}

static enum rc least_open(struct instance *self, struct buf *why)
{
    (void)why;
    return open_kind(self, NULL);
}

static enum rc modulo_open(struct instance *self, struct buf *why)
{
    (void)why;
    return open_kind(self, "modulo");
}

static enum rc address_open(struct instance *self, struct buf *why)
{
    (void)why;
    return open_kind(self, "address");
}

static void *members_provide(struct instance *self)
{
    return self->state;
}

#define MEMBERS_PART                                                       \
    .abi = PART_ABI, .kind = PART_PROVIDER, .provides = MEMBERS_INTERFACE, \
    .is_of_one_place = true, .close = members_close, .provide = members_provide

const struct part part_members_least = {
    MEMBERS_PART,
    .name = "least",
    .help = "each visit to the member that has the fewest",
    .open = least_open,
};
const struct part part_members_modulo = {
    MEMBERS_PART,
    .name = "modulo",
    .help = "by the sum of the URL's bytes modulo the number of members (M2)",
    .open = modulo_open,
};
const struct part part_members_address = {
    MEMBERS_PART,
    .name = "address",
    .help = "by network address, so that neighbours share a member (P3)",
    .open = address_open,
};
