/* SPDX-License-Identifier: Apache-2.0 */
/* outbox: sends a crawl's archive files to the archive machine, as they get full.
 *
 * Once a second its thread looks into DIR/archive. It offers each file with its final name
 * (warc_files.h: whole, synced, complete) that is not in state/sent, then the file's lines of the
 * index. When both are acknowledged, it notes the file in state/sent, durably. Only then, and only
 * with `removes`, it removes the file here. The file with the largest serial stays, because the
 * next serial follows from it.
 *
 * After a crash at any point it offers at most one file again that the machine has: the machine
 * says so, and nothing is stored twice. While the machine is away or full, files stay, and the
 * outbox tries again, with growing pauses. Only one process at a time sends from a directory
 * (state/SENDING). */
#ifndef SINK_OUTBOX_H
#define SINK_OUTBOX_H

#include "base/log.h"
#include "sink/login.h"

#include <stdatomic.h>

/* For people. Any thread may read. */
struct sink_numbers {
    _Atomic uint64_t left_files, left_bytes; /* full, and not acknowledged */
    _Atomic uint64_t open_files;             /* being written; not counted above */
    _Atomic uint64_t sent_files, sent_bytes; /* acknowledged, earlier runs included */
    _Atomic uint64_t poured_bytes;           /* taken by the machine in this run */
    _Atomic bool is_stuck;                   /* the last try failed (sink_outbox_trouble) */
};

struct sink_outbox_settings {
    const char *dir;        /* the crawl's directory; it must exist */
    const char *login_file; /* login.h */
    bool removes;
    struct log *log;
};

struct sink_outbox;

/* Begins to send at once. RC_LOCKED: another process sends from there. RC_INVALID, …; `why`. */
MUST_CHECK enum rc sink_outbox_open(const struct sink_outbox_settings *s, struct sink_outbox **ret,
                                    struct buf *why);

const struct sink_numbers *sink_outbox_numbers(const struct sink_outbox *o);

/* What keeps files from being sent, for people; "" if nothing does. Any thread. */
void sink_outbox_trouble(struct sink_outbox *o, struct buf *out);

/* No further file gets full. Waits until all are acknowledged, `wait_ms` have passed, a file was
 * refused for good, or `gives_up` returns true (it is asked a few times a second). True: all are
 * acknowledged. */
bool sink_outbox_finish(struct sink_outbox *o, uint64_t wait_ms, bool (*gives_up)(void *ctx),
                        void *ctx);

/* Aborts what is being sent. Accepts NULL. */
void sink_outbox_close(struct sink_outbox *o);

#endif
