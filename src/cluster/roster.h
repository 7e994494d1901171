/* SPDX-License-Identifier: Apache-2.0 */
/* roster: who is in the crawl, folded from one append-only log that everybody reads alike.
 *
 * Any agent may append anything; an entry counts only if it is valid where it stands, so all who
 * have read the same prefix have the same roster, ring, adopters and holders (invariant 5). Nothing
 * here reads a clock or the network: the stamps are the server's, out of the log.
 *
 *   entry                     valid if                                             effect
 *   found{timings, ring}      it is the first of all                               the rules
 *   renew{inc, boot, n}       inc is living; boot is the roster's, or is_start     lease, boot
 *   join{inc, weight, e, boot} e = last + 1; name not living; its former inc       in the ring
 *                             adopted or gone; no collision; no transition open
 *   weight{inc, weight, e}    e = last + 1; own; living; no transition open        new ring
 *   leave{inc, e}             the same                                             LEAVING, out of
 * it dead{v, inc, lease, e}    e = last + 1; writer and v living; v has not renewed DEAD, out of it
 *                             behind `lease`; stamps far enough apart
 *   adopted{v, inc}           writer is v's adopter at the last epoch              v is forgotten
 *   gone{inc}                 own, LEAVING                                         out
 *   settled{e}                e = last; by a living agent                          older holders go
 *   restore{n, entries}       continues what is left of a log that lost its end    those entries
 *
 * Living = joined and neither dead nor gone (LEAVING is living). A transition is open while settled
 * < last epoch. Deaths never wait for it. If nobody is living, join needs neither adopted nor
 * settled, and the joiner adopts all. An agent in RETURN may write `dead` of its own former
 * incarnation or another's. The ring is a function of the epoch alone. */
#ifndef CLUSTER_ROSTER_H
#define CLUSTER_ROSTER_H

#include "assign/assign.h"
#include "base/buf.h"

enum {
    ROSTER_MAX_AGENTS = 1024,   /* living or not yet forgotten */
    ROSTER_MAX_NAME_BYTES = 32, /* letters, digits, '-', '_': it is a token of a subject */
    ROSTER_MAX_RINGS = 64,      /* epochs since the last settled one */
    ROSTER_MAX_ENTRY_BYTES = 64 << 10,
};

struct roster_timings { /* of `found`; an agent's own settings never enter the fold */
    uint32_t beat_ms, renew_ms, suspect_ms, fence_ms, abort_ms, dead_ms;
};

enum roster_kind {
    ROSTER_FOUND = 1,
    ROSTER_RENEW,
    ROSTER_JOIN,
    ROSTER_WEIGHT,
    ROSTER_LEAVE,
    ROSTER_DEAD,
    ROSTER_ADOPTED,
    ROSTER_GONE,
    ROSTER_SETTLED,
    ROSTER_RESTORE,
};

/* One entry; which fields count, the table above says. Names are borrowed. */
struct roster_entry {
    enum roster_kind kind;
    struct str victim; /* dead, adopted */
    uint64_t inc, boot, n, epoch;
    uint64_t lease; /* dead: the log's number of the victim's last renewal that the writer saw */
    uint32_t weight;
    bool is_start; /* renew: a new boot of a living incarnation announces itself */
    struct roster_timings timings;
    uint32_t points, probes; /* found: the ring's */
    struct str entries;      /* restore: what was lost, each with writer and stamp, encoded */
};

/* As bytes, versioned, little endian; RC_CORRUPT, RC_VERSION, RC_LIMIT. Fuzzed. */
void roster_entry_write(const struct roster_entry *e, struct buf *out);
MUST_CHECK enum rc roster_entry_read(struct str bytes, struct roster_entry *ret);

/* Where an entry stands in the log, and who wrote it: from the subject, which the servers vouch
 * for. */
struct roster_stand {
    uint64_t number; /* in the log, 1 is the first; dense */
    uint64_t stamp_ms;
    struct str writer;
};

enum roster_state { ROSTER_LIVING, ROSTER_LEAVING, ROSTER_DEAD_NOW, ROSTER_FORGOTTEN };

struct roster_agent { /* one incarnation */
    char name[ROSTER_MAX_NAME_BYTES + 1];
    uint64_t inc, boot;
    uint32_t weight;
    enum roster_state state;
    uint64_t joined_epoch;
    uint64_t left_epoch;     /* the epoch from which on it owns nothing; 0: it still may */
    uint64_t lease_number;   /* its last valid renewal (or join): in the log, */
    uint64_t lease_stamp_ms; /* and the server's stamp */
};

struct roster;
MUST_CHECK enum rc roster_open(struct roster **ret);
void roster_close(struct roster *r);

/* Takes the next message of the log, whatever it is. *ret_why is "" if it counted, else why not
 * (static text): it is then as if it had not been written, but for its number. RC_INVALID: its
 * number does not follow the last one; RC_NOMEM; RC_LIMIT (too many agents: it does not count). */
MUST_CHECK enum rc roster_take(struct roster *r, const struct roster_stand *at, struct str bytes,
                               const char **ret_why);

uint64_t roster_length(const struct roster *r); /* entries taken, valid or not */
uint64_t roster_hash(const struct roster *r);   /* of the whole state: equal prefixes, equal hash */
uint64_t roster_epoch(const struct roster *r);  /* the last; 0: nobody has joined */
uint64_t roster_settled(const struct roster *r); /* the last epoch that is settled */
bool roster_is_open(const struct roster *r);     /* a transition is */
struct roster_timings roster_timings(const struct roster *r);

/* Incarnations that are not forgotten, in order of name and inc; good until the next take. */
size_t roster_count(const struct roster *r);
const struct roster_agent *roster_at(const struct roster *r, size_t i);
/* The youngest incarnation of that name, forgotten ones included (its inc is the highest ever);
 * NULL: never seen. */
const struct roster_agent *roster_find(const struct roster *r, struct str name);
/* That incarnation; NULL: never seen, or so long forgotten that only its number is known. */
const struct roster_agent *roster_find_inc(const struct roster *r, struct str name, uint64_t inc);

/* Who owns a host (hash64 of its name) at an epoch from the last settled one on; NULL: nobody is in
 * that ring. */
const struct roster_agent *roster_owner(const struct roster *r, uint64_t position, uint64_t epoch);

/* The owners of that host since the last settled epoch, oldest first, each incarnation once, into
 * ret[most]; how many. The first epoch at which the present owner gained it (without a break) in
 * *ret_gained. */
size_t roster_holders(const struct roster *r, uint64_t position, const struct roster_agent **ret,
                      size_t most, uint64_t *ret_gained);

/* Whether `holder` owned at some epoch since the last settled one, up to `epoch`, anything that
 * `to` owns at `epoch`: of whom a gainer needs a mark. Exact by the arcs of the rings, or
 * over-careful, never the other way. */
bool roster_held_for(const struct roster *r, const struct roster_agent *holder,
                     const struct roster_agent *to, uint64_t epoch);

/* Who adopts a dead incarnation at the last epoch: the owner of its name as a key; NULL: nobody. */
const struct roster_agent *roster_adopter(const struct roster *r, const struct roster_agent *dead);

#endif
