/* SPDX-License-Identifier: Apache-2.0 */
/* world_internal: the world as this folder sees it: the settings, and what follows from them, once
 * because every link of every page needs it. No other folder includes it. */
#ifndef WORLD_WORLD_INTERNAL_H
#define WORLD_WORLD_INTERNAL_H

#include "world/world.h"

enum { WORLD_KEYS = 64, WORLD_ROLES = 5 };

/* How numbers in [0, below) are spread by the world's Zipf exponent. The density x^-s on
 * [1, below + 1), cut to whole numbers, has an inverse that can be written down and falls as Zipf's
 * does: exp(u log n) for s = 1, else (1 + u (n^(1-s) - 1))^(1/(1-s)). */
struct zipf {
    uint64_t below;
    bool is_even; /* s = 0 */
    bool is_log;  /* s = 1 */
    double scale; /* log n, or n^(1-s) - 1 */
    double power; /* 1/(1-s) */
};

struct world {
    struct world_settings settings;
    struct arena *arena;       /* their texts and lists */
    uint64_t key;              /* the seed, mixed */
    uint64_t keys[WORLD_KEYS]; /* mixed with each of our own purposes, too */
    double host_scale;         /* of the largest host; see shape.h */
    uint32_t host_branches;
    uint32_t page_branches;           /* of every host if all are equal, else 0 */
    uint32_t demo_hosts;              /* how many have a demo's name */
    uint64_t role_until[WORLD_ROLES]; /* below which a page's chance makes it that; page.c */
    struct zipf zipf_hosts;
    struct zipf zipf_pages;    /* of every host if all are equal */
    struct str origin_ends[2]; /* ".test:8080" for http, and for https */
};

#endif
