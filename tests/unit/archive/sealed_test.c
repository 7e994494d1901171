/* SPDX-License-Identifier: Apache-2.0 */
/* The list of sealed archive files: what is missing or has another length is told, until the
 * operator knows; and the file of lines that keeps it. */
#include "archive/file_list.h"
#include "archive/sealed.h"
#include "archive/warc_find.h"

#include "lib/test.h"
#include "power_cut.h"

#include <stdio.h>

#define LIST "state/sealed"
#define A "T-20240506070809123-00000-h.warc.gz"
#define B "T-20240506070809123-00001-h.warc.gz"

static struct disk *fresh_disk(void)
{
    struct disk *d;
    assert_rc(disk_crash_open(&d), RC_OK);
    assert_rc(disk_mkdir(d, "state"), RC_OK);
    assert_rc(disk_mkdir(d, "archive"), RC_OK);
    return d;
}

static void put_file(struct disk *d, const char *name, const char *bytes)
{
    char path[100];
    (void)snprintf(path, sizeof path, "archive/%s", name);
    assert_rc(disk_replace(d, path, str_c(bytes)), RC_OK);
}

static void assert_file(struct disk *d, const char *path, const char *expected)
{
    struct buf all = {.max = 10000};
    assert_rc(disk_read_whole(d, path, &all), RC_OK);
    assert_str(buf_str(&all), str_c(expected));
    buf_done(&all);
}

static struct sealed *open_list(struct disk *d, bool writes)
{
    struct sealed *s = NULL;
    assert_rc(sealed_open(d, "archive", writes, &s), RC_OK);
    return s;
}

static enum rc tell(void *ctx, struct str name, uint64_t bytes, uint64_t there)
{
    buf_printf(ctx, STR_FMT " %u %u\n", STR_ARG(name), (unsigned)bytes, (unsigned)there);
    return RC_OK;
}

static void assert_compare(const struct sealed *s, const struct sent *sent, const char *expected)
{
    struct buf told = {.max = 10000};
    assert_rc(sealed_compare(s, sent, tell, &told), RC_OK);
    assert_str(buf_str(&told), str_c(expected));
    buf_done(&told);
}

/* Finding ------------------------------------------------------------------------------------- */

static void a_file_is_found_by_its_last_name_and_with_open_behind_it(void **state)
{
    (void)state;
    struct disk *d = fresh_disk();
    struct disk_file *f = NULL;
    char longer[DISK_MAX_NAME_BYTES + 2] = {0};
    struct warc_size there = {.bytes = 9};
    memset(longer, 'x', sizeof longer - 1);
    put_file(d, A, "12345");
    put_file(d, A ".open", "1");
    put_file(d, B ".open", "123");
    assert_rc(warc_measure(d, "archive", STR(A), &there), RC_OK);
    assert_true(there.bytes == 5 && !there.is_missing);
    assert_rc(warc_measure(d, "archive", STR(B), &there), RC_OK);
    assert_true(there.bytes == 3 && !there.is_missing);
    assert_true(warc_has_open(d, "archive", STR(A)) && warc_has_open(d, "archive", STR(B)));
    assert_false(warc_has_open(d, "archive", STR("none")));
    assert_rc(warc_find(d, "archive", str_c(longer), &f), RC_NOT_FOUND);
    assert_rc(warc_find(d, "archive", STR("../x"), &f), RC_INVALID);
    assert_rc(warc_find(d, "archive", STR("none"), &f), RC_NOT_FOUND);
    assert_rc(warc_measure(d, "archive", STR("none"), &there), RC_OK);
    assert_true(there.bytes == 0 && there.is_missing);
    assert_rc(warc_measure(d, "archive", STR("../x"), &there), RC_OK);
    assert_true(there.bytes == 0 && !there.is_missing);
    disk_close(d);
}

/* Comparing ----------------------------------------------------------------------------------- */

struct row {
    const char *name;
    const char *lines;
    const char *there, *there_open; /* contents of A and of A.open; NULL: there is none */
    bool is_sent;
    const char *told;
};

