/* SPDX-License-Identifier: Apache-2.0 */
/* site: which answer a request gets. Ordinary web, fault, zoo; conditions, codings, limits. */
#ifndef SERVE_SITE_H
#define SERVE_SITE_H

#include "content/content.h"
#include "serve/server.h"
#include "witness/witness.h"

struct site;

/* All borrowed. NULL without memory. */
struct site *site_open(const struct world *w, const struct server_settings *s,
                       struct witness *witness);
void site_close(struct site *s);

struct visitor { /* the connection a request came on */
    uint64_t connection;
    uint32_t nth_on_conn;
    bool is_resumed;   /* its handshake resumed a TLS session */
    uint32_t address;  /* of ours */
    bool true_time;    /* the simulated clock shows the machine's time, so a client's own clock can
                          tell how far a date is ahead */
    bool is_pipelined; /* the request was here before the one before it was answered … */
    bool is_pipelined_host; /* … and that one was for the same host */
};

/* Answers: tells the witness (start) and fills the reply (cleared by the caller). Returns the
 * witness's ticket for witness_end. `now_us` is monotonic, `wall_ms` the simulated clock. */
uint64_t site_answer(struct site *s, const struct request *q, const struct visitor *v,
                     uint64_t now_us, uint64_t wall_ms, struct reply *r);

/* How a host (by name, lower case) behaves below HTTP, and where it is; false: no such host. */
bool site_host(const struct site *s, struct str name, struct mood *ret_mood, uint32_t *ret_address);

/* The bytes behind the ordinary web, borrowed. */
const struct content *site_content(const struct site *s);

/* Wait before the first byte and bytes/s of a host. */
void site_pace(const struct site *s, struct str host, uint64_t *ret_latency_ms,
               uint64_t *ret_bytes_per_s);

#endif
