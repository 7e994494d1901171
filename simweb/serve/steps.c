/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/steps.h"

#include "serve/poller.h"

enum {
    ROUND_BYTES = 1 << 20,  /* then others have their turn */
    REPEAT_BYTES = 1 << 14, /* short repetitions are written this many bytes at a time */
    PACE_MS = 10,           /* a bandwidth is kept by so many ms' worth of bytes at once */
};

void steps_begin(struct steps *s, const struct reply *r, struct steps_limits limits,
                 uint64_t now_us)
{
    *s = (struct steps){.reply = r, .limits = limits, .paced_ms = now_us / 1000, .end_us = now_us};
}

static void next_step(struct steps *s)
{
    s->base += s->reply->steps[s->step].bytes;
    s->step++;
    s->at = 0;
    s->round = 0;
    s->is_waiting = false;
}

/* How many bytes the bandwidth allows now; 0 sets due_ms. The account starts anew once it is even,
 * so that silence does not save up for a burst. */
static size_t paced(struct steps *s, size_t wanted, uint64_t now_us)
{
    uint64_t rate = s->limits.bytes_per_s;
    if (!rate)
        return wanted;
    uint64_t now_ms = now_us / 1000, slice = rate * PACE_MS / 1000 + 1;
    uint64_t earned = (now_ms - s->paced_ms) * rate / 1000;
    if (earned > s->paced + slice) {
        s->paced_ms = now_ms;
        s->paced = earned = 0;
    }
    if (s->paced >= earned + slice) {
        s->due_ms = s->paced_ms + (s->paced - slice) * 1000 / rate + 1;
        return 0;
    }
    uint64_t most = earned + slice - s->paced;
    return wanted < most ? wanted : (size_t)most;
}

/* Writes up to all of `bytes`. RC_OK with *ret_n bytes; RC_AGAIN with *ret_wants for the loop. */
static enum rc put(struct steps *s, struct stream *to, struct str bytes, size_t *ret_n,
                   enum steps_wants *ret_wants)
{
    uint64_t now_us = poller_now_us();
    size_t n = s->again && s->again <= bytes.n ? s->again : paced(s, bytes.n, now_us);
    *ret_n = 0;
    *ret_wants = STEPS_TIME;
    if (n == 0)
        return RC_AGAIN;
    s->end_us = now_us;
    enum rc rc = to->kind->write(to, str_first(bytes, n), ret_n);
    *ret_wants = rc == RC_AGAIN ? STEPS_WRITABLE : STEPS_BROKEN;
    s->again = rc == RC_AGAIN ? n : 0;
    s->sent += *ret_n;
    s->paced += *ret_n;
    return rc;
}

static enum rc run_send(struct steps *s, struct stream *to, enum steps_wants *ret)
{
    const struct step *step = &s->reply->steps[s->step];
    struct str rest = str_make(s->reply->bytes.p + s->base + s->at, step->bytes - s->at);
    size_t n;
    enum rc rc = put(s, to, rest, &n, ret);
    s->at += n;
    if (rc == RC_OK && s->at == step->bytes)
        next_step(s);
    return rc;
}

static enum rc run_drip(struct steps *s, struct stream *to, uint64_t now_ms, enum steps_wants *ret)
{
    const struct step *step = &s->reply->steps[s->step];
    if (s->is_waiting && now_ms < s->due_ms) {
        *ret = STEPS_TIME;
        return RC_AGAIN;
    }
    size_t left = step->bytes - s->at, n;
    size_t chunk = left < step->chunk ? left : step->chunk;
    enum rc rc = put(s, to, str_make(s->reply->bytes.p + s->base + s->at, chunk), &n, ret);
    s->at += n;
    if (rc != RC_OK)
        return rc;
    s->is_waiting = true;
    s->due_ms = now_ms + step->ms;
    if (s->at == step->bytes)
        next_step(s);
    return RC_OK;
}

/* The rest of this round and whole rounds behind it, as many as fit into `room`. */
static struct str repeated(const struct steps *s, char *room, uint64_t rounds_left)
{
    const struct step *step = &s->reply->steps[s->step];
    const char *one = s->reply->bytes.p + s->base;
    size_t n = step->bytes - s->at;
    if (n + step->bytes > REPEAT_BYTES || rounds_left <= 1)
        return str_make(one + s->at, n);
    memcpy(room, one + s->at, n);
    while (--rounds_left && n + step->bytes <= REPEAT_BYTES) {
        memcpy(room + n, one, step->bytes);
        n += step->bytes;
    }
    return str_make(room, n);
}

static enum rc run_repeat(struct steps *s, struct stream *to, enum steps_wants *ret)
{
    char room[REPEAT_BYTES];
    const struct step *step = &s->reply->steps[s->step];
    uint64_t rounds = step->times ? step->times - s->round : UINT64_MAX;
    size_t n;
    if (!step->times && s->sent >= s->limits.endless_bytes) {
        *ret = STEPS_CLOSE;
        return RC_CLOSED;
    }
    enum rc rc = put(s, to, repeated(s, room, rounds), &n, ret);
    s->at += n;
    s->round += s->at / step->bytes;
    s->at %= step->bytes;
    if (step->times && s->round >= step->times)
        next_step(s);
    return rc;
}

/* A wait, and a hold, which is one that ends the connection. */
static enum rc run_wait(struct steps *s, uint64_t now_ms, enum steps_wants *ret)
{
    const struct step *step = &s->reply->steps[s->step];
    bool is_hold = step->kind == STEP_HOLD;
    if (!s->is_waiting) {
        s->is_waiting = true;
        s->due_ms = now_ms + (is_hold ? s->limits.patience_ms : step->ms);
    }
    *ret = is_hold ? STEPS_CLOSE : STEPS_TIME;
    if (now_ms >= s->due_ms) {
        if (is_hold)
            return RC_CLOSED;
        next_step(s);
        return RC_OK;
    }
    *ret = STEPS_TIME;
    return RC_AGAIN;
}

static enum rc run_step(struct steps *s, struct stream *to, uint64_t now_us, enum steps_wants *ret)
{
    switch (s->reply->steps[s->step].kind) {
    case STEP_SEND:
        return run_send(s, to, ret);
    case STEP_DRIP:
        return run_drip(s, to, now_us / 1000, ret);
    case STEP_REPEAT:
        return run_repeat(s, to, ret);
    case STEP_WAIT:
    case STEP_HOLD:
        return run_wait(s, now_us / 1000, ret);
    case STEP_CLOSE:
        *ret = STEPS_CLOSE;
        return RC_CLOSED;
    case STEP_RESET:
        *ret = STEPS_RESET;
        return RC_CLOSED;
    }
    *ret = STEPS_CLOSE;
    return RC_CLOSED;
}

enum steps_wants steps_run(struct steps *s, struct stream *to, uint64_t now_us)
{
    uint64_t turn_ends = s->sent + ROUND_BYTES;
    while (s->step < s->reply->step_count) {
        enum steps_wants wants = STEPS_BROKEN;
        if (s->sent >= turn_ends)
            return STEPS_WRITABLE;
        if (run_step(s, to, now_us, &wants) != RC_OK)
            return wants;
    }
    return STEPS_OVER;
}
