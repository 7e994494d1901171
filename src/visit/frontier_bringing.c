/* SPDX-License-Identifier: Apache-2.0 */
#include "visit/frontier_bringing.h"

static bool knows(void *ctx, uint64_t host_hash, uint64_t fingerprint)
{
    const struct frontier_bringing *b = ctx;
    return frontier_is_mine(b->frontier, host_hash) &&
           frontier_knows(b->frontier, host_hash, fingerprint);
}

static bool queue_is_full(void *ctx, uint64_t more, uint64_t more_bytes)
{
    const struct frontier_bringing *b = ctx;
    return b->host && frontier_host_is_full(b->frontier, b->host, more, more_bytes);
}

void frontier_bringing_init(struct frontier_bringing *b, const struct frontier *f,
                            const struct host *host, struct str host_name,
                            const struct bring_limits *limits, struct brought *brought)
{
    *b = (struct frontier_bringing){
        .bringing = {.limits = *limits,
                     .asks = {.ctx = b, .knows = knows, .queue_is_full = queue_is_full},
                     .host_name = host_name,
                     .host = brought},
        .frontier = f,
        .host = host,
    };
}

void visit_bringing_init(struct frontier_bringing *b, const struct frontier *f,
                         const struct bring_limits *limits, struct visit *v)
{
    struct host_record *record = v->turn.record;
    frontier_bringing_init(b, f, v->turn.checkout.host, v->turn.checkout.host_name, limits,
                           record ? &record->brought : NULL);
    b->bringing.is_robots = v->kind == VISIT_ROBOTS;
    b->bringing.is_sitemap = visit_is_sitemap(v);
}
