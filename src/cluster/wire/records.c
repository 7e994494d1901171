/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/wire/records.h"

#include "base/bytes.h"
#include "cluster/wire/records_internal.h"

/* A writer fails at once on what no reader would accept. */
static bool refuse(struct buf *out, bool is_wrong)
{
    if (is_wrong && !out->rc)
        out->rc = RC_LIMIT;
    return is_wrong;
}

void record_batch_begin(struct buf *out, const struct record_batch *head)
{
    if (refuse(out,
               head->src.n > RECORDS_MAX_NAME_BYTES || head->holder.n > RECORDS_MAX_NAME_BYTES))
        return;
    buf_byte(out, RECORDS_VERSION);
    buf_byte(out, (char)head->is);
    buf_le64(out, head->session);
    buf_le64(out, head->number);
    buf_byte(out, (char)head->attempt);
    buf_str8(out, head->src);
    buf_le64(out, head->src_inc);
    buf_le64(out, head->epoch);
    if (head->is == BATCH_IS_HANDOVER_MARK) {
        buf_str8(out, head->holder);
        buf_le64(out, head->holder_inc);
    } else if (head->is == BATCH_IS_END) {
        buf_le64(out, head->nonce);
    }
}

void record_batch_stamp(struct buf *batch, uint64_t session, uint64_t number, uint8_t attempt)
{
    char *at = batch->p + RECORDS_STAMP_AT;
    if (buf_rc(batch))
        return;
    put_le64(at, session);
    put_le64(at + 8, number);
    at[16] = (char)attempt;
}

static void put_flags(struct buf *out, const struct record *r)
{
    buf_byte(out, (char)((r->is_https ? URL_IS_HTTPS : 0) | (r->is_back ? URL_IS_BACK : 0) |
                         (r->is_again ? URL_IS_AGAIN : 0)));
    buf_byte(out, (char)r->class);
    buf_le16(out, r->port);
}

static void put_path(struct buf *out, const struct record *r)
{
    if (refuse(out, r->path.n > RECORDS_MAX_PATH_BYTES))
        return;
    buf_str8(out, str_first(r->seed_path, RECORDS_MAX_SEED_PATH));
    buf_le16(out, (uint16_t)r->path.n);
    buf_add(out, r->path);
}

static void put_url(struct buf *out, const struct record *r)
{
    put_flags(out, r);
    buf_le64(out, r->fingerprint);
    buf_le64(out, r->via);
    put_path(out, r);
}

static void put_where(struct buf *out, const struct record *r)
{
    if (!refuse(out, r->where.n > RECORDS_MAX_NAME_BYTES))
        buf_str8(out, r->where);
}

static void put_done(struct buf *out, const struct record *r)
{
    if (refuse(out, r->where.n > RECORDS_MAX_NAME_BYTES))
        return;
    buf_le64(out, r->fingerprint);
    buf_le64(out, r->time_ms);
    buf_le32(out, (uint32_t)r->status);
    buf_add(out, str_make((const char *)r->digest, RECORDS_DIGEST_BYTES));
    buf_str8(out, r->where);
    buf_le64(out, r->where_inc);
    if (r->where.n) {
        put_flags(out, r);
        put_path(out, r);
    }
}

static void put_host(struct buf *out, const struct record *r)
{
    if (refuse(out, r->state.n > RECORDS_MAX_STATE_BYTES))
        return;
    buf_le64(out, r->next_wall_ms);
    buf_le64(out, r->time_ms);
    buf_le32(out, (uint32_t)r->state.n);
    buf_add(out, r->state);
}

void record_put(struct buf *out, const struct record *r)
{
    if (refuse(out, !r->host.n || r->host.n > RECORDS_MAX_HOST_BYTES))
        return;
    bool is_again = r->kind == RECORD_DONE && r->recrawl_number;
    buf_byte(out, (char)(is_again ? (int)RECORD_DONE_AGAIN : (int)r->kind));
    buf_str8(out, r->host);
    if (is_again)
        buf_le32(out, r->recrawl_number);
    switch (r->kind) {
    case RECORD_URL:
        put_url(out, r);
        return;
    case RECORD_DONE:
        put_done(out, r);
        return;
    case RECORD_HOST:
        put_host(out, r);
        return;
    case RECORD_SEED_PATH:
    case RECORD_SHORTER:
        put_url(out, r);
        put_where(out, r);
        return;
    }
}

static int compare_u64(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* Any order would do, as long as all agents use the same. */
static int compare_done(const struct record *a, const struct record *b)
{
    int order = compare_u64(a->recrawl_number, b->recrawl_number);
    order = order ? order : compare_u64(a->time_ms, b->time_ms);
    order = order ? order : compare_u64((uint32_t)a->status, (uint32_t)b->status);
    order = order ? order : memcmp(a->digest, b->digest, RECORDS_DIGEST_BYTES);
    order = order ? order : str_cmp(a->where, b->where);
    return order ? order : compare_u64(a->where_inc, b->where_inc);
}

int record_compare(const struct record *a, const struct record *b)
{
    if (a->kind != b->kind)
        return a->kind > b->kind ? 1 : -1;
    if (a->kind != RECORD_DONE && a->kind != RECORD_HOST)
        return 0;
    if (a->kind == RECORD_DONE)
        return compare_done(a, b);
    int order = compare_u64(a->time_ms, b->time_ms);
    return order ? order : str_cmp(a->state, b->state);
}
