/* SPDX-License-Identifier: Apache-2.0 */
/* passes: reads a whole stream until it is unlikely that a message stayed unseen.
 *
 * Each message comes from any of the stream's copies, and one of them may have another order. If
 * there are copies, everything is read eight times, since any read may return another message. The
 * end, which has another number in a longer copy, is read a dozen times more. If two reads of one
 * number differed, the stream is read still more often. */
#include "cluster/protocol/passes.h"

#include "base/hash.h"

enum { USUAL = 8, MOST = 12, PROBES = 12 };

/* Whether the key is new; without memory every key is. */
static bool is_first(struct passes *p, uint64_t key)
{
    bool is_new;
    return int_set_add(&p->keys, key, &is_new) != RC_OK || is_new;
}

bool passes_see(struct passes *p, bool has_copies, uint64_t sequence, uint64_t hash)
{
    if (!has_copies)
        return true;
    bool is_new_there = is_first(p, hash64_mix(hash ^ hash64_mix(sequence)));
    p->is_split = p->is_split || ((p->pass || p->probes) && is_new_there);
    return is_first(p, hash);
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
    int_set_done(&p->keys);
    *p = (struct passes){0};
}
