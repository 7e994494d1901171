/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/wire/control_log.h"

#include "base/hash.h"
#include "cluster/wire/subjects.h"

#define OPERATOR "operator"

enum rc control_log_init(struct control_log *l, struct bus *b, struct str crawl, uint64_t poll_ms)
{
    struct subject s = {.kind = SUBJECT_CONTROL, .crawl = crawl};
    *l = (struct control_log){.bus = b, .poll_ms = poll_ms, .next = 1};
    struct buf stream = buf_on(l->stream, sizeof l->stream - 1);
    subject_stream(&s, &stream);
    if (buf_rc(&stream))
        return buf_rc(&stream);
    buf_init(&l->payload, BUS_MAX_PAYLOAD_BYTES);
    return RC_OK;
}

void control_log_free(struct control_log *l)
{
    buf_done(&l->payload);
}

const struct control_entry *control_log_entry(const struct control_log *l)
{
    return l->has_entry ? &l->entry : NULL;
}

void control_log_done(struct control_log *l)
{
    l->has_entry = false;
    l->due_ms = 0;
}

bool control_log_is_read(const struct control_log *l)
{
    return l->is_read;
}

void control_log_turn(struct control_log *l, uint64_t now_ms)
{
    if (l->is_open || l->has_entry || !l->is_up || now_ms < l->due_ms)
        return;
    l->serial++;
    l->asked = l->is_unsure ? l->last : l->next;
    enum rc rc =
        bus_get(l->bus, CONTROL_LOG_TICKET | l->serial, str_c(l->stream), l->asked, STR(""));
    l->is_open = rc == RC_OK;
    l->due_ms = now_ms + l->poll_ms;
}

/* The hash includes the stamp: the same words said twice are two messages. */
static uint64_t hash_of(const struct bus_event *e)
{
    return hash64_seeded(e->payload, e->stamp_ms);
}

/* The servers lost the log: reads it from the first message again. Entries that were done count as
 * old. */
static void begin_again(struct control_log *l)
{
    l->is_unsure = false;
    l->next = 1;
    l->last = 0;
}

/* Compares the last message with the one that was read. If it is not found, the server may only
 * lag. */
static void compare(struct control_log *l, const struct bus_event *e, uint64_t now_ms)
{
    if (e->rc == RC_OK && e->sequence == l->last && hash_of(e) == l->last_hash)
        l->is_unsure = false;
    else if (e->rc == RC_OK ||
             (e->rc == RC_NOT_FOUND && now_ms - l->unsure_ms >= CONTROL_LOG_LOST_MS))
        begin_again(l);
    else
        return;
    l->due_ms = now_ms;
}

static bool describe(struct control_log *l, const struct bus_event *e)
{
    struct subject s;
    if (subject_read(e->subject, &s) || s.from.n > CONTROL_LOG_NAME_BYTES)
        return false;
    bool is_operators = s.kind == SUBJECT_CONTROL && str_eq(s.from, STR(OPERATOR));
    if (!is_operators && s.kind != SUBJECT_SCOPE)
        return false;
    l->entry = (struct control_entry){.is_operators = is_operators,
                                      .is_old = !l->is_read || e->stamp_ms <= l->newest_ms,
                                      .sequence = e->sequence};
    memcpy(l->entry.writer, s.from.p, s.from.n);
    buf_clear(&l->payload);
    buf_add(&l->payload, e->payload);
    l->entry.text = buf_str(&l->payload);
    return buf_rc(&l->payload) == RC_OK;
}

static void take(struct control_log *l, const struct bus_event *e, uint64_t now_ms)
{
    l->has_entry = describe(l, e);
    l->junk += !l->has_entry;
    l->last = e->sequence;
    l->last_hash = hash_of(e);
    l->next = e->sequence + 1;
    if (e->stamp_ms > l->newest_ms)
        l->newest_ms = e->stamp_ms;
    l->due_ms = now_ms;
}

static void ended(struct control_log *l, const struct bus_event *e, uint64_t now_ms)
{
    if (e->ticket != (CONTROL_LOG_TICKET | l->serial) || !l->is_open)
        return;
    l->is_open = false;
    if (l->is_unsure) {
        if (l->asked == l->last)
            compare(l, e, now_ms);
    } else if (e->rc == RC_OK) {
        take(l, e, now_ms);
    } else if (e->rc == RC_CORRUPT) {
        l->next = l->asked + 1;
        l->junk++;
        l->due_ms = now_ms;
    } else if (e->rc == RC_NOT_FOUND) {
        l->is_read = true;
    }
}

void control_log_event(struct control_log *l, const struct bus_event *e, uint64_t now_ms)
{
    if (e->kind == BUS_DONE) {
        ended(l, e, now_ms);
    } else if (e->kind == BUS_DOWN) {
        l->is_up = false;
    } else if (e->kind == BUS_UP) {
        l->is_up = true;
        l->is_unsure = l->last > 0;
        l->unsure_ms = now_ms;
        l->due_ms = now_ms;
    }
}
