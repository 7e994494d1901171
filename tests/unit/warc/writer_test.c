/* SPDX-License-Identifier: Apache-2.0 */
#include "kit.h"

#include "base/mem.h"
#include "base/rng.h"
#include "warc/gzip.h"
#include "warc/inflate.h"

enum { OUT_MAX = 64 << 20 };

static const enum warc_coding codings[] = {WARC_FAST, WARC_COMPACT, WARC_PLAIN};

static void begin(struct warc_writer *w, uint64_t bytes, struct buf *out)
{
    struct warc_resource r = {
        .head = {.date_ms = 1},
        .capture = {.target_uri = STR("http://a/")},
        .content_type = STR("application/octet-stream"),
    };
    warc_write_resource(w, &r, bytes, out);
}

/* Text that compresses and has some surprise in it. */
static void fill_text(struct buf *b, size_t bytes, uint64_t seed)
{
    struct rng rng;
    rng_init(&rng, seed);
    while (b->n < bytes)
        buf_printf(b, "<p class=\"x%llu\">some words of text</p>\n",
                   (unsigned long long)rng_below(&rng, 100000));
    b->n = bytes;
}

static void assert_reads_back(struct str archive, struct str block)
{
    struct warc_reader *r = warc_reader_open(NULL);
    assert_non_null(r);
    warc_reader_feed(r, archive);
    warc_reader_finish(r);
    enum warc_event e;
    struct str piece;
    size_t at = 0, ended = 0;
    while ((e = warc_reader_next(r, &piece)) != WARC_END) {
        assert_int_not_equal(e, WARC_BROKEN);
        if (e == WARC_BLOCK) {
            assert_true(at + piece.n <= block.n);
            assert_memory_equal(piece.p, block.p + at, piece.n);
            at += piece.n;
        }
        ended += e == WARC_RECORD_END;
    }
    assert_int_equal(at, block.n);
    assert_int_equal(ended, 1);
    assert_true(warc_reader_ended(r).own_member && warc_reader_ended(r).bytes == archive.n);
    warc_reader_close(r);
}

static void what_is_written_is_read_byte_for_byte(void **state)
{
    (void)state;
    static const size_t sizes[] = {0,
                                   1,
                                   2,
                                   100,
                                   4095,
                                   28000,
                                   65536,
                                   65537,
                                   300000,
                                   WARC_GATHER_FAST_MAX,
                                   WARC_GATHER_FAST_MAX + 1,
                                   9 << 20};
    static const size_t steps[] = {1 << 30, 1000, 7};
    struct buf block = {.max = OUT_MAX}, out = {.max = OUT_MAX};
    for (size_t c = 0; c < 3; c++) {
        struct warc_writer_options o = {.coding = codings[c]};
        struct warc_writer *w = warc_writer_open(&o);
        assert_non_null(w);
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            buf_clear(&block);
            fill_text(&block, sizes[s], s);
            for (size_t k = 0; k < 3 && (k < 2 || sizes[s] < 1000000); k++) {
                buf_clear(&out);
                begin(w, block.n, &out);
                for (size_t at = 0; at < block.n; at += steps[k])
                    warc_writer_add(w, str_first(str_from(buf_str(&block), at), steps[k]));
                assert_rc(warc_writer_end(w), RC_OK);
                assert_int_equal(warc_writer_record_bytes(w), out.n);
                assert_reads_back(buf_str(&out), buf_str(&block));
            }
        }
        warc_writer_close(w);
    }
    buf_done(&block);
    buf_done(&out);
}

static void incompressible_blocks_survive(void **state)
{
    (void)state;
    struct buf block = {.max = OUT_MAX}, out = {.max = OUT_MAX};
    struct rng rng;
    rng_init(&rng, 1);
    for (size_t i = 0; i < 100000; i++)
        buf_byte(&block, (char)rng_next(&rng));
    for (size_t c = 0; c < 3; c++) {
        struct warc_writer_options o = {.coding = codings[c], .level = 99};
        struct warc_writer *w = warc_writer_open(&o);
        assert_non_null(w);
        buf_clear(&out);
        begin(w, block.n, &out);
        warc_writer_add_body(w, buf_str(&block));
        assert_rc(warc_writer_end(w), RC_OK);
        assert_reads_back(buf_str(&out), buf_str(&block));
        warc_writer_close(w);
    }
    buf_done(&block);
    buf_done(&out);
}

