/* SPDX-License-Identifier: Apache-2.0 */
/* store: the archive machine's directory, and files that arrive in it piece by piece.
 *
 *   DIR/archive/NAME.warc.gz              whole, with the SHA-256 it was offered with, durable
 *   DIR/indexes/parts/NAME.warc.gz.cdxj   the same, of its index lines
 *   ….part                                arriving; a prefix of the file, perhaps torn at its end
 *   DIR/indexes/parts/index.cdxj          empty: by it `export` knows the directory
 *
 * What holds, whatever crashes: a name without ".part" is a file that is whole, and never changes
 * again; SINK_STORED is said only when bytes and name last. So there is nothing to remember beside
 * the files: who offers a file again is told from where it is missing, or that it is there. Of a
 * ".part" nothing is believed: its bytes are hashed when it is taken up again, and a whole whose
 * SHA-256 is another is thrown away.
 *
 * Many connections use one store, each on its own thread; a name is with one of them at a time. */
#ifndef SINK_STORE_H
#define SINK_STORE_H

#include "disk/disk.h"
#include "sink/frame.h"

enum {
    SINK_STORE_MAX_PUTS = 256,        /* arriving at once */
    SINK_STORE_SYNC_BYTES = 64 << 20, /* no more than that waits to be synced */
};

struct sink_store_settings {
    uint64_t max_file_bytes;
    uint64_t reserve_bytes; /* nothing is begun that would leave the disk less */
};

struct sink_store;

/* Makes the folders. RC_LOCKED: another process receives there; and the disk's. `d` is borrowed. */
MUST_CHECK enum rc sink_store_open(struct disk *d, const struct sink_store_settings *s,
                                   struct sink_store **ret);
void sink_store_close(struct sink_store *s); /* all puts are over */

/* A sync has failed: nobody may believe this process any more. Any thread. */
bool sink_store_has_failed(struct sink_store *s);

/* What an offer is answered with: SINK_MORE, SINK_STORED, SINK_REFUSED. */
struct sink_verdict {
    enum sink_kind kind;
    uint64_t offset;
    enum sink_code code;
};

/* Called now and then while a long file is read again. May be NULL. */
struct sink_beat {
    void (*call)(void *ctx);
    void *ctx;
};

struct sink_put;

/* On SINK_MORE *ret is the caller's, until sink_put_close; otherwise untouched. `f` is a PUT. */
struct sink_verdict sink_put_open(struct sink_store *s, const struct sink_frame *f,
                                  struct sink_beat beat, struct sink_put **ret);

/* The next piece. After any verdict but SINK_MORE only the closing is left. */
struct sink_verdict sink_put_add(struct sink_put *p, struct str piece);

/* What has arrived stays for the next time. Accepts NULL. */
void sink_put_close(struct sink_put *p);

/* Whether such a file may have such a name. */
bool sink_name_is_good(enum sink_what what, struct str name);

#endif
