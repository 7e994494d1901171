/* SPDX-License-Identifier: Apache-2.0 */
#include "warc/gzip.h"

#include "base/mem.h"
#include "warc/deflated.h"

#include <assert.h>
#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>

enum { CACHE_LINE = 64, OUT_STEP = 16 << 10, MAX_STEP = 1 << 30 };
enum { STORED_HEAD_BYTES = 5, STORED_MOST = 0xffff };

/* The level buffer holds the tokens of one deflate block: the largest one gives the best codes. */
struct gzip_fast {
    struct isal_zstream stream;
    struct isal_hufftables small; /* codes for small members */
    unsigned level;
    bool is_stored; /* the rest of the member */
    uint32_t crc;   /* of the member so far, while is_stored */
    uint32_t bytes;
    uint8_t level_buf[ISAL_DEF_LVL3_DEFAULT];
};

/* What requests, metadata and revisits are made of; only the share of each byte matters, and which
 * stretches come again. */
static const char sample[] =
    "WARC/1.1\r\nWARC-Type: request\r\nWARC-Record-ID: "
    "<urn:uuid:70b5e8a3-94c1-4d2f-86e0-b1f7c2d395a4>\r\nWARC-Date: 2027-03-18T16:42:05.937Z\r\n"
    "Content-Length: 1846\r\nContent-Type: application/http;msgtype=request\r\n"
    "WARC-Warcinfo-ID: <urn:uuid:2c6f01d9-7a38-4be5-9d40-e3f8a1b75c62>\r\n"
    "WARC-Target-URI: https://www.example.org/articles/harbour-lights/index.html?page=2\r\n"
    "WARC-IP-Address: 203.0.113.87\r\n"
    "WARC-Concurrent-To: <urn:uuid:58e3d2b7-10fa-4c69-a5b8-7f94e6c01d23>\r\n\r\n"
    "GET /articles/harbour-lights/index.html HTTP/1.1\r\nHost: www.example.org\r\n"
    "User-Agent: orbweaver/0.1.0 (+https://example.org/crawl)\r\n"
    "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\n"
    "Accept-Language: en,*;q=0.5\r\nAccept-Encoding: gzip, deflate, br, zstd\r\n\r\n\r\n\r\n"
    "WARC/1.1\r\nWARC-Type: metadata\r\nWARC-Record-ID: "
    "<urn:uuid:e19d47c0-3b82-4a6e-9f15-08c7d6b2a5f3>\r\nWARC-Date: 2027-03-18T16:42:05.940Z\r\n"
    "Content-Length: 972\r\nContent-Type: application/warc-fields\r\n"
    "WARC-Target-URI: https://www.example.org/articles/harbour-lights/\r\n\r\n"
    "via: https://www.example.org/articles/\r\nhopsFromSeed: LLL\r\nfetchTimeMs: 184\r\n"
    "outlink: https://www.example.org/style/main.css E link/@href\r\n"
    "outlink: https://www.example.org/about/people.html L a/@href\r\n"
    "outlink: https://static.example.net/images/2027/03/lighthouse-640.jpg E img/@src\r\n"
    "outlink: https://www.example.org/articles/tide-tables/ L a/@href\r\n"
    "outlink: http://blog.example.com/posts/17/when-the-fog-comes L a/@href\r\n\r\n\r\n";

static bool make_codes(struct isal_hufftables *ret)
{
    struct isal_huff_histogram *h = mem_zero(1, sizeof *h);
    if (!h)
        return false;
    isal_update_histogram((uint8_t *)(uintptr_t)sample, (int)sizeof sample - 1, h);
    int result = isal_create_hufftables(ret, h);
    assert(result == 0);
    mem_free(h);
    return true;
}

static uint32_t level_bytes(unsigned level)
{
    static const uint32_t bytes[] = {ISAL_DEF_LVL0_DEFAULT, ISAL_DEF_LVL1_DEFAULT,
                                     ISAL_DEF_LVL2_DEFAULT, ISAL_DEF_LVL3_DEFAULT};
    return bytes[level];
}

struct gzip_fast *gzip_fast_open(unsigned level)
{
    assert(level <= GZIP_FAST_MAX_LEVEL);
    struct gzip_fast *g = mem_aligned(CACHE_LINE, sizeof *g);
    if (!g)
        return NULL;
    g->level = level;
    isal_deflate_init(&g->stream);
    if (!make_codes(&g->small)) {
        mem_free(g);
        return NULL;
    }
    g->stream.hufftables = &g->small; /* level 0 takes them, the others make their own */
    return g;
}

