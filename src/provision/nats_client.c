/* SPDX-License-Identifier: Apache-2.0 */
#include "provision/nats_client.h"

#include "base/clock.h"
#include "base/hash.h"
#include "bus/bus_nats.h"

#include <poll.h>
#include <sys/random.h>

enum { STEP_MS = 20, EVENTS = 64, MOST_CALLS = 512 };

static void on_event(void *ctx, const struct bus_event *e)
{
    struct nats_client *c = ctx;
    if (e->kind == BUS_UP || e->kind == BUS_DOWN)
        c->is_up = e->kind == BUS_UP;
    if (e->kind != BUS_DONE || e->ticket == 0 || e->ticket > c->count)
        return;
    struct nats_client_call *call = &c->calls[e->ticket - 1];
    call->rc = e->rc;
    call->has_ended = true;
    if (e->rc == RC_OK)
        buf_add(&call->answer, e->payload);
}

static void step(struct nats_client *c)
{
    struct pollfd fd = {.fd = bus_fd(c->bus), .events = POLLIN};
    (void)poll(&fd, 1, STEP_MS);
    (void)bus_poll(c->bus, on_event, c, EVENTS);
}

enum rc nats_client_open(struct nats_client *c, const struct nats_login *l, uint64_t wait_ms,
                         struct buf *why)
{
    uint64_t end_ms = clock_now_ms(clock_real()) + wait_ms;
    struct bus_nats_options o = {.url = str_c(l->url),
                                 .say = {str_c(l->say_user), str_c(l->say.text)}};
    *c = (struct nats_client){0};
    enum rc rc = bus_nats_open(&o, &c->bus);
    if (rc)
        buf_printf(why, "%s: %s", l->url, rc_text(rc));
    while (rc == RC_OK && !c->is_up && clock_now_ms(clock_real()) < end_ms)
        step(c);
    if (rc || c->is_up)
        return rc;
    buf_printf(why, "%s: cannot log in as %s: %s; is nats-server running?", l->url, l->name,
               bus_nats_failure(c->bus));
    return RC_AGAIN;
}

void nats_client_close(struct nats_client *c)
{
    bus_close(c->bus);
    c->bus = NULL;
}

static bool have_all_ended(const struct nats_client *c)
{
    for (size_t i = 0; i < c->count; i++)
        if (!c->calls[i].has_ended)
            return false;
    return true;
}

void nats_client_ask_until(struct nats_client *c, struct nats_client_call *calls, size_t count,
                           uint64_t most_ms, bool (*is_enough)(void *ctx), void *ctx)
{
    c->calls = calls;
    c->count = count < MOST_CALLS ? count : MOST_CALLS;
    for (size_t i = 0; i < c->count; i++) {
        calls[i].has_ended = false;
        buf_init(&calls[i].answer, BUS_MAX_PAYLOAD_BYTES);
        calls[i].rc = bus_ask(c->bus, i + 1, str_c(calls[i].subject), calls[i].text, most_ms);
        if (calls[i].rc)
            calls[i].has_ended = true;
    }
    while (!have_all_ended(c) && !(is_enough && is_enough(ctx))) /* every call ends */
        step(c);
    c->count = 0;
}

void nats_client_ask(struct nats_client *c, struct nats_client_call *calls, size_t count,
                     uint64_t most_ms)
{
    nats_client_ask_until(c, calls, count, most_ms, NULL, NULL);
}

enum rc nats_client_append(struct nats_client *c, const char *subject, struct str text,
                           uint64_t wait_ms)
{
    uint64_t end_ms = clock_now_ms(clock_real()) + wait_ms, salt = 0;
    struct nats_client_call call = {.rc = RC_AGAIN};
    if (getrandom(&salt, sizeof salt, 0) != sizeof salt)
        return RC_IO;
    /* All tries of this call are one message; the same text in a later call is another. */
    uint64_t id = hash64_seeded(text, salt);
    c->calls = &call;
    do {
        call.has_ended = false;
        c->count = 1;
        call.rc = bus_append(c->bus, 1, str_c(subject), id, text);
        while (call.rc == RC_OK && !call.has_ended)
            step(c);
        c->count = 0;
        if (call.rc == RC_AGAIN || call.rc == RC_NOT_FOUND)
            step(c);
    } while ((call.rc == RC_AGAIN || call.rc == RC_NOT_FOUND) &&
             clock_now_ms(clock_real()) < end_ms);
    return call.rc;
}
