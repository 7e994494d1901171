/* SPDX-License-Identifier: Apache-2.0 */
/* seeds: what others bring to the component `seeds` while the crawl runs. */
#ifndef COMPONENTS_SEEDS_H
#define COMPONENTS_SEEDS_H

#include "base/arena.h"
#include "components/calls.h"

/* An errand for the desk CALLS_SEEDS, with `call.run` = seeds_bring. It ends with RC_OK when the
 * seeds are in the journal: then they are never lost. They go the way of all others, also while the
 * crawl is paused, for nothing is asked for them then. */
struct seeds_errand {
    struct call call;
    struct arena *arena;
    const struct str *urls; /* http or https, parsed before and found good */
    size_t count;
    size_t known; /* of them: brought by earlier runs. Written before the end */
};

enum { SEEDS_AN_ERRAND = 200 };

/* NULL without memory. Its arena holds the URLs and goes with it. */
struct seeds_errand *seeds_errand_open(void);
void seeds_bring(struct call *c, struct instance *at);

#endif
