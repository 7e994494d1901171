/* SPDX-License-Identifier: Apache-2.0 */
/* http_block: the header block of an HTTP message kept in a record, read where it lies.
 *
 * Nothing is copied and nothing is allocated: every str returned borrows from the block. Lines end
 * with CR LF or LF alone, as archives hold both. A `head` is the block up to and including its
 * empty line, as http_head_end() measures it; a head without that line (a cut message) works too.
 * Any bytes at all may be given; time is linear. */
#ifndef WARC_HTTP_BLOCK_H
#define WARC_HTTP_BLOCK_H

#include "base/str.h"

/* Looks for the empty line that ends the header block, however the bytes are cut. A zeroed struct
 * is at the start of a message. */
struct http_head_scan {
    unsigned char line_state; /* 0 in a line, 1 behind its LF, 2 behind LF CR */
    bool found;
    uint64_t bytes; /* looked at so far: once found, the length of the head */
};

/* Takes bytes up to and including the empty line and returns how many: all of them as long as the
 * line has not come, 0 once it has. */
size_t http_head_scan(struct http_head_scan *s, struct str bytes);

/* Length of the header block with its empty line; 0 if that line is not there. */
size_t http_head_end(struct str block);

/* 200 from "HTTP/1.1 200 OK"; 0 if the first line is not a status line (a request, or no HTTP). */
unsigned http_head_status(struct str head);

/* Walks the fields of that name, in any case: start with *cursor = 0; absent when there are no
 * more. The value has no white space around it; a folded one keeps its line ends inside. */
struct str http_head_each(struct str head, struct str name, size_t *cursor);

/* The first such field, or absent. */
struct str http_head_get(struct str head, struct str name);

/* The media type of Content-Type without its parameters, as written; absent if there is none or it
 * is not "type/subtype". */
struct str http_head_mime(struct str head);

/* Content-Length. RC_NOT_FOUND without one, RC_INVALID if it is no number or two disagree. */
MUST_CHECK enum rc http_head_length(struct str head, uint64_t *ret_bytes);

/* Whether the body is in chunks: the last transfer coding named is "chunked". */
bool http_head_is_chunked(struct str head);

#endif
