/* SPDX-License-Identifier: Apache-2.0 */
/* frontier internal: the frontier as its own files see it. */
#ifndef FRONTIER_FRONTIER_INTERNAL_H
#define FRONTIER_FRONTIER_INTERNAL_H

#include "frontier/bucket.h"
#include "frontier/listing.h"
#include "frontier/swap.h"

/* A swapped bucket: what is known of it without its file. */
struct away {
    struct swap_file file;
    struct swap_summary summary;
    struct buf inbox;  /* SWAP_HEAD_BYTES, then records that are not in the file */
    uint64_t unsorted; /* records in the file and in the inbox */
    uint64_t since_ms; /* it is swapped out */
    unsigned looks;    /* open looks at its file: the inbox stays in memory meanwhile */
    bool is_loading;
    bool is_old;    /* it has not been in memory since the opening */
    bool is_wanted; /* a caller asks for it: next, whatever it costs */
};

/* A swapped bucket, read for a walk. */
struct look {
    bool is_asked, is_here;
    unsigned bucket;
    uint64_t generation; /* of its file */
    uint64_t here_ms;
    struct buf file, inbox; /* what has come */
};

struct swap_state { /* of one frontier */
    struct swap_carrier carrier;
    uint64_t generation; /* of the last file */
    uint64_t *recent; /* fingerprints, direct-mapped; NULL before the first bucket is swapped out */
    size_t recent_count; /* a power of two */
    bool has_recent;     /* there is something in it */
    struct look looks[SWAP_LOOKERS];
    uint64_t inbox_bytes;  /* memory of all inboxes */
    uint64_t flight_bytes; /* with the carrier */
    uint64_t leaving_bytes;
    unsigned leaving, loading;
    bool has_left;      /* the last host that was out of a leaving bucket came back */
    bool is_stale;      /* due_ms is to be looked for again */
    bool is_over;       /* one bucket alone is more than the budget: it was logged */
    bool is_asked;      /* a caller wants a bucket */
    uint64_t looked_ms; /* when a bucket to load was last looked for */
    uint64_t due_ms;
};

struct frontier {
    struct frontier_settings settings;
    unsigned shard, shards;
    struct bucket **buckets; /* FRONTIER_BUCKETS; NULL = empty, swapped, or another shard's */
    struct away **away;      /* likewise; NULL = it is not swapped out */
    struct heap wake;        /* first.node of waiting hosts, by due_ms */
    struct heap ready[FRONTIER_CLASSES];
    struct heap preferred[FRONTIER_CLASSES]; /* those of them that `preference` names; grown when
                                                needed: without memory a host is not preferred */
    struct frontier_preference preference;
    struct listing *listing; /* NULL: breadth first */
    bool has_lists; /* another class than the first has had a URL: an earlier run had lists */
    uint64_t next_sequence;
    uint64_t snapshot_sequence; /* all that came from snapshots is below */
    struct frontier_counts
        counts; /* of what is in memory; `swapped` and `unsorted` of the others */
    struct swap_summary swapped_sums; /* sums of all that are away */
    struct swap_state swap;
    uint32_t era;           /* of new buckets (frontier/seen_store.h) */
    uint64_t *store_recent; /* fingerprints that the store has, direct-mapped; NULL: none */
    uint64_t store_has;     /* what was listed for snapshots up to that generation */
    unsigned next_taken;    /* the next bucket to drop what the store has */
};

static inline struct bucket *frontier_bucket_of(const struct frontier *f, const struct host *h)
{
    return f->buckets[frontier_bucket(h->host_hash)];
}

/* The bucket, made if absent; NULL without memory. */
struct bucket *frontier_bucket_need(struct frontier *f, unsigned bucket, uint64_t now_ms);

/* The host of that name, made if absent. NULL: ADMITTED_HOSTS_FULL, or there is no memory. */
struct host *frontier_host_make(struct frontier *f, struct bucket *b, uint64_t host_hash,
                                struct str name, enum admitted *ret_why);

/* Empties a bucket, its hosts being in no heap and none of them out. */
void frontier_bucket_drop(struct frontier *f, unsigned bucket);

/* Every heap gets room for one more host, so that moving hosts about cannot fail. */
MUST_CHECK enum rc frontier_heaps_reserve(struct frontier *f);

/* Takes a host that is not out from whatever heap it is in; it must then be put down again. */
void frontier_take_up(struct frontier *f, struct host *h);

/* Puts a host that is in no heap and not out where it belongs now: of a bucket that leaves, in
 * none. */
void frontier_put_down(struct frontier *f, struct host *h, uint64_t now_ms);

/* One candidate of a bucket that is in memory. */
MUST_CHECK enum rc frontier_admit_one(struct frontier *f, const struct candidate *c,
                                      uint64_t now_ms, enum admitted *ret);

/* swap.c: takes a link to a swapped bucket. */
MUST_CHECK enum rc swap_admit(struct frontier *f, unsigned bucket, const struct candidate *c,
                              enum admitted *ret);
/* Whether that link came lately. */
bool swap_knows(const struct frontier *f, uint64_t fingerprint);
void swap_close(struct frontier *f);
/* Forgets which links came lately: a URL is not known any more, and may come back. */
void swap_forget_recent(struct frontier *f);

/* swap_turns.c: when a swapped bucket can be of use; UINT64_MAX: never. */
uint64_t swap_due_ms(const struct frontier *f);

#endif
