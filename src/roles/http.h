/* SPDX-License-Identifier: Apache-2.0 */
/* The role `http`: asks web servers. The interface is struct http itself. One a shard. */
#ifndef ROLES_HTTP_H
#define ROLES_HTTP_H

#include "net/http.h"

#define HTTP_INTERFACE "http"

#endif
