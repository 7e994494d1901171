/* SPDX-License-Identifier: Apache-2.0 */
/* Which bytes of the archive a directory still has. */
#include "outputs/lost_files.h"

#include "disk/disk_crash.h"
#include "lib/test.h"

#define SEALED_FILE "T-20240506070809123-00000-h.warc.gz"
#define OTHER_FILE "T-20240506070809123-00001-h.warc.gz"
#define SENT_FILE "T-20240506070809123-00002-h.warc.gz"

static struct disk *directory(void)
{
    struct disk *d;
    struct sealed *sealed = NULL;
    struct sent *sent = NULL;
    assert_rc(disk_crash_open(&d), RC_OK);
    assert_rc(disk_mkdir(d, "state"), RC_OK);
    assert_rc(disk_mkdir(d, "archive"), RC_OK);
    assert_rc(disk_replace(d, "archive/" SEALED_FILE, STR("12345")), RC_OK);
    assert_rc(sealed_open(d, "archive", true, &sealed), RC_OK);
    assert_rc(sealed_add(sealed, STR(SEALED_FILE), 5), RC_OK);
    assert_rc(sealed_add(sealed, STR(SENT_FILE), 7), RC_OK);
    assert_rc(sealed_sync(sealed), RC_OK);
    sealed_close(sealed);
    assert_rc(sent_open(d, true, &sent), RC_OK);
    assert_rc(sent_add(sent, STR(SENT_FILE), 7), RC_OK);
    sent_close(sent);
    return d;
}

static void assert_have(struct lost_files *f, struct str name, uint64_t end, bool expected)
{
    bool got = !expected;
    assert_rc(lost_files_have(f, name, end, &got), RC_OK);
    if (got != expected)
        fail_msg(STR_FMT " up to %u: %d", STR_ARG(name), (unsigned)end, got);
}

static void bytes_are_there_up_to_the_end_of_the_file(void **state)
{
    (void)state;
    struct disk *d = directory();
    struct lost_files f;
    assert_rc(lost_files_open(&f, d), RC_OK);
    assert_have(&f, STR(SEALED_FILE), 5, true);
    assert_have(&f, STR(SEALED_FILE), 6, false);
    assert_have(&f, STR(SENT_FILE), 7, true);
    assert_have(&f, STR(OTHER_FILE), 1, true);
    assert_have(&f, STR("../x"), 1, false);
    f.is_strict = true;
    f.name[0] = 0;
    assert_have(&f, STR(OTHER_FILE), 1, false);
    assert_have(&f, STR(SENT_FILE), 7, true);
    lost_files_done(&f);
    disk_close(d);
}

static void a_file_that_went_is_noticed(void **state)
{
    (void)state;
    struct disk *d = directory();
    struct lost_files f;
    bool has_lost = true;
    assert_rc(lost_files_any(d, &has_lost), RC_OK);
    assert_false(has_lost);
    assert_rc(disk_unlink(d, "archive/" SEALED_FILE), RC_OK);
    assert_rc(lost_files_any(d, &has_lost), RC_OK);
    assert_true(has_lost);
    assert_rc(lost_files_open(&f, d), RC_OK);
    assert_have(&f, STR(SEALED_FILE), 1, false);
    lost_files_done(&f);
    disk_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_there_up_to_the_end_of_the_file),
        cmocka_unit_test(a_file_that_went_is_noticed),
    };
    return cmocka_run_group_tests_name("lost_files", tests, NULL, NULL);
}
