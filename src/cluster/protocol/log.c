/* SPDX-License-Identifier: Apache-2.0 */
/* log: reads the roster's stream, message by message, into our copy and into the fold.
 *
 * A message is taken only after the one before it was found again where we have it. Servers that
 * lost the end of the stream begin a new one under the same numbers, and an agent that reads on
 * there without looking back folds another roster than the others. If our last message is not there
 * any more, we compare backwards to the last one that is, put the ones behind it aside as `lost`,
 * fold the rest anew and read on. A message leaves `lost` when it is found after all, or in a
 * restore by another agent. If another message stands in its stead, the log continued without us,
 * and we stop. If messages are still lost at the end of the stream, we append them as a restore. */
#include "base/hash.h"
#include "base/mem.h"
#include "cluster/protocol/agent_internal.h"

enum { LOST_HEAD_BYTES = 16 }; /* stamp and lengths of a lost entry in a restore */

static struct str message_writer(const struct agent *a, const struct log_message *m)
{
    return str_make(a->log.bytes.p + m->at, m->writer_bytes);
}

static struct str message_entry(const struct agent *a, const struct log_message *m)
{
    return str_make(a->log.bytes.p + m->at + m->writer_bytes, m->bytes);
}

static uint64_t message_hash(uint64_t stamp_ms, struct str writer, struct str entry)
{
    return hash64_seeded(entry, hash64_seeded(writer, stamp_ms));
}

bool roster_log_is_whole(const struct agent *a)
{
    return !a->log.back && a->log.lost_first == a->log.lost_count && !a->log.is_unsure;
}

uint64_t roster_log_silent_ms(const struct agent *a, uint64_t now_ms)
{
    uint64_t since_ms = a->is_connected ? a->log.silent_ms : 0;
    return since_ms && now_ms > since_ms ? now_ms - since_ms : 0;
}

void roster_log_soon(struct agent *a)
{
    a->log.next_ms = 0;
    a->log.is_wanted = a->log.is_open;
}

void roster_log_heard(struct agent *a, uint64_t length)
{
    a->log.heard = length > a->log.heard ? length : a->log.heard;
    roster_log_soon(a);
}

void roster_log_reconnected(struct agent *a)
{
    a->log.wanted = a->log.heard = 0;
    a->log.is_unsure = a->log.count > 0;
    a->log.unsure_ms = a->now_ms;
    a->log.back = 0;
    a->log.silent_ms = 0;
    roster_log_soon(a);
}

static struct log_message message_keep(struct agent *a, uint64_t stamp_ms, struct str writer,
                                       struct str entry)
{
    struct buf *bytes = &a->log.bytes;
    struct log_message m = {.stamp_ms = stamp_ms,
                            .hash = message_hash(stamp_ms, writer, entry),
                            .at = bytes->n,
                            .bytes = (uint32_t)entry.n,
                            .writer_bytes = (uint8_t)writer.n};
    buf_add(bytes, writer);
    buf_add(bytes, entry);
    return m;
}

static enum rc keep_message(struct agent *a, uint64_t stamp_ms, struct str writer, struct str entry)
{
    struct log_reader *l = &a->log;
    struct log_message *messages = mem_grow(l->messages, l->count, &l->cap, sizeof *messages);
    if (!messages)
        return RC_NOMEM;
    l->messages = messages;
    struct log_message m = message_keep(a, stamp_ms, writer, entry);
    if (buf_rc(&l->bytes))
        return buf_rc(&l->bytes);
    l->messages[l->count++] = m;
    return RC_OK;
}

static enum rc fold_entry(struct agent *a, uint64_t stamp_ms, struct str writer, struct str entry,
                          bool *ret_counted)
{
    struct roster_stand at = {
        .number = roster_length(a->roster) + 1, .stamp_ms = stamp_ms, .writer = writer};
    const char *why = "";
    enum rc rc = roster_take(a->roster, &at, entry, &why);
    agent_look_for_me(a);
    *ret_counted = rc == RC_OK && !*why;
    return rc == RC_LIMIT ? RC_OK : rc;
}

