/* SPDX-License-Identifier: Apache-2.0 */
/* sets: lists of agents with made-up names, for the tests of this folder. */
#ifndef TESTS_ASSIGN_SETS_H
#define TESTS_ASSIGN_SETS_H

#include "assign/assign.h"
#include "base/rng.h"
#include "lib/test.h"

#include <stdio.h>

enum { SET_MAX = 128 };

struct set {
    struct assign_agent agents[SET_MAX];
    char names[SET_MAX][32];
    uint32_t count;
};

static inline void set_add(struct set *s, uint64_t tag, uint32_t number, uint32_t weight)
{
    char *name = s->names[s->count];
    snprintf(name, sizeof s->names[0], "agent-%llx-%u", (unsigned long long)tag, number);
    s->agents[s->count++] = (struct assign_agent){str_c(name), weight, 0};
}

/* `count` agents whose names follow from `tag`; weight 0: random, from a quarter to four. */
static inline void set_make(struct set *s, uint64_t tag, uint32_t count, uint32_t weight)
{
    struct rng rng;
    rng_init(&rng, tag);
    s->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t drawn = 16 + (uint32_t)rng_below(&rng, 241);
        set_add(s, tag, i, weight ? weight : drawn);
    }
}

/* Another order of the same agents. The names stay where they are. */
static inline void set_shuffle(struct set *s, struct rng *rng)
{
    for (uint32_t i = s->count; i > 1; i--) {
        uint32_t j = (uint32_t)rng_below(rng, i);
        struct assign_agent t = s->agents[i - 1];
        s->agents[i - 1] = s->agents[j];
        s->agents[j] = t;
    }
}

static inline struct assign *set_open(const char *kind, const struct set *s)
{
    struct assign *a = NULL;
    assert_rc(assign_open(assign_kind_find(str_c(kind)), NULL, s->agents, s->count, 1, NULL, &a),
              RC_OK);
    return a;
}

static inline struct str owner_name(const struct assign *a, const struct assign_key *key)
{
    uint32_t at = UINT32_MAX;
    assert_rc(assign_owner(a, key, &at), RC_OK);
    assert_true(at < a->agent_count);
    return a->agents[at].name;
}

static inline struct str owner_of_hash(const struct assign *a, uint64_t hash)
{
    struct assign_key key = {.host_hash = hash};
    return owner_name(a, &key);
}

#endif
