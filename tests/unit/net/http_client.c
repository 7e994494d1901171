/* SPDX-License-Identifier: Apache-2.0 */
/* A client made of the engine alone, for scenarios: asks come in on standard input, a line each,
 *
 *     ID <tab> http|https <tab> HOST <tab> PORT <tab> ADDRESS[,ADDRESS] <tab> METHOD <tab> TARGET
 *
 * and go out as JSON lines in the order they end; the last line has the engine's counts. Arguments
 * are the engine's settings (key=value), allow=CIDR for the guard, body=BYTES, and close=yes for
 * "Connection: close" in every request. It ends when its input has ended and nothing runs. */
#include "net/http.h"

#include "base/jsonw.h"
#include "base/mem.h"
#include "net/head.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { LINE_BYTES = 1 << 20, MOST_ADDRESSES = 8, SHOWN_BYTES = 1 << 20 };

struct client {
    struct loop loop;
    struct http *http;
    struct guard *guard;
    struct http_settings settings;
    uint64_t body_bytes;
    bool closes;
    struct watch input;
    struct buf line;
    bool is_over;
};

struct job {
    struct client *client;
    struct http_ask ask;
    struct address addresses[MOST_ADDRESSES];
    struct buf text; /* id and host */
    struct buf request;
    size_t id_n;
};

static void stop(const char *why)
{
    (void)fprintf(stderr, "http_client: %s\n", why);
    exit(2);
}

static void print_counts(const struct http *h)
{
    struct http_counts n = http_counts(h);
    if (printf("{\"id\":\"counts\",\"started\":%llu,\"connected\":%llu,\"reused\":%llu,"
               "\"retried\":%llu,\"resumed\":%llu,\"fell_back\":%llu,\"idle\":%u}\n",
               (unsigned long long)n.started, (unsigned long long)n.connected,
               (unsigned long long)n.reused, (unsigned long long)n.retried,
               (unsigned long long)n.resumed, (unsigned long long)n.fell_back, n.idle) < 0)
        stop("cannot write");
}

static void print_answer(struct buf *out, struct str id, const struct http_answer *a)
{
    static const char *const cuts[] = {"none", "length", "time", "disconnect"};
    struct jsonw j = jsonw_to(out);
    jsonw_object(&j);
    jsonw_text_field(&j, "id", id);
    jsonw_text_field(&j, "outcome", str_c(http_outcome_name(a->outcome)));
    jsonw_text_field(&j, "cut", str_c(cuts[a->cut]));
    jsonw_text_field(&j, "why", str_c(a->why));
    jsonw_u64_field(&j, "status", a->status);
    jsonw_text_field(&j, "head", a->head);
    jsonw_text_field(&j, "body", str_first(a->body, SHOWN_BYTES));
    jsonw_u64_field(&j, "body_bytes", a->body.n);
    jsonw_bool_field(&j, "is_chunked", a->is_chunked);
    jsonw_bool_field(&j, "is_not_chunked", a->is_not_chunked);
    jsonw_bool_field(&j, "is_h2", a->is_h2);
    jsonw_bool_field(&j, "is_reused", a->is_reused);
    jsonw_bool_field(&j, "tls_unverified", a->tls_unverified);
    char room[1024];
    struct buf scratch = buf_on(room, sizeof room);
    jsonw_text_field(&j, "location", head_get(a->head, STR("Location"), &scratch));
    jsonw_text_field(&j, "type", head_get(a->head, STR("Content-Type"), &scratch));
    jsonw_end(&j);
    buf_byte(out, '\n');
}

static void job_free(struct job *job)
{
    buf_done(&job->text);
    buf_done(&job->request);
    mem_free(job);
}

static void on_done(struct http_ask *ask, const struct http_answer *a)
{
    struct job *job = EVENT_OF(ask, struct job, ask);
    struct buf out;
    buf_init(&out, 64 << 20);
    print_answer(&out, str_first(buf_str(&job->text), job->id_n), a);
    if (buf_rc(&out) != RC_OK || fwrite(out.p, 1, out.n, stdout) != out.n || fflush(stdout))
        stop("cannot write");
    buf_done(&out);
    job_free(job);
}

static void read_addresses(struct job *job, struct str list)
{
    while (list.p && job->ask.address_count < MOST_ADDRESSES)
        if (address_read(str_take_until(&list, ','), &job->addresses[job->ask.address_count++]))
            stop("no address");
}

