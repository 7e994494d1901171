/* SPDX-License-Identifier: Apache-2.0 */
/* A look into a journal's files tells a torn tail from damage, and changes nothing. */
#include "store/journal.h"

#include "disk/disk_crash.h"
#include "lib/test.h"

#include <inttypes.h>
#include <stdio.h>

enum { BATCHES = 20, BATCH_BYTES = 80, STEP = BATCH_BYTES + JOURNAL_HEAD_BYTES };
enum { SEGMENT = 5 * STEP, END = BATCHES * STEP }; /* four segments of five batches */

static const struct journal_settings small = {.segment_bytes = SEGMENT, .buffer_bytes = 1 << 20};

/* Batch number i is the same byte over and over. */
struct heard {
    uint32_t next, count, behind;
    uint32_t behind_first;
};

static uint32_t number_of(uint64_t position, struct str batch)
{
    assert_int_equal(batch.n, BATCH_BYTES);
    assert_int_equal(position, (uint64_t)batch.p[0] * STEP);
    return (uint32_t)batch.p[0];
}

static enum rc take(void *ctx, uint64_t position, struct str batch)
{
    struct heard *h = ctx;
    assert_int_equal(number_of(position, batch), h->next++);
    h->count++;
    return RC_OK;
}

static enum rc take_behind(void *ctx, uint64_t position, struct str batch)
{
    struct heard *h = ctx;
    uint32_t number = number_of(position, batch);
    if (!h->behind++)
        h->behind_first = number;
    return RC_OK;
}

static void add_all(struct journal *j)
{
    char room[BATCH_BYTES];
    struct str batch = str_make(room, sizeof room);
    uint64_t position;
    for (int i = 0; i < BATCHES; i++) {
        memset(room, i, sizeof room);
        assert_rc(journal_add(j, &batch, 1, &position), RC_OK);
        assert_rc(journal_write(j), RC_OK);
    }
    assert_int_equal(journal_end(j), END);
    assert_rc(journal_sync(j), RC_OK);
    journal_close(j);
}

static struct disk *make_journal(void)
{
    struct disk *d;
    struct journal *j;
    assert_rc(disk_crash_open(&d), RC_OK);
    assert_rc(journal_open(d, "journal", &small, 0, take, NULL, &j), RC_OK);
    add_all(j);
    return d;
}

/* The segment that holds a position. */
static const char *path_of(uint64_t position, char room[64])
{
    (void)snprintf(room, 64, "journal/%016" PRIx64, position / SEGMENT * SEGMENT);
    return room;
}

/* Every file, with its name. */
struct files {
    struct disk *disk;
    struct buf bytes;
};

static enum rc add_file(void *ctx, struct str name, bool is_folder)
{
    struct files *f = ctx;
    char path[64];
    (void)is_folder;
    (void)snprintf(path, sizeof path, "journal/" STR_FMT, STR_ARG(name));
    buf_add(&f->bytes, name);
    return disk_read_whole(f->disk, path, &f->bytes);
}

static void read_files(struct disk *d, struct files *ret)
{
    *ret = (struct files){.disk = d, .bytes = {.max = 1 << 20}};
    assert_rc(disk_list(d, "journal", add_file, ret), RC_OK);
}

/* Damage -------------------------------------------------------------------------------------- */

enum kind { NOTHING, CUT, FLIP, ZEROS, MISSING, JUNK };

struct change {
    enum kind kind;
    uint64_t at, bytes;
};

static void change_file(struct disk *d, const struct change *c)
{
    char path[64];
    struct buf all = {.max = 1 << 20};
    uint64_t at = c->at % SEGMENT;
    (void)path_of(c->at, path);
    if (c->kind == NOTHING)
        return;
    if (c->kind == MISSING) {
        assert_rc(disk_unlink(d, path), RC_OK);
        return;
    }
    assert_rc(disk_read_whole(d, path, &all), RC_OK);
    if (c->kind == CUT)
        all.n = at;
    else if (c->kind == FLIP)
        all.p[at] = (char)(all.p[at] ^ 1);
    else if (c->kind == ZEROS)
        memset(all.p + at, 0, c->bytes);
    else
        buf_fill(&all, 'j', c->bytes);
    assert_rc(disk_replace(d, path, buf_str(&all)), RC_OK);
    buf_done(&all);
}

struct row {
    const char *name;
    struct change change;
    uint64_t from;
    enum rc rc;
    uint32_t count; /* of the batches told, from `from` on */
    struct journal_found found;
    uint32_t behind_first;
};

