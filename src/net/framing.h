/* SPDX-License-Identifier: Apache-2.0 */
/* framing: where the body of an answer ends (RFC 9112, 6.3), however its bytes are cut.
 *
 *     struct framing f;
 *     framing_init(&f, FRAMING_LENGTH, 5);
 *     end = framing_take(&f, piece, &taken);     taken < piece.n: the rest is not the body's
 *
 * Chunks are followed, not taken off: a body is kept as it came. Their lines may end with LF alone
 * and blanks may stand behind a size, as servers send both; a size of more than 16 digits, anything
 * else behind it, a size line over 4 KiB, a NUL or a bare CR are broken, and trailers over 64 KiB
 * too long. What warc/chunked.h reads is no less than what is whole here. */
#ifndef NET_FRAMING_H
#define NET_FRAMING_H

#include "base/str.h"

enum { FRAMING_LINE_BYTES = 4096, FRAMING_TRAILER_BYTES = 64 << 10 };

enum framing_kind {
    FRAMING_NONE,    /* no body, whatever the head says */
    FRAMING_LENGTH,  /* so many bytes */
    FRAMING_CHUNKED, /* until the last chunk and its trailers */
    FRAMING_CLOSE,   /* until the connection ends */
};

enum framing_end {
    FRAMING_OPEN,    /* more must come */
    FRAMING_WHOLE,   /* it has ended */
    FRAMING_BROKEN,  /* a chunk that is none, trailers without end: `sound_bytes` of it are good */
    FRAMING_REFUSED, /* a NUL or a bare CR in a trailer */
};

struct framing {
    enum framing_kind kind; /* a chunked body that begins with no chunk becomes FRAMING_CLOSE */
    enum framing_end end;
    bool is_not_chunked;  /* that happened */
    uint64_t taken_bytes; /* of the body, chunks and all */
    uint64_t sound_bytes; /* up to the last chunk that was as it should be */
    const char *why;      /* broken or refused: what was wrong */
    /* private */
    uint64_t left;
    uint32_t line_bytes;
    uint32_t digits;
    unsigned char step;
    bool has_chunk; /* the first size line was one */
};

/* `length` matters for FRAMING_LENGTH alone. */
void framing_init(struct framing *f, enum framing_kind kind, uint64_t length);

/* Takes bytes from the front of `piece`: all of them, or up to the end. */
enum framing_end framing_take(struct framing *f, struct str piece, size_t *ret_taken);

/* Bytes that surely belong to the body and have not come; 0 where nobody knows. */
uint64_t framing_missing(const struct framing *f);

#endif
