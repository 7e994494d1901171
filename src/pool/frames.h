/* SPDX-License-Identifier: Apache-2.0 */
/* frames: what a manager and a member of its pool say to each other on one lane. A frame is read
 * whole, or refused (RC_INVALID). Numbers are little endian.
 *
 *   member ─► manager                            manager ─► member
 *   HELLO    which process, what came through    WELCOME  may it go on or begin anew; the timings
 *   PING     a number                            REFUSED  a text; whether to come again
 *   ANSWER   the message of a ticket comes back  PONG     that number
 *   ENDED    tickets that ended at the member    MESSAGE  a ticket and a message
 *   LEAVE    it wants no more                    SETTLED  answers that came through: forget them
 *                                                OVER     the whole crawl is
 */
#ifndef POOL_FRAMES_H
#define POOL_FRAMES_H

#include "base/buf.h"
#include "pool/timings.h"

enum pool_frame {
    POOL_HELLO = 1,
    POOL_WELCOME,
    POOL_REFUSED,
    POOL_PING,
    POOL_PONG,
    POOL_MESSAGE,
    POOL_ANSWER,
    POOL_ENDED,
    POOL_SETTLED,
    POOL_LEAVE,
    POOL_OVER,
    POOL_FRAMES_,
};

struct pool_hello {
    uint32_t abi;
    uint64_t wiring; /* a digest of it, the same at all processes */
    uint16_t place;  /* the pool's, in the wiring */
    uint16_t lane;   /* its number among those of the process, below POOL_MAX_SHARDS */
    uint16_t shards; /* of the member, 1 to POOL_MAX_SHARDS */
    uint64_t boot;
    uint64_t session; /* of the manager that the member knows; 0: none */
    uint64_t last;    /* the newest ticket that came through from that session */
    uint64_t ping;    /* a number, as of a ping: never 0 */
};

struct pool_welcome {
    uint64_t session; /* the manager's, never 0: another than before means that it has restarted */
    uint16_t shards; /* of the manager, as above: the process opens lanes up to the larger number */
    bool is_new;     /* the process must have nothing open from before */
    uint64_t ping;   /* that of the hello */
    struct pool_timings timings; /* they pass pool_timings_check() */
};

struct pool_message { /* MESSAGE and ANSWER */
    uint16_t cut;     /* the connection of the wiring */
    uint64_t ticket;  /* never 0 */
    uint64_t route;
    uint32_t
        credits; /* of MESSAGE: 1 to POOL_MAX_CREDITS; of ANSWER it is not sent, and read as 0 */
};
enum { POOL_MAX_CREDITS = 1 << 30, POOL_MAX_REASON_BYTES = 200 };

/* 0: it is empty, of no kind, or a LEAVE or OVER with something behind. Those two are their kind
 * alone. */
uint8_t pool_frame_kind(struct str frame);

void pool_hello_write(const struct pool_hello *h, struct buf *out);
MUST_CHECK enum rc pool_hello_read(struct str frame, struct pool_hello *ret);
void pool_welcome_write(const struct pool_welcome *w, struct buf *out);
MUST_CHECK enum rc pool_welcome_read(struct str frame, struct pool_welcome *ret);
/* is_final: it need not try again. Of the text at most POOL_MAX_REASON_BYTES are written. */
void pool_refused_write(struct str why, bool is_final, struct buf *out);
MUST_CHECK enum rc pool_refused_read(struct str frame, struct str *ret_why, bool *ret_is_final);
/* PING, PONG: one number. */
void pool_number_write(enum pool_frame kind, uint64_t number, struct buf *out);
MUST_CHECK enum rc pool_number_read(struct str frame, uint64_t *ret);
/* Then comes the message's own bytes. */
void pool_message_write(enum pool_frame kind, const struct pool_message *m, struct buf *out);
MUST_CHECK enum rc pool_message_read(struct str frame, struct pool_message *ret,
                                     struct str *ret_bytes);
/* ENDED, SETTLED: numbers behind the kind, 8 bytes each; whole numbers and at least one. */
MUST_CHECK enum rc pool_numbers_read(struct str frame, struct str *ret_numbers);

#endif
