/* SPDX-License-Identifier: Apache-2.0 */
/* tally: what other agents have used of the crawl's budgets, and which addresses they ask, by their
 * heartbeats.
 *
 * For every name the last heartbeat counts, also when the agent has died or left: what it used
 * stays used. An agent that begins with less than it had has lost its disk; its earlier sums are
 * added. An agent that comes late has not heard the agents that left before. So every agent also
 * sends its sum for all agents, and no agent assumes less than it has heard. */
#include "base/hash.h"
#include "base/mem.h"
#include "cluster/protocol/agent_internal.h"

static struct tally_row *find_row(struct tally *t, const char *name)
{
    for (size_t i = 0; i < t->count; i++)
        if (strcmp(t->rows[i].name, name) == 0)
            return &t->rows[i];
    return NULL;
}

/* The names come from the roster, which bounds their number. */
static struct tally_row *add_row(struct agent *a, const char *name)
{
    struct tally *t = &a->tally;
    struct tally_row *rows = mem_grow(t->rows, t->count, &t->cap, sizeof *rows);
    if (!rows) {
        agent_fail(a, RC_NOMEM, "no memory for another agent");
        return NULL;
    }
    t->rows = rows;
    struct tally_row *r = &t->rows[t->count++];
    *r = (struct tally_row){0};
    memcpy(r->name, name, sizeof r->name);
    return r;
}

static void take_usage(struct tally_row *r, const struct heartbeat *h)
{
    if (h->inc > r->inc && h->pages < r->pages) {
        r->before_pages += r->pages;
        r->before_bytes += r->bytes;
    }
    r->inc = h->inc;
    r->pages = h->pages;
    r->bytes = h->bytes;
}

static uint64_t greater(uint64_t x, uint64_t y)
{
    return x > y ? x : y;
}

static bool is_over(const struct agent *a)
{
    for (size_t i = 0; i < a->peers.count; i++)
        if (strcmp(a->peers.list[i].name, a->name) != 0 && a->peers.list[i].is_heard &&
            a->peers.list[i].last.is_over)
            return true;
    return false;
}

static struct port_used tally_others(const struct agent *a, const struct port_used *ours)
{
    const struct tally *t = &a->tally;
    struct port_used sum = {.is_over = is_over(a)};
    for (size_t i = 0; i < t->count; i++) {
        sum.pages += t->rows[i].before_pages + t->rows[i].pages;
        sum.bytes += t->rows[i].before_bytes + t->rows[i].bytes;
    }
    sum.pages = greater(sum.pages, t->most_pages > ours->pages ? t->most_pages - ours->pages : 0);
    sum.bytes = greater(sum.bytes, t->most_bytes > ours->bytes ? t->most_bytes - ours->bytes : 0);
    return sum;
}

void tally_heard(struct agent *a, const char *name, const struct heartbeat *h,
                 const struct heartbeat_lists *l)
{
    if (!a->port->ops->used || strcmp(name, a->name) == 0)
        return;
    struct tally_row *r = find_row(&a->tally, name);
    if (!r)
        r = add_row(a, name);
    if (!r)
        return;
    take_usage(r, h);
    a->tally.most_pages = greater(a->tally.most_pages, h->all_pages);
    a->tally.most_bytes = greater(a->tally.most_bytes, h->all_bytes);
    struct port_used ours = port_used(a->port), others = tally_others(a, &ours);
    a->port->ops->others(a->port, &others);
    for (uint8_t i = 0; i < l->domain_count; i++)
        a->port->ops->heard_domain(a->port, hash64(str_c(name)), &l->domains[i]);
    a->port->ops->heard_addresses(a->port, hash64(str_c(name)), l->addresses, l->address_count);
}

void tally_say(struct agent *a, struct heartbeat *h, struct heartbeat_lists *l)
{
    if (!a->port->ops->used)
        return;
    struct port_used ours = port_used(a->port), others = tally_others(a, &ours);
    h->pages = ours.pages;
    h->bytes = ours.bytes;
    h->is_over = ours.is_over;
    h->all_pages = ours.pages + others.pages;
    h->all_bytes = ours.bytes + others.bytes;
    l->domain_count =
        (uint8_t)a->port->ops->tell_domains(a->port, l->domains, HEARTBEAT_MAX_DOMAINS);
    l->address_count =
        (uint8_t)a->port->ops->tell_addresses(a->port, l->addresses, HEARTBEAT_MAX_ADDRESSES);
}
