/* SPDX-License-Identifier: Apache-2.0 */
/* kept_seed: a line of state/seeds: the URL of a seed, or a URL to which a seed redirected and that
 * seed.
 *
 *     http://a.example/
 *     http://www.a.example/ http://a.example/
 *     http://www.b.example/ -
 *
 * Another agent found the last one, so its seed is not known here. */
#ifndef OUTPUTS_KEPT_SEED_H
#define OUTPUTS_KEPT_SEED_H

#include "base/buf.h"

struct kept_seed {
    struct str url;
    struct str from; /* the seed that redirected there; absent: the URL is a seed itself */
};

/* With its LF. URLs have no blanks. */
void kept_seed_print(struct buf *out, struct kept_seed s);
/* Without its LF; borrowed. An empty line has an empty URL. */
struct kept_seed kept_seed_parse(struct str line);

#endif
