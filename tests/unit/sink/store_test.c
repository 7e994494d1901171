/* SPDX-License-Identifier: Apache-2.0 */
/* Files that arrive on the archive machine. Wherever the power is cut and whichever call of the
 * disk fails: what was acknowledged is there whole, no name has other bytes than were offered, and
 * an agent that offers again comes to the end. */
#include "lib/test.h"

#include "base/mem.h"
#include "power_cut.h"
#include "sink/session.h"

#include <stdio.h>

enum { FILES = 3, FILE_BYTES = 9000, PIECE_BYTES = 3500, TRIES = 8 };

static const struct {
    enum sink_what what;
    const char *name, *path;
    size_t bytes;
} files[FILES] = {
    {SINK_WARC, "p-20240506070809123-00000-h.warc.gz",
     "archive/p-20240506070809123-00000-h.warc.gz", FILE_BYTES},
    {SINK_INDEX, "p-20240506070809123-00000-h.warc.gz.cdxj",
     "indexes/parts/p-20240506070809123-00000-h.warc.gz.cdxj", 700},
    {SINK_WARC, "p-20240506070809124-00001-h.warc.gz",
     "archive/p-20240506070809124-00001-h.warc.gz", 4096},
};

static const struct sink_store_settings usual = {.max_file_bytes = 1 << 20};

/* The bytes of a file: no two pieces are alike. */
static struct str bytes_of(size_t file, char room[FILE_BYTES])
{
    for (size_t i = 0; i < files[file].bytes; i++)
        room[i] = (char)(i * 7 + i / 251 + file * 13);
    return str_make(room, files[file].bytes);
}

static struct sink_frame offer_of(size_t file)
{
    char room[FILE_BYTES];
    struct digest d;
    struct sink_frame f = {.kind = SINK_PUT,
                           .what = files[file].what,
                           .name = str_c(files[file].name),
                           .bytes = files[file].bytes};
    assert_rc(digest_of(DIGEST_SHA256, bytes_of(file, room), &d), RC_OK);
    memcpy(f.sha256, d.bytes, sizeof f.sha256);
    return f;
}

/* Sends as an agent does: from the offset that the store gives, piece by piece. */
static struct sink_verdict send_once(struct sink_store *s, size_t file, const struct sink_frame *f)
{
    char room[FILE_BYTES];
    struct str all = bytes_of(file, room);
    struct sink_put *p = NULL;
    struct sink_verdict v = sink_put_open(s, f, (struct sink_progress){0}, &p);
    while (v.kind == SINK_MORE) {
        assert_true(v.offset < all.n);
        struct str rest = str_from(all, (size_t)v.offset);
        v = sink_put_add(p, str_first(rest, rest.n < PIECE_BYTES ? rest.n : PIECE_BYTES));
    }
    sink_put_close(p);
    return v;
}

static struct sink_verdict send_file(struct sink_store *s, size_t file)
{
    struct sink_frame f = offer_of(file);
    struct sink_verdict v = {0};
    for (int i = 0; i < TRIES && v.kind != SINK_STORED; i++) {
        v = send_once(s, file, &f);
        if (v.kind == SINK_REFUSED && v.code != SINK_MISMATCH)
            break;
    }
    return v;
}

/* "": not there; "same"; "other". */
static const char *look_at(struct disk *d, size_t file)
{
    char room[FILE_BYTES];
    struct buf got = {.max = FILE_BYTES * 2};
    enum rc rc = disk_read_whole(d, files[file].path, &got);
    bool same = rc == RC_OK && str_eq(buf_str(&got), bytes_of(file, room));
    buf_done(&got);
    return rc == RC_NOT_FOUND ? "" : same ? "same" : "other";
}

/* Power cuts ---------------------------------------------------------------------------------- */

struct test {
    struct power_cut cut;
    bool stored[FILES];
};

