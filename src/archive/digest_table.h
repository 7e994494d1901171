/* SPDX-License-Identifier: Apache-2.0 */
/* digest_table: payloads seen lately and the record that has each, so that the next capture with
 * the same payload is written as a revisit.
 *
 * Bounded: the payload used longest ago in its stripe goes first. A payload that was dropped is
 * stored again, which costs only room. Shared by all shards: a digest belongs to one of
 * DIGEST_TABLE_STRIPES stripes, each with a lock of its own that is held for a lookup.
 *
 * A payload enters when its capture's outcome is in the journal, not before: a revisit's own
 * outcome then stands behind that of the record it refers to, and no crash leaves it alone. A
 * truncated payload never enters: it is not what its digest will be compared with. */
#ifndef ARCHIVE_DIGEST_TABLE_H
#define ARCHIVE_DIGEST_TABLE_H

#include "base/digest.h"
#include "warc/records.h"

enum { DIGEST_TABLE_STRIPES = 16, DIGEST_TABLE_MAX_URI = 2048 };

/* The record that has a payload. */
struct digest_ref {
    struct warc_id id; /* all zeros: not known */
    int64_t date_ms;
    struct str uri;
};

static inline bool digest_ref_has_id(const struct digest_ref *r)
{
    static const struct warc_id none;
    return memcmp(r->id.bytes, none.bytes, sizeof none.bytes) != 0;
}

struct digest_table;

/* At most about `max_bytes` of memory in all. NULL without memory. */
struct digest_table *digest_table_open(uint64_t max_bytes);
void digest_table_close(struct digest_table *t);

/* Remembers a payload, or that it has been used again: the record that came first stays. A URI
 * longer than DIGEST_TABLE_MAX_URI, or no memory, and it is not remembered. Any thread. */
void digest_table_put(struct digest_table *t, const struct digest *d, const struct digest_ref *ref);

/* Whether it is known; the URI is then put into `uri_room` (cleared first), which ret->uri borrows.
 * False also if it does not fit there. Any thread. */
bool digest_table_get(struct digest_table *t, const struct digest *d, struct buf *uri_room,
                      struct digest_ref *ret);

/* Payloads and bytes held. */
uint64_t digest_table_count(struct digest_table *t);
uint64_t digest_table_bytes(struct digest_table *t);

#endif
