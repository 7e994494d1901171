/* SPDX-License-Identifier: Apache-2.0 */
/* outbox: a crawl's archive files go to the archive machine, as they get full.
 *
 * Once a second its thread looks into DIR/archive. A file with its last name (warc_files.h: whole,
 * synced, vouched for) that is not in state/sent is offered, then its lines of the index; when both
 * are acknowledged, state/sent says so, durably. Only then, and only with `removes`, the file is
 * removed here; the one with the largest serial stays, because it says where serials go on.
 *
 * A crash anywhere costs at most offering again what the machine has: it says so, and nothing comes
 * twice. While the machine is away or full, files stay, and it is tried again, with growing pauses.
 * One process sends from a directory at a time (state/SENDING). */
#ifndef SINK_OUTBOX_H
#define SINK_OUTBOX_H

#include "base/log.h"
#include "sink/login.h"

#include <stdatomic.h>

/* What people watch. Any thread reads. */
struct sink_numbers {
    _Atomic uint64_t left_files, left_bytes; /* full, and not acknowledged */
    _Atomic uint64_t open_files;             /* being written: not counted in those */
    _Atomic uint64_t sent_files, sent_bytes; /* acknowledged, earlier runs included */
    _Atomic uint64_t poured_bytes;           /* taken by the machine in this run */
    _Atomic bool is_stuck;                   /* the last try failed; sink_outbox_trouble */
};

struct sink_outbox_settings {
    const char *dir;        /* the crawl's; must be there */
    const char *login_file; /* login.h */
    bool removes;
    struct log *log;
};

struct sink_outbox;

/* Begins at once. RC_LOCKED: another process sends from there. RC_INVALID, …; `why`. */
MUST_CHECK enum rc sink_outbox_open(const struct sink_outbox_settings *s, struct sink_outbox **ret,
                                    struct buf *why);

const struct sink_numbers *sink_outbox_numbers(const struct sink_outbox *o);

/* What is in the way, as a person wants to know it: "" if nothing is. Any thread. */
void sink_outbox_trouble(struct sink_outbox *o, struct buf *out);

/* No file gets full any more: waits until all are acknowledged, `wait_ms` have passed, a file was
 * refused for good, or `gives_up` says so (asked a few times a second). True: all are. */
bool sink_outbox_finish(struct sink_outbox *o, uint64_t wait_ms, bool (*gives_up)(void *ctx),
                        void *ctx);

/* Breaks off what is under way. Accepts NULL. */
void sink_outbox_close(struct sink_outbox *o);

#endif
