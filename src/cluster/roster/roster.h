/* SPDX-License-Identifier: Apache-2.0 */
/* roster: the members of the crawl, folded from one append-only log that all agents read alike.
 *
 * Any agent may append anything; an entry counts only if it is valid where it stands. So all agents
 * that have read the same prefix have the same roster, ring, adopters and holders (invariant 5 of
 * docs/cluster-protocol.md). Nothing here reads a clock or the network: the stamps are the
 * servers', from the log.
 *
 *   entry                       valid if                                        effect
 *   found{timings, ring}        it is the first entry that counts               the rules
 *   renew{inc, boot, n}         inc is living; boot is the roster's or is_start lease, boot
 *   join{inc, weight, e, boot}  e = last + 1; name not living; inc is its       in the ring
 *                               former + 1, that one adopted or gone; no point
 *                               collision; no transition open
 *   weight{inc, weight, e}      e = last + 1; own; not LEAVING;                 new ring
 *                               no collision; no transition open
 *   leave{inc, e}               e = last + 1; own; not LEAVING yet; no          LEAVING, out of
 *                               transition open                                 the ring
 *   dead{v, inc, lease, e}      e = last + 1; v living; `lease` is its last     DEAD, out of the
 *                               renewal and old enough; the writer was heard    ring
 *                               throughout
 *   adopted{v, inc}             v is DEAD; writer is its adopter at the last e  v is forgotten
 *   gone{inc}                   own, LEAVING                                    inc is forgotten
 *   settled{e}                  e = last, not settled yet; writer living; no    older holders go
 *                               agent is DEAD (all are adopted); the ring is
 *                               not empty
 *   recrawl{inc, n, e}          e = last + 1; own; n is above all before it     a recrawl begins
 *   restore{n, entries}         n = length + 1, the entries are whole           those entries
 *
 * Living means joined, and neither dead nor gone (LEAVING is living). An epoch is settled when all
 * hosts that changed owner at it, or before it, have been handed over. A transition is open while
 * the settled epoch is below the last. Deaths and recrawls never wait for it. Neither does an agent
 * that comes into an empty ring with a weight above 0: its join needs neither adopted nor settled,
 * since it must adopt all others itself, and its weight does not wait either. The ring is a
 * function of the epoch alone.
 *
 * Whether a lease is old enough is decided without a clock. The log has a time of its own: it
 * advances with the stamps, never goes back, and advances from one entry to the next by at most a
 * sixth of `dead` (or the time of two renewals, if that is more). So neither hours in which no
 * agent could write, nor a server's clock that was set, make a lease old. By that time the victim's
 * lease must be 5/6 of `dead` old, and the writer must have been heard for as long without a pause
 * of half of `dead`. Every entry with its name counts as hearing it, also one that is not valid. A
 * writer need not be living: an agent in RETURN renews its former incarnation (not as a start; the
 * renewal is not valid, and is heard) and may then accuse any agent, its former incarnation
 * included. A name that never joined cannot accuse.
 *
 * `restore` mends a log that lost its end. It has no number itself: its entries take their numbers,
 * as if they stood there (roster_lost_put). A restore that does not continue what is left changes
 * nothing, so a second one is harmless. An agent that had read the lost entries ignores it for the
 * same reason; if the entries differ from what it had read, it must stop. */
#ifndef CLUSTER_ROSTER_ROSTER_H
#define CLUSTER_ROSTER_ROSTER_H

#include "assign/assign.h"
#include "base/buf.h"

enum {
    ROSTER_MAX_AGENTS = 1024,   /* living or not yet forgotten */
    ROSTER_MAX_NAMES = 16384,   /* that ever joined: their incarnations are never used again */
    ROSTER_MAX_NAME_BYTES = 32, /* cluster/wire/names.h */
    ROSTER_MAX_RINGS = 256,     /* joins and weights since the last settled epoch */
    ROSTER_MAX_EPOCHS = 2048,   /* since the last settled epoch; deaths alone never reach it */
    ROSTER_MAX_POINTS = 1 << 16,
    ROSTER_MAX_ENTRY_BYTES = 512 << 10, /* a restore; other entries take some dozen bytes */
};

struct roster_timings { /* from `found`; an agent's own settings never enter the fold */
    uint32_t heartbeat_ms, renew_ms, suspect_ms, fence_ms, abort_ms, dead_ms;
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
    ROSTER_RECRAWL,
};

/* One entry; the table above says which fields count. Names are borrowed. */
struct roster_entry {
    enum roster_kind kind;
    struct str victim; /* dead, adopted */
    uint64_t inc, boot, n, epoch;
    /* dead: the log's number of the last renewal of the victim that the writer saw */
    uint64_t lease;
    uint32_t weight;
    bool is_start; /* renew: a new boot of a living incarnation announces itself */
    struct roster_timings timings;
    uint32_t points, probes; /* found: the ring's */
    struct str entries;      /* restore: the lost entries, each with writer and stamp, encoded */
};

/* The `entries` of a restore: what the writer had read at those numbers. The numbers are dense, the
 * first is the restore's `n`, and no entry is a restore. roster_lost_next walks what
 * roster_entry_read took; ret->number counts from 0. */
