/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/post_streams.h"

#include "base/clock.h"
#include "bus/bus_nats.h"
#include "bus/post_reply.h"
#include "cli/command.h"
#include "cluster/post_config.h"

#include <poll.h>

enum { ASK_MS = 5000, STEP_MS = 50, REST_MS = 200, EVENTS = 16 };

/* One request after another; `ticket` is the one that is waited for. */
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
    m->rc = e->rc ? e->rc : post_admin_read(e->payload, m->said, sizeof m->said);
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

/* RC_AGAIN: not answered, or not now. */
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

static void rest(struct maker *m)
{
    uint64_t end_ms = clock_now_ms(clock_real()) + REST_MS;
    while (clock_now_ms(clock_real()) < end_ms)
        step(m);
}

static enum rc make(struct maker *m, const struct post_plan *p, uint32_t at, struct str name)
{
    char subject_room[POST_MAX_STREAM_NAME_BYTES + 32], room[POST_STREAM_MAX_BYTES];
    struct buf subject = buf_on(subject_room, sizeof subject_room),
               text = buf_on(room, sizeof room);
    enum rc rc = RC_AGAIN;
    buf_printf(&subject, "$JS.API.STREAM.CREATE." STR_FMT, STR_ARG(name));
    post_stream_write(p, at, &text);
    m->said[0] = '\0';
    while ((rc == RC_AGAIN || rc == RC_NOT_FOUND) && has_time(m)) {
        rc = ask_once(m, buf_str(&subject), buf_str(&text));
        if (rc == RC_AGAIN || rc == RC_NOT_FOUND)
            rest(m);
    }
    return rc;
}

static int make_all(struct maker *m, const struct post_plan *p)
{
    int code = EXIT_DONE;
    for (uint32_t i = 0; i < post_stream_count(p); i++) {
        char room[POST_MAX_STREAM_NAME_BYTES];
        struct buf name = buf_on(room, sizeof room);
        post_stream_name(p, i, &name);
        enum rc rc = make(m, p, i, buf_str(&name));
        if (rc == RC_OK)
            continue;
        code = cli_fail(EXIT_OTHER, "stream " STR_FMT ": %s%s%s%s", STR_ARG(buf_str(&name)),
                        rc == RC_EXISTS  ? "is there with other settings, and stays as it is"
                        : rc == RC_AGAIN ? "not made in time: do enough of the servers run, with "
                                           "room on their disks? then try again"
                                         : rc_text(rc),
                        m->said[0] ? " (" : "", m->said, m->said[0] ? ")" : "");
        if (rc == RC_AGAIN || rc == RC_NOT_FOUND)
            break;
    }
    return code;
}

int post_streams_make(const struct post_plan *p, const struct post_login *admin, uint64_t wait_ms)
{
    struct bus_nats_options o = {.url = str_c(admin->url),
                                 .say = {str_c(admin->say_user), str_c(admin->say.text)}};
    struct maker m = {.end_ms = clock_now_ms(clock_real()) + wait_ms};
    enum rc rc = bus_nats_open(&o, &m.bus);
    if (rc)
        return cli_fail(EXIT_OTHER, "%s: %s", admin->url, rc_text(rc));
    while (!m.is_up && has_time(&m))
        step(&m);
    int code = m.is_up ? make_all(&m, p)
                       : cli_fail(EXIT_OTHER,
                                  "%s: no server lets us in: does it run with the configuration "
                                  "from here?",
                                  admin->url);
    bus_close(m.bus);
    bus_nats_end();
    return code;
}
