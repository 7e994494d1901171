/* SPDX-License-Identifier: Apache-2.0 */
/* make: a world for a test, from what a person would write on the command line.
 *
 *     struct made m = make_world("hosts=10 pages=50 zipf=0"); … unmake_world(&m); */
#ifndef TESTS_UNIT_SIMWEB_WORLD_MAKE_H
#define TESTS_UNIT_SIMWEB_WORLD_MAKE_H

#include "world/world.h"

#include "lib/test.h"

struct made {
    struct world_settings settings;
    struct arena *arena;
    struct world *world;
};

/* The settings alone, world NULL. */
static inline struct made make_settings(const char *words)
{
    struct made m = {.arena = arena_open(1024, 1 << 20)};
    struct buf why;
    buf_init(&why, 1000);
    assert_non_null(m.arena);
    assert_rc(options_default(world_options, &m.settings, m.arena), RC_OK);
    struct str rest = str_c(words);
    while (rest.p) {
        struct str value = str_take_until(&rest, ' ');
        struct str key = str_take_until(&value, '=');
        if (key.n == 0)
            continue;
        const struct option *o = option_find(world_options, key);
        assert_non_null(o);
        assert_rc(option_set(o, &m.settings, m.arena, value, &why), RC_OK);
    }
    buf_done(&why);
    return m;
}

static inline struct made make_world(const char *words)
{
    struct made m = make_settings(words);
    struct buf why;
    buf_init(&why, 1000);
    assert_rc(world_settings_check(&m.settings, &why), RC_OK);
    buf_done(&why);
    m.world = world_open(&m.settings);
    assert_non_null(m.world);
    return m;
}

static inline void unmake_world(struct made *m)
{
    world_close(m->world);
    arena_close(m->arena);
}

#endif
