/* SPDX-License-Identifier: Apache-2.0 */
/* bus_client LOGIN TIMEOUT_MS: a bus over NATS, driven line by line from standard input; every
 * event is a line of JSON on standard output. For scenario/bus.
 *
 *   listen SUBJECT            say SUBJECT TEXT           append TICKET SUBJECT ID TEXT
 *   get TICKET STREAM SEQUENCE [SUBJECT]                 ask TICKET SUBJECT MS TEXT
 *   answer REPLY TEXT         counts      anew           fill TICKET SUBJECT ID BYTES
 *   burst TICKET COUNT SUBJECT BYTES     COUNT appends, with tickets from TICKET on
 *   sleep MS                             does not poll meanwhile
 *
 * A call that could not begin is {"event":"not","ticket":T,"rc":...}. The end of input ends the
 * program. */
#include "base/clock.h"
#include "base/jsonw.h"
#include "base/mem.h"
#include "bus/bus_nats.h"
#include "cluster/wire/nats_login.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { LINE_BYTES = 4096, EVENTS = 64, SHOWN_BYTES = 2000 };

static const char *const names[RC_COUNT_] = {
    [RC_OK] = "OK",           [RC_NOMEM] = "NOMEM",         [RC_LIMIT] = "LIMIT",
    [RC_INVALID] = "INVALID", [RC_NOT_FOUND] = "NOT_FOUND", [RC_AGAIN] = "AGAIN",
    [RC_CORRUPT] = "CORRUPT",
};

struct client {
    struct bus *bus;
    char line[LINE_BYTES];
    size_t used;
};

static void print(struct buf *out)
{
    buf_byte(out, '\n');
    (void)fwrite(out->p, 1, out->n, stdout);
    (void)fflush(stdout);
    buf_done(out);
}

static void said_no(const char *what, uint64_t ticket, enum rc rc)
{
    struct buf out = {.max = 1 << 16};
    struct jsonw j = jsonw_to(&out);
    if (rc == RC_OK)
        return;
    jsonw_object(&j);
    jsonw_text_field(&j, "event", STR("not"));
    jsonw_text_field(&j, "what", str_c(what));
    jsonw_u64_field(&j, "ticket", ticket);
    jsonw_text_field(&j, "rc", str_c(names[rc]));
    jsonw_end(&j);
    print(&out);
}

static void on_event(void *ctx, const struct bus_event *e)
{
    static const char *const kinds[] = {"up", "down", "heard", "asked", "done"};
    struct buf out = {.max = 4 << 20};
    struct jsonw j = jsonw_to(&out);
    (void)ctx;
    jsonw_object(&j);
    jsonw_text_field(&j, "event", str_c(kinds[e->kind]));
    if (e->kind == BUS_DONE) {
        jsonw_u64_field(&j, "ticket", e->ticket);
        jsonw_text_field(&j, "rc", str_c(names[e->rc]));
        jsonw_u64_field(&j, "sequence", e->sequence);
        jsonw_u64_field(&j, "stamp_ms", e->stamp_ms);
        jsonw_bool_field(&j, "repeat", e->is_repeat);
    }
    if (e->subject.p)
        jsonw_text_field(&j, "subject", e->subject);
    if (e->payload.p) {
        jsonw_u64_field(&j, "bytes", e->payload.n);
        jsonw_text_field(&j, "payload", str_first(e->payload, SHOWN_BYTES));
    }
    if (e->kind == BUS_ASKED)
        jsonw_u64_field(&j, "reply", e->reply);
    jsonw_end(&j);
    print(&out);
}

static void append_filled(struct client *c, uint64_t ticket, struct str subject, uint64_t id,
                          uint64_t bytes)
{
    char *text = mem_alloc(bytes + 1);
    if (!text)
        abort();
    memset(text, 'x', bytes);
    said_no("append", ticket, bus_append(c->bus, ticket, subject, id, str_make(text, bytes)));
    mem_free(text);
}

static void counts(struct client *c)
{
    struct bus_nats_counts n = bus_nats_counts(c->bus);
    struct buf out = {.max = 1 << 16};
    struct jsonw j = jsonw_to(&out);
    jsonw_object(&j);
    jsonw_text_field(&j, "event", STR("counts"));
    jsonw_u64_field(&j, "connected", n.connected);
    jsonw_u64_field(&j, "heard_lost", n.heard_lost);
    jsonw_u64_field(&j, "replies_lost", n.replies_lost);
    jsonw_u64_field(&j, "refused", n.refused);
    jsonw_end(&j);
    print(&out);
}

