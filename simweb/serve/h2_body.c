/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/h2_body.h"

void h2_body_init(struct h2_body *b, const struct reply *r, uint64_t endless_bytes)
{
    *b = (struct h2_body){.reply = r, .endless_bytes = endless_bytes};
    buf_init(&b->head, H2_MAX_HEAD_BYTES);
}

void h2_body_done(struct h2_body *b)
{
    buf_done(&b->head);
}

/* Steps ------------------------------------------------------------------------------------- */

static void next_step(struct h2_body *b)
{
    b->base += b->reply->steps[b->step].bytes;
    b->step++;
    b->at = 0;
    b->round = 0;
    b->is_waiting = false;
}

/* Whether the wait of this step is over; the first call begins it. */
static bool has_waited(struct h2_body *b, uint64_t now_ms, uint64_t ms)
{
    if (!b->is_waiting) {
        b->is_waiting = true;
        b->due_ms = now_ms + ms;
    }
    return now_ms >= b->due_ms;
}

/* The bytes of one step that may be read now. RC_OK with none: on to the next step. */
static enum rc step_bytes(struct h2_body *b, uint64_t now_ms, struct str *ret)
{
    const struct step *s = &b->reply->steps[b->step];
    struct str rest = str_from(buf_str(&b->reply->bytes), b->base + b->at);
    rest = str_first(rest, s->bytes - b->at);
    *ret = STR_NONE;
    switch (s->kind) {
    case STEP_SEND:
        *ret = rest;
        return RC_OK;
    case STEP_DRIP:
        if (b->is_waiting && !has_waited(b, now_ms, 0))
            return RC_AGAIN;
        *ret = str_first(rest, s->chunk);
        return RC_OK;
    case STEP_REPEAT:
        if (!s->times && b->raw >= b->endless_bytes)
            return RC_CLOSED;
        *ret = rest;
        return RC_OK;
    case STEP_WAIT:
        return has_waited(b, now_ms, s->ms) ? RC_OK : RC_AGAIN;
    case STEP_CLOSE:
        return RC_CLOSED;
    case STEP_RESET:
    case STEP_HOLD:
        break;
    }
    return RC_INVALID;
}

/* The run of bytes that comes next, at least one. */
static enum rc raw_peek(struct h2_body *b, uint64_t now_ms, struct str *ret)
{
    while (b->step < b->reply->step_count) {
        enum rc rc = step_bytes(b, now_ms, ret);
        if (rc || ret->n > 0)
            return rc;
        next_step(b);
    }
    return RC_CLOSED;
}

/* Steps over the first n bytes of that run. */
static void raw_take(struct h2_body *b, size_t n, uint64_t now_ms)
{
    const struct step *s = &b->reply->steps[b->step];
    b->at += n;
    b->raw += n;
    if (s->kind == STEP_DRIP && b->at % s->chunk == 0) {
        b->is_waiting = true;
        b->due_ms = now_ms + s->ms;
    }
    if (b->at < s->bytes)
        return;
    b->round++;
    b->at = 0;
    if (s->kind != STEP_REPEAT || (s->times && b->round >= s->times))
        next_step(b);
}

/* The head ---------------------------------------------------------------------------------- */

bool head_next(struct str *head, struct str *ret_name, struct str *ret_value)
{
    while (head->n > 0) {
        struct str line = str_take_until(head, '\n');
        size_t colon = str_find(line, ':');
        struct str name = str_first(line, colon);
        bool is_name = colon > 0 && colon < line.n && str_find(name, ' ') == name.n &&
                       str_find(name, '\t') == name.n && name.p[0] != ':';
        if (!is_name)
            continue;
        *ret_name = name;
        *ret_value = str_trim(str_from(line, colon + 1));
        return true;
    }
    return false;
}

static enum rc head_frame(struct h2_body *b)
{
    struct str head = buf_str(&b->head), name, value;
    (void)str_take_until(&head, '\n');
    while (head_next(&head, &name, &value)) {
        if (str_eq_nocase(name, STR("transfer-encoding")))
            b->is_chunked = str_eq_nocase(value, STR("chunked"));
        if (str_eq_nocase(name, STR("content-length"))) {
            b->has_length = true;
            if (str_to_u64(value, &b->left))
                return RC_INVALID;
        }
    }
    if (b->is_chunked)
        b->left = 0;
    return RC_OK;
}

