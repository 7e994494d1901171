/* SPDX-License-Identifier: Apache-2.0 */
/* ledger: everything of a crawl that must outlive its process: the URLs that are known, those that
 * are done, and the files that say so. It joins the frontiers of all shards, the journal, the
 * archive, the history and the files of lines, so that after any crash they agree.
 *
 *   DIR/archive/PREFIX-….warc.gz      archive/warc_files.h, one list of files a shard
 *   DIR/indexes/parts/index.cdxj      lines as captured; `export cdxj` sorts them
 *   DIR/pages/pages.jsonl, extraPages.jsonl
 *   DIR/logs/crawl.log, logs/progress-statistics.log
 *   DIR/links/links.nodes, links/links.arcs
 *   DIR/reports/skippedPages.jsonl
 *   DIR/logs/SYNCED
 *   DIR/state/VERSION, LOCK, MANIFEST, WRITTEN, sealed, seeds, elsewhere, agent,
 *             SEEN, journal/, images/, rest/, history/, seen/, cut/
 *
 * One call, ledger_record_outcome(), ends a page: one journal batch with its outcome, its lines and
 * its links; the frontier and the files change with it, under one lock, so that a position of the
 * journal names one state of everything. Work is split over threads:
 *   - the shard's own calls ledger_record_outcome(), and once a turn ledger_turn(), which gives
 *     everything to the kernel (it then survives kill -9) and takes a slice of the snapshot that is
 *     being made;
 *   - the helper's, opened here, about once a second syncs archive, files and journal in this
 *     order, and then a commit says so; full archive files get their last name; snapshots are
 *     written and, when whole, the MANIFEST names them and the journal is trimmed;
 *   - a third one writes buckets that do not fit the frontier's memory to files and reads them back
 *     (frontier/swap.h).
 * No shard ever waits for a disk.
 *
 * A snapshot of all buckets begins at one position of the journal and is made in slices while the
 * crawl goes on, so some of its buckets already hold what later batches brought. That does no harm:
 * what a batch says is absolute (a URL is known, a URL has left its queue, a record is so), so
 * doing it once more changes nothing, and in the end everything is as the last batch says. But
 * links that a batch before that position journalled must be admitted before the slices begin:
 * every outcome belongs to an epoch, a new snapshot begins a new one, and it waits until all links
 * of the old epoch have been admitted. Of a swapped bucket the snapshot has a reference: its file,
 * synced up to a length before the MANIFEST names the snapshot, and what is not in the file yet.
 * Files that no reference names are swap: a crash forgets them, and the journal brings back what
 * they had.
 *
 * Recovery, in ledger_open: MANIFEST and snapshot; then the journal twice: to find its last commit
 * and the first outcome whose archive record is not whole, which ends it (a batch that voids the
 * rest is added and synced); then to do everything from the snapshot's position on again. Files of
 * lines are cut to the commit and written again from the batches behind it. Hosts are asked no
 * earlier than now + their delay, nor before their recorded moment.
 *
 * RC_SYNC and a full disk are final: every call returns the failure from then on. */
#ifndef LEDGER_LEDGER_H
#define LEDGER_LEDGER_H

#include "archive/capture.h"
#include "archive/outlinks.h"
#include "disk/disk.h"
#include "frontier/frontier.h"
#include "host/host_record.h"
#include "host/pace.h"
#include "store/history.h"
#include "store/journal.h"

enum ledger_file {
    LEDGER_CDXJ,
    LEDGER_PAGES,
    LEDGER_EXTRA_PAGES,
    LEDGER_CRAWL_LOG,
    LEDGER_NODES,
    LEDGER_ARCS,
    LEDGER_SKIPPED,
    LEDGER_SEEDS, /* a line a seed: the URL, then for a seed's redirect a space and the seed */
    /* In a cluster: pages that other agents have archived, and pages that are asked for again
     * (cluster/wire/elsewhere.h). */
    LEDGER_ELSEWHERE,
    LEDGER_FILES
};

/* How the crawl's set of known URLs is kept (ledger_seen.c, docs/frontier.md). */
enum ledger_seen {
    LEDGER_SEEN_EXACT,   /* in the frontier's buckets, in memory or swapped out with them */
    LEDGER_SEEN_ROCKSDB, /* in a database of the crawl's directory */
    LEDGER_SEEN_BLOOM,   /* in a Bloom filter: some new URLs are taken for known ones, and lost */
    LEDGER_SEEN_AS_MADE, /* as in the directory; of a new one, EXACT */
};
struct ledger_seen_settings {
    enum ledger_seen kind;
    const char *path;  /* of state/seen in the file system, for ROCKSDB and AS_MADE */
    uint64_t bytes;    /* of memory for the database */
    uint64_t expected; /* URLs for which the filter is made, */
    double loss;       /* and the share of new ones that it may lose with them */
};

