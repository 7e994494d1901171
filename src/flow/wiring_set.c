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
    struct wiring_part *p = wiring_find(w, name, &near);
    if (!p)
        return unknown(why, "part", &near);
    const struct option *o = p->part->options ? option_find(p->part->options, key) : NULL;
    struct nearest near_key = {.wanted = key};
    for (const struct option *row = p->part->options; !o && row && row->key; row++)
        nearest_try(&near_key, str_c(row->key));
    if (!o)
        return unknown(why, "option", &near_key);
    return option_set(o, p->settings, w->arena, str_trim(value), why);
}
