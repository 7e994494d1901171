/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/wire/heartbeat.h"

#include "lib/test.h"

static const struct heartbeat full = {
    .inc = 1,
    .boot = UINT64_MAX,
    .number = 3,
    .epoch = 4,
    .roster = 5,
    .gates_open = true,
    .is_finished = true,
    .is_home = true,
    .sent = 13,
    .has_acked_through = true,
    .generation = 6,
    .acked_through = 7,
    .finish_round = 8,
    .quiet = 2,
    .admitted = 9,
    .pages = 10,
    .bytes = 11,
    .all_pages = 12,
    .all_bytes = UINT64_MAX,
    .is_over = true,
};
static const struct heartbeat_lists lists = {.domain_count = 2,
                                             .domains = {{1, 2, 3}, {4, UINT64_MAX, 6}},
                                             .address_count = 2,
                                             .addresses = {7, UINT64_MAX},
                                             .receipt_count = 2,
                                             .receipts = {{1, 2, 3}, {UINT64_MAX, 4, 0}}};

static void what_is_written_is_read(void **state)
{
    (void)state;
    char room[HEARTBEAT_MAX_BYTES];
    struct buf b = buf_on(room, sizeof room);
    struct heartbeat h;
    struct heartbeat_lists l2;
    heartbeat_write(&full, &lists, &b);
    assert_rc(buf_rc(&b), RC_OK);
    assert_rc(heartbeat_read(buf_str(&b), &h, &l2), RC_OK);
    assert_int_equal(h.inc, full.inc);
    assert_int_equal(h.boot, full.boot);
    assert_int_equal(h.number, full.number);
    assert_int_equal(h.epoch, full.epoch);
    assert_int_equal(h.roster, full.roster);
    assert_true(h.gates_open && h.has_acked_through && h.is_finished && h.is_home);
    assert_int_equal(h.sent, full.sent);
    assert_int_equal(h.generation, full.generation);
    assert_int_equal(h.acked_through, full.acked_through);
    assert_int_equal(h.finish_round, full.finish_round);
    assert_int_equal(h.quiet, full.quiet);
    assert_int_equal(h.admitted, full.admitted);
    assert_int_equal(h.pages, full.pages);
    assert_int_equal(h.bytes, full.bytes);
    assert_int_equal(h.all_pages, full.all_pages);
    assert_true(h.all_bytes == full.all_bytes && h.is_over);
    assert_int_equal(l2.domain_count, lists.domain_count);
    for (uint8_t i = 0; i < l2.domain_count; i++) {
        assert_int_equal(l2.domains[i].domain, lists.domains[i].domain);
        assert_true(l2.domains[i].pages == lists.domains[i].pages);
        assert_int_equal(l2.domains[i].bytes, lists.domains[i].bytes);
    }
    assert_int_equal(l2.address_count, 2);
    assert_true(l2.addresses[0] == 7 && l2.addresses[1] == UINT64_MAX);
    assert_int_equal(l2.receipt_count, 2);
    assert_true(l2.receipts[0].session == 1 && l2.receipts[0].through == 2);
    assert_true(l2.receipts[0].above == 3 && l2.receipts[1].session == UINT64_MAX);
}

static void other_lengths_versions_and_flags_are_refused(void **state)
{
    (void)state;
    char room[HEARTBEAT_MAX_BYTES];
    struct buf b = buf_on(room, sizeof room);
    struct heartbeat h;
    struct heartbeat_lists l2;
    heartbeat_write(&full, &lists, &b);
    for (size_t n = 0; n < b.n; n++)
        assert_rc(heartbeat_read(str_make(room, n), &h, &l2), RC_CORRUPT);
    assert_rc(heartbeat_read(str_make(room, b.n + 1), &h, &l2), RC_CORRUPT);
    room[1] = 32;
    assert_rc(heartbeat_read(buf_str(&b), &h, &l2), RC_CORRUPT);
    room[0] = 1;
    assert_rc(heartbeat_read(buf_str(&b), &h, &l2), RC_VERSION);
}

static void as_much_as_there_may_be(void **state)
{
    (void)state;
    char room[HEARTBEAT_MAX_BYTES + 64] = {0};
    struct buf b = buf_on(room, HEARTBEAT_MAX_BYTES);
    struct heartbeat_lists l = lists, l2;
    struct heartbeat back;
    l.domain_count = HEARTBEAT_MAX_DOMAINS;
    l.address_count = HEARTBEAT_MAX_ADDRESSES;
    l.receipt_count = HEARTBEAT_MAX_RECEIPTS;
    heartbeat_write(&full, &l, &b);
    assert_rc(buf_rc(&b), RC_OK);
    assert_rc(heartbeat_read(buf_str(&b), &back, &l2), RC_OK);
    assert_int_equal(l2.domain_count, HEARTBEAT_MAX_DOMAINS);
    assert_int_equal(l2.address_count, HEARTBEAT_MAX_ADDRESSES);
    assert_int_equal(l2.receipt_count, HEARTBEAT_MAX_RECEIPTS);
    size_t count_at = b.n - HEARTBEAT_MAX_DOMAINS * 24 - HEARTBEAT_MAX_ADDRESSES * 8 - 2;
    room[count_at]++;
    assert_rc(heartbeat_read(str_make(room, b.n + 24), &back, &l2), RC_CORRUPT);
    room[count_at]--;
    room[count_at + 1]++;
    assert_rc(heartbeat_read(str_make(room, b.n + 8), &back, &l2), RC_CORRUPT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(as_much_as_there_may_be),
        cmocka_unit_test(other_lengths_versions_and_flags_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
