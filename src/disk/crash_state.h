/* SPDX-License-Identifier: Apache-2.0 */
/* crash state: what the crash-simulating disk holds; private to disk_crash.c and crash_image.c.
 *
 * A node is a file or folder without its name. `durable` is what a power cut leaves of it for
 * certain, `now` what a reader sees; `changes` lead from one to the other in order. Likewise names:
 * `durable` and `now` are lists of (path, node), `moves` lead from one to the other. Nodes live as
 * long as the disk: a name that is gone may come back after a crash. */
#ifndef DISK_CRASH_STATE_H
#define DISK_CRASH_STATE_H

#include "disk/disk_crash.h"

struct change {
    bool is_truncation;
    uint64_t length;  /* truncation: to so many bytes */
    struct str bytes; /* append: its own copy */
};

struct node {
    struct node *next; /* all nodes of the disk */
    uint32_t number;
    bool is_folder;
    bool poisoned; /* a sync has failed: nothing becomes durable any more */
    struct buf now, durable;
    struct change *changes;
    uint32_t change_count;
    size_t change_cap;
};

struct name {
    char *path;
    struct node *node;
};

struct names {
    struct name *rows; /* in byte order of the paths */
    uint32_t count;
    size_t cap;
};

enum move_kind { MOVE_MAKE, MOVE_REMOVE, MOVE_RENAME };

struct move {
    enum move_kind kind;
    char *path, *to; /* `to` for a rename only */
    struct node *node;
};

struct crash {
    struct disk disk;
    struct node *nodes;
    uint32_t node_count;
    struct names now, durable;
    struct move *moves;
    uint32_t move_count;
    size_t move_cap;
    struct crash_lock *locks;
    uint64_t quota_bytes;
    uint64_t calls, fail_at;
    enum rc fail_rc;
    size_t fail_part;
    bool failed;
    void (*hook)(void *ctx, struct disk *d, const char *call);
    void *hook_ctx;
};

/* Makes the change to `bytes`; the failure of an append sticks in it. */
void change_apply(struct buf *bytes, const struct change *change);

/* A node of the disk, or NULL without memory. */
struct node *crash_node(struct crash *c, bool is_folder);

/* The node of a path, or NULL. The root, "", is in no list. */
struct node *names_get(const struct names *names, struct str path);

/* Applies a move; RC_NOMEM leaves the names as they were. */
MUST_CHECK enum rc names_move(struct names *names, const struct move *m);
MUST_CHECK enum rc names_put(struct names *names, const char *path, struct node *node);
void names_done(struct names *names);

#endif
