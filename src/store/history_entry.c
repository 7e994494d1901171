/* SPDX-License-Identifier: Apache-2.0 */
#include "store/history_entry.h"

#include "base/bytes.h"

#include <assert.h>

enum {
    HAS_DIGEST = 1,
    HAS_FILE = 2,
    TEXTS = 7,
    FIRST_VERSION = 1,
    FIRST_TEXTS = 5,
    FIXED_BYTES = 38,
    CAPTURE_BYTES = DIGEST_SHA1_BYTES + 8 + 16,
    FILE_BYTES = 16,
    CHANGE_MASK = 7,
    CUT_SHIFT = 3,
    CUT_MASK = HISTORY_CUTS_ - 1,
};

/* Writing ------------------------------------------------------------------------------------- */

static void add_varint(struct buf *out, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        buf_byte(out, (char)(v | 0x80));
    buf_byte(out, (char)v);
}

static void add_text(struct buf *out, struct str s)
{
    add_varint(out, s.p ? (uint64_t)s.n + 1 : 0);
    buf_add(out, s);
}

static void add_capture(struct buf *out, const struct history_entry *p)
{
    assert(p->digest.kind == DIGEST_SHA1);
    buf_add(out, str_make((const char *)p->digest.bytes, DIGEST_SHA1_BYTES));
    buf_le64(out, (uint64_t)p->captured_ms);
    buf_add(out, str_make((const char *)p->record_id, sizeof p->record_id));
}

void history_entry_write(const struct history_entry *p, struct buf *out)
{
    buf_byte(out, p->forward ? HISTORY_ENTRY_VERSION : HISTORY_ENTRY_PLAIN);
    buf_byte(out, (char)((p->has_digest ? HAS_DIGEST : 0) | (p->file.p ? HAS_FILE : 0)));
    buf_le64(out, p->via);
    buf_le64(out, (uint64_t)p->date_ms);
    buf_le32(out, (uint32_t)p->code);
    buf_le64(out, p->bytes);
    buf_le32(out, p->fetches);
    buf_le32(out, p->changes);
    if (p->has_digest)
        add_capture(out, p);
    if (p->file.p) {
        buf_le64(out, p->file_offset);
        buf_le64(out, p->file_bytes);
    }
    add_text(out, p->url);
    add_text(out, p->seed_path);
    add_text(out, p->etag);
    add_text(out, p->last_modified);
    add_text(out, p->mime);
    add_text(out, p->codes);
    add_text(out, p->file);
    buf_byte(out, (char)(p->what_changed | p->cut << CUT_SHIFT));
    if (p->forward)
        buf_le16(out, p->forward);
}

/* Reading ------------------------------------------------------------------------------------- */

static enum rc take_varint(struct str *from, uint64_t *ret)
{
    uint64_t v = 0;
    for (unsigned shift = 0; shift < 28 && from->n; shift += 7) {
        uint8_t byte = (uint8_t)from->p[0];
        *from = str_from(*from, 1);
        v |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *ret = v;
            return RC_OK;
        }
    }
    return RC_CORRUPT;
}

static enum rc take_text(struct str *from, struct arena *arena, struct str *ret)
{
    uint64_t n;
    enum rc rc = take_varint(from, &n);
    *ret = STR_NONE;
    if (rc || n == 0)
        return rc;
    if (n - 1 > from->n)
        return RC_CORRUPT;
    *ret = arena_dup(arena, str_first(*from, (size_t)n - 1));
    *from = str_from(*from, (size_t)n - 1);
    return ret->p ? RC_OK : RC_NOMEM;
}

static void read_fixed(const char *at, struct history_entry *p)
{
    p->via = get_le64(at + 2);
    p->date_ms = (int64_t)get_le64(at + 10);
    p->code = (int32_t)get_le32(at + 18);
    p->bytes = get_le64(at + 22);
    p->fetches = get_le32(at + 30);
    p->changes = get_le32(at + 34);
}

static void read_capture(const char *at, struct history_entry *p)
{
    p->has_digest = true;
    p->digest.kind = DIGEST_SHA1;
    memcpy(p->digest.bytes, at, DIGEST_SHA1_BYTES);
    p->captured_ms = (int64_t)get_le64(at + DIGEST_SHA1_BYTES);
    memcpy(p->record_id, at + DIGEST_SHA1_BYTES + 8, sizeof p->record_id);
}

/* The parts that not all have, off the front. */
static enum rc read_parts(struct str *from, unsigned flags, struct history_entry *p)
{
    size_t capture = flags & HAS_DIGEST ? CAPTURE_BYTES : 0;
    size_t file = flags & HAS_FILE ? FILE_BYTES : 0;
    if (from->n < capture + file)
        return RC_CORRUPT;
    if (capture)
        read_capture(from->p, p);
    if (file) {
        p->file_offset = get_le64(from->p + capture);
        p->file_bytes = get_le64(from->p + capture + 8);
    }
    *from = str_from(*from, capture + file);
    return RC_OK;
}

static enum rc take_forward(struct str *from, struct history_entry *p)
{
    if (from->n < sizeof p->forward)
        return RC_CORRUPT;
    p->forward = get_le16(from->p);
    *from = str_from(*from, sizeof p->forward);
    return p->forward ? RC_OK : RC_CORRUPT;
}

enum rc history_entry_read(struct str bytes, struct arena *arena, struct history_entry *ret)
{
    struct history_entry p = {0};
    if (bytes.n && (bytes.p[0] < FIRST_VERSION || bytes.p[0] > HISTORY_ENTRY_VERSION))
        return RC_VERSION;
    if (bytes.n < FIXED_BYTES || (bytes.p[1] & ~(HAS_DIGEST | HAS_FILE)))
        return RC_CORRUPT;
    unsigned flags = (uint8_t)bytes.p[1];
    bool is_first = bytes.p[0] == FIRST_VERSION, has_forward = bytes.p[0] > HISTORY_ENTRY_PLAIN;
    read_fixed(bytes.p, &p);
    bytes = str_from(bytes, FIXED_BYTES);
    enum rc rc = read_parts(&bytes, flags, &p);
    struct str *texts[TEXTS] = {&p.url,  &p.seed_path, &p.etag, &p.last_modified,
                                &p.mime, &p.codes,     &p.file};
    for (size_t i = 0; i < (is_first ? FIRST_TEXTS : TEXTS) && rc == RC_OK; i++)
        rc = take_text(&bytes, arena, texts[i]);
    if (rc == RC_OK && !is_first) {
        unsigned last = bytes.n ? (uint8_t)bytes.p[0] : 0;
        p.what_changed = last & CHANGE_MASK;
        p.cut = last >> CUT_SHIFT & CUT_MASK;
        rc = bytes.n ? RC_OK : RC_CORRUPT;
        bytes = str_from(bytes, 1);
    }
    if (rc == RC_OK && has_forward)
        rc = take_forward(&bytes, &p);
    if (rc == RC_OK && (bytes.n || !(flags & HAS_FILE) != !p.file.p))
        rc = RC_CORRUPT;
    if (rc == RC_OK)
        *ret = p;
    return rc;
}
