/* SPDX-License-Identifier: Apache-2.0 */
/* What a 28 KB page costs to be written to an archive, and to be read back. The page is text with
 * the repetition of HTML: words from a list, tags, links with numbers. */
#include "bench.h"

#include "base/rng.h"
#include "warc/payload.h"
#include "warc/reader.h"
#include "warc/records.h"
#include "warc/verify.h"

#include <stdlib.h>

enum { PAGES = 200, PAGE_BYTES = 28 << 10, OUT_MAX = 256 << 20 };

static const char head[] =
    "HTTP/1.1 200 OK\r\nServer: nginx\r\nDate: Mon, 06 May 2024 07:08:09 GMT\r\n"
    "Content-Type: text/html; charset=utf-8\r\nContent-Length: 28672\r\n\r\n";

static void add_word(struct buf *b, struct rng *rng)
{
    static const char *const words[] = {"the",  "archive", "of",  "a",      "record",
                                        "is",   "kept",    "by",  "server", "when",
                                        "page", "and",     "its", "links",  "change"};
    buf_add(b, str_c(words[rng_below(rng, sizeof words / sizeof *words)]));
    buf_byte(b, ' ');
    if (rng_below(rng, 12) == 0)
        buf_printf(b, "%llx ", (unsigned long long)rng_below(rng, 1 << 24));
}

static void make_page(struct buf *b, uint64_t seed)
{
    struct rng rng;
    rng_init(&rng, seed);
    buf_clear(b);
    buf_add(b, STR("<!DOCTYPE html><html><head><title>A page</title></head><body>\n"));
    while (b->n < PAGE_BYTES) {
        buf_printf(b, "<p class=\"text\"><a href=\"/section%llu/page%llu.html\">",
                   (unsigned long long)rng_below(&rng, 40),
                   (unsigned long long)rng_below(&rng, 9999));
        for (int i = 0; i < 60; i++)
            add_word(b, &rng);
        buf_add(b, STR("</a></p>\n"));
    }
    b->n = PAGE_BYTES;
}

static void write_page(struct warc_writer *w, struct str body, struct buf *out)
{
    struct warc_id id = {{7}};
    struct warc_response r = {
        .head = {.id = id, .date_ms = 1714979289123, .warcinfo = &id},
        .capture = {.target_uri = STR("http://www.example.com/section/page.html"),
                    .ip_address = STR("192.0.2.1")},
    };
    warc_write_response(w, &r, sizeof head - 1 + body.n, out);
    warc_writer_add(w, str_c(head));
    warc_writer_add(w, body);
    if (warc_writer_end(w) != RC_OK)
        abort();
}

static void bench_write(const char *name, struct warc_writer_options o, const struct buf *pages,
                        struct buf *out)
{
    struct warc_writer *w = warc_writer_open(&o);
    double ns;
    if (!w)
        abort();
    BENCH_BEST(ns, PAGES, {
        buf_clear(out);
        for (size_t i = 0; i < PAGES; i++)
            write_page(w, buf_str(&pages[i]), out);
    });
    char line[100];
    snprintf(line, sizeof line, "%s: a 28 KB response", name);
    bench_row(line, ns / 1e3, "us", "-");
    snprintf(line, sizeof line, "%s: speed", name);
    bench_row(line, PAGE_BYTES / ns * 1e3, "MB/s",
              o.coding == WARC_FAST ? ">= 284 on such text" : "-");
    snprintf(line, sizeof line, "%s: size of the original", name);
    bench_row(line, (double)out->n / ((double)PAGES * PAGE_BYTES) * 100, "%", "-");
    warc_writer_close(w);
}

static void bench_read(const char *name, const struct buf *archive, bool verify)
{
    struct warc_reader *r = warc_reader_open(NULL);
    struct warc_verifier *v = warc_verifier_open();
    double ns;
    if (!r || !v)
        abort();
    BENCH_BEST(ns, PAGES, {
        struct str piece;
        enum warc_event e;
        struct warc_verdict verdict;
        warc_reader_reset(r);
        warc_reader_feed(r, buf_str(archive));
        warc_reader_finish(r);
        while ((e = warc_reader_next(r, &piece)) != WARC_END) {
            if (e == WARC_BROKEN)
                abort();
            if (verify && e == WARC_RECORD)
                warc_verifier_begin(v, warc_reader_record(r));
            if (verify && e == WARC_BLOCK)
                warc_verifier_add(v, piece);
            if (verify && e == WARC_RECORD_END && warc_verifier_end(v, &verdict) != RC_OK)
                abort();
        }
    });
    char line[100];
    snprintf(line, sizeof line, "%s: a 28 KB response", name);
    bench_row(line, ns / 1e3, "us", "-");
    snprintf(line, sizeof line, "%s: speed", name);
    bench_row(line, PAGE_BYTES / ns * 1e3, "MB/s", "-");
    warc_verifier_close(v);
    warc_reader_close(r);
}

static void bench_digest(const struct buf *page)
{
    struct warc_payload *p = warc_payload_open();
    struct str pieces[] = {str_c(head), buf_str(page)};
    struct digest d;
    double ns;
    if (!p)
        abort();
    BENCH_BEST(ns, 1000, {
        for (int i = 0; i < 1000; i++)
            if (warc_payload_digest(p, pieces, 2, DIGEST_SHA1, &d, NULL) != RC_OK)
                abort();
    });
    bench_row("payload digest of a 28 KB response", ns / 1e3, "us", "-");
    warc_payload_close(p);
}

int main(void)
{
    static struct buf pages[PAGES];
    struct buf fast = {.max = OUT_MAX}, out = {.max = OUT_MAX}, plain = {.max = OUT_MAX};
    for (size_t i = 0; i < PAGES; i++) {
        buf_init(&pages[i], 2 * PAGE_BYTES);
        make_page(&pages[i], i);
    }
    bench_write("plain", (struct warc_writer_options){.coding = WARC_PLAIN}, pages, &plain);
    bench_write("igzip 1", (struct warc_writer_options){0}, pages, &fast);
    bench_write("libdeflate 1", (struct warc_writer_options){.coding = WARC_COMPACT, .level = 1},
                pages, &out);
    bench_write("libdeflate 6", (struct warc_writer_options){.coding = WARC_COMPACT}, pages, &out);
    bench_digest(&pages[0]);
    bench_read("read plain", &plain, false);
    bench_read("read gzip", &fast, false);
    bench_read("read and verify gzip", &fast, true);
    for (size_t i = 0; i < PAGES; i++)
        buf_done(&pages[i]);
    buf_done(&plain);
    buf_done(&fast);
    buf_done(&out);
    return 0;
}
