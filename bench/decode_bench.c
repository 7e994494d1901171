/* SPDX-License-Identifier: Apache-2.0 */
/* A page of 28 KB as servers send it: what reading its body costs. */
#include "bench.h"

#include "base/rng.h"
#include "fetch/decode.h"
#include "fetch/media.h"

#include <brotli/encode.h>
#include <zlib.h>
#include <zstd.h>

enum { PAGE_BYTES = 28 << 10, ROOM = 64 << 10, PAGES = 2000, CHUNK = 4000, START_BYTES = 1445 };

static const char *const words[] = {"crawler", "the",  "of",    "page",   "and",  "server", "a",
                                    "weather", "with", "river", "report", "from", "index",  "is"};

/* 43 links among words, as on the synthetic web. */
static void page_write(struct buf *b)
{
    struct rng r;
    rng_init(&r, 1);
    buf_add(b, STR("<!DOCTYPE html><html><head><title>A page</title></head><body>\n"));
    for (unsigned i = 0; b->n < PAGE_BYTES; i++) {
        if (i % 110 == 0)
            buf_printf(b, "</p>\n<p><a href=\"/section/%u/item-%u.html\">more</a> ", i % 97,
                       (unsigned)rng_below(&r, 100000));
        buf_printf(b, "%s%u ", words[rng_below(&r, sizeof words / sizeof *words)],
                   i % 7 ? 0 : (unsigned)rng_below(&r, 1000));
    }
    b->n = PAGE_BYTES;
}

static void pack_deflate(struct str text, int bits, struct buf *out)
{
    z_stream s = {.next_in = (Bytef *)(uintptr_t)text.p, .avail_in = (uInt)text.n};
    s.next_out = (Bytef *)buf_reserve(out, ROOM);
    s.avail_out = ROOM;
    if (!s.next_out || deflateInit2(&s, 6, Z_DEFLATED, bits, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return;
    (void)deflate(&s, Z_FINISH);
    out->n += ROOM - s.avail_out;
    deflateEnd(&s);
}

static void pack_gzip(struct str text, struct buf *out)
{
    pack_deflate(text, MAX_WBITS + 16, out);
}

static void pack_zlib(struct str text, struct buf *out)
{
    pack_deflate(text, MAX_WBITS, out);
}

static void pack_br(struct str text, struct buf *out)
{
    size_t n = ROOM;
    char *to = buf_reserve(out, ROOM);
    if (to && BrotliEncoderCompress(5, BROTLI_DEFAULT_WINDOW, BROTLI_MODE_TEXT, text.n,
                                    (const uint8_t *)text.p, &n, (uint8_t *)to))
        out->n += n;
}

static void pack_zstd(struct str text, struct buf *out)
{
    char *to = buf_reserve(out, ROOM);
    size_t n = to ? ZSTD_compress(to, ROOM, text.p, text.n, 3) : 0;
    out->n += ZSTD_isError(n) ? 0 : n;
}

static void pack_plain(struct str text, struct buf *out)
{
    buf_add(out, text);
}

static void pack_chunks(struct str text, struct buf *out)
{
    for (; text.n; text = str_from(text, CHUNK)) {
        struct str piece = str_first(text, CHUNK);
        buf_printf(out, "%zx\r\n", piece.n);
        buf_add(out, piece);
        buf_add(out, STR("\r\n"));
    }
    buf_add(out, STR("0\r\n\r\n"));
}

static const struct {
    const char *name, *coding, *goal;
    bool is_chunked;
    void (*pack)(struct str text, struct buf *out);
} rows[] = {
    {"plain", NULL, "0.1", false, pack_plain}, {"chunked", NULL, "10", true, pack_chunks},
    {"gzip", "gzip", "100", false, pack_gzip}, {"deflate", "deflate", "100", false, pack_zlib},
    {"br", "br", "100", false, pack_br},       {"zstd", "zstd", "50", false, pack_zstd},
};

static void run(struct decoder *d, size_t i, struct str page)
{
    struct buf body = {.max = 1 << 20}, out = {.max = 1 << 20};
    struct str text = STR_NONE;
    struct decode_report r;
    double ns;
    char label[96];
    rows[i].pack(page, &body);
    struct decode_input in = {.body = buf_str(&body),
                              .is_chunked = rows[i].is_chunked,
                              .content_encoding = str_c(rows[i].coding),
                              .max_bytes = 1 << 20,
                              .max_ratio = 100};
    bool good = true;
    BENCH_BEST(ns, PAGES, {
        for (int k = 0; k < PAGES; k++)
            good &= decoder_run(d, &in, &out, &text, &r) == RC_OK && text.n == page.n;
    });
    (void)snprintf(label, sizeof label, "decode, 28 KB page, %s (%zu bytes)%s", rows[i].name,
                   body.n, good ? "" : " WRONG");
    bench_row(label, ns / 1000, "CPU-us", rows[i].goal);
    buf_done(&body);
    buf_done(&out);
}

int main(void)
{
    struct buf page = {.max = 1 << 20};
    struct decoder *d;
    double ns;
    page_write(&page);
    if (decoder_open(&d) != RC_OK)
        return 1;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        run(d, i, buf_str(&page));
    struct str start = str_first(buf_str(&page), START_BYTES);
    BENCH_BEST(ns, PAGES, {
        for (int k = 0; k < PAGES; k++)
            BENCH_USE(media_of(STR("text/html; charset=utf-8"), start));
    });
    bench_row("media of a page", ns / 1000, "CPU-us", "0.5");
    decoder_close(d);
    buf_done(&page);
    return 0;
}
