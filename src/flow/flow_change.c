/* SPDX-License-Identifier: Apache-2.0 */
/* Changing an option while the flow runs. The caller's thread makes new settings, one copy for each
 * instance, before anything is changed; each copy travels to its shard as a task and replaces the
 * old one there, so the part reads its settings without a lock. */
#include "flow/flow_internal.h"

#include "base/mem.h"

enum { SETTINGS_BLOCK = 256, SETTINGS_MAX_BYTES = 1 << 20 };

struct change {
    struct loop_task task;
    struct change *next; /* in flow->changes */
    struct node *node;
    struct settings settings;
};

enum rc settings_copy(const struct part *part, const void *from, struct settings *ret)
{
    if (!part->settings_bytes)
        return RC_OK;
    struct settings s = {.arena = arena_open(SETTINGS_BLOCK, SETTINGS_MAX_BYTES)};
    s.values = s.arena ? arena_zero(s.arena, part->settings_bytes) : NULL;
    enum rc rc = s.values
                     ? options_copy(part->options, part->settings_bytes, from, s.values, s.arena)
                     : RC_NOMEM;
    if (rc)
        arena_close(s.arena);
    else
        *ret = s;
    return rc;
}

static void change_free(struct change *c)
{
    arena_close(c->settings.arena);
    mem_free(c);
}

static void change_unlink(struct flow *f, struct change *c)
{
    pthread_mutex_lock(&f->lock);
    struct change **at = &f->changes;
    while (*at != c)
        at = &(*at)->next;
    *at = c->next;
    pthread_mutex_unlock(&f->lock);
}

/* On the instance's own thread. The old settings are freed with the change. */
static void change_apply(struct loop_task *p)
{
    struct change *c = EVENT_OF(p, struct change, task);
    struct node *n = c->node;
    change_unlink(n->flow, c);
    const void *old = n->self.settings;
    struct arena *old_arena = n->arena;
    n->self.settings = c->settings.values;
    n->arena = c->settings.arena;
    c->settings.arena = old_arena;
    if (n->part->changed)
        n->part->changed(&n->self, old);
    change_free(c);
}

void flow_changes_drop(struct flow *f)
{
    while (f->changes) {
        struct change *c = f->changes;
        f->changes = c->next;
        change_free(c);
    }
    unsigned parts = f->wiring->provider_count + f->wiring->component_count;
    for (unsigned i = 0; f->newest && i < parts; i++)
        arena_close(f->newest[i].arena);
}

/* A change for each instance of the part, or none at all. */
static enum rc changes_make(struct flow *f, const struct wiring_part *w, const void *values,
                            struct change **ret)
{
    for (unsigned i = 0; i < f->node_count; i++) {
        if (node_wiring(f, f->nodes[i]) != w)
            continue;
        struct change *c = mem_zero(1, sizeof *c);
        enum rc rc = c ? settings_copy(w->part, values, &c->settings) : RC_NOMEM;
        if (rc) {
            mem_free(c);
            return rc;
        }
        c->task.run = change_apply;
        c->node = f->nodes[i];
        c->next = *ret;
        *ret = c;
    }
    return RC_OK;
}

static void changes_send(struct flow *f, struct change *list)
{
    while (list) {
        struct change *c = list;
        list = c->next;
        c->next = f->changes;
        f->changes = c;
        loop_add_task(&c->node->shard->loop, &c->task);
    }
}

static enum rc change_locked(struct flow *f, const struct wiring_part *w, const struct option *o,
                             struct str value, struct buf *why)
{
    if (f->ended) {
        buf_add(why, STR("the flow has ended"));
        return RC_CLOSED;
    }
    bool is_provider = w->part->kind == PART_PROVIDER;
    size_t at = is_provider ? (size_t)(w - f->wiring->providers)
                            : f->wiring->provider_count + (size_t)(w - f->wiring->components);
    const void *now = f->newest[at].arena ? f->newest[at].values : w->settings;
    struct settings fresh = {0};
    enum rc rc = settings_copy(w->part, now, &fresh);
    if (rc)
        return rc;
    option_list_clear(o, fresh.values);
    if (o->type != OPTION_LIST || value.n) /* nothing at all empties a list */
        rc = option_set(o, fresh.values, fresh.arena, value, why);
    struct change *list = NULL;
    if (rc == RC_OK)
        rc = changes_make(f, w, fresh.values, &list);
    if (rc) {
        while (list) {
            struct change *c = list;
            list = c->next;
            change_free(c);
        }
        arena_close(fresh.arena);
        return rc;
    }
    arena_close(f->newest[at].arena);
    f->newest[at] = fresh;
    changes_send(f, list);
    return RC_OK;
}

enum rc flow_change(struct flow *f, struct str component, struct str key, struct str value,
                    struct buf *why)
{
    struct nearest near = {.wanted = component};
    const struct wiring_part *w = wiring_find(f->wiring, component, &near);
    const struct option *o = w ? option_find(w->part->options, key) : NULL;
    if (!w) {
        buf_printf(why, "no component or provider is named \"" STR_FMT "\"", STR_ARG(component));
        nearest_print(&near, why);
        return RC_NOT_FOUND;
    }
    if (!o) {
        const char *like = option_suggest(w->part->options, key);
        buf_printf(why, STR_FMT " has no option \"" STR_FMT "\"", STR_ARG(component), STR_ARG(key));
        if (like)
            buf_printf(why, "; did you mean \"%s\"?", like);
        return RC_NOT_FOUND;
    }
    if (!o->live) {
        buf_printf(why, STR_FMT ".%s cannot be changed while running", STR_ARG(component), o->key);
        return RC_UNSUPPORTED;
    }
    pthread_mutex_lock(&f->lock);
    enum rc rc = change_locked(f, w, o, value, why);
    pthread_mutex_unlock(&f->lock);
    return rc;
}
