/* SPDX-License-Identifier: Apache-2.0 */
/* Claims: the last whole record counts, whatever a crash has left behind it; and what the kernel
 * was given counts only until the machine is booted again. */
#include "ledger/claims.h"

#include "disk/disk_crash.h"
#include "lib/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SYNCED "logs/SYNCED"

enum { RECORD = 48, BOOT = 77 };

static struct disk *fresh_disk(void)
{
    struct disk *d;
    assert_rc(disk_crash_open(&d), RC_OK);
    assert_rc(disk_mkdir(d, "logs"), RC_OK);
    return d;
}

/* Claims number n of a process. */
static struct claims claims_n(uint64_t n)
{
    return (struct claims){
        .position = 100 * n, .generation = n, .recrawl = n / 2, .has_history = n % 2 == 1};
}

static void write_claims(struct disk *d, const char *written, unsigned count)
{
    struct claim_writer *w = NULL;
    struct claims c = claims_n(1);
    assert_rc(claim_writer_open(d, written, BOOT, &c, &w), RC_OK);
    for (unsigned n = 2; n <= count; n++) {
        c = claims_n(n);
        assert_rc(claim_synced(w, &c), RC_OK);
    }
    claim_writer_close(w);
}

static void assert_claims(const struct claims *got, uint64_t n)
{
    struct claims expected = claims_n(n);
    assert_int_equal(got->is_there, n > 0);
    assert_int_equal(got->position, expected.position);
    assert_int_equal(got->generation, expected.generation);
    assert_int_equal(got->recrawl, expected.recrawl);
    assert_int_equal(got->has_history, expected.has_history);
}

static uint64_t size_of(struct disk *d)
{
    struct disk_file *f;
    uint64_t bytes;
    assert_rc(disk_open(d, SYNCED, DISK_READ, &f), RC_OK);
    assert_rc(disk_size(f, &bytes), RC_OK);
    disk_file_close(f);
    return bytes;
}

/* What a crash leaves ------------------------------------------------------------------------- */

struct row {
    const char *name;
    uint64_t cut;      /* so many bytes stay; 0: all */
    uint64_t flips[2]; /* bytes that are flipped, counted from 1 */
    uint64_t junk;     /* bytes behind it */
    uint64_t counts;   /* these claims; 0: none */
};

/* Five records. */
static const struct row rows[] = {
    {"the last of five records counts", 0, {0}, 0, 5},
    {"a torn record is passed over", 4 * RECORD + 47, {0}, 0, 4},
    {"a record torn at its first byte is passed over", 4 * RECORD + 1, {0}, 0, 4},
    {"a flipped position is passed over", 0, {4 * RECORD + 1}, 0, 4},
    {"a flipped hash is passed over", 0, {5 * RECORD}, 0, 4},
    {"two flipped records are passed over", 0, {5 * RECORD, 4 * RECORD}, 0, 3},
    {"a flip in an earlier record harms no later one", 0, {2 * RECORD}, 0, 5},
    {"junk behind the last record is passed over", 0, {0}, 20, 5},
    {"junk of several records is passed over", 0, {0}, 5 * RECORD + 3, 5},
    {"a record of zeros is none", 1, {0}, 3 * RECORD, 0},
    {"a file with less than a record has none", 30, {0}, 0, 0},
};

static void the_last_whole_record_counts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *r = &rows[i];
        struct disk *d = fresh_disk();
        struct buf all = {.max = 10000};
        struct claims got;
        print_message("# %s\n", r->name);
        write_claims(d, NULL, 5);
        assert_rc(disk_read_whole(d, SYNCED, &all), RC_OK);
        assert_int_equal(all.n, 5 * RECORD);
        all.n = r->cut ? r->cut : all.n;
        for (int k = 0; k < 2; k++)
            if (r->flips[k])
                all.p[r->flips[k] - 1] ^= 4;
        buf_fill(&all, 0, r->junk);
        assert_rc(disk_replace(d, SYNCED, buf_str(&all)), RC_OK);
        assert_rc(claims_read(d, NULL, BOOT, &got), RC_OK);
        assert_claims(&got, r->counts);
        assert_int_equal(got.written, got.position);
        assert_int_equal(got.is_same_boot, r->counts > 0);
        buf_done(&all);
        disk_close(d);
    }
}

static void without_a_file_there_are_no_claims(void **state)
{
    (void)state;
    struct disk *d = fresh_disk();
    struct claims got;
    assert_rc(claims_read(d, "/nonexistent/WRITTEN", BOOT, &got), RC_OK);
    assert_claims(&got, 0);
    assert_false(got.is_same_boot);
    disk_close(d);
}

