/* SPDX-License-Identifier: Apache-2.0 */
/* ending: how a visit ended, and what that means for its host, the budgets and the ledger.
 *
 *     struct ending e = ending_of_visit(...)   whose fault is it, when may the host be asked next?
 *     ending_outcome(...)                      what the ledger is told of it
 *     ending_is_page, ending_make_page(...)    a robots.txt that ends its page too
 *     ending_keep(...)                         writes that to host record and budgets
 *
 * host/host_end.h has the policy; this hands it the visit. */
#ifndef OUTCOME_ENDING_H
#define OUTCOME_ENDING_H

#include "host/host_end.h"
#include "ledger/ledger.h"
#include "roles/budget.h"
#include "roles/pace.h"
#include "visit/visit.h"

struct ending {
    struct host_request request;
    struct host_outcome outcome;
    struct host_ending host;
    uint64_t now_ms; /* of the end: a turn may have taken long since it began */
    uint64_t due_ms; /* the host may be asked again then */
};

/* Of a visit with a record. Judges a visit that no step has judged: it was never asked. The pace's
 * settings are read only where they matter, for reading them takes a lock. */
struct ending ending_of_visit(struct visit *v, struct pace_service *pace, struct rng *rng,
                              uint64_t now_ms);

/* What the ledger is told of the ending; lines, links and history come later. Everything is
 * borrowed from the visit. */
struct ledger_outcome ending_outcome(const struct ending *e, struct visit *v);

/* Whether this visit of a robots.txt ends its page too, because the robots.txt is not available. */
bool ending_is_page(const struct ending *e, const struct visit *v);

/* Makes such a visit the visit of its page, which has no answer. RC_NOMEM, RC_INVALID. */
MUST_CHECK enum rc ending_make_page(const struct ending *e, struct visit *v);

/* Writes to the host's record and the budgets what the ending means. */
void ending_keep(const struct ending *e, const struct visit *v, struct budget *budget);

#endif
