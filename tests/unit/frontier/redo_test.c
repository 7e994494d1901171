/* SPDX-License-Identifier: Apache-2.0 */
/* Doing again what a journal says: from the middle of a queue, twice, and to a younger image. */
#include "frontier/redo.h"

#include "base/hash.h"
#include "base/rng.h"
#include "frontier/snapshot.h"
#include "lib/test.h"

#include <stdio.h>

enum { URLS = 300, NOW = 100 };

static const struct frontier_settings roomy = {.max_hosts = 10, .max_host_queue = 1000};

static struct str path_of(unsigned n)
{
    static char room[URLS][64];
    int length = snprintf(room[n], sizeof room[n], "/%0*u", (int)(n % 40), n);
    return str_make(room[n], (size_t)length);
}

static struct candidate url_of(unsigned n)
{
    return (struct candidate){.fingerprint = hash64(path_of(n)),
                              .host_hash = hash64(STR("a.test")),
                              .host = STR("a.test"),
                              .path = path_of(n),
                              .port = n % 3 ? 0 : 8080,
                              .is_https = n % 2};
}

static struct redo redo_of(unsigned n, enum checkin how)
{
    struct candidate c = url_of(n);
    return (struct redo){.host_hash = c.host_hash,
                         .host = c.host,
                         .path = c.path,
                         .sequence = n + 1,
                         .port = c.port,
                         .is_https = c.is_https,
                         .how = how};
}

static struct frontier *filled(unsigned from, unsigned to, struct frontier *f)
{
    enum admitted what;
    size_t done;
    f = f ? f : frontier_open(&roomy, 0, 1);
    assert_non_null(f);
    for (unsigned i = from; i < to; i++) {
        struct candidate c = url_of(i);
        assert_rc(frontier_admit(f, &c, 1, NOW, &what, &done), RC_OK);
    }
    return f;
}

/* Lends everything and compares it with the list. */
static void assert_queue(struct frontier *f, const unsigned *list, unsigned count)
{
    struct checkout l;
    assert_int_equal(frontier_counts(f).queued, count);
    for (unsigned i = 0; i < count; i++) {
        assert_rc(frontier_checkout(f, 0, NOW + 1000, &l), RC_OK);
        assert_str(l.path, path_of(list[i]));
        frontier_checkin(f, &l, CHECKIN_DONE, 0);
    }
    assert_rc(frontier_checkout(f, 0, NOW + 1000, &l), RC_AGAIN);
    assert_int_equal(frontier_counts(f).queued, 0);
}

static void forget(unsigned *list, unsigned *count, unsigned n)
{
    for (unsigned i = 0; i < *count; i++)
        if (list[i] == n) {
            memmove(list + i, list + i + 1, (*count - i - 1) * sizeof *list);
            --*count;
            return;
        }
}

static bool has(const unsigned *list, unsigned count, unsigned n)
{
    for (unsigned i = 0; i < count; i++)
        if (list[i] == n)
            return true;
    return false;
}

static void urls_leave_from_anywhere_and_only_once(void **state)
{
    (void)state;
    struct frontier *f = filled(0, URLS, NULL);
    unsigned list[URLS], count = URLS;
    struct rng r;
    rng_init(&r, test_seed(5));
    for (unsigned i = 0; i < URLS; i++)
        list[i] = i;
    for (unsigned i = 0; i < 400; i++) {
        unsigned n = (unsigned)rng_below(&r, URLS);
        enum checkin how = (enum checkin)rng_below(&r, 3);
        struct redo redo = redo_of(n, how);
        frontier_redo(f, &redo);
        if (how == CHECKIN_DONE) {
            frontier_redo(f, &redo);
            forget(list, &count, n);
        } else if (how == CHECKIN_LAST && has(list, count, n)) {
            forget(list, &count, n);
            list[count++] = n;
        }
    }
    assert_true(count > 50);
    assert_queue(f, list, count);
    frontier_close(f);
}

