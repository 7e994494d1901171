/* SPDX-License-Identifier: Apache-2.0 */
/* up: the server and the agents of `cluster up`, all children of this process, in one folder.
 *
 *   DIR/post/       what `cluster init` makes; the server and its streams
 *   DIR/a1 …        the directory of each agent, and a1.log with its output
 *
 * A child that is killed is started again: an agent resumes its crawl, and the streams are on the
 * disk. A child that ends by itself has a reason, and is not started again. */
#ifndef CLI_CLUSTER_UP_H
#define CLI_CLUSTER_UP_H

#include "cli/cluster/children.h"
#include "cli/command.h"
#include "provision/nats_server.h"
#include "provision/timings.h"

#include "cluster/wire/nats_plan.h"

#include <signal.h>

enum { UP_MOST_AGENTS = 64, UP_MOST_WORDS = 200, UP_AGENTS = 3 };

struct up_settings {
    uint64_t agents; /* 0: as many as there were, or 3 */
    struct str output;
    struct str wiring; /* of the ring, or one with a pool (up_star.c) */
    bool quiet;
    struct founding_timings timings;
};

/* When a killed child may be started again. */
struct up_restart {
    unsigned times;
    uint64_t at_ms;    /* 0: no restart is due */
    uint64_t since_ms; /* when it was started */
};

/* The last status of an agent. */
struct up_progress {
    uint64_t fetched, queued;
    double rate;
    bool is_paused;
};

struct up_agent {
    const char *dir;
    struct child child;
    struct up_restart restart;
    struct up_progress last;
    bool has_ended; /* for good; of a wiring with a pool */
};

struct up {
    const struct up_settings *s;
    struct invocation *in;
    const char *nats_dir; /* DIR/post */
    struct nats_plan *plan;
    struct nats_server server;
    struct up_restart server_restart;
    struct up_agent agents[UP_MOST_AGENTS];
    unsigned count;
    int number; /* of the signal that ends it; 0: none; -1: it ends for another reason */
    int code;   /* the first bad exit code */
    bool is_line_open;
    bool is_reached;     /* an earlier run reached a limit */
    const char *manager; /* of a wiring with a pool: address:port */
    uint64_t until_ms;   /* its members may end by themselves until then */
};

/* In the arena; NULL: no memory, or too long. */
const char *up_text(struct up *u, const char *format, ...) PRINTF_LIKE(2, 3);
/* Prints a line for a person, below the progress line. */
void up_say(struct up *u, const char *format, ...) PRINTF_LIKE(2, 3);
/* Whether to start a killed child again; at_ms says when. Each time in a row waits longer, and
 * there are at most ten. */
bool up_restart(struct up_restart *a, uint64_t now_ms);

/* up_nats.c: the folder, the server, its streams. EXIT_DONE, or prints why not. */
int up_nats_open(struct up *u);
void up_nats_look(struct up *u, uint64_t now_ms); /* restarts a killed server */

/* up_agents.c */
int up_agents_start(struct up *u);
void up_agents_end(struct up *u); /* sends SIGTERM; they end in order */
/* Notes which agents have ended and starts killed ones again; returns how many run, or will. */
unsigned up_agents_look(struct up *u, uint64_t now_ms);
void up_agents_show(struct up *u, unsigned running);
void up_agent_ask(struct up *u,
                  unsigned i); /* for its last status; nothing changes if it does not answer */
void up_agents_last_words(struct up *u);

/* Whether the wiring has a pool. */
static inline bool up_is_star(const struct up *u)
{
    return !str_eq(u->s->wiring, STR("ring"));
}

/* up_star.c: the wiring that was asked for, or that of the star which has begun in DIR, or ring. */
struct str up_star_wiring(struct up *u);
/* Starts the manager and its members, and returns when all have ended. */
int up_star_run(struct up *u, const sigset_t *set);

#endif
