/* SPDX-License-Identifier: Apache-2.0 */
/* Content codings: bombs, broken streams, wrong names, and files that are compressed themselves.
 *
 * Tell-tales as in header.c. Where a page must be read (F26), a client that does not accept the
 * coding gets it plain. */
#include "faults/catalog.h"
#include "faults/tell.h"

#include "content/content.h"

enum {
    BOMB_BYTES = 11500 * 1000, /* unpacked; the table's, whatever --fault-scale: it is small */
    BOMB_TRIES = 10,           /* a bomb comes as it should, unlike what TELL_TRIES is for */
    PACKED_MAX_BYTES = 64 * 1024 * 1024,
    FILL_BYTES = 8000,
    GZIP_HEAD_BYTES = 10,
    GZIP_TAIL_BYTES = 8,
    TAR_BLOCK_BYTES = 512,
};

/* Sends a whole answer with a coded body and ends the buf. */
static void send_coded(const struct fault_query *q, struct reply *r, const char *type,
                       const char *coding, struct buf *body)
{
    char room[128];
    struct buf more = buf_on(room, sizeof room);
    buf_printf(&more, "Content-Encoding: %s\r\n", coding);
    tell_body(q, r, type, buf_str(&more), body);
}

static void encode(enum coding coding, struct str text, struct buf *out)
{
    enum rc rc = content_encode(coding, text, out);
    if (rc != RC_OK && buf_rc(out) == RC_OK)
        out->rc = rc;
}

/* What gzip wraps: the deflate stream without head and tail. */
static struct str deflate_of(const struct buf *gzip)
{
    size_t around = GZIP_HEAD_BYTES + GZIP_TAIL_BYTES;
    struct str all = buf_str(gzip);
    return all.n > around ? str_make(all.p + GZIP_HEAD_BYTES, all.n - around) : STR("");
}

static void add_be32(struct buf *b, uint32_t v)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        buf_byte(b, (char)(v >> shift));
}

static uint32_t adler32_of(struct str text)
{
    enum { PRIME = 65521, SAFE_BYTES = 4096 }; /* that many cannot overflow 32 bits */
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < text.n; a %= PRIME, b %= PRIME)
        for (size_t end = i + SAFE_BYTES; i < text.n && i < end; i++) {
            a += (unsigned char)text.p[i];
            b += a;
        }
    return b << 16 | a;
}

/* "deflate" as it should be: zlib's wrapping (RFC 1950). */
static void encode_zlib(struct str text, struct buf *out)
{
    struct buf gzip = {.max = PACKED_MAX_BYTES};
    encode(CODING_GZIP, text, &gzip);
    buf_add(out, STR("\x78\x9c"));
    buf_add(out, deflate_of(&gzip));
    add_be32(out, adler32_of(text));
    if (buf_rc(&gzip) != RC_OK && buf_rc(out) == RC_OK)
        out->rc = buf_rc(&gzip);
    buf_done(&gzip);
}

/* F24 */
enum bomb { BOMB_GZIP, BOMB_DEFLATE, BOMB_BR, BOMB_ZSTD, BOMB_TWICE };

/* A page, 11.5 MB of the same byte, and a link behind them. */
static void bomb_text(const struct fault_query *q, const char *link, struct buf *out)
{
    struct tell_room page;
    buf_add(out, tell_text(q, &page, "a bomb", link));
    buf_fill(out, ' ', BOMB_BYTES);
    buf_printf(out, "<p><a href=\"" STR_FMT "/told/bomb/end\">the end</a></p>\n",
               STR_ARG(q->mount));
}

