/* SPDX-License-Identifier: Apache-2.0 */
/* control_client: asks a running crawl over its control socket, for the commands that steer it.
 *
 * What goes wrong is said on standard error; the functions return an exit code then. */
#ifndef CLI_CONTROL_CLIENT_H
#define CLI_CONTROL_CLIENT_H

#include "base/jsonw.h"
#include "cli/command.h"
#include "cli/operator.h"

#include <jansson.h>

struct control_client {
    int fd;
    const char *dir;
    struct buf request; /* for control_begin */
    struct jsonw j;
    struct buf in;
    struct operator_place all; /* OPERATOR_FOUND: what is asked is also said to all agents */
};

/* EXIT_USAGE when no crawl runs there, with how to start it, unless `is_quiet`. */
int control_client_open(struct control_client *c, const char *dir, bool is_quiet);
/* How long an answer is waited for; 60 s otherwise. */
void control_client_limit(struct control_client *c, int seconds);
/* To tell the crawl of DIR something, all its agents if it is of a cluster, unless `only` this one:
 * cli/operator.h says what a DIR may be. */
int control_client_open_all(struct control_client *c, const char *dir, bool only,
                            const char *command);
void control_client_close(struct control_client *c); /* accepts one that was never opened */

/* Begins a request; members are added to c->j, then control_ask() sends it and reads the answer,
 * which is the caller's (json_decref). An error that the crawl answers is said and is EXIT_USAGE
 * where the request was wrong, EXIT_OTHER where it could not be done. */
void control_begin(struct control_client *c, const char *what);
int control_ask(struct control_client *c, json_t **ret);

/* One more line of the answer, for as long as it takes; *ret is NULL when the crawl is gone. */
int control_more(struct control_client *c, json_t **ret);
/* Until the other end has closed: the crawl's process is gone. */
void control_wait_gone(struct control_client *c);

/* A request without members whose answer is a "text" to print. */
int control_tell(const char *dir, const char *what, bool only, bool as_json);

/* Members of an answer. */
uint64_t json_u64(const json_t *j, const char *key);
const char *json_text(const json_t *j, const char *key); /* "" if absent */
/* The answer as it came, with an LF. */
void json_print_line(const json_t *j);

#endif
