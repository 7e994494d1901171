/* SPDX-License-Identifier: Apache-2.0 */
/* up: what `cluster up` keeps running: a server and agents, all children of this process, in one
 * folder.
 *
 *   DIR/post/       what `cluster init` makes; the server and its streams
 *   DIR/a1 …        an agent's directory each, and a1.log with what it says
 *
 * Whoever of them is killed is started again: an agent goes on where it was, and the streams are on
 * the disk. Who ends by itself has a reason, and stays away. */
#ifndef CLI_UP_H
#define CLI_UP_H

#include "cli/children.h"
#include "cli/command.h"
#include "cli/post_server.h"
#include "cli/post_timings.h"

#include "cluster/post_plan.h"

enum { UP_MOST_AGENTS = 64, UP_MOST_WORDS = 200 };

struct up_settings {
    uint64_t agents; /* 0: as many as there were, or the usual number */
    struct str output;
    bool quiet;
    struct post_timings timings;
};

/* When something that was killed may be started again. */
struct up_again {
    unsigned times;
    uint64_t at_ms;    /* 0: it is not waited for */
    uint64_t since_ms; /* it runs since */
};

/* What an agent has said of itself last. */
struct up_progress {
    uint64_t fetched, queued;
    double rate;
    bool is_paused;
};

struct up_agent {
    const char *dir;
    struct child child;
    struct up_again again;
    struct up_progress last;
};

struct up {
    const struct up_settings *s;
    struct invocation *in;
    const char *post; /* DIR/post */
    struct post_plan *plan;
    struct post_server server;
    struct up_again server_again;
    struct up_agent agents[UP_MOST_AGENTS];
    unsigned count;
    int number; /* of the signal that ends it; 0: none; -1: it ends for another reason */
    int code;   /* the first end that was not good */
    bool is_line_open;
    bool is_reached; /* a limit, by an earlier run */
};

/* In the arena; NULL: no memory, or too long. */
const char *up_text(struct up *u, const char *format, ...) PRINTF_LIKE(2, 3);
/* A line for a person, behind the progress line. */
void up_say(struct up *u, const char *format, ...) PRINTF_LIKE(2, 3);
/* Whether what was killed is to be started again, and when: later and later, ten times at most in
 * a row. */
bool up_again(struct up_again *a, uint64_t now_ms);

/* up_post.c: the folder, the server, its streams. EXIT_DONE, or says why not. */
int up_post_open(struct up *u);
void up_post_look(struct up *u, uint64_t now_ms); /* starts one again that was killed */

/* up_agents.c */
int up_agents_start(struct up *u);
void up_agents_end(struct up *u); /* tells them; they end in order */
/* Who has ended, who is to be started again; how many run or will. */
unsigned up_agents_look(struct up *u, uint64_t now_ms);
void up_agents_show(struct up *u, unsigned running);
void up_agents_last_words(struct up *u);

#endif
