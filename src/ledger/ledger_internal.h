/* SPDX-License-Identifier: Apache-2.0 */
/* ledger internal: the ledger as its own files see it.
 *
 *   ledger.c          record outcomes, admit, turn: what shards call
 *   ledger_open.c     opening and closing
 *   ledger_files.c    folders, lock, version, files of lines
 *   ledger_look.c     everything that is there, read before anything changes
 *   ledger_recover.c  what a crash left, made whole
 *   claims.c          what the files must hold, said outside of them
 *   ledger_drops.c    links that were journalled and not admitted
 *   ledger_snapshot.c snapshots of all buckets: slices, the file, the MANIFEST
 *   ledger_inspect.c  what a reader of its files can rely on
 *   ledger_links.c    what was found on a page, from the archive
 *   ledger_news.c     what an agent of a cluster is told and decides
 *   ledger_outbox.c   what the journal holds for other agents
 *   ledger_sync.c     the helper: syncs, commits, free disk
 *   ledger_swap.c     files of swapped buckets, and the thread for them
 *   ledger_recrawl.c  beginning anew
 *   ledger_seen.c     where known URLs are kept, if not in the buckets
 *   names.c           which URLs have a line in links.nodes
 *   batch*.c, manifest.c, record.c   bytes
 *
 * Locks, in the order they are taken: `round.lock`, `writing`, `lock`, those inside archive and store;
 * `swap.lock` is held for a few lines only and nothing is taken under it. */
#ifndef LEDGER_LEDGER_INTERNAL_H
#define LEDGER_LEDGER_INTERNAL_H

#include "archive/line_file.h"
#include "archive/sealed.h"
#include "base/log.h"
#include "frontier/seen_store.h"
#include "frontier/swap_job.h"
#include "ledger/batch.h"
#include "ledger/claims.h"
#include "ledger/manifest.h"
#include "ledger/names.h"
#include "ledger/stretches.h"
#include "store/bloom.h"
#include "store/journal.h"
#include "store/seen_db.h"

#include <pthread.h>

#define LEDGER_JOURNAL "state/journal"
#define LEDGER_SNAPSHOTS "state/images"
#define LEDGER_MANIFEST "state/MANIFEST"
#define LEDGER_ARCHIVE "archive"
#define LEDGER_RECRAWL "state/RECRAWL"
#define LEDGER_SWAP "state/rest"
#define LEDGER_CUT "state/cut"

enum {
    SNAPSHOT_SLICE_BUCKETS = 64,       /* most buckets of a turn */
    SNAPSHOT_SLICE_BYTES = 256 << 10,  /* a turn ends behind this size */
    SNAPSHOT_WAITING_BYTES = 32 << 20, /* handed to the helper and not written: no more slices */
    SNAPSHOT_PATH_BYTES = 64,
};

struct ledger_shard {
    struct frontier *frontier; /* the shard's thread's */
    struct warc_files *warc;
    struct buf batch;     /* the shard's thread's: the batch being made */
    uint64_t outcome_at;  /* the shard's thread's: its last outcome in the journal */
    unsigned next_bucket; /* the shard's thread's while a snapshot is sliced */
    uint64_t recorded;    /* `lock`: position of its archive up to which outcomes are journalled */
    bool is_sliced;       /* `lock` */
    uint64_t round_recorded; /* the round's: `recorded` when it began */
    bool is_over; /* the shard's thread's: one bucket is more than its memory; it was logged */
    struct swap_job *came, *last_came; /* `swap.lock`: done, for the shard's thread */
};

/* The files of a swapped bucket, each of generation 0 if there is none. */
struct swap_files {
    uint64_t now; /* generation of the one that it is in */
    struct swap_file making,
        kept; /* referred to by the snapshot being made, by the one that counts */
};

/* Some buckets' snapshots, from a shard to the helper. */
struct snapshot_piece {
    struct snapshot_piece *next;
    struct buf bytes;
    struct buf listed; /* for the store of known URLs */
};

enum snapshot_step {
    SNAPSHOT_NONE,
    SNAPSHOT_DRAINING, /* links of the epoch before have not all been admitted */
    SNAPSHOT_SLICING,
    SNAPSHOT_SLICED, /* every shard has handed in its last slice */
};

/* ledger_seen.c's. */
struct seen_state {
    struct seen_store store; /* the frontiers'; its `has` is NULL if the buckets keep all */
    struct seen_db *db;
    struct bloom *filter;
    bool was_exact;         /* the directory, so far */
    uint64_t db_generation; /* of the opening: what the database has, */
    uint64_t must_have;     /* and what it must have */
    bool is_new_era;        /* the round's: the database has older ones to remove */
    struct buf listed;      /* the round's: what the store gets with the snapshot being made */
    uint32_t era;           /* `lock` */
    uint64_t has;           /* `lock`: what was listed for snapshots up to that generation */
};

