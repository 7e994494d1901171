/* SPDX-License-Identifier: Apache-2.0 */
/* visit_counts: what the crawl's counters say of a visit (roles/counters.h). */
#ifndef OUTCOME_VISIT_COUNTS_H
#define OUTCOME_VISIT_COUNTS_H

#include "outcome/ending.h"
#include "roles/counters.h"

/* Every visit: counts what steps found that may stand at another place, which has no counters. */
void visit_counts_found(struct crawl_counts *c, const struct visit *v);

/* A visit that has ended: counts the result of a page, or that something is tried again. */
void visit_counts_ending(struct crawl_counts *c, const struct visit *v, const struct ending *e);

#endif
