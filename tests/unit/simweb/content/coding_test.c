/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/simweb/world/make.h"

#include "base/mem.h"
#include "content/content.h"

#include <brotli/decode.h>
#include <zlib.h>
#include <zstd.h>

enum { MOST_BYTES = 16 << 20 };

static void from_gzip(struct str coded, struct buf *out)
{
    z_stream z = {.next_in = (Bytef *)(uintptr_t)coded.p, .avail_in = (uInt)coded.n};
    char *to = buf_reserve(out, MOST_BYTES);
    z.next_out = (Bytef *)to;
    z.avail_out = MOST_BYTES;
    assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
    assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END); /* checks length and CRC */
    assert_int_equal(z.avail_in, 0);
    out->n = MOST_BYTES - z.avail_out;
    inflateEnd(&z);
}

static void from_br(struct str coded, struct buf *out)
{
    size_t n = MOST_BYTES;
    char *to = buf_reserve(out, MOST_BYTES);
    assert_int_equal(BrotliDecoderDecompress(coded.n, (const uint8_t *)coded.p, &n, (uint8_t *)to),
                     BROTLI_DECODER_RESULT_SUCCESS);
    out->n = n;
}

/* Frame after frame, as a client's stream decoder does. */
static void from_zstd(struct str coded, struct buf *out)
{
    ZSTD_DStream *d = ZSTD_createDStream();
    ZSTD_inBuffer in = {coded.p, coded.n, 0};
    ZSTD_outBuffer to = {buf_reserve(out, MOST_BYTES), MOST_BYTES, 0};
    size_t rc = 0;
    while (in.pos < in.size) {
        rc = ZSTD_decompressStream(d, &to, &in);
        assert_false(ZSTD_isError(rc));
    }
    assert_int_equal(rc, 0); /* the last frame is whole */
    out->n = to.pos;
    ZSTD_freeDStream(d);
}

static void decode(enum coding coding, struct str coded, struct buf *out)
{
    buf_clear(out);
    if (coding == CODING_GZIP)
        from_gzip(coded, out);
    else if (coding == CODING_BR)
        from_br(coded, out);
    else if (coding == CODING_ZSTD)
        from_zstd(coded, out);
    else
        buf_add(out, coded);
}

static void check_place(struct content *c, struct place p, struct version v, struct buf bufs[3])
{
    buf_clear(&bufs[0]);
    content_body(c, p, v, CODING_IDENTITY, &bufs[0]);
    assert_rc(buf_rc(&bufs[0]), RC_OK);
    for (int twice = 0; twice < 2; twice++) /* once made, once from what is kept */
        for (unsigned k = 0; k < CODING_COUNT_; k++) {
            buf_clear(&bufs[1]);
            content_body(c, p, v, (enum coding)k, &bufs[1]);
            assert_rc(buf_rc(&bufs[1]), RC_OK);
            decode((enum coding)k, buf_str(&bufs[1]), &bufs[2]);
            assert_str(buf_str(&bufs[2]), buf_str(&bufs[0]));
        }
}

static void every_coding_holds_the_identity_body(void **state)
{
    (void)state;
    struct made m = make_world("hosts=20 pages=8 redirects=0 images=0");
    struct content *c = content_open(m.world);
    struct buf bufs[3] = {{.max = MOST_BYTES}, {.max = MOST_BYTES}, {.max = MOST_BYTES}};
    for (uint32_t h = 0; h < 20; h++) {
        for (uint32_t p = 0; p < host_pages(m.world, h); p++)
            check_place(c, (struct place){h, PLACE_PAGE, p, 0}, (struct version){.text = p}, bufs);
        check_place(c, (struct place){h, PLACE_STYLE, 0, 0}, (struct version){0}, bufs);
        check_place(c, (struct place){h, PLACE_FEED, 0, 0}, (struct version){0}, bufs);
    }
    for (int i = 0; i < 3; i++)
        buf_done(&bufs[i]);
    content_close(c);
    unmake_world(&m);
}

static void text_of_any_size_is_encoded_and_back(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 255, 256, 70000, 3000000};
    struct made m = make_world("hosts=2 pages=2");
    struct content *c = content_open(m.world);
    struct buf text = {.max = MOST_BYTES}, coded = {.max = MOST_BYTES}, back = {.max = MOST_BYTES};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (unsigned k = 0; k < CODING_COUNT_; k++) {
            buf_clear(&text);
            buf_clear(&coded);
            content_text(c, i, sizes[i], &text);
            assert_rc(content_encode((enum coding)k, buf_str(&text), &coded), RC_OK);
            decode((enum coding)k, buf_str(&coded), &back);
            assert_str(buf_str(&back), buf_str(&text));
        }
    buf_done(&text);
    buf_done(&coded);
    buf_done(&back);
    content_close(c);
    unmake_world(&m);
}

static void codings_have_the_names_of_http(void **state)
{
    (void)state;
    assert_string_equal(coding_name(CODING_IDENTITY), "");
    assert_string_equal(coding_name(CODING_GZIP), "gzip");
    assert_string_equal(coding_name(CODING_BR), "br");
    assert_string_equal(coding_name(CODING_ZSTD), "zstd");
}

static void what_does_not_fit_is_said(void **state)
{
    (void)state;
    static const char text[5000];
    for (unsigned k = 0; k < CODING_COUNT_; k++) {
        struct buf small = {.max = 20};
        assert_rc(content_encode((enum coding)k, str_make(text, sizeof text), &small), RC_LIMIT);
        buf_done(&small);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_coding_holds_the_identity_body),
        cmocka_unit_test(text_of_any_size_is_encoded_and_back),
        cmocka_unit_test(codings_have_the_names_of_http),
        cmocka_unit_test(what_does_not_fit_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
