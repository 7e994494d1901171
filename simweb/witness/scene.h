/* SPDX-License-Identifier: Apache-2.0 */
/* scene: what was seen of one site of a fault, and each expectation held against it. */
#ifndef WITNESS_SCENE_H
#define WITNESS_SCENE_H

#include "witness/sight.h"

/* What starts this soon after an answer had ended may have been on its way before the client read
 * that answer: a crawler that renews robots.txt beside its pages is not to blame for it. */
enum { SCENE_UNDER_WAY_MS = 250 };

struct scene {
    const struct fault *fault;
    const struct fault_knobs *knobs;
    const struct sight *sights;
    const uint32_t *order; /* the scene's sights, by start */
    uint32_t count;
    const uint32_t *by_connection; /* the same ones, by connection, then by start */
    uint32_t *scratch;             /* room for `count` numbers */
    uint64_t now_us;
    struct str host;        /* of an ordinary host the fault is sprinkled over; absent otherwise */
    bool index_was_fetched; /* the way to its cases was shown */
};

/* Whether the sight is one the expectation is about (witness/judge.h). */
bool scene_matches(const struct scene *s, const struct expect *e, const struct sight *sight);

/* Whether the expectation is met; if not, appends what was seen instead to `seen`. */
bool scene_meets(const struct scene *s, const struct expect *e, struct buf *seen);

#endif
