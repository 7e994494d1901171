/* SPDX-License-Identifier: Apache-2.0 */
/* session: one connection to the archive machine, as frames: the login, then files one after the
 * other. It has no socket and no clock: those belong to the server. */
#ifndef SINK_SESSION_H
#define SINK_SESSION_H

#include "sink/store.h"

struct sink_session_setup {
    struct sink_store *store;
    /* Whether an agent has that name and secret. */
    bool (*may)(void *ctx, struct str name, struct str secret);
    void *may_ctx;
    struct sink_progress progress;
};

struct sink_session;

/* NULL without memory. */
struct sink_session *sink_session_open(const struct sink_session_setup *s);
void sink_session_close(struct sink_session *s); /* accepts NULL */

/* The longest frame that it accepts now: before the login it is short. */
size_t sink_session_max_bytes(const struct sink_session *s);
bool sink_session_is_known(const struct sink_session *s);
/* The agent's name; "" before the login. */
const char *sink_session_name(const struct sink_session *s);

/* Answers a frame; NULL stands for bytes that are no frame. False: the answer is the last. The text
 * of the answer is static. */
bool sink_session_take(struct sink_session *s, const struct sink_frame *f, struct sink_frame *ret);

#endif