struct ledger_settings {
    unsigned shards;
    struct frontier_settings frontier; /* its store is filled in */
    struct ledger_seen_settings seen;
    struct warc_files_settings warc; /* folder, serials and seed are filled in */
    struct journal_settings journal;
    const char *history_path; /* in the file system; NULL: no history */
    uint64_t history_bytes;   /* of memory for it */
    uint64_t digest_bytes;    /* of the table for revisits */
    uint64_t name_bytes;      /* of the set of URLs that have a line in links.nodes; 0: 64 MB */
    uint64_t
        sync_ms; /* between two syncs; 1,000. 0: no helper thread, the caller calls ledger_sync */
    uint64_t
        snapshot_bytes;     /* a new snapshot begins when the journal has grown by this, and by half
                               of what the last snapshot took; 64 MB */
    unsigned slice_buckets; /* of a snapshot, made in one turn; 0: 64 */
    struct pace_settings pace; /* after a resume each host first waits for its delay, as if it had
                                  been asked a moment ago */
    uint64_t
        restart_wait_ms; /* on top of that: requests of the process before may be open for so long */
    uint64_t most_wait_ms;  /* recorded moments further away are cut to that; PACE_MOST_WAIT_MS */
    uint64_t reserve_bytes; /* ledger_is_short when the disk has less; 256 MB */
    bool recrawl;           /* forget what is done, once (see below) */
    bool
        accepts_lost; /* sealed archive files that are missing or changed are no reason to refuse */
    bool rebuilds;    /* there is no state, and that is right: see ledger_check */
    const char *written_path; /* of state/WRITTEN in the file system (claims.h); NULL: none */
    uint64_t boot;            /* boot_id(); 0: not known */
    struct clock *clock;
    struct log *log;
};

/* There while a rebuild is under way: ledger_open refuses then, but for the rebuild itself. */
#define LEDGER_REBUILDING "state/REBUILDING"

struct ledger;

/* Called while the ledger recovers, in this order: `link` (may be NULL) for each link that was
 * journalled since the last sync, for it may not have reached its shard; `seed` for each seed, so
 * that the scope can be drawn. */
struct ledger_hears {
    enum rc (*seed)(void *ctx, struct str line);
    void *ctx;
    void (*link)(void *ctx, const struct candidate *c);
};

struct ledger_report {      /* of the opening */
    bool is_new;            /* nothing was there */
    uint64_t batches;       /* replayed */
    uint64_t dropped;       /* batches whose records were not whole */
    uint64_t cut_bytes;     /* of archives and files */
    bool has_begun_recrawl; /* now, by this opening */
    bool is_recrawl;        /* a recrawl, begun now or by an earlier run */
    bool needs_requeue;     /* and not all URLs known before are requeued: see ledger_requeued */
};

/* Restarting: everything that is done is forgotten as if it had never been known, and totals and
 * elapsed time begin at 0; what is queued stays queued, archive and history and all other files
 * stay as they are. state/RECRAWL says that it has happened ("begun" and the snapshot with which
 * the crawl begins anew) until ledger_finish finds that everything is done again, or that a limit
 * has ended it ("ended"). A ledger with one that has begun is not begun again: the same
 * settings go on with it. */

/* `d` is the crawl's directory. RC_LOCKED: another process crawls there. RC_CORRUPT: something is
 * damaged, and nothing was changed. RC_VERSION, RC_DISK_FULL, ...; `why`. */
MUST_CHECK enum rc ledger_open(struct disk *d, const struct ledger_settings *s,
                               struct ledger_hears hears, struct ledger **ret,
                               struct ledger_report *ret_report, struct buf *why);

/* Whether ledger_open would find the directory in order: reads what ledger_open reads, and changes
 * nothing (a new directory gets state/LOCK). Returns the failure that ledger_open would return.
 *
 * A crawl whose state/ is damaged is rebuilt (src/repair): state/ is put aside, and ledger_open
 * with `rebuilds` begins a new one beside the archives and lines that there are. Files of lines
 * stay, up to their last whole line. */
