/* SPDX-License-Identifier: Apache-2.0 */
/* judge: when a visit may begin, and what its end means: its result, or once more after a while. */
#ifndef COMPONENTS_JUDGE_H
#define COMPONENTS_JUDGE_H

#include "components/services.h"
#include "components/visit.h"

/* Takes a slot of the visit's host and of its address; or returns false, and *ret_ms is the moment
 * to come again. */
bool visit_enter(struct visit *v, struct addresses_service *a, uint64_t now_ms, uint64_t *ret_ms);
/* Gives back what visit_enter took, if it did. */
void visit_leave(struct visit *v, struct addresses_service *a, uint64_t now_ms);

/* The origin that is at fault, made if need be: a host with several of them whose connection there
 * failed. NULL: the fault is the whole host's, or there is none. */
struct card_origin *visit_faulty_origin(const struct visit *v);

/* Which URL of the origin it is, for card_origin.trial; never 0. */
uint64_t origin_trial(const struct lent *l);

/* What visit_judge needs to know of the card, for a place without it. */
struct visit_standing visit_standing(const struct visit *v);

/* Sets v->verdict, once, from v->end and what the card says of earlier tries. */
void visit_judge(struct visit *v, struct pace_service *pace, struct rng *rng);

/* Whether the answer is there and will not be asked for again: what is read and kept. */
static inline bool visit_has_result(const struct visit *v)
{
    return v->answer && v->end.http <= HTTP_TRUNCATED && v->verdict.next != PACE_AGAIN;
}

/* Whether the archive is spared its answer: by its type, by its score, or by a part from outside. */
static inline bool visit_is_unkept(const struct visit *v)
{
    return v->has_other_type || v->is_unkept || v->is_dropped;
}

#endif
