/* SPDX-License-Identifier: Apache-2.0 */
/* operator: which crawl a DIR of the command line means, and telling all agents of it.
 *
 *   DIR of `cluster init`           holds operator.login: the whole crawl
 *   DIR of `cluster up`             holds post/operator.login: likewise
 *   an agent's directory            the crawl that runs there says where its login is; the
 *                                   operator's may lie beside it, or in the folder above
 *   any other crawl's directory     that crawl
 *
 * Only the operator's login may tell all agents something; an agent's own may not
 * (docs/cluster.md).
 */
#ifndef CLI_OPERATOR_H
#define CLI_OPERATOR_H

#include "cli/post_client.h"
#include "cluster/post_plan.h"

enum { OPERATOR_PATH_BYTES = 4096 };

enum operator_is {
    OPERATOR_NOT_NEEDED, /* a crawl of one machine, or none that runs */
    OPERATOR_FOUND,
    OPERATOR_MISSING, /* an agent's directory, and no such login near it */
};

struct operator_place {
    enum operator_is is;
    char folder[OPERATOR_PATH_BYTES];    /* where operator.login is */
    char agent[POST_MAX_NAME_BYTES + 1]; /* whose directory DIR is; "": nobody's */
};

void operator_find(const char *dir, struct operator_place *ret);
/* The same for a folder alone, without asking a crawl. */
bool operator_folder(const char *dir, struct operator_place *ret);

/* Opens a connection with that login. EXIT_DONE, or says why not. */
int operator_open(const struct operator_place *p, struct post_login *ret_login,
                  struct post_client *ret);

/* Says a request (control_request.h) to all agents, now and later. Says why not. */
int operator_tell(const struct operator_place *p, struct str line);

/* What to do where OPERATOR_MISSING. */
int operator_say_missing(const struct operator_place *p, const char *command);

#endif