MUST_CHECK enum rc ledger_check(struct disk *d, const struct ledger_settings *s, struct buf *why);

/* For a command that only reads the crawl's files: whether its version is known, its MANIFEST
 * whole, and each file of lines as long as the MANIFEST says. Changes nothing and takes no lock;
 * the crawl may run. RC_VERSION, RC_CORRUPT, RC_IO, ...; `why` names the file. */
MUST_CHECK enum rc ledger_inspect(struct disk *d, struct buf *why);

/* Makes everything durable (archive files sealed, a snapshot of all), unless it has failed. Returns
 * what went wrong. Shards make no calls any more. */
MUST_CHECK enum rc ledger_finish(struct ledger *l);
/* Frees the ledger, and saves nothing more. */
void ledger_close(struct ledger *l);

struct frontier *ledger_frontier(struct ledger *l, unsigned shard);
struct warc_files *ledger_warc(struct ledger *l, unsigned shard);
struct digest_table *ledger_digests(struct ledger *l);
struct history *ledger_history(struct ledger *l); /* NULL without one */
struct disk *ledger_disk(struct ledger *l);       /* the crawl's directory, to look into */

/* The links of a page that is done, read back from its archive (archive/outlinks.h).
 * RC_NOT_FOUND: the page is not known to be done yet, or its links were not archived
 * (*ret_is_lost); RC_CORRUPT, RC_IO, RC_NOMEM. It waits for the disk. */
MUST_CHECK enum rc ledger_links_of(struct ledger *l, uint64_t fingerprint, struct arena *arena,
                                   outlinks_each *each, void *ctx,
                                   struct history_entry *ret_history, bool *ret_is_lost);

/* One line for a file, with its LF. */
struct ledger_line {
    enum ledger_file file;
    struct str text;
};

/* What became of a checkout; or a list of links without a checkout (seeds). */
struct ledger_outcome {
    struct checkout *checkout; /* NULL: nothing was checked out (seeds) */
    enum checkin how;
    uint64_t due_ms;     /* its host may be asked again then, in the clock's now_ms */
    bool robots_changed; /* the record's robots are new: they are in the batch */
    const struct warc_location *location; /* NULL: nothing was archived */
    const struct capture *capture;        /* with location: to be remembered for revisits */
    uint64_t fingerprint;                 /* with history */
    const struct history_entry *history;  /* for the history; NULL: nothing */
    const struct ledger_line *lines;
    size_t line_count;
    const struct candidate *links; /* that are not surely known, of any shard */
    size_t link_count;
    struct str names; /* a line of links.nodes for each of `links`, in their order: those whose URL
                         has one are left out; "" = none of them gets one */
    size_t foreign_count;  /* of `links`, the last: links to hosts of other agents, which are
                              journalled for those agents and not admitted here */
    uint64_t pages, bytes; /* to be added to the crawl's totals */
};

/* Journals the outcome, writes its lines, checks the URL in (frontier_checkin, with the host's
 * record as it is now), and remembers the capture. The links are only journalled: each of them must
 * then be given to ledger_admit of its shard, once, with the epoch that is returned. Only the shard
 * of the checkout calls this, and records captures in the order in which it wrote them. On failure
 * the checkout is still the caller's; RC_INVALID and RC_LIMIT (a line without its end, a host or
 * path longer than a frontier takes, more than a batch holds) and RC_NOMEM leave the ledger as it
 * was.
 */
MUST_CHECK enum rc ledger_record_outcome(struct ledger *l, unsigned shard,
                                         const struct ledger_outcome *o, unsigned *ret_epoch);

/* Checks a URL in without a batch in the journal. Its visit has no result (its address was busy, a
 * limit is used up, or the cluster took the host away), and the URL is asked for later. */
void ledger_return(struct ledger *l, unsigned shard, struct checkout *checkout, uint64_t due_ms);
/* The same, to the end of its queue. */
void ledger_put_last(struct ledger *l, unsigned shard, struct checkout *checkout, uint64_t due_ms);

/* Loads the bucket of hosts with that host_hash, if it is swapped out; only without a helper
 * (sync_ms 0) and when no crawl runs: it waits for the disk. */
MUST_CHECK enum rc ledger_bring(struct ledger *l, unsigned shard, uint64_t host_hash);

/* Admits links that a ledger_record_outcome (of any shard) has journalled, all of this shard;
 * ret[i] as frontier_admit's. */
