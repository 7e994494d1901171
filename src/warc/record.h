/* SPDX-License-Identifier: Apache-2.0 */
/* record: what a WARC record is, as read: its type, its named fields, where it stands.
 *
 * A record is a version line, named fields, an empty line, a block of Content-Length bytes, and two
 * line ends. The payload is the part of the block that was asked for: of an HTTP message its
 * entity, of anything else the whole block. */
#ifndef WARC_RECORD_H
#define WARC_RECORD_H

#include "base/digest.h"

enum warc_type {
    WARC_OTHER, /* a type the standard does not name; readers skip it */
    WARC_WARCINFO,
    WARC_RESPONSE,
    WARC_RESOURCE,
    WARC_REQUEST,
    WARC_METADATA,
    WARC_REVISIT,
    WARC_CONVERSION,
    WARC_CONTINUATION,
    WARC_TYPES
};

/* "response"; "other" for WARC_OTHER. */
const char *warc_type_name(enum warc_type type);
enum warc_type warc_type_of(struct str name);

/* Where a byte of an archive is. In a plain archive `offset` is that byte's own offset in the file.
 * In a compressed one it is the offset of the gzip member that holds the byte, and `in_member` says
 * how far behind the member's first uncompressed byte it is. `plain` counts uncompressed bytes from
 * the start of the archive in both. */
struct warc_position {
    uint64_t offset, in_member, plain;
};

struct warc_field {
    struct str name, value; /* the value without white space around it, folded lines joined */
};

/* What a reader forgave; each bit is set at most once a record. */
enum warc_note {
    WARC_NOTE_LF = 1 << 0,          /* lines ended by LF alone */
    WARC_NOTE_FOLDED = 1 << 1,      /* a field went on over several lines */
    WARC_NOTE_BLANK_LINES = 1 << 2, /* more line ends before the record than the two required */
    WARC_NOTE_NO_END = 1 << 3, /* the two line ends after the block are missing (lenient only) */
    WARC_NOTE_SAME_LENGTH = 1 << 4, /* Content-Length given more than once, always the same */
};
enum { WARC_NOTES = 5 };
const char *warc_note_text(enum warc_note note);

struct warc_record {
    unsigned version_major, version_minor; /* 0.17, 0.18, 1.0 or 1.1 */
    enum warc_type type;                   /* by WARC-Type; WARC_OTHER also when it is missing */
    struct warc_position position;         /* of the first byte of its version line */
    uint64_t number;                       /* 0 for the first record of the archive */
    uint64_t block_bytes;                  /* Content-Length */
    unsigned notes;                        /* enum warc_note */
    const struct warc_field *fields;
    size_t field_count;
};

/* The value of the first field of that name, in any case; absent if there is none. */
struct str warc_record_get(const struct warc_record *r, struct str name);

/* Walks all fields of that name: start with *cursor = 0; absent when there are no more. */
struct str warc_record_each(const struct warc_record *r, struct str name, size_t *cursor);

/* WARC-Target-URI without the angle brackets that some programs put around it. */
struct str warc_record_target(const struct warc_record *r);

/* A digest as records write it: "sha1:" or "sha256:" and base32, base64 or hexadecimal.
 * RC_UNSUPPORTED for another algorithm, RC_INVALID for a value that cannot be one. */
MUST_CHECK enum rc warc_digest_parse(struct str text, struct digest *ret);

/* "sha1:" and base32. */
void warc_digest_print(struct buf *out, const struct digest *d);

#endif