/* If the message is the next lost one, it is back. */
static void found_again(struct agent *a, uint64_t hash)
{
    struct log_reader *l = &a->log;
    if (l->lost_first < l->lost_count && l->lost[l->lost_first].hash == hash)
        l->lost_first++;
}

/* Another agent's restore must contain the messages that we had read. */
static void compare_restored(struct agent *a, struct str entries)
{
    struct log_reader *l = &a->log;
    struct roster_stand at;
    struct str entry;
    while (l->lost_first < l->lost_count && roster_lost_next(&entries, &at, &entry)) {
        if (l->lost[l->lost_first].hash != message_hash(at.stamp_ms, at.writer, entry)) {
            agent_fail(a, RC_CORRUPT,
                       "the roster was restored with other entries than this agent had read");
            return;
        }
        l->lost_first++;
    }
}

static void check_lost_back(struct agent *a)
{
    struct log_reader *l = &a->log;
    if (!l->lost_count || l->lost_first < l->lost_count)
        return;
    l->lost_count = l->lost_first = 0;
    if (roster_epoch(a->roster) < a->epoch)
        agent_fail(a, RC_CORRUPT, "the roster continued without the entries that it had lost");
}

enum rc roster_log_take(struct agent *a, uint64_t stamp_ms, struct str writer, struct str entry)
{
    struct roster_entry e = {0};
    bool counted = false;
    enum rc rc = keep_message(a, stamp_ms, writer, entry);
    if (!rc)
        rc = fold_entry(a, stamp_ms, writer, entry, &counted);
    if (rc)
        return rc;
    bool is_read = roster_entry_read(entry, &e) == RC_OK;
    struct log_message *m = &a->log.messages[a->log.count - 1];
    m->counted = counted;
    m->is_restore = is_read && e.kind == ROSTER_RESTORE;
    if (is_read && e.kind == ROSTER_RESTORE && counted) {
        compare_restored(a, e.entries);
        /* The writer of a restore continues with the next one at once; the other agents leave it to
         * that one. */
        a->log.append_ms = str_eq(writer, str_c(a->name))
                               ? 0
                               : a->now_ms + agent_jitter(a, 10 * a->settings.poll_ms);
    } else
        found_again(a, message_hash(stamp_ms, writer, entry));
    check_lost_back(a);
    if (is_read)
        agent_roster_taken(a, &e, writer, counted);
    return RC_OK;
}

struct aside {
    struct log_message *list;
    size_t count, cap;
};

static enum rc aside_add(struct aside *to, const struct log_message *m)
{
    struct log_message *list = mem_grow(to->list, to->count, &to->cap, sizeof *list);
    if (!list)
        return RC_NOMEM;
    to->list = list;
    to->list[to->count++] = *m;
    return RC_OK;
}

/* A restore that counted stands for its entries, one that did not stands for nothing. */
static enum rc aside_add_restored(struct agent *a, struct aside *to, const struct log_message *m)
{
    struct buf copy = {.max = ROSTER_MAX_ENTRY_BYTES}; /* log.bytes grows and may move */
    struct roster_entry e;
    struct roster_stand at;
    struct str bytes;
    buf_add(&copy, message_entry(a, m));
    enum rc rc = buf_rc(&copy);
    if (!rc)
        rc = roster_entry_read(buf_str(&copy), &e);
    while (!rc && roster_lost_next(&e.entries, &at, &bytes)) {
        struct log_message one = message_keep(a, at.stamp_ms, at.writer, bytes);
        rc = buf_rc(&a->log.bytes);
        if (!rc)
            rc = aside_add(to, &one);
    }
    buf_done(&copy);
    return rc;
}

