/* SPDX-License-Identifier: Apache-2.0 */
/* gzip: the two compressors of records, each alone in its file; both make exactly one gzip member a
 * record (RFC 1952: no name, no time, so equal input gives equal bytes) and append it to a buf.
 *
 * fast    ISA-L's igzip: a stream, in pieces of any size, about 290 KB of state, reused. The rest
 *         of a member may be stored as it is, for what is packed already (packed.h).
 * compact libdeflate: smaller output, several times slower, needs the whole record in one piece. */
#ifndef WARC_GZIP_H
#define WARC_GZIP_H

#include "base/buf.h"

struct deflated; /* deflated.h */
struct gzip_fast;
struct gzip_compact;

enum { GZIP_FAST_MAX_LEVEL = 3, GZIP_COMPACT_MAX_LEVEL = 12 };

/* `level` 0 to 3. NULL without memory. */
struct gzip_fast *gzip_fast_open(unsigned level);
void gzip_fast_close(struct gzip_fast *g);

/* A member: begin, add, and the last add with `last`. A failure sticks in `out`. `bytes` is how
 * long it will be, or 0: making codes for a small member costs more than packing it, so those below
 * GZIP_SMALL_BYTES take codes that were made once, of what such records look like. */
enum { GZIP_SMALL_BYTES = 4096 };
void gzip_fast_begin(struct gzip_fast *g, uint64_t bytes);
void gzip_fast_add(struct gzip_fast *g, struct str piece, bool last, struct buf *out);

/* Adds a piece as it is, in stored blocks (RFC 1951, 3.2.4): 5 bytes for each 64 KB, and little time.
 * What comes behind it in the same member must be stored, too. */
void gzip_fast_store(struct gzip_fast *g, struct str piece, bool last, struct buf *out);

/* Begins a raw stream of deflate (RFC 1951). The last add or store puts GZIP_TRAILER_BYTES behind it all
 * the same: CRC-32 and length. */
enum { GZIP_TRAILER_BYTES = 8 };
void gzip_fast_begin_bare(struct gzip_fast *g, uint64_t bytes);

/* Ends the member with a stream that was packed elsewhere. */
void gzip_fast_join(struct gzip_fast *g, const struct deflated *d, struct buf *out);

/* `level` 1 to 12. NULL without memory. */
struct gzip_compact *gzip_compact_open(unsigned level);
void gzip_compact_close(struct gzip_compact *g);

/* A member of all of `record`. */
void gzip_compact_whole(struct gzip_compact *g, struct str record, struct buf *out);

#endif
