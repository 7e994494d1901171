/* SPDX-License-Identifier: Apache-2.0 */
/* Fields stand in the order of the struct. HELLO begins with a magic number, so that another
 * protocol over the same port is told apart. */
#include "pool/frames.h"

#include "base/taker.h"
#include "pool/lanes.h"

#define MAGIC 0x314d504fu /* "OPM1" */

uint8_t pool_frame_kind(struct str frame)
{
    uint8_t kind = frame.n ? (uint8_t)frame.p[0] : 0;
    bool is_bare = kind == POOL_LEAVE || kind == POOL_OVER;
    return kind >= POOL_FRAMES_ || (is_bare && frame.n > 1) ? 0 : kind;
}

static enum rc whole(const struct taker *t)
{
    return t->bad || t->rest.n ? RC_INVALID : RC_OK;
}

static bool is_shards(unsigned shards)
{
    return shards && shards <= POOL_MAX_SHARDS;
}

/* Sets `bad` for all but 0 and 1: one value is written in one way. */
static bool take_bool(struct taker *t)
{
    uint8_t byte = take_u8(t);
    t->bad |= byte > 1;
    return byte == 1;
}

/* HELLO, WELCOME ------------------------------------------------------------------------------- */

void pool_hello_write(const struct pool_hello *h, struct buf *out)
{
    buf_byte(out, POOL_HELLO);
    buf_le32(out, MAGIC);
    buf_le32(out, h->abi);
    buf_le64(out, h->wiring);
    buf_le16(out, h->place);
    buf_le16(out, h->lane);
    buf_le16(out, h->shards);
    buf_le64(out, h->boot);
    buf_le64(out, h->session);
    buf_le64(out, h->last);
    buf_le64(out, h->ping);
}

enum rc pool_hello_read(struct str frame, struct pool_hello *ret)
{
    struct taker t = {.rest = frame};
    if (take_u8(&t) != POOL_HELLO || take_u32(&t) != MAGIC)
        return RC_INVALID;
    struct pool_hello h = {.abi = take_u32(&t)};
    h.wiring = take_u64(&t);
    h.place = take_u16(&t);
    h.lane = take_u16(&t);
    h.shards = take_u16(&t);
    h.boot = take_u64(&t);
    h.session = take_u64(&t);
    h.last = take_u64(&t);
    h.ping = take_u64(&t);
    if (whole(&t) || h.lane >= POOL_MAX_SHARDS || !is_shards(h.shards) || !h.ping)
        return RC_INVALID;
    *ret = h;
    return RC_OK;
}

void pool_welcome_write(const struct pool_welcome *w, struct buf *out)
{
    buf_byte(out, POOL_WELCOME);
    buf_le64(out, w->session);
    buf_le16(out, w->shards);
    buf_byte(out, w->is_new ? 1 : 0);
    buf_le64(out, w->ping);
    buf_le64(out, w->timings.ping_ms);
    buf_le64(out, w->timings.fence_ms);
    buf_le64(out, w->timings.abort_ms);
    buf_le64(out, w->timings.dead_ms);
    buf_le64(out, w->timings.visit_ms);
}

static struct pool_timings take_timings(struct taker *t)
{
    struct pool_timings timings = {.ping_ms = take_u64(t)};
    timings.fence_ms = take_u64(t);
    timings.abort_ms = take_u64(t);
    timings.dead_ms = take_u64(t);
    timings.visit_ms = take_u64(t);
    return timings;
}

enum rc pool_welcome_read(struct str frame, struct pool_welcome *ret)
{
    struct taker t = {.rest = frame};
    if (take_u8(&t) != POOL_WELCOME)
        return RC_INVALID;
    struct pool_welcome w = {.session = take_u64(&t)};
    w.shards = take_u16(&t);
    w.is_new = take_bool(&t);
    w.ping = take_u64(&t);
    w.timings = take_timings(&t);
    if (whole(&t) || !w.session || !is_shards(w.shards) || !w.ping ||
        pool_timings_check(&w.timings, NULL))
        return RC_INVALID;
    *ret = w;
    return RC_OK;
}

/* REFUSED, PING, PONG -------------------------------------------------------------------------- */

void pool_refused_write(struct str why, bool is_final, struct buf *out)
{
    buf_byte(out, POOL_REFUSED);
    buf_byte(out, is_final ? 1 : 0);
    buf_add(out, str_first(why, POOL_MAX_REASON_BYTES));
}

enum rc pool_refused_read(struct str frame, struct str *ret_why, bool *ret_is_final)
{
    struct taker t = {.rest = frame};
    if (take_u8(&t) != POOL_REFUSED)
        return RC_INVALID;
    bool is_final = take_bool(&t);
    if (t.bad || t.rest.n > POOL_MAX_REASON_BYTES)
        return RC_INVALID;
    *ret_why = t.rest;
    *ret_is_final = is_final;
    return RC_OK;
}

void pool_number_write(enum pool_frame kind, uint64_t number, struct buf *out)
{
    buf_byte(out, (char)kind);
    buf_le64(out, number);
}

enum rc pool_number_read(struct str frame, uint64_t *ret)
{
    struct taker t = {.rest = frame};
    uint8_t kind = take_u8(&t);
    uint64_t number = take_u64(&t);
    if ((kind != POOL_PING && kind != POOL_PONG) || whole(&t) || !number)
        return RC_INVALID;
    *ret = number;
    return RC_OK;
}

/* MESSAGE, ANSWER ------------------------------------------------------------------------------ */

void pool_message_write(enum pool_frame kind, const struct pool_message *m, struct buf *out)
{
    buf_byte(out, (char)kind);
    buf_le16(out, m->cut);
    buf_le64(out, m->ticket);
    buf_le64(out, m->route);
    if (kind == POOL_MESSAGE)
        buf_le32(out, m->credits);
}

enum rc pool_message_read(struct str frame, struct pool_message *ret, struct str *ret_bytes)
{
    struct taker t = {.rest = frame};
    uint8_t kind = take_u8(&t);
    if (kind != POOL_MESSAGE && kind != POOL_ANSWER)
        return RC_INVALID;
    struct pool_message m = {.cut = take_u16(&t)};
    m.ticket = take_u64(&t);
    m.route = take_u64(&t);
    m.credits = kind == POOL_MESSAGE ? take_u32(&t) : 0;
    bool is_paid = kind == POOL_ANSWER || (m.credits && m.credits <= POOL_MAX_CREDITS);
    if (t.bad || !m.ticket || !is_paid)
        return RC_INVALID;
    *ret = m;
    *ret_bytes = t.rest;
    return RC_OK;
}

/* ENDED, SETTLED ------------------------------------------------------------------------------- */

enum rc pool_numbers_read(struct str frame, struct str *ret_numbers)
{
    struct taker t = {.rest = frame};
    uint8_t kind = take_u8(&t);
    bool is_list = kind == POOL_ENDED || kind == POOL_SETTLED;
    if (!is_list || !t.rest.n || t.rest.n % sizeof(uint64_t))
        return RC_INVALID;
    *ret_numbers = t.rest;
    return RC_OK;
}
