/* SPDX-License-Identifier: Apache-2.0 */
/* subjects: the addresses of a crawl's messages, and the streams that keep them.
 *
 *   kind      subject                          stream           who may say it
 *   beat      orb.CRAWL.hb.FROM                -                FROM
 *   roster    orb.CRAWL.roster.FROM            ORB_CRAWL_ROSTER FROM
 *   in        orb.CRAWL.j.TO.INC.in.FROM       ORB_CRAWL_TO     FROM
 *   out       orb.CRAWL.j.TO.INC.out           ORB_CRAWL_TO     TO
 *   control   orb.CRAWL.control.FROM           ORB_CRAWL_CONTROL FROM (an operator)
 *   scope     orb.CRAWL.scope.FROM             ORB_CRAWL_CONTROL FROM (where a seed redirects to)
 *   ask       orb.CRAWL.ask.TO.FROM            -                FROM
 *   bundle    orb.CRAWL.bundle.TO.FROM         -                FROM
 *
 * The servers vouch for FROM (of out: for TO): an agent's account may say nothing else. Names are
 * those of cluster/names.h; a crawl's has no '_', or the streams of crawl a, agent b_c and of crawl
 * a_b, agent c would be one; and no agent is called ROSTER or CONTROL. */
#ifndef CLUSTER_SUBJECTS_H
#define CLUSTER_SUBJECTS_H

#include "base/buf.h"

enum subject_kind {
    SUBJECT_BEAT,
    SUBJECT_ROSTER,
    SUBJECT_IN,
    SUBJECT_OUT,
    SUBJECT_CONTROL,
    SUBJECT_SCOPE,
    SUBJECT_ASK,
    SUBJECT_BUNDLE,
    SUBJECT_KINDS
};

struct subject { /* names borrowed; what a kind does not name is absent */
    enum subject_kind kind;
    struct str crawl, to, from;
    uint64_t inc; /* of in and out, from 1 on */
};

bool subject_crawl_ok(struct str crawl);
bool subject_agent_ok(struct str agent);

/* Appends the subject. A name that is absent, or inc 0, becomes "*": what one listens to. A name
 * that is none sets RC_INVALID in `out`. */
void subject_write(const struct subject *s, struct buf *out);

/* Takes a whole subject apart, without wildcards. RC_INVALID: it is none of ours. */
MUST_CHECK enum rc subject_read(struct str text, struct subject *ret);

/* Appends the name of the stream that keeps such a subject; RC_INVALID in `out`: none does. */
void subject_stream(const struct subject *s, struct buf *out);

/* Appends the filter for everything in the stream of one incarnation, in and out. */
void subject_incarnation(struct str crawl, struct str agent, uint64_t inc, struct buf *out);

#endif
