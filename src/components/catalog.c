/* SPDX-License-Identifier: Apache-2.0 */
/* Every built-in part, in the order in which `check --parts` shows them. Each stands at the end of
 * the file named after it; to add one, write its file and name it here. */
#include "components/catalog.h"

extern const struct part part_lines;
extern const struct part part_match;
extern const struct part part_unseen;
extern const struct part part_count;
extern const struct part part_write;

extern const struct part part_clock_real;
extern const struct part part_clock_simulated;
extern const struct part part_seen_exact;
extern const struct part part_seen_nothing;

static const struct part *const parts[] = {
    &part_lines,      &part_match,           &part_unseen,     &part_count,        &part_write,

    &part_clock_real, &part_clock_simulated, &part_seen_exact, &part_seen_nothing, NULL,
};

const struct catalog components_catalog = {parts};
