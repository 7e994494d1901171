/* SPDX-License-Identifier: Apache-2.0 */
/* seen: the interface behind which a set of fingerprints is kept: exact in memory, a Bloom filter,
 * a database. Each shard has its own, so calls need no lock. */
#ifndef COMPONENTS_SEEN_H
#define COMPONENTS_SEEN_H

#include "base/rc.h"

#include <stdbool.h>
#include <stdint.h>

#define SEEN_INTERFACE "seen"

struct seen {
    /* Puts a fingerprint in; *ret_was_there tells whether it was there already (which a filter may
     * say wrongly). RC_LIMIT when the stated maximum is reached. */
    enum rc (*add)(struct seen *s, uint64_t fingerprint, bool *ret_was_there);
    uint64_t (*count)(const struct seen *s);
};

#endif
