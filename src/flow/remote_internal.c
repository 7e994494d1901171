/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers are little endian. hello: kind, magic 4, abi 4, wiring 8, from 2, to 2, cut 2, session 8.
 * welcome: kind, session 8, last 8, open 8 each. message: kind, ticket 8, home (place 2, cut 2,
 * session 8, ticket 8), route 8, credits 4, the type's own bytes. ended: kind, tickets 8 each. */
#include "flow/remote.h"

#include "base/taker.h"

#define MAGIC 0x314c504fu /* "OPL1" */

uint8_t frame_kind(struct str frame)
{
    return frame.n ? (uint8_t)frame.p[0] : 0;
}

static enum rc whole(const struct taker *t)
{
    return t->bad || t->rest.n ? RC_INVALID : RC_OK;
}

void hello_write(const struct hello *h, struct buf *out)
{
    buf_byte(out, FRAME_HELLO);
    buf_le32(out, MAGIC);
    buf_le32(out, h->abi);
    buf_le64(out, h->wiring);
    buf_le16(out, h->from);
    buf_le16(out, h->to);
    buf_le16(out, h->cut);
    buf_le64(out, h->session);
}

enum rc hello_read(struct str frame, struct hello *ret)
{
    struct taker t = {.rest = frame};
    if (take_u8(&t) != FRAME_HELLO || take_u32(&t) != MAGIC)
        return RC_INVALID;
    struct hello h = {.abi = take_u32(&t)};
    h.wiring = take_u64(&t);
    h.from = take_u16(&t);
    h.to = take_u16(&t);
    h.cut = take_u16(&t);
    h.session = take_u64(&t);
    if (whole(&t) != RC_OK)
        return RC_INVALID;
    *ret = h;
    return RC_OK;
}

void welcome_write_head(const struct welcome *w, struct buf *out)
{
    buf_byte(out, FRAME_WELCOME);
    buf_le64(out, w->session);
    buf_le64(out, w->last);
}

enum rc welcome_read(struct str frame, struct welcome *ret)
{
    struct taker t = {.rest = frame};
    if (take_u8(&t) != FRAME_WELCOME)
        return RC_INVALID;
    struct welcome w = {.session = take_u64(&t)};
    w.last = take_u64(&t);
    w.open = t.rest;
    if (t.bad || w.open.n % 8)
        return RC_INVALID;
    *ret = w;
    return RC_OK;
}

void remote_head_write(const struct remote_head *h, struct buf *out)
{
    buf_byte(out, FRAME_MESSAGE);
    buf_le64(out, h->ticket);
    buf_le16(out, h->home.place);
    buf_le16(out, h->home.cut);
    buf_le64(out, h->home.session);
    buf_le64(out, h->home.ticket);
    buf_le64(out, h->route);
    buf_le32(out, h->credits);
}

enum rc remote_head_read(struct str frame, struct remote_head *ret, struct str *ret_message)
{
    struct taker t = {.rest = frame};
    if (take_u8(&t) != FRAME_MESSAGE)
        return RC_INVALID;
    struct remote_head h = {.ticket = take_u64(&t)};
    h.home.place = take_u16(&t);
    h.home.cut = take_u16(&t);
    h.home.session = take_u64(&t);
    h.home.ticket = take_u64(&t);
    h.route = take_u64(&t);
    h.credits = take_u32(&t);
    if (t.bad || !h.ticket || !h.credits || h.credits > REMOTE_MAX_CREDITS)
        return RC_INVALID;
    *ret = h;
    *ret_message = t.rest;
    return RC_OK;
}