#define AT(batch) ((uint64_t)(batch)*STEP)

static const struct row rows[] = {
    {"a whole journal", {NOTHING}, 0, RC_OK, 20, {4, END, 0, 0, 0, END}, 0},
    {"a whole journal from the middle", {NOTHING}, AT(7), RC_OK, 13, {4, END, 0, 0, 0, END}, 0},
    {"a whole journal from its end", {NOTHING}, END, RC_OK, 0, {4, END, 0, 0, 0, END}, 0},
    {"a position behind the end", {NOTHING}, END + 1, RC_CORRUPT, 0, {4, END, 0, 0, 0, END}, 0},
    {"the last batch is torn and says its end",
     {CUT, END - 30},
     0,
     RC_OK,
     19,
     {4, AT(19), STEP - 30, END, 0, AT(19)},
     0},
    {"the last batch is torn in its head",
     {CUT, AT(19) + 7},
     0,
     RC_OK,
     19,
     {4, AT(19), 7, 0, 0, AT(19)},
     0},
    {"the last batch is gone", {CUT, AT(19)}, 0, RC_OK, 19, {4, AT(19), 0, 0, 0, AT(19)}, 0},
    {"the last batch is flipped",
     {FLIP, AT(19) + 50},
     0,
     RC_OK,
     19,
     {4, AT(19), STEP, END, 0, AT(19)},
     0},
    {"junk behind the end", {JUNK, AT(19), 90}, 0, RC_OK, 20, {4, END, 90, 0, 0, END}, 0},
    {"a flip in the bytes of a batch in the middle",
     {FLIP, AT(7) + 50},
     0,
     RC_OK,
     7,
     {4, AT(7), 3 * STEP, AT(8), 12, END},
     8},
    {"a flip in the position of a batch in the middle",
     {FLIP, AT(7)},
     0,
     RC_OK,
     7,
     {4, AT(7), 3 * STEP, 0, 12, END},
     8},
    {"a flip in the last batch of a segment in the middle",
     {FLIP, AT(9) + 50},
     0,
     RC_OK,
     9,
     {4, AT(9), STEP, AT(10), 10, END},
     10},
    {"a flip in the first batch", {FLIP, 20}, 0, RC_OK, 0, {4, 0, 5 * STEP, STEP, 19, END}, 1},
    {"zeros over the borders of three batches",
     {ZEROS, AT(6) + 50, 2 * STEP},
     0,
     RC_OK,
     6,
     {4, AT(6), 4 * STEP, AT(7), 11, END},
     9},
    {"a segment in the middle is missing",
     {MISSING, AT(5)},
     0,
     RC_OK,
     5,
     {3, AT(5), 0, 0, 10, END},
     10},
    {"the first segment is missing", {MISSING, 0}, 0, RC_CORRUPT, 0, {3, AT(5), 0, 0, 0, AT(5)}, 0},
    {"the last segment is missing",
     {MISSING, AT(15)},
     0,
     RC_OK,
     15,
     {3, AT(15), 0, 0, 0, AT(15)},
     0},
    {"the end of a segment in the middle is cut off",
     {CUT, AT(8) + 30},
     0,
     RC_OK,
     8,
     {4, AT(8), 30, AT(9), 10, END},
     10},
    {"junk behind a segment whose successor goes on there is no gap",
     {JUNK, AT(5), 90},
     0,
     RC_OK,
     20,
     {4, END, 0, 0, 0, END},
     0},
    {"damage before the position is not looked at in earlier segments",
     {FLIP, AT(2)},
     AT(7),
     RC_OK,
     13,
     {4, END, 0, 0, 0, END},
     0},
    {"damage before the position in its segment",
     {FLIP, AT(5) + 50},
     AT(7),
     RC_CORRUPT,
     0,
     {4, AT(5), 5 * STEP, AT(6), 13, END},
     7},
};

static void assert_found(const struct journal_found *got, const struct journal_found *expected)
{
    assert_int_equal(got->segments, expected->segments);
    assert_int_equal(got->end, expected->end);
    assert_int_equal(got->torn_bytes, expected->torn_bytes);
    assert_int_equal(got->torn_end, expected->torn_end);
    assert_int_equal(got->behind, expected->behind);
    assert_int_equal(got->last, expected->last);
}