static void send_bomb(const struct fault_query *q, struct reply *r, enum bomb kind,
                      const char *link)
{
    static const char *const names[] = {"gzip", "deflate", "br", "zstd", "gzip, gzip"};
    static const enum coding codings[] = {CODING_GZIP, CODING_IDENTITY, CODING_BR, CODING_ZSTD,
                                          CODING_GZIP};
    struct buf text = {.max = PACKED_MAX_BYTES}, out = {.max = PACKED_MAX_BYTES};
    bomb_text(q, link, &text);
    if (kind == BOMB_DEFLATE)
        encode_zlib(buf_str(&text), &out);
    else
        encode(codings[kind], buf_str(&text), &out);
    if (kind == BOMB_TWICE) {
        buf_clear(&text);
        encode(CODING_GZIP, buf_str(&out), &text);
        struct buf inner = out;
        out = text;
        text = inner;
    }
    buf_done(&text);
    send_coded(q, r, "text/html", names[kind], &out);
}

static void bomb_gzip(const struct fault_query *q, struct reply *r)
{
    send_bomb(q, r, BOMB_GZIP, "/told/gzip/part");
}

static void bomb_deflate(const struct fault_query *q, struct reply *r)
{
    send_bomb(q, r, BOMB_DEFLATE, "/told/deflate/part");
}

static void bomb_br(const struct fault_query *q, struct reply *r)
{
    send_bomb(q, r, BOMB_BR, "/told/br/part");
}

static void bomb_zstd(const struct fault_query *q, struct reply *r)
{
    send_bomb(q, r, BOMB_ZSTD, "/told/zstd/part");
}

static void bomb_twice(const struct fault_query *q, struct reply *r)
{
    send_bomb(q, r, BOMB_TWICE, "/told/twice/part");
}

/* A gzip stream without end: a stored block with a page, then one block of fixed codes that writes
 * a space and copies it 258 times, again and again: eight such copies are 104 bits, 13 whole bytes,
 * 2064 spaces. */
static void endless_gzip(const struct fault_query *q, struct reply *r)
{
    static const char eight[] = "\xa3\x60\x14\x8c\x82\x51\x30\x0a\x46\xc1\x28\x18\x05";
    struct tell_room page;
    char room[13 * 1024];
    struct buf unit = buf_on(room, sizeof room);
    struct str text = tell_text(q, &page, "an endless bomb", "/told/endless/part");
    for (int i = 0; i < 1024; i++)
        buf_add(&unit, str_make(eight, 13));
    tell_head(r, 200, "Content-Encoding: gzip\r\nConnection: close\r\n");
    reply_send(r, STR("\x1f\x8b\x08\0\0\0\0\0\0\x03"));
    reply_sendf(r, "%c%c%c%c%c", 0, (int)(text.n & 255), (int)(text.n >> 8), (int)(~text.n & 255),
                (int)(~text.n >> 8 & 255));
    reply_send(r, text);
    reply_send(r, STR("\x52\x18\x05"));
    reply_repeat(r, buf_str(&unit), 0);
    reply_close(r);
}

/* The same in zstd (RFC 8878): a raw block, then blocks of 128 KiB that repeat one byte, each four
 * bytes long. */
static void endless_zstd(const struct fault_query *q, struct reply *r)
{
    struct tell_room page;
    char room[4 * 1024];
    struct buf unit = buf_on(room, sizeof room);
    struct str text = tell_text(q, &page, "an endless bomb", "/told/endless-zstd/part");
    size_t raw = text.n << 3;
    for (int i = 0; i < 1024; i++)
        buf_add(&unit, STR("\x02\0\x10 "));
    tell_head(r, 200, "Content-Encoding: zstd\r\nConnection: close\r\n");
    reply_send(r, STR("\x28\xb5\x2f\xfd\0\x38"));
    reply_sendf(r, "%c%c%c", (int)(raw & 255), (int)(raw >> 8 & 255), (int)(raw >> 16));
    reply_send(r, text);
    reply_repeat(r, buf_str(&unit), 0);
    reply_close(r);
}

static bool f24_answer(const struct fault_query *q, struct reply *r)
{
    static const struct tell_row rows[] = {
        {"/gzip", 200, bomb_gzip},
        {"/deflate", 200, bomb_deflate},
        {"/br", 200, bomb_br},
        {"/zstd", 200, bomb_zstd},
        {"/twice", 200, bomb_twice},
        {"/endless-gzip", 200, endless_gzip},
        {"/endless-zstd", 200, endless_zstd},
        {0},
    };
    return tell_by_path(rows, q, r);
}