static const struct row rows[] = {
    {"a file in its length", A " 5 sealed\n", "12345", NULL, false, ""},
    {"a missing file is told", A " 5 sealed\n", NULL, NULL, false, A " 5 0\n"},
    {"a shorter file is told", A " 5 sealed\n", "123", NULL, false, A " 5 3\n"},
    {"a longer file is told", A " 5 sealed\n", "1234567", NULL, false, A " 5 7\n"},
    {"a file that was sent may be missing", A " 5 sealed\n", NULL, NULL, true, ""},
    {"a file that was sent may not be shorter", A " 5 sealed\n", "123", NULL, true, A " 5 3\n"},
    {"a file whose last name did not come", A " 5 sealed\n", NULL, "12345", false, ""},
    {"its torn end may still be there", A " 5 sealed\n", NULL, "12345torn", false, ""},
    {"but it may not be shorter", A " 5 sealed\n", NULL, "123", false, A " 5 3\n"},
    {"a file that is known to be lost", A " 0 lost\n", NULL, NULL, false, ""},
    {"a file that was asked for again", A " 0 asked\n", NULL, NULL, false, ""},
    {"the last line of a name counts", A " 5 sealed\n" A " 3 sealed\n", "123", NULL, false, ""},
    {"a lost file that is sealed again", A " 0 lost\n" A " 5 sealed\n", NULL, NULL, false,
     A " 5 0\n"},
    {"a line that cannot be read is passed over", "x\n" A " 5\n" A " y sealed\n" B " 1 sealed\n",
     NULL, NULL, false, B " 1 0\n"},
    {"a last line without its end does not count", A " 5 sealed\n" A " 3 sealed", "12345", NULL,
     false, ""},
    {"a name that leads out of the folder is a missing file", "../x 5 sealed\n", NULL, NULL, false,
     "../x 5 0\n"},
    {"an empty list", "", "12345", NULL, false, ""},
};

static void what_is_missing_or_has_another_length_is_told(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *r = &rows[i];
        struct disk *d = fresh_disk();
        struct sent *sent = NULL;
        print_message("# %s\n", r->name);
        assert_rc(disk_replace(d, LIST, str_c(r->lines)), RC_OK);
        if (r->there)
            put_file(d, A, r->there);
        if (r->there_open)
            put_file(d, A ".open", r->there_open);
        assert_rc(sent_open(d, true, &sent), RC_OK);
        if (r->is_sent)
            assert_rc(sent_add(sent, STR(A), 5), RC_OK);
        struct sealed *s = open_list(d, false);
        assert_compare(s, sent, r->told);
        sealed_close(s);
        assert_file(d, LIST, r->lines); /* reading changes nothing */
        sent_close(sent);
        disk_close(d);
    }
}

/* Changing ------------------------------------------------------------------------------------ */

static void a_loss_is_told_until_it_is_accepted_and_then_asked_for_once(void **state)
{
    (void)state;
    struct disk *d = fresh_disk();
    struct sealed *s = open_list(d, true);
    put_file(d, B, "123");
    assert_rc(sealed_add(s, STR(A), 5), RC_OK);
    assert_rc(sealed_add(s, STR(B), 7), RC_OK);
    assert_rc(sealed_sync(s), RC_OK);
    assert_compare(s, NULL, A " 5 0\n" B " 7 3\n");
    assert_false(sealed_has_lost(s) || sealed_has_asked(s));
    assert_rc(sealed_accept(s, NULL), RC_OK);
    assert_compare(s, NULL, "");
    assert_true(sealed_has_lost(s) && !sealed_has_asked(s));
    sealed_close(s);
    s = open_list(d, true); /* it lasts */
    assert_true(sealed_has_lost(s) && !sealed_has_asked(s));
    assert_rc(sealed_asked(s), RC_OK);
    assert_true(!sealed_has_lost(s) && sealed_has_asked(s));
    assert_compare(s, NULL, "");
    sealed_close(s);
    assert_file(d, LIST,
                A " 5 sealed\n" B " 7 sealed\n" A " 0 lost\n" B " 3 lost\n" A " 0 asked\n" B
                  " 3 asked\n");
    disk_close(d);
}