/* One round at a time: `lock` is held while it lasts. */
struct round_state {
    pthread_mutex_t lock;
    bool seals;                    /* the round has archive files to seal */
    struct buf commit;             /* the last one's batch */
    uint64_t commit_position;      /* that it vouches for */
    uint64_t commit_end;           /* of the journal behind it, if it vouches for all before itself;
                                      else UINT64_MAX */
    struct history_batch *history; /* what the round writes to the history */
    uint64_t commit_behind;        /* of the journal: behind the last commit, */
    uint64_t commit_lengths[LEDGER_FILES]; /* and the lengths that it says */
};

/* The thread of rounds. Under the ledger's lock, but for the thread itself. */
struct helper_state {
    pthread_t thread;
    bool has_thread, stop;
    bool is_hurried;   /* a call waits for the next round */
    uint64_t round_ms; /* that the last one took */
    pthread_cond_t wake;
};

struct snapshot_state {
    struct disk_file
        *file;      /* the round's: of the snapshot being made; NULL before its first piece */
    uint64_t bytes; /* the round's: in it */
    /* `lock`: */
    enum snapshot_step step;
    bool is_wanted;
    uint64_t position; /* of the journal, where it begins */
    size_t facts;      /* bytes of the agent's facts that it holds: those before its position */
    unsigned shards_sliced;
    struct snapshot_piece *pieces, *last_piece;
    uint64_t piece_bytes;
};

/* ledger_swap.c's. Its lock guards everything but the threads. */
struct swap_keeper {
    pthread_t thread;
    bool has_thread;
    pthread_mutex_t lock;
    pthread_cond_t wake, idle;
    struct swap_files *files; /* FRONTIER_BUCKETS */
    struct swap_job *jobs, *last_job;
    bool is_working, stop;
};

/* What an agent of a cluster has told (ledger_news.c). `lock`. */
struct agent_state {
    uint64_t
        for_others;   /* of the journal: behind the last batch that other agents have to hear of */
    struct buf facts; /* position 8, length 4, bytes */
    uint64_t outbox_kept; /* the journal is needed from there on; LEDGER_NOT_SAID */
};

/* ledger_recrawl.c's. `lock`, but for `last`. */
struct recrawl_state {
    bool is_on, is_requeued, is_concluded;
    struct ledger_recrawl last; /* constant once it is open */
};

/* Space on the disk, as of the last round. `lock`. */
struct room_state {
    bool is_short;
    uint64_t free_bytes;    /* UINT64_MAX: not known */
    uint64_t journal_bytes; /* measured in the round, because measuring may wait for a sync */
};

struct ledger {
    struct ledger_settings settings;
    struct disk *disk;
    struct disk_lock *dir_lock;
    struct journal *journal;
    struct history *history;
    struct digest_table *digests;
    struct sealed *sealed; /* the round's, once the ledger is open */
    struct claim_writer *claims;
    struct line_file *files[LEDGER_FILES];
    struct names *names; /* `lock`: of the file LEDGER_NODES */
    struct buf named;    /* `lock`: lines of the outcome at hand that are new to it */
    struct ledger_shard *shards;
    struct manifest
        kept; /* the snapshot that the MANIFEST names; the round's, and changed under `lock` */

    /* Of the opening; constant afterwards. */
    struct stretches voids;
    struct ledger_hears hears;
    uint64_t opened_ms;
    int64_t wall_minus_now; /* so that a jump of the wall clock changes nothing for swapped hosts */
    bool is_resumed;        /* no host is asked before its delay has passed */
    uint64_t elapsed_before_ms; /* of earlier runs */
    uint64_t history_from;      /* of the journal: the history has all before it */
    uint64_t unsynced_from;     /* of the journal: behind its last commit */

    /* Held while what was recorded is given to the kernel: one thread does that at a time. */
    pthread_mutex_t writing;

    /* Guards what follows, and the order of what is journalled and added to files. */
    pthread_mutex_t lock;
    enum rc failed; /* sticks */
    struct batch_totals totals;
    struct history_batch *batch;    /* outcomes since the last round, for the history */
    uint64_t durable;               /* of the journal: everything below lasts */
    uint64_t lasting[LEDGER_FILES]; /* of each file of lines: no recovery cuts that off */
    unsigned epoch;
    uint64_t pending[2]; /* links journalled in an epoch, by its last bit, and not yet admitted */
    struct room_state room;
    struct recrawl_state recrawl;
    struct agent_state agent;
    struct snapshot_state snapshot;
    struct helper_state helper;

