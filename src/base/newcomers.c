/* SPDX-License-Identifier: Apache-2.0 */
#include "base/newcomers.h"

#include <assert.h>
#include <stddef.h>

void newcomers_init(struct newcomers *n, unsigned most, unsigned most_each)
{
    assert(most <= NEWCOMERS_MAX);
    *n = (struct newcomers){.most = most, .most_each = most_each};
}

static bool may_go(const struct newcomer *c)
{
    return c->number && !c->stays;
}

static unsigned count_of(const struct newcomers *n, uint64_t source)
{
    unsigned count = 0;
    for (unsigned i = 0; i < n->most; i++)
        count += may_go(&n->rows[i]) && n->rows[i].source == source;
    return count;
}

static bool is_full(const struct newcomers *n)
{
    unsigned taken = 0;
    for (unsigned i = 0; i < n->most; i++)
        taken += n->rows[i].number != 0;
    return taken == n->most;
}

/* The oldest among the sources that have at least `least`. */
static const struct newcomer *oldest(const struct newcomers *n, unsigned least)
{
    const struct newcomer *best = NULL;
    for (unsigned i = 0; i < n->most; i++) {
        const struct newcomer *c = &n->rows[i];
        if (may_go(c) && count_of(n, c->source) >= least && (!best || c->turn < best->turn))
            best = c;
    }
    return best;
}

static unsigned largest_count(const struct newcomers *n)
{
    unsigned largest = 0;
    for (unsigned i = 0; i < n->most; i++) {
        unsigned count = n->rows[i].number ? count_of(n, n->rows[i].source) : 0;
        largest = count > largest ? count : largest;
    }
    return largest;
}

static const struct newcomer *oldest_of(const struct newcomers *n, uint64_t source)
{
    const struct newcomer *best = NULL;
    for (unsigned i = 0; i < n->most; i++) {
        const struct newcomer *c = &n->rows[i];
        if (may_go(c) && c->source == source && (!best || c->turn < best->turn))
            best = c;
    }
    return best;
}

uint64_t newcomers_to_drop(const struct newcomers *n, uint64_t source)
{
    const struct newcomer *one = NULL;
    if (count_of(n, source) >= n->most_each)
        one = oldest_of(n, source);
    else if (is_full(n))
        one = oldest(n, largest_count(n));
    return one ? one->number : 0;
}

uint64_t newcomers_enter(struct newcomers *n, uint64_t source)
{
    for (unsigned i = 0; i < n->most; i++) {
        if (n->rows[i].number)
            continue;
        n->last++;
        n->rows[i] = (struct newcomer){.number = n->last, .source = source, .turn = n->last};
        return n->last;
    }
    return 0;
}

static struct newcomer *find_newcomer(struct newcomers *n, uint64_t number)
{
    for (unsigned i = 0; i < n->most && number; i++)
        if (n->rows[i].number == number)
            return &n->rows[i];
    return NULL;
}

bool newcomers_leave(struct newcomers *n, uint64_t number)
{
    struct newcomer *c = find_newcomer(n, number);
    if (c)
        *c = (struct newcomer){0};
    return c;
}

void newcomers_renew(struct newcomers *n, uint64_t number, bool stays)
{
    struct newcomer *c = find_newcomer(n, number);
    if (!c)
        return;
    c->turn = ++n->last;
    c->stays = stays;
}