static enum rc work(struct power_cut *c, struct disk *d)
{
    struct test *t = (struct test *)(void *)c;
    struct sink_store *s = NULL;
    enum rc rc = sink_store_open(d, &usual, &s);
    for (size_t i = 0; i < FILES && rc == RC_OK; i++) {
        struct sink_verdict v = send_file(s, i);
        t->stored[i] = t->stored[i] || v.kind == SINK_STORED;
        rc = v.kind == SINK_STORED ? RC_OK : v.code == SINK_FULL ? RC_DISK_FULL : RC_IO;
    }
    sink_store_close(s);
    return rc;
}

static const char *wrong_with(const struct test *t, struct disk *d)
{
    for (size_t i = 0; i < FILES; i++) {
        const char *is = look_at(d, i);
        if (t->stored[i] && strcmp(is, "same") != 0)
            return "what was acknowledged is not there";
        if (strcmp(is, "other") == 0)
            return "a name without .part has other bytes";
    }
    return NULL;
}

static const char *go_on(struct power_cut *c, struct disk *image)
{
    struct test *t = (struct test *)(void *)c;
    const char *wrong = wrong_with(t, image);
    if (!wrong && work(c, image) != RC_OK)
        wrong = "who offers again does not come to the end";
    for (size_t i = 0; i < FILES && !wrong; i++)
        wrong = strcmp(look_at(image, i), "same") != 0 ? "not all is there at the end" : NULL;
    return wrong;
}

static const struct power_cut_test cuts = {
    .bytes = sizeof(struct test),
    .outer = {.exhaustive = 60, .samples = 20, .seed = 1},
    .nested = {.exhaustive = 20, .samples = 5, .seed = 2},
    .nested_every = 20,
    .work = work,
    .go_on = go_on,
};

static void whatever_the_cut_what_was_acknowledged_is_there(void **state)
{
    (void)state;
    struct test t = {.cut = {.test = &cuts}};
    power_cut_everywhere(&t.cut, 200);
}

static void whatever_call_fails_what_was_acknowledged_is_there(void **state)
{
    (void)state;
    static const enum rc ways[] = {RC_IO, RC_DISK_FULL, RC_SYNC};
    struct test t = {.cut = {.test = &cuts}};
    power_cut_failures(&t.cut, ways, sizeof ways / sizeof *ways, 30);
}

/* Offers that are refused ---------------------------------------------------------------------- */

struct store_dir {
    struct disk *disk;
    struct sink_store *store;
};

static struct store_dir store_dir_open(struct sink_store_settings s)
{
    struct store_dir p = {0};
    assert_rc(disk_crash_open(&p.disk), RC_OK);
    assert_rc(sink_store_open(p.disk, &s, &p.store), RC_OK);
    return p;
}

static void store_dir_close(struct store_dir *p)
{
    sink_store_close(p->store);
    disk_close(p->disk);
}

static void assert_refused(struct sink_verdict v, enum sink_code code)
{
    assert_int_equal(v.kind, SINK_REFUSED);
    assert_int_equal(v.code, code);
}

