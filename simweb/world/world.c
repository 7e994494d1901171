/* SPDX-License-Identifier: Apache-2.0 */
#include "world/world_internal.h"

#include "base/mem.h"
#include "world/chance.h"
#include "world/shape.h"
#include "world/words.h"

static uint32_t at_most(uint64_t value, uint32_t most)
{
    return value < most ? (uint32_t)value : most;
}

/* Every SHAPE_RUNth page is normal whatever the shares, and the others make up for it. */
static void measure_roles(struct world *w)
{
    const struct world_settings *s = &w->settings;
    const double shares[WORLD_ROLES] = {s->duplicates, s->near_duplicates, s->redirects,
                                        s->forbidden, s->nofollow};
    double until = 0;
    for (size_t i = 0; i < WORLD_ROLES; i++) {
        until += shares[i] * SHAPE_RUN / (SHAPE_RUN - 1.0);
        w->role_until[i] = until < 1 ? (uint64_t)(until * 0x1p64) : UINT64_MAX;
    }
}

static uint32_t count_demo_hosts(const struct world_settings *s)
{
    uint32_t count = 0;
    while (s->demo && demo_label(count).p && count < s->hosts)
        count++;
    return count;
}

static void world_measure(struct world *w)
{
    const struct world_settings *s = &w->settings;
    w->key = hash64_mix(s->seed + CHANCE_STEP);
    for (uint32_t purpose = 0; purpose < WORLD_KEYS; purpose++)
        w->keys[purpose] = hash64_mix(w->key + purpose * UINT64_C(0xd1342543de82ef95));
    w->host_scale = shape_scale(s);
    /* The index of a demo links to all its hosts, as far as a page can. */
    uint64_t host_depth = s->demo ? 1 : s->depth;
    w->host_branches = at_most(shape_branching(s->hosts, host_depth), SHAPE_MOST_HOST_BRANCHES);
    if (s->host_sizes == WORLD_SIZES_EQUAL)
        w->page_branches = at_most(shape_branching(s->pages, s->depth), SHAPE_MOST_BRANCHES);
    w->demo_hosts = count_demo_hosts(s);
    w->zipf_hosts = zipf_of(w, s->hosts);
    w->zipf_pages = zipf_of(w, s->pages);
    measure_roles(w);
}

/* What stands behind the labels of our own in every URL. */
static bool make_origin_ends(struct world *w)
{
    const struct world_settings *s = &w->settings;
    for (int https = 0; https < 2; https++) {
        uint64_t port = https ? s->https_port : s->http_port;
        bool is_usual = port == (https ? 443 : 80);
        w->origin_ends[https] = is_usual
                                    ? arena_printf(w->arena, "." STR_FMT, STR_ARG(s->suffix))
                                    : arena_printf(w->arena, "." STR_FMT ":%llu",
                                                   STR_ARG(s->suffix), (unsigned long long)port);
    }
    return w->origin_ends[0].p && w->origin_ends[1].p;
}

struct world *world_open(const struct world_settings *settings)
{
    enum { BLOCK = 1024, MOST_BYTES = 1 << 20 };
    struct world *w = mem_zero(1, sizeof *w);
    if (!w)
        return NULL;
    w->arena = arena_open(BLOCK, MOST_BYTES);
    if (!w->arena ||
        options_copy(world_options, sizeof w->settings, settings, &w->settings, w->arena) !=
            RC_OK ||
        !make_origin_ends(w)) {
        world_close(w);
        return NULL;
    }
    world_measure(w);
    return w;
}

void world_close(struct world *w)
{
    if (!w)
        return;
    arena_close(w->arena);
    mem_free(w);
}

const struct world_settings *world_settings(const struct world *w)
{
    return &w->settings;
}

uint64_t world_chance(const struct world *w, uint32_t purpose, uint64_t a, uint64_t b)
{
    return chance_of(w, purpose, a, b);
}

bool world_share(uint64_t chance, double share)
{
    return chance_share(chance, share);
}

struct zipf zipf_of(const struct world *w, uint64_t below)
{
    double s = w->settings.zipf, n = (double)below + 1;
    struct zipf z = {.below = below, .is_even = s == 0, .is_log = fabs(s - 1) < 1e-9};
    z.scale = z.is_log ? log(n) : pow(n, 1 - s) - 1;
    z.power = z.is_log ? 0 : 1 / (1 - s);
    return z;
}

uint64_t world_zipf(const struct world *w, uint64_t chance, uint64_t below)
{
    struct zipf z = zipf_of(w, below);
    return zipf_pick(&z, chance);
}

/* Two halves of the chance by the method of Box and Muller. */
double chance_normal(uint64_t chance)
{
    const double two_pi = 6.283185307179586;
    double radius = sqrt(-2 * log(((double)(chance >> 32) + 0.5) * 0x1p-32));
    return radius * cos(two_pi * (double)(chance & 0xffffffff) * 0x1p-32);
}

double world_host_scale(const struct world *w)
{
    return w->host_scale;
}

uint32_t host_branching(const struct world *w)
{
    return w->host_branches;
}

uint32_t page_branching(const struct world *w, uint32_t host)
{
    if (w->page_branches)
        return w->page_branches;
    return at_most(shape_branching(host_pages(w, host), w->settings.depth), SHAPE_MOST_BRANCHES);
}
