/* SPDX-License-Identifier: Apache-2.0 */
/* Input: a byte of choices, the value of Content-Encoding up to a line end, then a body.
 * Properties: the result never exceeds max_bytes nor, past a megabyte, the ratio; `out` never grows
 * past its maximum, and a decoder at rest keeps no more than four layers need; decoding again gives
 * the same; nothing undone means that the body itself is borrowed. Windows are watched by
 * libFuzzer's own limit of memory. gzip and deflate in one call give what they give byte by byte;
 * of a stream that zlib refuses and libdeflate takes, zlib's bytes are the beginning. */
#include "fetch/codec.h"
#include "fetch/decode.h"

#include "base/mem.h"
#include "fuzz.h"

enum {
    SMALL = 1000,
    LARGE = 4 << 20,
    FREE_BYTES = 1 << 20,
    RATIO = 8,
    CODEC_ROOM = 1 << 16,
    KEPT_PIECES = 64, /* allocations that may stay for the next body */
};

static struct str run(struct decoder *d, const struct decode_input *in, struct buf *out,
                      struct decode_report *r)
{
    struct str text;
    MUST(decoder_run(d, in, out, &text, r) == RC_OK);
    MUST(text.n <= in->max_bytes && r->layers <= DECODE_MAX_LAYERS);
    MUST((r->end == DECODE_WHOLE) == (r->why == NULL));
    MUST(out->cap <= out->max);
    if (in->max_ratio && r->layers && text.n > FREE_BYTES)
        MUST(text.n <= in->max_ratio * in->body.n);
    if (r->layers == 0 && !in->is_chunked)
        MUST(text.p == in->body.p);
    return text;
}

/* All of `in` in steps of at most `step` bytes; what comes behind CODEC_ROOM is left. */
static enum codec_end undo(void *state, enum coding coding, struct str in, size_t step,
                           struct buf *out)
{
    enum codec_end end = CODEC_MORE;
    struct str piece = STR_NONE;
    buf_clear(out);
    MUST(buf_reserve(out, CODEC_ROOM) && codec_zlib.begin(state, coding));
    while (end == CODEC_MORE && out->n < CODEC_ROOM) {
        size_t n, room = CODEC_ROOM - out->n;
        if (piece.n == 0) {
            piece = str_first(in, step);
            in = str_from(in, piece.n);
        }
        end = codec_zlib.run(state, &piece, in.n == 0, out->p + out->n, room, &n);
        MUST(n <= room);
        out->n += n;
    }
    codec_zlib.end(state);
    return end;
}

static void compare_steps(struct str body, enum coding coding)
{
    struct buf whole = {.max = CODEC_ROOM}, bytes = {.max = CODEC_ROOM};
    void *state = codec_zlib.open();
    MUST(state);
    enum codec_end end = undo(state, coding, body, SIZE_MAX, &whole);
    enum codec_end one_by_one = undo(state, coding, body, 1, &bytes);
    bool is_full = whole.n == CODEC_ROOM || bytes.n == CODEC_ROOM;
    if (is_full)
        MUST(str_starts(buf_str(&whole), buf_str(&bytes)));
    else if (end == CODEC_OVER && one_by_one == CODEC_BROKEN)
        MUST(str_starts(buf_str(&whole), buf_str(&bytes)));
    else
        MUST(end == one_by_one && str_eq(buf_str(&whole), buf_str(&bytes)));
    codec_zlib.close(state);
    buf_done(&whole);
    buf_done(&bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct str rest = str_make((const char *)data, n);
    struct str choice = str_first(rest, 1);
    rest = str_from(rest, 1);
    struct str coding = str_take_until(&rest, '\n');
    unsigned bits = choice.n ? (unsigned char)choice.p[0] : 0;
    struct decode_input in = {
        .body = rest,
        .is_chunked = bits & 1,
        .content_encoding = coding,
        .max_bytes = bits & 2 ? SMALL : LARGE,
        .max_ratio = bits & 4 ? RATIO : 0,
    };
    int64_t live = mem_live();
    struct decoder *d;
    struct buf out = {.max = LARGE}, again = {.max = LARGE};
    struct decode_report r, s;
    MUST(decoder_open(&d) == RC_OK);
    struct str text = run(d, &in, &out, &r);
    struct str same = run(d, &in, &again, &s);
    MUST(str_eq(text, same) && r.end == s.end && r.layers == s.layers);
    MUST(decoder_gunzip(d, in.body, in.max_bytes, &again, &same, &s) == RC_OK);
    MUST(same.n <= in.max_bytes && s.layers <= 1);
    MUST(mem_live() - live < KEPT_PIECES);
    decoder_close(d);
    buf_done(&out);
    buf_done(&again);
    if (in.body.n > 2)
        compare_steps(in.body, bits & 8 ? CODING_ZLIB : bits & 16 ? CODING_RAW : CODING_GZIP);
    MUST(mem_live() == live);
    return 0;
}
