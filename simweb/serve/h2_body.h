/* SPDX-License-Identifier: Apache-2.0 */
/* h2_body: a reply written for HTTP/1.1, read back piece by piece for a stream of HTTP/2: its head
 * first, then the body without its chunks, each byte when its step lets it go.
 *
 * A body that ends before its Content-Length or its last chunk is cut (RC_INVALID); what stands
 * behind the end of the body is dropped, as no client of HTTP/1.1 would read it either. */
#ifndef SERVE_H2_BODY_H
#define SERVE_H2_BODY_H

#include "wire/reply.h"

enum { H2_MAX_HEAD_BYTES = 64 * 1024 };

/* Where in a chunked body the reader stands. */
enum chunk_at {
    CHUNK_SIZE,
    CHUNK_EXTENSION,
    CHUNK_DATA,
    CHUNK_DATA_END,
    CHUNK_TRAILER,      /* at the start of a line of it */
    CHUNK_TRAILER_LINE, /* inside one */
    CHUNK_OVER
};

struct h2_body {
    const struct reply *reply; /* borrowed */
    uint64_t endless_bytes;    /* what a repetition without end gives before it ends all the same */
    uint32_t step;
    size_t base;     /* where the bytes of the step begin in those of the reply */
    size_t at;       /* how much of it was read, in this round of a repetition */
    uint64_t round;  /* of a repetition */
    uint64_t raw;    /* bytes read, of all steps */
    uint64_t due_ms; /* when RC_AGAIN may be over */
    bool is_waiting; /* due_ms is set for this step */
    struct buf head;
    bool is_bad; /* no chunk where one must be */
    bool is_chunked;
    bool has_length;
    uint64_t left; /* of the Content-Length, or of the chunk */
    enum chunk_at chunk;
};

void h2_body_init(struct h2_body *b, const struct reply *r, uint64_t endless_bytes);
void h2_body_done(struct h2_body *b);

/* The final head, status line to empty line, borrowed from `b`; interim ones (1xx) are skipped.
 * RC_AGAIN: not before b->due_ms; RC_INVALID: this reply has none; RC_LIMIT, RC_NOMEM. */
MUST_CHECK enum rc h2_body_head(struct h2_body *b, uint64_t now_ms, struct str *ret_head);

/* The next bytes of the body: RC_OK with *ret_n > 0; RC_AGAIN; RC_CLOSED: that was all; RC_INVALID:
 * it is cut here. */
MUST_CHECK enum rc h2_body_read(struct h2_body *b, uint64_t now_ms, char *to, size_t room,
                                size_t *ret_n);

/* The body is known to be through: nothing is left of its length, or its last chunk was read. */
bool h2_body_is_over(const struct h2_body *b);

/* Takes the next header of a head behind its status line; false: no more. A line that is no header
 * is skipped. */
bool head_next(struct str *head, struct str *ret_name, struct str *ret_value);

#endif