static void fill_noise(struct buf *b, size_t bytes, uint64_t seed)
{
    struct rng rng;
    rng_init(&rng, seed);
    for (size_t i = 0; i < bytes; i++)
        buf_byte(b, (char)rng_next(&rng));
}

static const char http_head[] = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n";

static void put_packed(struct warc_writer *w, struct str body, struct buf *out)
{
    begin(w, sizeof http_head - 1 + body.n, out);
    warc_writer_add(w, str_c(http_head));
    warc_writer_add_body(w, body);
    assert_rc(warc_writer_end(w), RC_OK);
    assert_int_equal(warc_writer_record_bytes(w), out->n);
}

/* The body stands in the member byte for byte, in blocks of at most 65,535. */
static void packed_bodies_are_stored_in_one_member(void **state)
{
    (void)state;
    static const size_t sizes[] = {512,    600,    9000,   65535,   65536,
                                   131070, 200000, 900000, 1 << 20, (1 << 20) + 70000};
    struct buf body = {.max = OUT_MAX}, out = {.max = OUT_MAX}, again = {.max = OUT_MAX};
    struct buf block = {.max = OUT_MAX};
    struct warc_writer *w = warc_writer_open(NULL);
    assert_non_null(w);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        buf_clear(&body);
        buf_clear(&out);
        buf_clear(&again);
        buf_clear(&block);
        fill_noise(&body, sizes[s], s);
        put_packed(w, buf_str(&body), &out);
        put_packed(w, buf_str(&body), &again);
        assert_str(buf_str(&out), buf_str(&again));
        buf_add(&block, str_c(http_head));
        buf_add(&block, buf_str(&body));
        assert_reads_back(buf_str(&out), buf_str(&block));
        struct str first = str_first(buf_str(&body), 65535);
        assert_true(str_find_str(buf_str(&out), first) < out.n);
        assert_true(out.n < body.n + 400 + body.n / 65535 * 5);
    }
    warc_writer_close(w);
    buf_done(&body);
    buf_done(&block);
    buf_done(&out);
    buf_done(&again);
}

/* The next record of the same writer is packed as if there had been no stored one. */
static void a_stored_record_leaves_no_trace(void **state)
{
    (void)state;
    struct buf text = {.max = OUT_MAX}, noise = {.max = OUT_MAX};
    struct buf out = {.max = OUT_MAX}, first = {.max = OUT_MAX};
    struct warc_writer *w = warc_writer_open(NULL);
    assert_non_null(w);
    fill_text(&text, 28000, 3);
    fill_noise(&noise, 28000, 3);
    put_packed(w, buf_str(&text), &first);
    assert_true(first.n < text.n / 2);
    put_packed(w, buf_str(&noise), &out);
    buf_clear(&out);
    put_packed(w, buf_str(&text), &out);
    assert_str(buf_str(&out), buf_str(&first));
    warc_writer_close(w);
    buf_done(&text);
    buf_done(&noise);
    buf_done(&out);
    buf_done(&first);
}

/* Pieces of a packed body that the caller drains; those behind the first need not look packed. */
static void a_stored_record_may_be_drained(void **state)
{
    (void)state;
    struct buf block = {.max = OUT_MAX}, out = {.max = 1 << 20}, all = {.max = OUT_MAX};
    struct warc_writer *w = warc_writer_open(NULL);
    assert_non_null(w);
    fill_noise(&block, 3 << 20, 9);
    fill_text(&block, 4 << 20, 9);
    begin(w, block.n, &out);
    for (size_t at = 0; at < block.n; at += 100000) {
        warc_writer_add_body(w, str_first(str_from(buf_str(&block), at), 100000));
        buf_add(&all, buf_str(&out));
        buf_clear(&out);
    }
    assert_rc(warc_writer_end(w), RC_OK);
    buf_add(&all, buf_str(&out));
    assert_int_equal(warc_writer_record_bytes(w), all.n);
    assert_reads_back(buf_str(&all), buf_str(&block));
    warc_writer_close(w);
    buf_done(&block);
    buf_done(&out);
    buf_done(&all);
}

