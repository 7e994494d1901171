/* SPDX-License-Identifier: Apache-2.0 */
/* http_rig: one engine and one ask, with what came of it; for tests that bring the peer. */
#ifndef TESTS_UNIT_NET_HTTP_RIG_H
#define TESTS_UNIT_NET_HTTP_RIG_H

#include "base/buf.h"
#include "net/http.h"

#define HTTP_RIG_REQUEST "GET / HTTP/1.1\r\nHost: x.test\r\n\r\n"

enum { HTTP_RIG_MOST_TURNS = 200000 }; /* of a loop that waits for something */

struct http_rig {
    struct loop loop;
    struct http *http;
    struct guard *guard;
    struct http_ask ask;
    unsigned done;
    struct http_answer answer; /* the last one; head and body are copied */
    struct buf head, body;
};

/* Limits that no test comes near unless it wants to. */
struct http_settings http_rig_usual(void);

/* Ready to ask the port of x.test at one address for HTTP_RIG_REQUEST. Only 127.0.0.0/8 may be
 * asked. */
void http_rig_init(struct http_rig *r, const struct http_settings *s, uint16_t port,
                   const struct address *address);
void http_rig_done(struct http_rig *r);

/* The ask's `done`: counts and copies. A test's own may call it. */
void http_rig_note(struct http_ask *ask, const struct http_answer *a);

/* Turns the loop until so many asks are done; fails the test if that never comes. */
void http_rig_run_until(struct http_rig *r, unsigned done);

#endif
