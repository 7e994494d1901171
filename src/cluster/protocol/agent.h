/* SPDX-License-Identifier: Apache-2.0 */
/* agent: one member of a cluster, as a state machine without I/O and without a clock.
 *
 *   START ─► RECOVER ─► UP ⇄ FENCED
 *     └────► RETURN ──► JOINING ─► UP ─► LEAVING ─► GONE        STOPPED: it cannot continue
 *
 * docs/cluster-protocol.md describes the whole protocol. The caller hands in the events of the bus
 * (agent_event, from bus_poll) and the time (agent_turn). The crawl and its journal stand behind
 * cluster/protocol/port.h. now_ms is CLOCK_BOOTTIME's: it runs while the machine sleeps, and the
 * agent notices when it jumps.
 *
 * The files behind it, one idea each:
 *   log.c       reads the roster log, journals the copy, restores what the servers lost
 *   lease.c     renewals, and the fence
 *   detector.c  heartbeats of the others; which agents are silent; accusations
 *   outbox.c    pages of the journal ─► parcels ─► acknowledged ─► confirmed ─► forgotten
 *   untold.c    bounds the pages that are done and whose outcome is not acknowledged
 *   links.c     numbers parcels for each receiver, and sends them again until they are confirmed
 *   inbox.c     our own stream ─► the crawl; cursor, acked_through, generation
 *   receipts.c  which numbers of each sender are durable here
 *   passes.c    reads a stream so often that no message stays unseen although its copies differ
 *   gates.c     handover marks received: which hosts may be asked
 *   handover.c  hosts that we have lost, to their new owners
 *   adoption.c  the streams of dead agents, to the new owners of their hosts
 *   recrawls.c  which recrawl this agent works on
 *   finish.c    whether the whole crawl has ended
 *   rhythm.c      how soon the agent sends, polls and syncs
 *   namesake.c  another process with this agent's name
 *   tally.c     what other agents have used of the crawl's budgets
 *   view.c      the cluster as this agent sees it, for people
 *   waits.c     what the agent waits for, in words */
#ifndef CLUSTER_PROTOCOL_AGENT_H
#define CLUSTER_PROTOCOL_AGENT_H

#include "bus/bus.h"
#include "cluster/protocol/port.h"
#include "cluster/roster/roster.h"

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
    struct str crawl, name; /* tokens of subjects; copied */
    uint32_t weight;        /* ASSIGN_WEIGHT_ONE is an ordinary agent */
    uint64_t seed;          /* of boots and jitter; it must differ at every start */
    uint64_t gap_ms;        /* a jump of the clock by more fences the agent; usually 5,000 */
    /* between two polls of a stream that had nothing new; usually 100 */
    uint64_t poll_ms;
    size_t outbox_most; /* pages, and parcels, under way at a time; 0: 1,024 */
    /* pages that are done and whose outcome is not acknowledged; 0: no bound */
    uint64_t untold_most;
    size_t restore_most; /* bytes of lost entries in one `restore`; 0: as many as fit */
    unsigned copies;     /* of each stream; copies may differ if there are several. 0: 1 */
    /* shared rings of a simulation with many agents; NULL: the agent has its own */
    struct roster_rings *rings;
};

struct agent;

/* The bus and the port are borrowed. The agent recalls the facts of earlier runs here. RC_NOMEM,
 * RC_INVALID (names), RC_CORRUPT (facts). */
MUST_CHECK enum rc agent_open(const struct agent_settings *s, struct bus *b, struct port *p,
                              uint64_t now_ms, struct agent **ret);
void agent_close(struct agent *a);

/* The caller hands in every event of the bus, in order. */
void agent_event(struct agent *a, const struct bus_event *e, uint64_t now_ms);

/* Does what is due. Call it at agent_due_ms() at the latest, after events, and often: it also sends
 * the batches for other agents. After a failure the agent has stopped for good; see agent_why(). */
