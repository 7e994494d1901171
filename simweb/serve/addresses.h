/* SPDX-License-Identifier: Apache-2.0 */
/* addresses: which loopback addresses a world needs, and for what. */
#ifndef SERVE_ADDRESSES_H
#define SERVE_ADDRESSES_H

#include "faults/fault.h"

struct address {
    uint32_t ip;
    bool is_https; /* https is spoken there too */
    bool is_silent;
};

struct addresses {
    struct address *list; /* by ip, each once */
    uint32_t count;
    uint32_t cap;
};

enum { ADDRESSES_MAX = 4 * 1000 * 1000 };

/* RC_NOMEM, RC_LIMIT. Zeroed before; addresses_done also after a failure. */
MUST_CHECK enum rc addresses_of(const struct world *w, struct addresses *ret);
void addresses_done(struct addresses *a);

#endif