static enum rc put_aside(struct agent *a, size_t from)
{
    struct log_reader *l = &a->log;
    struct aside to = {0};
    enum rc rc = RC_OK;
    for (size_t i = from; i < l->count && !rc; i++) {
        struct log_message m = l->messages[i];
        if (!m.is_restore)
            rc = aside_add(&to, &m);
        else if (m.counted)
            rc = aside_add_restored(a, &to, &m);
    }
    for (size_t i = l->lost_first; i < l->lost_count && !rc; i++)
        rc = aside_add(&to, &l->lost[i]);
    if (rc) {
        mem_free(to.list);
        return rc;
    }
    mem_free(l->lost);
    l->lost = to.list;
    l->lost_first = 0;
    l->lost_count = to.count;
    return RC_OK;
}

enum rc roster_log_cut(struct agent *a, uint64_t sequence)
{
    struct log_reader *l = &a->log;
    struct roster *anew = NULL;
    enum rc rc = put_aside(a, (size_t)sequence);
    if (!rc)
        rc = roster_open_sharing(a->settings.rings, &anew);
    if (rc)
        return rc;
    roster_close(a->roster);
    a->roster = anew;
    agent_look_for_me(a);
    a->is_acted = false;
    gates_roster(a, NULL);
    l->count = (size_t)sequence;
    for (size_t i = 0; i < l->count && !rc; i++) {
        bool counted;
        struct roster_entry e;
        struct str entry = message_entry(a, &l->messages[i]);
        rc = fold_entry(a, l->messages[i].stamp_ms, message_writer(a, &l->messages[i]), entry,
                        &counted);
        if (!rc && counted && roster_entry_read(entry, &e) == RC_OK)
            gates_roster(a, &e);
    }
    return rc;
}

static void cut_log(struct agent *a, uint64_t sequence)
{
    struct buf fact = {.max = PORT_MAX_FACT_BYTES};
    fact_cut(&fact, sequence);
    enum rc rc = agent_note(a, buf_str(&fact));
    buf_done(&fact);
    if (!rc)
        rc = roster_log_cut(a, sequence);
    if (rc)
        agent_fail(a, rc, "cannot fold the roster anew");
    a->log.back = 0;
    a->log.tries = 0;
    a->log.wanted = a->log.heard = 0;
    a->log.is_unsure = false;
    lease_fence(a);
    roster_log_soon(a);
}

/* Whether the log begins with another founding than the one we had read: then it belongs to another
 * cluster, and our journal does not. Lost entries come back as a restore, never in this form. */
static bool begins_otherwise(const struct agent *a, struct str writer, struct str entry)
{
    const struct log_reader *l = &a->log;
    struct roster_entry e;
    return l->count == 0 && l->lost_first < l->lost_count &&
           roster_entry_read(entry, &e) == RC_OK && e.kind == ROSTER_FOUND &&
           l->lost[l->lost_first].hash != message_hash(l->pending_stamp_ms, writer, entry);
}

static void take_pending(struct agent *a)
{
    struct log_reader *l = &a->log;
    struct str writer = str_c(l->pending_writer), entry = buf_str(&l->pending);
    uint64_t news = a->rhythm.news;
    if (begins_otherwise(a, writer, entry)) {
        agent_fail(a, RC_CORRUPT,
                   "the roster was founded anew: it is not the one that this agent took part in");
        return;
    }
    struct buf fact = {.max = ROSTER_MAX_ENTRY_BYTES + 256};
    fact_roster(&fact, l->pending_stamp_ms, writer, entry);
    enum rc rc = agent_note(a, buf_str(&fact));
    buf_done(&fact);
    if (!rc)
        rc = roster_log_take(a, l->pending_stamp_ms, writer, entry);
    if (rc)
        agent_fail(a, rc, "cannot read on in the roster");
    buf_clear(&l->pending);
    /* A renewal usually comes alone. */
    bool is_more = !a->is_log_read || l->count < l->wanted || a->rhythm.news != news ||
                   roster_length(a->roster) < l->heard || l->is_wanted || !roster_log_is_whole(a);
    l->next_ms = is_more ? 0 : a->now_ms + rhythm_log_ms(a);
}

