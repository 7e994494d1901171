/* SPDX-License-Identifier: Apache-2.0 */
#include "flow/catalog.h"

#include "base/mem.h"

bool part_is_called(const struct part *part, struct str name)
{
    return str_eq(str_c(part->name), name) ||
           (part->former_name && str_eq(str_c(part->former_name), name));
}

const struct part *catalog_component(const struct catalog *c, struct str name, struct nearest *near)
{
    for (const struct part *const *p = c->parts; *p; p++) {
        if ((*p)->kind != PART_COMPONENT)
            continue;
        if (part_is_called(*p, name))
            return *p;
        if (near)
            nearest_try(near, str_c((*p)->name));
    }
    return NULL;
}

const struct part *catalog_provider(const struct catalog *c, struct str interface, struct str name,
                                    struct nearest *near)
{
    for (const struct part *const *p = c->parts; *p; p++) {
        if ((*p)->kind != PART_PROVIDER || !str_eq(str_c((*p)->provides), interface))
            continue;
        if (str_eq(str_c((*p)->name), name))
            return *p;
        if (near)
            nearest_try(near, str_c((*p)->name));
    }
    return NULL;
}

bool part_key_is_taken(struct str key)
{
    return str_eq(key, STR("part")) || str_eq(key, STR("shard")) || str_eq(key, STR("credits")) ||
           str_eq(key, STR("at"));
}

static enum rc refuse(struct buf *why, const char *what, const char *name)
{
    buf_printf(why, "its table %s%s%s%s", what, name ? " \"" : "", name ? name : "",
               name ? "\"" : "");
    return RC_INVALID;
}

static enum rc ports_validate(const struct part_port *ports, struct buf *why)
{
    for (const struct part_port *p = ports; p && p->name; p++) {
        if (!p->type)
            return refuse(why, "names no message type for", p->name);
        if (str_find(str_c(p->name), '.') < strlen(p->name) || strstr(p->name, "->"))
            return refuse(why, "has a port whose name cannot be written:", p->name);
    }
    return RC_OK;
}

static enum rc option_validate(const struct part *part, const struct option *o, struct buf *why)
{
    if (part_key_is_taken(str_c(o->key)))
        return refuse(why, "has an option with a key that every component has:", o->key);
    if (option_find(part->options, str_c(o->key)) != o)
        return refuse(why, "has two options", o->key);
    if (!o->help)
        return refuse(why, "has no help for option", o->key);
    size_t bytes = option_bytes(o);
    if (!bytes || (o->type == OPTION_CHOICE && !o->choices))
        return refuse(why, "has no type or no choices for option", o->key);
    if (bytes > part->settings_bytes || o->offset > part->settings_bytes - bytes)
        return refuse(why, "has settings_bytes that end before option", o->key);
    return RC_OK;
}

static enum rc options_validate(const struct part *part, struct buf *why)
{
    if (part->options && part->options->key && !part->settings_bytes)
        return refuse(why, "has options and no settings_bytes", NULL);
    for (const struct option *o = part->options; o && o->key; o++) {
        enum rc bad = option_validate(part, o, why);
        if (bad)
            return bad;
    }
    struct arena *arena = arena_open(1024, 1 << 20);
    void *settings = arena ? arena_zero(arena, part->settings_bytes) : NULL;
    enum rc rc = settings ? options_default(part->options, settings, arena) : RC_NOMEM;
    arena_close(arena);
    return rc == RC_INVALID ? refuse(why, "has a default that cannot be read", NULL) : rc;
}

/* A source with fewer credits than one message costs would never be asked. */
static bool can_pay(const struct part *part)
{
    uint32_t credits = part->credits_default ? part->credits_default : PART_CREDITS;
    return !part->produce || part->credits_each <= credits;
}

enum rc part_validate(const struct part *part, struct buf *why)
{
    bool is_component = part->kind == PART_COMPONENT;
    if (!is_component && part->kind != PART_PROVIDER)
        return refuse(why, "is of no kind", NULL);
    if (!part->name || !*part->name || !part->help)
        return refuse(why, "has no name or no help", NULL);
    if (is_component && part->inlets && part->inlets->name && !part->handle)
        return refuse(why, "has inlets and no handle function", NULL);
    if (is_component && !(part->inlets && part->inlets->name) && !part->produce)
        return refuse(why, "has neither inlets nor a produce function", NULL);
    if (!is_component && (!part->provides || !part->provide))
        return refuse(why, "provides nothing", NULL);
    if (!is_component && part->where == PART_ON_ONE_SHARD &&
        (part->start || part->drain || part->stop))
        return refuse(why, "has start, drain or stop, and no thread to call them on", NULL);
    if (!can_pay(part))
        return refuse(why, "has credits_default below credits_each", NULL);
    for (const struct part_need *n = part->needs; n && n->role; n++)
        if (!n->interface)
            return refuse(why, "names no interface for", n->role);
    enum rc rc = ports_validate(part->inlets, why);
    if (rc == RC_OK)
        rc = ports_validate(part->outlets, why);
    return rc == RC_OK ? options_validate(part, why) : rc;
}
