/* SPDX-License-Identifier: Apache-2.0 */
/* decode: the body of an answer as its author meant it: chunks removed, content codings undone.
 *
 *     decoder_open(&d);                                            one a shard, reused
 *     decoder_run(d, &input, &out, &report);
 *
 * Understands gzip (also "x-gzip", several members), deflate (zlib's wrapping, or none), br and
 * zstd, up to DECODE_MAX_LAYERS of them in the order that Content-Encoding says (RFC 9110, 8.4).
 * The bytes decide where they contradict the header: a body that does not begin as the named coding
 * begins is taken as it is. A body that is broken or cut gives the bytes before the damage. The
 * result is bounded in bytes and by its ratio to the input; memory does not grow with either beyond
 * `out`. gzip, brotli and zstd stand behind one file each. */
#ifndef FETCH_DECODE_H
#define FETCH_DECODE_H

#include "base/buf.h"

enum { DECODE_MAX_LAYERS = 4 };

struct decode_input {
    struct str body; /* as received */
    bool is_chunked;
    struct str content_encoding; /* the header's value; absent = none */
    uint64_t max_bytes;          /* of the result */
    uint64_t max_ratio;          /* of result to body, once the result is over 1 MiB; 0 = any */
};

enum decode_end {
    DECODE_WHOLE,
    DECODE_BROKEN,    /* a coding is broken or ends too soon: what came before it is there */
    DECODE_TOO_LARGE, /* cut at max_bytes or max_ratio */
};

struct decode_report {
    enum decode_end end;
    unsigned layers; /* codings undone */
    bool was_unsaid; /* the header names a coding that is not there; it was skipped */
    bool is_unknown; /* a coding that is not understood stopped it: the result is still coded */
    const char *why; /* for the log; NULL when whole */
};

struct decoder;
MUST_CHECK enum rc decoder_open(struct decoder **ret);
void decoder_close(struct decoder *d);

/* *ret_text is borrowed from `input->body` where nothing had to be undone, else from `out` (cleared
 * first, its maximum at least max_bytes). RC_NOMEM is the only failure. */
MUST_CHECK enum rc decoder_run(struct decoder *d, const struct decode_input *input, struct buf *out,
                               struct str *ret_text, struct decode_report *ret_report);

/* Undoes gzip alone, if `bytes` begin like it: for sitemaps that are compressed by name
 * (sitemap.xml.gz). */
MUST_CHECK enum rc decoder_gunzip(struct decoder *d, struct str bytes, uint64_t max_bytes,
                                  struct buf *out, struct str *ret_text,
                                  struct decode_report *ret_report);

#endif
