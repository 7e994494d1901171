/* SPDX-License-Identifier: Apache-2.0 */
#include "warc/inflate.h"

#include "base/mem_zlib.h"

#include <assert.h>
#include <zlib.h>

enum { GZIP_ONLY = 16, MAX_STEP = 1 << 30 };

struct inflater {
    z_stream stream;
};

struct inflater *inflater_open(void)
{
    struct inflater *f = mem_zero(1, sizeof *f);
    if (!f)
        return NULL;
    f->stream.zalloc = mem_zlib_alloc;
    f->stream.zfree = mem_zlib_free;
    if (inflateInit2(&f->stream, MAX_WBITS + GZIP_ONLY) != Z_OK) {
        mem_free(f);
        return NULL;
    }
    return f;
}

void inflater_close(struct inflater *f)
{
    if (!f)
        return;
    inflateEnd(&f->stream);
    mem_free(f);
}

void inflater_reset(struct inflater *f)
{
    int result = inflateReset(&f->stream);
    assert(result == Z_OK);
    f->stream.msg = NULL;
}

enum inflate_state inflater_run(struct inflater *f, struct str *in, char *to, size_t room,
                                size_t *ret_bytes)
{
    z_stream *s = &f->stream;
    struct str step = str_first(*in, MAX_STEP);
    uInt space = (uInt)(room < MAX_STEP ? room : MAX_STEP);
    s->next_in = (Bytef *)(uintptr_t)(step.p ? step.p : "");
    s->avail_in = (uInt)step.n;
    s->next_out = (Bytef *)to;
    s->avail_out = space;
    int result = inflate(s, Z_NO_FLUSH);
    *in = str_from(*in, step.n - s->avail_in);
    *ret_bytes = space - s->avail_out;
    switch (result) {
    case Z_STREAM_END:
        return INFLATE_END;
    case Z_OK:
    case Z_BUF_ERROR: /* nothing could be done: no input */
        return INFLATE_MORE;
    case Z_MEM_ERROR:
        return INFLATE_NOMEM;
    default:
        return INFLATE_BROKEN;
    }
}

/* zlib's own phrases, said as what was expected. */
static const struct {
    const char *zlib, *expected;
    size_t back;
} phrases[] = {
    {"incorrect data check", "expected the CRC-32 of the member's data", 4},
    {"incorrect length check", "expected the length of the member's data", 4},
    {"incorrect header check", "expected a gzip member (1f 8b)", 2},
    {"unknown compression method", "expected compression method 8 (deflate)", 2},
    {"unknown header flags set", "expected no reserved flag in a gzip header", 2},
    {"header crc mismatch", "expected the CRC-16 of the gzip header", 2},
};

const char *inflater_problem(const struct inflater *f)
{
    const char *msg = f->stream.msg ? f->stream.msg : "";
    for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++)
        if (strcmp(msg, phrases[i].zlib) == 0)
            return phrases[i].expected;
    return "expected valid deflate data";
}

size_t inflater_problem_back(const struct inflater *f)
{
    const char *msg = f->stream.msg ? f->stream.msg : "";
    for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++)
        if (strcmp(msg, phrases[i].zlib) == 0)
            return phrases[i].back;
    return 0;
}

uint32_t inflate_crc_join(uint32_t first, uint32_t second, uint64_t bytes)
{
    return (uint32_t)crc32_combine64(first, second, (z_off64_t)bytes);
}
