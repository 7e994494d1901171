/* SPDX-License-Identifier: Apache-2.0 */
/* judge: what the end of a visit means: its result, or once more after a while. */
#ifndef COMPONENTS_JUDGE_H
#define COMPONENTS_JUDGE_H

#include "components/services.h"
#include "components/visit.h"

/* Sets v->verdict, once, from v->end and what the card says of earlier tries. */
void visit_judge(struct visit *v, struct pace_service *pace, struct rng *rng);

/* Whether the answer is there and will not be asked for again: what is read and kept. */
static inline bool visit_has_result(const struct visit *v)
{
    return v->answer && v->end.http <= HTTP_TRUNCATED && v->verdict.next != PACE_AGAIN;
}

/* Whether the archive is spared its answer: by its type, or by its score. */
static inline bool visit_is_unkept(const struct visit *v)
{
    return v->has_other_type || v->is_unkept;
}

#endif
