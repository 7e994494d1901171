/* SPDX-License-Identifier: Apache-2.0 */
/* small_crawl: a web of a few hosts, always the same, crawled through a ledger by hand on one
 * thread; and a look at what the crawl left. */
#ifndef LEDGER_SMALL_CRAWL_H
#define LEDGER_SMALL_CRAWL_H

#include "base/clock.h"
#include "ledger/ledger.h"

enum { SMALL_NEWS = 4 }; /* URLs that no page brings: an agent of a cluster is told of them */
enum { SMALL_HOSTS = 5, SMALL_URLS = 26, SMALL_MAX_SHARDS = 4, SMALL_MAX_MAIL = 200 };

/* What has been done, and what of it must be there after which kind of end. */
struct small_truth {
    bool done[SMALL_URLS];
    bool written[SMALL_URLS]; /* before the last turn that ended: survives kill -9 */
    bool synced[SMALL_URLS];  /* before the last sync that ended: survives a power cut */
    bool is_tight; /* no memory for the frontier: buckets are swapped out and loaded all the time */
    bool has_news; /* some URLs come by ledger_tell, each with a fact */
    bool has_filter;                          /* known URLs are kept in a Bloom filter */
    const char *history_path;                 /* in the file system; NULL: no history */
    const char *written_path;                 /* likewise, of state/WRITTEN */
    unsigned told, told_written, told_synced; /* likewise, of the news */
    uint64_t lasting, lasting_hash; /* ledger_lasting_bytes of links.arcs, and hash64 of these */
    uint64_t boot; /* of the machine: another one after a power cut; 0: not known */
};

struct small_mail { /* a link on its way to another shard */
    unsigned url, via, epoch;
    bool is_news;
};

struct small_crawl {
    struct ledger *ledger;
    struct ledger_report report;
    unsigned shards, seeds_heard;
    struct clock_simulated clock;
    struct capture_writer *writer;
    struct small_mail mail[SMALL_MAX_SHARDS][SMALL_MAX_MAIL];
    size_t mail_count[SMALL_MAX_SHARDS];
    unsigned pages, steps;
    unsigned told; /* news, by this and earlier processes */
    struct small_truth *truth;
    char why[300];
};

/* The settings of the ledger of every small crawl. The clock and the number of shards are the
 * crawl's. */
struct ledger_settings small_settings(struct small_crawl *c);
/* Makes the web and the clock, and opens nothing. */
void small_prepare(struct small_crawl *c, unsigned shards, struct small_truth *truth);
/* Of URL i: a candidate as its links bring it. The strings are the web's. */
struct candidate small_candidate(unsigned i);

/* Whether a page's outcome names URL i, so that links.nodes must have it. */
bool small_is_named(const struct small_crawl *c, unsigned i);

/* Opens, and gives the seeds if nothing is there. */
enum rc small_open(struct small_crawl *c, struct disk *d, unsigned shards,
                   struct small_truth *truth);
/* The same with a helper thread, when `sync_ms` is not 0. */
enum rc small_open_helped(struct small_crawl *c, struct disk *d, unsigned shards,
                          struct small_truth *truth, uint64_t sync_ms);
/* The same, begun anew (ledger_settings.recrawl); seeds are not given again. */
enum rc small_open_anew(struct small_crawl *c, struct disk *d, unsigned shards,
                        struct small_truth *truth);
void small_close(struct small_crawl *c);

/* One page a shard; *ret_more: there is more to do. `busy`: syncs and checkpoints on the way. */
enum rc small_step(struct small_crawl *c, bool busy, bool *ret_more);
/* All that is left, then ledger_finish. */
enum rc small_finish(struct small_crawl *c);

/* Nothing that must be there is missing, by crawl.log. NULL, or what is wrong. */
const char *small_check_kept(struct disk *d, const bool must[SMALL_URLS]);
/* What links.arcs had as lasting is there as it was. NULL, or what is wrong. */
const char *small_check_lasting(struct disk *d, const struct small_truth *truth);
/* The crawl has ended: everything is there once, and all files agree. */
const char *small_check_end(struct small_crawl *c, struct disk *d);

#endif
