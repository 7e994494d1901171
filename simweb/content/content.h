/* SPDX-License-Identifier: Apache-2.0 */
/* content: the bytes behind every place of the ordinary web.
 *
 * Text is copied from a pool prepared at the start, links are written between it, so a page costs
 * about what copying it costs. The pool is also kept ready compressed, piece by piece, so that a
 * gzip or zstd body is stitched, not computed; br comes from a bounded cache. Bodies depend on the
 * place and its version alone: the same bytes in every process with the same settings. */
#ifndef CONTENT_CONTENT_H
#define CONTENT_CONTENT_H

#include "world/links.h"
#include "world/version.h"

enum coding { CODING_IDENTITY, CODING_GZIP, CODING_BR, CODING_ZSTD, CODING_COUNT_ };

/* "gzip" as in Content-Encoding; "" for identity. */
const char *coding_name(enum coding c);

struct content;

/* NULL without memory. The world is borrowed. Makes the pool: some tens of milliseconds. */
struct content *content_open(const struct world *w);
void content_close(struct content *c);

/* What a place's answer says of itself besides its body. */
struct content_facts {
    const char *type;    /* the whole Content-Type, charset included where the page says it there */
    uint64_t etag;       /* written as "%016x" in quotes; another coding has another suffix */
    uint64_t changed_ms; /* Last-Modified, wall clock */
    bool codable;        /* worth a Content-Encoding: HTML, CSS, scripts, XML */
    const char *robots_tag; /* X-Robots-Tag, or NULL */
};
struct content_facts content_facts(const struct content *c, struct place p, struct version v);

/* Appends the body of a place (any kind but PLACE_NONE; not of a redirect, which the server writes
 * itself) in a coding. Failures stick in `out`. */
void content_body(struct content *c, struct place p, struct version v, enum coding coding,
                  struct buf *out);

/* The title of a page, as its <title> says, unescaped UTF-8. */
void content_title(const struct content *c, uint32_t host, uint32_t page, struct buf *out);

/* `text` (at most some MB) in a coding, compressed on the spot: for faults and small things. */
MUST_CHECK enum rc content_encode(enum coding coding, struct str text, struct buf *out);

/* Running text, plain ASCII, whole sentences, about `bytes` long, chosen by `chance`; for faults'
 * pages and whoever needs something to say. */
void content_text(const struct content *c, uint64_t chance, size_t bytes, struct buf *out);

#endif
