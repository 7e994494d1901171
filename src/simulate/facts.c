/* SPDX-License-Identifier: Apache-2.0 */
#include "simulate/facts.h"

#include "base/hash.h"
#include "base/mem.h"

struct facts {
    uint32_t mask;
    struct fact *buckets[];
};

struct facts *facts_open(uint32_t buckets)
{
    struct facts *f = mem_zero(1, sizeof *f + buckets * sizeof(struct fact *));
    if (f)
        f->mask = buckets - 1;
    return f;
}

void facts_close(struct facts *f)
{
    mem_free(f);
}

struct fact *facts_take(struct facts *f, struct str bytes)
{
    uint64_t hash = hash64(bytes);
    struct fact **bucket = &f->buckets[hash & f->mask];
    for (struct fact *at = *bucket; at; at = at->next)
        if (at->hash == hash && str_eq(fact_str(at), bytes)) {
            at->refs++;
            return at;
        }
    struct fact *new = mem_alloc(sizeof *new + bytes.n);
    if (!new)
        return NULL;
    *new = (struct fact){.next = *bucket, .hash = hash, .refs = 1, .bytes = (uint32_t)bytes.n};
    if (bytes.n)
        memcpy(new->text, bytes.p, bytes.n);
    *bucket = new;
    return new;
}

void facts_give(struct facts *f, struct fact *one)
{
    if (!one || --one->refs)
        return;
    struct fact **at = &f->buckets[one->hash & f->mask];
    while (*at != one)
        at = &(*at)->next;
    *at = one->next;
    mem_free(one);
}
