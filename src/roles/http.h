/* SPDX-License-Identifier: Apache-2.0 */
/* The role `http`: asks web servers. The interface is struct http itself. One a shard. schedule and
 * disposition use it for hints alone (net/keep.h), and need none where it is at another place. */
#ifndef ROLES_HTTP_H
#define ROLES_HTTP_H

#include "net/http.h"
#include "net/keep.h"

#define HTTP_INTERFACE "http"

#endif
