/* SPDX-License-Identifier: Apache-2.0 */
/* passes: a whole stream, read until it is unlikely that something in it was not seen.
 *
 * Each message comes from any of the stream's copies, and one of them may have another order. Where
 * there are copies everything is read three times, and its end, which has another number in a copy
 * that differs, a dozen times more. If two readings of one number differed, so often that every
 * copy has answered for every number. */
#include "cluster/passes.h"

#include "base/mem.h"

#include <string.h>

enum { USUAL = 3, MOST = 12, PROBES = 12, FIRST_CAP = 64 };

bool passes_see(struct passes *p, uint64_t sequence, uint64_t hash)
{
    if (!p->count && !p->pass)
        p->first = sequence;
    if (sequence < p->first) {
        p->is_split = true;
        return true;
    }
    uint64_t at = sequence - p->first;
    if (at >= p->cap) {
        size_t cap = p->cap ? p->cap * 2 : FIRST_CAP;
        while (cap <= at)
            cap *= 2;
        uint64_t *more = mem_resize(p->hashes, cap * sizeof *more);
        if (!more)
            return true; /* what is seen twice is harmless */
        memset(more + p->cap, 0, (cap - p->cap) * sizeof *more);
        p->hashes = more;
        p->cap = cap;
    }
    p->count++;
    if (p->hashes[at] == hash)
        return false;
    p->is_split = p->is_split || p->pass > 0;
    p->hashes[at] = hash;
    return true;
}

bool passes_probe(struct passes *p, bool has_copies)
{
    if (!has_copies || p->is_split || p->probes == PROBES)
        return false;
    p->probes++;
    return true;
}

void passes_nothing(struct passes *p)
{
    p->is_split = p->is_split || p->probes;
}

bool passes_again(struct passes *p, bool has_copies)
{
    p->pass++;
    p->probes = 0;
    return has_copies && p->pass < (p->is_split ? MOST : USUAL);
}

void passes_done(struct passes *p)
{
    mem_free(p->hashes);
    *p = (struct passes){0};
}
