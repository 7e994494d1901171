/* SPDX-License-Identifier: Apache-2.0 */
/* kit: small archives for the tests of src/warc, and a reader that writes down everything it hears.
 */
#ifndef TESTS_WARC_KIT_H
#define TESTS_WARC_KIT_H

#include "lib/test.h"

#include "warc/reader.h"
#include "warc/records.h"
#include "warc/verify.h"

/* One of each type and some more: warcinfo, request, response (chunked), metadata, revisit,
 * resource, conversion, continuation. */
enum { KIT_RECORDS = 8 };

/* Appends them all; ends[i], if not NULL, gets the length of `out` behind the i-th. */
void kit_sample(struct buf *out, enum warc_coding coding, size_t *ends);

/* Appends a record with this header (without the empty line; %zu-free) and block, as one gzip
 * member or plain. Nothing is checked. */
void kit_raw(struct buf *out, enum warc_coding coding, const char *header, struct str block);

/* Any bytes as one gzip member. */
void kit_member(struct buf *out, struct str plain);

/* What reading an archive said. `story` has a line for each event but WARC_MORE, with the block's
 * bytes in place. */
struct kit_reading {
    struct buf story;
    size_t records, ended;
    bool broken;
    struct warc_problem problem;
    uint64_t whole_bytes;
};

/* Reads `archive` in steps of `step` bytes (0: all at once). Each feed is an exact copy, so that a
 * sanitizer sees a read past it. RC_NOMEM when a fault was injected. */
enum rc kit_read(struct str archive, size_t step, const struct warc_reader_options *o,
                 struct kit_reading *ret);
void kit_reading_done(struct kit_reading *k);

#endif
