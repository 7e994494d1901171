/* SPDX-License-Identifier: Apache-2.0 */
/* h2_moods: frames that no HTTP/2 library would send, written by hand (F89).
 *
 * A flood begins with the first request of a connection and is bounded: a client that is still
 * there at its end sees the connection closed. Nothing the client sends meanwhile is looked at. */
#ifndef SERVE_H2_MOODS_H
#define SERVE_H2_MOODS_H

#include "base/buf.h"
#include "faults/mood.h"

enum h2_flood_limits {
    H2_FLOOD_FRAMES = 100 * 1000, /* SETTINGS; CONTINUATIONs of a head that never ends */
    H2_BOMB_FRAMES = 64,          /* of 16 KB, whose every byte becomes 4 KB of header */
};

struct h2_flood {
    enum h2_mood mood;
    uint32_t stream; /* the request's */
    uint32_t frames; /* written so far */
};

/* Whether the mood is one of these. */
bool h2_mood_floods(enum h2_mood mood);

/* Appends whole frames, up to about `most` bytes. */
void h2_flood_give(struct h2_flood *f, size_t most, struct buf *out);

bool h2_flood_is_over(const struct h2_flood *f);

#endif
