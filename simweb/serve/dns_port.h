/* SPDX-License-Identifier: Apache-2.0 */
/* dns_port: the sockets of the DNS server, UDP and TCP; what is answered is serve/names.h's. */
#ifndef SERVE_DNS_PORT_H
#define SERVE_DNS_PORT_H

#include "serve/names.h"
#include "serve/poller.h"

enum dns_port_limits {
    DNS_PORT_MAX_LATER = 10000, /* answers that wait for their time; further ones are dropped */
    DNS_PORT_MAX_CLIENTS = 500, /* over TCP; further ones are closed */
    DNS_PORT_IDLE_MS = 30000,   /* then a TCP client is closed */
};

struct dns_port;

/* On 127.0.0.1, UDP and TCP at the same port (0 = any free one). Names and loop are borrowed. On
 * failure `why` says what to do. */
MUST_CHECK enum rc dns_port_open(struct poller *loop, struct names *names, uint64_t port,
                                 struct dns_port **ret, struct buf *why);
void dns_port_close(struct dns_port *p);

uint16_t dns_port_number(const struct dns_port *p);

#endif
