/* SPDX-License-Identifier: Apache-2.0 */
/* Every built-in part, in the order in which `check --parts` shows them. Each stands at the end of
 * the file named after it; to add one, write its file and name it here. */
#include "components/catalog.h"

extern const struct part part_lines;
extern const struct part part_match;
extern const struct part part_normalise;
extern const struct part part_owner;
extern const struct part part_unseen;
extern const struct part part_count;
extern const struct part part_write;

extern const struct part part_assign_address;
extern const struct part part_assign_modulo;
extern const struct part part_assign_rendezvous;
extern const struct part part_assign_ring;
extern const struct part part_clock_real;
extern const struct part part_clock_simulated;
extern const struct part part_seen_exact;
extern const struct part part_seen_nothing;

static const struct part *const parts[] = {
    &part_lines,
    &part_match,
    &part_normalise,
    &part_owner,
    &part_unseen,
    &part_count,
    &part_write,

    &part_assign_ring,
    &part_assign_rendezvous,
    &part_assign_address,
    &part_assign_modulo,
    &part_clock_real,
    &part_clock_simulated,
    &part_seen_exact,
    &part_seen_nothing,
    NULL,
};

const struct catalog components_catalog = {parts};
