/* SPDX-License-Identifier: Apache-2.0 */
/* subjects: the addresses of a crawl's messages, and the streams that keep them.
 *
 *   kind       subject                          stream            sender
 *   heartbeat  orb.CRAWL.hb.FROM                -                 FROM
 *   roster     orb.CRAWL.roster.FROM            ORB_CRAWL_ROSTER  FROM
 *   in         orb.CRAWL.j.TO.INC.in.FROM       ORB_CRAWL_TO      FROM
 *   out        orb.CRAWL.j.TO.INC.out           ORB_CRAWL_TO      TO
 *   control    orb.CRAWL.control.FROM           ORB_CRAWL_CONTROL FROM (an operator)
 *   scope      orb.CRAWL.scope.FROM             ORB_CRAWL_CONTROL FROM (a redirect of a seed)
 *   ask        orb.CRAWL.ask.TO.FROM            -                 FROM
 *   bundle     orb.CRAWL.bundle.TO.FROM         -                 FROM
 *
 * The servers enforce FROM (for out: TO): an agent's account may send nothing else. Names are those
 * of cluster/wire/names.h. A crawl's name has no '_', since otherwise crawl a with agent b_c and
 * crawl a_b with agent c would share a stream. No agent is called ROSTER or CONTROL. */
#ifndef CLUSTER_WIRE_SUBJECTS_H
#define CLUSTER_WIRE_SUBJECTS_H

#include "base/buf.h"

enum subject_kind {
    SUBJECT_HEARTBEAT,
    SUBJECT_ROSTER,
    SUBJECT_IN,
    SUBJECT_OUT,
    SUBJECT_CONTROL,
    SUBJECT_SCOPE,
    SUBJECT_ASK,
    SUBJECT_BUNDLE,
    SUBJECT_KINDS
};

struct subject { /* names are borrowed; a kind uses only the names in its subject */
    enum subject_kind kind;
    struct str crawl, to, from;
    uint64_t inc; /* of in and out, from 1 on */
};

bool subject_crawl_ok(struct str crawl);
bool subject_agent_ok(struct str agent);

/* Appends the subject. An absent name, or inc 0, becomes "*", for listening. A name that is not
 * valid sets RC_INVALID in `out`. */
void subject_write(const struct subject *s, struct buf *out);

/* Reads a whole subject, without wildcards. RC_INVALID: it is not one of these. */
MUST_CHECK enum rc subject_read(struct str text, struct subject *ret);

/* Appends the name of the stream that keeps such a subject; RC_INVALID in `out`: no stream does. */
void subject_stream(const struct subject *s, struct buf *out);

/* Appends the filter for all messages of one incarnation in its stream, in and out. */
void subject_incarnation(struct str crawl, struct str agent, uint64_t inc, struct buf *out);

#endif
