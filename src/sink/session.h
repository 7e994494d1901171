/* SPDX-License-Identifier: Apache-2.0 */
/* session: one connection to the archive machine, as frames: who it is, then files one behind the
 * other. No socket and no time: those are the server's. */
#ifndef SINK_SESSION_H
#define SINK_SESSION_H

#include "sink/store.h"

struct sink_session_setup {
    struct sink_store *store;
    /* Whether somebody has that name and secret. */
    bool (*may)(void *ctx, struct str name, struct str secret);
    void *may_ctx;
    struct sink_beat beat;
};

struct sink_session;

/* NULL without memory. */
struct sink_session *sink_session_open(const struct sink_session_setup *s);
void sink_session_close(struct sink_session *s); /* accepts NULL */

/* Longest frame that it takes now: strangers may say little. */
size_t sink_session_max_bytes(const struct sink_session *s);
bool sink_session_is_known(const struct sink_session *s);
/* Whose it is; "" before that is known. */
const char *sink_session_name(const struct sink_session *s);

/* Answers a frame; NULL stands for bytes that are none. False: the answer is the last. The text of
 * the answer lives for ever. */
bool sink_session_take(struct sink_session *s, const struct sink_frame *f, struct sink_frame *ret);

#endif