static void the_file_does_not_grow_past_its_bound(void **state)
{
    (void)state;
    struct disk *d = fresh_disk();
    struct claim_writer *w = NULL;
    struct claims c = claims_n(1), got;
    uint64_t most = 0;
    assert_rc(claim_writer_open(d, NULL, BOOT, &c, &w), RC_OK);
    for (uint64_t n = 2; n <= 3500; n++) {
        c = claims_n(n);
        assert_rc(claim_synced(w, &c), RC_OK);
        most = size_of(d) > most ? size_of(d) : most;
        if (n % 100 == 0 || size_of(d) == RECORD) {
            assert_rc(claims_read(d, NULL, BOOT, &got), RC_OK);
            assert_claims(&got, n);
        }
    }
    assert_int_equal(most, 1000 * RECORD);
    claim_writer_close(w);
    write_claims(d, NULL, 1); /* another process begins it anew */
    assert_int_equal(size_of(d), RECORD);
    disk_close(d);
}

static void a_record_that_did_not_fit_harms_no_later_one(void **state)
{
    (void)state;
    struct disk *d = fresh_disk();
    struct claim_writer *w = NULL;
    struct claims c = claims_n(1), got;
    assert_rc(claim_writer_open(d, NULL, BOOT, &c, &w), RC_OK);
    c = claims_n(2);
    disk_crash_fail_at(d, 1, RC_DISK_FULL, 20);
    assert_rc(claim_synced(w, &c), RC_DISK_FULL);
    assert_rc(claims_read(d, NULL, BOOT, &got), RC_OK);
    assert_claims(&got, 1);
    c = claims_n(3);
    assert_rc(claim_synced(w, &c), RC_OK);
    assert_rc(claims_read(d, NULL, BOOT, &got), RC_OK);
    assert_claims(&got, 3);
    claim_writer_close(w);
    disk_close(d);
}

/* Claims are not synced: after a power cut any earlier ones may be there, and none that were not
 * made. */
static enum rc look(void *ctx, struct disk *image, const char *what)
{
    const uint64_t *newest = ctx;
    struct claims got;
    (void)what;
    assert_rc(claims_read(image, NULL, BOOT, &got), RC_OK);
    assert_true(got.generation <= *newest);
    assert_claims(&got, got.generation);
    return RC_OK;
}

static void whatever_the_cut_a_claim_that_is_there_was_made(void **state)
{
    (void)state;
    struct disk *d = fresh_disk();
    struct claim_writer *w = NULL;
    struct claims c = claims_n(1);
    assert_rc(claim_writer_open(d, NULL, BOOT, &c, &w), RC_OK);
    for (uint64_t n = 2; n < 20; n++) {
        c = claims_n(n);
        assert_rc(claim_synced(w, &c), RC_OK);
        assert_rc(disk_crash_images(d, NULL, look, &n), RC_OK);
    }
    claim_writer_close(w);
    disk_close(d);
}

/* What the kernel has ------------------------------------------------------------------------- */

struct boot_row {
    const char *name;
    uint64_t boot;  /* of the process that reads */
    uint64_t given; /* said of the journal; 0: nothing */
    bool has_file;
    bool is_same;
    uint64_t written;
};

static const struct boot_row boot_rows[] = {
    {"what the kernel was given counts in the same boot", BOOT, 250, true, true, 250},
    {"another boot has what is durable", BOOT + 1, 250, true, false, 200},
    {"a boot that is not known has what is durable", 0, 250, true, false, 200},
    {"what is durable was given to the kernel", BOOT, 150, true, true, 200},
    {"without the file what is durable counts", BOOT, 250, false, true, 200},
};

static void what_the_kernel_has_counts_only_in_the_same_boot(void **state)
{
    (void)state;
    char folder[] = "/tmp/claims_test.XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/WRITTEN", folder);
    for (size_t i = 0; i < sizeof boot_rows / sizeof *boot_rows; i++) {
        const struct boot_row *r = &boot_rows[i];
        struct disk *d = fresh_disk();
        struct claim_writer *w = NULL;
        struct claims c = claims_n(1), got;
        print_message("# %s\n", r->name);
        assert_rc(claim_writer_open(d, path, BOOT, &c, &w), RC_OK);
        c = claims_n(2);
        assert_rc(claim_synced(w, &c), RC_OK);
        claim_written(w, r->given);
        if (!r->has_file)
            assert_int_equal(unlink(path), 0);
        assert_rc(claims_read(d, path, r->boot, &got), RC_OK); /* as after kill -9: it is open */
        assert_claims(&got, 2);
        assert_int_equal(got.is_same_boot, r->is_same);
        assert_int_equal(got.written, r->written);
        claim_writer_close(w);
        disk_close(d);
    }
    (void)unlink(path);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_whole_record_counts),
        cmocka_unit_test(without_a_file_there_are_no_claims),
        cmocka_unit_test(the_file_does_not_grow_past_its_bound),
        cmocka_unit_test(a_record_that_did_not_fit_harms_no_later_one),
        cmocka_unit_test(whatever_the_cut_a_claim_that_is_there_was_made),
        cmocka_unit_test(what_the_kernel_has_counts_only_in_the_same_boot),
    };
    return cmocka_run_group_tests_name("claims", tests, NULL, NULL);
}
