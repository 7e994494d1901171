/* SPDX-License-Identifier: Apache-2.0 */
/* chunked: takes the chunks off a body (RFC 9112, 7.1), however its bytes are cut.
 *
 *     struct chunked c = {0};
 *     while (chunked_next(&c, &in, &piece))
 *         use(piece);                            borrowed from `in`
 *
 * Lines may end with LF alone and blanks may stand behind a size, as servers send both. Extensions
 * and trailers are passed over. A size of more than 16 digits, a size line over 4 KiB or trailers
 * over 64 KiB are broken. No memory is used beyond the struct. */
#ifndef WARC_CHUNKED_H
#define WARC_CHUNKED_H

#include "base/str.h"

enum { CHUNKED_MAX_LINE = 4096, CHUNKED_MAX_TRAILERS = 64 << 10 };

enum chunked_end {
    CHUNKED_OPEN, /* more must come: at the end of a body this means it was cut */
    CHUNKED_DONE, /* the last chunk and its trailers have passed; what follows is not the body's */
    CHUNKED_BROKEN, /* not chunks: `problem` says what was expected at body byte `bytes` */
};

struct chunked {
    enum chunked_end end;
    uint64_t bytes;        /* of the body taken so far, chunks and all */
    uint64_t entity_bytes; /* of the entity given so far */
    uint64_t chunk_count;  /* chunks begun, the last one of size 0 included */
    const char *problem;   /* "expected a chunk's size in hexadecimal" */
    /* private */
    unsigned char step;
    unsigned digits;
    uint64_t left;
    uint64_t line_bytes;
};

/* Takes bytes from the front of *in. True: *ret_piece is the next piece of the entity, never empty.
 * False: *in is used up, or the body has ended (see `end`) and the rest of *in is not its own. */
bool chunked_next(struct chunked *c, struct str *in, struct str *ret_piece);

#endif
