/* SPDX-License-Identifier: Apache-2.0 */
/* damage_base: the directories that the damage test spoils: each as kill -9 or a clean end left it,
 * an older copy of it, and what its journal says. */
#ifndef LEDGER_DAMAGE_BASE_H
#define LEDGER_DAMAGE_BASE_H

#include "damage_tree.h"
#include "ledger/batch.h"
#include "small_crawl.h"

enum base_kind {
    BASE_EARLY, /* killed before the first snapshot: everything is in the journal */
    BASE_LATE,  /* killed behind snapshots; the journal is trimmed, archives are sealed and open */
    BASE_SWAPPED, /* the same, with swapped buckets */
    BASE_DONE,    /* finished cleanly */
    BASE_AGENT,   /* of an agent of a cluster, killed */
    BASE_RECRAWL, /* killed in a recrawl */
    BASES
};

/* BASE_BOOT: the boot of the machine in which the crawl ran. */
enum { BASE_MAX_BATCHES = 200, BASE_BOOT = 77 };

/* A batch of the journal, whole. */
struct base_batch {
    char file[TREE_MAX_PATH]; /* its segment */
    uint64_t offset, bytes;   /* in the segment, with its head */
    uint64_t position;
    struct str body; /* the tree's */
};

struct base {
    enum base_kind kind;
    const char *name;
    unsigned shards;
    struct tree now, old;
    struct base_batch batches[BASE_MAX_BATCHES];
    size_t batch_count;
    size_t commit;    /* the last one's number; batch_count: none */
    uint64_t durable; /* the position that the last commit, or the MANIFEST's, vouches for */
};

/* Makes the directory below `folder` in a process of its own, which ends as the kind says, and
 * reads it. False: it failed; it has printed why. */
MUST_CHECK bool base_make(struct base *b, enum base_kind kind, const char *folder);
void base_done(struct base *b);

/* The last commit, read; false: there is none in the journal. */
bool base_commit(const struct base *b, struct batch *ret);

#endif
