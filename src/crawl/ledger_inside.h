/* SPDX-License-Identifier: Apache-2.0 */
/* ledger inside: the ledger as its own files see it.
 *
 *   ledger.c          settle, admit, turn: what shards call
 *   ledger_open.c     opening and closing
 *   ledger_files.c    folders, lock, version, files of lines
 *   ledger_look.c     everything that is there, read before anything changes
 *   ledger_recover.c  what a crash left, made whole
 *   claims.c          what the files must hold, said outside of them
 *   ledger_drops.c    of that: links that were not admitted
 *   ledger_image.c    images of all buckets: slices, the file, the MANIFEST
 *   ledger_inspect.c  what a reader of its files can rely on
 *   ledger_links.c    what was found on a page, from the archive
 *   ledger_news.c     what an agent of a cluster is told and decides
 *   ledger_outbox.c   what the journal holds for other agents
 *   ledger_sync.c     the helper: syncs, commits, free disk
 *   ledger_rest.c     files of buckets that rest, and the thread for them
 *   ledger_restart.c  beginning anew
 *   names.c           which URLs have a line in links.nodes
 *   batch*.c, manifest.c, card.c   bytes
 *
 * Locks, in the order they are taken: `rounds`, `lock`, then those inside archive and store;
 * `rest_lock` is held for a few lines only and nothing is taken under it. */
#ifndef CRAWL_LEDGER_INSIDE_H
#define CRAWL_LEDGER_INSIDE_H

#include "archive/line_file.h"
#include "archive/sealed.h"
#include "base/log.h"
#include "crawl/batch.h"
#include "crawl/claims.h"
#include "crawl/manifest.h"
#include "crawl/names.h"
#include "crawl/stretches.h"
#include "frontier/rest_job.h"
#include "store/journal.h"

#include <pthread.h>

#define LEDGER_JOURNAL "state/journal"
#define LEDGER_IMAGES "state/images"
#define LEDGER_MANIFEST "state/MANIFEST"
#define LEDGER_ARCHIVE "archive"
#define LEDGER_RECRAWL "state/RECRAWL"
#define LEDGER_REST "state/rest"
#define LEDGER_CUT "state/cut"

enum {
    IMAGE_SLICE_BUCKETS = 64,       /* a turn writes so many, */
    IMAGE_SLICE_BYTES = 256 << 10,  /* or stops behind so many bytes */
    IMAGE_WAITING_BYTES = 32 << 20, /* handed to the helper and not written: no more slices */
    IMAGE_PATH_BYTES = 64,
};

struct ledger_shard {
    struct frontier *frontier; /* the shard's thread's */
    struct warc_files *warc;
    struct buf batch;     /* the shard's thread's: the batch being made */
    uint64_t settled_at;  /* the shard's thread's: its last outcome in the journal */
    unsigned next_bucket; /* the shard's thread's while an image is sliced */
    uint64_t settled;     /* `lock`: position of its archive up to which outcomes are journalled */
    bool is_sliced;       /* `lock` */
    uint64_t round_settled; /* the round's: `settled` when it began */
    bool is_over; /* the shard's thread's: one bucket is more than its memory; it was said */
    struct rest_job *came, *last_came; /* `rest_lock`: done, for the shard's thread */
};

/* The files of a bucket that rests, each of generation 0 if there is none. */
struct rest_place {
    uint64_t now;                  /* generation of the one that it rests in */
    struct rest_file making, kept; /* referred to by the image being made, by the one that counts */
};

/* Some buckets' images, from a shard to the helper. */
struct image_piece {
    struct image_piece *next;
    struct buf bytes;
};

enum image_step {
    IMAGE_NONE,
    IMAGE_DRAINING, /* links of the epoch before have not all been admitted */
    IMAGE_SLICING,
    IMAGE_SLICED, /* every shard has handed in its last slice */
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
    struct stretches voids; /* constant once it is open */
    uint64_t opened_ms;
    bool is_resumed;            /* hosts have their rest first */
    uint64_t elapsed_before_ms; /* of earlier runs */

