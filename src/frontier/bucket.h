/* SPDX-License-Identifier: Apache-2.0 */
/* bucket: everything of the hosts whose positions begin with the same 12 bits. */
#ifndef FRONTIER_BUCKET_H
#define FRONTIER_BUCKET_H

#include "frontier/host.h"
#include "frontier/seen.h"

struct bucket {
    struct seen_set seen;
    struct host **hosts; /* open addressing by position, NULL = free */
    uint32_t host_slots; /* a power of two */
    uint32_t host_count;
    /* For the choice of who rests (frontier/rest.h): */
    uint32_t out;      /* of its hosts */
    uint64_t queued;   /* of all its hosts */
    uint64_t bytes;    /* memory */
    uint64_t since_ms; /* it is resident */
    bool is_leaving;   /* its hosts are in no heap: nobody is lent any more */
    bool is_fresh;     /* it was loaded with somebody ready, and has lent nothing yet */
    bool is_stuck;     /* it has no image that fits: never rests */
};

/* Frees all it holds, not itself. */
void bucket_done(struct bucket *b, uint64_t *bytes);

/* The host of that name, or NULL. Two names may have one position. */
struct host *bucket_host(const struct bucket *b, uint64_t position, struct str name);

/* A new one, which is not there yet; NULL without memory. */
struct host *bucket_add_host(struct bucket *b, uint64_t position, struct str name, uint64_t *bytes);

/* Takes one out that is in no heap, and frees it. */
void bucket_remove_host(struct bucket *b, struct host *h, uint64_t *bytes);

#endif
