/* SPDX-License-Identifier: Apache-2.0 */
/* The database of known URLs: eras, what a flush keeps, and folders that are not as they should be.
 */
#include "base/hash.h"
#include "lib/test.h"
#include "store/seen_db.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char root[40], path[60];

static int remove_entry(const char *name, const struct stat *st, int kind, struct FTW *at)
{
    (void)st, (void)kind, (void)at;
    return remove(name);
}

static struct seen_db *must_open(void)
{
    struct seen_db *db = NULL;
    struct buf why = {.max = 1000};
    assert_rc(seen_db_open(path, 1 << 20, &db, &why), RC_OK);
    assert_int_equal(why.n, 0);
    buf_done(&why);
    return db;
}

static int begin(void **state)
{
    (void)state;
    (void)snprintf(root, sizeof root, "/tmp/orbweaver-seen-XXXXXX");
    if (!mkdtemp(root))
        return -1;
    (void)snprintf(path, sizeof path, "%s/seen", root);
    return 0;
}

static int end(void **state)
{
    (void)state;
    (void)nftw(root, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    return 0;
}

static bool has(struct seen_db *db, uint32_t era, uint64_t fingerprint)
{
    bool ret = false;
    assert_rc(seen_db_has(db, era, fingerprint, &ret), RC_OK);
    return ret;
}

static void eras_are_apart_and_the_old_ones_can_go(void **state)
{
    (void)state;
    struct seen_db *db = must_open();
    for (uint64_t i = 1; i <= 1000; i++)
        for (uint32_t era = 0; era < 3; era++)
            if (hash64_mix(i) % 3 == era)
                seen_db_add(db, era, i);
    assert_rc(seen_db_write(db, 7), RC_OK);
    for (uint64_t i = 1; i <= 1000; i++)
        for (uint32_t era = 0; era < 4; era++)
            assert_int_equal(has(db, era, i), hash64_mix(i) % 3 == era);
    seen_db_remove(db, 2, 1);
    seen_db_add(db, 2, UINT64_MAX);
    seen_db_add(db, 2, 0);
    seen_db_remove_before(db, 2);
    assert_rc(seen_db_write(db, 8), RC_OK);
    for (uint64_t i = 2; i <= 1000; i++)
        for (uint32_t era = 0; era < 3; era++)
            assert_int_equal(has(db, era, i), era == 2 && hash64_mix(i) % 3 == 2);
    assert_true(has(db, 2, UINT64_MAX) && has(db, 2, 0) && !has(db, 2, 1));
    seen_db_close(db);
}

static void what_was_flushed_is_there_with_its_generation(void **state)
{
    (void)state;
    struct buf why = {.max = 1000};
    uint64_t generation = 0;
    assert_rc(seen_db_look(path, &generation, &why), RC_NOT_FOUND);
    buf_clear(&why);
    struct seen_db *db = must_open();
    for (uint64_t i = 0; i < 400000; i++) /* more than one part */
        seen_db_add(db, 0, hash64_mix(i));
    assert_rc(seen_db_write(db, 9), RC_OK);
    assert_rc(seen_db_flush(db), RC_OK);
    assert_true(seen_db_bytes(db) > 1000000);
    assert_rc(seen_db_open(path, 0, &(struct seen_db *){NULL}, &why), RC_LOCKED);
    buf_clear(&why);
    seen_db_close(db);
    assert_rc(seen_db_look(path, &generation, &why), RC_OK);
    assert_int_equal(generation, 9);
    db = must_open();
    for (uint64_t i = 0; i < 400000; i += 997)
        assert_true(has(db, 0, hash64_mix(i)) && !has(db, 0, hash64_mix(i) + 1));
    seen_db_close(db);
    buf_done(&why);
}

static void a_folder_without_its_first_file_is_damage(void **state)
{
    (void)state;
    char current[80];
    struct buf why = {.max = 1000};
    struct seen_db *db = must_open();
    uint64_t generation;
    seen_db_add(db, 0, 1);
    assert_rc(seen_db_write(db, 1), RC_OK);
    assert_rc(seen_db_flush(db), RC_OK);
    seen_db_close(db);
    (void)snprintf(current, sizeof current, "%s/CURRENT", path);
    assert_int_equal(unlink(current), 0);
    assert_rc(seen_db_look(path, &generation, &why), RC_CORRUPT);
    assert_true(str_find_str(buf_str(&why), STR("the set of known URLs in ")) < why.n);
    assert_rc(seen_db_open(path, 0, &db, &why), RC_CORRUPT);
    buf_done(&why);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(eras_are_apart_and_the_old_ones_can_go, begin, end),
        cmocka_unit_test_setup_teardown(what_was_flushed_is_there_with_its_generation, begin, end),
        cmocka_unit_test_setup_teardown(a_folder_without_its_first_file_is_damage, begin, end),
    };
    return cmocka_run_group_tests_name("seen_db", tests, NULL, NULL);
}
