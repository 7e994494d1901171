/* SPDX-License-Identifier: Apache-2.0 */
/* capture: one fetch as WARC records, appended to a shard's files.
 *
 *   [response | revisit] [request] [metadata]       one stretch of one file
 *
 *     rc = capture_write(c, files, table, &capture, &location);
 *     ... journal_add(outcome with location) ...
 *     capture_remember(table, &capture, &location);     later captures may now refer to it
 *
 * The first record is a revisit when the server said 304 and `not_modified` says of what, or when
 * `table` has the payload. It then has the header of the answer and no body. A truncated payload is
 * never a revisit and never enters the table; nor is an empty one, which would save nothing. A
 * record that says WARC-Truncated has the digest of what came. */
#ifndef ARCHIVE_CAPTURE_H
#define ARCHIVE_CAPTURE_H

#include "archive/digest_table.h"
#include "archive/packed_body.h"
#include "archive/warc_files.h"

/* What was fetched; everything is borrowed for the call. */
struct capture {
    struct str target_uri; /* required, as in records.h */
    struct str ip_address;
    int64_t date_ms;                  /* when the request began */
    struct str request;               /* as sent; absent: no request record */
    struct str head;                  /* the answer's header with its empty line, as received */
    struct str body;                  /* as received, chunks and coding and all */
    const struct packed_body *packed; /* NULL, or the body instead */
    enum warc_cut cut;
    bool is_http2; /* head was written by us, with HTTP/1.1 in its first line */
    struct str identified_type;
    const struct warc_fetch_facts *facts;     /* NULL: no metadata record */
    const struct digest_ref *not_modified;    /* of a 304: the capture it confirms, if known */
    const struct digest *not_modified_digest; /* and its payload's digest, if known */
    /* Called for a payload whose record the table knows by URI and date alone: fills in its name,
     * and a better date, if it can. NULL, or no name: the revisit says URI and date. */
    void (*name)(void *ctx, const struct digest *d, struct digest_ref *ref);
    void *name_ctx;
};

/* Where it stands: what the journal's outcome and the index need. */
struct warc_location {
    char file[WARC_FILES_NAME_BYTES]; /* without ".open" */
    uint64_t offset, bytes;           /* of all its records together */
    uint64_t position;                /* behind it, as warc_files_position counts */
    uint64_t record_bytes;            /* of the first, which begins at `offset` */
    struct warc_id id;                /* of the first */
    struct digest digest;             /* the payload's; of a confirmed 304 the earlier one's */
    uint64_t entity_bytes;            /* of the payload, chunks removed */
    bool is_revisit;
};

/* Tools that a shard keeps from one capture to the next. */
struct capture_writer;
struct capture_writer *capture_writer_open(void);
void capture_writer_close(struct capture_writer *c);

/* RC_INVALID: something of the capture is refused (records.h). After any failure nothing of it is
 * in the files and *ret is untouched. `table` may be NULL: no payload is looked up. */
MUST_CHECK enum rc capture_write(struct capture_writer *c, struct warc_files *files,
                                 struct digest_table *table, const struct capture *capture,
                                 struct warc_location *ret);

/* Puts its payload into the table, if it is one to refer to. */
void capture_remember(struct digest_table *table, const struct capture *capture,
                      const struct warc_location *location);

/* Appends the line of the index. The key is url_cdx_key's, the one that warcio.js computes:
 * for ordinary URLs it is the SURT. RC_INVALID leaves `out` as it was: the URI is no URL. */
MUST_CHECK enum rc capture_print_cdxj(struct buf *out, const struct capture *capture,
                                      const struct warc_location *location);

#endif