    /* With rules of their own. */
    struct round_state round;
    struct seen_state seen;
    struct swap_keeper swap;
};

/* Makes a failure the ledger's own; returns the first there was. */
enum rc ledger_fail(struct ledger *l, enum rc rc);

/* ledger.c, under `writing` and `lock`: what was recorded goes to the kernel, in its order. */
MUST_CHECK enum rc ledger_write_all(struct ledger *l);

/* ledger_files.c. The lock, before anything else; then the folders, once all was looked at. */
MUST_CHECK enum rc ledger_lock(struct ledger *l, struct buf *why);
MUST_CHECK enum rc ledger_has_archive(struct ledger *l, bool *ret);
MUST_CHECK enum rc ledger_make_folders(struct ledger *l, struct buf *why);
MUST_CHECK enum rc ledger_check_version(struct ledger *l, bool *ret_is_there, struct buf *why);
MUST_CHECK enum rc ledger_write_version(struct ledger *l, struct buf *why);
/* RC_CORRUPT: one is shorter, or has no end of a line there. */
MUST_CHECK enum rc ledger_check_lines(struct ledger *l, const uint64_t lengths[LEDGER_FILES],
                                      struct buf *why);
/* The lengths that they have, up to their last whole line. */
MUST_CHECK enum rc ledger_measure_lines(struct ledger *l, uint64_t lengths[LEDGER_FILES],
                                        struct buf *why);
/* Cut to the lengths, or made with their first lines. */
MUST_CHECK enum rc ledger_open_lines(struct ledger *l, const uint64_t lengths[LEDGER_FILES],
                                     struct ledger_report *report, struct buf *why);
const char *ledger_lines_path(enum ledger_file file);
/* Of a link that is done again, in the batch at that position. */
void ledger_tell_link(struct ledger *l, uint64_t position, const struct candidate *c);
MUST_CHECK enum rc ledger_tell_seeds(struct ledger *l, struct ledger_hears hears);

/* ledger_recover.c: recovers everything from the directory, except the archives to be written. */
MUST_CHECK enum rc ledger_recover(struct ledger *l, struct ledger_report *report, struct buf *why);

/* ledger_drops.c: a link of `batch` was dropped; the batch at `said_at` says so. */
struct drop {
    uint64_t batch, fingerprint, said_at;
};
struct drops {
    struct drop *list;
    size_t count, room;
};
MUST_CHECK enum rc drops_add(struct drops *d, uint64_t said_at, const struct batch *b);
/* Call it once all are added, before drops_has: forgets drops that a void batch says. */
void drops_sort(struct drops *d, bool (*is_void)(const void *ctx, uint64_t position),
                const void *ctx);
bool drops_has(const struct drops *d, uint64_t batch, uint64_t fingerprint);
void drops_done(struct drops *d);
/* ledger_swap.c. First and last: */
MUST_CHECK bool swap_make(struct ledger *l);
void swap_done(struct ledger *l);
MUST_CHECK enum rc swap_start(struct ledger *l); /* its thread */
void swap_stop(struct ledger *l);                /* behind the last job */
/* At the opening: gives the frontiers their carrier. */
MUST_CHECK enum rc swap_begin(struct ledger *l);
/* Takes a reference of the snapshot. */
MUST_CHECK enum rc swap_adopt(struct ledger *l, struct str reference);
/* Cuts files to the lengths that the snapshot names. */
MUST_CHECK enum rc swap_cut(struct ledger *l);
/* Removes files that it does not refer to. */
MUST_CHECK enum rc swap_clean(struct ledger *l);
/* The next three on the shard's thread. Takes back the jobs that are done. */
MUST_CHECK enum rc swap_collect(struct ledger *l, unsigned shard);
/* Once a turn: the same, then swaps out and loads. */
MUST_CHECK enum rc swap_turn(struct ledger *l, unsigned shard);
/* While nothing is checked out: swaps out until the frontier fits its budget. */
MUST_CHECK enum rc swap_fit(struct ledger *l, unsigned shard);
/* Drops a swapped bucket of which no job is open; its file too, unless a snapshot has it. */
MUST_CHECK enum rc swap_drop(struct ledger *l, unsigned shard, unsigned bucket);
/* The snapshot being made refers to that file. */
void swap_refer(struct ledger *l, unsigned bucket, struct swap_file file);
/* Makes all files durable that it refers to. */
MUST_CHECK enum rc swap_sync(struct ledger *l);
/* It counts now, or (`is_kept` false) was given up. */
MUST_CHECK enum rc swap_end_snapshot(struct ledger *l, bool is_kept);

/* ledger_seen.c. The next three are for an opening, in this order. Finds out which kind it is, and
 * changes nothing. `is_begun`: the directory is not new. */
