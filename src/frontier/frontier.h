/* SPDX-License-Identifier: Apache-2.0 */
/* frontier: every URL a shard knows, and which host may be asked next.
 *
 *   candidates ─► admit ─► bucket ─► host ─► queue (FIFO, by class)
 *                            │ seen?                │ head
 *                            ▼                      ▼
 *                          known            wake heap ─► ready heaps ─► checkout ─► checkin
 *                                           (by due_ms)  (by sequence, two a class:
 *                                                         preferred hosts, and the others)
 *
 * One a shard and one thread, so there are no locks. A host is in exactly one place: IDLE (nothing
 * queued), WAITING (in the wake heap until due_ms), READY (in a ready heap), or OUT (checked out).
 * frontier_checkout() alone moves READY to OUT, frontier_checkin() alone moves OUT back: so one
 * URL of a host is out at a time. (frontier/lend.h does the same for requests that are no URLs of
 * the host.)
 *
 * The host_hash of a host is the 64-bit hash of its name, its bucket the top 12 bits. A bucket
 * holds everything of its hosts: their records, 8-byte fingerprints of the URLs seen, and queued
 * URLs, of which only the path is stored. Bucket b belongs to shard b % shards. The URL that is out
 * stays at the head of its queue until it is checked in, so a bucket's snapshot
 * (frontier/snapshot.h) always counts it as queued. Where memory has a budget, whole buckets are
 * swapped to disk in turns (frontier/swap.h).
 *
 * Time is handed in (now_ms, the flow's clock); nothing here reads a clock. Costs: a new URL under
 * 1 us, a known one under 0.15 us, all in; about 60 bytes and its path for a queued URL, 12 for a
 * known one, 250 for a host. */
#ifndef FRONTIER_FRONTIER_H
#define FRONTIER_FRONTIER_H

#include "base/buf.h"
#include "base/rc.h"
#include "order/order.h"

enum {
    FRONTIER_BUCKETS = 4096,
    FRONTIER_CLASSES = 4,       /* the queues of order/order.h; breadth uses class 0 alone */
    FRONTIER_MAX_ORIGINS = 250, /* (scheme, port) pairs of one host */
    FRONTIER_MAX_PATH_BYTES = 65000,
    FRONTIER_MAX_HOST_BYTES = 255,
    FRONTIER_MAX_SEED_PATH = 250,
    FRONTIER_MAX_BYPASS = 1000, /* sequence numbers; see frontier_prefer */
};

/* A URL on its way in, already normalised, in scope, and of this shard. All borrowed. */
struct candidate {
    uint64_t fingerprint; /* of the whole URL */
    uint64_t host_hash;   /* of its host: hash64 of the name */
    struct str host;
    struct str path; /* with query */
    uint64_t via;    /* fingerprint of the page it was found on; 0 = a seed */
    uint16_t port;   /* 0 = the scheme's own */
    bool is_https;
    uint8_t class;        /* 0 .. FRONTIER_CLASSES - 1 */
    uint16_t forward;     /* links of the page, and 1, as an earlier fetch found; 0 = not known */
    uint16_t pages;       /* not new: that many more pages link to it (visit/links.h) */
    struct str seed_path; /* letters of enum hop_kind from the seed to this URL; "" = a
                        seed; what is beyond FRONTIER_MAX_SEED_PATH is cut */
    struct str from;      /* host of that page; only needed where its bucket is swapped out */
};

enum admitted {
    ADMITTED_NEW,
    ADMITTED_KNOWN,
    ADMITTED_HOST_FULL,  /* the host's budget of queued URLs is used up; not remembered as seen */
    ADMITTED_HOSTS_FULL, /* too many hosts */
    ADMITTED_LATER,      /* its bucket is swapped out: it is sorted when that is loaded */
    ADMITTED_REFUSED,    /* only of what is sorted later: frontier_asks.may_enter said no */
};

struct host;
struct seen_store;

/* What the frontier asks and tells its owner when it sorts links to a bucket that was swapped out.
 * On the shard's thread. */