/* How many of the first bytes of `run` belong to the head; *ret_ends if it ends with them. */
static size_t head_part(const struct h2_body *b, struct str run, bool *ret_ends)
{
    static const char end[] = "\r\n\r\n";
    size_t matched = 0, i = 0;
    for (size_t k = 3; k > 0 && !matched; k--)
        if (str_ends(buf_str(&b->head), str_make(end, k)))
            matched = k;
    while (i < run.n && matched < 4) {
        if (run.p[i] == end[matched])
            matched++;
        else
            matched = run.p[i] == '\r' ? 1 : 0;
        i++;
    }
    *ret_ends = matched == 4;
    return i;
}

enum rc h2_body_head(struct h2_body *b, uint64_t now_ms, struct str *ret_head)
{
    bool is_whole = false;
    while (!is_whole) {
        struct str run;
        enum rc rc = raw_peek(b, now_ms, &run);
        if (rc)
            return rc == RC_CLOSED ? RC_INVALID : rc;
        size_t n = head_part(b, run, &is_whole);
        buf_add(&b->head, str_first(run, n));
        if (buf_rc(&b->head))
            return b->head.rc;
        raw_take(b, n, now_ms);
        if (!str_starts(STR("HTTP/1."), str_first(buf_str(&b->head), 7)))
            return RC_INVALID;
        if (is_whole && str_starts(str_from(buf_str(&b->head), 8), STR(" 1"))) {
            buf_clear(&b->head);
            is_whole = false;
        }
    }
    *ret_head = buf_str(&b->head);
    return head_frame(b);
}

/* Chunks ------------------------------------------------------------------------------------ */

static enum rc chunk_size_byte(struct h2_body *b, char c)
{
    int digit = ascii_hex(c);
    if (digit >= 0) {
        if (b->left > UINT64_MAX >> 4)
            return RC_INVALID;
        b->left = b->left << 4 | (uint64_t)digit;
    } else if (c == ';' || c == '\r' || c == ' ') {
        b->chunk = CHUNK_EXTENSION;
    } else {
        return RC_INVALID;
    }
    return RC_OK;
}

/* One byte of all that is not data. */
static enum rc chunk_byte(struct h2_body *b, char c)
{
    switch (b->chunk) {
    case CHUNK_SIZE:
        return chunk_size_byte(b, c);
    case CHUNK_EXTENSION:
        if (c == '\n')
            b->chunk = b->left ? CHUNK_DATA : CHUNK_TRAILER;
        return RC_OK;
    case CHUNK_DATA_END:
        if (c == '\n')
            b->chunk = CHUNK_SIZE;
        return c == '\n' || c == '\r' ? RC_OK : RC_INVALID;
    case CHUNK_TRAILER:
        if (c == '\n')
            b->chunk = CHUNK_OVER;
        else if (c != '\r')
            b->chunk = CHUNK_TRAILER_LINE;
        return RC_OK;
    case CHUNK_TRAILER_LINE:
        if (c == '\n')
            b->chunk = CHUNK_TRAILER;
        return RC_OK;
    case CHUNK_DATA:
    case CHUNK_OVER:
        break;
    }
    return RC_INVALID;
}

/* The body ---------------------------------------------------------------------------------- */

bool h2_body_is_over(const struct h2_body *b)
{
    return b->is_chunked ? b->chunk == CHUNK_OVER : b->has_length && b->left == 0;
}

/* Copies from the run what is data, up to `room`. */
static size_t data_take(struct h2_body *b, struct str run, char *to, size_t room)
{
    size_t n = run.n < room ? run.n : room;
    if ((b->is_chunked || b->has_length) && n > b->left)
        n = (size_t)b->left;
    memcpy(to, run.p, n);
    if (b->is_chunked || b->has_length)
        b->left -= n;
    if (b->is_chunked && b->left == 0)
        b->chunk = CHUNK_DATA_END;
    return n;
}

enum rc h2_body_read(struct h2_body *b, uint64_t now_ms, char *to, size_t room, size_t *ret_n)
{
    size_t all = 0;
    enum rc rc = RC_OK;
    while (all < room) {
        struct str run;
        rc = h2_body_is_over(b) || b->is_bad ? RC_CLOSED : raw_peek(b, now_ms, &run);
        if (rc)
            break;
        if (!b->is_chunked || b->chunk == CHUNK_DATA) {
            size_t n = data_take(b, run, to + all, room - all);
            all += n;
            raw_take(b, n, now_ms);
        } else {
            b->is_bad = chunk_byte(b, run.p[0]) != RC_OK;
            raw_take(b, 1, now_ms);
        }
    }
    *ret_n = all;
    if (all > 0)
        return RC_OK; /* what stopped it comes again with the next call */
    bool is_cut = rc == RC_CLOSED && !h2_body_is_over(b) && (b->is_chunked || b->has_length);
    return is_cut ? RC_INVALID : rc;
}
