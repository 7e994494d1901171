/* SPDX-License-Identifier: Apache-2.0 */
/* chunked: takes the chunks off an HTTP body (RFC 9112, 7.1), however its bytes are cut.
 *
 *     struct chunked c = {0};
 *     while (chunked_next(&c, &in, &piece))
 *         use(piece);                            borrowed from `in`
 *
 * Lines may end with LF alone and blanks may stand behind a size, as servers send both. Extensions
 * and trailers are passed over. A size of more than 16 digits, a size line over 4 KiB or trailers
 * over 64 KiB are broken. `is_strict` also breaks at a NUL and at a CR without LF in an extension
 * or a trailer: the network engine is strict, because such bytes may hide a second answer; a reader
 * of archives is not. A body that is whole when read strictly is whole otherwise too. No memory is
 * used beyond the struct. */
#ifndef BASE_CHUNKED_H
#define BASE_CHUNKED_H

#include "base/str.h"

enum { CHUNKED_MAX_LINE = 4096, CHUNKED_MAX_TRAILERS = 64 << 10 };

enum chunked_end {
    CHUNKED_OPEN, /* more must come: at the end of a body this means it was cut */
    CHUNKED_DONE, /* the last chunk and its trailers have passed; what follows is not the body's */
    CHUNKED_BROKEN, /* not chunks: `problem` says what is wrong at body byte `bytes` */
};

enum chunked_problem {
    CHUNKED_FINE,
    CHUNKED_NO_SIZE,     /* a size without digits */
    CHUNKED_LONG_SIZE,   /* more than 16 of them */
    CHUNKED_BEHIND_SIZE, /* other bytes than blanks, an extension and a line end */
    CHUNKED_SIZE_CR,     /* CR without LF in a size line */
    CHUNKED_SIZE_NUL,    /* strict: in an extension */
    CHUNKED_LONG_LINE,
    CHUNKED_NOT_PARTED, /* no line end behind the data */
    CHUNKED_LONG_TRAILERS,
    CHUNKED_TRAILER_CR,  /* strict */
    CHUNKED_TRAILER_NUL, /* strict */
    CHUNKED_PROBLEMS_
};

struct chunked {
    bool is_strict; /* the caller's, before the first byte */
    enum chunked_end end;
    enum chunked_problem problem; /* where it is broken */
    uint64_t bytes;               /* of the body taken so far, chunks and all */
    uint64_t sound_bytes;  /* of them, up to the last size, data, or trailer that was whole */
    uint64_t entity_bytes; /* of the entity given so far */
    uint64_t chunk_count;  /* chunks begun, the last one of size 0 included */
    /* private */
    unsigned char step;
    unsigned digits;
    uint64_t left;
    uint64_t line_bytes;
};

/* Takes bytes from the front of *in. True: *ret_piece is the next piece of the entity, never empty.
 * False: *in is used up, or the body has ended (see `end`) and the rest of *in is not its own. */
bool chunked_next(struct chunked *c, struct str *in, struct str *ret_piece);

/* Bytes of the chunk under way that have not come; 0 between chunks. */
uint64_t chunked_missing(const struct chunked *c);

/* "expected a chunk's size in hexadecimal"; NULL for CHUNKED_FINE. */
const char *chunked_problem_text(enum chunked_problem problem);

#endif
