/* SPDX-License-Identifier: Apache-2.0 */
#include "provision/nats_streams.h"

#include "base/clock.h"
#include "bus/bus_nats.h"
#include "bus/nats_reply.h"
#include "provision/nats_config.h"

#include <poll.h>

enum { ASK_MS = 5000, STEP_MS = 50, PAUSE_MS = 200, EVENTS = 16 };

/* Sends one request after another; `ticket` is the one whose answer is awaited. */
struct maker {
    struct bus *bus;
    uint64_t end_ms;
    uint64_t ticket;
    bool is_up, is_done;
    enum rc rc;
    char said[256];
};

static void on_event(void *ctx, const struct bus_event *e)
{
    struct maker *m = ctx;
    if (e->kind == BUS_UP || e->kind == BUS_DOWN)
        m->is_up = e->kind == BUS_UP;
    if (e->kind != BUS_DONE || e->ticket != m->ticket)
        return;
    m->is_done = true;
    m->rc = e->rc ? e->rc : nats_reply_admin_read(e->payload, m->said, sizeof m->said);
}

static bool has_time(const struct maker *m)
{
    return clock_now_ms(clock_real()) < m->end_ms;
}

static void step(struct maker *m)
{
    struct pollfd fd = {.fd = bus_fd(m->bus), .events = POLLIN};
    (void)poll(&fd, 1, STEP_MS);
    (void)bus_poll(m->bus, on_event, m, EVENTS);
}

/* RC_AGAIN: no answer, or not now. */
static enum rc ask_once(struct maker *m, struct str subject, struct str text)
{
    m->ticket++;
    m->is_done = false;
    enum rc rc = bus_ask(m->bus, m->ticket, subject, text, ASK_MS);
    if (rc)
        return rc;
    while (!m->is_done) /* every call ends */
        step(m);
    return m->rc;
}

static void pause_between(struct maker *m)
{
    uint64_t end_ms = clock_now_ms(clock_real()) + PAUSE_MS;
    while (clock_now_ms(clock_real()) < end_ms)
        step(m);
}

static enum rc make(struct maker *m, const struct nats_plan *p, uint32_t at, struct str name)
{
    char subject_room[NATS_MAX_STREAM_NAME_BYTES + 32], room[NATS_STREAM_MAX_BYTES];
    struct buf subject = buf_on(subject_room, sizeof subject_room),
               text = buf_on(room, sizeof room);
    enum rc rc = RC_AGAIN;
    buf_printf(&subject, "$JS.API.STREAM.CREATE." STR_FMT, STR_ARG(name));
    nats_stream_write(p, at, &text);
    m->said[0] = '\0';
    while ((rc == RC_AGAIN || rc == RC_NOT_FOUND) && has_time(m)) {
        rc = ask_once(m, buf_str(&subject), buf_str(&text));
        if (rc == RC_AGAIN || rc == RC_NOT_FOUND)
            pause_between(m);
    }
    return rc;
}

static void say_failure(const struct maker *m, struct str name, enum rc rc, struct buf *why)
{
    buf_printf(why, "%sstream " STR_FMT ": ", why->n ? "\n" : "", STR_ARG(name));
    if (rc == RC_EXISTS)
        buf_add(why, STR("it exists with other settings, and stays as it is"));
    else if (rc == RC_AGAIN)
        buf_add(why, STR("not created in time: do enough of the servers run, with room on their "
                         "disks? then try again"));
    else
        buf_add(why, str_c(rc_text(rc)));
    if (m->said[0])
        buf_printf(why, " (%s)", m->said);
}

static enum rc make_all(struct maker *m, const struct nats_plan *p, struct buf *why)
{
    enum rc first = RC_OK;
    for (uint32_t i = 0; i < nats_stream_count(p); i++) {
        char room[NATS_MAX_STREAM_NAME_BYTES];
        struct buf name = buf_on(room, sizeof room);
        nats_stream_name(p, i, &name);
        enum rc rc = make(m, p, i, buf_str(&name));
        if (rc)
            say_failure(m, buf_str(&name), rc, why);
        first = first ? first : rc;
        if (rc == RC_AGAIN || rc == RC_NOT_FOUND)
            break;
    }
    return first;
}

enum rc nats_streams_make(const struct nats_plan *p, const struct nats_login *admin,
                          uint64_t wait_ms, struct buf *why)
{
    struct bus_nats_options o = {.url = str_c(admin->url),
                                 .say = {str_c(admin->say_user), str_c(admin->say.text)}};
    struct maker m = {.end_ms = clock_now_ms(clock_real()) + wait_ms};
    enum rc rc = bus_nats_open(&o, &m.bus);
    if (rc) {
        buf_printf(why, "%s: %s", admin->url, rc_text(rc));
        return rc;
    }
    while (!m.is_up && has_time(&m))
        step(&m);
    rc = m.is_up ? make_all(&m, p, why) : RC_AGAIN;
    if (!m.is_up)
        buf_printf(why,
                   "%s: cannot log in as %s: %s; is nats-server running, with the configuration "
                   "from here?",
                   admin->url, admin->name, bus_nats_failure(m.bus));
    bus_close(m.bus);
    bus_nats_end();
    return rc;
}
