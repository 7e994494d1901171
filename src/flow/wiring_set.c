/* SPDX-License-Identifier: Apache-2.0 */
#include "flow/wiring.h"

static struct wiring_part *find_named(struct wiring_part *list, unsigned count, struct str name,
                                      struct nearest *near)
{
    for (unsigned i = 0; i < count; i++) {
        if (str_eq(list[i].name, name))
            return &list[i];
        nearest_try(near, list[i].name);
    }
    return NULL;
}

/* A component that the wiring calls as its part is called, now or before it was renamed, answers to
 * both names. */
static struct wiring_part *find_renamed(struct wiring_part *list, unsigned count, struct str name)
{
    for (unsigned i = 0; i < count; i++)
        if (part_is_called(list[i].part, list[i].name) && part_is_called(list[i].part, name))
            return &list[i];
    return NULL;
}

struct wiring_part *wiring_find(const struct wiring *w, struct str name, struct nearest *near)
{
    struct wiring_part *p = find_named(w->components, w->component_count, name, near);
    p = p ? p : find_named(w->providers, w->provider_count, name, near);
    return p ? p : find_renamed(w->components, w->component_count, name);
}

static enum rc unknown(struct buf *why, const char *what, const struct nearest *near)
{
    buf_printf(why, "no %s \"" STR_FMT "\"", what, STR_ARG(near->wanted));
    nearest_print(near, why);
    return RC_NOT_FOUND;
}

static const struct option *option_of(const struct wiring_part *p, struct str key)
{
    return p->part->options ? option_find(p->part->options, key) : NULL;
}

/* A provider that has an option of that name, where the part that was named has none. */
static const struct wiring_part *find_with_option(const struct wiring *w, struct str key)
{
    for (unsigned i = 0; i < w->provider_count; i++)
        if (option_of(&w->providers[i], key))
            return &w->providers[i];
    return NULL;
}

static enum rc unknown_option(const struct wiring *w, const struct wiring_part *p, struct str key,
                              struct buf *why)
{
    const struct wiring_part *other = find_with_option(w, key);
    if (other) {
        buf_printf(why, STR_FMT " has no option \"" STR_FMT "\"; write " STR_FMT "." STR_FMT,
                   STR_ARG(p->name), STR_ARG(key), STR_ARG(other->name), STR_ARG(key));
        return RC_NOT_FOUND;
    }
    struct nearest near = {.wanted = key};
    for (const struct option *row = p->part->options; row && row->key; row++)
        nearest_try(&near, str_c(row->key));
    return unknown(why, "option", &near);
}

static struct pool_options *find_pool(const struct wiring *w, struct str name)
{
    for (unsigned i = 0; i < w->place_count; i++)
        if (w->places[i].pool && str_eq(w->places[i].name, name))
            return w->places[i].pool;
    return NULL;
}

static enum rc set_pool(struct wiring *w, struct pool_options *pool, struct str key,
                        struct str value, struct buf *why)
{
    const struct option *o = option_find(pool_options, key);
    if (o)
        return option_set(o, pool, w->arena, value, why);
    struct nearest near = {.wanted = key};
    for (const struct option *row = pool_options; row->key; row++)
        nearest_try(&near, str_c(row->key));
    return unknown(why, "option", &near);
}

enum rc wiring_set(struct wiring *w, struct str assignment, struct buf *why)
{
    struct str value = assignment;
    struct str key = str_take_until(&value, '=');
    struct str name = str_take_until(&key, '.');
    if (!value.p || !key.p) {
        buf_printf(why, "\"" STR_FMT "\": expected PART.KEY=VALUE", STR_ARG(assignment));
        return RC_INVALID;
    }
    struct nearest near = {.wanted = name};
    struct pool_options *pool = find_pool(w, name);
    if (pool)
        return set_pool(w, pool, key, str_trim(value), why);
    struct wiring_part *p = wiring_find(w, name, &near);
    if (!p)
        return unknown(why, "part", &near);
    const struct option *o = option_of(p, key);
    if (!o)
        return unknown_option(w, p, key, why);
    return option_set(o, p->settings, w->arena, str_trim(value), why);
}