    /* One round at a time, and what only rounds use. */
    pthread_mutex_t rounds;
    bool seals;                   /* the round has archive files to seal */
    struct buf commit;            /* the last one's batch */
    uint64_t commit_position;     /* that it vouches for */
    uint64_t commit_end;          /* of the journal behind it, if it vouches for all before itself;
                                     else UINT64_MAX */
    struct history_batch *taken;  /* what the round writes to the history */
    struct disk_file *image_file; /* of the image being made; NULL before its first piece */
    uint64_t image_bytes;         /* in it */
    struct manifest kept;         /* the image that the MANIFEST names */

    /* Guards the rest; and the order of what is journalled and added to files. */
    pthread_mutex_t lock;
    enum rc failed; /* sticks */
    bool is_short;
    uint64_t free_bytes;    /* of the disk, at the last round; UINT64_MAX: not known */
    uint64_t journal_bytes; /* at the last round: asking may wait for a sync */
    struct batch_totals totals;
    bool is_recrawl, is_met, is_concluded;
    struct ledger_restarts restarts; /* constant once it is open */
    struct history_batch *past;      /* what was settled since the last round */
    uint64_t history_from;     /* of the journal: at the opening the history has all before it */
    struct ledger_hears hears; /* of the opening */
    uint64_t unsynced_from;    /* of the journal, at the opening: behind its last commit */
    uint64_t durable;          /* position below which everything lasts */
    uint64_t for_others;       /* behind the last batch that other agents have to hear of */
    struct buf facts;          /* of an agent: position 8, length 4, bytes */
    uint64_t outbox_kept;      /* the journal is needed from there on; LEDGER_NOT_SAID */
    unsigned epoch;
    uint64_t pending[2]; /* links journalled in an epoch, by its last bit, and not yet admitted */
    enum image_step step;
    bool image_wanted;
    uint64_t image_position;
    size_t image_facts; /* bytes of `facts` that it holds: those before its position */
    unsigned shards_sliced;
    struct image_piece *pieces, *last_piece;
    uint64_t piece_bytes;
    bool stop;
    bool is_hurried;   /* somebody waits for the next round */
    uint64_t round_ms; /* that the last one took */
    pthread_cond_t wake;
    pthread_t thread;
    bool has_thread;

    /* ledger_rest.c's. The lock guards the rest. */
    int64_t wall_minus_now; /* for what rests: a jump of the wall clock changes nothing */
    bool has_rest_thread;
    pthread_t rest_thread;
    pthread_mutex_t rest_lock;
    pthread_cond_t rest_wake, rest_idle;
    struct rest_place *places; /* FRONTIER_BUCKETS */
    struct rest_job *jobs, *last_job;
    bool is_working, rest_stop;
};

/* Makes a failure the ledger's own; returns the first there was. */
enum rc ledger_fail(struct ledger *l, enum rc rc);

/* ledger.c, under `lock`: what was settled goes to the kernel, in its order. */
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

/* ledger_recover.c: everything but the archives to be written, from what is there. */
MUST_CHECK enum rc ledger_recover(struct ledger *l, struct ledger_report *report, struct buf *why);

/* ledger_drops.c: which links of which batch were dropped, by the word of which batch. */
struct drop {
    uint64_t batch, fingerprint, said_at;
};
struct drops {
    struct drop *list;
    size_t count, room;
};
MUST_CHECK enum rc drops_add(struct drops *d, uint64_t said_at, const struct batch *b);
/* Once all are there: those whose word is void are forgotten, and looking begins. */
void drops_sort(struct drops *d, bool (*is_void)(const void *ctx, uint64_t position),
                const void *ctx);
bool drops_has(const struct drops *d, uint64_t batch, uint64_t fingerprint);
void drops_done(struct drops *d);
/* ledger_rest.c. First and last: */
MUST_CHECK bool rest_make(struct ledger *l);
void rest_done(struct ledger *l);
MUST_CHECK enum rc rest_start(struct ledger *l); /* its thread */
void rest_stop(struct ledger *l);                /* behind the last job */
/* At the opening: frontiers get their carrier; references of the image are taken; what nobody
 * refers to goes. */