static void a_younger_image_is_not_changed_by_what_it_has_seen(void **state)
{
    (void)state;
    struct frontier *live = filled(0, 100, NULL), *back = frontier_open(&roomy, 0, 1);
    struct snapshot_context c = {.most_wait_ms = 1000};
    struct buf image = {.max = 1 << 20};
    unsigned list[URLS], count = 0;
    struct checkout l;
    for (unsigned i = 0; i < 40; i++) { /* 0 to 39 are done, then the image is made */
        assert_rc(frontier_checkout(live, 0, NOW, &l), RC_OK);
        frontier_checkin(live, &l, CHECKIN_DONE, 0);
    }
    snapshot_write(live, frontier_bucket(url_of(0).host_hash), &c, &image);
    assert_rc(snapshot_read(back, buf_str(&image), &c), RC_OK);
    filled(0, 150, back); /* the links that the journal has */
    for (unsigned i = 0; i < 60; i++) {
        struct redo redo = redo_of(i, CHECKIN_DONE);
        frontier_redo(back, &redo);
    }
    struct redo far = redo_of(120, CHECKIN_DONE); /* admitted since, and has another sequence */
    far.sequence = 7;
    frontier_redo(back, &far);
    for (unsigned i = 60; i < 150; i++)
        if (i != 120)
            list[count++] = i;
    assert_queue(back, list, count);
    buf_done(&image);
    frontier_close(live);
    frontier_close(back);
}

/* What was put last without a word (its origin was left alone) has another sequence than the image
 * says. */
static void what_was_put_last_since_the_image_leaves_all_the_same(void **state)
{
    (void)state;
    struct frontier *live = filled(0, 20, NULL), *back = frontier_open(&roomy, 0, 1);
    struct snapshot_context c = {.most_wait_ms = 1000};
    struct buf image = {.max = 1 << 20};
    unsigned list[URLS], count = 0;
    struct checkout l;
    snapshot_write(live, frontier_bucket(url_of(0).host_hash), &c, &image);
    assert_rc(frontier_checkout(live, 0, NOW, &l), RC_OK);
    frontier_checkin(live, &l, CHECKIN_LAST, 0);
    assert_rc(snapshot_read(back, buf_str(&image), &c), RC_OK);
    for (unsigned i = 0; i < 20; i++) {
        assert_rc(frontier_checkout(live, 0, NOW, &l), RC_OK);
        struct redo redo = redo_of((i + 1) % 20, CHECKIN_DONE);
        assert_str(l.path, redo.path);
        redo.sequence = l.sequence;
        frontier_redo(back, &redo);
        frontier_checkin(live, &l, CHECKIN_DONE, 0);
    }
    assert_queue(back, list, count);
    buf_done(&image);
    frontier_close(live);
    frontier_close(back);
}

static void hosts_are_held_and_limits_come_back(void **state)
{
    (void)state;
    struct frontier_settings tight = {.max_hosts = 1, .max_host_queue = 3};
    struct frontier *f = filled(0, 5, NULL);
    struct redo redo = redo_of(0, CHECKIN_AGAIN);
    struct candidate c = url_of(9);
    enum admitted what;
    size_t done;
    redo.due_ms = NOW + 50;
    frontier_redo(f, &redo);
    assert_int_equal(frontier_due_ms(f), NOW + 50);
    frontier_hold_all(f, NOW + 20);
    assert_int_equal(frontier_due_ms(f), NOW + 50);
    frontier_hold_all(f, NOW + 70);
    assert_int_equal(frontier_due_ms(f), NOW + 70);
    frontier_limit(f, &tight);
    assert_rc(frontier_admit(f, &c, 1, NOW, &what, &done), RC_OK);
    assert_int_equal(what, ADMITTED_HOST_FULL);
    redo.host = STR("nobody.test");
    frontier_redo(f, &redo);
    frontier_close(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(urls_leave_from_anywhere_and_only_once),
        cmocka_unit_test(a_younger_image_is_not_changed_by_what_it_has_seen),
        cmocka_unit_test(what_was_put_last_since_the_image_leaves_all_the_same),
        cmocka_unit_test(hosts_are_held_and_limits_come_back),
    };
    return cmocka_run_group_tests_name("redo", tests, NULL, NULL);
}