/* The last piece may fill several blocks; a member may have no packed part at all. */
static void the_last_of_several_blocks_ends_the_member(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 65535, 65536, 200000};
    struct buf body = {.max = OUT_MAX}, out = {.max = OUT_MAX}, plain = {.max = OUT_MAX};
    struct gzip_fast *g = gzip_fast_open(1);
    struct inflater *f = inflater_open();
    assert_true(g && f);
    for (size_t s = 0; s < 2 * sizeof sizes / sizeof *sizes; s++) {
        struct str head = s % 2 ? STR("HTTP/1.1 200 OK") : STR("");
        size_t n;
        buf_clear(&body);
        buf_clear(&out);
        buf_clear(&plain);
        fill_noise(&body, sizes[s / 2], s);
        gzip_fast_begin(g, 100);
        if (head.n)
            gzip_fast_add(g, head, false, &out);
        gzip_fast_store(g, buf_str(&body), true, &out);
        struct str in = buf_str(&out);
        char *to = buf_reserve(&plain, body.n + 100);
        inflater_reset(f);
        assert_int_equal(inflater_run(f, &in, to, body.n + 100, &n), INFLATE_END);
        assert_int_equal(in.n, 0);
        assert_int_equal(n, head.n + body.n);
        assert_memory_equal(to, head.p, head.n);
        assert_memory_equal(to + head.n, buf_str(&body).p, body.n);
    }
    gzip_fast_close(g);
    inflater_close(f);
    buf_done(&body);
    buf_done(&out);
    buf_done(&plain);
}

static void a_stored_record_that_does_not_fit_is_refused(void **state)
{
    (void)state;
    struct buf body = {.max = OUT_MAX}, out = {.max = 20000};
    struct warc_writer *w = warc_writer_open(NULL);
    assert_non_null(w);
    fill_noise(&body, 30000, 1);
    begin(w, body.n, &out);
    warc_writer_add_body(w, buf_str(&body));
    assert_rc(warc_writer_end(w), RC_LIMIT);
    assert_int_equal(out.n, 0);
    warc_writer_close(w);
    buf_done(&body);
    buf_done(&out);
}

static void levels_trade_size_for_time(void **state)
{
    (void)state;
    struct buf block = {.max = OUT_MAX}, out = {.max = OUT_MAX};
    size_t sizes[2];
    fill_text(&block, 200000, 5);
    for (unsigned i = 0; i < 2; i++) {
        struct warc_writer_options o = {.coding = WARC_COMPACT, .level = i ? 12 : 1};
        struct warc_writer *w = warc_writer_open(&o);
        assert_non_null(w);
        buf_clear(&out);
        begin(w, block.n, &out);
        warc_writer_add(w, buf_str(&block));
        assert_rc(warc_writer_end(w), RC_OK);
        sizes[i] = out.n;
        warc_writer_close(w);
    }
    assert_true(sizes[1] < sizes[0] && sizes[0] < block.n / 2);
    buf_done(&block);
    buf_done(&out);
}

static void a_warm_writer_allocates_nothing(void **state)
{
    (void)state;
    struct buf block = {.max = OUT_MAX}, out = {.max = OUT_MAX};
    fill_text(&block, 28000, 5);
    for (size_t c = 0; c < 3; c++) {
        struct warc_writer_options o = {.coding = codings[c]};
        struct warc_writer *w = warc_writer_open(&o);
        assert_non_null(w);
        for (int round = 0; round < 3; round++) {
            buf_clear(&out);
            mem_fault_at(round ? 1 : 0);
            begin(w, block.n, &out);
            warc_writer_add(w, buf_str(&block));
            enum rc rc = warc_writer_end(w);
            int hit = mem_fault_hit();
            mem_fault_at(0);
            assert_rc(rc, RC_OK);
            assert_false(round && hit);
        }
        warc_writer_close(w);
    }
    buf_done(&block);
    buf_done(&out);
}

static void a_block_of_another_length_is_refused(void **state)
{
    (void)state;
    for (size_t c = 0; c < 3; c++) {
        struct warc_writer_options o = {.coding = codings[c]};
        struct warc_writer *w = warc_writer_open(&o);
        struct buf out = {.max = OUT_MAX};
        assert_non_null(w);
        buf_add(&out, STR("kept"));
        begin(w, 5, &out);
        warc_writer_add(w, STR("four"));
        assert_rc(warc_writer_end(w), RC_INVALID);
        begin(w, 5, &out);
        warc_writer_add(w, STR("four"));
        warc_writer_add(w, STR("xx"));
        assert_rc(warc_writer_end(w), RC_INVALID);
        assert_str(buf_str(&out), STR("kept"));
        begin(w, 4, &out);
        warc_writer_add(w, STR("four"));
        assert_rc(warc_writer_end(w), RC_OK);
        assert_reads_back(str_from(buf_str(&out), 4), STR("four"));
        buf_done(&out);
        warc_writer_close(w);
    }
}

