/* SPDX-License-Identifier: Apache-2.0 */
/* inside: the frontier as its own files see it. */
#ifndef FRONTIER_INSIDE_H
#define FRONTIER_INSIDE_H

#include "frontier/bucket.h"
#include "frontier/rest.h"

/* A bucket that rests: what is known of it without its file. */
struct away {
    struct rest_file file;
    struct rest_summary summary;
    struct buf inbox;  /* REST_HEAD_BYTES, then records that are not in the file */
    uint64_t unsorted; /* records in the file and in the inbox */
    uint64_t since_ms; /* it rests */
    unsigned looks;    /* at its file, on their way: the inbox stays in memory meanwhile */
    bool is_loading;
    bool is_old;    /* it has not been in memory since the opening */
    bool is_wanted; /* somebody asks for it: next, whatever it costs */
};

/* A bucket that rests, read for a walk. */
struct look {
    bool is_asked, is_here;
    unsigned bucket;
    uint64_t generation; /* of its file */
    uint64_t here_ms;
    struct buf file, inbox; /* what has come */
};

struct resting { /* of one frontier */
    struct rest_carrier carrier;
    uint64_t generation; /* of the last file */
    uint64_t *recent;    /* fingerprints, direct-mapped; NULL before the first bucket rests */
    size_t recent_count; /* a power of two */
    bool has_recent;     /* there is something in it */
    struct look looks[REST_LOOKERS];
    uint64_t inbox_bytes;  /* memory of all inboxes */
    uint64_t flight_bytes; /* with the carrier */
    uint64_t leaving_bytes;
    unsigned leaving, loading;
    bool has_left;      /* the last host that was out of a leaving bucket came back */
    bool is_stale;      /* due_ms is to be looked for again */
    bool is_over;       /* one bucket alone is more than the budget: it was said */
    bool is_asked;      /* somebody wants a bucket */
    uint64_t looked_ms; /* when it was last looked who is to be loaded */
    uint64_t due_ms;
};

struct frontier {
    struct frontier_settings settings;
    unsigned shard, shards;
    struct bucket **buckets; /* FRONTIER_BUCKETS; NULL = empty, resting, or another shard's */
    struct away **away;      /* likewise; NULL = it does not rest */
    struct heap wake;        /* first.node of waiting hosts, by due_ms */
    struct heap ready[FRONTIER_CLASSES];
    uint64_t next_sequence;
    uint64_t image_sequence;       /* all that came from images is below */
    struct frontier_counts counts; /* of what is in memory; `resting` and `unsorted` of the rest */
    struct rest_summary at_rest;   /* sums of all that are away */
    struct resting rest;
};

static inline struct bucket *frontier_bucket_of(const struct frontier *f, const struct host *h)
{
    return f->buckets[frontier_bucket(h->position)];
}

/* The bucket, made if absent; NULL without memory. */
struct bucket *frontier_bucket_need(struct frontier *f, unsigned bucket, uint64_t now_ms);

/* Empties a bucket, its hosts being in no heap and none of them out. */
void frontier_bucket_drop(struct frontier *f, unsigned bucket);

/* Every heap gets room for one more host, so that moving hosts about cannot fail. */
MUST_CHECK enum rc frontier_heaps_reserve(struct frontier *f);

/* Takes a host that is not out from whatever heap it is in; it must then be put down again. */
void frontier_take_up(struct frontier *f, struct host *h);

/* Puts a host that is in no heap and not out where it belongs now: of a bucket that leaves, in
 * none. */
void frontier_settle_down(struct frontier *f, struct host *h, uint64_t now_ms);

/* One candidate of a bucket that is in memory. */
MUST_CHECK enum rc frontier_admit_one(struct frontier *f, const struct candidate *c,
                                      uint64_t now_ms, enum admitted *ret);

/* rest.c: a link to a bucket that is away; whether it came by lately. */
MUST_CHECK enum rc rest_admit(struct frontier *f, unsigned bucket, const struct candidate *c,
                              enum admitted *ret);
bool rest_knows(const struct frontier *f, uint64_t fingerprint);
void rest_close(struct frontier *f);
/* What came by lately may come back: something is not known any more. */
void rest_forget_recent(struct frontier *f);

/* rest_turns.c: when something that rests can be of use; UINT64_MAX: never. */
uint64_t rest_due_ms(const struct frontier *f);

#endif
