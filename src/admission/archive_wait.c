/* SPDX-License-Identifier: Apache-2.0 */
#include "admission/archive_wait.h"

#include "base/mem.h"

/* A message that waits; it owns the links. */
struct archive_wait_links {
    struct archive_wait_links *next;
    struct links *links;
    unsigned tries;
};

static void put(struct archive_wait *w, struct archive_wait_links *one)
{
    one->next = w->first;
    w->first = one;
}

enum rc archive_wait_add(struct archive_wait *w, struct links *l)
{
    struct archive_wait_links *one = mem_alloc(sizeof *one);
    if (!one)
        return RC_NOMEM;
    *one = (struct archive_wait_links){.links = l};
    put(w, one);
    return RC_OK;
}

/* Keeps the pages that are not there yet, and says whether there are any. */
static bool try_one(struct archive_wait_links *one, const struct archive_wait_asks *asks)
{
    struct links *l = one->links;
    size_t left = 0;
    one->tries++;
    for (size_t i = 0; i < l->count; i++) {
        struct candidate page = l->list[i];
        if (asks->look(asks->ctx, l, &page))
            continue;
        if (one->tries < ARCHIVE_WAIT_TRIES)
            l->list[left++] = page;
        else
            asks->give_up(asks->ctx);
    }
    l->count = left;
    return left > 0;
}

static void end(struct archive_wait_links *one, const struct archive_wait_asks *asks)
{
    asks->ended(asks->ctx, one->links);
    mem_free(one);
}

void archive_wait_try(struct archive_wait *w, const struct archive_wait_asks *asks)
{
    struct archive_wait_links *one = w->first, *next;
    for (w->first = NULL; one; one = next) {
        next = one->next;
        if (try_one(one, asks))
            put(w, one);
        else
            end(one, asks);
    }
}

void archive_wait_clear(struct archive_wait *w, const struct archive_wait_asks *asks)
{
    struct archive_wait_links *one = w->first, *next;
    for (w->first = NULL; one; one = next) {
        next = one->next;
        end(one, asks);
    }
}
