/* SPDX-License-Identifier: Apache-2.0 */
/* writer: turns a record's header and block into the bytes of an archive, appended to a buf.
 *
 *     warc_write_response(w, &response, head.n + body.n, out);    (records.h; begins the record)
 *     warc_writer_add(w, head);
 *     warc_writer_add_body(w, body);
 *     rc = warc_writer_end(w);
 *
 * A record is one gzip member, or plain text with WARC_PLAIN. Failures wait for the end, so nothing
 * in between needs checking; after one, `out` is as long as it was at the beginning (a failure of
 * `out` itself stays in it: buf_clear). The caller may take bytes from `out` and clear it between
 * adds when a block is too large to be held; if the record then fails, what it took must be cut
 * off.
 *
 * One thread at a time. Once warm, a record allocates nothing but what `out` needs. Nothing given
 * to it is kept after the call, except `out`, until the end. */
#ifndef WARC_WRITER_H
#define WARC_WRITER_H

#include "base/buf.h"

struct deflated;

enum warc_coding {
    WARC_FAST,    /* gzip by igzip, levels 1 to 3; the default, level 1 */
    WARC_COMPACT, /* gzip by libdeflate, levels 1 to 12, default 6: smaller and slower */
    WARC_PLAIN,   /* not compressed */
};

/* A zeroed struct asks for the default. Compact records above 8 MiB, which libdeflate would need in
 * one piece, are streamed through igzip's level 3 instead. */
struct warc_writer_options {
    enum warc_coding coding;
    unsigned level; /* 0 = the coding's default; cut to its range */
};

enum {
    WARC_GATHER_MAX = 8 << 20,      /* compact */
    WARC_GATHER_FAST_MAX = 1 << 20, /* larger records pass through igzip piece by piece */
    WARC_FIELDS_MAX = 32 << 20,     /* a warcinfo's or metadata's block: 50,000 links fit */
    WARC_HEADER_MAX = 1 << 20,
};

/* NULL without memory. `options` may be NULL. */
struct warc_writer *warc_writer_open(const struct warc_writer_options *options);
void warc_writer_close(struct warc_writer *w);

/* Begins a record: `header` is everything from the version line to the empty line, both included,
 * and must say Content-Length: `block_bytes`. records.h has a function for each type that makes it;
 * this one checks nothing. The last record must have ended. */
void warc_writer_begin(struct warc_writer *w, struct str header, uint64_t block_bytes,
                       struct buf *out);
void warc_writer_add(struct warc_writer *w, struct str piece);

/* The same for a piece that may be packed already, as pictures and encoded pages are. With WARC_FAST
 * such a piece, and what is added behind it, is stored in the member as it is (packed.h). */
void warc_writer_add_body(struct warc_writer *w, struct str piece);

/* The same for a body that was packed elsewhere (deflated.h): what came before it is packed alone. It is
 * the last piece of its record. A writer that is not WARC_FAST unpacks it. */
void warc_writer_add_deflated(struct warc_writer *w, const struct deflated *body);

/* Adds the two line ends and ends the member. RC_INVALID if the pieces were not `block_bytes` long,
 * or whatever the record's own function refused. */
MUST_CHECK enum rc warc_writer_end(struct warc_writer *w);

/* Bytes of the last record in the archive: the "length" of CDXJ. */
uint64_t warc_writer_record_bytes(const struct warc_writer *w);

/* For records.h: an empty buf for the header's text; and a record that is refused before it begins,
 * so that add and end report it. */
struct buf *warc_writer_header(struct warc_writer *w);
struct buf *warc_writer_fields(struct warc_writer *w);
void warc_writer_refuse(struct warc_writer *w, enum rc rc, struct buf *out);

#endif
