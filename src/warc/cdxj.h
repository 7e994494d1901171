/* SPDX-License-Identifier: Apache-2.0 */
/* cdxj: a line of the index that finds a capture in the archives.
 *
 *     com,example)/a 20240506070809 {"url":"http://example.com/a","mime":"text/html",
 *         "status":"200","digest":"2BTO...","length":"1043","offset":"333","filename":"x.warc.gz"}
 *
 * (one line). Sorted by bytes. Numbers are written as strings and read either way; the digest
 * stands without "sha1:"; a revisit has mime "warc/revisit". The key is the caller's: the SURT of
 * the URL. */
#ifndef WARC_CDXJ_H
#define WARC_CDXJ_H

#include "base/buf.h"

enum { CDXJ_MAX_LINE = 1 << 20, CDXJ_MAX_DEPTH = 32 };

struct cdxj_entry {
    struct str key;    /* no blanks, no control characters */
    int64_t date_ms;   /* milliseconds do not survive the line */
    struct str url;    /* required */
    struct str mime;   /* absent: left out */
    unsigned status;   /* 0: left out; at most 999 */
    struct str digest; /* absent: left out; "sha1:" in front is dropped */
    uint64_t length, offset;
    struct str filename; /* required */
};

/* Appends the line with its LF. RC_INVALID leaves `out` as it was: a key with a blank, a text that
 * is not UTF-8, a date outside the years 0 to 9999, something required that is absent. */
MUST_CHECK enum rc cdxj_print(struct buf *out, const struct cdxj_entry *e);

/* Reads a line, with or without its line end. On RC_OK the strs of *ret borrow from `line` and from
 * `room`, a buf of the caller's that is cleared first and should be able to hold a line. Keys it
 * does not know are passed over. RC_INVALID on anything that is not such a line (required: url,
 * length, offset, filename), RC_LIMIT past CDXJ_MAX_LINE or CDXJ_MAX_DEPTH; *ret is untouched then.
 */
MUST_CHECK enum rc cdxj_parse(struct str line, struct buf *room, struct cdxj_entry *ret);

#endif
