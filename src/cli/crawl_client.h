/* SPDX-License-Identifier: Apache-2.0 */
/* crawl_client: asks the crawl of a DIR, or tells all agents of it, for the commands that steer.
 *
 * control/control_client.h speaks the protocol. This client prints on standard error what fails,
 * and its functions return an exit code. */
#ifndef CLI_CRAWL_CLIENT_H
#define CLI_CRAWL_CLIENT_H

#include "cli/command.h"
#include "cli/operator.h"
#include "control/answer_json.h"
#include "control/control_client.h"

struct crawl_client {
    struct control_client control;
    struct operator_dir all; /* OPERATOR_FOUND: a request also goes to all agents */
};

/* EXIT_USAGE when no crawl runs there; prints how to start it, unless `is_quiet`. */
int crawl_client_open(struct crawl_client *c, const char *dir, bool is_quiet);
/* For a request to the crawl of DIR, and in a cluster to all its agents, unless `only` this one:
 * cli/operator.h says what a DIR may be. `command` is for an error. */
int crawl_client_open_all(struct crawl_client *c, const char *dir, bool only, const char *command);
void crawl_client_close(struct crawl_client *c); /* accepts a zeroed one */

/* False: DIR is the operator's folder, so that requests go to all agents and no crawl answers. */
static inline bool crawl_client_is_connected(const struct crawl_client *c)
{
    return c->control.fd >= 0;
}

/* Begins a request; the caller adds members to what is returned. */
struct jsonw *crawl_client_begin(struct crawl_client *c, const char *what);
/* Sends the request; the answer is the caller's (json_decref). EXIT_USAGE where the crawl refuses
 * the request, EXIT_OTHER where it cannot do it, EXIT_CLUSTER where not all agents can be told. */
int crawl_client_ask(struct crawl_client *c, json_t **ret);

/* Sends a request without members and prints the "text" of its answer. */
int crawl_client_tell(const char *dir, const char *what, bool only, bool as_json);

/* The answer as it came, with an LF. */
void json_print_line(const json_t *j);

#endif
