/* SPDX-License-Identifier: Apache-2.0 */
/* records: what agents know of URLs and hosts, as they tell it each other.
 *
 *   url(u)                                 u was found
 *   done(u, time, status, digest, where)   u was asked for, with this result; it beats url of the
 *                                          same recrawl. For an archived page it has the URL, too:
 *                                          if the archive is lost, the page can be named and
 *                                          asked for again
 *   host(h, next moment, state)            when h may be asked next, and what its owner keeps on it
 *   way(u, hops, where)                    u was asked for at the end of these hops; `where` can
 *                                          say what was found on it (with --depth)
 *   nearer(u, hops, where)                 a shorter way was found: `where` judges the links of u
 *                                          again; or the owner asks for u again, if `where` is gone
 *                                          or has lost it
 *
 * Records merge as a join (invariant 8): any order, any number of times, the same state. Of two
 * dones the later round and time wins (then the greater bytes, so that everybody agrees); of two
 * hosts the next moment is the later one, and the state that was written later counts.
 *
 * A batch is one message of a stream: who sends it, in which incarnation, at which epoch, then
 * records, or a mark. Versioned, little endian, every length bounded; fuzzed. */
#ifndef CLUSTER_RECORDS_H
#define CLUSTER_RECORDS_H

#include "base/buf.h"
#include "base/rc.h"

enum {
    RECORDS_MAX_BATCH_BYTES = 512 << 10,
    RECORDS_USUAL_BYTES = 16 << 10, /* a batch is sent when it has grown to this */
    RECORDS_MAX_HOST_BYTES = 255,
    RECORDS_MAX_PATH_BYTES = 65000,
    RECORDS_MAX_HOPS = 250,
    RECORDS_MAX_STATE_BYTES = 256 << 10,
    RECORDS_MAX_NAME_BYTES = 32,
    RECORDS_DIGEST_BYTES = 20,
    RECORDS_CLASSES = 4, /* of the frontier */
};

enum record_kind { RECORD_URL = 1, RECORD_DONE, RECORD_HOST, RECORD_WAY, RECORD_NEARER };

/* All borrowed. What a kind does not name is 0. */
struct record {
    enum record_kind kind;
    uint64_t position; /* of the host: hash64 of its name */
    struct str host;
    /* all but host */
    uint64_t fingerprint;
    /* url, way, nearer, and done that was archived */
    struct str path; /* with query; of done "": not said */
    uint64_t via;
    struct str hops;
    uint16_t port; /* 0 = the scheme's own */
    bool is_https;
    uint8_t class;
    bool is_back;  /* it was queued at its former owner: not new, though its host moves */
    bool is_again; /* the crawl's own word to itself: what was done is lost, and asked for again */
    /* done */
    uint64_t time_ms; /* wall clock; of host: when `state` was written */
    int32_t status;
    uint8_t digest[RECORDS_DIGEST_BYTES]; /* zeros: nothing was kept */
    struct str where;                     /* the agent whose archive has it; "" = none. Of way and
                                             nearer, too */
    uint64_t where_inc; /* the incarnation in which that archive's directory began */
    uint32_t round; /* in which it was asked for: 0 is the first crawl, 1 its first recrawl, … */
    /* host */
    uint64_t next_wall_ms; /* not to be asked earlier */
    struct str state;      /* the crawl's own: back-off, robots.txt, counters */
};

enum batch_is {
    BATCH_IS_RECORDS = 1,
    BATCH_IS_MARK, /* of a hand-over: `holder` has nothing more for you up to `epoch` */
    BATCH_IS_END,  /* the reader's own: what it looks for to know that it has read everything */
};

struct record_batch {
    enum batch_is is;
    /* Of a sender to one receiver: its batches of a session are numbered from 1 on, so that the
     * receiver can say which it has (links.h). 0: not numbered. */
    uint64_t session, number;
    uint8_t attempt; /* so that what is sent once more is not taken for the same message */
    struct str src;
    uint64_t src_inc;
    uint64_t epoch;    /* the sender's when it was cut; of a mark: that it is good for */
    struct str holder; /* of a mark: who held it (the sender, or whom it adopted) */
    uint64_t holder_inc;
    uint64_t nonce;     /* of an end */
    struct str records; /* for records_next */
};

/* Writing: begun, then records are put; failures stick in `out`, RC_LIMIT for what no reader would
 * take by its length. Hops past the maximum are cut. */
void record_batch_begin(struct buf *out, const struct record_batch *head);
void record_put(struct buf *out, const struct record *r);
/* Another session and number for a batch that was begun. */
void record_batch_stamp(struct buf *batch, uint64_t session, uint64_t number, uint8_t attempt);

/* Everything is looked at: on RC_OK walking cannot fail. RC_CORRUPT, RC_VERSION, RC_LIMIT. Names
 * are names (cluster/names.h), hosts and paths hold no blank and no control, so they can go into
 * lines of text; whether a fingerprint is that of its URL is for the reader to see. */
MUST_CHECK enum rc record_batch_read(struct str bytes, struct record_batch *ret);
bool records_next(struct str *records, struct record *ret);

/* Which of two records of the same thing counts: < 0: b, > 0: a, 0: either. A done counts before a
 * url. Of two hosts it is about `state` alone: the next moment is always the later of the two. */
int record_compare(const struct record *a, const struct record *b);

#endif