static void start(struct client *c, struct str line)
{
    struct job *job = mem_zero(1, sizeof *job);
    if (!job)
        stop("no memory");
    buf_init(&job->text, 1 << 16);
    buf_init(&job->request, (size_t)LINE_BYTES * 2);
    struct str id = str_take_until(&line, '\t'), scheme = str_take_until(&line, '\t');
    struct str host = str_take_until(&line, '\t'), port = str_take_until(&line, '\t');
    uint64_t number = 0;
    job->client = c;
    job->id_n = id.n;
    buf_add(&job->text, id);
    buf_add(&job->text, host);
    read_addresses(job, str_take_until(&line, '\t'));
    struct str method = str_take_until(&line, '\t');
    buf_printf(&job->request,
               STR_FMT " " STR_FMT " HTTP/1.1\r\nHost: " STR_FMT ":" STR_FMT
                       "\r\nUser-Agent: http_client\r\n%s\r\n",
               STR_ARG(method), STR_ARG(line), STR_ARG(host), STR_ARG(port),
               c->closes ? "Connection: close\r\n" : "");
    if (str_to_u64(port, &number) || number > UINT16_MAX)
        stop("no port");
    job->ask.is_https = str_eq(scheme, STR("https"));
    job->ask.host = str_from(buf_str(&job->text), id.n);
    job->ask.port = (uint16_t)number;
    job->ask.addresses = job->addresses;
    job->ask.guard = c->guard;
    job->ask.request = buf_str(&job->request);
    job->ask.body_bytes = c->body_bytes;
    job->ask.done = on_done;
    if (http_start(c->http, &job->ask) != RC_OK)
        stop("cannot start");
}

static void on_input(struct watch *w, unsigned events)
{
    struct client *c = EVENT_OF(w, struct client, input);
    char bytes[4096];
    ssize_t n = read(STDIN_FILENO, bytes, sizeof bytes);
    (void)events;
    if (n <= 0) {
        c->is_over = true;
        loop_unwatch(&c->loop, &c->input);
        return;
    }
    for (ssize_t i = 0; i < n; i++) {
        if (bytes[i] != '\n') {
            buf_byte(&c->line, bytes[i]);
            continue;
        }
        start(c, buf_str(&c->line));
        buf_clear(&c->line);
    }
}

/* Settings in key=value; all in an arena that lives as long as the program. */
static void read_arguments(struct client *c, struct arena *arena, char **args)
{
    struct buf why;
    struct str allowed[16];
    struct option_list allow = {allowed, 0};
    buf_init(&why, 4096);
    if (options_default(http_options, &c->settings, arena) != RC_OK)
        stop("no memory");
    for (; *args; args++) {
        struct str value = str_c(*args), key = str_take_until(&value, '=');
        const struct option *o = option_find(http_options, key);
        if (str_eq(key, STR("allow")) && allow.count < 16)
            allowed[allow.count++] = value;
        else if (str_eq(key, STR("close")))
            c->closes = str_eq(value, STR("yes"));
        else if (str_eq(key, STR("body")) && str_to_u64(value, &c->body_bytes) == RC_OK)
            continue;
        else if (!o || option_set(o, &c->settings, arena, value, &why) != RC_OK)
            stop(*args);
    }
    if (guard_open(&allow, &c->guard, &why) != RC_OK ||
        loop_init(&c->loop, clock_real()) != RC_OK ||
        http_open(&c->loop, &c->settings, &c->http, &why) != RC_OK)
        stop(buf_c(&why));
    buf_done(&why);
}

int main(int argc, char **argv)
{
    (void)argc;
    static struct client c = {.body_bytes = 1 << 20};
    struct arena *arena = arena_open(1 << 16, 1 << 20);
    if (!arena)
        stop("no memory");
    buf_init(&c.line, LINE_BYTES);
    read_arguments(&c, arena, argv + 1);
    c.input = (struct watch){.ready = on_input, .fd = STDIN_FILENO};
    if (loop_watch(&c.loop, &c.input, EPOLLIN) != RC_OK)
        stop("standard input must be a pipe");
    while (!c.is_over || http_counts(c.http).running) {
        loop_doze(&c.loop);
        if (!loop_run(&c.loop))
            loop_wait(&c.loop);
    }
    print_counts(c.http);
    http_close(c.http);
    guard_close(c.guard);
    loop_done(&c.loop);
    buf_done(&c.line);
    arena_close(arena);
    return 0;
}
