/* SPDX-License-Identifier: Apache-2.0 */
/* parts: small parts that count what happens to them, for the tests of flow.
 *
 * The message is a number. `witness` sees everything: how many numbers are alive, what arrived and
 * in which order, what was opened and closed. Tests run one flow at a time and reset it first. */
#ifndef TESTS_FLOW_PARTS_H
#define TESTS_FLOW_PARTS_H

#include "flow/catalog.h"
#include "flow/flow.h"

#include <stdatomic.h>

struct number {
    struct message head;
    uint64_t value;
    unsigned made_on; /* shard */
    unsigned hops;    /* left, for `hop` */
};

enum { WITNESS_SHARDS = 16 };

struct witness {
    _Atomic int64_t alive, most_alive; /* numbers made and not yet released */
    _Atomic uint64_t made;
    _Atomic uint64_t arrived, sum;
    _Atomic uint64_t out_of_order;
    _Atomic uint64_t foreign; /* handled on another shard than where they were made */
    _Atomic uint64_t wrong_thread;
    _Atomic uint64_t changed; /* live changes seen */
    _Atomic uint64_t last_ms; /* the clock when the last arrived */
    char events[4000];        /* "open a, open b, close b, ...", on the opener's thread only */
};
extern struct witness witness;
void witness_reset(void);

/* numbers (source, on each shard), onenumbers (source, on one), pass, hop, split, delay, breaks,
 * abroad, batch, collect; provider greeting: base, shouting. */
extern const struct catalog test_catalog;

/* Reads, runs to the end and closes. With `one_thread` on the caller's. Fails the test if the
 * wiring is not in order; returns how it ended, with the reason in `why`. */
enum rc run_wiring(const char *yaml, bool one_thread, struct buf *why);

/* The wiring, or the test fails and shows the problems. */
struct wiring *must_read(const char *yaml);

#endif
