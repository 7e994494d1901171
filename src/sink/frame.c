/* SPDX-License-Identifier: Apache-2.0 */
#include "sink/frame.h"

static const char *const code_texts[SINK_CODES_] = {
    [SINK_BAD] = "it does not understand the request",
    [SINK_LOGIN] = "it knows no agent with that name and secret",
    [SINK_BUSY] = "it is busy",
    [SINK_FULL] = "its disk is full",
    [SINK_CONFLICT] = "another file has that name there",
    [SINK_MISMATCH] = "the bytes that arrived have another SHA-256 than was offered",
    [SINK_TOO_LARGE] = "the file is larger than it allows",
    [SINK_TROUBLE] = "its disk fails",
};

const char *sink_code_text(enum sink_code code)
{
    return (unsigned)code < SINK_CODES_ && code_texts[code] ? code_texts[code] : "refused";
}

/* The rest of a body; `is_short` sticks. */
struct rest {
    struct str s;
    bool is_short;
};

static const char *take(struct rest *r, size_t n)
{
    static const char nothing[DIGEST_SHA256_BYTES];
    if (r->is_short || r->s.n < n) {
        r->is_short = true;
        return nothing;
    }
    const char *p = r->s.p;
    r->s = str_from(r->s, n);
    return p;
}

static struct str take_text(struct rest *r)
{
    size_t n = (uint8_t)*take(r, 1);
    if (r->is_short || r->s.n < n) {
        r->is_short = true;
        return STR("");
    }
    struct str text = str_first(r->s, n);
    r->s = str_from(r->s, n);
    return text;
}

static bool read_put(struct rest *r, struct sink_frame *f)
{
    f->what = (enum sink_what)(uint8_t)*take(r, 1);
    f->name = take_text(r);
    f->bytes = get_le64(take(r, 8));
    memcpy(f->sha256, take(r, sizeof f->sha256), sizeof f->sha256);
    return f->what == SINK_WARC || f->what == SINK_INDEX;
}

static bool read_refused(struct rest *r, struct sink_frame *f)
{
    unsigned code = (uint8_t)*take(r, 1);
    f->code = (enum sink_code)code;
    f->text = take_text(r);
    return code > 0 && code < SINK_CODES_;
}

static bool read_body(struct rest *r, struct sink_frame *f)
{
    switch (f->kind) {
    case SINK_HELLO:
        f->version = get_le16(take(r, 2));
        f->name = take_text(r);
        f->secret = take_text(r);
        return true;
    case SINK_PUT:
        return read_put(r, f);
    case SINK_DATA:
        f->data = r->s;
        r->s = str_from(r->s, r->s.n);
        return f->data.n > 0;
    case SINK_WELCOME:
        f->version = get_le16(take(r, 2));
        return true;
    case SINK_MORE:
        f->offset = get_le64(take(r, 8));
        return true;
    case SINK_STORED:
    case SINK_WORKING:
        return true;
    case SINK_REFUSED:
        return read_refused(r, f);
    }
    return false;
}

enum rc sink_frame_read(struct str in, size_t max_bytes, struct sink_frame *ret, size_t *ret_used)
{
    *ret_used = 0;
    if (in.n < SINK_HEAD_BYTES)
        return RC_AGAIN;
    uint32_t n = get_le32(in.p);
    if (n == 0 || max_bytes < SINK_HEAD_BYTES || n > max_bytes - SINK_HEAD_BYTES)
        return RC_INVALID;
    *ret_used = SINK_HEAD_BYTES + n;
    if (in.n < *ret_used)
        return RC_AGAIN;
    struct rest r = {.s = str_make(in.p + SINK_HEAD_BYTES, n)};
    struct sink_frame f = {.kind = (enum sink_kind)(uint8_t)*take(&r, 1)};
    if (f.kind != SINK_DATA && *ret_used > SINK_MAX_SMALL_BYTES)
        return RC_INVALID;
    if (!read_body(&r, &f) || r.is_short || r.s.n)
        return RC_INVALID;
    *ret = f;
    return RC_OK;
}

static void put_text(struct buf *out, struct str text)
{
    text = str_first(text, text.n < SINK_MAX_TEXT_BYTES ? text.n : SINK_MAX_TEXT_BYTES);
    buf_byte(out, (char)(uint8_t)text.n);
    buf_add(out, text);
}

static void write_body(struct buf *out, const struct sink_frame *f)
{
    switch (f->kind) {
    case SINK_HELLO:
        buf_le16(out, f->version);
        put_text(out, f->name);
        put_text(out, f->secret);
        break;
    case SINK_PUT:
        buf_byte(out, (char)f->what);
        put_text(out, f->name);
        buf_le64(out, f->bytes);
        buf_add(out, str_make((const char *)f->sha256, sizeof f->sha256));
        break;
    case SINK_DATA:
        buf_add(out, f->data);
        break;
    case SINK_WELCOME:
        buf_le16(out, f->version);
        break;
    case SINK_MORE:
        buf_le64(out, f->offset);
        break;
    case SINK_STORED:
    case SINK_WORKING:
        break;
    case SINK_REFUSED:
        buf_byte(out, (char)f->code);
        put_text(out, f->text);
        break;
    }
}

void sink_frame_write(struct buf *out, const struct sink_frame *f)
{
    size_t at = out->n;
    buf_le32(out, 0);
    buf_byte(out, (char)f->kind);
    write_body(out, f);
    if (buf_rc(out) == RC_OK)
        put_le32(out->p + at, (uint32_t)(out->n - at - SINK_HEAD_BYTES));
}
