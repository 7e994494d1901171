/* SPDX-License-Identifier: Apache-2.0 */
/* packed_body: the body of an answer as an archive at another place needs it: packed, with its payload's
 * digest. The head of the answer goes beside it as it is.
 *
 *   where the body came    packed_body_make    ── stream, CRC-32, digest ──►    packed_body_check    archive
 *
 * The archive decides with the digest whether the answer is a revisit; if not, it joins the stream to the
 * record (warc/deflated.h). Checking undoes the stream: whatever another process says, the record that
 * the archive then writes is the one that it was told. */
#ifndef ARCHIVE_PACKED_BODY_H
#define ARCHIVE_PACKED_BODY_H

#include "base/digest.h"
#include "warc/deflated.h"

struct packed_body {
    struct deflated deflated;
    struct digest digest;  /* SHA-1 of the payload (warc/payload.h) */
    uint64_t entity_bytes; /* of the payload, chunks removed */
};

struct packed_body_tools;

/* For one thread. NULL without memory. */
struct packed_body_tools *packed_body_tools_open(void);
void packed_body_tools_close(struct packed_body_tools *t);

/* Borrowed from the tools until the next call. RC_NOMEM, RC_LIMIT: it would be more than `most_bytes`. */
MUST_CHECK enum rc packed_body_make(struct packed_body_tools *t, struct str head, struct str body,
                                    size_t most_bytes, struct packed_body *ret);

/* RC_INVALID: stream, length, CRC and digest are not those of one body of at most `most_bytes` behind
 * that head. RC_NOMEM. */
MUST_CHECK enum rc packed_body_check(struct packed_body_tools *t, struct str head,
                                     const struct packed_body *b, size_t most_bytes);

struct warc_payload;

/* The digest of a payload and its length, by the rule of the archive. RC_NOMEM. */
MUST_CHECK enum rc payload_measure(struct warc_payload *p, struct str head, struct str body,
                                   struct digest *ret_digest, uint64_t *ret_bytes);

#endif
