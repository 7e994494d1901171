/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of a URL, as bytes and back; and bytes that are cut or changed are refused. */
#include "store/history_entry.h"

#include "base/rng.h"
#include "lib/test.h"

static const struct history_entry rows[] = {
    {.url = {"", 0}},
    {.url = STR("http://a.example/"), .seed_path = STR(""), .code = -9998, .date_ms = -5},
    {.url = STR("https://www.example.org/a?b=c"),
     .via = UINT64_MAX,
     .seed_path = STR("LLRE"),
     .date_ms = 1700000000123,
     .code = 200,
     .bytes = UINT64_C(1) << 40,
     .has_digest = true,
     .digest = {.kind = DIGEST_SHA1, .bytes = {1, 2, 3, [19] = 255}},
     .captured_ms = 1690000000000,
     .record_id = {9, 8, 7, [15] = 1},
     .etag = STR("W/\"x\""),
     .last_modified = STR("Sun, 06 Nov 1994 08:49:37 GMT"),
     .mime = STR("text/html"),
     .fetches = 7,
     .changes = 3,
     .codes = STR("\x01\x02\x03"),
     .what_changed = HISTORY_TEXT,
     .cut = HISTORY_CUT_DISCONNECT,
     .file = STR("orbweaver-20261116175959123-00001-here.warc.gz"),
     .file_offset = UINT64_C(1) << 33,
     .file_bytes = 812},
    {.url = STR("http://b.example/"), .file = STR("a.warc.gz"), .file_offset = 1},
    {.url = STR("http://c.example/"), .forward = UINT16_MAX},
};

static void assert_text(struct str got, struct str expected)
{
    assert_int_equal(got.p == NULL, expected.p == NULL);
    assert_str(got, expected);
}

static void assert_history(const struct history_entry *got, const struct history_entry *expected)
{
    assert_text(got->url, expected->url);
    assert_text(got->seed_path, expected->seed_path);
    assert_text(got->etag, expected->etag);
    assert_text(got->last_modified, expected->last_modified);
    assert_text(got->mime, expected->mime);
    assert_text(got->file, expected->file);
    assert_true(got->file_offset == expected->file_offset);
    assert_true(got->file_bytes == expected->file_bytes);
    assert_text(got->codes, expected->codes);
    assert_int_equal(got->what_changed, expected->what_changed);
    assert_int_equal(got->forward, expected->forward);
    assert_int_equal(got->cut, expected->cut);
    assert_true(got->via == expected->via && got->date_ms == expected->date_ms);
    assert_true(got->code == expected->code && got->bytes == expected->bytes);
    assert_true(got->fetches == expected->fetches && got->changes == expected->changes);
    assert_int_equal(got->has_digest, expected->has_digest);
    if (got->has_digest) {
        assert_true(digest_eq(&got->digest, &expected->digest));
        assert_true(got->captured_ms == expected->captured_ms);
        assert_memory_equal(got->record_id, expected->record_id, sizeof got->record_id);
    }
}

static void what_is_written_is_read_back(void **state)
{
    (void)state;
    struct arena *arena = arena_open(4096, 1 << 20);
    struct buf bytes = {.max = HISTORY_ENTRY_MAX_BYTES};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct history_entry got;
        buf_clear(&bytes);
        history_entry_write(&rows[i], &bytes);
        assert_rc(buf_rc(&bytes), RC_OK);
        assert_rc(history_entry_read(buf_str(&bytes), arena, &got), RC_OK);
        assert_history(&got, &rows[i]);
    }
    buf_done(&bytes);
    arena_close(arena);
}

/* As the version before wrote it, byte for byte. */
static void the_first_version_is_still_read(void **state)
{
    (void)state;
    static const char old[] = "\x01\0"
                              "\1\0\0\0\0\0\0\0" /* via */
                              "\2\0\0\0\0\0\0\0" /* date */
                              "\xc8\0\0\0"       /* 200 */
                              "\3\0\0\0\0\0\0\0" /* bytes */
                              "\4\0\0\0\5\0\0\0" /* fetches, changes */
                              "\3ab\2L\0\0\1";
    struct arena *arena = arena_open(4096, 1 << 20);
    struct history_entry got;
    assert_rc(history_entry_read(str_make(old, sizeof old - 1), arena, &got), RC_OK);
    assert_history(&got, &(struct history_entry){.url = STR("ab"),
                                                 .seed_path = STR("L"),
                                                 .via = 1,
                                                 .date_ms = 2,
                                                 .code = 200,
                                                 .bytes = 3,
                                                 .fetches = 4,
                                                 .changes = 5,
                                                 .mime = STR("")});
    arena_close(arena);
}

