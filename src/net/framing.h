/* SPDX-License-Identifier: Apache-2.0 */
/* framing: where the body of an answer ends (RFC 9112, 6.3), however its bytes are cut.
 *
 *     struct framing f;
 *     framing_init(&f, FRAMING_LENGTH, 5);
 *     end = framing_take(&f, piece, &taken);     taken < piece.n: the rest is not the body's
 *
 * Chunks are followed, not taken off: a body is kept as it came. They are read strictly
 * (base/chunked.h): a NUL or a bare CR in their lines is broken too, and in a trailer it refuses
 * the answer. */
#ifndef NET_FRAMING_H
#define NET_FRAMING_H

#include "base/chunked.h"

enum framing_kind {
    FRAMING_NONE,    /* no body, whatever the head says */
    FRAMING_LENGTH,  /* a number of bytes: Content-Length */
    FRAMING_CHUNKED, /* until the last chunk and its trailers */
    FRAMING_CLOSE,   /* until the connection ends */
};

enum framing_end {
    FRAMING_OPEN,    /* more must come */
    FRAMING_WHOLE,   /* it has ended */
    FRAMING_BROKEN,  /* a malformed chunk, or endless trailers: `sound_bytes` are good */
    FRAMING_REFUSED, /* a NUL or a bare CR in a trailer */
};

struct framing {
    enum framing_kind kind; /* a chunked body that begins with no chunk becomes FRAMING_CLOSE */
    enum framing_end end;
    bool is_not_chunked;  /* the body was announced as chunked and is not */
    uint64_t taken_bytes; /* of the body, chunks and all */
    uint64_t sound_bytes; /* up to the end of the last well-formed chunk */
    const char *why;      /* broken or refused: what was wrong */
    /* private */
    uint64_t left;
    struct chunked chunks;
};

/* `length` matters for FRAMING_LENGTH alone. */
void framing_init(struct framing *f, enum framing_kind kind, uint64_t length);

/* Takes bytes from the front of `piece`: all of them, or up to the end. */
enum framing_end framing_take(struct framing *f, struct str piece, size_t *ret_taken);

/* How many bytes of the body are certainly still to come; 0 if that is not known. */
uint64_t framing_missing(const struct framing *f);

#endif