static const struct fault_case f24_cases[] = {
    {"", "/gzip", "11.5 MB in some KB of gzip"},
    {"", "/deflate", "11.5 MB in some KB of deflate"},
    {"", "/br", "11.5 MB in some bytes of br"},
    {"", "/zstd", "11.5 MB in some KB of zstd"},
    {"", "/twice", "11.5 MB in gzip in gzip"},
    {"", "/endless-gzip", "a gzip stream without end, 158 times as large when unpacked"},
    {"", "/endless-zstd", "a zstd stream without end, 32768 times as large when unpacked"},
    {"", "/told/after", "a healthy page"},
    {0},
};
static const struct expect f24_expects[] = {
    {EXPECT_FETCHED, "", "/gzip", 0, "the page was not tried"},
    {EXPECT_FETCHED, "", "/deflate", 0, "the page was not tried"},
    {EXPECT_FETCHED, "", "/br", 0, "the page was not tried"},
    {EXPECT_FETCHED, "", "/zstd", 0, "the page was not tried"},
    {EXPECT_FETCHED, "", "/endless-gzip", 0, "the page was not tried"},
    {EXPECT_FETCHED, "", "/endless-zstd", 0, "the page was not tried"},
    {EXPECT_FETCHED, "", "/told/after", 0, "it did not outlive a bomb"},
    {EXPECT_BYTES, "", "/endless-gzip", 0, "it has no limit for what it unpacks"},
    {EXPECT_BYTES, "", "/endless-zstd", 0, "it has no limit for what it unpacks"},
    {EXPECT_LEAVES, "", "/endless-gzip", 0, "it unpacked without end"},
    {EXPECT_LEAVES, "", "/endless-zstd", 0, "it unpacked without end"},
    {EXPECT_AT_MOST, "", "/gzip", BOMB_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/deflate", BOMB_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/br", BOMB_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/zstd", BOMB_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/twice", BOMB_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/endless-gzip", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/endless-zstd", TELL_TRIES, "it tried again without end"},
    {0},
};

/* F25 */
enum broken { BROKEN_MAGIC, BROKEN_METHOD, BROKEN_BLOCK, BROKEN_SUM, BROKEN_SIZE, BROKEN_CUT };

static void flip(struct buf *b, size_t at)
{
    if (at < b->n)
        b->p[at] = (char)(b->p[at] ^ 0x5a);
}

static void break_gzip(struct buf *b, enum broken how)
{
    switch (how) {
    case BROKEN_MAGIC:
        flip(b, 1);
        break;
    case BROKEN_METHOD:
        flip(b, 2);
        break;
    case BROKEN_BLOCK: /* type 3 does not exist (RFC 1951, 3.2.3) */
        if (b->n > GZIP_HEAD_BYTES)
            b->p[GZIP_HEAD_BYTES] = (char)(b->p[GZIP_HEAD_BYTES] | 6);
        break;
    case BROKEN_SUM:
        flip(b, b->n - GZIP_TAIL_BYTES);
        break;
    case BROKEN_SIZE:
        flip(b, b->n - 1);
        break;
    case BROKEN_CUT:
        b->n /= 2;
        break;
    }
}

