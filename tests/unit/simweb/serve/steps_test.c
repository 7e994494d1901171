/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/test.h"

#include "serve/poller.h"
#include "serve/steps.h"

enum { SECOND_US = 1000000 };

/* A client on paper: takes so many bytes at a write, and so many before it is full. */
struct paper {
    struct stream stream;
    struct buf got;
    size_t a_write;
    size_t until_full;
    bool is_gone;
};

static enum rc paper_write(struct stream *s, struct str bytes, size_t *ret_n)
{
    struct paper *p = (struct paper *)s;
    if (p->is_gone)
        return RC_IO;
    size_t n = bytes.n < p->a_write ? bytes.n : p->a_write;
    n = n < p->until_full ? n : p->until_full;
    if (n == 0)
        return RC_AGAIN;
    p->until_full -= n;
    buf_add(&p->got, str_first(bytes, n));
    *ret_n = n;
    return RC_OK;
}

static const struct stream_kind paper_kind = {.write = paper_write};

static void paper_init(struct paper *p, size_t a_write)
{
    *p = (struct paper){.stream.kind = &paper_kind,
                        .got.max = 64 << 20,
                        .a_write = a_write,
                        .until_full = SIZE_MAX};
}

static const struct steps_limits no_limits = {.endless_bytes = 100000, .patience_ms = 5000};

static void all_bytes_go_out_in_order_however_few_at_a_time(void **state)
{
    (void)state;
    for (size_t a_write = 1; a_write < 40; a_write += 7) {
        struct paper p;
        struct reply r;
        struct steps s;
        paper_init(&p, a_write);
        reply_init(&r);
        reply_send(&r, STR("head-"));
        reply_repeat(&r, STR("abc"), 4);
        reply_send(&r, STR("-tail"));
        steps_begin(&s, &r, no_limits, SECOND_US);
        assert_int_equal(steps_run(&s, &p.stream, SECOND_US), STEPS_OVER);
        assert_str(buf_str(&p.got), STR("head-abcabcabcabc-tail"));
        assert_int_equal(s.sent, 22);
        reply_done(&r);
        buf_done(&p.got);
    }
}

static void a_full_client_is_waited_for_and_gets_the_rest(void **state)
{
    (void)state;
    struct paper p;
    struct reply r;
    struct steps s;
    paper_init(&p, SIZE_MAX);
    reply_init(&r);
    reply_repeat(&r, STR("0123456789"), 1000);
    steps_begin(&s, &r, no_limits, SECOND_US);
    for (int i = 0; i < 9; i++) {
        p.until_full = 1111;
        assert_int_equal(steps_run(&s, &p.stream, SECOND_US), STEPS_WRITABLE);
    }
    p.until_full = SIZE_MAX;
    assert_int_equal(steps_run(&s, &p.stream, SECOND_US), STEPS_OVER);
    assert_int_equal(p.got.n, 10000);
    for (size_t i = 0; i < p.got.n; i++)
        assert_int_equal(p.got.p[i], '0' + (int)(i % 10));
    reply_done(&r);
    buf_done(&p.got);
}

static void a_drip_gives_a_piece_at_its_time_and_not_before(void **state)
{
    (void)state;
    struct paper p;
    struct reply r;
    struct steps s;
    paper_init(&p, SIZE_MAX);
    reply_init(&r);
    reply_drip(&r, STR("abcde"), 2, 100);
    reply_send(&r, STR("!"));
    steps_begin(&s, &r, no_limits, SECOND_US);
    assert_int_equal(steps_run(&s, &p.stream, SECOND_US), STEPS_TIME);
    assert_str(buf_str(&p.got), STR("ab"));
    assert_int_equal(s.due_ms, 1100);
    assert_int_equal(steps_run(&s, &p.stream, SECOND_US + 99000), STEPS_TIME);
    assert_str(buf_str(&p.got), STR("ab"));
    assert_int_equal(steps_run(&s, &p.stream, SECOND_US + 100000), STEPS_TIME);
    assert_str(buf_str(&p.got), STR("abcd"));
    assert_int_equal(steps_run(&s, &p.stream, SECOND_US + 200000), STEPS_OVER);
    assert_str(buf_str(&p.got), STR("abcde!"));
    reply_done(&r);
    buf_done(&p.got);
}