static void a_full_buffer_is_reported(void **state)
{
    (void)state;
    struct buf block = {.max = OUT_MAX};
    fill_text(&block, 1 << 20, 9);
    for (size_t c = 0; c < 3; c++) {
        struct warc_writer_options o = {.coding = codings[c]};
        struct warc_writer *w = warc_writer_open(&o);
        struct buf out = {.max = 20000};
        assert_non_null(w);
        begin(w, block.n, &out);
        warc_writer_add(w, buf_str(&block));
        assert_rc(warc_writer_end(w), RC_LIMIT);
        assert_int_equal(out.n, 0);
        buf_clear(&out);
        begin(w, 1, &out);
        warc_writer_add(w, STR("x"));
        assert_rc(warc_writer_end(w), RC_OK);
        assert_reads_back(buf_str(&out), STR("x"));
        buf_done(&out);
        warc_writer_close(w);
    }
    buf_done(&block);
}

static void the_caller_may_drain_a_large_record(void **state)
{
    (void)state;
    struct buf block = {.max = OUT_MAX}, out = {.max = 1 << 20}, all = {.max = OUT_MAX};
    struct warc_writer *w = warc_writer_open(NULL);
    assert_non_null(w);
    fill_text(&block, 20 << 20, 9);
    begin(w, block.n, &out);
    for (size_t at = 0; at < block.n; at += 100000) {
        warc_writer_add(w, str_first(str_from(buf_str(&block), at), 100000));
        buf_add(&all, buf_str(&out));
        buf_clear(&out);
    }
    assert_rc(warc_writer_end(w), RC_OK);
    buf_add(&all, buf_str(&out));
    assert_int_equal(warc_writer_record_bytes(w), all.n);
    assert_reads_back(buf_str(&all), buf_str(&block));
    warc_writer_close(w);
    buf_done(&block);
    buf_done(&out);
    buf_done(&all);
}

static void members_follow_one_another(void **state)
{
    (void)state;
    for (size_t c = 0; c < 2; c++) {
        struct buf out = {.max = OUT_MAX};
        struct kit_reading k;
        size_t ends[KIT_RECORDS];
        kit_sample(&out, codings[c], ends);
        assert_rc(kit_read(buf_str(&out), 0, NULL, &k), RC_OK);
        assert_false(k.broken);
        assert_int_equal(k.ended, KIT_RECORDS);
        for (size_t i = 0; i < KIT_RECORDS; i++) {
            const char *at = out.p + (i ? ends[i - 1] : 0);
            assert_memory_equal(at, "\x1f\x8b\x08", 3);
        }
        kit_reading_done(&k);
        buf_done(&out);
    }
}

static enum rc write_sample(void *ctx)
{
    struct warc_writer_options o = {.coding = *(enum warc_coding *)ctx};
    struct warc_writer *w = warc_writer_open(&o);
    if (!w)
        return RC_NOMEM;
    struct buf out = {.max = OUT_MAX};
    struct warc_warcinfo info = {.software = STR("x")};
    enum rc rc = warc_put_warcinfo(w, &info, &out);
    if (rc == RC_OK) {
        begin(w, 9 << 20, &out);
        static const char zeros[1 << 20];
        for (int i = 0; i < 9; i++)
            warc_writer_add(w, str_make(zeros, sizeof zeros));
        rc = warc_writer_end(w);
    }
    buf_done(&out);
    warc_writer_close(w);
    return rc;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    for (size_t c = 0; c < 3; c++) {
        enum warc_coding coding = codings[c];
        test_each_allocation_fails(write_sample, &coding);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read_byte_for_byte),
        cmocka_unit_test(incompressible_blocks_survive),
        cmocka_unit_test(packed_bodies_are_stored_in_one_member),
        cmocka_unit_test(a_stored_record_leaves_no_trace),
        cmocka_unit_test(a_stored_record_may_be_drained),
        cmocka_unit_test(the_last_of_several_blocks_ends_the_member),
        cmocka_unit_test(a_stored_record_that_does_not_fit_is_refused),
        cmocka_unit_test(levels_trade_size_for_time),
        cmocka_unit_test(a_warm_writer_allocates_nothing),
        cmocka_unit_test(a_block_of_another_length_is_refused),
        cmocka_unit_test(a_full_buffer_is_reported),
        cmocka_unit_test(the_caller_may_drain_a_large_record),
        cmocka_unit_test(members_follow_one_another),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
