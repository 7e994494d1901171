/* SPDX-License-Identifier: Apache-2.0 */
/* frame: what an agent and the archive machine say to each other, as bytes (docs/sink.md).
 *
 *   frame    length 4 (of what follows), kind 1, body
 *   HELLO    version 2, text name, text secret            the agent's first frame
 *   PUT      what 1, text name, bytes 8, SHA-256 32       offers a whole file
 *   DATA     1 to SINK_MAX_PIECE_BYTES bytes              its next piece
 *   WELCOME  version 2
 *   MORE     offset 8                                     the next piece begins there
 *   STORED                                                the file is durable: the offer is over
 *   WORKING                                               an answer will come
 *   REFUSED  code 1, text                                 the offer is over; or the connection
 *
 * Integers are little endian; a text is a byte with its length, then its bytes. Every frame of the
 * agent has one answer, with any number of WORKING before it. Bytes in, bytes out: no socket. */
#ifndef SINK_FRAME_H
#define SINK_FRAME_H

#include "base/buf.h"
#include "base/digest.h"

enum {
    SINK_VERSION = 1,
    SINK_MAX_PIECE_BYTES = 1 << 20,
    SINK_MAX_TEXT_BYTES = 255,
    SINK_HEAD_BYTES = 4,
    SINK_MAX_FRAME_BYTES = SINK_HEAD_BYTES + 1 + SINK_MAX_PIECE_BYTES,
    SINK_MAX_SMALL_BYTES = 600, /* every frame but DATA is at most this long */
};

enum sink_kind {
    SINK_HELLO = 1,
    SINK_PUT = 2,
    SINK_DATA = 3,
    SINK_WELCOME = 16,
    SINK_MORE = 17,
    SINK_STORED = 18,
    SINK_WORKING = 19,
    SINK_REFUSED = 20,
};

/* What a file is; it decides where the file goes. */
enum sink_what {
    SINK_WARC = 1,  /* NAME.warc.gz */
    SINK_INDEX = 2, /* NAME.warc.gz.cdxj: the index lines of that file */
};

enum sink_code {
    SINK_BAD = 1,       /* not this protocol, or not allowed now; the connection ends */
    SINK_LOGIN = 2,     /* no agent has that name and secret; the connection ends */
    SINK_BUSY = 3,      /* another connection brings this file, or there are too many: try later */
    SINK_FULL = 4,      /* the disk is full: try later */
    SINK_CONFLICT = 5,  /* another file has that name */
    SINK_MISMATCH = 6,  /* the bytes have another SHA-256 and were dropped: begin at 0 again */
    SINK_TOO_LARGE = 7, /* larger than the archive machine allows */
    SINK_TROUBLE = 8,   /* the machine's disk fails; the connection ends */
    SINK_CODES_
};

const char *sink_code_text(enum sink_code code); /* for people; never NULL */

/* Only the fields of its kind count. Texts and data are borrowed. */
struct sink_frame {
    enum sink_kind kind;
    uint16_t version;
    struct str name, secret;
    enum sink_what what;
    uint64_t bytes;
    uint8_t sha256[DIGEST_SHA256_BYTES];
    struct str data;
    uint64_t offset;
    enum sink_code code;
    struct str text;
};

/* Reads the first frame of `in`. RC_AGAIN: it is not complete; *ret_used is its length if that is
 * known, else 0. RC_INVALID: it is no frame, or longer than `max_bytes`. On RC_OK *ret borrows from
 * `in`, and the frame takes *ret_used bytes. */
MUST_CHECK enum rc sink_frame_read(struct str in, size_t max_bytes, struct sink_frame *ret,
                                   size_t *ret_used);

/* Appends the frame. A text that is too long is cut; the caller must see to the other bounds. */
void sink_frame_write(struct buf *out, const struct sink_frame *f);

#endif