MUST_CHECK enum rc ledger_admit(struct ledger *l, unsigned shard, unsigned epoch,
                                const struct candidate *list, size_t count, uint64_t now_ms,
                                enum admitted *ret);

/* Where the shard's last ledger_record_outcome stands in the journal; its thread's. */
uint64_t ledger_outcome_at(struct ledger *l, unsigned shard);

/* Journals that some links of the batch at `batch` (ledger_outcome_at) are not admitted because
 * they are over a budget, so that they do not come back after a crash. `shard` is the caller's
 * own. */
MUST_CHECK enum rc ledger_drop(struct ledger *l, unsigned shard, unsigned epoch, uint64_t batch,
                               const uint64_t *fingerprints, size_t count);

/* What an agent of a cluster (cluster/protocol/agent.h) was told or has decided: one batch of the
 * journal. Any part may be empty. */
#define LEDGER_NOT_SAID UINT64_MAX
enum { LEDGER_MAX_FACTS_BYTES = 256 << 20 };
struct ledger_news {
    uint64_t kept;   /* of the outbox: nothing before it is needed; LEDGER_NOT_SAID */
    struct str fact; /* the agent's own bytes: ledger_facts hands them out again */
    struct str
        mine; /* a batch of records (cluster/wire/records.h) of hosts that are ours: each must
                           then be given to ledger_merge of its shard, once */
    struct str foreign;   /* another, for other agents: only journalled */
    struct str forgotten; /* hosts that have been handed over: names, each behind a byte with its
                             length; each must then be given to ledger_forget of its shard, once */
    bool is_aside;        /* an incarnation has ended: frontiers are emptied, each by ledger_empty,
                             once, before anything else that came later */
};
/* Journals the news. Any thread. What must be given to shards belongs to the epoch *ret_epoch;
 * *ret_batch is for ledger_drop. */
MUST_CHECK enum rc ledger_tell(struct ledger *l, const struct ledger_news *n, unsigned *ret_epoch,
                               uint64_t *ret_batch);

/* Merges records that ledger_tell has journalled, all of this shard. *ret_new: how many URLs were
 * new. */
struct record;
MUST_CHECK enum rc ledger_merge(struct ledger *l, unsigned shard, unsigned epoch,
                                const struct record *list, size_t count, size_t *ret_new);

/* Takes a record RECORD_SEED_PATH or RECORD_SHORTER (cluster/wire/records.h) that ledger_tell has
 * journalled: its page is done, or is unknown again if no agent has the page. The caller must then
 * admit it as a link, by which a page that no agent has is asked for again. */
MUST_CHECK enum rc ledger_take_seed_path(struct ledger *l, unsigned shard, const struct record *r);

/* Forgets that URLs of one host of this shard are done, which ledger_tell has journalled as
 * is_again, so that they can be admitted anew; URLs that wait go on waiting. Call it before they
 * are given to ledger_admit. */
MUST_CHECK enum rc ledger_unknow(struct ledger *l, unsigned shard, uint64_t host_hash,
                                 struct str host, const uint64_t *fingerprints, size_t count);

/* Writes the agent whose directory this is, and the incarnation it began with, for commands that
 * look into the directory later (cluster/wire/elsewhere.h). It waits for the disk. */
MUST_CHECK enum rc ledger_note_agent(struct ledger *l, struct str name, uint64_t first_inc);
/* Bytes of a file of lines, including lines that are not in the file yet. */
uint64_t ledger_lines_bytes(struct ledger *l, enum ledger_file file);

/* A URL record as the frontier takes it; everything is borrowed. */
struct candidate ledger_candidate_of(const struct record *r);

/* Forgets the queue of a host that another agent owns now, and that its URLs were known; URLs that
 * are done stay known. */
MUST_CHECK enum rc ledger_forget(struct ledger *l, unsigned shard, unsigned epoch, struct str host);

/* Drops all queues and all known URLs of this shard. RC_AGAIN: nothing has happened, for a URL is
 * checked out, or a bucket is being read or written. */
MUST_CHECK enum rc ledger_empty(struct ledger *l, unsigned shard, unsigned epoch);

/* A step of a walk over hosts and their queues (frontier/move.h). It does not wait for the disk: a
 * swapped bucket may come with a later step (w->waits). */
struct move_walk;
struct move_taker;
MUST_CHECK enum rc ledger_walk(struct ledger *l, unsigned shard, struct move_walk *w,
                               const struct move_taker *t, size_t most, bool *ret_is_over);