MUST_CHECK enum rc seen_look(struct ledger *l, bool is_begun, struct buf *why);
/* Once the snapshot is loaded: whether the store fits it. */
MUST_CHECK enum rc seen_check(struct ledger *l, struct buf *why);
MUST_CHECK enum rc seen_open(struct ledger *l, struct buf *why);
void seen_finish(struct ledger *l); /* logs what a filter has lost */
void seen_close(struct ledger *l);
/* The next four in a round. Takes the fingerprints that a slice has listed. */
MUST_CHECK enum rc seen_take_list(struct ledger *l, struct str listed);
/* Forgets them: their snapshot was given up. */
void seen_drop_lists(struct ledger *l);
/* Writes the store's pieces of the snapshot. */
MUST_CHECK enum rc seen_write_pieces(struct ledger *l);
/* The snapshot of that generation counts: the store gets the listed fingerprints. */
MUST_CHECK enum rc seen_merge(struct ledger *l, uint64_t generation);
bool seen_is_piece(struct str bytes);
MUST_CHECK enum rc seen_read_piece(struct ledger *l, struct str bytes);
/* The next two on the shard's thread. `has` is seen.has, read under `lock`. */
void seen_turn(struct ledger *l, unsigned shard, uint64_t has);
/* All buckets of the shard are empty. */
MUST_CHECK enum rc seen_empty(struct ledger *l, unsigned shard);
/* For a recrawl: the era of the new frontiers. */
uint32_t seen_next_era(const struct ledger *l);
/* The new frontiers have replaced the old ones. */
void seen_begin_era(struct ledger *l);

/* ledger_news.c: does a batch of news again. */
MUST_CHECK enum rc news_redo(struct ledger *l, uint64_t position, const struct ledger_news *n,
                             const struct drops *drops);
MUST_CHECK enum rc news_lines(struct ledger *l, const struct ledger_news *n);
/* Facts and outbox as a piece of a snapshot. Writing: under `lock`. */
bool news_is_piece(struct str bytes);
void news_write_piece(const struct ledger *l, struct buf *out);
MUST_CHECK enum rc news_read_piece(struct ledger *l, struct str bytes);

/* ledger_outbox.c */
MUST_CHECK enum rc outbox_find_voids(struct ledger *l);

/* ledger_snapshot.c */
struct snapshot_context ledger_snapshot_context(struct ledger *l);
MUST_CHECK enum rc snapshot_load(struct ledger *l, struct buf *why);
void snapshot_begin(struct ledger *l);   /* under `lock` */
bool snapshot_is_due(struct ledger *l);  /* under `lock` */
void snapshot_step_on(struct ledger *l); /* under `lock`: draining has ended? */
MUST_CHECK enum rc snapshot_slice(struct ledger *l, unsigned shard);
MUST_CHECK enum rc snapshot_write_pieces(struct ledger *l); /* in a round */
MUST_CHECK enum rc snapshot_finish(struct ledger *l);       /* in a round, if it is whole */
void snapshot_drop(struct ledger *l);                       /* in a round */
/* In a round: a piece of its own; the first 4 bytes are for its length. */
MUST_CHECK enum rc snapshot_append(struct ledger *l, struct buf *piece);
MUST_CHECK enum rc snapshot_remove_others(struct ledger *l);

/* ledger_open.c: opens the history, if the settings have one. */
MUST_CHECK enum rc ledger_open_history(struct ledger *l, struct buf *why);
/* Makes a snapshot of all buckets, in a round of its own, when no other thread calls. */
MUST_CHECK enum rc snapshot_of_all(struct ledger *l);

/* ledger_recrawl.c. Whether state/RECRAWL can be read, and is of that recrawl or a later one (0: of
 * any, or missing); it changes nothing. */
MUST_CHECK enum rc ledger_check_mark(struct ledger *l, uint64_t least_id, struct buf *why);
MUST_CHECK enum rc ledger_begin_recrawl(struct ledger *l, struct ledger_report *report,
                                        struct buf *why);
MUST_CHECK enum rc ledger_end_recrawl(struct ledger *l);

/* ledger.c. `count` links of the epoch wait for their shard no longer; `rc` says how that went. */
MUST_CHECK enum rc ledger_not_pending(struct ledger *l, unsigned epoch, size_t count, enum rc rc);

/* ledger_sync.c. Writes the claim that everything up to `position` is durable. In a round. */
MUST_CHECK enum rc ledger_claim(struct ledger *l, uint64_t position);
struct claims ledger_claims(const struct ledger *l, uint64_t position);
MUST_CHECK enum rc helper_start(struct ledger *l);
void helper_stop(struct ledger *l);

#endif
