/* SPDX-License-Identifier: Apache-2.0 */
#include "provision/found.h"

#include "base/clock.h"
#include "base/hash.h"
#include "bus/bus_nats.h"

#include <poll.h>
#include <stdio.h>

enum { STEP_MS = 50, EVENTS = 16, ENTRY_BYTES = 256 };

struct founding {
    struct bus *bus;
    uint64_t end_ms, ticket;
    bool is_up, is_done;
    enum rc rc;
};

static void on_event(void *ctx, const struct bus_event *e)
{
    struct founding *f = ctx;
    if (e->kind == BUS_UP || e->kind == BUS_DOWN)
        f->is_up = e->kind == BUS_UP;
    if (e->kind != BUS_DONE || e->ticket != f->ticket)
        return;
    f->is_done = true;
    f->rc = e->rc;
}

static void step(struct founding *f)
{
    struct pollfd fd = {.fd = bus_fd(f->bus), .events = POLLIN};
    (void)poll(&fd, 1, STEP_MS);
    (void)bus_poll(f->bus, on_event, f, EVENTS);
}

static bool has_time(const struct founding *f)
{
    return clock_now_ms(clock_real()) < f->end_ms;
}

static enum rc append(struct founding *f, struct str subject, struct str entry)
{
    enum rc rc = RC_AGAIN;
    while ((rc == RC_AGAIN || rc == RC_NOT_FOUND) && has_time(f)) {
        f->ticket++;
        f->is_done = false;
        rc = f->is_up ? bus_append(f->bus, f->ticket, subject, hash64(entry), entry) : RC_AGAIN;
        if (rc) {
            step(f);
            continue;
        }
        while (!f->is_done) /* every call ends */
            step(f);
        rc = f->rc;
    }
    return rc;
}

/* NULL: a roster accepts it. Checked here, because here a person reads the answer. */
static const char *why_not(struct str entry, const char *writer)
{
    struct roster *r;
    const char *why = "";
    struct roster_stand at = {1, 1, str_c(writer)};
    if (roster_open(&r))
        return rc_text(RC_NOMEM);
    enum rc rc = roster_take(r, &at, entry, &why);
    roster_close(r);
    return *why ? why : rc ? rc_text(rc) : NULL;
}

enum rc found_crawl(const struct nats_login *login, const struct roster_timings *t,
                    uint64_t wait_ms, struct buf *why)
{
    char room[ENTRY_BYTES], name[ENTRY_BYTES];
    struct buf entry = buf_on(room, sizeof room), subject = buf_on(name, sizeof name);
    struct founding f = {.end_ms = clock_now_ms(clock_real()) + wait_ms};
    roster_entry_write(
        &(struct roster_entry){
            .kind = ROSTER_FOUND, .timings = *t, .points = ASSIGN_POINTS, .probes = ASSIGN_PROBES},
        &entry);
    buf_printf(&subject, "orb.%s.roster.%s", login->crawl, login->name);
    const char *bad = buf_rc(&entry) ? rc_text(RC_LIMIT) : why_not(buf_str(&entry), login->name);
    if (bad) {
        buf_printf(why, "the cluster's timings: %s", bad);
        return RC_INVALID;
    }
    struct bus_nats_options o = {.url = str_c(login->url),
                                 .say = {str_c(login->say_user), str_c(login->say.text)}};
    enum rc rc = bus_nats_open(&o, &f.bus);
    rc = rc ? rc : append(&f, buf_str(&subject), buf_str(&entry));
    bus_close(f.bus);
    bus_nats_end();
    if (rc)
        buf_printf(why, "cannot write the roster's first entry: %s", rc_text(rc));
    return rc == RC_INVALID ? RC_IO : rc;
}
