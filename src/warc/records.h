/* SPDX-License-Identifier: Apache-2.0 */
/* records: a struct for each type of record that WARC 1.1 knows, and the function that begins it.
 *
 * warc_write_*(w, &record, block_bytes, out) begins a record in the writer; the block follows with
 * warc_writer_add and warc_writer_end, which reports everything (writer.h). warc_put_* write a
 * whole record whose block they make themselves.
 *
 * A str that is absent and a pointer that is NULL leave their field out. Every value is checked
 * before a byte is written, and the record refused with RC_INVALID: URIs must be absolute and
 * printable ASCII, addresses IPv4 or IPv6, media types "type/subtype", texts UTF-8 without control
 * characters (so no value can begin a line of its own), dates within the years 0 to 9999, values at
 * most 64 KiB. Nothing is kept or borrowed after the call. */
#ifndef WARC_RECORDS_H
#define WARC_RECORDS_H

#include "base/digest.h"
#include "warc/writer.h"

enum { WARC_VALUE_MAX = 64 << 10 };

/* A record's name: 16 random bytes from the caller, written as urn:uuid (version 4, whose six fixed
 * bits replace the caller's). */
struct warc_id {
    uint8_t bytes[16];
};
void warc_id_print(struct buf *out, const struct warc_id *id);

/* Why a block is shorter than the whole answer. */
enum warc_cut { WARC_CUT_NONE, WARC_CUT_LENGTH, WARC_CUT_TIME, WARC_CUT_DISCONNECT };

/* What every record may have. */
struct warc_head {
    struct warc_id id;
    int64_t date_ms;                   /* when the capture began */
    const struct warc_id *warcinfo;    /* the record that describes this one's archive */
    const struct digest *block_digest; /* of the block; gzip has a checksum, so usually NULL */
    enum warc_cut cut;
    bool first_segment; /* continuation records follow */
};

/* What was asked for and how. */
struct warc_capture {
    struct str target_uri;               /* required */
    struct str ip_address;               /* of the server */
    const struct digest *payload_digest; /* over the entity: payload.h */
    struct str identified_type;          /* the media type we found, whatever the server said */
    const struct str *protocols;         /* "h2", "tls/1.3": WARC-Protocol, one field each */
    size_t protocol_count;
    const struct warc_id *concurrent_to; /* another record of the same capture */
};

/* The block is the HTTP message as received. */
struct warc_response {
    struct warc_head head;
    struct warc_capture capture;
};
void warc_write_response(struct warc_writer *w, const struct warc_response *r, uint64_t block_bytes,
                         struct buf *out);

/* The block is the HTTP message as sent. */
struct warc_request {
    struct warc_head head;
    struct warc_capture capture;
};
void warc_write_request(struct warc_writer *w, const struct warc_request *r, uint64_t block_bytes,
                        struct buf *out);

enum warc_profile {
    WARC_SAME_DIGEST,  /* the payload is that of an earlier record: payload_digest is required */
    WARC_NOT_MODIFIED, /* the server said so */
};

/* The block is the HTTP header of the new answer (its body is left out), or empty. */
struct warc_revisit {
    struct warc_head head;
    struct warc_capture capture;
    enum warc_profile profile;
    const struct warc_id *refers_to; /* the earlier record */
    struct str refers_to_uri;        /* its target; when given, its date is written too: */
    int64_t refers_to_date_ms;
};
void warc_write_revisit(struct warc_writer *w, const struct warc_revisit *r, uint64_t block_bytes,
                        struct buf *out);

/* The block is the thing itself, without a protocol around it. */
struct warc_resource {
    struct warc_head head;
    struct warc_capture capture;
    struct str content_type; /* required */
};
void warc_write_resource(struct warc_writer *w, const struct warc_resource *r, uint64_t block_bytes,
                         struct buf *out);

/* The block is another form of an earlier record's content. It came from no server, so the standard
 * forbids the capture's ip_address and concurrent_to here. */
struct warc_conversion {
    struct warc_head head;
    struct warc_capture capture;
    struct str content_type;         /* required */
    const struct warc_id *refers_to; /* the record it was made from */
};
void warc_write_conversion(struct warc_writer *w, const struct warc_conversion *r,
                           uint64_t block_bytes, struct buf *out);

/* The block goes on where the one before stopped. */
struct warc_continuation {
    struct warc_head head;
    struct str target_uri; /* required */
    struct warc_id origin; /* the first segment */
    uint64_t segment;      /* 2 and up */
    uint64_t total_bytes;  /* of all blocks together; in the last segment only, else 0 */
};
void warc_write_continuation(struct warc_writer *w, const struct warc_continuation *r,
                             uint64_t block_bytes, struct buf *out);

/* The block says something about another record. */
struct warc_metadata {
    struct warc_head head;
    struct str target_uri;
    const struct warc_id *concurrent_to; /* made in the same capture */
    const struct warc_id *refers_to;     /* or about an earlier one */
    struct str content_type;             /* absent: application/warc-fields */
};
void warc_write_metadata(struct warc_writer *w, const struct warc_metadata *r, uint64_t block_bytes,
                         struct buf *out);

/* What the crawl knows about one fetch, as a metadata record. */
struct warc_outlink {
    struct str uri;
    char hop; /* how it was found: L link, R redirect, E embed, X speculative, P prerequisite */
    struct str context; /* "a/@href"; may be absent */
};
struct warc_fetch_facts {
    struct str via;            /* the page that named this one */
    struct str hops_from_seed; /* the path's letters, "LLE"; empty for a seed */
    uint64_t fetch_time_ms;
    const struct warc_outlink *outlinks;
    size_t outlink_count;
};
MUST_CHECK enum rc warc_put_fetch_metadata(struct warc_writer *w, const struct warc_metadata *r,
                                           const struct warc_fetch_facts *facts, struct buf *out);

/* The first record of a file. `format` and `conformsTo` are written by themselves. */
struct warc_warcinfo {
    struct warc_head head; /* its `warcinfo` is ignored */
    struct str filename;   /* WARC-Filename */
    struct str software;   /* required: "orbweaver/0.1.0" */
    struct str hostname, ip, user_agent, robots, contact, is_part_of, description;
};
MUST_CHECK enum rc warc_put_warcinfo(struct warc_writer *w, const struct warc_warcinfo *r,
                                     struct buf *out);

#endif
