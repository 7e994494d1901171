/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/limit.h"

#include "base/mem.h"

enum { MOST_BUCKETS = 1 << 20 };
#define MOST_WAIT_MS 1e12 /* a rate of next to nothing */

struct bucket {
    uint32_t host; /* + 1 */
    float tokens;
    uint64_t filled_ms;
};

struct limit {
    struct bucket *buckets;
    uint64_t count;
    double per_ms;
    double burst;
};

struct limit *limit_open(uint64_t hosts, double per_s, uint64_t burst)
{
    struct limit *l = mem_zero(1, sizeof *l);
    if (!l)
        return NULL;
    l->count = hosts < MOST_BUCKETS ? hosts : MOST_BUCKETS;
    l->per_ms = per_s / 1000;
    l->burst = burst ? (double)burst : 1;
    l->buckets = mem_zero(l->count, sizeof *l->buckets);
    if (!l->buckets) {
        limit_close(l);
        return NULL;
    }
    return l;
}

void limit_close(struct limit *l)
{
    if (!l)
        return;
    mem_free(l->buckets);
    mem_free(l);
}

uint64_t limit_take(struct limit *l, uint32_t host, uint64_t now_ms)
{
    struct bucket *b = &l->buckets[host % l->count];
    double tokens = l->burst;
    if (b->host == host + 1)
        tokens = b->tokens + (double)(now_ms - b->filled_ms) * l->per_ms;
    tokens = tokens < l->burst ? tokens : l->burst;
    double missing_ms = (1 - tokens) / l->per_ms;
    uint64_t wait_ms =
        tokens >= 1 ? 0 : (uint64_t)(missing_ms < MOST_WAIT_MS ? missing_ms : MOST_WAIT_MS) + 1;
    *b = (struct bucket){
        .host = host + 1, .filled_ms = now_ms, .tokens = (float)(wait_ms ? tokens : tokens - 1)};
    return wait_ms;
}
