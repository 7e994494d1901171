/* SPDX-License-Identifier: Apache-2.0 */
/* nats_login: the login file of an agent, the operator or the administrator. It holds passwords, so
 * its mode is 0600, and it belongs only on the machine of its owner. */
#ifndef CLUSTER_WIRE_NATS_LOGIN_H
#define CLUSTER_WIRE_NATS_LOGIN_H

#include "cluster/wire/nats_plan.h"

enum { NATS_LOGIN_MAX_BYTES = 4 << 10, NATS_MAX_USER_BYTES = NATS_MAX_NAME_BYTES + 8 };

struct nats_login {
    char crawl[NATS_MAX_NAME_BYTES + 1];
    char name[NATS_MAX_NAME_BYTES + 1];
    char url[64];
    char say_user[NATS_MAX_USER_BYTES + 1];
    struct secret say;
    char hear_user[NATS_MAX_USER_BYTES + 1]; /* "": it only sends */
    struct secret hear;
    uint32_t copies; /* of each stream; 0: not given */
};

void nats_login_write(const struct nats_login *l, struct buf *out);
/* RC_INVALID. */
MUST_CHECK enum rc nats_login_read(struct str json, struct nats_login *ret);

#endif
