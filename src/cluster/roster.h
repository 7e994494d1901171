/* SPDX-License-Identifier: Apache-2.0 */
/* roster: who is in the crawl, folded from one append-only log that everybody reads alike.
 *
 * Any agent may append anything; an entry counts only if it is valid where it stands, so all who
 * have read the same prefix have the same roster, ring, adopters and holders (invariant 5). Nothing
 * here reads a clock or the network: the stamps are the server's, out of the log.
 *
 *   entry                       valid if                                        effect
 *   found{timings, ring}        none has counted before it, nor anything else   the rules
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
 *                               all the while
 *   adopted{v, inc}             v is DEAD; writer is its adopter at the last e  v is forgotten
 *   gone{inc}                   own, LEAVING                                    inc is forgotten
 *   settled{e}                  e = last, not settled yet; writer living;       older holders go
 *                               nobody is DEAD (all are adopted); somebody is
 *                               in the ring
 *   round{inc, n, e}            e = last + 1; own; n is above all before it     a recrawl begins
 *   restore{n, entries}         n = length + 1, the entries are whole           those entries
 *
 * Living = joined and neither dead nor gone (LEAVING is living). A transition is open while settled
 * < last epoch. Deaths and rounds never wait for it. Nor does who comes into an empty ring with a
 * weight above 0: its join needs neither adopted nor settled, since it has to adopt all itself, and
 * its weight does not wait either. The ring is a function of the epoch alone.
 *
 * Old enough, without a clock. The log has a time of its own: it goes on with the stamps, but never
 * back, and from one entry to the next by at most a sixth of `dead` (or two renewals' time, if that
 * is more). So hours in which nobody could write, and a server's clock that was turned, make nobody
 * old. By that time the victim's lease must be 5/6 of `dead` old, and the writer must have been
 * heard for as long without a pause of half of `dead`; every entry with its name is heard, also one
 * that does not count. A writer need not be living: who is in RETURN renews its former incarnation
 * (not as a start: that does not count, and is heard) and may then accuse anybody, its former self
 * included. A name that never joined can accuse nobody.
 *
 * A log that lost its end is mended by `restore`, which has no number itself: its entries take
 * theirs, as if they stood there (roster_lost_put). A restore that does not continue what is left
 * changes nothing, so that a second one is harmless. Whoever had read the lost entries ignores it
 * likewise; if the entries differ from what it had read it must stop. */
#ifndef CLUSTER_ROSTER_H
#define CLUSTER_ROSTER_H

#include "assign/assign.h"
#include "base/buf.h"

enum {
    ROSTER_MAX_AGENTS = 1024,   /* living or not yet forgotten */
    ROSTER_MAX_NAMES = 16384,   /* that ever joined: their incarnations are never used again */
    ROSTER_MAX_NAME_BYTES = 32, /* cluster/names.h */
    ROSTER_MAX_RINGS = 256,     /* joins and weights since the last settled epoch */
    ROSTER_MAX_EPOCHS = 2048,   /* since the last settled one; deaths alone never reach it */
    ROSTER_MAX_POINTS = 1 << 16,
    ROSTER_MAX_ENTRY_BYTES = 512 << 10, /* a restore; the others take some dozen */
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
    ROSTER_ROUND,
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

/* For `entries` of a restore: what the writer had read at that place. The numbers of the places are
 * dense, the first is the restore's `n`, and none of them is a restore. roster_lost_next walks what
 * roster_entry_read took; *ret->number counts from 0. */
struct roster_stand;
void roster_lost_put(struct buf *entries, const struct roster_stand *at, struct str bytes);
bool roster_lost_next(struct str *entries, struct roster_stand *ret, struct str *ret_bytes);

/* As bytes, versioned, little endian; RC_CORRUPT, RC_VERSION, RC_LIMIT. Fuzzed. */
void roster_entry_write(const struct roster_entry *e, struct buf *out);
MUST_CHECK enum rc roster_entry_read(struct str bytes, struct roster_entry *ret);

/* Where an entry stands in the log, and who wrote it: from the subject, which the servers vouch
 * for. */
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
    uint64_t left_epoch;     /* the epoch from which on it owns nothing; 0: it still may */
    uint64_t lease_number;   /* its last valid renewal (or join): in the log, */
    uint64_t lease_stamp_ms; /* and the server's stamp */
};

