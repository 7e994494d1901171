/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a small archive, as a crawl does, below the folder argv[1], and prints its index. */
#include "archive/capture.h"

#include "base/rng.h"

#include <stdio.h>
#include <zlib.h>

static const char chunked[] = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
                              "Transfer-Encoding: chunked\r\n\r\n";
static const char plain[] = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
                            "Content-Length: 11\r\n\r\n";

static const char encoded[] = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
                              "Content-Encoding: gzip\r\n\r\n";
static const char picture[] = "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n";

enum { PAGE_BYTES = 60000, PICTURE_BYTES = 150000 };

/* A page that its server has packed. Its record's body is stored, not packed again. */
static bool make_encoded(struct buf *out)
{
    struct buf page = {.max = 1 << 20};
    struct rng rng;
    z_stream s = {0};
    rng_init(&rng, 1);
    while (page.n < PAGE_BYTES)
        buf_printf(&page, "<p>item %u</p>\n", (unsigned)rng_below(&rng, 100000));
    bool good = deflateInit2(&s, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK;
    s.next_in = (Bytef *)page.p;
    s.avail_in = (uInt)page.n;
    s.next_out = (Bytef *)buf_reserve(out, PAGE_BYTES);
    s.avail_out = PAGE_BYTES;
    good = good && s.next_out && deflate(&s, Z_FINISH) == Z_STREAM_END;
    out->n = PAGE_BYTES - s.avail_out;
    deflateEnd(&s);
    buf_done(&page);
    return good;
}

static void make_picture(struct buf *out)
{
    struct rng rng;
    rng_init(&rng, 2);
    buf_add(out, STR("\x89PNG\r\n\x1a\n"));
    while (out->n < PICTURE_BYTES)
        buf_byte(out, (char)rng_next(&rng));
}

static enum rc put_all(struct warc_files *files, struct capture_writer *writer,
                       struct digest_table *table, const struct buf packed[2], struct buf *index)
{
    struct warc_outlink link = {STR("http://example.com/next"), 'L', STR("a/@href")};
    struct warc_fetch_facts facts = {.via = STR("http://example.com/"),
                                     .hops_from_seed = STR("L"),
                                     .fetch_time_ms = 12,
                                     .outlinks = &link,
                                     .outlink_count = 1};
    struct capture captures[] = {
        {.target_uri = STR("http://example.com/a"),
         .head = str_c(plain),
         .body = STR("hello world")},
        {.target_uri = STR("http://www.example.com/b?y=1&x=2"),
         .head = str_c(chunked),
         .body = STR("5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n")},
        {.target_uri = STR("http://example.org/c"),
         .head = str_c(chunked),
         .body = STR("3\r\nabc\r\n3\r\ndef\r\n0\r\n\r\n"),
         .is_http2 = true},
        {.target_uri = STR("http://example.org/cut"),
         .head = str_c(plain),
         .body = STR("hello w"),
         .cut = WARC_CUT_DISCONNECT},
        {.target_uri = STR("http://example.org/encoded"),
         .head = str_c(encoded),
         .body = buf_str(&packed[0])},
        {.target_uri = STR("http://example.org/picture"),
         .head = str_c(picture),
         .body = buf_str(&packed[1])},
    };
    enum rc rc = RC_OK;
    for (size_t i = 0; i < sizeof captures / sizeof *captures && rc == RC_OK; i++) {
        struct capture *c = &captures[i];
        struct warc_location location;
        c->date_ms = INT64_C(1700000000000) + (int64_t)i * 1500;
        c->ip_address = STR("192.0.2.1");
        c->request = STR("GET /x HTTP/1.1\r\nHost: example.com\r\n\r\n");
        c->facts = &facts;
        rc = capture_write(writer, files, table, c, &location);
        if (rc == RC_OK) {
            capture_remember(table, c, &location);
            rc = capture_print_cdxj(index, c, &location);
        }
    }
    return rc;
}

static enum rc finish(struct warc_files *files)
{
    warc_files_roll(files);
    enum rc rc = warc_files_sync(files);
    return rc ? rc : warc_files_seal(files, warc_files_position(files));
}

int main(int argc, char **argv)
{
    struct warc_files_settings s = {
        .folder = "archive",
        .prefix = STR("SAMPLE"),
        .host = STR("host"),
        .serial_step = 1,
        .roll_bytes = 1000000000,
        .info = {.software = STR("orbweaver/sample"), .contact = STR("nobody@example.com")}};
    struct disk *d = NULL;
    struct warc_files *files = NULL;
    struct buf index, packed[2] = {{.max = 1 << 20}, {.max = 1 << 20}};
    buf_init(&index, 1 << 20);
    make_picture(&packed[1]);
    struct capture_writer *writer = capture_writer_open();
    struct digest_table *table = digest_table_open(1 << 20);
    enum rc rc = argc == 2 && writer && table && make_encoded(&packed[0])
                     ? disk_real_open(argv[1], &d)
                     : RC_INVALID;
    rc = rc ? rc : warc_files_open(d, &s, &files);
    rc = rc ? rc : put_all(files, writer, table, packed, &index);
    rc = rc ? rc : finish(files);
    if (fwrite(index.p, 1, index.n, stdout) != index.n)
        rc = RC_IO;
    warc_files_close(files);
    capture_writer_close(writer);
    digest_table_close(table);
    disk_close(d);
    buf_done(&index);
    buf_done(&packed[0]);
    buf_done(&packed[1]);
    return rc ? 1 : 0;
}