void gzip_fast_close(struct gzip_fast *g)
{
    mem_free(g);
}

static void begin(struct gzip_fast *g, uint64_t bytes, uint16_t format)
{
    unsigned level = bytes && bytes < GZIP_SMALL_BYTES ? 0 : g->level;
    isal_deflate_reset(&g->stream);
    g->is_stored = false;
    g->stream.gzip_flag = format;
    g->stream.level = level;
    g->stream.level_buf = g->level_buf;
    g->stream.level_buf_size = level_bytes(level);
    g->stream.flush = NO_FLUSH;
}

void gzip_fast_begin(struct gzip_fast *g, uint64_t bytes)
{
    begin(g, bytes, IGZIP_GZIP);
}

void gzip_fast_begin_bare(struct gzip_fast *g, uint64_t bytes)
{
    begin(g, bytes, IGZIP_GZIP_NO_HDR);
}

/* Runs until the input is taken and, at the end of a member, everything is out. */
static void deflate_input(struct gzip_fast *g, bool last, struct buf *out)
{
    struct isal_zstream *s = &g->stream;
    assert(!g->is_stored);
    s->end_of_stream = last;
    do {
        char *to = buf_reserve(out, OUT_STEP);
        if (!to)
            return;
        size_t room = out->cap - out->n;
        s->next_out = (uint8_t *)to;
        s->avail_out = (uint32_t)(room < MAX_STEP ? room : MAX_STEP);
        int result = isal_deflate(s);
        assert(result == COMP_OK);
        out->n += (size_t)((char *)s->next_out - to);
    } while (s->avail_in || s->avail_out == 0 || (last && s->internal_state.state != ZSTATE_END));
}

void gzip_fast_add(struct gzip_fast *g, struct str piece, bool last, struct buf *out)
{
    do {
        struct str step = str_first(piece, MAX_STEP);
        piece = str_from(piece, step.n);
        /* igzip only reads through next_in; its type lacks the const. */
        g->stream.next_in = (uint8_t *)(uintptr_t)step.p;
        g->stream.avail_in = (uint32_t)step.n;
        deflate_input(g, last && piece.n == 0, out);
    } while (piece.n);
}

/* Ends the packed part at a whole byte. igzip has counted and summed what went in. */
static void begin_storing(struct gzip_fast *g, struct buf *out)
{
    g->stream.flush = SYNC_FLUSH;
    g->stream.avail_in = 0;
    deflate_input(g, false, out);
    g->crc = g->stream.internal_state.crc;
    g->bytes = g->stream.total_in;
    g->is_stored = true;
}

static char *put_block(char *to, struct str block, bool last)
{
    *to = last; /* the last block's bit, type 0, and nothing up to the next byte */
    put_le16(to + 1, (uint16_t)block.n);
    put_le16(to + 3, (uint16_t)~block.n);
    memcpy(to + STORED_HEAD_BYTES, block.p, block.n);
    return to + STORED_HEAD_BYTES + block.n;
}

static char *put_trailer(char *to, uint32_t crc, uint32_t bytes)
{
    put_le32(to, crc);
    put_le32(to + 4, bytes);
    return to + GZIP_TRAILER_BYTES;
}

void gzip_fast_store(struct gzip_fast *g, struct str piece, bool last, struct buf *out)
{
    if (!g->is_stored)
        begin_storing(g, out);
    size_t blocks = piece.n / STORED_MOST + 1;
    char *to = buf_reserve(out, piece.n + blocks * STORED_HEAD_BYTES + GZIP_TRAILER_BYTES);
    if (!to)
        return;
    g->crc = crc32_gzip_refl(g->crc, (const unsigned char *)piece.p, piece.n);
    g->bytes += (uint32_t)piece.n;
    for (; blocks; blocks--) {
        struct str block = str_first(piece, STORED_MOST);
        piece = str_from(piece, block.n);
        to = put_block(to, block, last && blocks == 1);
    }
    if (last)
        to = put_trailer(to, g->crc, g->bytes);
    out->n = (size_t)(to - out->p);
}

void gzip_fast_join(struct gzip_fast *g, const struct deflated *d, struct buf *out)
{
    uint64_t bytes = d->bytes + DEFLATED_END_BYTES;
    begin_storing(g, out);
    char *to = buf_reserve(out, d->stream.n + GZIP_TRAILER_BYTES);
    if (!to)
        return;
    memcpy(to, d->stream.p, d->stream.n);
    to = put_trailer(to + d->stream.n, deflated_crc_behind(g->crc, d), g->bytes + (uint32_t)bytes);
    out->n = (size_t)(to - out->p);
}
