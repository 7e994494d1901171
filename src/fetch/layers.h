/* SPDX-License-Identifier: Apache-2.0 */
/* layers: several codings undone at once, each fed by the one below. Internal to fetch.
 *
 *     body -> chunks off -> layer 0 -> room -> layer 1 -> ... -> the result
 *
 * Between two layers stands one room of fixed size, so memory does not grow with what they hold. A
 * single layer, as almost every body has, gets its body in one piece and room for what that says it
 * holds: its codec can then undo it in one call.
 * No layer may make more bytes than the result may have: bytes that vanish in the layer above
 * (empty members, frames to be skipped) cost time too. */
#ifndef FETCH_LAYERS_H
#define FETCH_LAYERS_H

#include "base/buf.h"
#include "base/chunked.h"
#include "fetch/codec.h"

enum {
    LAYERS_MAX = 4,
    LAYER_ROOM_BYTES = 16 << 10,
    LAYER_HEAD_BYTES = 256,
    LAYERS_JOIN_MAX = 1 << 20, /* bodies in chunks up to here are put together first */
};

/* What Content-Encoding may say. */
enum said { SAID_GZIP, SAID_DEFLATE, SAID_BR, SAID_ZSTD };

struct layer {
    enum said said;
    bool is_absent; /* the bytes do not have it: they go through as they are */
    enum coding coding;
    const struct codec *codec;
    void *state;
    struct str in, behind; /* pieces to be taken, in turn */
    bool has_begun, in_over, is_over;
    enum codec_end end; /* how it ended; CODEC_MORE: it was left off */
    uint64_t made;      /* bytes that came out */
    bool head_is_text;  /* what it began with */
    char head[LAYER_HEAD_BYTES];
};

struct layers {
    struct str body; /* not yet taken */
    bool is_chunked;
    struct chunked chunks;
    struct buf joined; /* the body without chunks; kept from body to body */
    uint64_t limit;    /* of the result, and of what each layer makes */
    bool is_over_limit;
    unsigned count;
    struct layer layer[LAYERS_MAX];
    /* kept from body to body: of each kind one for each layer, opened when first needed */
    void *states[3][LAYERS_MAX];
    char *rooms[LAYERS_MAX]; /* of what goes to the layer above */
};

void layers_done(struct layers *l);

/* Makes ready for a body, which must stay until layers_run is over. The caller sets layer[].said and
 * is_absent, count and limit. */
void layers_begin(struct layers *l, struct str body, bool is_chunked);

/* Everything, appended to `out`. RC_NOMEM alone; the rest is told by the layers. */
MUST_CHECK enum rc layers_run(struct layers *l, struct buf *out);

#endif