struct roster_stand;
void roster_lost_put(struct buf *entries, const struct roster_stand *at, struct str bytes);
bool roster_lost_next(struct str *entries, struct roster_stand *ret, struct str *ret_bytes);

/* As bytes, versioned, little endian; RC_CORRUPT, RC_VERSION, RC_LIMIT. Fuzzed. */
void roster_entry_write(const struct roster_entry *e, struct buf *out);
MUST_CHECK enum rc roster_entry_read(struct str bytes, struct roster_entry *ret);

/* Where an entry stands in the log, and its writer. The writer is taken from the subject, which the
 * servers check. */
struct roster_stand {
    /* In the log, 1 is the first; dense: roster_length + 1. It is the stream's own number until a
     * restore counted; from then on the log has more entries than the stream has messages. */
    uint64_t number;
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
    uint64_t left_epoch;     /* the epoch from which on it owns nothing; 0: it may own hosts */
    uint64_t lease_number;   /* number in the log of its last valid renewal (or join) */
    uint64_t lease_stamp_ms; /* the server's stamp of that entry */
};

struct roster;
MUST_CHECK enum rc roster_open(struct roster **ret);

/* Points of rings that the rosters of one process share: only a simulation has several rosters. A
 * ring follows from its members, so rosters that have folded the same log have the same ring, and
 * the ring of a thousand agents takes 46 MB. All names that may join are given at the beginning, so
 * that a collision of points is found at once (RC_EXISTS). The points of a ring are drawn when they
 * are first needed. For a name that was not given, or a greater weight, a roster makes a ring of
 * its own. */
struct roster_rings;
MUST_CHECK enum rc roster_rings_open(const struct str *names, uint32_t count, uint32_t points,
                                     uint32_t most_weight, struct roster_rings **ret);
void roster_rings_close(struct roster_rings *s); /* after all rosters that share them */
/* NULL: the roster shares nothing. */
MUST_CHECK enum rc roster_open_sharing(struct roster_rings *s, struct roster **ret);
void roster_close(struct roster *r);

/* Takes the next message of the log, whatever it is. *ret_why is "" if it counted, else the reason
 * why not (static text); then only its number counts, and that its writer was heard. RC_INVALID:
 * its number does not follow the last one. RC_LIMIT: it does not count (too many agents, names,
 * points or rings). RC_NOMEM: nothing was taken, except that a restore may be half done, so the
 * roster must be folded anew. */
MUST_CHECK enum rc roster_take(struct roster *r, const struct roster_stand *at, struct str bytes,
                               const char **ret_why);

uint64_t roster_length(const struct roster *r); /* entries taken, valid or not */
uint64_t roster_hash(const struct roster *r);   /* of the whole state: equal prefixes, equal hash */
uint64_t roster_epoch(const struct roster *r);  /* the last epoch; 0: no agent has joined */
uint64_t roster_settled(const struct roster *r); /* the last epoch that is settled */
bool roster_is_open(const struct roster *r);     /* a transition is open */
bool roster_has_dead(const struct roster *r);    /* a dead agent is not adopted yet */
uint64_t roster_recrawl(const struct roster *r); /* the recrawl number; 0: the first crawl */
struct roster_timings roster_timings(const struct roster *r);

/* Incarnations that are not forgotten, in order of name and inc; valid until the next take. */
size_t roster_count(const struct roster *r);
const struct roster_agent *roster_at(const struct roster *r, size_t i);
/* All incarnations that are still known, forgotten ones included; NULL behind the last. */
const struct roster_agent *roster_known(const struct roster *r, size_t i);
/* The youngest incarnation of that name, which has the highest inc ever, forgotten ones included;
 * NULL: never seen. */
const struct roster_agent *roster_find(const struct roster *r, struct str name);
/* That incarnation; NULL: never seen, or forgotten so long ago that only its number is known. */
const struct roster_agent *roster_find_inc(const struct roster *r, struct str name, uint64_t inc);

/* The owner of a host (hash64 of its name) at an epoch from the last settled one on; NULL: that
 * ring is empty, or the epoch is not kept. */
const struct roster_agent *roster_owner(const struct roster *r, uint64_t host_hash, uint64_t epoch);
/* Whether the ring of the last epoch has members. */
bool roster_has_owners(const struct roster *r);

/* Writes the owners of that host since the last settled epoch, oldest first and each incarnation
 * once, into ret[most]; returns how many. *ret_gained: the first epoch since which the present
 * owner has owned it without a break. */
size_t roster_holders(const struct roster *r, uint64_t host_hash, const struct roster_agent **ret,
                      size_t most, uint64_t *ret_gained);

/* Whether `holder` owned, at an epoch since the last settled one and before `epoch`, a host that
 * `to` owns at `epoch`. If so, `to` needs a handover mark of it (never of itself). It errs on the
 * side of true: it compares which agents lost and gained points, not the arcs. True also for an
 * epoch that is not kept. */
bool roster_held_for(const struct roster *r, const struct roster_agent *holder,
                     const struct roster_agent *to, uint64_t epoch);

/* The adopter of a dead incarnation at the last epoch: the owner of its name as a key. NULL: the
 * ring is empty. */
const struct roster_agent *roster_adopter(const struct roster *r, const struct roster_agent *dead);

#endif
