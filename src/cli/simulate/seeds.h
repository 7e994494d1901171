/* SPDX-License-Identifier: Apache-2.0 */
/* seeds: what --seeds says: a number, or two as 1..100. */
#ifndef CLI_SIMULATE_SEEDS_H
#define CLI_SIMULATE_SEEDS_H

#include "base/str.h"

/* False: it is neither. */
bool seeds_read(struct str text, uint64_t *ret_first, uint64_t *ret_last);

#endif
