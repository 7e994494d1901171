/* SPDX-License-Identifier: Apache-2.0 */
#include "net/reply.h"

#include <assert.h>

void reply_init(struct reply *r, const struct reply_limits *limits, bool to_head)
{
    *r = (struct reply){.limits = *limits, .to_head = to_head};
}

static void refuse(struct reply *r, const char *why)
{
    r->state = REPLY_REFUSED;
    r->why = why;
}

static void begin_body(struct reply *r)
{
    bool to_end = r->is_h2 && r->head.framing != FRAMING_NONE;
    r->in_body = true;
    framing_init(&r->framing, to_end ? FRAMING_CLOSE : r->head.framing, r->head.length);
    if (r->framing.end == FRAMING_WHOLE)
        r->state = REPLY_WHOLE;
}

/* The head ends at r->at: read it; an interim one is dropped and the next begins behind it. */
static void head_over(struct reply *r, struct str all)
{
    r->head_n = r->at - r->head_at;
    const char *why =
        head_read(str_first(str_from(all, r->head_at), r->head_n), r->to_head, &r->head);
    if (why) {
        refuse(r, why);
    } else if (r->head.status == 101) {
        refuse(r, "a switch of protocols (101) that was not requested");
    } else if (r->head.status >= 200) {
        begin_body(r);
    } else if (++r->interims > r->limits.interim_most) {
        refuse(r, "too many interim answers");
    } else {
        r->head_at = r->line_at = r->at;
        r->head_n = 0;
    }
}

/* A line ends at r->at. The first one is judged at once: a server of another protocol may send one
 * line and wait. */
static void line_over(struct reply *r, struct str all)
{
    struct str line = str_make(all.p + r->line_at, r->at - r->line_at - 1);
    if (line.n && line.p[line.n - 1] == '\r')
        line.n--;
    bool is_first = r->line_at == r->head_at;
    r->line_at = r->at;
    struct head first;
    const char *why = is_first ? head_status_line(line, &first) : NULL;
    if (why)
        refuse(r, why);
    else if (line.n == 0)
        head_over(r, all);
    else if (!is_first && ++r->lines > r->limits.header_count)
        refuse(r, "too many header lines");
}

/* The position where the line or the heads become too long, the earlier of both. So the same limit
 * is met no matter how the bytes are cut. */
static size_t line_limit(const struct reply *r, const char **ret_why)
{
    uint64_t left = r->limits.head_bytes - r->line_at; /* line_at never passes it */
    bool is_line = r->limits.line_bytes < left;
    *ret_why = is_line ? "a header line is too long" : "the head is too long";
    return r->line_at + (size_t)(is_line ? r->limits.line_bytes : left);
}

static void read_head_line(struct reply *r, struct str all)
{
    const char *why;
    size_t limit = line_limit(r, &why);
    size_t until = all.n < limit ? all.n : limit;
    struct str seen = str_make(all.p + r->at, until - r->at);
    size_t end = str_find(seen, '\n');
    if (r->line_at == r->head_at &&
        !head_starts_well(str_make(all.p + r->head_at, until - r->head_at))) {
        refuse(r, "no HTTP/1 status line");
    } else if (end < seen.n) {
        r->at += end + 1;
        line_over(r, all);
    } else {
        r->at = until;
        if (all.n > limit)
            refuse(r, why);
    }
}

static void read_body(struct reply *r, struct str all)
{
    struct str piece = str_from(all, r->at);
    uint64_t room = r->limits.body_bytes - r->framing.taken_bytes;
    bool is_over = piece.n > room;
    size_t taken;
    enum framing_end end =
        framing_take(&r->framing, is_over ? str_first(piece, (size_t)room) : piece, &taken);
    r->at += taken;
    r->body_n = (size_t)r->framing.taken_bytes;
    if (end == FRAMING_WHOLE) {
        r->state = REPLY_WHOLE;
    } else if (end == FRAMING_BROKEN) {
        r->state = REPLY_BROKEN;
        r->body_n = (size_t)r->framing.sound_bytes;
        r->why = r->framing.why;
    } else if (end == FRAMING_REFUSED) {
        refuse(r, r->framing.why);
    } else if (is_over) {
        r->state = REPLY_TOO_LONG;
        r->why = "the body is too long";
    }
}

enum reply_state reply_read(struct reply *r, struct str all)
{
    assert(all.p || all.n == 0);
    while (r->state == REPLY_MORE && r->at < all.n) {
        if (r->in_body)
            read_body(r, all);
        else
            read_head_line(r, all);
    }
    return r->state;
}

enum reply_state reply_end(struct reply *r, bool clean)
{
    if (r->state != REPLY_MORE)
        return r->state;
    if (!r->in_body) {
        r->state = REPLY_CLOSED;
        r->why = r->at ? "closed within the head" : "closed before the head";
    } else if (clean && r->framing.kind == FRAMING_CLOSE) {
        r->state = REPLY_WHOLE;
    } else {
        r->state = REPLY_BROKEN;
        r->why = clean ? "closed within the body" : "cut within the body";
    }
    return r->state;
}

bool reply_keeps(const struct reply *r, size_t all_bytes)
{
    return r->state == REPLY_WHOLE && r->head.keeps && r->framing.kind != FRAMING_CLOSE &&
           r->at == all_bytes;
}
