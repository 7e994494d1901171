/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/server.h"

#include "serve/conn.h"
#include "serve/control.h"
#include "serve/dns_port.h"
#include "serve/listen.h"
#include "serve/mood_at.h"
#include "serve/ordinary.h"
#include "serve/run_file.h"
#include "serve/tls.h"
#include "world/place.h"

#include "base/log.h"
#include "base/mem.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { SETTINGS_BYTES = 1 << 20, SPARE_FILES = 64, CONTROL_CONNECTIONS = 100 };

struct server {
    struct arena *arena; /* the settings' texts */
    struct server_settings settings;
    struct log *log; /* NULL without memory: then nothing is said */
    struct world *world;
    struct poller *loop;
    struct run_file *folder;
    struct witness *witness;
    struct site *site;
    struct names *names;
    struct tls *tls;
    struct conns *conns;         /* of the web */
    struct conns *control_conns; /* and of the control port, which a full web must not shut out */
    struct listeners *listeners;
    struct dns_port *dns;
    struct sim_clock clock;
    struct control control;
    struct conn_asks web_asks, control_asks;
    int control_fd;
    uint16_t control_port;
    struct watch control_watch;
    char token[RUN_TOKEN_BYTES + 1];
};

/* What the parts ask of each other ---------------------------------------------------------- */

static uint64_t web_answer(void *ctx, const struct request *q, const struct visitor *v,
                           uint64_t now_us, struct reply *r)
{
    struct server *s = ctx;
    struct visitor visitor = *v;
    uint64_t latency_ms, bytes_per_s;
    site_pace(s->site, q->host, &latency_ms, &bytes_per_s);
    reply_wait(r, latency_ms);
    visitor.true_time = sim_clock_is_true(&s->clock, now_us);
    return site_answer(s->site, q, &visitor, now_us, sim_clock_wall_ms(&s->clock, now_us), r);
}

static uint64_t web_bandwidth(void *ctx, struct str host)
{
    const struct server *s = ctx;
    uint64_t latency_ms, bytes_per_s;
    site_pace(s->site, host, &latency_ms, &bytes_per_s);
    return bytes_per_s;
}

static void web_ended(void *ctx, const struct conn_end *e)
{
    struct server *s = ctx;
    witness_end(s->witness, e->ticket, e->end_us, e->status, e->bytes, e->end, e->backoff_ms);
}

static uint64_t wall_ms_now(void *ctx, uint64_t now_us)
{
    const struct server *s = ctx;
    return sim_clock_wall_ms(&s->clock, now_us);
}

static struct mood web_mood(void *ctx, struct str name)
{
    const struct server *s = ctx;
    struct mood mood = {0};
    uint32_t address;
    if (!name.p || !site_host(s->site, name, &mood, &address))
        mood = (struct mood){0};
    return mood;
}

static struct mood web_mood_at(void *ctx, uint32_t address)
{
    const struct server *s = ctx;
    return mood_at(s->world, address);
}

static enum h2_mood web_h2_mood(void *ctx, struct str sni)
{
    return web_mood(ctx, sni).h2;
}

static uint64_t on_control(void *ctx, const struct request *q, const struct visitor *v,
                           uint64_t now_us, struct reply *r)
{
    const struct server *s = ctx;
    (void)v;
    control_answer(&s->control, q, now_us, r);
    return 0;
}

static void control_ended(void *ctx, const struct conn_end *e)
{
    (void)ctx;
    (void)e; /* the witness is about the web */
}

static bool names_host(void *ctx, struct str name, struct mood *ret_mood, uint32_t *ret_address)
{
    const struct server *s = ctx;
    return site_host(s->site, name, ret_mood, ret_address);
}

static void names_saw(void *ctx, struct str name, uint16_t type, uint16_t rcode)
{
    struct server *s = ctx;
    witness_dns(s->witness, name, type, rcode);
}

static void on_accepted(void *ctx, const struct listener *from, int fd)
{
    struct server *s = ctx;
    struct stream *stream = from->is_https ? tls_stream(s->tls, fd) : stream_plain(fd);
    if (stream)
        conns_take(s->conns, &stream, from->address, &s->web_asks);
}

