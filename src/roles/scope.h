/* SPDX-License-Identifier: Apache-2.0 */
/* The role `scope`: which URLs belong to the crawl. One for all shards. */
#ifndef ROLES_SCOPE_H
#define ROLES_SCOPE_H

#include "scope/scope.h"
#include "url/idn.h"

#define SCOPE_INTERFACE "scope"

struct scope_service {
    struct scope *scope;
    const struct url_idn *idn;
};

#endif