static void a_wait_is_waited_a_hold_ends_by_patience(void **state)
{
    (void)state;
    struct paper p;
    struct reply r;
    struct steps s;
    paper_init(&p, SIZE_MAX);
    reply_init(&r);
    reply_wait(&r, 30);
    reply_send(&r, STR("x"));
    reply_hold(&r);
    steps_begin(&s, &r, no_limits, SECOND_US);
    assert_int_equal(steps_run(&s, &p.stream, SECOND_US), STEPS_TIME);
    assert_int_equal(s.due_ms, 1030);
    assert_int_equal(p.got.n, 0);
    assert_int_equal(steps_run(&s, &p.stream, SECOND_US + 30000), STEPS_TIME);
    assert_str(buf_str(&p.got), STR("x"));
    assert_int_equal(s.due_ms, 1030 + 5000);
    assert_int_equal(steps_run(&s, &p.stream, SECOND_US + 5029000), STEPS_TIME);
    assert_int_equal(steps_run(&s, &p.stream, SECOND_US + 5030000), STEPS_CLOSE);
    reply_done(&r);
    buf_done(&p.got);
}

static enum steps_wants run_to_end(void (*last)(struct reply *r))
{
    struct paper p;
    struct reply r;
    struct steps s;
    paper_init(&p, SIZE_MAX);
    reply_init(&r);
    reply_send(&r, STR("x"));
    last(&r);
    reply_send(&r, STR("never"));
    steps_begin(&s, &r, no_limits, SECOND_US);
    enum steps_wants wants = steps_run(&s, &p.stream, SECOND_US);
    assert_str(buf_str(&p.got), STR("x"));
    reply_done(&r);
    buf_done(&p.got);
    return wants;
}

static void close_and_reset_end_it_where_they_stand(void **state)
{
    (void)state;
    assert_int_equal(run_to_end(reply_close), STEPS_CLOSE);
    assert_int_equal(run_to_end(reply_reset), STEPS_RESET);
}

static void a_client_that_is_gone_breaks_it(void **state)
{
    (void)state;
    struct paper p;
    struct reply r;
    struct steps s;
    paper_init(&p, SIZE_MAX);
    p.is_gone = true;
    reply_init(&r);
    reply_send(&r, STR("x"));
    steps_begin(&s, &r, no_limits, SECOND_US);
    assert_int_equal(steps_run(&s, &p.stream, SECOND_US), STEPS_BROKEN);
    assert_int_equal(s.sent, 0);
    reply_done(&r);
    buf_done(&p.got);
}

static void without_end_is_until_the_limit_and_others_have_their_turn(void **state)
{
    (void)state;
    struct paper p;
    struct reply r;
    struct steps s;
    struct steps_limits limits = {.endless_bytes = 5 << 20};
    paper_init(&p, SIZE_MAX);
    reply_init(&r);
    reply_repeat(&r, STR("spam"), 0);
    steps_begin(&s, &r, limits, SECOND_US);
    int turns = 0;
    while (steps_run(&s, &p.stream, SECOND_US) == STEPS_WRITABLE)
        turns++;
    assert_in_range(turns, 4, 6);
    assert_in_range(p.got.n, 5 << 20, (5 << 20) + (1 << 15));
    reply_done(&r);
    buf_done(&p.got);
}

