/* SPDX-License-Identifier: Apache-2.0 */
/* operator: which crawl a DIR of the command line means, and how a request reaches all its agents.
 *
 *   DIR of `cluster init`           holds operator.login: the whole crawl
 *   DIR of `cluster up`             holds post/operator.login: likewise
 *   an agent's directory            the crawl that runs there says where its login is; the
 *                                   operator's may lie beside it, or in the folder above
 *   any other crawl's directory     that crawl
 *
 * Only the operator's login may send a request to all agents; an agent's own may not
 * (docs/cluster.md). */
#ifndef CLI_OPERATOR_H
#define CLI_OPERATOR_H

#include "cluster/wire/nats_plan.h"
#include "provision/nats_client.h"

enum { OPERATOR_PATH_BYTES = 4096 };

enum operator_is {
    OPERATOR_NOT_NEEDED, /* a crawl of one machine, or none that runs */
    OPERATOR_FOUND,
    OPERATOR_MISSING, /* an agent's directory, and no such login near it */
};

struct operator_dir {
    enum operator_is is;
    char folder[OPERATOR_PATH_BYTES];    /* where operator.login is */
    char agent[NATS_MAX_NAME_BYTES + 1]; /* whose directory DIR is; "": no agent's */
};

void operator_find(const char *dir, struct operator_dir *ret);
/* The same for a folder alone, without asking a crawl. */
bool operator_folder(const char *dir, struct operator_dir *ret);

/* Connects with that login. EXIT_DONE, or prints why not. */
int operator_open(const struct operator_dir *o, struct nats_login *ret_login,
                  struct nats_client *ret);

/* Sends a request (control/control_request.h) to all agents, those of now and those that join
 * later. EXIT_DONE, or prints why not. */
int operator_tell(const struct operator_dir *o, struct str line);

/* Prints what to do where OPERATOR_MISSING. EXIT_USAGE. */
int operator_say_missing(const struct operator_dir *o, const char *command);

#endif
