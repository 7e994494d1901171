/* SPDX-License-Identifier: Apache-2.0 */
#include "flow/wiring.h"

static struct wiring_part *find(struct wiring_part *list, unsigned count, struct str name,
                                struct nearest *near)
{
    for (unsigned i = 0; i < count; i++) {
        if (str_eq(list[i].name, name))
            return &list[i];
        nearest_try(near, list[i].name);
    }
    return NULL;
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
    struct wiring_part *p = find(w->components, w->component_count, name, &near);
    if (!p)
        p = find(w->providers, w->provider_count, name, &near);
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
