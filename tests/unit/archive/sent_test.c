/* SPDX-License-Identifier: Apache-2.0 */
/* Archive files that an archive machine has acknowledged: wherever the power is cut, what was
 * written down stays; and recovery takes a file that was removed for one that is there. */
#include "archive/recover.h"
#include "archive/sent.h"
#include "lib/test.h"
#include "power_cut.h"

#include <stdio.h>

enum { FILES = 4 };

static const char *name_of(size_t i, char room[64])
{
    (void)snprintf(room, 64, "p-20240506070809123-%05zu-h.warc.gz", i);
    return room;
}

/* Power cuts ---------------------------------------------------------------------------------- */

struct test {
    struct power_cut cut;
    size_t added;
};

static enum rc work(struct power_cut *c, struct disk *d)
{
    struct test *t = (struct test *)(void *)c;
    struct sent *s = NULL;
    char room[64];
    enum rc rc = disk_mkdir(d, "state");
    rc = rc == RC_EXISTS ? disk_dirsync(d, "") : rc ? rc : disk_dirsync(d, "");
    rc = rc ? rc : sent_open(d, true, &s);
    for (size_t i = 0; i < FILES && rc == RC_OK; i++) {
        rc = sent_add(s, str_c(name_of(i, room)), 100 + i);
        rc = rc == RC_EXISTS ? RC_OK : rc;
        if (rc == RC_OK && i >= t->added)
            t->added = i + 1;
    }
    sent_close(s);
    return rc;
}

static const char *wrong_with(const struct test *t, struct disk *d)
{
    struct sent *s = NULL;
    const char *wrong = sent_open(d, false, &s) ? "it cannot be read" : NULL;
    char room[64];
    for (size_t i = 0; i < FILES && !wrong; i++) {
        uint64_t bytes = 0;
        bool has = sent_has(s, str_c(name_of(i, room)), &bytes);
        if (i < t->added && !has)
            wrong = "what was written down is gone";
        else if (has && bytes != 100 + i)
            wrong = "a length is another";
    }
    if (!wrong && sent_files(s) > FILES)
        wrong = "there are more than were written down";
    sent_close(s);
    return wrong;
}

static const char *go_on(struct power_cut *c, struct disk *image)
{
    struct test *t = (struct test *)(void *)c;
    const char *wrong = wrong_with(t, image);
    if (!wrong && work(c, image))
        wrong = "it cannot be gone on with";
    return wrong ? wrong : wrong_with(t, image);
}

static const struct power_cut_test cuts = {
    .bytes = sizeof(struct test),
    .outer = {.exhaustive = 200, .samples = 40, .seed = 1},
    .nested = {.exhaustive = 20, .samples = 5, .seed = 2},
    .nested_every = 10,
    .work = work,
    .go_on = go_on,
};

static void whatever_the_cut_what_was_written_down_stays(void **state)
{
    (void)state;
    struct test t = {.cut = {.test = &cuts}};
    power_cut_everywhere(&t.cut, 50);
}

static void whatever_call_fails_what_was_written_down_stays(void **state)
{
    (void)state;
    static const enum rc ways[] = {RC_IO, RC_DISK_FULL, RC_SYNC};
    struct test t = {.cut = {.test = &cuts}};
    power_cut_failures(&t.cut, ways, sizeof ways / sizeof *ways, 10);
}

/* An append that wrote half a line is not in front of the next one. */
static void a_line_that_did_not_fit_harms_no_other(void **state)
{
    (void)state;
    struct disk *d;
    struct sent *s = NULL;
    char room[64];
    assert_rc(disk_crash_open(&d), RC_OK);
    assert_rc(disk_mkdir(d, "state"), RC_OK);
    assert_rc(sent_open(d, true, &s), RC_OK);
    disk_crash_quota(d, 20);
    assert_rc(sent_add(s, str_c(name_of(0, room)), 7), RC_DISK_FULL);
    assert_false(sent_has(s, str_c(name_of(0, room)), NULL));
    disk_crash_quota(d, UINT64_MAX);
    assert_rc(sent_add(s, str_c(name_of(1, room)), 8), RC_OK);
    assert_rc(sent_add(s, str_c(name_of(1, room)), 8), RC_EXISTS);
    assert_rc(sent_add(s, STR("a b.warc.gz"), 8), RC_INVALID);
    sent_close(s);
    assert_rc(sent_open(d, false, &s), RC_OK);
    assert_int_equal(sent_files(s), 1);
    assert_int_equal(sent_bytes(s), 8);
    assert_true(sent_has(s, str_c(name_of(1, room)), NULL));
    sent_close(s);
    disk_close(d);
}

/* Recovery ------------------------------------------------------------------------------------- */

static void a_file_that_was_sent_and_removed_is_not_lost(void **state)
{
    (void)state;
    struct disk *d;
    struct sent *s = NULL;
    struct warc_recovery *r = NULL;
    char room[64];
    bool holds = false;
    assert_rc(disk_crash_open(&d), RC_OK);
    assert_rc(disk_mkdir(d, "state"), RC_OK);
    assert_rc(disk_mkdir(d, "archive"), RC_OK);
    assert_rc(sent_open(d, true, &s), RC_OK);
    assert_rc(sent_add(s, str_c(name_of(0, room)), 1000), RC_OK);
    assert_rc(warc_recovery_open(d, "archive", s, &r), RC_OK);
    struct str there = str_c(name_of(0, room));
    assert_rc(warc_recovery_trust(r, there, 900), RC_OK);
    assert_rc(warc_recovery_trust(r, there, 1001), RC_CORRUPT);
    assert_rc(warc_recovery_name(r, there, 900, 100, &holds), RC_OK);
    assert_true(holds);
    struct str gone = str_c(name_of(1, room));
    assert_rc(warc_recovery_trust(r, gone, 900), RC_CORRUPT);
    assert_rc(warc_recovery_name(r, gone, 0, 100, &holds), RC_OK);
    assert_false(holds);
    warc_recovery_close(r);
    sent_close(s);
    disk_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whatever_the_cut_what_was_written_down_stays),
        cmocka_unit_test(whatever_call_fails_what_was_written_down_stays),
        cmocka_unit_test(a_line_that_did_not_fit_harms_no_other),
        cmocka_unit_test(a_file_that_was_sent_and_removed_is_not_lost),
    };
    return cmocka_run_group_tests_name("sent", tests, NULL, NULL);
}
