/* SPDX-License-Identifier: Apache-2.0 */
#include "flow/wiring.h"

/* Texts of the file may hold anything; no control reaches the terminal. */
static void hide_controls(struct buf *out, size_t from)
{
    for (size_t i = from; i < out->n; i++)
        if ((unsigned char)out->p[i] < 32 || out->p[i] == 127)
            out->p[i] = '?';
}

static void print_place(const struct wiring *w, const struct wiring_part *p, struct buf *out)
{
    if (w->place_count > 1 && p->part->kind == PART_COMPONENT)
        buf_printf(out, ", at %s", w->places[p->place].name.p);
    if (w->shards == 1)
        return;
    if (p->shard < 0)
        buf_add(out, STR(", on each shard"));
    else if (p->part->kind == PART_PROVIDER)
        buf_add(out, STR(", one for all shards"));
    else
        buf_printf(out, ", on shard %d", p->shard);
}

static void print_options(const struct wiring_part *p, struct buf *out)
{
    for (const struct option *o = p->part->options; o && o->key; o++) {
        size_t before = out->n;
        buf_printf(out, "      %s: ", o->key);
        size_t value_at = out->n;
        option_print(o, p->settings, out);
        hide_controls(out, value_at);
        if (out->n == value_at)
            out->n = before; /* not set: nothing to say */
        else
            buf_byte(out, '\n');
    }
}

static const struct wiring_connection *behind(const struct wiring *w, unsigned component,
                                              unsigned outlet)
{
    for (unsigned i = 0; i < w->connection_count; i++)
        if (w->connections[i].from == component && w->connections[i].outlet == outlet)
            return &w->connections[i];
    return NULL;
}

static void print_kind(const struct wiring *w, const struct wiring_connection *c, struct buf *out)
{
    if (!c->queue_length) {
        buf_add(out, STR("call"));
        return;
    }
    buf_printf(out, "queue %zu", c->queue_length);
    if (w->shards > 1 && w->components[c->to].shard >= 0)
        buf_printf(out, ", to shard %d", w->components[c->to].shard);
    else if (w->shards > 1)
        buf_printf(out, ", %s", c->route == ROUTE_HASH ? "by hash" : "same shard");
    if (c->spills)
        buf_add(out, STR(", spills"));
}

static void print_outlets(const struct wiring *w, unsigned at, struct buf *out)
{
    const struct wiring_part *p = &w->components[at];
    for (unsigned o = 0; o < part_port_count(p->part->outlets); o++) {
        const struct wiring_connection *c = behind(w, at, o);
        buf_printf(out, "    .%s ", p->part->outlets[o].name);
        if (!c) {
            buf_add(out, STR("(not connected: messages end)\n"));
            continue;
        }
        buf_add(out, c->queue_length ? STR("==[") : STR("--["));
        print_kind(w, c, out);
        if (c->type)
            buf_add(out, STR(", to another place"));
        buf_add(out, c->queue_length ? STR("]==> ") : STR("]--> "));
        buf_printf(out, "%s.%s\n", w->components[c->to].name.p,
                   w->components[c->to].part->inlets[c->inlet].name);
    }
}

static void print_head(const struct wiring *w, const struct wiring_part *p, struct buf *out)
{
    buf_printf(out, "  %s", p->name.p);
    if (!str_eq(p->name, str_c(p->part->name)))
        buf_printf(out, " (%s)", p->part->name);
    print_place(w, p, out);
    if (p->part->produce)
        buf_printf(out, ", source with %u credits", p->credits);
    buf_byte(out, '\n');
    print_options(p, out);
}

void wiring_print(const struct wiring *w, struct buf *out)
{
    size_t name_at = out->n;
    buf_add(out, w->name);
    hide_controls(out, name_at);
    buf_printf(out, ": %u shard%s, each a thread\n", w->shards, w->shards == 1 ? "" : "s");
    if (w->provider_count)
        buf_add(out, STR("\nproviders\n"));
    for (unsigned i = 0; i < w->provider_count; i++)
        print_head(w, &w->providers[i], out);
    buf_add(out, STR("\ncomponents\n"));
    for (unsigned i = 0; i < w->component_count; i++) {
        print_head(w, &w->components[i], out);
        print_outlets(w, i, out);
    }
}

/* What two places must agree on: neither shards, which depend on the machine, nor options. */
void wiring_print_graph(const struct wiring *w, struct buf *out)
{
    for (unsigned i = 0; i < w->place_count; i++)
        buf_printf(out, "%s\n", w->places[i].name.p);
    for (unsigned i = 0; i < w->component_count; i++)
        buf_printf(out, "%s %s %u\n", w->components[i].name.p, w->components[i].part->name,
                   w->components[i].place);
    for (unsigned i = 0; i < w->connection_count; i++) {
        const struct wiring_connection *c = &w->connections[i];
        buf_printf(out, "%u.%u %u.%u\n", c->from, c->outlet, c->to, c->inlet);
    }
}

/* Names are letters, digits, - and _, so they need no quoting beyond the quotes. */
void wiring_print_dot(const struct wiring *w, struct buf *out)
{
    buf_add(out, STR("digraph wiring {\n  rankdir=TB;\n  node [shape=box];\n"));
    for (unsigned i = 0; i < w->component_count; i++) {
        const struct wiring_part *p = &w->components[i];
        buf_printf(out, "  \"%s\" [label=\"%s\\n%s\"%s];\n", p->name.p, p->name.p, p->part->help,
                   p->part->produce ? ", style=bold" : "");
        for (const struct part_need *n = p->part->needs; n && n->role; n++)
            buf_printf(out, "  \"provider %s\" -> \"%s\" [style=dotted, arrowhead=none];\n",
                       n->role, p->name.p);
    }
    for (unsigned i = 0; i < w->provider_count; i++)
        buf_printf(out, "  \"provider %s\" [label=\"%s\\n%s\", shape=ellipse];\n",
                   w->providers[i].name.p, w->providers[i].name.p, w->providers[i].part->name);
    for (unsigned i = 0; i < w->connection_count; i++) {
        const struct wiring_connection *c = &w->connections[i];
        buf_printf(out, "  \"%s\" -> \"%s\" [label=\"%s", w->components[c->from].name.p,
                   w->components[c->to].name.p,
                   w->components[c->from].part->outlets[c->outlet].name);
        if (c->queue_length) {
            buf_add(out, STR("\\n"));
            print_kind(w, c, out);
        }
        buf_printf(out, "\"%s];\n", c->queue_length ? ", style=dashed" : "");
    }
    buf_add(out, STR("}\n"));
}
