/* SPDX-License-Identifier: Apache-2.0 */
/* redo: what a journal says has happened, done once more to a frontier from which nothing is
 * checked out yet.
 *
 * Everything here may be done any number of times and to a frontier that is already further on: a
 * bucket's snapshot may be younger than the batch (ledger/ledger.h). So a URL that is not queued
 * any more stays away, and a moment that has passed changes nothing. */
#ifndef FRONTIER_REDO_H
#define FRONTIER_REDO_H

#include "frontier/frontier.h"

/* How a checkout of that URL ended: DONE takes it out of its queue, LAST moves it to the end.
 * Normally it is the head. `sequence` is what the checkout had: a URL that came with a snapshot
 * still has it, so that one which has left costs no search among those. Without memory LAST does
 * nothing. */
struct redo {
    uint64_t host_hash;
    struct str host;
    struct str path;
    uint64_t sequence;
    uint16_t port;
    bool is_https;
    uint8_t class;
    enum checkin how;
    bool by_path;    /* the sequence says nothing: all of the queue is searched */
    uint64_t due_ms; /* the host is not asked earlier */
};
void frontier_redo(struct frontier *f, const struct redo *r);

/* No host in memory is asked before that moment. */
void frontier_hold_all(struct frontier *f, uint64_t due_ms);

/* Other limits from now on. While a journal is done again there are none: what was admitted once
 * has to be admitted again, though the order of arrival is another. */
void frontier_limit(struct frontier *f, const struct frontier_settings *s);

#endif
