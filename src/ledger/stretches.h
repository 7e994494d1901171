/* SPDX-License-Identifier: Apache-2.0 */
/* stretches: parts of the journal that have not happened, [from, to) each; a handful. */
#ifndef LEDGER_STRETCHES_H
#define LEDGER_STRETCHES_H

#include "base/mem.h"
#include "base/rc.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stretch {
    uint64_t from, to;
};

struct stretches {
    struct stretch *list;
    size_t count, room;
};

static inline void stretches_done(struct stretches *s)
{
    mem_free(s->list);
    *s = (struct stretches){0};
}

MUST_CHECK static inline enum rc stretches_add(struct stretches *s, uint64_t from, uint64_t to)
{
    struct stretch *list = mem_grow(s->list, s->count, &s->room, sizeof *list);
    if (!list)
        return RC_NOMEM;
    s->list = list;
    s->list[s->count++] = (struct stretch){from, to};
    return RC_OK;
}

static inline bool stretches_have(const struct stretches *s, uint64_t position)
{
    for (size_t i = 0; i < s->count; i++)
        if (position >= s->list[i].from && position < s->list[i].to)
            return true;
    return false;
}

#endif
