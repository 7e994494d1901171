/* SPDX-License-Identifier: Apache-2.0 */
#include "kit.h"

#include "base/mem.h"
#include "base/rng.h"

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
        warc_writer_add(w, buf_str(&block));
        assert_rc(warc_writer_end(w), RC_OK);
        assert_reads_back(buf_str(&out), buf_str(&block));
        warc_writer_close(w);
    }
    buf_done(&block);
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
