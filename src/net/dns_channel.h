/* SPDX-License-Identifier: Apache-2.0 */
/* dns_channel: questions out, messages in. The one file that knows c-ares.
 *
 * c-ares chooses ids, compares them and the question with the answer, sends again, goes on to the
 * next server, and asks over TCP what did not fit a datagram; it never adds a search domain, for it
 * is asked for names as they are. Its sockets are watched by the loop. It waits by the kernel's
 * clock, whatever the loop's is: a caller that needs a limit on the loop's clock sets a timer.
 *
 * All memory of c-ares comes through base/mem: the library takes one allocator for the process,
 * given to it once, before the first channel. */
#ifndef NET_DNS_CHANNEL_H
#define NET_DNS_CHANNEL_H

#include "base/buf.h"
#include "base/loop.h"

enum { DNS_MAX_SERVERS = 16 };

enum dns_said {
    DNS_SAID_MESSAGE, /* a server answered: with addresses or with an error code */
    DNS_SAID_NO_NAME, /* the library knows that there is no such name: .onion */
    DNS_SAID_FAILED,  /* every server refused, failed, or sent nonsense */
    DNS_SAID_TIMEOUT,
    DNS_SAID_NOMEM,
    DNS_SAID_CLOSED, /* the channel goes away */
};

/* In the caller's memory until `said`. */
struct dns_call {
    void (*said)(struct dns_call *c, enum dns_said what, struct str message);
    void *channel; /* the channel's */
};

struct dns_channel;

/* `resolver` as in dns_settings. `after` is called from the loop, behind calls of `said`, outside
 * the library: only there may new questions be asked or callers told. RC_INVALID: `why`. */
MUST_CHECK enum rc dns_channel_open(struct loop *loop, struct str resolver, uint64_t timeout_ms,
                                    uint64_t tries, void (*after)(void *ctx), void *ctx,
                                    struct dns_channel **ret, struct buf *why);
void dns_channel_close(struct dns_channel *ch);

/* `name` is absolute. `said` is called exactly once, perhaps from here; not on RC_NOMEM. */
MUST_CHECK enum rc dns_channel_ask(struct dns_channel *ch, const char *name, bool is_v6,
                                   struct dns_call *call);

/* How many servers it may go through for one question. */
unsigned dns_channel_servers(const struct dns_channel *ch);

#endif
