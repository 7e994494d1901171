/* SPDX-License-Identifier: Apache-2.0 */
#include "pool/roll.h"

#include "base/mem.h"

#include "lib/test.h"

#include <pthread.h>

enum { MOST = 16 };

static int open_roll(void **state)
{
    *state = pool_roll_open();
    return *state == NULL;
}

static int close_roll(void **state)
{
    pool_roll_close(*state);
    return mem_live() != 0;
}

/* The counts of allocations are of one thread. */
static int close_shared(void **state)
{
    pool_roll_close(*state);
    return 0;
}

static enum rc try_enter(struct pool_roll *r, const char *name, uint64_t boot,
                         struct pool_member **ret)
{
    struct pool_process p = {.name = str_c(name), .boot = boot};
    return pool_roll_enter(r, &p, 1000 + (int64_t)boot, ret);
}

static struct pool_member *enter(struct pool_roll *r, const char *name, uint64_t boot)
{
    struct pool_member *m = NULL;
    assert_rc(try_enter(r, name, boot, &m), RC_OK);
    return m;
}

/* "a b c": the names by number. */
static void assert_present(struct pool_roll *r, const char *wanted)
{
    struct str names[MOST];
    char room[512];
    struct buf out = buf_on(room, sizeof room);
    unsigned count = pool_roll_names(r, names, MOST);
    assert_true(count <= MOST);
    for (unsigned i = 0; i < count; i++) {
        buf_add(&out, i ? STR(" ") : STR(""));
        buf_add(&out, names[i]);
    }
    assert_str(buf_str(&out), str_c(wanted));
}

static void numbers_are_dense_in_the_order_of_registration(void **state)
{
    struct pool_roll *r = *state;
    assert_present(r, "");
    struct pool_member *c = enter(r, "c", 1), *a = enter(r, "a", 2);
    (void)enter(r, "b", 3);
    assert_present(r, "c a b");
    pool_roll_leave(r, a);
    assert_present(r, "c b");
    pool_roll_leave(r, c);
    assert_present(r, "b");
    assert_ptr_equal(enter(r, "a", 2), a);
    assert_ptr_equal(enter(r, "c", 9), c);
    assert_present(r, "b a c");
}

static void a_member_is_present_while_one_of_its_lanes_stands(void **state)
{
    struct pool_roll *r = *state;
    struct pool_member *a = enter(r, "a", 1);
    uint64_t epoch = pool_roll_epoch(r);
    assert_ptr_equal(enter(r, "a", 1), a);
    pool_roll_leave(r, a);
    assert_present(r, "a");
    assert_int_equal(pool_roll_epoch(r), epoch);
    pool_roll_leave(r, a);
    assert_present(r, "");
    assert_int_equal(pool_roll_epoch(r), epoch + 1);
}

static void another_process_of_the_name_is_refused_while_one_is_present(void **state)
{
    struct pool_roll *r = *state;
    struct pool_member *a = enter(r, "a", 1), *other = NULL;
    uint64_t epoch = pool_roll_epoch(r);
    assert_rc(try_enter(r, "a", 2, &other), RC_EXISTS);
    assert_null(other);
    assert_int_equal(pool_roll_epoch(r), epoch);
    pool_roll_leave(r, a);
    assert_ptr_equal(enter(r, "a", 2), a);
}

static void a_longer_name_is_another_one(void **state)
{
    struct pool_roll *r = *state;
    char longest[POOL_MAX_NAME_BYTES + 1];
    memset(longest, 'x', sizeof longest);
    longest[POOL_MAX_NAME_BYTES] = 0;
    assert_ptr_not_equal(enter(r, "a", 1), enter(r, "ab", 1));
    (void)enter(r, longest, 1);
    struct pool_member_view list[MOST];
    assert_int_equal(pool_roll_view(r, list, MOST), 3);
    assert_string_equal(list[2].name, longest);
}

static void views_have_those_present_first_and_all_counts(void **state)
{
    struct pool_roll *r = *state;
    struct pool_member_view list[MOST];
    struct pool_member *a = enter(r, "a", 5), *b = enter(r, "b", 6);
    (void)enter(r, "a", 5);
    atomic_fetch_add(&pool_member_counts(a)->sent, 5);
    atomic_fetch_add(&pool_member_counts(a)->fetched, 3);
    atomic_fetch_add(&pool_member_counts(a)->failed, 1);
    atomic_fetch_add(&pool_member_counts(a)->lost, 2);
    atomic_fetch_add(&pool_member_counts(a)->bytes_in, 1 << 20);
    pool_member_note(a, 2, 3, 700);
    pool_member_note(a, -1, -2, 600);
    pool_member_note_window(a, 16);
    pool_member_note_leaving(a);
    assert_int_equal(pool_roll_view(r, list, MOST), 2);
    const struct pool_member_view *v = &list[0];
    assert_string_equal(v->name, "a");
    assert_true(v->boot == 5 && v->since_ms == 1005 && v->number == 0 && v->lanes == 2);
    assert_true(v->up == 1 && v->open == 1 && v->window == 16 && v->heard_ms == 700);
    assert_true(v->sent == 5 && v->fetched == 3 && v->failed == 1 && v->lost == 2);
    assert_int_equal(v->bytes_in, 1 << 20);
    assert_true(v->is_leaving);
    assert_true(list[1].number == 1 && list[1].sent == 0 && !list[1].is_leaving);

    pool_roll_leave(r, a);
    pool_roll_leave(r, a);
    assert_int_equal(pool_roll_view(r, list, MOST), 2);
    assert_string_equal(list[0].name, "b");
    assert_int_equal(list[0].number, 0);
    assert_string_equal(list[1].name, "a");
    assert_int_equal(list[1].lanes, 0);
    /* It comes back, and goes on counting. */
    assert_ptr_equal(enter(r, "a", 7), a);
    assert_int_equal(pool_roll_view(r, list, MOST), 2);
    assert_true(list[1].sent == 5 && list[1].boot == 7 && list[1].since_ms == 1007);
    assert_false(list[1].is_leaving);
    pool_roll_leave(r, b);
}