static bool f25_answer(const struct fault_query *q, struct reply *r)
{
    static const struct {
        const char *path, *link;
        enum broken how;
    } rows[] = {
        {"/magic", "/told/magic/part", BROKEN_MAGIC},
        {"/method", "/told/method/part", BROKEN_METHOD},
        {"/block", "/told/block/part", BROKEN_BLOCK},
        {"/sum", "/told/sum/part", BROKEN_SUM},
        {"/size", "/told/size/part", BROKEN_SIZE},
        {"/cut", "/told/cut/part", BROKEN_CUT},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!query_path_is(q, rows[i].path))
            continue;
        struct tell_room page;
        struct buf text = {.max = PACKED_MAX_BYTES}, out = {.max = PACKED_MAX_BYTES};
        buf_add(&text, tell_text(q, &page, "broken on the way", rows[i].link));
        for (uint32_t n = 0; n < FILL_BYTES / 10; n++)
            buf_printf(&text, "%08x\n", n * 2654435761U);
        encode(CODING_GZIP, buf_str(&text), &out);
        break_gzip(&out, rows[i].how);
        buf_done(&text);
        send_coded(q, r, "text/html", "gzip", &out);
        return true;
    }
    return false;
}

static const struct fault_case f25_cases[] = {
    {"", "/magic", "gzip with wrong first bytes"},
    {"", "/method", "gzip with an unknown method"},
    {"", "/block", "gzip with a block of a type that does not exist"},
    {"", "/sum", "gzip with a wrong checksum"},
    {"", "/size", "gzip with a wrong size at its end"},
    {"", "/cut", "the first half of a gzip stream"},
    {"", "/told/after", "a healthy page"},
    {0},
};
static const struct expect f25_expects[] = {
    {EXPECT_FETCHED, "", "/magic", 0, "the page was not tried"},
    {EXPECT_FETCHED, "", "/sum", 0, "the page was not tried"},
    {EXPECT_FETCHED, "", "/cut", 0, "the page was not tried"},
    {EXPECT_FETCHED, "", "/told/after", 0, "a broken stream cost other pages of the host"},
    {EXPECT_AT_MOST, "", "/magic", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/method", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/block", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/sum", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/size", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/cut", TELL_TRIES, "it tried again without end"},
    {0},
};

/* F26 */
enum layers { LAYERS_NONE, LAYERS_TWO, LAYERS_RAW, LAYERS_THREE };

static void pack(struct str text, enum layers layers, struct buf *out)
{
    struct buf one = {.max = PACKED_MAX_BYTES}, two = {.max = PACKED_MAX_BYTES};
    encode(CODING_GZIP, text, &one);
    if (layers == LAYERS_NONE)
        buf_add(out, text);
    else if (layers == LAYERS_RAW)
        buf_add(out, deflate_of(&one));
    else if (layers == LAYERS_TWO)
        encode(CODING_GZIP, buf_str(&one), out);
    else if (buf_rc(&one) == RC_OK) {
        encode_zlib(buf_str(&one), &two);
        encode(CODING_GZIP, buf_str(&two), out);
    }
    if (buf_rc(out) == RC_OK)
        out->rc = buf_rc(&one) != RC_OK ? buf_rc(&one) : buf_rc(&two);
    buf_done(&one);
    buf_done(&two);
}

static bool f26_answer(const struct fault_query *q, struct reply *r)
{
    static const struct {
        const char *path, *link, *coding;
        enum layers layers;
        const char *needs;
    } rows[] = {
        {"/plain", "/told/plain/good", "gzip", LAYERS_NONE, "gzip"},
        {"/twice", "/told/twice/good", "gzip, gzip", LAYERS_TWO, "gzip"},
        {"/raw", "/told/raw/good", "deflate", LAYERS_RAW, "deflate"},
        {"/twice-unsaid", "/told/unsaid/part", "gzip", LAYERS_TWO, "gzip"},
        {"/three", "/told/three/part", "gzip, deflate, gzip", LAYERS_THREE, "deflate"},
        {"/long-chain", "/told/chain/part",
         "gzip, gzip, gzip, gzip, gzip, gzip, gzip, gzip, gzip, gzip, gzip, gzip, gzip, gzip",
         LAYERS_NONE, "gzip"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!query_path_is(q, rows[i].path))
            continue;
        struct tell_room page;
        struct str text = tell_text(q, &page, "not coded as said", rows[i].link);
        struct buf out = {.max = PACKED_MAX_BYTES};
        if (!request_accepts(q->request, STR("Accept-Encoding"), str_c(rows[i].needs))) {
            tell_answer(q, r, 200, TELL_HTML, STR(""), text);
            return true;
        }
        pack(text, rows[i].layers, &out);
        send_coded(q, r, "text/html", rows[i].coding, &out);
        return true;
    }
    return false;
}

static const struct fault_case f26_cases[] = {
    {"", "/plain", "a plain page that calls itself gzip"},
    {"", "/twice", "gzip in gzip, and both said"},
    {"", "/raw", "deflate without zlib's wrapping"},
    {"", "/twice-unsaid", "gzip in gzip, and one of them said; reading it is the crawler's choice"},
    {"", "/three", "gzip in deflate in gzip; reading it is the crawler's choice"},
    {"", "/long-chain", "fourteen codings said, none applied; reading it is the crawler's choice"},
    {0},
};
static const struct expect f26_expects[] = {
    {EXPECT_FETCHED, "", "/told/plain/good", 0, "it believed the header and not the bytes"},
    {EXPECT_FETCHED, "", "/told/twice/good", 0, "the second of two codings was left"},
    {EXPECT_FETCHED, "", "/told/raw/good", 0, "deflate without wrapping was not understood"},
    {EXPECT_AT_MOST, "", "/plain", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/twice", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/raw", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/twice-unsaid", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/three", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/long-chain", TELL_TRIES, "it tried again without end"},
    {0},
};

/* F27 */
static void tar_number(char *field, size_t digits, size_t value)
{
    for (size_t i = digits; i > 0; i--, value /= 8)
        field[i - 1] = (char)('0' + value % 8);
}

/* One file in a tar of the POSIX kind: a block of names and numbers, the text, two empty blocks. */
static void tar_write(const char *name, struct str text, struct buf *out)
{
    char head[TAR_BLOCK_BYTES] = {0};
    struct buf field = buf_on(head, 100);
    size_t sum = 0, behind = (TAR_BLOCK_BYTES - text.n % TAR_BLOCK_BYTES) % TAR_BLOCK_BYTES;
    buf_add(&field, str_c(name));
    tar_number(head + 100, 7, 0644);
    tar_number(head + 108, 7, 0);
    tar_number(head + 116, 7, 0);
    tar_number(head + 124, 11, text.n);
    tar_number(head + 136, 11, 0);
    memset(head + 148, ' ', 8);
    head[156] = '0';
    memcpy(head + 257,
           "ustar\0"
           "00",
           8);
    for (size_t i = 0; i < sizeof head; i++)
        sum += (unsigned char)head[i];
    tar_number(head + 148, 6, sum);
    head[154] = 0;
    buf_add(out, str_make(head, sizeof head));
    buf_add(out, text);
    buf_fill(out, 0, behind + (size_t)2 * TAR_BLOCK_BYTES);
}

/* `file` is what a browser would save; `times` it is packed in all. */
static void send_file(const struct fault_query *q, struct reply *r, const char *type,
                      struct str file, enum layers layers)
{
    struct buf out = {.max = PACKED_MAX_BYTES};
    if (layers == LAYERS_TWO)
        pack(file, LAYERS_TWO, &out);
    else
        encode(CODING_GZIP, file, &out);
    send_coded(q, r, type, "gzip", &out);
}

static void archive(const struct fault_query *q, struct reply *r, const char *type,
                    const char *link, enum layers layers)
{
    struct tell_room page;
    struct buf tar = {.max = PACKED_MAX_BYTES};
    tar_write("index.html", tell_text(q, &page, "inside an archive", link), &tar);
    send_file(q, r, type, buf_str(&tar), layers);
    buf_done(&tar);
}

static void archive_packed(const struct fault_query *q, struct reply *r)
{
    archive(q, r, "application/gzip", "/told/packed/bad", LAYERS_TWO);
}

static void archive_named(const struct fault_query *q, struct reply *r)
{
    archive(q, r, "application/x-tar", "/told/named/part", LAYERS_NONE);
}

static void sitemap(const struct fault_query *q, struct reply *r, const char *path,
                    enum layers layers)
{
    struct buf xml = {.max = PACKED_MAX_BYTES};
    buf_add(&xml, STR("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset "
                      "xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n<url><loc>"));
    fault_url(q, "", str_c(path), &xml);
    buf_add(&xml, STR("</loc></url>\n</urlset>\n"));
    send_file(q, r, layers == LAYERS_TWO ? "application/gzip" : "application/xml", buf_str(&xml),
              layers);
    buf_done(&xml);
}

static void sitemap_packed(const struct fault_query *q, struct reply *r)
{
    sitemap(q, r, "/told/sitemap/part", LAYERS_TWO);
}

static void sitemap_named(const struct fault_query *q, struct reply *r)
{
    sitemap(q, r, "/told/sitemap-named/part", LAYERS_NONE);
}

static void robots_with_sitemaps(const struct fault_query *q, struct reply *r)
{
    static const char *const sitemaps[] = {"/sitemap.xml.gz", "/sitemap-named.xml.gz", NULL};
    tell_sitemaps(q, r, sitemaps);
}

static bool f27_answer(const struct fault_query *q, struct reply *r)
{
    static const struct tell_row rows[] = {
        {"/packed.tar.gz", 200, archive_packed},    {"/named.tar.gz", 200, archive_named},
        {"/sitemap.xml.gz", 200, sitemap_packed},   {"/sitemap-named.xml.gz", 200, sitemap_named},
        {"/robots.txt", 200, robots_with_sitemaps}, {0},
    };
    return tell_by_path(rows, q, r);
}

static const struct fault_case f27_cases[] = {
    {"", "/packed.tar.gz", "a packed archive, packed once more on the way"},
    {"", "/named.tar.gz", "an archive whose only packing is called the way's"},
    {"", "/sitemap.xml.gz", "a packed sitemap, packed once more on the way"},
    {"", "/sitemap-named.xml.gz", "a sitemap whose only packing is called the way's"},
    {0},
};
static const struct expect f27_expects[] = {
    {EXPECT_FETCHED, "", "/packed.tar.gz", 0, "the file was not tried"},
    {EXPECT_FETCHED, "", "/named.tar.gz", 0, "the file was not tried"},
    {EXPECT_NEVER, "", "/told/packed/bad", 0, "the file itself was unpacked and read as a page"},
    {EXPECT_AT_MOST, "", "/packed.tar.gz", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/named.tar.gz", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/sitemap.xml.gz", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/sitemap-named.xml.gz", TELL_TRIES, "it tried again without end"},
    {0},
};

const struct fault faults_zip[] = {
    {"F24", "zip",
     "sends few bytes that unpack to 11.5 MB, in gzip, deflate, br and zstd, or to no end at all",
     "unpacks as it reads, with limits for the unpacked bytes and for their ratio; past them the "
     "page is truncated and the connection closed. Its memory stays flat",
     NULL, f24_cases, f24_expects, f24_answer, true},
    {"F25", "zip", "sends gzip with a broken head, block, checksum or size, or half of it",
     "keeps what could be unpacked and notes the rest. We follow the links of that part", NULL,
     f25_cases, f25_expects, f25_answer, true},
    {"F26", "zip", "says a coding that the body does not have, has twice, or has without wrapping",
     "looks at the bytes: reads a plain body as it is, undoes the codings that are said up to a "
     "small number, understands deflate without zlib's wrapping. We undo up to four",
     NULL, f26_cases, f26_expects, f26_answer, true},
    {"F27", "zip", "sends files that are compressed themselves with Content-Encoding: gzip",
     "undoes the coding of the way once, and leaves the file as it is: an archive is no page. A "
     "sitemap may then be unpacked by whoever reads sitemaps; we do",
     NULL, f27_cases, f27_expects, f27_answer, true},
    {0},
};
