/* SPDX-License-Identifier: Apache-2.0 */
/* server: the whole simulated web on this machine: one thread, one epoll, every address, DNS, the
 * control port.
 *
 *   accept ─► conn (stream, request) ─► site_answer ─► reply ─► steps on the stream
 *                                          │ witness_start / witness_end
 *   DNS datagram ─► name_answer ─► datagram, maybe later
 *
 * Everything it opens is on loopback. The control port answers only to the token in run.json. */
#ifndef SERVE_SERVER_H
#define SERVE_SERVER_H

#include "faults/fault.h"

struct server_settings {
    struct str dir;    /* run.json (0600), ca.pem, ca.key */
    uint64_t dns_port; /* 0 = any free one, likewise for the others */
    uint64_t control_port;
    uint64_t latency_least_ms; /* a host's own, log-uniform between the two */
    uint64_t latency_most_ms;
    uint64_t bandwidth_least; /* bytes/s of one connection, a host's own; 0 = no limit */
    uint64_t bandwidth_most;
    double rate_limit;   /* requests/s a host allows; 0 = any */
    uint64_t rate_burst; /* at once before the limit bites */
    double chunked;      /* share of hosts that answer in chunks */
    double coded;        /* share of hosts that offer gzip, br and zstd */
    double http2;        /* share of https hosts that offer h2 */
    uint64_t clock_ms;   /* the simulated clock's start, since 1970; 0 = now */
    double clock_speed;  /* simulated seconds a real second; 0 = stands until moved */
    bool keep_urls;      /* the witness remembers every URL */
    uint64_t idle_ms;    /* a silent keep-alive connection is closed after this */
    uint64_t most_connections;
    struct fault_knobs knobs;
};

extern const struct option server_options[];

/* What the rows cannot say: shares from 0 to 1, the least not above the most. Puts what is wrong
 * into `why` and returns RC_INVALID. server_open asks it. */
MUST_CHECK enum rc server_settings_check(const struct server_settings *s, struct buf *why);

struct server;

/* Opens every port and writes run.json: {"pid","http_port","https_port","dns","control","token",
 * "ca","home","settings":{…world_options by key…}}. On failure `why` says what and what to do. The
 * world's settings may have ports 0; the server chooses them and makes the world. */
MUST_CHECK enum rc server_open(const struct world_settings *web, const struct server_settings *s,
                               struct server **ret, struct buf *why);

/* Serves until server_stop (from a signal handler: async-signal-safe) or a failure. */
MUST_CHECK enum rc server_run(struct server *s);
void server_stop(struct server *s);
void server_close(struct server *s); /* removes run.json */

/* For the first lines a person reads. */
const struct world *server_world(const struct server *s);
void server_ports(const struct server *s, uint16_t *http, uint16_t *https, uint16_t *dns,
                  uint16_t *control);

#endif
