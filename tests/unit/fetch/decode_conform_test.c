/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies collected by others: pages in every coding, bombs, and broken gzip (docs/faults.md). */
#include "fetch/decode.h"

#include "lib/test.h"

#include <stdio.h>

enum {
    MOST = 16 << 20,
    SMALL = 8 << 20,
    HTML_ROWS = 10,
    BOMB_ROWS = 4,
    BROKEN_ROWS = 3,
    FILE_ROWS = 2
};

static bool slurp(const char *name, struct buf *ret)
{
    char file[128];
    (void)snprintf(file, sizeof file, "faults/compressed/%s", name);
    const char *path = test_conformance(file);
    return path && test_slurp(path, ret);
}

static struct str undo(struct decoder *d, struct str body, const char *coding, uint64_t max_bytes,
                       uint64_t max_ratio, struct buf *out, struct decode_report *r)
{
    struct decode_input in = {.body = body,
                              .content_encoding = str_c(coding),
                              .max_bytes = max_bytes,
                              .max_ratio = max_ratio};
    struct str text;
    assert_rc(decoder_run(d, &in, out, &text, r), RC_OK);
    return text;
}

struct sample {
    const char *file, *coding;
    unsigned layers;
};

static const struct sample pages[] = {
    {"html-gzip.bin", "gzip", 1},
    {"html-br.bin", "br", 1},
    {"html-rawdeflate.bin", "deflate", 1},
    {"html-zlibdeflate.bin", "deflate", 1},
    {"html-zstd-static-content-size.bin", "zstd", 1},
    {"html-zstd-static-no-content-size.bin", "zstd", 1},
    {"html-zstd-streaming-no-content-size.bin", "zstd", 1},
    {"html-gzip-deflate.bin", "gzip, deflate", 2},
    {"html-gzip-deflate-gzip.bin", "gzip, deflate, gzip", 3},
    {"html-gzip.bin", "br, gzip", 1},
};

static void pages_are_undone(void **state)
{
    (void)state;
    struct decoder *d;
    struct buf out = {.max = MOST};
    struct score score = {.set = "faults/compressed html"};
    assert_rc(decoder_open(&d), RC_OK);
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        struct buf body = {0};
        struct decode_report r;
        if (!slurp(pages[i].file, &body))
            skip();
        struct str text = undo(d, buf_str(&body), pages[i].coding, MOST, 100, &out, &r);
        score_row(&score,
                  r.end == DECODE_WHOLE && r.layers == pages[i].layers &&
                      str_find_str(text, STR("<html")) < text.n,
                  "%s: end %d, %u layers, %zu bytes", pages[i].file, r.end, r.layers, text.n);
        buf_done(&body);
    }
    buf_done(&out);
    decoder_close(d);
    score_end(&score, HTML_ROWS);
}

static void bombs_are_cut(void **state)
{
    (void)state;
    static const struct sample bombs[] = {{"bomb-br.bin", "br", 1},
                                          {"bomb-deflate.bin", "deflate", 1},
                                          {"bomb-gzip.bin", "gzip", 1},
                                          {"bomb-zstd.bin", "zstd", 1}};
    struct decoder *d;
    struct buf out = {.max = MOST};
    struct score score = {.set = "faults/compressed bombs"};
    assert_rc(decoder_open(&d), RC_OK);
    for (size_t i = 0; i < sizeof bombs / sizeof *bombs; i++) {
        struct buf body = {0};
        struct decode_report r, by_ratio;
        if (!slurp(bombs[i].file, &body))
            skip();
        size_t n = undo(d, buf_str(&body), bombs[i].coding, SMALL, 0, &out, &r).n;
        size_t less = undo(d, buf_str(&body), bombs[i].coding, SMALL, 50, &out, &by_ratio).n;
        size_t ratio = body.n * 50 > 1 << 20 ? body.n * 50 : 1 << 20;
        score_row(&score,
                  r.end == DECODE_TOO_LARGE && n == SMALL && by_ratio.end == DECODE_TOO_LARGE &&
                      less == ratio,
                  "%s: end %d with %zu, end %d with %zu", bombs[i].file, r.end, n, by_ratio.end,
                  less);
        buf_done(&body);
    }
    buf_done(&out);
    decoder_close(d);
    score_end(&score, BOMB_ROWS);
}

/* The set has its expected text as UTF-8, each byte taken for a character. */
static void bytes_as_utf8(struct str text, struct buf *out)
{
    for (size_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.p[i];
        if (c >= 0x80)
            buf_byte(out, (char)(0xc0 | c >> 6));
        buf_byte(out, (char)(c < 0x80 ? c : 0x80 | (c & 0x3f)));
    }
}

static void broken_gzip_gives_what_came_before(void **state)
{
    (void)state;
    static const struct sample broken[] = {{"unexpected-eof.gz", "gzip", 1},
                                           {"truncated-crc-error.gz", "gzip", 1},
                                           {"truncated-crc-error-short.gz", "gzip", 1}};
    struct decoder *d;
    struct buf out = {.max = MOST}, wanted = {0};
    struct score score = {.set = "faults/compressed broken"};
    if (!slurp("unexpected-eof-output.txt", &wanted))
        skip();
    assert_rc(decoder_open(&d), RC_OK);
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        struct buf body = {0};
        struct decode_report r;
        if (!slurp(broken[i].file, &body))
            skip();
        struct str text = undo(d, buf_str(&body), broken[i].coding, MOST, 100, &out, &r);
        struct buf utf8 = {.max = MOST};
        bytes_as_utf8(text, &utf8);
        bool good = i ? str_find_str(text, STR("</html")) < text.n
                      : str_eq(buf_str(&utf8), buf_str(&wanted));
        buf_done(&utf8);
        score_row(&score, r.end == DECODE_BROKEN && r.layers == 1 && good, "%s: end %d, %zu bytes",
                  broken[i].file, r.end, text.n);
        buf_done(&body);
    }
    buf_done(&wanted);
    buf_done(&out);
    decoder_close(d);
    score_end(&score, BROKEN_ROWS);
}

/* A file that is gzip itself stays as it is, until the reader of sitemaps asks for more. */
static void files_stay_until_they_are_asked_for(void **state)
{
    (void)state;
    struct decoder *d;
    struct buf out = {.max = MOST}, packed = {0}, plain = {0};
    struct score score = {.set = "faults/compressed files"};
    struct decode_report r;
    struct str text;
    if (!slurp("feed-sample1.xml.gz", &packed) || !slurp("feed-sample1.xml", &plain))
        skip();
    assert_rc(decoder_open(&d), RC_OK);
    text = undo(d, buf_str(&packed), NULL, MOST, 100, &out, &r);
    score_row(&score, text.p == packed.p && r.end == DECODE_WHOLE && r.layers == 0, "undone");
    assert_rc(decoder_gunzip(d, buf_str(&packed), MOST, &out, &text, &r), RC_OK);
    score_row(&score, str_eq(text, buf_str(&plain)) && r.end == DECODE_WHOLE, "gunzip: %zu",
              text.n);
    decoder_close(d);
    buf_done(&out);
    buf_done(&packed);
    buf_done(&plain);
    score_end(&score, FILE_ROWS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_are_undone),
        cmocka_unit_test(bombs_are_cut),
        cmocka_unit_test(broken_gzip_gives_what_came_before),
        cmocka_unit_test(files_stay_until_they_are_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