struct roster;
MUST_CHECK enum rc roster_open(struct roster **ret);

/* Points of rings that the rosters of one process share: only a simulation has several rosters. A
 * ring follows from its members, so those who have folded the same have the same one, and with a
 * thousand agents it takes 46 MB. Every name that may come is told at the beginning, so that it is
 * known at once that no points meet (RC_EXISTS); points of a ring are drawn when somebody looks at
 * them. A name that was not told, or a greater weight, makes a ring of the roster's own. */
struct roster_rings;
MUST_CHECK enum rc roster_rings_open(const struct str *names, uint32_t count, uint32_t points,
                                     uint32_t most_weight, struct roster_rings **ret);
void roster_rings_close(struct roster_rings *s); /* after all rosters that share them */
/* NULL: it shares nothing. */
MUST_CHECK enum rc roster_open_sharing(struct roster_rings *s, struct roster **ret);
void roster_close(struct roster *r);

/* Takes the next message of the log, whatever it is. *ret_why is "" if it counted, else why not
 * (static text): it is then as if it had not been written, but for its number and that its writer
 * was heard. RC_INVALID: its number does not follow the last one; RC_LIMIT: it does not count (too
 * many agents, names, points or rings); RC_NOMEM: nothing was taken, but that a restore may be half
 * done, so the roster has to be folded anew. */
MUST_CHECK enum rc roster_take(struct roster *r, const struct roster_stand *at, struct str bytes,
                               const char **ret_why);

uint64_t roster_length(const struct roster *r); /* entries taken, valid or not */
uint64_t roster_hash(const struct roster *r);   /* of the whole state: equal prefixes, equal hash */
uint64_t roster_epoch(const struct roster *r);  /* the last; 0: nobody has joined */
uint64_t roster_settled(const struct roster *r); /* the last epoch that is settled */
bool roster_is_open(const struct roster *r);     /* a transition is */
bool roster_has_dead(const struct roster *r);    /* somebody that is not adopted yet */
uint64_t roster_round(const struct roster *r);   /* 0: the first crawl; then its recrawls */
struct roster_timings roster_timings(const struct roster *r);

/* Incarnations that are not forgotten, in order of name and inc; good until the next take. */
size_t roster_count(const struct roster *r);
const struct roster_agent *roster_at(const struct roster *r, size_t i);
/* Every incarnation that is still known of, forgotten ones included; NULL behind the last. */
const struct roster_agent *roster_known(const struct roster *r, size_t i);
/* The youngest incarnation of that name, forgotten ones included (its inc is the highest ever);
 * NULL: never seen. */
const struct roster_agent *roster_find(const struct roster *r, struct str name);
/* That incarnation; NULL: never seen, or so long forgotten that only its number is known. */
const struct roster_agent *roster_find_inc(const struct roster *r, struct str name, uint64_t inc);

/* Who owns a host (hash64 of its name) at an epoch from the last settled one on; NULL: nobody is in
 * that ring, or the epoch is not among them. */
const struct roster_agent *roster_owner(const struct roster *r, uint64_t position, uint64_t epoch);
/* Whether anybody is in the ring of the last epoch. */
bool roster_has_owners(const struct roster *r);

/* The owners of that host since the last settled epoch, oldest first, each incarnation once, into
 * ret[most]; how many. The first epoch at which the present owner gained it (without a break) in
 * *ret_gained. */
size_t roster_holders(const struct roster *r, uint64_t position, const struct roster_agent **ret,
                      size_t most, uint64_t *ret_gained);

/* Whether `holder` owned at some epoch since the last settled one, before `epoch`, anything that
 * `to` owns at `epoch`: of whom a gainer needs a mark (never of itself). Over-careful, never the
 * other way: it looks at who lost and who gained points, not at the arcs. An epoch that is not
 * among those kept gives true. */
bool roster_held_for(const struct roster *r, const struct roster_agent *holder,
                     const struct roster_agent *to, uint64_t epoch);

/* Who adopts a dead incarnation at the last epoch: the owner of its name as a key; NULL: nobody. */
const struct roster_agent *roster_adopter(const struct roster *r, const struct roster_agent *dead);

#endif