static void files_of_an_earlier_version_are_adopted(void **state)
{
    (void)state;
    struct disk *d = fresh_disk();
    struct buf told = {.max = 10000};
    struct sealed *s = open_list(d, true);
    put_file(d, A, "12345");
    put_file(d, B, "123");
    put_file(d, "T-20240506070809123-00002-h.warc.gz.open", "123");
    put_file(d, "other.warc.gz", "123");
    assert_rc(disk_mkdir(d, "archive/T-20240506070809123-00003-h.warc.gz"), RC_OK);
    assert_rc(sealed_add(s, STR(B), 7), RC_OK);
    assert_rc(sealed_find_unknown(s, tell, &told), RC_OK);
    assert_str(buf_str(&told), STR(A " 5 5\n"));
    assert_rc(sealed_adopt(s), RC_OK);
    assert_compare(s, NULL, B " 7 3\n"); /* what the list has is not learnt anew */
    assert_rc(sealed_find_unknown(s, tell, NULL), RC_OK);
    assert_rc(sealed_adopt(s), RC_OK);
    sealed_close(s);
    assert_file(d, LIST, B " 7 sealed\n" A " 5 sealed\n");
    buf_done(&told);
    disk_close(d);
}

static void without_a_folder_or_a_list_nothing_is_known(void **state)
{
    (void)state;
    struct disk *d;
    assert_rc(disk_crash_open(&d), RC_OK);
    struct sealed *s = open_list(d, false);
    assert_compare(s, NULL, "");
    assert_rc(sealed_find_unknown(s, tell, NULL), RC_OK);
    assert_false(sealed_has_lost(s) || sealed_has_asked(s));
    assert_rc(sealed_add(s, STR(A), 5), RC_INVALID); /* it is only read */
    assert_rc(sealed_sync(s), RC_INVALID);
    sealed_close(s);
    disk_close(d);
}

/* The file of lines --------------------------------------------------------------------------- */

static void lines_that_cannot_be_read_go_when_it_is_opened_to_write(void **state)
{
    (void)state;
    struct disk *d = fresh_disk();
    struct file_list *l = NULL;
    assert_rc(disk_replace(d, LIST, STR("a 1 x\n\nnonsense\nb 2 x\na 3 y\nc 4 toolongaword\nd 5")),
              RC_OK);
    assert_rc(file_list_open(d, LIST, true, &l), RC_OK);
    assert_file(d, LIST, "a 3 y\nb 2 x\n");
    assert_rc(file_list_add(l, STR("e"), 6, "x"), RC_OK);
    assert_rc(file_list_add(l, STR("a b"), 6, "x"), RC_INVALID);
    assert_rc(file_list_add(l, STR("a\nb"), 6, "x"), RC_INVALID);
    assert_rc(file_list_add(l, STR(""), 6, "x"), RC_INVALID);
    assert_rc(file_list_add(l, STR("f"), 6, "12345678"), RC_INVALID);
    assert_rc(file_list_add(l, STR("f"), 6, ""), RC_INVALID);
    file_list_close(l);
    assert_file(d, LIST, "a 3 y\nb 2 x\ne 6 x\n");
    disk_close(d);
}

static void a_line_that_did_not_fit_harms_no_other(void **state)
{
    (void)state;
    struct disk *d = fresh_disk();
    struct sealed *s = open_list(d, true);
    disk_crash_quota(d, 20);
    assert_rc(sealed_add(s, STR(A), 5), RC_DISK_FULL);
    assert_compare(s, NULL, "");
    disk_crash_quota(d, UINT64_MAX);
    assert_rc(sealed_add(s, STR(B), 7), RC_OK);
    assert_rc(sealed_add(s, STR(B), 7), RC_OK); /* a second line would say nothing new */
    sealed_close(s);
    assert_file(d, LIST, B " 7 sealed\n");
    disk_close(d);
}

