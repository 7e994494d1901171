/* SPDX-License-Identifier: Apache-2.0 */
/* agent: one member of a cluster, as a state machine without I/O and without a clock.
 *
 *   START ─► RECOVER ─► UP ⇄ FENCED          docs/cluster-protocol.md tells the whole of it
 *     └────► RETURN ──► JOINING ─► UP ─► LEAVING ─► GONE        STOPPED: it cannot go on
 *
 * Events of the bus are handed in (agent_event, from bus_poll), time is handed in (agent_turn), the
 * crawl and its journal stand behind cluster/port.h. now_ms is CLOCK_BOOTTIME's: it runs while the
 * machine sleeps, and a jump of it is noticed.
 *
 * The files behind it, each one idea:
 *   log.c       reads the roster log, journals the copy, restores what servers lost
 *   lease.c     renewals, the fence
 *   detector.c  heartbeats heard, who is silent, accusing
 *   outbox.c    pages of the journal ─► parcels ─► acknowledged ─► floored ─► forgotten
 *   untold.c    pages that are done and not acknowledged so: how many there may be
 *   links.c     parcels numbered for each receiver, sent again until it says that it has them
 *   inbox.c     our own stream ─► the crawl; cursor, floor, generation
 *   receipts.c  which numbers of each sender are durable here
 *   passes.c    a stream read so often that nothing stays unseen, though its copies differ
 *   gates.c     marks received: which hosts may be asked
 *   handover.c  hosts that are ours no more, to those who own them
 *   adoption.c  the streams of the dead, to those who own their hosts
 *   finish.c    whether the whole crawl has ended
 *   namesake.c  another process with our name
 *   tally.c     what others have used of the crawl's budgets
 *   waits.c     what it waits for, in words */
#ifndef CLUSTER_AGENT_H
#define CLUSTER_AGENT_H

#include "bus/bus.h"
#include "cluster/port.h"
#include "cluster/roster.h"

enum agent_state {
    AGENT_START,
    AGENT_RECOVER,
    AGENT_RETURN,
    AGENT_JOINING,
    AGENT_UP,
    AGENT_FENCED,
    AGENT_LEAVING,
    AGENT_GONE,
    AGENT_STOPPED,
};
const char *agent_state_text(enum agent_state s);

struct agent_settings {
    struct str crawl, name;     /* tokens of subjects; copied */
    uint32_t weight;            /* ASSIGN_WEIGHT_ONE is the ordinary agent */
    uint64_t seed;              /* of boots and jitter: another one at every start */
    uint64_t gap_ms;            /* a clock that jumps by more fences; 5,000 */
    uint64_t poll_ms;           /* between two looks at a stream that had nothing new; 100 */
    size_t outbox_most;         /* pages, and parcels, that are under way at a time; 0: 1,024 */
    uint64_t untold_most;       /* pages that are done and not told; 0: no bound */
    size_t restore_most;        /* bytes of lost entries in one `restore`; 0: as many as fit */
    unsigned copies;            /* of each stream; of more than one, one may differ. 0: 1 */
    struct roster_rings *rings; /* of a simulation with many agents; NULL: its own */
};

struct agent;

/* Bus and port are borrowed. Facts of earlier runs are recalled here. RC_NOMEM, RC_INVALID (names),
 * RC_CORRUPT (facts). */
MUST_CHECK enum rc agent_open(const struct agent_settings *s, struct bus *b, struct port *p,
                              uint64_t now_ms, struct agent **ret);
void agent_close(struct agent *a);

/* Every event of the bus, in order. */
void agent_event(struct agent *a, const struct bus_event *e, uint64_t now_ms);

/* Does what is due. To be called at agent_due_ms() at the latest, after events, and often: batches
 * for others are sent when it is called. A failure has stopped the agent for good; `agent_why`. */
MUST_CHECK enum rc agent_turn(struct agent *a, uint64_t now_ms);
uint64_t agent_due_ms(const struct agent *a);
/* Nobody waits for it: events may be some milliseconds old, so that one turn does many. */
bool agent_has_time(const struct agent *a);
/* Whether it has stopped because the others have begun a recrawl without it. */
bool agent_is_behind(const struct agent *a);
const char *agent_why(const struct agent *a);
#define AGENT_NAMESAKE "another process runs with this agent's name"
/* Of an agent that waits, or has stopped (RC_LOCKED): the living incarnation of its name, which
 * another process runs; NULL: there is none. */
const struct roster_agent *agent_namesake(const struct agent *a);
/* Whether it may answer what others ask of its name: another process may have the right to. */
bool agent_may_answer(const struct agent *a, uint64_t now_ms);

/* Whether a host is ours at the epoch we know; and whether it may be asked now: ours, its gate
 * open, and the lease young. Cheap. */
bool agent_owns(const struct agent *a, uint64_t position);
/* Of any host: whether anything may be asked at all. */
bool agent_is_fetching(const struct agent *a, uint64_t now_ms);
bool agent_may_fetch(const struct agent *a, uint64_t position, uint64_t now_ms);

/* Whether one more page may be asked for, as far as outcomes that nobody was told go: to be asked
 * before every loan, and not again of a page that was lent. It does not look at the lease. */
bool agent_may_lend(struct agent *a);

/* Asks for it; it comes when the roster allows it. */
void agent_leave(struct agent *a);
void agent_set_weight(struct agent *a, uint32_t weight);

struct agent_status {
    enum agent_state state;
    uint64_t inc;
    uint64_t first_inc; /* the directory began with it: archives of earlier ones are not there */
    uint64_t boot, epoch, settled, roster_length;
    uint64_t generation, cursor, floor;
    uint64_t sent_again;   /* batches that had not arrived, though they were acknowledged */
    uint64_t lease_age_ms; /* UINT64_MAX: none */
    uint64_t parcels, pages_unsent;
    uint64_t untold, untold_most; /* outcomes that our stream has not acknowledged; the bound */
    bool is_paused;               /* nothing is lent until some of them are told */
    uint64_t junk;                /* messages that were no batch, or not from whom they said */
    uint64_t appends, append_bytes, gets, says;
    bool gates_open, is_idle, is_finished;
    bool is_all_finished; /* everybody living has said that it knows so */
    bool may_end;         /* and all have heard that; or it is gone: nobody needs its process */
    bool is_whole;        /* the roster is not known to have lost anything */
    bool is_connected;    /* to a server */
    bool is_founded;      /* the roster has its first entry */
    bool is_roster_read;  /* to its end, once */
    uint64_t silent_ms;   /* so long the roster's stream has answered nothing, though connected */
    uint64_t lost;        /* entries of the roster that the servers have lost, and are not back */
    bool has_namesake;    /* another process renews with its name, and that does not count */
    bool is_deaf;         /* it speaks and does not hear itself: what it listens to is broken */
};
void agent_status(const struct agent *a, uint64_t now_ms, struct agent_status *ret);
/* How many are living and were not heard for the roster's `suspect`. */
uint64_t agent_suspects(const struct agent *a, uint64_t now_ms);
bool agent_is_suspect(const struct agent *a, struct str name, uint64_t now_ms); /* one of them */
/* What keeps it from the next state or from the end, in words; "nothing" if nothing does. */
void agent_waits(struct agent *a, uint64_t now_ms, struct buf *out);
const struct roster *agent_roster(const struct agent *a);
/* As agent_status's; known before anything is read or sent. */
uint64_t agent_first_inc(const struct agent *a);

#endif