static void a_look_finds_what_is_whole_and_changes_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *r = &rows[i];
        struct disk *d = make_journal();
        struct heard h = {.next = (uint32_t)(r->from / STEP)};
        struct journal_found found;
        struct files before, after;
        print_message("# %s\n", r->name);
        change_file(d, &r->change);
        read_files(d, &before);
        assert_rc(journal_look(d, "journal", r->from, take, take_behind, &h, &found), r->rc);
        read_files(d, &after);
        assert_str(buf_str(&after.bytes), buf_str(&before.bytes));
        assert_int_equal(h.count, r->count);
        assert_found(&found, &r->found);
        assert_int_equal(h.behind, r->from ? h.behind : found.behind);
        assert_int_equal(h.behind_first, r->behind_first);
        buf_done(&before.bytes);
        buf_done(&after.bytes);
        disk_close(d);
    }
}

static void a_journal_without_segments_is_empty(void **state)
{
    (void)state;
    const struct journal_found nothing = {0};
    struct journal_found found;
    struct disk *d;
    assert_rc(disk_crash_open(&d), RC_OK);
    for (int has_folder = 0; has_folder < 2; has_folder++) {
        if (has_folder)
            assert_rc(disk_mkdir(d, "journal"), RC_OK);
        assert_rc(journal_look(d, "journal", 0, take, NULL, NULL, &found), RC_OK);
        assert_found(&found, &nothing);
        assert_rc(journal_look(d, "journal", 5, take, NULL, NULL, &found), RC_CORRUPT);
    }
    disk_close(d);
}

static enum rc refuse(void *ctx, uint64_t position, struct str batch)
{
    (void)ctx;
    (void)batch;
    return position >= AT(8) ? RC_AGAIN : RC_OK;
}

static void a_look_ends_when_its_caller_says_so(void **state)
{
    (void)state;
    const struct change flip = {FLIP, AT(6)};
    struct journal_found found;
    struct disk *d = make_journal();
    assert_rc(journal_look(d, "journal", 0, refuse, NULL, NULL, &found), RC_AGAIN);
    change_file(d, &flip);
    assert_rc(journal_look(d, "journal", 0, refuse, NULL, NULL, &found), RC_OK);
    assert_rc(journal_look(d, "journal", 0, refuse, refuse, NULL, &found), RC_AGAIN);
    disk_close(d);
}

/* Beginning at a position --------------------------------------------------------------------- */

static void a_journal_begins_at_a_position(void **state)
{
    (void)state;
    enum { BEGIN = 3 * STEP };
    const struct journal_found expected = {1, BEGIN + STEP, 0, 0, 0, BEGIN + STEP};
    struct journal_found found;
    struct heard h = {.next = 3}, again = {.next = 3};
    struct journal *j;
    struct disk *d;
    uint64_t position;
    char room[BATCH_BYTES];
    struct str batch = str_make(room, sizeof room);
    memset(room, 3, sizeof room);
    assert_rc(disk_crash_open(&d), RC_OK);
    assert_rc(journal_begin(d, "journal", &small, BEGIN, &j), RC_OK);
    assert_rc(journal_add(j, &batch, 1, &position), RC_OK);
    assert_int_equal(position, BEGIN);
    assert_rc(journal_sync(j), RC_OK);
    journal_close(j);
    assert_rc(journal_begin(d, "journal", &small, BEGIN, &j), RC_EXISTS);
    assert_rc(journal_look(d, "journal", BEGIN, take, NULL, &h, &found), RC_OK);
    assert_found(&found, &expected);
    assert_rc(journal_look(d, "journal", 0, take, NULL, &h, &found), RC_CORRUPT);
    assert_rc(journal_open(d, "journal", &small, BEGIN, take, &again, &j), RC_OK);
    assert_int_equal(h.count + again.count, 2);
    assert_int_equal(journal_end(j), BEGIN + STEP);
    journal_close(j);
    disk_close(d);
}

static enum rc every_step(void *ctx)
{
    struct journal_found found;
    struct heard h = {0};
    return journal_look(ctx, "journal", 0, take, take_behind, &h, &found);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    const struct change flip = {FLIP, AT(6)};
    struct disk *d = make_journal();
    change_file(d, &flip);
    test_each_allocation_fails(every_step, d);
    disk_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_look_finds_what_is_whole_and_changes_nothing),
        cmocka_unit_test(a_journal_without_segments_is_empty),
        cmocka_unit_test(a_look_ends_when_its_caller_says_so),
        cmocka_unit_test(a_journal_begins_at_a_position),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("journal_look", tests, NULL, NULL);
}
