/* SPDX-License-Identifier: Apache-2.0 */
/* control_request: one request to a running crawl, a line over DIR/run/control.sock.
 *
 *     {"do":"status"}                           {"do":"url","url":"http://example.org/a"}
 *     {"do":"pause"}  {"do":"unpause"}          {"do":"known","urls":["http://example.org/", ...]}
 *     {"do":"checkpoint"}                       {"do":"seeds","urls":["http://example.org/", ...]}
 *     {"do":"stop","now":true}                  {"do":"set","key":"pace.delay","value":"2s"}
 *     {"do":"agent"}  {"do":"cluster"}          {"do":"drain","agent":"b"}
 *     {"do":"piece","file":"links/links.arcs","from":0}               (control_piece.h)
 *
 * In a cluster, status and url with "all":true, and cluster, are of the whole crawl: the agent asks
 * the others. agent is this one alone. drain comes from the operator (control_peers.c).
 *
 * The answer is one line: {"ok":true,...} or {"error":{"code":"...","message":"...",
 * "hint":"..."}}. */
#ifndef CONTROL_CONTROL_REQUEST_H
#define CONTROL_CONTROL_REQUEST_H

#include "base/arena.h"
#include "base/buf.h"

enum {
    CONTROL_LINE_BYTES = 1 << 20, /* of a request, its LF included */
    CONTROL_ANSWER_BYTES = 8 << 20,
    CONTROL_URLS = 200, /* in one request */
};

enum control_do {
    CONTROL_STATUS,
    CONTROL_PAUSE,
    CONTROL_UNPAUSE,
    CONTROL_CHECKPOINT,
    CONTROL_STOP,
    CONTROL_SET,
    CONTROL_SEEDS,
    CONTROL_KNOWN,
    CONTROL_URL,
    CONTROL_AGENT,
    CONTROL_CLUSTER,
    CONTROL_DRAIN,
    CONTROL_PIECE,
    CONTROL_DOES_
};

struct control_request {
    enum control_do what;
    bool now;         /* stop */
    bool all;         /* of the whole cluster */
    struct str agent; /* drain; agent: the former agent in question, or absent; piece: its owner */
    struct str file;  /* piece */
    uint64_t from;
    struct str key, value;  /* set */
    struct str url;         /* url */
    const struct str *urls; /* seeds, known */
    size_t url_count;
};

/* Reads a line without its LF, and copies its texts into the arena. RC_INVALID with `why` for a
 * person; RC_NOMEM. */
MUST_CHECK enum rc control_request_read(struct str line, struct arena *arena,
                                        struct control_request *ret, struct buf *why);

/* The "code" of an error answer for a failure, and the failure for such a code: RC_IO for a code
 * that no failure has, or that several have. */
const char *control_error_code(enum rc rc);
enum rc control_error_rc(struct str code);

#endif
