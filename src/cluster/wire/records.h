/* SPDX-License-Identifier: Apache-2.0 */
/* records: what agents know of URLs and hosts, as they tell each other.
 *
 *   url(u)                                 u was found
 *   done(u, time, status, digest, where)   u was fetched, with this result; it wins over url of the
 *                                          same recrawl. For an archived page it also has the URL:
 *                                          if the archive is lost, the page can be fetched again
 *   host(h, next moment, state)            when h may be asked next, and its host record
 *   seed_path(u, seed path, where)         u was fetched by this seed path; agent `where` has the
 *                                          page (with --depth)
 *   shorter(u, seed path, where)           a shorter seed path was found: agent `where` judges the
 *                                          links of u again. If it is gone or has lost the page,
 *                                          the owner fetches u again
 *
 * Records merge as a join (invariant 8 of docs/cluster-protocol.md): in any order, any number of
 * times, they give the same state. Of two done records the later recrawl number and time win (then
 * the greater bytes, so that all agents agree). Of two host records the later next moment counts,
 * and the state that was written later.
 *
 * A batch is one message of a stream: its sender, incarnation and epoch, then records, or a
 * handover mark. Versioned, little endian, every length bounded; fuzzed. */
#ifndef CLUSTER_WIRE_RECORDS_H
#define CLUSTER_WIRE_RECORDS_H

#include "base/buf.h"
#include "base/rc.h"

enum {
    RECORDS_MAX_BATCH_BYTES = 512 << 10,
    RECORDS_USUAL_BYTES = 16 << 10, /* a batch of this size is sent */
    RECORDS_MAX_HOST_BYTES = 255,
    RECORDS_MAX_PATH_BYTES = 65000,
    RECORDS_MAX_SEED_PATH = 250,
    RECORDS_MAX_STATE_BYTES = 256 << 10,
    RECORDS_MAX_NAME_BYTES = 32,
    RECORDS_DIGEST_BYTES = 20,
    RECORDS_CLASSES = 4, /* of the frontier */
};

enum record_kind { RECORD_URL = 1, RECORD_DONE, RECORD_HOST, RECORD_SEED_PATH, RECORD_SHORTER };

/* All texts are borrowed. Fields that a kind does not have are 0. */
struct record {
    enum record_kind kind;
    uint64_t host_hash; /* hash64 of the host's name */
    struct str host;
    /* all but host */
    uint64_t fingerprint;
    /* url, seed_path, shorter, and done of an archived page */
    struct str path; /* with query; "" in a done: not given */
    uint64_t via;
    struct str seed_path;
    uint16_t port; /* 0: the scheme's default */
    bool is_https;
    uint8_t class;
    bool is_back;  /* it was queued at its former owner: it is not new, though its host moves */
    bool is_again; /* only within one agent: what was done is lost, and is fetched again */
    /* done */
    uint64_t time_ms; /* wall clock; of host: when `state` was written */
    int32_t status;
    uint8_t digest[RECORDS_DIGEST_BYTES]; /* zeros: nothing was archived */
    /* the agent whose archive has the page; "": none. Also of seed_path and shorter */
    struct str where;
    uint64_t where_inc; /* the incarnation in which that archive's directory began */
    uint32_t
        recrawl_number; /* in which it was fetched: 0 is the first crawl, 1 its first recrawl, … */
    /* host */
    uint64_t next_wall_ms; /* the host may not be asked earlier */
    struct str state;      /* the crawl's own bytes: back-off, robots.txt, counters */
};

enum batch_is {
    BATCH_IS_RECORDS = 1,
    BATCH_IS_HANDOVER_MARK, /* a handover mark: `holder` has nothing more for you up to `epoch` */
    BATCH_IS_END, /* for its own sender, which reads up to it to know that it has read everything */
};

struct record_batch {
    enum batch_is is;
    /* A sender numbers its batches to one receiver from 1 on in a session, so that the receiver can
     * say which it has (cluster/protocol/links.c). 0: not numbered. */
    uint64_t session, number;
    uint8_t attempt; /* makes a batch that is sent again another message for the servers */
    struct str src;
    uint64_t src_inc;
    uint64_t epoch; /* the sender's epoch; of a handover mark: the epoch that it is valid for */
    /* of a handover mark: the former holder (the sender, or an agent that it adopted) */
    struct str holder;
    uint64_t holder_inc;
    uint64_t nonce;     /* of an end */
    struct str records; /* for records_next */
};

/* Begin a batch, then put records. Failures stick in `out`; RC_LIMIT: a length that no reader would
 * accept. A seed path beyond the maximum is cut. */
void record_batch_begin(struct buf *out, const struct record_batch *head);
void record_put(struct buf *out, const struct record *r);
/* Sets another session and number in a batch. */
void record_batch_stamp(struct buf *batch, uint64_t session, uint64_t number, uint8_t attempt);

/* Checks everything, so that walking cannot fail after RC_OK. RC_CORRUPT, RC_VERSION, RC_LIMIT.
 * Names are valid (cluster/wire/names.h), hosts and paths hold no blanks and no control characters,
 * so they can go into lines of text. The reader must check whether a fingerprint belongs to its
 * URL. */
MUST_CHECK enum rc record_batch_read(struct str bytes, struct record_batch *ret);
/* The same without a look at the records: for a batch that this process has written or read already,
 * and for a reader that needs no record. */
MUST_CHECK enum rc record_batch_head(struct str bytes, struct record_batch *ret);
/* Texts are as record_batch_read has checked them. */
bool records_next(struct str *records, struct record *ret);

/* Which of two records of the same thing counts: < 0: b, > 0: a, 0: either. A done wins over a url.
 * For two hosts it compares `state` alone: the next moment is always the later of the two. */
int record_compare(const struct record *a, const struct record *b);

#endif
