/* SPDX-License-Identifier: Apache-2.0 */
#include "fetch/layers.h"

#include "base/mem.h"
#include "fetch/sniff.h"

#include <assert.h>

enum { OUT_STEP = 16 << 10, MOST_EXPANSION = 1032 /* deflate's: RFC 1951 */, USUAL_EXPANSION = 4 };

static const struct codec *const codecs[3] = {&codec_zlib, &codec_brotli, &codec_zstd};

void layers_done(struct layers *l)
{
    for (unsigned i = 0; i < LAYERS_MAX; i++) {
        for (unsigned kind = 0; kind < 3; kind++)
            if (l->states[kind][i])
                codecs[kind]->close(l->states[kind][i]);
        mem_free(l->rooms[i]);
    }
    buf_done(&l->joined);
}

void layers_begin(struct layers *l, struct str body, bool is_chunked)
{
    l->body = body;
    l->is_chunked = is_chunked;
    l->chunks = (struct chunked){0};
    l->is_over_limit = false;
    for (unsigned i = 0; i < l->count; i++) {
        struct layer *one = &l->layer[i];
        one->codec = NULL;
        one->in = one->behind = STR_NONE;
        one->has_begun = one->in_over = one->is_over = one->head_is_text = false;
        one->end = CODEC_MORE;
        one->made = 0;
    }
}

static bool body_next(struct layers *l, struct str *ret_piece)
{
    if (l->is_chunked)
        return chunked_next(&l->chunks, &l->body, ret_piece);
    *ret_piece = l->body;
    l->body = str_from(l->body, l->body.n);
    return ret_piece->n > 0;
}

/* Whether no byte comes behind what was given. Chunks have to be asked. */
static bool body_is_over(const struct layers *l)
{
    return !l->is_chunked && l->body.n == 0;
}

static enum rc layer_run(struct layers *l, unsigned at, char *to, size_t room, size_t *ret_bytes);

/* The next piece from below, to be used up before the next is asked for. Empty: there is none. */
static enum rc piece_below(struct layers *l, unsigned at, struct str *ret_piece)
{
    *ret_piece = STR_NONE;
    if (at == 0) {
        (void)body_next(l, ret_piece);
        return RC_OK;
    }
    char **room = &l->rooms[at - 1];
    if (!*room)
        *room = mem_alloc(LAYER_ROOM_BYTES);
    if (!*room)
        return RC_NOMEM;
    size_t n;
    enum rc rc = layer_run(l, at - 1, *room, LAYER_ROOM_BYTES, &n);
    *ret_piece = str_make(*room, n);
    return rc;
}

static enum rc more_input(struct layers *l, unsigned at)
{
    struct layer *one = &l->layer[at];
    one->in = one->behind;
    one->behind = STR_NONE;
    if (one->in.n || one->in_over)
        return RC_OK;
    enum rc rc = piece_below(l, at, &one->in);
    one->in_over = one->in.n == 0 || (at == 0 && body_is_over(l));
    return rc;
}

static bool is_zlib(struct str head)
{
    unsigned char a = (unsigned char)head.p[0], b = (unsigned char)head.p[1];
    return (a & 15) == 8 && a >> 4 <= 7 && (a << 8 | b) % 31 == 0; /* RFC 1950, 2.2 */
}

static bool is_zstd(struct str head)
{
    return str_starts(head, STR("\x28\xb5\x2f\xfd")) ||
           (head.n >= 4 && ((unsigned char)head.p[0] & 0xf0) == 0x50 &&
            memcmp(head.p + 1, "\x2a\x4d\x18", 3) == 0); /* a frame to be skipped */
}

/* What the first bytes are, given what they are said to be. br and deflate without wrapping have no
 * mark: whether they are there shows when they are undone. */
static enum coding coding_of(enum said said, struct str head)
{
    bool is_gzip = str_starts(head, STR("\x1f\x8b"));
    if (head.n == 0)
        return CODING_NONE;
    switch (said) {
    case SAID_GZIP:
        return is_gzip ? CODING_GZIP : CODING_NONE;
    case SAID_DEFLATE: /* 1f begins no deflate of either kind */
        return is_gzip ? CODING_GZIP : head.n >= 2 && is_zlib(head) ? CODING_ZLIB : CODING_RAW;
    case SAID_BR:
        return CODING_BROTLI;
    case SAID_ZSTD:
        return is_zstd(head) ? CODING_ZSTD : CODING_NONE;
    }
    return CODING_NONE;
}

static enum rc codec_begin(struct layers *l, unsigned at)
{
    struct layer *one = &l->layer[at];
    unsigned kind = one->coding == CODING_BROTLI ? 1 : one->coding == CODING_ZSTD ? 2 : 0;
    void **state = &l->states[kind][at];
    if (!*state)
        *state = codecs[kind]->open();
    if (!*state || !codecs[kind]->begin(*state, one->coding))
        return RC_NOMEM;
    one->state = *state;
    one->codec = codecs[kind];
    return RC_OK;
}

