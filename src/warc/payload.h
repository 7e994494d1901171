/* SPDX-License-Identifier: Apache-2.0 */
/* payload: what a record's block carries, and its digest, in one pass over the block.
 *
 * The payload digest is over the entity: of an HTTP message the body with its chunks removed and
 * its content coding kept; of anything else the block. A body that says it is chunked and is not
 * (see CHUNKED_BROKEN) has no entity to speak of: its digest is then over the body as it is stored.
 * A cut body's digest is over what came. Headers with status 1xx (but 101) that come before the
 * answer's own are passed over. An HTTP message without the empty line behind its header,
 * or with a header of more than 256 KiB, has an empty body. */
#ifndef WARC_PAYLOAD_H
#define WARC_PAYLOAD_H

#include "base/chunked.h"
#include "base/digest.h"

enum { PAYLOAD_MAX_HEAD = 256 << 10 };

struct warc_payload_plan {
    bool is_http;          /* the block is an HTTP message */
    bool digest;           /* wanted at all, of this kind: */
    enum digest_kind kind; /* (zero is SHA-1) */
    bool stored_too;       /* also the digest of everything behind the first header */
};

struct warc_payload_facts {
    struct str head; /* the (last) HTTP header block, borrowed until the next begin; else empty */
    bool head_whole; /* its empty line was there */
    unsigned status; /* 0 when there is none */
    struct str mime; /* of the HTTP header, borrowed from head; may be absent */
    bool is_chunked; /* what follows holds only then */
    struct chunked chunks; /* how they ended, and where */
    uint64_t surplus;      /* bytes behind the last chunk */
    uint64_t entity_bytes; /* without chunks; of a broken body what came before the problem */
    uint64_t stored_bytes; /* the body as it lies in the block */
    struct digest entity;  /* if asked for */
    struct digest stored;  /* if asked for: with chunks and, behind a 1xx, with headers */
};

/* NULL without memory. Holds its buffers from one block to the next. */
struct warc_payload *warc_payload_open(void);
void warc_payload_close(struct warc_payload *p);

/* A block, piece by piece. Failures wait for the end, which may be called once a begin. */
void warc_payload_begin(struct warc_payload *p, struct warc_payload_plan plan);
void warc_payload_add(struct warc_payload *p, struct str piece);
MUST_CHECK enum rc warc_payload_end(struct warc_payload *p, struct warc_payload_facts *ret);

/* The payload digest of an HTTP block that lies in memory as `count` pieces, by the rule above
 * (broken chunks: as stored). One pass, or two when chunks are broken. *ret_facts may be NULL. */
MUST_CHECK enum rc warc_payload_digest(struct warc_payload *p, const struct str *pieces,
                                       size_t count, enum digest_kind kind,
                                       struct digest *ret_digest,
                                       struct warc_payload_facts *ret_facts);

#endif