struct frontier_asks {
    /* Whether a URL that is not known may enter. `page_hosts`: how many hosts that were new its
     * page has brought to this bucket. NULL: yes. */
    bool (*may_enter)(void *ctx, const struct candidate *c, bool is_new_host, unsigned page_hosts);
    void (*became)(void *ctx, enum admitted what); /* NULL: not called */
    /* For each host of a bucket that an earlier process left, when the bucket is first loaded.
     * NULL: not called. */
    void (*loaded)(void *ctx, const struct host *h);
    void *ctx;
};

struct frontier_settings {
    uint64_t max_hosts;            /* of this shard */
    uint64_t max_host_queue;       /* URLs waiting for one host */
    uint64_t max_host_queue_bytes; /* memory of these, and so about their size on disk; 0 = no
                                      limit. The last URL may pass it */
    uint64_t memory_bytes; /* past it buckets are swapped out (frontier/swap.h); 0 = no limit */
    uint64_t slice_ms;     /* how long a bucket that has work stays in memory, if it can */
    uint64_t recent_bytes; /* of fingerprints sent to swapped buckets lately; 0 = 1 MB */
    bool replays;          /* until frontier_limit(): what comes was admitted once */
    enum order_kind order;
    uint64_t order_half;            /* of ORDER_PRIORITY (order/pvalue.h) */
    const struct seen_store *store; /* of known URLs (frontier/seen_store.h), which outlives the
                                       frontier; NULL: the buckets keep all */
    struct frontier_asks asks;
};

struct frontier;

/* NULL without memory. `shard` of `shards`. */
struct frontier *frontier_open(const struct frontier_settings *s, unsigned shard, unsigned shards);
void frontier_close(struct frontier *f);

/* Admits a batch (a page's links): looks all of them up with prefetch, then queues the new ones, in
 * order. ret[i] is what became of list[i]. RC_NOMEM: those from *ret_done on were not looked at. */
MUST_CHECK enum rc frontier_admit(struct frontier *f, const struct candidate *list, size_t count,
                                  uint64_t now_ms, enum admitted *ret, size_t *ret_done);

/* Whether hosts at that host_hash are this shard's. */
bool frontier_is_mine(const struct frontier *f, uint64_t host_hash);

/* Whether a fingerprint of a host at that host_hash is known. If its bucket is swapped out, it is
 * known only if it was admitted lately. */
bool frontier_knows(const struct frontier *f, uint64_t host_hash, uint64_t fingerprint);

/* A URL that was checked out: good until it is checked in. The strings are the frontier's. */
struct checkout {
    struct host *host;
    struct str host_name;
    struct str path;
    uint64_t sequence; /* global order of admission in this shard */
    uint64_t via;
    uint16_t port;
    bool is_https;
    uint8_t class;
    struct str seed_path;
};

/* Which ready hosts its owner would rather check out, by the origin of their head; NULL: all are
 * alike, and this costs nothing. Asked when a host becomes ready, and again before it is taken: a
 * host that is not preferred any more joins the others. A host that becomes preferred while it is
 * ready stays where it is. On the shard's thread; nothing of the frontier may be called from it. */
struct frontier_preference {
    /* `port` as a candidate's: 0 = the scheme's own */
    bool (*prefers)(void *ctx, struct str host, uint16_t port, bool is_https);
    void *ctx;
};
void frontier_prefer(struct frontier *f, struct frontier_preference p);

/* The ready host with the lowest head sequence in the class, or in the next class that has one. A
 * preferred host may come before it if its own head sequence is at most FRONTIER_MAX_BYPASS higher.
 * So a URL is bypassed by no more than that many others, and nothing starves.
 * RC_AGAIN: no host is ready; frontier_due_ms says when one will be. */
MUST_CHECK enum rc frontier_checkout(struct frontier *f, unsigned class, uint64_t now_ms,
                                     struct checkout *ret);

/* The same, of the class whose turn it is in the order of the settings; then of the best class that
 * has one. Breadth: the lowest head sequence of all. */