MUST_CHECK enum rc agent_turn(struct agent *a, uint64_t now_ms);
uint64_t agent_due_ms(const struct agent *a);
/* No other agent waits for this one. The caller may hand in events some milliseconds late, so that
 * one turn handles many. */
bool agent_has_time(const struct agent *a);
/* The agent has stopped because the others began a recrawl without it. */
bool agent_is_behind(const struct agent *a);
const char *agent_why(const struct agent *a);
#define AGENT_NAMESAKE "another process runs with this agent's name"
/* For an agent that waits, or has stopped with RC_LOCKED: the living incarnation of its name, which
 * another process runs. NULL: there is none. */
const struct roster_agent *agent_namesake(const struct agent *a);
/* Whether the agent may answer requests that other agents send to its name: another process may
 * have that right. */
bool agent_may_answer(const struct agent *a, uint64_t now_ms);

/* agent_owns: the host is ours at the epoch we know. agent_is_fetching: this agent may make
 * requests at all. agent_may_fetch: the host is ours, its gate is open, and the lease is young. All
 * are cheap. */
bool agent_owns(const struct agent *a, uint64_t host_hash);
bool agent_is_fetching(const struct agent *a, uint64_t now_ms);
bool agent_may_fetch(const struct agent *a, uint64_t host_hash, uint64_t now_ms);

/* Whether one more host may be checked out, as far as untold outcomes go. Ask before every
 * checkout, and not again for a page of a host that is checked out. The lease is not checked
 * here. */
bool agent_may_claim(struct agent *a);

/* Both ask for a change, which comes when the roster allows it. */
void agent_leave(struct agent *a);
void agent_set_weight(struct agent *a, uint32_t weight);

struct agent_status {
    enum agent_state state;
    uint64_t inc;
    uint64_t first_inc; /* of the directory; archives of earlier incarnations are not in it */
    uint64_t boot, epoch, settled, roster_length;
    uint64_t generation, cursor, acked_through;
    uint64_t sent_again;   /* batches that were acknowledged and had not arrived */
    uint64_t lease_age_ms; /* UINT64_MAX: there is no lease */
    uint64_t parcels, pages_unsent;
    uint64_t untold, untold_most; /* outcomes that our stream has not acknowledged; their bound */
    bool is_paused;               /* no host is checked out until some outcomes are told */
    /* messages that were no batch, or whose sender was not the subject's */
    uint64_t junk;
    uint64_t appends, append_bytes, gets, says;
    bool gates_open, is_idle, is_finished;
    bool is_all_finished; /* all living agents have said that the crawl is finished */
    /* all have heard that, or this agent is gone: no other agent needs this process */
    bool may_end;
    bool is_whole;       /* no entry of the roster is known to be lost */
    bool is_connected;   /* to a server */
    bool is_founded;     /* the roster has its first entry */
    bool is_roster_read; /* the roster was read to its end, once */
    /* how long the roster's stream has not answered although a server is connected */
    uint64_t silent_ms;
    /* entries of the roster that the servers have lost and that are not back */
    uint64_t lost;
    /* another process renews with this agent's name, and its renewals do not count */
    bool has_namesake;
    /* the agent does not hear its own heartbeats: its subscription is broken */
    bool has_no_loopback;
};
void agent_status(const struct agent *a, uint64_t now_ms, struct agent_status *ret);
/* How many living agents were not heard for the roster's `suspect`. */
uint64_t agent_suspects(const struct agent *a, uint64_t now_ms);
/* whether that agent is one of them */
bool agent_is_suspect(const struct agent *a, struct str name, uint64_t now_ms);
/* What keeps the agent from the next state or from the end, in words; "nothing" if it waits for
 * nothing. */
void agent_waits(struct agent *a, uint64_t now_ms, struct buf *out);
const struct roster *agent_roster(const struct agent *a);
/* The same as agent_status's; known before the agent reads or sends anything. */
uint64_t agent_first_inc(const struct agent *a);

#endif