/* Makes the first piece one of LAYER_HEAD_BYTES, or all there is, out of smaller ones. */
static enum rc join_head(struct layers *l, unsigned at)
{
    struct layer *one = &l->layer[at];
    enum rc rc = RC_OK;
    size_t n = 0;
    while (rc == RC_OK && one->in.n && n < LAYER_HEAD_BYTES) {
        struct str part = str_first(one->in, LAYER_HEAD_BYTES - n);
        assert(part.p);
        memcpy(one->head + n, part.p, part.n);
        n += part.n;
        one->in = str_from(one->in, part.n);
        if (one->in.n == 0)
            rc = more_input(l, at);
    }
    one->behind = one->in;
    one->in = str_make(one->head, n);
    return rc;
}

static enum rc layer_begin(struct layers *l, unsigned at)
{
    struct layer *one = &l->layer[at];
    one->has_begun = true;
    enum rc rc = more_input(l, at);
    if (rc == RC_OK && one->in.n < LAYER_HEAD_BYTES && !one->in_over)
        rc = join_head(l, at);
    if (rc != RC_OK || one->is_absent)
        return rc;
    struct str head = str_first(one->in, LAYER_HEAD_BYTES);
    one->head_is_text = !sniff_is_binary(head);
    one->coding = coding_of(one->said, head);
    one->is_absent = one->coding == CODING_NONE;
    return one->is_absent ? RC_OK : codec_begin(l, at);
}

static enum codec_end pass(struct layer *one, bool last, char *to, size_t room, size_t *ret_bytes)
{
    struct str part = str_first(one->in, room);
    if (part.n)
        memcpy(to, part.p, part.n);
    one->in = str_from(one->in, part.n);
    *ret_bytes = part.n;
    return last && !part.n ? CODEC_OVER : CODEC_MORE;
}

/* At least one byte of what the layer makes; none when it is over. */
static enum rc layer_run(struct layers *l, unsigned at, char *to, size_t room, size_t *ret_bytes)
{
    struct layer *one = &l->layer[at];
    enum rc rc = one->has_begun ? RC_OK : layer_begin(l, at);
    *ret_bytes = 0;
    while (rc == RC_OK && !one->is_over && !*ret_bytes) {
        if (one->in.n == 0)
            rc = more_input(l, at);
        if (rc != RC_OK)
            break;
        bool last = one->in_over && !one->behind.n;
        enum codec_end end = one->codec
                                 ? one->codec->run(one->state, &one->in, last, to, room, ret_bytes)
                                 : pass(one, last, to, room, ret_bytes);
        if (end == CODEC_NOMEM)
            return RC_NOMEM;
        one->end = end;
        one->made += *ret_bytes;
        if (one->made > l->limit && at + 1 < l->count)
            l->is_over_limit = true;
        one->is_over = end != CODEC_MORE || l->is_over_limit;
    }
    return rc;
}

static void layers_end(struct layers *l)
{
    for (unsigned i = 0; i < l->count; i++)
        if (l->layer[i].codec)
            l->layer[i].codec->end(l->layer[i].state);
}

/* Whether a byte more would come. */
static enum rc probe(struct layers *l)
{
    char more;
    size_t n;
    enum rc rc = layer_run(l, l->count - 1, &more, 1, &n);
    l->is_over_limit |= n > 0;
    return rc;
}

/* Makes a small body of one piece, so that its codec sees the end: 0.13 us for 9 KB. */
static enum rc join_chunks(struct layers *l)
{
    struct str piece;
    if (!l->is_chunked || l->body.n > LAYERS_JOIN_MAX)
        return RC_OK;
    buf_clear(&l->joined);
    l->joined.max = LAYERS_JOIN_MAX;
    while (chunked_next(&l->chunks, &l->body, &piece))
        buf_add(&l->joined, piece);
    l->body = buf_str(&l->joined);
    l->is_chunked = false;
    return buf_rc(&l->joined);
}

/* Room for all that a single layer makes, as far as that can be known; at least OUT_STEP. The
 * layer has begun. */
static uint64_t first_room(const struct layers *l)
{
    const struct layer *one = &l->layer[0];
    if (l->count != 1 || !one->codec || !one->in_over || one->behind.n)
        return OUT_STEP;
    uint64_t usual = (uint64_t)one->in.n * USUAL_EXPANSION,
             most = (uint64_t)one->in.n * MOST_EXPANSION;
    uint64_t bytes = one->codec->says ? one->codec->says(one->coding, one->in) : 0;
    bytes = bytes ? bytes : usual;
    bytes = bytes < most ? bytes : most;
    return bytes > OUT_STEP ? bytes : OUT_STEP;
}

enum rc layers_run(struct layers *l, struct buf *out)
{
    assert(l->count > 0);
    enum rc rc = join_chunks(l);
    if (rc == RC_OK && l->count == 1)
        rc = layer_begin(l, 0);
    uint64_t step = rc == RC_OK ? first_room(l) : 0;
    const struct layer *top = &l->layer[l->count - 1];
    while (rc == RC_OK && !top->is_over && out->n < l->limit) {
        size_t left = (size_t)(l->limit - out->n), n;
        char *to = buf_reserve(out, left < step ? left : (size_t)step);
        if (!to) {
            rc = RC_NOMEM;
            break;
        }
        size_t room = out->cap - out->n;
        step = OUT_STEP;
        rc = layer_run(l, l->count - 1, to, room < left ? room : left, &n);
        out->n += n;
    }
    if (rc == RC_OK && !top->is_over)
        rc = probe(l);
    layers_end(l);
    return rc;
}