/* How many links and news were journalled that the frontiers do not have yet. */
uint64_t ledger_pending(struct ledger *l);

/* Every fact, in the order in which they were journalled, with the position behind it. */
MUST_CHECK enum rc ledger_facts(struct ledger *l,
                                enum rc (*each)(void *ctx, uint64_t position, struct str fact),
                                void *ctx);

/* Positions of the journal. ledger_end: its end; or the position of the last commit if nothing
 * stands behind it, so that ledger_durable() reaches it though nothing more happens. */
uint64_t ledger_end(struct ledger *l);
/* Everything before it is durable, archives too. */
uint64_t ledger_durable(struct ledger *l);
/* The last `kept` of struct ledger_news. */
uint64_t ledger_kept(struct ledger *l);
/* Behind the last batch for other agents, durable or not. */
uint64_t ledger_for_others(struct ledger *l);

/* What was journalled for other agents, in order: outcomes of pages, and foreign records. Of
 * one thread. The batch is good until the next call. RC_NOT_FOUND: no more that is durable. */
struct ledger_outbox;
struct batch;
struct ledger_outbox *ledger_outbox_open(struct ledger *l); /* NULL without memory */
void ledger_outbox_close(struct ledger_outbox *o);
MUST_CHECK enum rc ledger_outbox_next(struct ledger_outbox *o, uint64_t from, struct batch *ret,
                                      uint64_t *ret_position, uint64_t *ret_next);

/* Once a turn of the shard. */
MUST_CHECK enum rc ledger_turn(struct ledger *l, unsigned shard);

/* Runs one round of the helper in the caller (sync_ms 0, tests, "checkpoint"). */
MUST_CHECK enum rc ledger_sync(struct ledger *l);
/* Asks for a round soon, because a caller waits for durability. Rounds still leave most of the time
 * free. */
void ledger_hurry(struct ledger *l);
/* Asks for a snapshot soon, even if none is due. */
void ledger_checkpoint(struct ledger *l);

/* The first failure of any thread; RC_OK: there is none. */
enum rc ledger_state(struct ledger *l);
/* Whether the disk runs short of space. */
bool ledger_is_short(struct ledger *l);

/* As of the last sync. */
struct ledger_room {
    uint64_t used_bytes; /* of the journal, and of all that was ever archived */
    uint64_t free_bytes; /* of the disk, above the reserve; UINT64_MAX: not known */
};
struct ledger_room ledger_room(struct ledger *l);

/* Whether an archive file is lost (settings.accepts_lost) whose captures were not asked for
 * again. */
bool ledger_has_lost(struct ledger *l);
/* Notes durably that they were asked for again. It waits for the disk. */
MUST_CHECK enum rc ledger_asked_lost(struct ledger *l);

/* Notes, in a recrawl, that all URLs known before are in the frontier again or not wanted any
 * more. */
void ledger_requeued(struct ledger *l);
/* The last recrawl: a number above those of recrawls before, and when it was; 0: there was none.
 * Constant. */
struct ledger_recrawl {
    uint64_t id, wall_ms;
};
struct ledger_recrawl ledger_last_recrawl(struct ledger *l);
/* Notes that a limit ends the crawl, though URLs are queued. True: for the first time. */
bool ledger_conclude(struct ledger *l);

/* Of a Bloom filter; of the other kinds all but `kind` is 0. Any thread. */
struct ledger_seen_numbers {
    enum ledger_seen kind;
    uint64_t expected;
    double most_loss; /* that it has with `expected` URLs */
    uint64_t count;   /* URLs in it */
    uint64_t bytes;   /* of memory */
    double loss;      /* the share of new URLs that it loses now */
    double lost;      /* how many it has lost, in the mean of all possible crawls */
};
struct ledger_seen_numbers ledger_seen_numbers(const struct ledger *l);

/* Of a file of lines: the first bytes that are durable and that no later opening cuts off, for
 * those who make something of them. It is 0 until the second round of this run, and grows from
 * round to round. Any thread. */
uint64_t ledger_lasting_bytes(struct ledger *l, enum ledger_file file);

struct ledger_totals { /* over all runs, since the last recrawl began */
    uint64_t pages, bytes;
    uint64_t elapsed_ms; /* of crawling, up to the last commit of earlier runs and of this one */
    uint64_t archive_bytes, journal_bytes;
};
struct ledger_totals ledger_totals(struct ledger *l);

#endif
