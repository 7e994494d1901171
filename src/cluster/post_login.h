/* SPDX-License-Identifier: Apache-2.0 */
/* post_login: the file with which somebody logs in: an agent, the operator, the administrator.
 * It holds passwords: 0600, and on no machine but its owner's. */
#ifndef CLUSTER_POST_LOGIN_H
#define CLUSTER_POST_LOGIN_H

#include "cluster/post_plan.h"

enum { POST_LOGIN_MAX_BYTES = 4 << 10, POST_MAX_USER_BYTES = POST_MAX_NAME_BYTES + 8 };

struct post_login {
    char crawl[POST_MAX_NAME_BYTES + 1];
    char name[POST_MAX_NAME_BYTES + 1];
    char url[64];
    char say_user[POST_MAX_USER_BYTES + 1];
    struct secret say;
    char hear_user[POST_MAX_USER_BYTES + 1]; /* "": says only */
    struct secret hear;
    uint32_t copies; /* of each stream; 0: not said */
};

void post_login_write(const struct post_login *l, struct buf *out);
/* RC_INVALID. */
MUST_CHECK enum rc post_login_read(struct str json, struct post_login *ret);

#endif
