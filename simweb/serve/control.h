/* SPDX-License-Identifier: Apache-2.0 */
/* control: the port where a person or a test reads the witness and turns the clock.
 *
 *   GET  /_sim/report[?urls=1&hosts=1&sights=1]   what the witness saw (witness/report.h)
 *   GET  /_sim/clock                              {"wall_ms":…, "time":"2026-…", "speed":1}
 *   POST /_sim/clock?advance=SECONDS              or advance_ms=MS, or to=2026-11-16T10:00:00Z
 *   POST /_sim/reset                              the witness and DNS forget everything
 *   GET  /_sim/page?url=U                         what the world says of an ordinary place
 *
 * Only with "Authorization: Bearer TOKEN", and only under a name of loopback, so that no page in a
 * browser of the same machine can ask. Answers and errors are JSON. */
#ifndef SERVE_CONTROL_H
#define SERVE_CONTROL_H

#include "content/content.h"
#include "serve/names.h"
#include "serve/sim_clock.h"
#include "witness/report.h"

/* What it reads and turns; all borrowed. */
struct control {
    const char *token;
    const struct world *world;
    const struct content *content;
    const struct fault_knobs *knobs;
    struct witness *witness;
    struct names *names;
    struct sim_clock *clock;
};

/* Always answers. */
void control_answer(const struct control *c, const struct request *q, uint64_t now_us,
                    struct reply *r);

#endif
