/* SPDX-License-Identifier: Apache-2.0 */
/* The role `pace`: when a host may be asked again. One for all shards. */
#ifndef ROLES_PACE_H
#define ROLES_PACE_H

#include "host/pace.h"

#define PACE_INTERFACE "pace"

/* Settings that may change while the crawl runs. Any thread. */
struct pace_service {
    struct pace_settings (*now)(struct pace_service *s);
};

#endif
