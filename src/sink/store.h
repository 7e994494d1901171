/* SPDX-License-Identifier: Apache-2.0 */
/* store: the archive machine's directory, and the files that arrive in it piece by piece.
 *
 *   DIR/archive/NAME.warc.gz              whole, with the SHA-256 it was offered with, durable
 *   DIR/indexes/parts/NAME.warc.gz.cdxj   the same, of its index lines
 *   ….part                                arriving; a prefix of the file, perhaps torn at its end
 *   DIR/indexes/parts/index.cdxj          empty: `export` recognises the directory by it
 *
 * After any crash: a file without ".part" is whole and never changes again; SINK_STORED is sent
 * only when bytes and name are durable. So nothing has to be remembered beside the files: an agent
 * that offers a file again is told the offset from which it is missing, or that it is there. A
 * ".part" is not trusted: its bytes are hashed when it is taken up again, and a whole file with
 * another SHA-256 is dropped.
 *
 * Many connections use one store, each on its own thread; only one of them at a time has a name. */
#ifndef SINK_STORE_H
#define SINK_STORE_H

#include "disk/disk.h"
#include "sink/frame.h"

enum {
    SINK_STORE_MAX_PUTS = 256,        /* arriving at once */
    SINK_STORE_SYNC_BYTES = 64 << 20, /* at most this many bytes wait for a sync */
};

struct sink_store_settings {
    uint64_t max_file_bytes;
    uint64_t reserve_bytes; /* a file is refused if it would leave the disk less than this */
};

struct sink_store;

/* Makes the folders. RC_LOCKED: another process receives there; other codes come from the disk. `d`
 * is borrowed. */
MUST_CHECK enum rc sink_store_open(struct disk *d, const struct sink_store_settings *s,
                                   struct sink_store **ret);
void sink_store_close(struct sink_store *s); /* all puts must be over */

/* A sync has failed: this process may not acknowledge anything more. Any thread. */
bool sink_store_has_failed(struct sink_store *s);

/* The answer to an offer: SINK_MORE, SINK_STORED, SINK_REFUSED. */
struct sink_verdict {
    enum sink_kind kind;
    uint64_t offset;
    enum sink_code code;
};

/* Called now and then while a long file is hashed again. May be NULL. */
struct sink_progress {
    void (*call)(void *ctx);
    void *ctx;
};

struct sink_put;

/* On SINK_MORE *ret is the caller's, until sink_put_close; otherwise it is untouched. `f` is a
 * PUT. */
struct sink_verdict sink_put_open(struct sink_store *s, const struct sink_frame *f,
                                  struct sink_progress progress, struct sink_put **ret);

/* Adds the next piece. After any verdict but SINK_MORE the put must be closed. */
struct sink_verdict sink_put_add(struct sink_put *p, struct str piece);

/* What has arrived stays for the next time. Accepts NULL. */
void sink_put_close(struct sink_put *p);

/* Whether a file of that kind may have that name. */
bool sink_name_is_good(enum sink_what what, struct str name);

#endif
