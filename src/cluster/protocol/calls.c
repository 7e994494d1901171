/* SPDX-License-Identifier: Apache-2.0 */
/* calls: calls of the bus that have not ended, and the names of subjects. */
#include "base/hash.h"
#include "cluster/protocol/agent_internal.h"
#include "cluster/wire/subjects.h"

static struct call *call_free_one(struct agent *a)
{
    for (size_t i = 0; i < AGENT_MAX_CALLS; i++)
        if (a->calls.list[i].kind == CALL_NONE)
            return &a->calls.list[i];
    return NULL;
}

static uint64_t call_ticket(const struct agent *a, const struct call *c)
{
    return c->serial * AGENT_MAX_CALLS + (uint64_t)(c - a->calls.list);
}

static void call_begin(struct agent *a, struct call *c, enum call_kind kind, void *what)
{
    *c = (struct call){.kind = kind, .serial = ++a->calls.serial, .what = what};
    a->calls.open++;
}

static void call_drop(struct agent *a, struct call *c)
{
    c->kind = CALL_NONE;
    a->calls.open--;
}

enum rc agent_call_append(struct agent *a, enum call_kind kind, void *what, const char *subject,
                          struct str payload, struct call **ret)
{
    struct call *c = call_free_one(a);
    if (!c || !a->is_connected)
        return RC_AGAIN;
    call_begin(a, c, kind, what);
    uint64_t id = hash64_seeded(payload, hash64(str_c(subject)));
    /* an entry that did not count the first time may count the second */
    if (kind == CALL_LOG_APPEND)
        id = hash64_mix(id ^ rng_next(&a->rng));
    enum rc rc = bus_append(a->bus, call_ticket(a, c), str_c(subject), id, payload);
    if (rc) {
        call_drop(a, c);
        return rc;
    }
    a->traffic.appends++;
    a->traffic.append_bytes += payload.n;
    if (ret)
        *ret = c;
    return RC_OK;
}

enum rc agent_call_get(struct agent *a, enum call_kind kind, const char *stream, uint64_t sequence,
                       const char *subject)
{
    struct call *c = call_free_one(a);
    if (!c || !a->is_connected)
        return RC_AGAIN;
    call_begin(a, c, kind, NULL);
    enum rc rc = bus_get(a->bus, call_ticket(a, c), str_c(stream), sequence, str_c(subject));
    if (rc)
        call_drop(a, c);
    else
        a->traffic.gets++;
    return rc;
}

enum call_kind agent_call_end(struct agent *a, uint64_t ticket, void **ret_what)
{
    struct call *c = &a->calls.list[ticket % AGENT_MAX_CALLS];
    if (c->kind == CALL_NONE || c->serial != ticket / AGENT_MAX_CALLS)
        return CALL_NONE;
    enum call_kind kind = c->kind;
    *ret_what = c->what;
    call_drop(a, c);
    return kind;
}

static const char *written(struct buf *out, char *room)
{
    const char *text = buf_c(out);
    if (!text)
        room[0] = 0; /* cannot happen: all names were checked */
    return text ? text : room;
}

static const char *write_subject(const struct subject *s, char *room)
{
    struct buf out = buf_on(room, AGENT_MAX_SUBJECT);
    subject_write(s, &out);
    return written(&out, room);
}

const char *agent_subject_stream(const struct agent *a, const char *owner, char *room)
{
    struct buf out = buf_on(room, AGENT_MAX_SUBJECT);
    bool is_roster = strcmp(owner, "ROSTER") == 0;
    struct subject s = {.kind = is_roster ? SUBJECT_ROSTER : SUBJECT_OUT,
                        .crawl = str_c(a->crawl),
                        .to = str_c(owner),
                        .from = str_c(a->name),
                        .inc = 1};
    subject_stream(&s, &out);
    return written(&out, room);
}

const char *agent_subject_inbox(const struct agent *a, const char *to, uint64_t inc,
                                const char *src, char *room)
{
    return write_subject(&(struct subject){.kind = SUBJECT_IN,
                                           .crawl = str_c(a->crawl),
                                           .to = str_c(to),
                                           .from = str_c(src),
                                           .inc = inc},
                         room);
}

const char *agent_subject_out(const struct agent *a, char *room)
{
    return write_subject(
        &(struct subject){
            .kind = SUBJECT_OUT, .crawl = str_c(a->crawl), .to = str_c(a->name), .inc = a->inc},
        room);
}

const char *agent_subject_all_of(const struct agent *a, const char *owner, uint64_t inc, char *room)
{
    struct buf out = buf_on(room, AGENT_MAX_SUBJECT);
    subject_incarnation(str_c(a->crawl), str_c(owner), inc, &out);
    return written(&out, room);
}

const char *agent_subject_roster(const struct agent *a, const char *writer, char *room)
{
    return write_subject(
        &(struct subject){.kind = SUBJECT_ROSTER, .crawl = str_c(a->crawl), .from = str_c(writer)},
        room);
}

/* NULL: the heartbeats of all agents. */
const char *agent_subject_heartbeat(const struct agent *a, const char *name, char *room)
{
    return write_subject(
        &(struct subject){.kind = SUBJECT_HEARTBEAT, .crawl = str_c(a->crawl), .from = str_c(name)},
        room);
}

struct str agent_subject_last(struct str subject)
{
    size_t at = subject.n;
    while (at > 0 && subject.p[at - 1] != '.')
        at--;
    return str_from(subject, at);
}