static void ask_stream(struct agent *a, enum call_kind kind, uint64_t sequence)
{
    char stream[AGENT_MAX_SUBJECT];
    (void)agent_subject_stream(a, "ROSTER", stream);
    if (kind == CALL_LOG_NEXT)
        a->log.is_wanted = false;
    if (agent_call_get(a, kind, stream, sequence, "") == RC_OK) {
        a->log.is_open = true;
        a->log.asked_ms = a->now_ms;
    } else {
        a->log.next_ms = a->now_ms + a->settings.poll_ms;
    }
}

/* As many of the lost entries as fit into one `restore`; the next restore carries the next ones. */
static void put_lost(struct agent *a, struct buf *entries)
{
    const struct log_reader *l = &a->log;
    for (size_t i = l->lost_first; i < l->lost_count; i++) {
        const struct log_message *m = &l->lost[i];
        struct roster_stand at = {
            .number = i - l->lost_first, .stamp_ms = m->stamp_ms, .writer = message_writer(a, m)};
        size_t most = entries->n + m->bytes + m->writer_bytes + LOST_HEAD_BYTES;
        if (entries->n && most > a->settings.restore_most)
            return;
        roster_lost_put(entries, &at, message_entry(a, m));
    }
}

static void append_lost(struct agent *a)
{
    struct log_reader *l = &a->log;
    struct buf entries = {.max = ROSTER_MAX_ENTRY_BYTES};
    struct roster_entry e = {.kind = ROSTER_RESTORE, .n = roster_length(a->roster) + 1};
    put_lost(a, &entries);
    e.entries = buf_str(&entries);
    if (!buf_rc(&entries)) {
        struct buf out = {.max = ROSTER_MAX_ENTRY_BYTES};
        char subject[AGENT_MAX_SUBJECT];
        roster_entry_write(&e, &out);
        if (!buf_rc(&out))
            (void)!agent_call_append(a, CALL_LOG_APPEND, NULL,
                                     agent_subject_roster(a, a->name, subject), buf_str(&out),
                                     NULL);
        buf_done(&out);
    }
    buf_done(&entries);
    l->append_ms = a->now_ms + agent_jitter(a, 10 * a->settings.poll_ms);
}

void roster_log_turn(struct agent *a)
{
    struct log_reader *l = &a->log;
    if (l->is_open || !a->is_connected)
        return;
    if (l->next_ms > a->now_ms) {
        agent_wake(a, l->next_ms);
        return;
    }
    if (l->back)
        ask_stream(a, CALL_LOG_BACK, l->back);
    else if (l->is_unsure)
        ask_stream(a, CALL_LOG_VERIFY, l->count);
    else
        ask_stream(a, CALL_LOG_NEXT, l->count + 1);
    if (!l->is_open)
        agent_wake(a, l->next_ms);
}

static bool is_message_ours(const struct agent *a, uint64_t sequence, const struct bus_event *e)
{
    return e->rc == RC_OK && e->sequence == sequence &&
           a->log.messages[sequence - 1].hash ==
               message_hash(e->stamp_ms, agent_subject_last(e->subject), e->payload);
}

/* There was no answer, or one that may come from a server that lags. */
static void ask_later(struct agent *a)
{
    a->log.next_ms = a->log.is_wanted ? 0 : a->now_ms + rhythm_log_ms(a);
    a->log.is_wanted = false;
    agent_wake(a, a->log.next_ms);
}

static void done_next(struct agent *a, const struct bus_event *e)
{
    struct log_reader *l = &a->log;
    struct str writer = agent_subject_last(e->subject);
    if (e->rc == RC_NOT_FOUND && l->lost_first < l->lost_count && l->append_ms <= a->now_ms)
        append_lost(a);
    if (e->rc || e->sequence != l->count + 1 || writer.n > ROSTER_MAX_NAME_BYTES ||
        e->payload.n > ROSTER_MAX_ENTRY_BYTES) {
        ask_later(a);
        return;
    }
    buf_clear(&l->pending);
    buf_add(&l->pending, e->payload);
    memcpy(l->pending_writer, writer.p, writer.n);
    l->pending_writer[writer.n] = 0;
    l->pending_stamp_ms = e->stamp_ms;
    if (buf_rc(&l->pending))
        agent_fail(a, buf_rc(&l->pending), "cannot read on in the roster");
    else if (!l->count)
        take_pending(a);
    else
        ask_stream(a, CALL_LOG_VERIFY, l->count);
}

