/* SPDX-License-Identifier: Apache-2.0 */
/* assign/ring, rendezvous, address, modulo: which agent owns a host, behind one interface, a
 * struct assign (assign/assign.h). They differ in nothing but the kind of that name, so they share
 * a file. Once open they do not change: all shards ask the same one. domain-table remembers, and
 * comes with the server that keeps it. */
#include "assign/assign.h"

#include "base/mem.h"
#include "flow/part.h"

struct assign_settings {
    struct option_list agents;
    uint64_t points;
};

static const struct option assign_options_table[] = {
    OPTION_LIST_ROW(struct assign_settings, agents, "agents", NULL,
                    "the agents, as name or name*capacity", .required = true),
    OPTION_COUNT_ROW(struct assign_settings, points, "points", NULL,
                     "points of an ordinary agent on the ring; unset: as assign/assign.h says",
                     .max = 100000),
    {0},
};

static enum rc read_agent(struct str text, struct assign_agent *ret, struct buf *why)
{
    struct str rest = text;
    *ret = (struct assign_agent){.name = str_take_until(&rest, '*'), .weight = ASSIGN_WEIGHT_ONE};
    uint64_t capacity = 1;
    if (rest.p &&
        (str_to_u64(rest, &capacity) || capacity > ASSIGN_MAX_WEIGHT / ASSIGN_WEIGHT_ONE)) {
        buf_printf(why, "agents: \"" STR_FMT "\": expected name or name*capacity, at most %d",
                   STR_ARG(text), ASSIGN_MAX_WEIGHT / ASSIGN_WEIGHT_ONE);
        return RC_INVALID;
    }
    ret->weight = (uint32_t)(capacity * ASSIGN_WEIGHT_ONE);
    return RC_OK;
}

static enum rc open_list(const char *kind, const struct assign_settings *s,
                         struct assign_agent *agents, struct assign **ret, struct buf *why)
{
    for (size_t i = 0; i < s->agents.count; i++) {
        enum rc rc = read_agent(s->agents.items[i], &agents[i], why);
        if (rc)
            return rc;
    }
    const struct assign_options options = {.points = (uint32_t)s->points};
    struct assign_conflict conflict = {0};
    enum rc rc = assign_open(assign_kind_find(str_c(kind)), &options, agents,
                             (uint32_t)s->agents.count, 0, &conflict, ret);
    if (rc == RC_EXISTS)
        buf_printf(why, "agents: " STR_FMT " and " STR_FMT " meet at one point",
                   STR_ARG(conflict.first), STR_ARG(conflict.second));
    else if (rc)
        buf_printf(why, "agents: %s", rc_text(rc));
    return rc;
}

static enum rc open_kind(struct instance *self, const char *kind, struct buf *why)
{
    const struct assign_settings *s = self->settings;
    if (s->agents.count > ASSIGN_MAX_AGENTS) {
        buf_add(why, STR("agents: too many"));
        return RC_LIMIT;
    }
    struct assign_agent *agents = mem_zero(s->agents.count, sizeof *agents);
    struct assign *assign = NULL;
    enum rc rc = agents ? open_list(kind, s, agents, &assign, why) : RC_NOMEM;
    mem_free(agents);
    self->state = assign;
    return rc;
}

static enum rc ring_open(struct instance *self, struct buf *why)
{
    return open_kind(self, "ring", why);
}

static enum rc rendezvous_open(struct instance *self, struct buf *why)
{
    return open_kind(self, "rendezvous", why);
}

static enum rc address_open(struct instance *self, struct buf *why)
{
    return open_kind(self, "address", why);
}

static enum rc modulo_open(struct instance *self, struct buf *why)
{
    return open_kind(self, "modulo", why);
}

static void kind_close(struct instance *self)
{
    assign_close(self->state);
}

static void *kind_provide(struct instance *self)
{
    return self->state;
}

#define ASSIGN_PART                                                                           \
    .abi = PART_ABI, .kind = PART_PROVIDER, .where = PART_ON_ONE_SHARD, .provides = "assign", \
    .options = assign_options_table, .settings_bytes = sizeof(struct assign_settings),        \
    .close = kind_close, .provide = kind_provide

const struct part part_assign_ring = {
    ASSIGN_PART,
    .name = "ring",
    .help =
        "by host, on a circle of points: only a new agent gains hosts, only a dead one loses them",
    .open = ring_open,
};
const struct part part_assign_rendezvous = {
    ASSIGN_PART,
    .name = "rendezvous",
    .help = "by host, the agent with the highest score",
    .open = rendezvous_open,
};
const struct part part_assign_address = {
    ASSIGN_PART,
    .name = "address",
    .help = "by network address, so that neighbours share an agent",
    .open = address_open,
};
const struct part part_assign_modulo = {
    ASSIGN_PART,
    .name = "modulo",
    .help = "by the sum of the URL's bytes modulo the number of agents (M2)",
    .open = modulo_open,
};