MUST_CHECK enum rc frontier_checkout_next(struct frontier *f, uint64_t now_ms,
                                          struct checkout *ret);

/* The earliest moment at which a checkout can succeed; UINT64_MAX: no host waits. 0 while no host
 * is ready: a swapped bucket has work, look again soon. */
uint64_t frontier_due_ms(const struct frontier *f);

/* The host that waits for the earliest moment, and until when; NULL: none waits. */
struct host *frontier_first_waiting(const struct frontier *f, uint64_t *ret_due_ms);

/* How a checkout ended. */
enum checkin {
    CHECKIN_DONE,  /* the URL leaves its queue */
    CHECKIN_AGAIN, /* it stays at the head: asked again when the host is */
    CHECKIN_LAST,  /* it goes to the end of its queue: asked again after the others */
};
void frontier_checkin(struct frontier *f, struct checkout *l, enum checkin how, uint64_t due_ms);

/* Holds a host back until due_ms though nothing of it is out (after a restart, or as its former
 * owner says); a host that is out takes it when it is checked in. */
void frontier_hold(struct frontier *f, struct host *h, uint64_t due_ms);

/* Drops everything of a bucket that is in memory, known URLs too. None of its hosts is out. */
void frontier_empty(struct frontier *f, unsigned bucket);

/* The host of that name; NULL: it is not here, or its bucket is swapped out. */
struct host *frontier_host(const struct frontier *f, uint64_t host_hash, struct str name);
/* The host's record, which the frontier does not look into: one pointer, freed by `free_extra`. */
void *host_extra(const struct host *h);
void host_set_extra(struct host *h, void *extra, void (*free_extra)(void *extra));
struct str host_name(const struct host *h);
uint64_t host_hash(const struct host *h);
uint32_t host_queued(const struct host *h);
uint64_t host_queue_bytes(const struct host *h); /* memory of its queues */
unsigned host_origins(const struct host *h);     /* (scheme, port) pairs that its URLs have had */

/* Whether the host's queue is full once `more` URLs of `more_bytes` are added: one more URL becomes
 * ADMITTED_HOST_FULL. */
bool frontier_host_is_full(const struct frontier *f, const struct host *h, uint64_t more,
                           uint64_t more_bytes);

/* Sets how much memory the host's extra takes now, for the budget. */
void frontier_extra_bytes(struct frontier *f, struct host *h, size_t bytes);

/* Every host that is in memory, in no order; nothing may be admitted meanwhile. */
void frontier_each_host(const struct frontier *f, void (*each)(void *ctx, const struct host *h),
                        void *ctx);

/* What the order of the frontier counts (frontier/listing.h); all but ORDER_PRIORITY pass it over.
 * A page of this shard's hosts had so many links; a URL that is known stands on more pages. In a
 * swapped bucket that is not counted. */
void frontier_learn(struct frontier *f, uint64_t host_hash, struct str path, uint32_t links);
void frontier_linked_again(struct frontier *f, uint64_t host_hash, uint64_t fingerprint,
                           unsigned pages);

enum order_kind frontier_order(const struct frontier *f);

/* What a URL is worth now; false: its bucket is not in memory, or the order is another. */
struct frontier_worth {
    uint32_t forward, back; /* links: expected, and counted up to 255 */
    int value;
};
bool frontier_worth(const struct frontier *f, uint64_t host_hash, uint64_t fingerprint,
                    struct str path, struct frontier_worth *ret);

struct frontier_counts {
    uint64_t hosts, known, queued, out, waiting,
        ready;         /* the first three also of swapped buckets */
    uint64_t bytes;    /* memory in use */
    uint64_t swapped;  /* buckets */
    uint64_t unsorted; /* links to them that have not been looked at */
};
struct frontier_counts frontier_counts(const struct frontier *f);

static inline unsigned frontier_bucket(uint64_t host_hash)
{
    return (unsigned)(host_hash >> 52);
}

#endif
