/* SPDX-License-Identifier: Apache-2.0 */
/* deflated: the body of a record that one process packs and another joins to the record's member.
 *
 *   here        gzip header | WARC header, HTTP header |                       | CRC-32, length
 *   elsewhere                                          | body, CR LF CR LF     |
 *                                                        deflate, to its last block
 *
 * So the packing, which costs most, is paid where the body came. A process that joins what others
 * packed undoes it first, unless it trusts them: a stream that ends before its last byte could
 * otherwise have a gzip member of its own behind it, with a record that no crawl has made.
 *
 * What is packed is a function of the body alone. One thread uses a packer or an unpacker. */
#ifndef WARC_DEFLATED_H
#define WARC_DEFLATED_H

#include "base/buf.h"

enum { DEFLATED_END_BYTES = 4 }; /* behind the body: the end of a record */

struct deflated {
    struct str stream; /* RFC 1951, whole: its last block ends with its last byte */
    uint64_t bytes;    /* of the body */
    uint32_t crc;      /* CRC-32 of the body and the four bytes behind it */
};

/* The CRC-32 of something and the body with its end behind it. */
uint32_t deflated_crc_behind(uint32_t crc, const struct deflated *d);

struct deflated_packer;
struct deflated_unpacker;

/* NULL without memory. */
struct deflated_packer *deflated_packer_open(void);
void deflated_packer_close(struct deflated_packer *p);
struct deflated_unpacker *deflated_unpacker_open(void);
void deflated_unpacker_close(struct deflated_unpacker *u);

/* Packs a body as the fast writer does (writer.h): what is packed already is stored. Borrowed from the
 * packer until the next call. RC_NOMEM, RC_LIMIT: it would be more than `most_bytes`. */
MUST_CHECK enum rc deflated_pack(struct deflated_packer *p, struct str body, size_t most_bytes,
                                 struct deflated *ret);

/* The body again, borrowed from the unpacker until the next call. RC_INVALID: the stream does not end
 * where it says, or has another length or CRC, or no record's end; RC_LIMIT: `bytes` is above
 * `most_bytes`, and nothing was undone. RC_NOMEM. */
MUST_CHECK enum rc deflated_unpack(struct deflated_unpacker *u, const struct deflated *d,
                                   size_t most_bytes, struct str *ret_body);

#endif
