/* SPDX-License-Identifier: Apache-2.0 */
/* header: named fields as text, each value checked before it is written, so that nothing from the
 * network can begin a field of its own. Used by records.c.
 *
 * The first refusal sticks in `rc`; an absent value writes nothing and is no refusal. */
#ifndef WARC_HEADER_H
#define WARC_HEADER_H

#include "warc/records.h"

struct header {
    struct buf *out;
    enum rc rc;
};

/* UTF-8 without control characters, at most WARC_VALUE_MAX bytes. */
void header_text(struct header *h, struct str name, struct str value);
/* An absolute URI in printable ASCII without '<' and '>'. */
void header_uri(struct header *h, struct str name, struct str value);
/* "text/html", with or without parameters. */
void header_media(struct header *h, struct str name, struct str value);
/* An IPv4 or IPv6 address. */
void header_address(struct header *h, struct str name, struct str value);
void header_id(struct header *h, struct str name, const struct warc_id *id);
void header_date(struct header *h, struct str name, int64_t ms);
void header_digest(struct header *h, struct str name, const struct digest *d);
void header_number(struct header *h, struct str name, uint64_t value);

/* Refuses the header unless `given`. */
void header_require(struct header *h, bool given);

/* The checks alone. */
bool header_is_text(struct str value);
bool header_is_uri(struct str value);
bool header_is_media(struct str value);
bool header_is_address(struct str value);

#endif