MUST_CHECK enum rc rest_begin(struct ledger *l);
MUST_CHECK enum rc rest_adopt(struct ledger *l, struct str reference);
MUST_CHECK enum rc rest_cut(struct ledger *l); /* what the image does not refer to */
MUST_CHECK enum rc rest_clean(struct ledger *l);
/* On the shard's thread: what has been done is taken back; that and more, once a turn; and when
 * nobody lends, until the budget is kept. */
MUST_CHECK enum rc rest_collect(struct ledger *l, unsigned shard);
MUST_CHECK enum rc rest_turn(struct ledger *l, unsigned shard);
MUST_CHECK enum rc rest_fit(struct ledger *l, unsigned shard);
/* A bucket that rests, and none of it is on its way, is gone; its file too unless an image has it.
 */
MUST_CHECK enum rc rest_drop(struct ledger *l, unsigned shard, unsigned bucket);
/* The image being made refers to that file; all such files are made durable; and it counts now, or
 * has been given up. */
void rest_refer(struct ledger *l, unsigned bucket, struct rest_file file);
MUST_CHECK enum rc rest_sync(struct ledger *l);
MUST_CHECK enum rc rest_settle(struct ledger *l, bool is_kept);

/* ledger_news.c: what a batch of news says, done again; and facts and outbox as a piece of an image
 * (under `lock`), and back. */
MUST_CHECK enum rc news_redo(struct ledger *l, uint64_t position, const struct ledger_news *n,
                             const struct drops *drops);
MUST_CHECK enum rc news_lines(struct ledger *l, const struct ledger_news *n);
bool news_is_piece(struct str bytes);
void news_write_piece(const struct ledger *l, struct buf *out);
MUST_CHECK enum rc news_read_piece(struct ledger *l, struct str bytes);

/* ledger_outbox.c */
MUST_CHECK enum rc outbox_find_voids(struct ledger *l);

/* ledger_image.c */
struct image_context ledger_image_context(struct ledger *l);
MUST_CHECK enum rc image_load(struct ledger *l, struct buf *why);
void image_begin(struct ledger *l);   /* under `lock` */
bool image_is_due(struct ledger *l);  /* under `lock` */
void image_step_on(struct ledger *l); /* under `lock`: draining has ended? */
MUST_CHECK enum rc image_slice(struct ledger *l, unsigned shard);
MUST_CHECK enum rc image_write_pieces(struct ledger *l); /* in a round */
MUST_CHECK enum rc image_finish(struct ledger *l);       /* in a round, if it is whole */
void image_drop(struct ledger *l);                       /* in a round */
MUST_CHECK enum rc image_remove_others(struct ledger *l);

/* ledger_open.c: the history, if there is to be one; and: all buckets, in a round of its own, when
 * nobody else calls. */
MUST_CHECK enum rc ledger_open_history(struct ledger *l, struct buf *why);
MUST_CHECK enum rc image_of_all(struct ledger *l);

/* ledger_restart.c. Whether state/RECRAWL can be read, and is of that restart or a later one (0: of
 * any, or missing); it changes nothing. */
MUST_CHECK enum rc ledger_check_mark(struct ledger *l, uint64_t least_id, struct buf *why);
MUST_CHECK enum rc ledger_restart(struct ledger *l, struct ledger_report *report, struct buf *why);
MUST_CHECK enum rc ledger_end_recrawl(struct ledger *l);

/* ledger_sync.c. Says outside of the journal how far everything is durable. In a round. */
MUST_CHECK enum rc ledger_claim(struct ledger *l, uint64_t position);
struct claims ledger_claims(const struct ledger *l, uint64_t position);
MUST_CHECK enum rc helper_start(struct ledger *l);
void helper_stop(struct ledger *l);

#endif