static uint64_t number(struct str *rest)
{
    uint64_t v = 0;
    if (str_to_u64(str_take_until(rest, ' '), &v))
        (void)fprintf(stderr, "bus_client: not a number\n");
    return v;
}

static void obey(struct client *c, struct str rest)
{
    struct str word = str_take_until(&rest, ' ');
    if (str_eq(word, STR("listen"))) {
        said_no("listen", 0, bus_listen(c->bus, rest));
    } else if (str_eq(word, STR("say"))) {
        struct str subject = str_take_until(&rest, ' ');
        said_no("say", 0, bus_say(c->bus, subject, rest));
    } else if (str_eq(word, STR("append")) || str_eq(word, STR("fill"))) {
        uint64_t ticket = number(&rest);
        struct str subject = str_take_until(&rest, ' ');
        uint64_t id = number(&rest);
        if (str_eq(word, STR("fill")))
            append_filled(c, ticket, subject, id, number(&rest));
        else
            said_no("append", ticket, bus_append(c->bus, ticket, subject, id, rest));
    } else if (str_eq(word, STR("get"))) {
        uint64_t ticket = number(&rest);
        struct str stream = str_take_until(&rest, ' ');
        uint64_t sequence = number(&rest);
        said_no("get", ticket, bus_get(c->bus, ticket, stream, sequence, rest));
    } else if (str_eq(word, STR("ask"))) {
        uint64_t ticket = number(&rest);
        struct str subject = str_take_until(&rest, ' ');
        uint64_t ms = number(&rest);
        said_no("ask", ticket, bus_ask(c->bus, ticket, subject, rest, ms));
    } else if (str_eq(word, STR("answer"))) {
        uint64_t reply = number(&rest);
        said_no("answer", reply, bus_answer(c->bus, reply, rest));
    } else if (str_eq(word, STR("burst"))) {
        uint64_t first = number(&rest), count = number(&rest);
        struct str subject = str_take_until(&rest, ' ');
        uint64_t bytes = number(&rest);
        for (uint64_t i = 0; i < count; i++)
            append_filled(c, first + i, subject, first + i, bytes);
    } else if (str_eq(word, STR("sleep"))) {
        clock_real()->wait_until(clock_real(), clock_now_ms(clock_real()) + number(&rest));
    } else if (str_eq(word, STR("anew"))) {
        bus_anew(c->bus);
    } else if (str_eq(word, STR("counts"))) {
        counts(c);
    } else {
        (void)fprintf(stderr, "bus_client: what is " STR_FMT "?\n", STR_ARG(word));
    }
}

/* False at the end of input. */
static bool read_commands(struct client *c)
{
    ssize_t n = read(STDIN_FILENO, c->line + c->used, sizeof c->line - c->used);
    if (n <= 0)
        return false;
    c->used += (size_t)n;
    for (;;) {
        struct str all = str_make(c->line, c->used);
        size_t at = str_find(all, '\n');
        if (at == all.n)
            return c->used < sizeof c->line;
        obey(c, str_first(all, at));
        memmove(c->line, c->line + at + 1, c->used - at - 1);
        c->used -= at + 1;
    }
}

static int run(const struct nats_login *l, uint64_t timeout_ms)
{
    static struct client c;
    struct bus_nats_options o = {.url = str_c(l->url),
                                 .say = {str_c(l->say_user), str_c(l->say.text)},
                                 .hear = {str_c(l->hear_user), str_c(l->hear.text)},
                                 .timeout_ms = timeout_ms};
    if (bus_nats_open(&o, &c.bus))
        return 1;
    struct pollfd fds[] = {{.fd = STDIN_FILENO, .events = POLLIN},
                           {.fd = bus_fd(c.bus), .events = POLLIN}};
    for (bool goes_on = true; goes_on;) {
        (void)poll(fds, 2, -1);
        if (fds[0].revents)
            goes_on = read_commands(&c);
        if (fds[1].revents)
            (void)bus_poll(c.bus, on_event, &c, EVENTS);
    }
    bus_close(c.bus);
    bus_nats_end();
    return 0;
}

int main(int argc, char **argv)
{
    static char text[NATS_LOGIN_MAX_BYTES];
    struct nats_login l;
    uint64_t timeout_ms = 0;
    FILE *f = argc == 3 ? fopen(argv[1], "rb") : NULL;
    if (!f || str_to_u64(str_c(argv[2]), &timeout_ms))
        return 2;
    size_t n = fread(text, 1, sizeof text, f);
    (void)fclose(f);
    return nats_login_read(str_make(text, n), &l) ? 2 : run(&l, timeout_ms);
}
