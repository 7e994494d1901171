/* SPDX-License-Identifier: Apache-2.0 */
/* head: the head of one answer, status line to empty line, by the rules of docs/faults.md.
 *
 * Lines end with CR LF or LF. A NUL or a bare CR refuses the head. A line that begins with a blank
 * continues the one before and is joined to it by a space. A line without colon or name, with a
 * blank in its name, or with other control bytes is passed over, with what continues it. Where a
 * field may stand once, the first counts. Only HTTP/1.0 and HTTP/1.1 are spoken, with a code of
 * three digits from 100 on.
 *
 * Code that reads an answer's head later (Location, Content-Type) uses head_get() or head_next(),
 * so that all readers see the same fields. */
#ifndef NET_HEAD_H
#define NET_HEAD_H

#include "base/buf.h"
#include "net/framing.h"

enum { HEAD_MOST_KEEP_S = 86400 };

struct head {
    uint16_t status;
    bool is_http10;
    bool keeps;      /* the connection may be used again behind the body */
    uint64_t keep_s; /* Keep-Alive: timeout=N, up to HEAD_MOST_KEEP_S; 0: it does not say */
    enum framing_kind framing;
    uint64_t length;
};

/* Whether it can be the start of a status line, for as many bytes as there are. */
bool head_starts_well(struct str bytes);

/* Reads the status line, without its line end; NULL, or why it is none. */
const char *head_status_line(struct str line, struct head *ret);

/* Reads a whole head, empty line included. `to_head`: it answers a HEAD request. Returns NULL and
 * fills *ret, or why it is refused: then *ret is undefined. */
const char *head_read(struct str bytes, bool to_head, struct head *ret);

struct head_field {
    struct str name;
    struct str raw; /* from the colon to the end of the field's last line */
    bool is_folded;
};

/* Steps from field to field: *rest is the head at first. False at its end. */
bool head_next(struct str *rest, struct head_field *ret);

/* The value without blanks around it; a folded one is joined in `scratch`, and absent if that has
 * no room or memory. */
struct str head_value(const struct head_field *f, struct buf *scratch);

/* The value of the first field of that name (in any case), or absent. */
struct str head_get(struct str head, struct str name, struct buf *scratch);

/* Takes the next item of a list with commas, without blanks around it. False when none is left. */
bool head_list_next(struct str *list, struct str *ret_item);

#endif