static void a_long_url_takes_a_longer_length(void **state)
{
    (void)state;
    struct arena *arena = arena_open(4096, 1 << 20);
    struct buf bytes = {.max = HISTORY_ENTRY_MAX_BYTES}, url = {.max = 1 << 20};
    for (size_t n = 126; n < 100000; n = n * 2 + 1) {
        struct history_entry got;
        buf_clear(&url);
        buf_clear(&bytes);
        buf_fill(&url, 'u', n);
        history_entry_write(&(struct history_entry){.url = buf_str(&url)}, &bytes);
        assert_rc(history_entry_read(buf_str(&bytes), arena, &got), RC_OK);
        assert_str(got.url, buf_str(&url));
    }
    buf_done(&url);
    buf_done(&bytes);
    arena_close(arena);
}

static void bytes_that_are_cut_or_too_many_are_refused(void **state)
{
    (void)state;
    struct arena *arena = arena_open(4096, 1 << 20);
    struct buf bytes = {.max = HISTORY_ENTRY_MAX_BYTES};
    struct history_entry got;
    for (size_t row = 2; row < sizeof rows / sizeof *rows; row++) {
        buf_clear(&bytes);
        history_entry_write(&rows[row], &bytes);
        assert_int_equal(bytes.p[0], rows[row].forward ? 3 : 2);
        for (size_t n = 0; n < bytes.n; n++)
            assert_rc(history_entry_read(str_first(buf_str(&bytes), n), arena, &got), RC_CORRUPT);
        buf_byte(&bytes, 0);
        assert_rc(history_entry_read(buf_str(&bytes), arena, &got), RC_CORRUPT);
    }
    bytes.n--;
    bytes.p[bytes.n - 1] = bytes.p[bytes.n - 2] = 0; /* links that are not known */
    assert_rc(history_entry_read(buf_str(&bytes), arena, &got), RC_CORRUPT);
    buf_done(&bytes);
    arena_close(arena);
}

static void another_version_is_named_as_such(void **state)
{
    (void)state;
    struct arena *arena = arena_open(4096, 1 << 20);
    struct buf bytes = {.max = HISTORY_ENTRY_MAX_BYTES};
    struct history_entry got;
    history_entry_write(&rows[1], &bytes);
    bytes.p[0] = HISTORY_ENTRY_VERSION + 1;
    assert_rc(history_entry_read(buf_str(&bytes), arena, &got), RC_VERSION);
    buf_done(&bytes);
    arena_close(arena);
}

static void garbage_is_read_or_refused_and_nothing_else(void **state)
{
    (void)state;
    struct rng r;
    struct buf bytes = {.max = HISTORY_ENTRY_MAX_BYTES};
    struct arena *arena = arena_open(4096, 1 << 20);
    rng_init(&r, test_seed(5));
    for (int round = 0; round < 20000; round++) {
        struct history_entry got;
        buf_clear(&bytes);
        history_entry_write(&rows[rng_below(&r, 3)], &bytes);
        for (uint64_t n = 1 + rng_below(&r, 4); n; n--)
            bytes.p[1 + rng_below(&r, bytes.n - 1)] = (char)rng_below(&r, 256);
        enum rc rc = history_entry_read(buf_str(&bytes), arena, &got);
        assert_true(rc == RC_OK || rc == RC_CORRUPT);
        arena_clear(arena);
    }
    buf_done(&bytes);
    arena_close(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read_back),
        cmocka_unit_test(the_first_version_is_still_read),
        cmocka_unit_test(a_long_url_takes_a_longer_length),
        cmocka_unit_test(bytes_that_are_cut_or_too_many_are_refused),
        cmocka_unit_test(another_version_is_named_as_such),
        cmocka_unit_test(garbage_is_read_or_refused_and_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
