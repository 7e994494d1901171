/* SPDX-License-Identifier: Apache-2.0 */
/* assign: the owner of a host among 100 agents, its name hashed each time, and the cost of a new
 * roster. */
#include "bench.h"

#include "assign/assign.h"

#include <stdlib.h>
#include <string.h>

enum { AGENTS = 100, HOSTS = 1 << 14, LOOKUPS = 1 << 20 };

struct world {
    struct assign_agent agents[1000];
    char names[1000][24];
    char hosts[HOSTS][40];
    struct str host[HOSTS];
};

static void world_make(struct world *w)
{
    for (uint32_t i = 0; i < 1000; i++) {
        snprintf(w->names[i], sizeof w->names[i], "crawler-%u", i);
        w->agents[i] = (struct assign_agent){str_c(w->names[i]), ASSIGN_WEIGHT_ONE, 0};
    }
    for (uint32_t i = 0; i < HOSTS; i++) {
        snprintf(w->hosts[i], sizeof w->hosts[i], "www.site-%u.example.org", i * 7919);
        w->host[i] = str_c(w->hosts[i]);
    }
}

static uint64_t ask_all(const struct assign *a, const struct world *w)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < LOOKUPS; i++) {
        struct assign_key key = {.host = w->host[i & (HOSTS - 1)]};
        uint32_t at;
        if (assign_owner(a, &key, &at))
            abort();
        sum += at;
    }
    return sum;
}

static void bench_kind(const struct world *w, const char *name, uint32_t agents, const char *goal)
{
    struct assign *a = NULL;
    char label[64];
    double ns;
    BENCH_BEST(ns, 1, {
        assign_close(a);
        if (assign_open(assign_kind_find(str_c(name)), NULL, w->agents, agents, 1, NULL, &a))
            abort();
    });
    snprintf(label, sizeof label, "%s, %u agents: build", name, agents);
    bench_row(label, ns / 1e6, "ms", "-");
    BENCH_BEST(ns, LOOKUPS, BENCH_USE(ask_all(a, w)));
    snprintf(label, sizeof label, "%s, %u agents: owner of a host", name, agents);
    bench_row(label, ns, "ns", goal);
    assign_close(a);
}

int main(void)
{
    struct world *w = malloc(sizeof *w);
    if (!w)
        return 1;
    world_make(w);
    bench_kind(w, "ring", AGENTS, "<= 100 ns");
    bench_kind(w, "ring", 1000, "-");
    bench_kind(w, "rendezvous", AGENTS, "-");
    free(w);
    return 0;
}