static void on_control_connect(struct watch *w, uint32_t events)
{
    struct server *s = (struct server *)((char *)w - offsetof(struct server, control_watch));
    (void)events;
    int fd = accept4(s->control_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    struct stream *stream = fd < 0 ? NULL : stream_plain(fd);
    if (stream)
        conns_take(s->control_conns, &stream, ADDRESS_TRAP, &s->control_asks);
}

static void on_after(void *ctx)
{
    struct server *s = ctx;
    conns_sweep(s->conns);
    conns_sweep(s->control_conns);
}

/* Opening ----------------------------------------------------------------------------------- */

static enum rc open_settings(struct server *s, const struct server_settings *settings)
{
    s->arena = arena_open(4096, SETTINGS_BYTES);
    if (!s->arena)
        return RC_NOMEM;
    return options_copy(server_options, sizeof s->settings, settings, &s->settings, s->arena);
}

static enum rc open_listeners(struct server *s, struct buf *why)
{
    const struct world_settings *w = world_settings(s->world);
    struct listeners_wish wish = {.world = s->world,
                                  .http_port = w->http_port,
                                  .https_port = w->https_port,
                                  .spare_files = s->settings.most_connections +
                                                 CONTROL_CONNECTIONS + DNS_PORT_MAX_CLIENTS +
                                                 SPARE_FILES};
    struct listeners_asks asks = {.accepted = on_accepted, .ctx = s};
    return listeners_open(&wish, s->loop, asks, &s->listeners, why);
}

/* The world for good: the same, with the ports that stand in its URLs. */
static enum rc open_world(struct server *s, const struct world_settings *web, struct buf *why)
{
    s->world = world_open(web);
    if (!s->world)
        return RC_NOMEM;
    enum rc rc = open_listeners(s, why);
    if (rc != RC_OK)
        return rc;
    struct world_settings with_ports = *web;
    with_ports.http_port = listeners_http_port(s->listeners);
    with_ports.https_port = listeners_https_port(s->listeners);
    world_close(s->world);
    s->world = world_open(&with_ports);
    return s->world ? RC_OK : RC_NOMEM;
}

static enum rc open_web(struct server *s)
{
    struct conns_settings web = {.most = s->settings.most_connections,
                                 .idle_ms = s->settings.idle_ms,
                                 .endless_bytes = s->settings.knobs.endless_bytes,
                                 .patience_ms = s->settings.knobs.patience_ms,
                                 .log = s->log};
    struct conns_settings control = web;
    control.most = CONTROL_CONNECTIONS;
    s->web_asks = (struct conn_asks){.answer = web_answer,
                                     .ended = web_ended,
                                     .h2_mood = web_h2_mood,
                                     .wall_ms = wall_ms_now,
                                     .ctx = s};
    if (s->settings.bandwidth_most)
        s->web_asks.bandwidth = web_bandwidth;
    s->control_asks = (struct conn_asks){
        .answer = on_control, .ended = control_ended, .wall_ms = wall_ms_now, .ctx = s};
    s->witness = witness_open(s->settings.keep_urls);
    s->site = s->witness ? site_open(s->world, &s->settings, s->witness) : NULL;
    s->conns = conns_open(s->loop, &web);
    s->control_conns = conns_open(s->loop, &control);
    return s->site && s->conns && s->control_conns ? RC_OK : RC_NOMEM;
}

static enum rc open_tls(struct server *s, struct buf *why)
{
    struct tls_asks asks = {.mood = web_mood, .mood_at = web_mood_at, .ctx = s};
    enum rc rc = tls_open(run_file_dir(s->folder), asks, &s->tls);
    if (rc != RC_OK && rc != RC_NOMEM)
        buf_printf(why, "the web's own authority (%s/ca.pem and ca.key) cannot be used: %s",
                   run_file_dir(s->folder), rc_text(rc));
    return rc;
}

static enum rc open_names(struct server *s, struct buf *why)
{
    struct names_settings settings = {.suffix = world_settings(s->world)->suffix,
                                      .slow_ms = s->settings.knobs.drip_ms,
                                      .has_v6 = listeners_have_v6(s->listeners)};
    struct names_asks asks = {.host = names_host, .saw = names_saw, .ctx = s};
    s->names = names_open(&settings, asks);
    if (!s->names)
        return RC_NOMEM;
    return dns_port_open(s->loop, s->names, s->settings.dns_port, &s->dns, why);
}

static enum rc open_control(struct server *s, struct buf *why)
{
    s->control = (struct control){.token = s->token,
                                  .world = s->world,
                                  .content = site_content(s->site),
                                  .knobs = &s->settings.knobs,
                                  .witness = s->witness,
                                  .names = s->names,
                                  .clock = &s->clock};
    s->control_watch.ready = on_control_connect;
    enum rc rc = run_token_make(s->token);
    if (rc != RC_OK)
        return rc;
    s->control_fd = loopback_socket(SOCK_STREAM, s->settings.control_port, &s->control_port);
    if (s->control_fd < 0) {
        buf_printf(why,
                   "cannot listen on 127.0.0.1:%u: %s; choose another --control-port (0 = any)",
                   (unsigned)s->settings.control_port, strerror(errno));
        return RC_IO;
    }
    return poller_watch(s->loop, s->control_fd, EPOLLIN, &s->control_watch);
}

static enum rc write_run_file(struct server *s, struct buf *why)
{
    struct run_facts facts = {.http_port = listeners_http_port(s->listeners),
                              .https_port = listeners_https_port(s->listeners),
                              .dns_port = dns_port_number(s->dns),
                              .control_port = s->control_port,
                              .token = s->token,
                              .web = world_settings(s->world),
                              .server = &s->settings};
    struct buf home = {.max = 4096};
    place_url(s->world, (struct place){.kind = PLACE_PAGE}, &home);
    facts.home = buf_str(&home);
    enum rc rc = buf_rc(&home);
    if (rc == RC_OK)
        rc = run_file_write(s->folder, &facts, why);
    buf_done(&home);
    return rc;
}

static enum rc open_all(struct server *s, const struct world_settings *web, struct buf *why)
{
    uint64_t timers = s->settings.most_connections + CONTROL_CONNECTIONS + DNS_PORT_MAX_CLIENTS +
                      DNS_PORT_MAX_LATER;
    s->loop = poller_open((size_t)timers);
    enum rc rc = s->loop ? run_file_open(s->settings.dir, &s->folder, why) : RC_NOMEM;
    if (rc == RC_OK)
        rc = open_world(s, web, why);
    if (rc == RC_OK)
        rc = open_web(s);
    if (rc == RC_OK)
        rc = open_tls(s, why);
    if (rc == RC_OK)
        rc = open_names(s, why);
    if (rc == RC_OK)
        rc = open_control(s, why);
    if (rc != RC_OK)
        return rc;
    sim_clock_init(&s->clock, s->settings.clock_ms, s->settings.clock_speed, poller_now_us());
    poller_after(s->loop, on_after, s);
    return write_run_file(s, why);
}

enum rc server_open(const struct world_settings *web, const struct server_settings *settings,
                    struct server **ret, struct buf *why)
{
    struct server *s = mem_zero(1, sizeof *s);
    if (!s)
        return RC_NOMEM;
    s->control_fd = -1;
    s->log = log_open(LOG_LEVEL_WARN, false, clock_real(), log_to_stderr());
    enum rc rc = server_settings_check(settings, why);
    if (rc == RC_OK)
        rc = open_settings(s, settings);
    if (rc == RC_OK)
        rc = open_all(s, web, why);
    if (rc == RC_OK)
        *ret = s;
    else
        server_close(s);
    return rc;
}

enum rc server_run(struct server *s)
{
    return poller_run(s->loop);
}

void server_stop(struct server *s)
{
    poller_stop(s->loop);
}

/* run.json goes first: nobody is sent to what is closing. */
void server_close(struct server *s)
{
    if (!s)
        return;
    run_file_close(s->folder);
    listeners_close(s->listeners);
    conns_close(s->conns);
    conns_close(s->control_conns);
    dns_port_close(s->dns);
    if (s->control_fd >= 0)
        (void)close(s->control_fd);
    names_close(s->names);
    tls_close(s->tls);
    site_close(s->site);
    witness_close(s->witness);
    poller_close(s->loop);
    world_close(s->world);
    arena_close(s->arena);
    log_close(s->log);
    mem_free(s);
}

const struct world *server_world(const struct server *s)
{
    return s->world;
}

void server_ports(const struct server *s, uint16_t *http, uint16_t *https, uint16_t *dns,
                  uint16_t *control)
{
    *http = listeners_http_port(s->listeners);
    *https = listeners_https_port(s->listeners);
    *dns = dns_port_number(s->dns);
    *control = s->control_port;
}
