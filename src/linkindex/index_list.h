/* SPDX-License-Identifier: Apache-2.0 */
/* index_list: the file links/index/LIST, which says what the link index is made of.
 *
 *     orbweaver link index 1
 *     covers links 33554432 0123456789abcdef
 *     run links 7 1 0 16777216 4980736
 *     check 0123456789abcdef
 *
 *     covers KIND BYTES HASH                    the runs have the pairs of so many bytes of the
 *                                               text; HASH is that of the last of these bytes
 *     run KIND NUMBER LEVEL FROM TO BYTES       a file KIND-NUMBER: which part of the text, how
 *                                               often its pairs were merged, its length
 *     check HASH                                of all before it
 *
 * A run counts once the LIST names it. The runs of a kind follow each other in the text without a
 * gap; the LIST is replaced whole. */
#ifndef LINKINDEX_INDEX_LIST_H
#define LINKINDEX_INDEX_LIST_H

#include "base/buf.h"
#include "disk/disk.h"
#include "linkindex/pairs.h"

#define INDEX_FOLDER "links/index"

enum {
    INDEX_LIST_MAX_BYTES = 1 << 20,
    INDEX_PATH_BYTES = 64,
    INDEX_TAIL_BYTES = 4096, /* of the text, that are hashed */
    INDEX_MAX_RUNS = 4096,
};

struct index_run {
    uint64_t number;
    uint64_t from, to; /* of the text */
    uint64_t bytes;
    unsigned level;
};

struct index_runs { /* of one kind */
    uint64_t covered, tail_hash;
    struct index_run *list;
    size_t count, room;
};

struct index_list {
    struct index_runs of[PAIR_KINDS];
};

void index_list_done(struct index_list *l);

/* Makes `ret` a copy. RC_NOMEM: it is empty. */
MUST_CHECK enum rc index_list_copy(const struct index_list *l, struct index_list *ret);

/* Puts `run` in place of the `count` runs at `at`, which may be none. RC_NOMEM, RC_LIMIT. */
MUST_CHECK enum rc index_list_put(struct index_list *l, enum pair_kind kind, size_t at,
                                  size_t count, struct index_run run);

/* RC_CORRUPT, RC_VERSION, RC_NOMEM; then `ret` is empty. */
MUST_CHECK enum rc index_list_parse(struct str text, struct index_list *ret);
void index_list_print(const struct index_list *l, struct buf *out);

/* RC_NOT_FOUND: there is no link index. */
MUST_CHECK enum rc index_list_read(struct disk *d, struct index_list *ret);
/* Durably. */
MUST_CHECK enum rc index_list_write(struct disk *d, const struct index_list *l);

/* A number that no run has had. */
uint64_t index_list_next(const struct index_list *l);
const char *index_run_path(char room[INDEX_PATH_BYTES], enum pair_kind kind, uint64_t number);

/* The text of which a kind is made: "links/links.arcs". */
const char *index_text_path(enum pair_kind kind);
/* Hashes the last bytes before `covered`. RC_CORRUPT: the text is shorter. */
MUST_CHECK enum rc index_tail_hash(struct disk *d, enum pair_kind kind, uint64_t covered,
                                   uint64_t *ret);

#endif