static void a_bandwidth_is_kept_and_silence_saves_nothing_up(void **state)
{
    (void)state;
    struct paper p;
    struct reply r;
    struct steps s;
    struct steps_limits limits = {.bytes_per_s = 10000, .patience_ms = 1};
    uint64_t begun_us = poller_now_us(), first_due_ms = 0;
    paper_init(&p, SIZE_MAX);
    reply_init(&r);
    reply_repeat(&r, STR("0123456789"), 100);
    steps_begin(&s, &r, limits, begun_us);
    assert_int_equal(steps_run(&s, &p.stream, begun_us), STEPS_TIME);
    first_due_ms = s.due_ms;
    assert_in_range(p.got.n, 1, 400);
    assert_true(first_due_ms > begun_us / 1000);
    while (steps_run(&s, &p.stream, poller_now_us()) == STEPS_TIME)
        assert_true(s.due_ms >= first_due_ms);
    assert_int_equal(p.got.n, 1000);
    assert_true(poller_now_us() - begun_us >=
                80 * 1000); /* 1000 bytes less the first few ms' worth */
    reply_done(&r);
    buf_done(&p.got);
}

static void the_end_is_stamped_before_the_last_write(void **state)
{
    (void)state;
    struct paper p;
    struct reply r;
    struct steps s;
    paper_init(&p, SIZE_MAX);
    reply_init(&r);
    reply_send(&r, STR("x"));
    reply_wait(&r, 20);
    uint64_t before_us = poller_now_us();
    steps_begin(&s, &r, no_limits, before_us);
    assert_int_equal(steps_run(&s, &p.stream, before_us), STEPS_TIME);
    uint64_t after_us = poller_now_us();
    assert_in_range(s.end_us, before_us, after_us);
    uint64_t stamped = s.end_us;
    assert_int_equal(steps_run(&s, &p.stream, before_us + SECOND_US), STEPS_OVER);
    assert_int_equal(s.end_us, stamped);
    reply_done(&r);
    buf_done(&p.got);
}

/* With TLS a write that was refused has become a record, which goes out as it is; nothing may be
 * left to say of it later, when the client has it all. */
static void what_the_socket_did_not_take_is_offered_again_whole(void **state)
{
    (void)state;
    static const char page[20000];
    struct paper p;
    struct reply r;
    struct steps s;
    paper_init(&p, SIZE_MAX);
    reply_init(&r);
    reply_send(&r, str_make(page, sizeof page));
    struct steps_limits thin = {.bytes_per_s = 100000, .endless_bytes = 1, .patience_ms = 1};
    uint64_t now_us = poller_now_us();
    steps_begin(&s, &r, thin, now_us);
    p.until_full = 0;
    assert_int_equal(steps_run(&s, &p.stream, now_us), STEPS_WRITABLE);
    size_t refused = s.again;
    assert_in_range(refused, 500, 10000);
    s.paced = UINT32_MAX; /* by the bandwidth alone, nothing for hours */
    p.until_full = refused;
    assert_int_equal(steps_run(&s, &p.stream, now_us), STEPS_TIME);
    assert_int_equal(p.got.n, refused);
    assert_int_equal(s.again, 0);
    reply_done(&r);
    buf_done(&p.got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_bytes_go_out_in_order_however_few_at_a_time),
        cmocka_unit_test(a_full_client_is_waited_for_and_gets_the_rest),
        cmocka_unit_test(a_drip_gives_a_piece_at_its_time_and_not_before),
        cmocka_unit_test(a_wait_is_waited_a_hold_ends_by_patience),
        cmocka_unit_test(close_and_reset_end_it_where_they_stand),
        cmocka_unit_test(a_client_that_is_gone_breaks_it),
        cmocka_unit_test(without_end_is_until_the_limit_and_others_have_their_turn),
        cmocka_unit_test(a_bandwidth_is_kept_and_silence_saves_nothing_up),
        cmocka_unit_test(the_end_is_stamped_before_the_last_write),
        cmocka_unit_test(what_the_socket_did_not_take_is_offered_again_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
