/* SPDX-License-Identifier: Apache-2.0 */
#include "frontier/inbox.h"

#include "base/bytes.h"
#include "base/hash.h"

enum { FLAG_HTTPS = 1, FLAG_SURE = 2, LINK_HEAD = 26, OUTCOME_HEAD = 21, HOST_HEAD = 2 };

/* Writing ------------------------------------------------------------------------------------ */

void inbox_put_link(struct buf *out, const struct candidate *c, bool is_sure)
{
    struct str seed_path = str_first(c->seed_path, FRONTIER_MAX_SEED_PATH);
    struct str from = str_first(c->from, FRONTIER_MAX_HOST_BYTES);
    buf_byte(out, INBOX_LINK);
    buf_byte(out, (char)((c->is_https ? FLAG_HTTPS : 0) | (is_sure ? FLAG_SURE : 0)));
    buf_byte(out, (char)c->class);
    buf_le64(out, c->fingerprint);
    buf_le64(out, c->via);
    buf_le16(out, c->port);
    buf_byte(out, (char)c->host.n);
    buf_byte(out, (char)from.n);
    buf_byte(out, (char)seed_path.n);
    buf_le16(out, (uint16_t)c->path.n);
    buf_add(out, c->host);
    buf_add(out, from);
    buf_add(out, seed_path);
    buf_add(out, c->path);
}

void inbox_put_outcome(struct buf *out, const struct redo *r, struct str extra,
                       uint64_t due_wall_ms)
{
    buf_byte(out, INBOX_OUTCOME);
    buf_byte(out, r->is_https ? FLAG_HTTPS : 0);
    buf_byte(out, (char)r->class);
    buf_byte(out, (char)r->how);
    buf_le64(out, due_wall_ms);
    buf_le16(out, r->port);
    buf_byte(out, (char)r->host.n);
    buf_le16(out, (uint16_t)r->path.n);
    buf_le32(out, (uint32_t)extra.n);
    buf_add(out, r->host);
    buf_add(out, r->path);
    buf_add(out, extra);
}

static void put_of_host(struct buf *out, enum inbox_kind kind, struct str host)
{
    buf_byte(out, (char)kind);
    buf_byte(out, (char)host.n);
}

void inbox_put_done(struct buf *out, struct str host, uint64_t fingerprint)
{
    put_of_host(out, INBOX_DONE, host);
    buf_le64(out, fingerprint);
    buf_add(out, host);
}

void inbox_put_unknow(struct buf *out, struct str host, uint64_t fingerprint)
{
    put_of_host(out, INBOX_UNKNOW, host);
    buf_le64(out, fingerprint);
    buf_add(out, host);
}

void inbox_put_host(struct buf *out, struct str host, struct str extra, uint64_t next_wall_ms)
{
    put_of_host(out, INBOX_HOST, host);
    buf_le64(out, next_wall_ms);
    buf_le32(out, (uint32_t)extra.n);
    buf_add(out, host);
    buf_add(out, extra);
}

void inbox_put_forget(struct buf *out, struct str host)
{
    put_of_host(out, INBOX_FORGET, host);
    buf_add(out, host);
}

/* Reading ------------------------------------------------------------------------------------ */

static struct str cut(struct str *rest, size_t bytes)
{
    struct str s = str_first(*rest, bytes);
    *rest = str_from(*rest, bytes);
    return s;
}

static enum rc next_link(struct str *records, struct inbox_record *ret)
{
    if (records->n < LINK_HEAD)
        return RC_CORRUPT;
    struct str head = cut(records, LINK_HEAD);
    size_t host = (uint8_t)head.p[21], from = (uint8_t)head.p[22], seed_path = (uint8_t)head.p[23];
    size_t path = get_le16(head.p + 24);
    if (!host || path > FRONTIER_MAX_PATH_BYTES || seed_path > FRONTIER_MAX_SEED_PATH ||
        records->n < host + from + seed_path + path)
        return RC_CORRUPT;
    struct candidate *c = &ret->link;
    c->is_https = head.p[1] & FLAG_HTTPS;
    ret->is_sure = head.p[1] & FLAG_SURE;
    c->class = (uint8_t)head.p[2];
    c->fingerprint = get_le64(head.p + 3);
    c->via = get_le64(head.p + 11);
    c->port = get_le16(head.p + 19);
    c->host = cut(records, host);
    c->from = cut(records, from);
    c->seed_path = cut(records, seed_path);
    c->path = cut(records, path);
    c->host_hash = hash64(c->host);
    return c->class < FRONTIER_CLASSES ? RC_OK : RC_CORRUPT;
}

static enum rc next_outcome(struct str *records, struct inbox_record *ret)
{
    if (records->n < OUTCOME_HEAD)
        return RC_CORRUPT;
    struct str head = cut(records, OUTCOME_HEAD);
    size_t host = (uint8_t)head.p[14], path = get_le16(head.p + 15), extra = get_le32(head.p + 17);
    if (!host || (uint8_t)head.p[3] > CHECKIN_LAST || records->n < host + path + extra)
        return RC_CORRUPT;
    struct redo *r = &ret->outcome;
    r->is_https = head.p[1] & FLAG_HTTPS;
    r->class = (uint8_t)head.p[2];
    r->how = (enum checkin)head.p[3];
    ret->due_wall_ms = get_le64(head.p + 4);
    r->port = get_le16(head.p + 12);
    r->host = cut(records, host);
    r->path = cut(records, path);
    r->host_hash = hash64(r->host);
    r->by_path = true;
    ret->extra = cut(records, extra);
    return r->class < FRONTIER_CLASSES ? RC_OK : RC_CORRUPT;
}

/* What is said of a host: kind and length of its name, what the kind has, the name. */
static enum rc next_of_host(struct str *records, struct inbox_record *ret)
{
    bool has_url = ret->kind == INBOX_DONE || ret->kind == INBOX_UNKNOW;
    size_t fixed = HOST_HEAD + (has_url ? 8 : ret->kind == INBOX_HOST ? 12 : 0);
    if (records->n < fixed)
        return RC_CORRUPT;
    struct str head = cut(records, fixed);
    size_t host = (uint8_t)head.p[1];
    size_t extra = ret->kind == INBOX_HOST ? get_le32(head.p + HOST_HEAD + 8) : 0;
    if (!host || records->n < host || records->n - host < extra)
        return RC_CORRUPT;
    if (has_url)
        ret->fingerprint = get_le64(head.p + HOST_HEAD);
    if (ret->kind == INBOX_HOST)
        ret->due_wall_ms = get_le64(head.p + HOST_HEAD);
    ret->host = cut(records, host);
    ret->extra = cut(records, extra);
    return RC_OK;
}

enum rc inbox_next(struct str *records, struct inbox_record *ret)
{
    if (!records->n)
        return RC_NOT_FOUND;
    *ret = (struct inbox_record){.kind = (enum inbox_kind)records->p[0]};
    switch (ret->kind) {
    case INBOX_LINK:
        return next_link(records, ret);
    case INBOX_OUTCOME:
        return next_outcome(records, ret);
    case INBOX_DONE:
    case INBOX_HOST:
    case INBOX_FORGET:
    case INBOX_UNKNOW:
        return next_of_host(records, ret);
    }
    return RC_CORRUPT;
}

uint64_t inbox_host_hash(const struct inbox_record *r)
{
    return r->kind == INBOX_LINK      ? r->link.host_hash
           : r->kind == INBOX_OUTCOME ? r->outcome.host_hash
                                      : hash64(r->host);
}
