/* SPDX-License-Identifier: Apache-2.0 */
/* Input: a byte of choices, the value of Content-Encoding up to a line end, then a body.
 * Properties: the result never exceeds max_bytes nor, past a megabyte, the ratio; `out` never grows
 * past its maximum, and a decoder at rest keeps no more than four layers need; decoding again gives
 * the same; nothing undone means that the body itself is borrowed. Windows are watched by
 * libFuzzer's own limit of memory. */
#include "fetch/decode.h"

#include "base/mem.h"
#include "fuzz.h"

enum {
    SMALL = 1000,
    LARGE = 4 << 20,
    FREE_BYTES = 1 << 20,
    RATIO = 8,
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
    MUST(mem_live() == live);
    return 0;
}
