/* SPDX-License-Identifier: Apache-2.0 */
#include "visit/url_list.h"

#include "base/mem.h"

enum {
    ARENA_BLOCK_BYTES = 64 << 10,
    ARENA_MAX_BYTES = 256 << 20, /* of URL_LIST_MAX links, each a URL */
    FIRST_ITEMS = 64,
};

static void tell(struct url_list_waiter *w, bool is_safe)
{
    if (w->ended)
        w->ended(w->ctx, is_safe);
}

static void url_list_release(struct message *m)
{
    struct url_list *l = url_list_of(m);
    if (l->may_end)
        tell(&l->work, l->is_safe);
    tell(&l->request, l->is_safe);
    arena_close(l->arena);
    mem_free(l);
}

/* disposition journals what it brought. */
static bool url_list_may_end(const struct message *m)
{
    return ((const struct url_list *)(const void *)m)->may_end;
}

const struct message_type url_list_type = {
    .name = URL_LIST_TYPE, .release = url_list_release, .may_end = url_list_may_end};

struct url_list *url_list_open(enum url_list_origin origin)
{
    struct url_list *l = mem_zero(1, sizeof *l);
    if (!l)
        return NULL;
    l->arena = arena_open(ARENA_BLOCK_BYTES, ARENA_MAX_BYTES);
    if (!l->arena) {
        mem_free(l);
        return NULL;
    }
    l->origin = origin;
    message_init(&l->head, &url_list_type);
    return l;
}

/* Room doubles; the arena keeps the outgrown lists until the end. */
static bool make_room(struct url_list *l)
{
    size_t n = l->count;
    bool is_full = n == 0 || (n >= FIRST_ITEMS && (n & (n - 1)) == 0);
    if (!is_full)
        return true;
    size_t room = n ? 2 * n : FIRST_ITEMS;
    struct url_list_item *items = arena_alloc(l->arena, room * sizeof *items);
    if (!items)
        return false;
    if (n)
        memcpy(items, l->items, n * sizeof *items);
    l->items = items;
    return true;
}

bool url_list_add(struct url_list *l, const struct url_list_item *item)
{
    if (l->count == URL_LIST_MAX || !make_room(l))
        return false;
    l->items[l->count++] = *item;
    return true;
}
