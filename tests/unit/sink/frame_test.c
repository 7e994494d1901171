/* SPDX-License-Identifier: Apache-2.0 */
/* Frames between an agent and the archive machine: what is written is read, torn frames wait, wrong
 * ones are refused. */
#include "lib/test.h"

#include "sink/frame.h"

static const struct sink_frame samples[] = {
    {.kind = SINK_HELLO, .version = 1, .name = {"a1", 2}, .secret = {"0123", 4}},
    {.kind = SINK_PUT,
     .what = SINK_WARC,
     .name = {"n.warc.gz", 9},
     .bytes = 1ull << 40,
     .sha256 = {7}},
    {.kind = SINK_DATA, .data = {"piece", 5}},
    {.kind = SINK_WELCOME, .version = 1},
    {.kind = SINK_MORE, .offset = 77},
    {.kind = SINK_STORED},
    {.kind = SINK_WORKING},
    {.kind = SINK_REFUSED, .code = SINK_FULL, .text = {"full", 4}},
};
enum { SAMPLES = sizeof samples / sizeof *samples };

static void a_frame_is_read_as_it_was_written(void **state)
{
    (void)state;
    for (size_t i = 0; i < SAMPLES; i++) {
        const struct sink_frame *f = &samples[i];
        struct sink_frame got;
        struct buf out = {.max = 1000};
        size_t used;
        sink_frame_write(&out, f);
        assert_rc(sink_frame_read(buf_str(&out), SINK_MAX_FRAME_BYTES, &got, &used), RC_OK);
        assert_int_equal(used, out.n);
        assert_int_equal(got.kind, f->kind);
        assert_int_equal(got.version, f->version);
        assert_str(got.name, f->name);
        assert_str(got.secret, f->secret);
        assert_int_equal(got.what, f->what);
        assert_int_equal(got.bytes, f->bytes);
        assert_memory_equal(got.sha256, f->sha256, sizeof f->sha256);
        assert_str(got.data, f->data);
        assert_int_equal(got.offset, f->offset);
        assert_int_equal(got.code, f->code);
        assert_str(got.text, f->text);
        buf_done(&out);
    }
}

static void a_torn_frame_waits_and_a_stretched_one_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < SAMPLES; i++) {
        struct sink_frame got;
        struct buf out = {.max = 1000};
        size_t used;
        sink_frame_write(&out, &samples[i]);
        for (size_t n = 0; n < out.n; n++)
            assert_rc(sink_frame_read(str_first(buf_str(&out), n), 1000, &got, &used), RC_AGAIN);
        if (samples[i].kind != SINK_DATA) {
            buf_byte(&out, 'x'); /* a body with a byte too many, and one with a byte too few */
            put_le32(out.p, (uint32_t)(out.n - SINK_HEAD_BYTES));
            assert_rc(sink_frame_read(buf_str(&out), 1000, &got, &used), RC_INVALID);
            put_le32(out.p, (uint32_t)(out.n - SINK_HEAD_BYTES - 2));
            assert_rc(sink_frame_read(buf_str(&out), 1000, &got, &used), RC_INVALID);
        }
        buf_done(&out);
    }
}

static void lengths_out_of_bounds_are_refused_before_their_bytes_come(void **state)
{
    (void)state;
    struct sink_frame got;
    size_t used;
    char head[SINK_HEAD_BYTES];
    put_le32(head, 0);
    assert_rc(sink_frame_read(str_make(head, 4), 1000, &got, &used), RC_INVALID);
    put_le32(head, UINT32_MAX);
    assert_rc(sink_frame_read(str_make(head, 4), SINK_MAX_FRAME_BYTES, &got, &used), RC_INVALID);
    put_le32(head, SINK_MAX_SMALL_BYTES);
    assert_rc(sink_frame_read(str_make(head, 4), SINK_MAX_SMALL_BYTES, &got, &used), RC_INVALID);
    put_le32(head, SINK_MAX_PIECE_BYTES + 1);
    assert_rc(sink_frame_read(str_make(head, 4), SINK_MAX_FRAME_BYTES, &got, &used), RC_AGAIN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frame_is_read_as_it_was_written),
        cmocka_unit_test(a_torn_frame_waits_and_a_stretched_one_is_refused),
        cmocka_unit_test(lengths_out_of_bounds_are_refused_before_their_bytes_come),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
