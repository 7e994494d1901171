/* SPDX-License-Identifier: Apache-2.0 */
/* history: what is known of every URL that was asked for, by fingerprint, in a database
 * (store/database.h).
 *
 * Looked up at random, once or twice a page: for conditional requests, for the URL behind a `via`,
 * and for `orbweaver url`. It holds only what the journal can rebuild: its own log is off, every
 * write carries the journal's position, and history_flush() makes all before it durable, after
 * which the journal may be cut there. Any thread may call anything but open and close. */
#ifndef STORE_HISTORY_H
#define STORE_HISTORY_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/digest.h"

/* What a change was about: elements, words, or neither of them (attributes, scripts, comments). */
enum history_change { HISTORY_STRUCTURE = 1, HISTORY_TEXT = 2, HISTORY_MARKUP = 4 };

/* What cut an answer short. Numbers as stored. */
enum history_cut {
    HISTORY_WHOLE,
    HISTORY_CUT_LENGTH,
    HISTORY_CUT_TIME,
    HISTORY_CUT_DISCONNECT,
    HISTORY_CUTS_
};

/* The last time a URL was asked for; with 0 fetches it waits, and `seed_path` is a shorter path to
 * it than the one it was found by. */
struct history_entry {
    struct str url;
    uint64_t via;         /* fingerprint of the page that led here; 0 = none */
    struct str seed_path; /* letters from the seed */
    int64_t date_ms;      /* wall clock */
    int32_t code;         /* status, or below zero as in crawl.log */
    uint64_t bytes;       /* of the answer */
    bool has_digest; /* a whole payload was captured: the next four are of that capture, which may
                        be older than date_ms (304s) */
    struct digest digest; /* SHA-1 */
    int64_t captured_ms;
    uint8_t record_id[16];
    struct str etag, last_modified; /* absent = none */
    struct str mime;                /* absent = none */
    struct str file; /* the archive where what was found on it stands (archive/outlinks.h);
                        absent = not said. With 0 fetches it may name the agent of a cluster that
                        asked for the page at the end of `seed_path`, and has it
                        (history_entry_is_elsewhere) */
    uint64_t file_offset, file_bytes;
    uint32_t fetches; /* how often */
    uint32_t changes; /* how often its payload differed from the one before */
    struct str codes; /* of that capture: what the next is compared with (change/codes.h, encoded);
                         absent = none */
    /* Bits of enum history_change, from the last time that it was compared; 0 = never. */
    uint8_t what_changed;
    uint16_t forward; /* links on the page, and 1; 0 = not known (only --order priority asks) */
    uint8_t cut;      /* enum history_cut: of the answer */
};

/* A page that another agent has: prints what `file` says then. */
static inline void history_elsewhere_print(struct buf *out, struct str agent)
{
    buf_byte(out, '@');
    buf_add(out, agent);
}

/* Whether another agent has the page; *ret_agent is its name, or "". */
static inline bool history_entry_is_elsewhere(const struct history_entry *p, struct str *ret_agent)
{
    bool is = !p->fetches && p->file.n > 1 && p->file.p[0] == '@';
    *ret_agent = is ? str_from(p->file, 1) : STR("");
    return is;
}

enum { HISTORY_USUAL_BYTES = 64 << 20 };

struct history;

/* In the folder `path` of the file system, made if absent (its parent is there). RC_LOCKED,
 * RC_CORRUPT, RC_VERSION, RC_IO, ...; `why` says it in words, with the path. What is refused as
 * damaged or as another version's has not been changed. `bytes` of memory are for what is not
 * written yet and for what was read lately. */
MUST_CHECK enum rc history_open(const char *path, uint64_t bytes, struct history **ret,
                                struct buf *why);
/* Whether a history is in that folder, and the journal position up to which it has everything.
 * Changes nothing. RC_NOT_FOUND: there is none; RC_CORRUPT: a file of it is missing or damaged;
 * RC_VERSION, RC_IO, RC_NOMEM. */
MUST_CHECK enum rc history_look(const char *path, uint64_t *ret_position, struct buf *why);
/* For another process to look into while the crawl does not run; nothing can be put. RC_NOT_FOUND.
 */
MUST_CHECK enum rc history_open_read(const char *path, struct history **ret, struct buf *why);
void history_close(struct history *h);

/* The journal position up to which everything is in: 0 for a new one. */
uint64_t history_position(const struct history *h);

/* Remembers what was put since the last history_write in memory of the caller's batch; one batch a
 * thread. */
struct history_batch;
struct history_batch *history_batch_open(void);
void history_batch_close(struct history_batch *b);
void history_put(struct history_batch *b, uint64_t fingerprint, const struct history_entry *p);

/* Writes the batch and empties it, whatever comes of it. `position`: behind the journal batch that
 * brought the last of them. Everything of earlier journal batches is written before, whichever
 * batch has it: what is there after a crash is some first part of the writes, with the position of
 * its last. A journal that was cut may begin below the old position: the new one counts. Failures:
 * RC_NOMEM and RC_LIMIT (of a put: nothing was written), RC_DISK_FULL, RC_IO, RC_SYNC, RC_CORRUPT;
 * RC_UNSUPPORTED when opened to read. */
MUST_CHECK enum rc history_write(struct history *h, struct history_batch *b, uint64_t position);

/* RC_NOT_FOUND. Texts are copied into the arena. RC_CORRUPT: it cannot be read. RC_VERSION, RC_IO,
 * RC_NOMEM. */
MUST_CHECK enum rc history_get(struct history *h, uint64_t fingerprint, struct arena *arena,
                               struct history_entry *ret);

/* Everything that was there when it was opened, by fingerprint. One thread's; it ends before the
 * history does. */
struct history_cursor;
struct history_cursor *history_cursor_open(struct history *h); /* NULL without memory */
void history_cursor_close(struct history_cursor *c);
/* RC_NOT_FOUND: that was all; the others as history_get's. One that cannot be read is passed over
 * by the next call. */
MUST_CHECK enum rc history_cursor_next(struct history_cursor *c, struct arena *arena,
                                       uint64_t *ret_fingerprint, struct history_entry *ret);

/* Everything written is durable when it returns RC_OK. It waits for the disk. */
MUST_CHECK enum rc history_flush(struct history *h);

/* Bytes of memory and disk it takes, about. */
uint64_t history_bytes(const struct history *h);

#endif
