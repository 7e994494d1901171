/* SPDX-License-Identifier: Apache-2.0 */
/* batch: an entry of the crawl's journal: one thing that happened (docs/durability.md).
 *
 *   outcome   what became of a checkout, where its capture stands, its lines, its links
 *   commit    up to that position of the journal everything is durable, in these lengths
 *   void      what stands in the journal from that position to here has not happened
 *   drop      some links of the batch at that position were not admitted: over a budget
 *   news      what an agent of a cluster was told, or decided (cluster/protocol/port.h)
 *
 * Every batch begins with its kind and the version. It states results, not differences: the totals
 * after it, the record as it is then, the URL that has left. So it can be done twice. Little
 * endian. */
#ifndef LEDGER_BATCH_H
#define LEDGER_BATCH_H

#include "ledger/ledger.h"

enum batch_kind {
    BATCH_OUTCOME = 1,
    BATCH_COMMIT = 2,
    BATCH_VOID = 3,
    BATCH_DROP = 4,
    BATCH_NEWS = 5,
};
enum { BATCH_VERSION = 1, BATCH_FRONT_BYTES = 2 + 3 * 8 };

struct batch_totals {
    uint64_t pages, bytes, archive_bytes;
};

/* Writing: an outcome is a front, made under the ledger's lock, and a body, made before. */
void batch_put_front(char room[BATCH_FRONT_BYTES], const struct batch_totals *after);
/* `due_wall_ms`: the outcome's due_ms by the wall clock, 0 if it has passed. Failures stick in
 * `out`. The body has no lines for o->names: they may be put between its two parts, as one more
 * row. */
struct batch_body {
    size_t rows;     /* where its number of rows stands */
    size_t rows_end; /* where one more row would stand */
};
void batch_put_body(struct buf *out, const struct ledger_outcome *o, uint64_t due_wall_ms,
                    struct batch_body *ret);
/* A row: BATCH_ROW_BYTES, then the text. */
enum { BATCH_ROW_BYTES = 5 };
void batch_put_row_head(char room[BATCH_ROW_BYTES], enum ledger_file file, size_t text_bytes);

/* A commit is begun, then gets each archive file that is not sealed. */
struct batch_commit {
    uint64_t position;
    uint64_t elapsed_ms;
    struct batch_totals totals;
    uint64_t lengths[LEDGER_FILES];
};
void batch_put_commit(struct buf *out, const struct batch_commit *c);
void batch_put_file(struct buf *out, struct str name, uint64_t bytes);

void batch_put_void(struct buf *out, uint64_t from);
void batch_put_drop(struct buf *out, uint64_t batch, const uint64_t *fingerprints, size_t count);
void batch_put_news(struct buf *out, const struct ledger_news *n);

/* What was read; everything borrows the bytes. */
struct batch_url {
    struct str host, path;
    uint64_t host_hash, sequence;
    uint16_t port;
    bool is_https;
    uint8_t class;
    enum checkin how;
    uint64_t due_wall_ms;
    struct str record; /* "" = none */
};

struct batch_location {
    struct str file;
    uint64_t offset, bytes;
};

struct batch {
    enum batch_kind kind;
    struct batch_totals totals; /* of an outcome */
    bool has_url, has_location, has_history;
    struct batch_url url;
    struct batch_location location;
    uint64_t fingerprint;
    struct history_entry history;
    struct str lines, links; /* for batch_next_line and _link */
    struct batch_commit commit;
    struct str files; /* of a commit, for batch_next_file */
    uint64_t void_from;
    uint64_t drop_batch;
    struct str drops; /* for batch_next_drop */
    struct ledger_news news;
};

/* RC_VERSION, or RC_CORRUPT: these are no bytes that this version writes; *ret_why says what is
 * wrong. On RC_OK all of it has been looked at: walking it cannot fail. */
MUST_CHECK enum rc batch_read(struct str bytes, struct batch *ret, const char **ret_why);

/* Each takes the first off the front; false: there is none. */
bool batch_next_line(struct str *lines, struct ledger_line *ret);
/* *ret_is_foreign (may be NULL): it is for another agent, and was not admitted here. */
bool batch_next_link(struct str *links, struct candidate *ret, bool *ret_is_foreign);
bool batch_next_drop(struct str *drops, uint64_t *ret_fingerprint);
bool batch_next_file(struct str *files, struct str *ret_name, uint64_t *ret_bytes);

#endif
