/* SPDX-License-Identifier: Apache-2.0 */
/* tally: how one host, or one address, was treated; and the table of all of them.
 *
 * Open requests are counted, not listed: a request that starts while another is open is an overlap
 * and its gap from end to start is 0. Rows are numbered in the order they were first seen, and
 * never move.
 *
 * One kind of overlap is taken back. A client that hangs up and asks again at once on another
 * connection has one request open at a time, but its farewell may be seen after its next request:
 * two processors deliver what two sockets sent, and neither waits for the other. */
#ifndef WITNESS_TALLY_H
#define WITNESS_TALLY_H

#include "witness/index.h"
#include "witness/texts.h"

#define TALLY_NO_GAP UINT64_MAX

/* A request that started beside others, some of which may turn out to have left by then. */
enum { TALLY_DOUBTS = 8 };
struct doubt {
    uint64_t start_us;
    uint32_t others; /* open when it started, and not known to have left before */
};

/* What is certain: everything but the doubts. */
struct certain {
    uint32_t most_open;
    uint64_t overlaps;
    uint64_t least_end_gap_us;
};

struct tally {
    struct str name; /* of a host; absent for an address */
    uint32_t address;
    uint32_t open; /* requests now */
    uint32_t most_open;
    uint64_t overlaps;       /* requests that started while another was open */
    uint64_t during_backoff; /* requests that started while it had asked to be left alone */
    uint64_t forbidden;      /* requests for what robots.txt forbids */
    uint64_t requests;
    uint64_t connections;        /* on which anything was asked */
    uint64_t resumed;            /* of them, those that resumed a TLS session */
    uint64_t start_us;           /* of the latest request */
    uint64_t end_us;             /* the latest end of any; 0 = none yet */
    uint64_t least_start_gap_us; /* TALLY_NO_GAP with fewer than two requests */
    uint64_t least_end_gap_us;   /* likewise */
    uint64_t backoff_until_us;
    uint64_t worst_early_us; /* by how much the worst request came too early */
    uint64_t delay_us;       /* its robots.txt, once read, asks for that between two starts */
    uint64_t under_delay;    /* requests that came sooner */
    struct certain certain;
    struct doubt doubts[TALLY_DOUBTS]; /* the latest, oldest first */
    uint32_t doubt_count;
};

void tally_start(struct tally *t, uint64_t now_us, bool is_forbidden);
/* `backoff_until_us`: it asked to be left alone until then; 0 = it did not. */
void tally_end(struct tally *t, uint64_t now_us, uint64_t backoff_until_us);

/* Also an end, of a request begun at `start_us` whose client hung up. It did not overlap with those
 * that started beside it less than FAREWELL_MS before that is seen. A machine that is busy may take
 * that long to let us look. */
enum { FAREWELL_MS = 250 };
void tally_left(struct tally *t, uint64_t start_us, uint64_t now_us, uint64_t backoff_until_us);

/* The request that started last is the first of its connection. */
void tally_connected(struct tally *t, bool is_resumed);

/* The request that started last had been sent before the one before it was answered: both were open
 * at once, though the connection is served one by one. */
void tally_pipelined(struct tally *t);

/* Its robots.txt was answered, and asks for that much between requests. From start to start the
 * machine's delays may also narrow a gap, by the delay of the first: hence a tenth less, and the
 * slack that a back-off has. */
void tally_delay(struct tally *t, uint64_t delay_ms);

/* Which of the two was treated worse: < 0 if `a` was. First by requests at once, then by requests
 * during a back-off, then by those under the delay, then by forbidden ones, then by the smaller
 * gap, then by more requests. */
int tally_compare(const struct tally *a, const struct tally *b);

enum { TALLIES_A_CHUNK = 4096, TALLIES_CHUNKS = 1024 };

struct tallies {
    struct index index;
    struct tally *chunks[TALLIES_CHUNKS];
    struct texts names;
    uint32_t count;
};

/* At most TALLIES_A_CHUNK * TALLIES_CHUNKS entries. */
void tallies_init(struct tallies *t, uint32_t max_entries);
void tallies_done(struct tallies *t);

/* The number of a host's or an address's row, made if there is none; -1 past the maximum or without
 * memory. */
int64_t tallies_put_host(struct tallies *t, struct str name);
int64_t tallies_put_address(struct tallies *t, uint32_t address);

const struct tally *tallies_find_host(const struct tallies *t, struct str name);

static inline struct tally *tallies_at(const struct tallies *t, uint32_t row)
{
    return &t->chunks[row / TALLIES_A_CHUNK][row % TALLIES_A_CHUNK];
}

#endif