/* Power cuts ---------------------------------------------------------------------------------- */

enum { FILES = 4 };

struct trial {
    struct power_cut cut;
    unsigned synced, accepted; /* files whose line is durable; that are lost, durably */
};

static enum rc count(void *ctx, struct str name, uint64_t bytes, uint64_t there)
{
    (void)name;
    (void)there;
    if (bytes != 100)
        return RC_CORRUPT;
    ++*(unsigned *)ctx;
    return RC_OK;
}

static enum rc work(struct power_cut *c, struct disk *d)
{
    struct trial *t = (struct trial *)(void *)c;
    struct sealed *s = NULL;
    char name[64];
    enum rc rc = disk_mkdir(d, "state");
    rc = rc && rc != RC_EXISTS ? rc : disk_dirsync(d, "");
    rc = rc ? rc : sealed_open(d, "archive", true, &s);
    for (unsigned i = t->accepted; i < FILES && rc == RC_OK; i++) {
        (void)snprintf(name, sizeof name, "T-20240506070809123-%05u-h.warc.gz", i);
        rc = sealed_add(s, str_c(name), 100);
        rc = rc ? rc : sealed_sync(s);
        t->synced = rc || t->synced > i ? t->synced : i + 1;
    }
    rc = rc ? rc : sealed_accept(s, NULL); /* none of them is there */
    t->accepted = rc ? t->accepted : FILES;
    sealed_close(s);
    return rc;
}

static const char *wrong_with(const struct trial *t, struct disk *d)
{
    struct sealed *s = NULL;
    unsigned missing = 0;
    if (sealed_open(d, "archive", false, &s))
        return "it cannot be read";
    enum rc rc = sealed_compare(s, NULL, count, &missing);
    bool has_lost = sealed_has_lost(s);
    sealed_close(s);
    if (rc)
        return "a length is another";
    if (missing > FILES || (t->accepted && missing))
        return "more are missing than were sealed";
    return missing < t->synced && !has_lost ? "a line that was synced is gone" : NULL;
}

static const char *go_on(struct power_cut *c, struct disk *image)
{
    struct trial *t = (struct trial *)(void *)c;
    const char *wrong = wrong_with(t, image);
    if (!wrong && work(c, image))
        wrong = "it cannot be gone on with";
    return wrong ? wrong : wrong_with(t, image);
}

static const struct power_cut_test cuts = {
    .bytes = sizeof(struct trial),
    .outer = {.exhaustive = 200, .samples = 40, .seed = 1},
    .nested = {.exhaustive = 20, .samples = 5, .seed = 2},
    .nested_every = 10,
    .work = work,
    .go_on = go_on,
};

static void whatever_the_cut_what_was_synced_stays(void **state)
{
    (void)state;
    struct trial t = {.cut = {.test = &cuts}};
    power_cut_everywhere(&t.cut, 50);
}

static void whatever_call_fails_what_was_synced_stays(void **state)
{
    (void)state;
    static const enum rc ways[] = {RC_IO, RC_DISK_FULL, RC_SYNC};
    struct trial t = {.cut = {.test = &cuts}};
    power_cut_failures(&t.cut, ways, sizeof ways / sizeof *ways, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_found_by_its_last_name_and_with_open_behind_it),
        cmocka_unit_test(what_is_missing_or_has_another_length_is_told),
        cmocka_unit_test(a_loss_is_told_until_it_is_accepted_and_then_asked_for_once),
        cmocka_unit_test(files_of_an_earlier_version_are_adopted),
        cmocka_unit_test(without_a_folder_or_a_list_nothing_is_known),
        cmocka_unit_test(lines_that_cannot_be_read_go_when_it_is_opened_to_write),
        cmocka_unit_test(a_line_that_did_not_fit_harms_no_other),
        cmocka_unit_test(whatever_the_cut_what_was_synced_stays),
        cmocka_unit_test(whatever_call_fails_what_was_synced_stays),
    };
    return cmocka_run_group_tests_name("sealed", tests, NULL, NULL);
}
