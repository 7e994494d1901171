/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/wire/records.h"

#include "base/hash.h"
#include "base/taker.h"
#include "cluster/wire/names.h"
#include "cluster/wire/records_internal.h"

/* Texts ---------------------------------------------------------------------------------------- */

/* Accepts only characters that our URL parser produces. The crawl writes URLs into lines of text,
 * so a line break or a space from a sender must not get that far. It does not stop early: without a
 * branch in it the loop takes many bytes at a time. */
static bool is_graphic(struct str s)
{
    bool is_bad = false;
    for (size_t i = 0; i < s.n; i++)
        is_bad |= (uint8_t)(s.p[i] - '!') > '~' - '!';
    return !is_bad;
}

/* The graphic characters that no host has. */
static const bool not_in_host[256] = {
    ['/'] = true, ['?'] = true, ['#'] = true, ['@'] = true, ['\\'] = true,        ['<'] = true,
    ['>'] = true, ['^'] = true, ['|'] = true, ['%'] = true, ['A' ... 'Z'] = true,
};

static bool is_host(struct str s)
{
    bool is_bad = !s.n;
    for (size_t i = 0; i < s.n; i++)
        is_bad |= not_in_host[(uint8_t)s.p[i]];
    return !is_bad && is_graphic(s);
}

static bool is_seed_path(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] < 'A' || s.p[i] > 'Z')
            return false;
    return s.n <= RECORDS_MAX_SEED_PATH;
}

static bool texts_ok(const struct record *r)
{
    return is_host(r->host) && is_seed_path(r->seed_path) && is_graphic(r->path) &&
           (!r->where.n || cluster_name_ok(r->where));
}

/* Fields ---------------------------------------------------------------------------------------- */

static bool take_flags(struct taker *t, struct record *r)
{
    uint8_t flags = take_u8(t);
    r->is_https = flags & URL_IS_HTTPS;
    r->is_back = flags & URL_IS_BACK;
    r->is_again = flags & URL_IS_AGAIN;
    r->class = take_u8(t);
    r->port = take_u16(t);
    return !(flags & ~URL_FLAGS) && r->class < RECORDS_CLASSES;
}

static bool take_path(struct taker *t, struct record *r)
{
    r->seed_path = take_str8(t);
    r->path = take_bytes(t, take_u16(t));
    return r->path.n <= RECORDS_MAX_PATH_BYTES && (!r->path.n || r->path.p[0] == '/');
}

static bool take_url(struct taker *t, struct record *r)
{
    bool is_ok = take_flags(t, r);
    r->fingerprint = take_u64(t);
    r->via = take_u64(t);
    return take_path(t, r) && r->path.n && is_ok;
}

static bool take_done(struct taker *t, struct record *r)
{
    r->fingerprint = take_u64(t);
    r->time_ms = take_u64(t);
    r->status = (int32_t)take_u32(t);
    struct str digest = take_bytes(t, RECORDS_DIGEST_BYTES);
    memcpy(r->digest, digest.p, digest.n);
    r->where = take_str8(t);
    r->where_inc = take_u64(t);
    return !r->where.n || (take_flags(t, r) && take_path(t, r));
}

static bool take_host(struct taker *t, struct record *r)
{
    r->next_wall_ms = take_u64(t);
    r->time_ms = take_u64(t);
    r->state = take_str32(t);
    return r->state.n <= RECORDS_MAX_STATE_BYTES;
}

static bool take_seed_path(struct taker *t, struct record *r)
{
    bool is_ok = take_url(t, r);
    r->where = take_str8(t);
    return is_ok;
}

static bool take_record(struct taker *t, struct record *r)
{
    uint8_t kind = take_u8(t);
    bool is_again = kind == RECORD_DONE_AGAIN;
    *r = (struct record){.kind = is_again ? RECORD_DONE : (enum record_kind)kind};
    r->host = take_str8(t);
    if (is_again)
        r->recrawl_number = take_u32(t);
    bool is_ok = r->kind == RECORD_URL                                      ? take_url(t, r)
                 : r->kind == RECORD_DONE                                   ? take_done(t, r)
                 : r->kind == RECORD_HOST                                   ? take_host(t, r)
                 : r->kind == RECORD_SEED_PATH || r->kind == RECORD_SHORTER ? take_seed_path(t, r)
                                                                            : false;
    return is_ok && !t->bad && (!is_again || r->recrawl_number);
}

static bool take_head(struct taker *t, struct record_batch *b)
{
    b->session = take_u64(t);
    b->number = take_u64(t);
    b->attempt = take_u8(t);
    b->src = take_str8(t);
    b->src_inc = take_u64(t);
    b->epoch = take_u64(t);
    if (b->is == BATCH_IS_HANDOVER_MARK) {
        b->holder = take_str8(t);
        b->holder_inc = take_u64(t);
    } else if (b->is == BATCH_IS_END) {
        b->nonce = take_u64(t);
    }
    bool names_ok =
        cluster_name_ok(b->src) && (b->is != BATCH_IS_HANDOVER_MARK || cluster_name_ok(b->holder));
    return !t->bad && names_ok && b->is >= BATCH_IS_RECORDS && b->is <= BATCH_IS_END;
}

/* *ret_t stands at the records. */
static enum rc read_head(struct str bytes, struct taker *ret_t, struct record_batch *ret)
{
    struct taker t = {.rest = bytes};
    if (bytes.n > RECORDS_MAX_BATCH_BYTES)
        return RC_LIMIT;
    uint8_t version = take_u8(&t);
    if (!t.bad && version != RECORDS_VERSION)
        return RC_VERSION;
    struct record_batch b = {.is = (enum batch_is)take_u8(&t)};
    if (!take_head(&t, &b))
        return RC_CORRUPT;
    b.records = t.rest;
    *ret_t = t;
    *ret = b;
    return RC_OK;
}

enum rc record_batch_head(struct str bytes, struct record_batch *ret)
{
    struct taker t;
    return read_head(bytes, &t, ret);
}

enum rc record_batch_read(struct str bytes, struct record_batch *ret)
{
    struct record_batch b;
    struct taker t;
    struct record r;
    enum rc rc = read_head(bytes, &t, &b);
    if (rc)
        return rc;
    while (b.is == BATCH_IS_RECORDS && t.rest.n)
        if (!take_record(&t, &r) || !texts_ok(&r))
            return RC_CORRUPT;
    if (t.rest.n)
        return RC_CORRUPT;
    *ret = b;
    return RC_OK;
}

bool records_next(struct str *records, struct record *ret)
{
    struct taker t = {.rest = *records};
    if (!records->n || !take_record(&t, ret))
        return false;
    ret->host_hash = hash64(ret->host);
    *records = t.rest;
    return true;
}