static void done_verify(struct agent *a, const struct bus_event *e)
{
    struct log_reader *l = &a->log;
    if (is_message_ours(a, l->count, e)) {
        l->is_unsure = false;
        l->tries = 0;
        if (l->pending.n)
            take_pending(a);
        else
            roster_log_soon(a);
        return;
    }
    buf_clear(&l->pending);
    if (!l->is_unsure) {
        l->is_unsure = true;
        l->unsure_ms = a->now_ms;
    }
    /* The message is lost if another one stands there, or none for long. */
    bool is_other = e->rc == RC_OK;
    if (is_other && agent_has_copies(a) && ++l->tries < VERIFY_TRIES) {
        roster_log_soon(a); /* another copy may have it */
        return;
    }
    l->tries = 0;
    if (is_other || (e->rc == RC_NOT_FOUND && a->now_ms - l->unsure_ms > a->settings.gap_ms)) {
        l->back = l->count;
        l->steps = 0;
        roster_log_soon(a);
    } else {
        ask_later(a);
    }
}

/* A log may have a million entries and have lost all of them. Stepping back too far is harmless: we
 * read again what is there. */
static void step_back(struct log_reader *l)
{
    unsigned more = ++l->steps > SMALL_STEPS ? l->steps - SMALL_STEPS : 0;
    uint64_t step = UINT64_C(1) << (more < 32 ? more : 32);
    l->back = l->back > step ? l->back - step : 1;
}

static void done_back(struct agent *a, const struct bus_event *e)
{
    struct log_reader *l = &a->log;
    if (e->rc != RC_OK && e->rc != RC_NOT_FOUND)
        ask_later(a);
    else if (is_message_ours(a, l->back, e))
        cut_log(a, l->back);
    else if (l->back == 1)
        cut_log(a, 0);
    else
        step_back(l);
}

void roster_log_done(struct agent *a, enum call_kind kind, const struct bus_event *e)
{
    if (kind == CALL_LOG_APPEND) {
        if (e->rc == RC_OK) {
            a->log.wanted = e->sequence > a->log.wanted ? e->sequence : a->log.wanted;
            roster_log_soon(a);
        }
        /* We have already read a message with this number: the servers have lost the end of the
         * log. */
        if (e->rc == RC_OK && e->sequence <= a->log.count && !e->is_repeat &&
            roster_log_is_whole(a)) {
            a->log.is_unsure = true;
            a->log.unsure_ms = a->now_ms;
        }
        return;
    }
    a->log.is_open = false;
    if (e->rc != RC_AGAIN)
        a->log.silent_ms = 0;
    else if (!a->log.silent_ms && a->is_connected)
        a->log.silent_ms = a->log.asked_ms;
    if (kind == CALL_LOG_NEXT)
        done_next(a, e);
    else if (kind == CALL_LOG_VERIFY)
        done_verify(a, e);
    else
        done_back(a, e);
}

bool roster_log_append(struct agent *a, const struct roster_entry *e)
{
    if (!roster_log_is_whole(a) || !a->is_connected)
        return false;
    struct buf out = {.max = ROSTER_MAX_ENTRY_BYTES};
    char subject[AGENT_MAX_SUBJECT];
    roster_entry_write(e, &out);
    enum rc rc = buf_rc(&out);
    if (!rc)
        rc = agent_call_append(a, CALL_LOG_APPEND, NULL, agent_subject_roster(a, a->name, subject),
                               buf_str(&out), NULL);
    buf_done(&out);
    return rc == RC_OK;
}

void roster_log_free(struct agent *a)
{
    buf_done(&a->log.bytes);
    buf_done(&a->log.pending);
    mem_free(a->log.messages);
    mem_free(a->log.lost);
}