static void a_short_list_gets_so_many_and_hears_of_all(void **state)
{
    struct pool_roll *r = *state;
    struct str names[2] = {STR_NONE, STR_NONE};
    struct pool_member_view list[3];
    pool_roll_leave(r, enter(r, "a", 1));
    (void)enter(r, "b", 1);
    (void)enter(r, "c", 1);
    assert_int_equal(pool_roll_names(r, names, 1), 2);
    assert_str(names[0], STR("b"));
    assert_null(names[1].p);
    assert_int_equal(pool_roll_names(r, NULL, 0), 2);
    list[2].number = 77;
    assert_int_equal(pool_roll_view(r, list, 2), 3);
    assert_string_equal(list[1].name, "c");
    assert_int_equal(list[2].number, 77);
}

static void names_stay_valid_after_their_member_left(void **state)
{
    struct pool_roll *r = *state;
    struct str name;
    struct pool_member *a = enter(r, "a", 1);
    assert_int_equal(pool_roll_names(r, &name, 1), 1);
    pool_roll_leave(r, a);
    assert_str(name, STR("a"));
}

static void suspicion_belongs_to_the_member(void **state)
{
    struct pool_roll *r = *state;
    struct pool_member *a = enter(r, "a", 1), *b = enter(r, "b", 1);
    assert_ptr_not_equal(pool_member_suspicion(a), pool_member_suspicion(b));
    assert_ptr_equal(pool_member_suspicion(enter(r, "a", 1)), pool_member_suspicion(a));
}

/* Shards --------------------------------------------------------------------------------------- */

enum { SHARDS = 4, ROUNDS = TEST_IS_SANITIZED ? 300 : 3000 };

/* Each round enters a process with its shard's lane: the first to come decides the boot. */
static void *shard(void *ctx)
{
    struct pool_roll *r = ctx;
    static const char *const names[] = {"a", "b", "c"};
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct pool_member *m = NULL;
        struct pool_member_view list[MOST];
        if (try_enter(r, names[i % 3], 1 + i % 2, &m))
            continue;
        atomic_fetch_add_explicit(&pool_member_counts(m)->sent, 1, memory_order_relaxed);
        pool_member_note(m, 1, 2, i);
        if (pool_roll_view(r, list, MOST) > 3 || pool_roll_names(r, NULL, 0) > 3)
            return NULL;
        pool_member_note(m, -1, -2, i);
        pool_roll_leave(r, m);
    }
    return r;
}

static void shards_enter_and_leave_at_once(void **state)
{
    struct pool_roll *r = *state;
    pthread_t threads[SHARDS];
    struct pool_member_view list[MOST];
    uint64_t sent = 0;
    for (int i = 0; i < SHARDS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, shard, r), 0);
    for (int i = 0; i < SHARDS; i++) {
        void *ret = NULL;
        assert_int_equal(pthread_join(threads[i], &ret), 0);
        assert_ptr_equal(ret, r);
    }
    assert_present(r, "");
    unsigned count = pool_roll_view(r, list, MOST);
    assert_int_equal(count, 3);
    for (unsigned i = 0; i < count; i++) {
        assert_true(list[i].up == 0 && list[i].open == 0 && list[i].lanes == 0);
        sent += list[i].sent;
    }
    assert_true(sent > 0 && sent <= (uint64_t)SHARDS * ROUNDS);
    assert_int_equal(pool_roll_epoch(r) % 2, 0);
}

static enum rc open_and_enter(void *ctx)
{
    (void)ctx;
    struct pool_member *m = NULL;
    struct pool_roll *r = pool_roll_open();
    if (!r)
        return RC_NOMEM;
    enum rc rc = try_enter(r, "a", 1, &m);
    if (!rc)
        rc = try_enter(r, "b", 1, &m);
    assert_int_equal(pool_roll_names(r, NULL, 0), rc ? m != NULL : 2);
    pool_roll_close(r);
    return rc;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    pool_roll_close(NULL);
    test_each_allocation_fails(open_and_enter, NULL);
}

int main(void)
{
#define WITH_ROLL(test) cmocka_unit_test_setup_teardown(test, open_roll, close_roll)
    const struct CMUnitTest tests[] = {
        WITH_ROLL(numbers_are_dense_in_the_order_of_registration),
        WITH_ROLL(a_member_is_present_while_one_of_its_lanes_stands),
        WITH_ROLL(another_process_of_the_name_is_refused_while_one_is_present),
        WITH_ROLL(a_longer_name_is_another_one),
        WITH_ROLL(views_have_those_present_first_and_all_counts),
        WITH_ROLL(a_short_list_gets_so_many_and_hears_of_all),
        WITH_ROLL(names_stay_valid_after_their_member_left),
        WITH_ROLL(suspicion_belongs_to_the_member),
        cmocka_unit_test_setup_teardown(shards_enter_and_leave_at_once, open_roll, close_shared),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
