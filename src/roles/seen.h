/* SPDX-License-Identifier: Apache-2.0 */
/* seen: how a set of fingerprints is kept: exactly in memory, in a database, or in a Bloom filter.
 *
 * The role serves two kinds of wirings. Where lines of text are handled
 * (wirings/unique-lines.yaml), a step calls add(); each shard has a set of its own, so calls need
 * no lock. In a crawl the set belongs to the frontier and survives a crash together with it. So the
 * ledger keeps it (ledger/ledger_seen.c) as `plan` says, and never calls add(). */
#ifndef ROLES_SEEN_H
#define ROLES_SEEN_H

#include "base/rc.h"

#include <stdbool.h>
#include <stdint.h>

#define SEEN_INTERFACE "seen"

enum seen_kind {
    SEEN_LINES_ONLY, /* a crawl cannot use it */
    SEEN_EXACT,      /* in the frontier's buckets */
    SEEN_ROCKSDB,    /* in a database of the crawl's directory */
    SEEN_BLOOM,      /* in a Bloom filter, which loses some URLs */
};

/* How a crawl keeps its set. Constant once the provider is open; any thread may read it. */
struct seen_plan {
    enum seen_kind kind;
    uint64_t memory_bytes; /* of a database */
    uint64_t expected;     /* URLs that a filter is made for, */
    double loss;           /* and the share of new ones that it may lose with them */
};

struct seen {
    /* Puts a fingerprint in; *ret_was_there tells whether it was there already (which a filter may
     * say wrongly). RC_LIMIT when the stated maximum is reached. */
    enum rc (*add)(struct seen *s, uint64_t fingerprint, bool *ret_was_there);
    uint64_t (*count)(const struct seen *s);
    struct seen_plan plan;
};

#endif