static void only_names_of_archive_files_are_taken(void **state)
{
    (void)state;
    static const struct {
        enum sink_what what;
        const char *name;
        bool good;
    } rows[] = {
        {SINK_WARC, "p-20240506070809123-00000-h.warc.gz", true},
        {SINK_WARC, "p-20240506070809123-00000-my-host.example.warc.gz", true},
        {SINK_WARC, "p-20240506070809123-00000-h.warc.gz.open", false},
        {SINK_WARC, "p-20240506070809123-00000-h.warc.gz.part", false},
        {SINK_WARC, "p-20240506070809123-00000-h.warc.gz.cdxj", false},
        {SINK_WARC, "../p-20240506070809123-00000-h.warc.gz", false},
        {SINK_WARC, "p-20240506070809123-00000-a/b.warc.gz", false},
        {SINK_WARC, ".-20240506070809123-00000-h.warc.gz", false},
        {SINK_WARC, "index.cdxj", false},
        {SINK_WARC, "", false},
        {SINK_INDEX, "p-20240506070809123-00000-h.warc.gz.cdxj", true},
        {SINK_INDEX, "p-20240506070809123-00000-h.warc.gz", false},
        {SINK_INDEX, "index.cdxj", false},
        {SINK_INDEX, ".cdxj", false},
        {SINK_INDEX, "../../sink/agents.cdxj", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(sink_name_is_good(rows[i].what, str_c(rows[i].name)), rows[i].good);
    char with_nul[] = "p-20240506070809123-00000-h\0.warc.gz";
    assert_false(sink_name_is_good(SINK_WARC, str_make(with_nul, sizeof with_nul - 1)));
}

static void a_name_is_never_given_to_other_bytes(void **state)
{
    (void)state;
    struct store_dir p = store_dir_open(usual);
    assert_int_equal(send_file(p.store, 0).kind, SINK_STORED);
    struct sink_frame again = offer_of(0), other = offer_of(0);
    other.sha256[0] ^= 1;
    assert_int_equal(send_once(p.store, 0, &again).kind, SINK_STORED);
    assert_refused(send_once(p.store, 0, &other), SINK_CONFLICT);
    other = offer_of(0);
    other.bytes--;
    assert_refused(send_once(p.store, 0, &other), SINK_CONFLICT);
    assert_string_equal(look_at(p.disk, 0), "same");
    store_dir_close(&p);
}

static void bytes_that_are_not_what_was_offered_are_thrown_away(void **state)
{
    (void)state;
    struct store_dir p = store_dir_open(usual);
    struct sink_frame lie = offer_of(2);
    lie.sha256[5] ^= 1;
    assert_refused(send_once(p.store, 2, &lie), SINK_MISMATCH);
    assert_string_equal(look_at(p.disk, 2), "");
    assert_int_equal(send_file(p.store, 2).kind, SINK_STORED);
    store_dir_close(&p);
}

static void pieces_beyond_the_end_are_refused_and_what_came_before_stays(void **state)
{
    (void)state;
    struct store_dir p = store_dir_open(usual);
    struct sink_frame f = offer_of(2);
    char room[FILE_BYTES];
    struct str all = bytes_of(2, room);
    struct sink_put *put = NULL;
    assert_int_equal(sink_put_open(p.store, &f, (struct sink_progress){0}, &put).kind, SINK_MORE);
    assert_int_equal(sink_put_add(put, str_first(all, 4000)).offset, 4000);
    assert_refused(sink_put_add(put, str_first(all, 97)), SINK_BAD);
    sink_put_close(put);
    struct sink_verdict v = sink_put_open(p.store, &f, (struct sink_progress){0}, &put);
    assert_int_equal(v.kind, SINK_MORE);
    assert_int_equal(v.offset, 4000);
    assert_int_equal(sink_put_add(put, str_from(all, 4000)).kind, SINK_STORED);
    sink_put_close(put);
    assert_string_equal(look_at(p.disk, 2), "same");
    store_dir_close(&p);
}

static void a_file_is_with_one_connection_at_a_time(void **state)
{
    (void)state;
    struct store_dir p = store_dir_open(usual);
    struct sink_frame f = offer_of(0);
    struct sink_put *first = NULL, *second = NULL;
    assert_int_equal(sink_put_open(p.store, &f, (struct sink_progress){0}, &first).kind, SINK_MORE);
    assert_refused(sink_put_open(p.store, &f, (struct sink_progress){0}, &second), SINK_BUSY);
    assert_null(second);
    sink_put_close(first);
    assert_int_equal(send_file(p.store, 0).kind, SINK_STORED);
    store_dir_close(&p);
}

static void what_is_too_large_or_does_not_fit_is_refused(void **state)
{
    (void)state;
    struct store_dir p = store_dir_open((struct sink_store_settings){.max_file_bytes = 5000});
    assert_refused(send_file(p.store, 0), SINK_TOO_LARGE);
    disk_crash_quota(p.disk, 3600); /* a piece fits, two do not */
    assert_refused(send_file(p.store, 2), SINK_FULL);
    assert_string_equal(look_at(p.disk, 2), "");
    disk_crash_quota(p.disk, UINT64_MAX);
    assert_int_equal(send_file(p.store, 2).kind, SINK_STORED);
    assert_string_equal(look_at(p.disk, 2), "same");
    store_dir_close(&p);
}

static void a_sync_that_fails_ends_all_trust(void **state)
{
    (void)state;
    struct store_dir p = store_dir_open(usual);
    struct sink_frame f = offer_of(1);
    struct sink_put *put = NULL;
    char room[FILE_BYTES];
    assert_int_equal(sink_put_open(p.store, &f, (struct sink_progress){0}, &put).kind, SINK_MORE);
    disk_crash_fail_at(p.disk, 2, RC_SYNC, 0); /* append, sync */
    assert_refused(sink_put_add(put, bytes_of(1, room)), SINK_TROUBLE);
    sink_put_close(put);
    assert_true(sink_store_has_failed(p.store));
    assert_refused(send_file(p.store, 0), SINK_TROUBLE);
    store_dir_close(&p);
}

static void two_processes_do_not_receive_in_one_directory(void **state)
{
    (void)state;
    struct store_dir p = store_dir_open(usual);
    struct sink_store *second = NULL;
    assert_rc(sink_store_open(p.disk, &usual, &second), RC_LOCKED);
    store_dir_close(&p);
}

/* Sessions ------------------------------------------------------------------------------------- */

static bool knows_a1(void *ctx, struct str name, struct str secret)
{
    (void)ctx;
    return str_eq(name, STR("a1")) && str_eq(secret, STR("right"));
}

static void nothing_is_taken_from_strangers(void **state)
{
    (void)state;
    struct store_dir p = store_dir_open(usual);
    struct sink_frame offer = offer_of(0), got;
    static const struct sink_frame wrong = {
        .kind = SINK_HELLO, .version = 1, .name = {"a1", 2}, .secret = {"wrong", 5}};
    const struct sink_frame *first[] = {&offer, &wrong, NULL};
    static const enum sink_code codes[] = {SINK_BAD, SINK_LOGIN, SINK_BAD};
    for (size_t i = 0; i < 3; i++) {
        struct sink_session *s =
            sink_session_open(&(struct sink_session_setup){.store = p.store, .may = knows_a1});
        assert_int_equal(sink_session_max_bytes(s), SINK_MAX_SMALL_BYTES);
        assert_false(sink_session_take(s, first[i], &got));
        assert_int_equal(got.kind, SINK_REFUSED);
        assert_int_equal(got.code, codes[i]);
        assert_false(sink_session_is_known(s));
        sink_session_close(s);
    }
    assert_string_equal(look_at(p.disk, 0), "");
    store_dir_close(&p);
}

static enum rc whole_session(void *ctx)
{
    (void)ctx;
    struct disk *d = NULL;
    struct sink_store *store = NULL;
    enum rc rc = disk_crash_open(&d);
    rc = rc ? rc : sink_store_open(d, &usual, &store);
    if (rc == RC_OK && send_file(store, 1).kind != SINK_STORED)
        rc = RC_NOMEM;
    sink_store_close(store);
    disk_close(d);
    return rc;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    test_each_allocation_fails(whole_session, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whatever_the_cut_what_was_acknowledged_is_there),
        cmocka_unit_test(whatever_call_fails_what_was_acknowledged_is_there),
        cmocka_unit_test(only_names_of_archive_files_are_taken),
        cmocka_unit_test(a_name_is_never_given_to_other_bytes),
        cmocka_unit_test(bytes_that_are_not_what_was_offered_are_thrown_away),
        cmocka_unit_test(pieces_beyond_the_end_are_refused_and_what_came_before_stays),
        cmocka_unit_test(a_file_is_with_one_connection_at_a_time),
        cmocka_unit_test(what_is_too_large_or_does_not_fit_is_refused),
        cmocka_unit_test(a_sync_that_fails_ends_all_trust),
        cmocka_unit_test(two_processes_do_not_receive_in_one_directory),
        cmocka_unit_test(nothing_is_taken_from_strangers),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
