/* SPDX-License-Identifier: Apache-2.0 */
#include "fetch/decode.h"

#include "base/mem.h"
#include "base/rng.h"
#include "lib/test.h"
#include "pack.h"

enum { TEXT_BYTES = 28 << 10, ROOM_BYTES = 64 << 20, MOST = 16 << 20, BOMB_BYTES = 12 << 20 };

struct kit {
    struct decoder *d;
    struct buf text, body, spare, out;
};

static void page_write(struct buf *b)
{
    struct rng r;
    rng_init(&r, 7);
    buf_add(b, STR("<!DOCTYPE html><title>A page</title>\n"));
    while (b->n < TEXT_BYTES)
        buf_printf(b, "<p><a href=\"/item/%llu\">item</a> and more words\n",
                   (unsigned long long)rng_below(&r, 100000));
}

static int setup(void **state)
{
    static struct kit k;
    k = (struct kit){0};
    buf_init(&k.text, ROOM_BYTES);
    buf_init(&k.body, ROOM_BYTES);
    buf_init(&k.spare, ROOM_BYTES);
    buf_init(&k.out, ROOM_BYTES);
    page_write(&k.text);
    assert_rc(decoder_open(&k.d), RC_OK);
    *state = &k;
    return 0;
}

static int teardown(void **state)
{
    struct kit *k = *state;
    decoder_close(k->d);
    buf_done(&k->text);
    buf_done(&k->body);
    buf_done(&k->spare);
    buf_done(&k->out);
    assert_int_equal(mem_live(), 0);
    return 0;
}

static struct str run_input(struct kit *k, const struct decode_input *in, struct decode_report *r)
{
    struct str text = STR("untouched");
    assert_rc(decoder_run(k->d, in, &k->out, &text, r), RC_OK);
    assert_true((r->end == DECODE_WHOLE) == (r->why == NULL));
    assert_true(text.n <= in->max_bytes);
    return text;
}

static struct str run(struct kit *k, struct str body, const char *coding, struct decode_report *r)
{
    struct decode_input in = {
        .body = body, .content_encoding = str_c(coding), .max_bytes = MOST, .max_ratio = 100};
    return run_input(k, &in, r);
}

typedef void pack_fn(struct str text, struct buf *out);

/* Codes the page with each in turn. */
static struct str packed(struct kit *k, pack_fn *const *how)
{
    buf_clear(&k->body);
    buf_add(&k->body, buf_str(&k->text));
    for (; *how; how++) {
        buf_clear(&k->spare);
        (*how)(buf_str(&k->body), &k->spare);
        struct buf swap = k->body;
        k->body = k->spare;
        k->spare = swap;
    }
    return buf_str(&k->body);
}

struct row {
    const char *name;
    pack_fn *how[5];
    const char *coding;
    unsigned layers;
    bool was_unsaid, is_unknown;
    bool stays; /* as it came */
};

static const struct row rows[] = {
    {"no coding", {0}, NULL, 0, false, false, true},
    {"an empty header", {0}, "", 0, false, false, true},
    {"identity", {0}, "identity", 0, false, false, true},
    {"gzip", {pack_gzip}, "gzip", 1, 0, 0, 0},
    {"any case, blanks, a parameter", {pack_gzip}, " GZip ; q=1 ", 1, 0, 0, 0},
    {"x-gzip", {pack_gzip}, "x-gzip", 1, 0, 0, 0},
    {"br", {pack_br}, "br", 1, 0, 0, 0},
    {"zstd", {pack_zstd}, "zstd", 1, 0, 0, 0},
    {"deflate with zlib's wrapping", {pack_zlib}, "deflate", 1, 0, 0, 0},
    {"F26: deflate without wrapping", {pack_raw}, "deflate", 1, 0, 0, 0},
    {"gzip that is called deflate", {pack_gzip}, "deflate", 1, 0, 0, 0},
    {"F26: gzip twice, both said", {pack_gzip, pack_gzip}, "gzip, gzip", 2, 0, 0, 0},
    {"the last said is undone first", {pack_zlib, pack_br}, "deflate, br", 2, 0, 0, 0},
    {"empty items and identity between",
     {pack_zstd, pack_gzip},
     "zstd,,identity,gzip,",
     2,
     0,
     0,
     0},
    {"four layers", {pack_gzip, pack_br, pack_zstd, pack_raw}, "gzip,br,zstd,deflate", 4, 0, 0, 0},
    {"F26: plain that says gzip", {0}, "gzip", 0, true, false, true},
    {"plain that says br", {0}, "br", 0, true, false, true},
    {"plain that says deflate", {0}, "deflate", 0, true, false, true},
    {"plain that says zstd", {0}, "zstd", 0, true, false, true},
    {"plain that says four codings", {0}, "br, deflate, zstd, gzip", 0, true, false, true},
    {"F26: plain that says fourteen",
     {0},
     "gzip,gzip,gzip,gzip,gzip,gzip,gzip,gzip,gzip,gzip,gzip,gzip,gzip,gzip",
     0,
     true,
     false,
     true},
    {"the outer of two is not there", {pack_br}, "br, gzip", 1, true, 0, 0},
    {"the inner of two is not there", {pack_gzip}, "br, gzip", 1, true, 0, 0},
    {"a coding that is none", {0}, "utf-8", 0, false, true, true},
    {"what is behind an unknown one is undone", {pack_gzip}, "compress, gzip", 1, false, true, 0},
};

static void codings_are_undone_as_far_as_they_are_there(void **state)
{
    struct kit *k = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct decode_report r;
        struct str body = packed(k, rows[i].how);
        struct str text = run(k, body, rows[i].coding, &r);
        if (r.end != DECODE_WHOLE || !str_eq(text, buf_str(&k->text)) ||
            r.layers != rows[i].layers || r.was_unsaid != rows[i].was_unsaid ||
            r.is_unknown != rows[i].is_unknown || (text.p == body.p) != rows[i].stays)
            fail_msg("%s: end %d (%s), %zu bytes, %u layers, unsaid %d, unknown %d", rows[i].name,
                     r.end, r.why ? r.why : "", text.n, r.layers, r.was_unsaid, r.is_unknown);
    }
}

static void chunks_come_off_before_the_codings(void **state)
{
    struct kit *k = *state;
    static const size_t steps[] = {1, 2, 3, 255, 256, 257, 4096, 1 << 20};
    struct buf chunks = {.max = ROOM_BYTES};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (size_t s = 0; s < sizeof steps / sizeof *steps; s++) {
            struct decode_report r;
            buf_clear(&chunks);
            pack_chunks(packed(k, rows[i].how), steps[s], &chunks);
            struct decode_input in = {.body = buf_str(&chunks),
                                      .is_chunked = true,
                                      .content_encoding = str_c(rows[i].coding),
                                      .max_bytes = MOST};
            struct str text = run_input(k, &in, &r);
            if (r.end != DECODE_WHOLE || !str_eq(text, buf_str(&k->text)) ||
                r.layers != rows[i].layers || r.was_unsaid != rows[i].was_unsaid)
                fail_msg("%s, chunks of %zu: end %d (%s), %zu bytes", rows[i].name, steps[s], r.end,
                         r.why ? r.why : "", text.n);
        }
    }
    buf_done(&chunks);
}

/* Too large to be put together: its codec gets it chunk by chunk. */
static void large_bodies_in_chunks_are_undone_as_they_come(void **state)
{
    struct kit *k = *state;
    struct buf noise = {.max = ROOM_BYTES}, body = {.max = ROOM_BYTES},
               chunks = {.max = ROOM_BYTES};
    struct rng rng;
    struct decode_report r;
    rng_init(&rng, 3);
    for (size_t i = 0; i < 3 << 20; i += 8) {
        uint64_t v = rng_next(&rng);
        buf_add(&noise, str_make((const char *)&v, sizeof v));
    }
    for (size_t bytes = (1 << 20) - 100000; bytes <= noise.n; bytes += 1 << 20) {
        struct str text = str_first(buf_str(&noise), bytes);
        buf_clear(&body);
        buf_clear(&chunks);
        pack_gzip(text, &body);
        pack_chunks(buf_str(&body), 100000, &chunks);
        struct decode_input in = {.body = buf_str(&chunks),
                                  .is_chunked = true,
                                  .content_encoding = STR("gzip"),
                                  .max_bytes = MOST};
        assert_str(run_input(k, &in, &r), text);
        assert_int_equal(r.end, DECODE_WHOLE);
    }
    buf_done(&noise);
    buf_done(&body);
    buf_done(&chunks);
}

static void broken_chunks_give_what_came_before(void **state)
{
    struct kit *k = *state;
    static const struct {
        const char *name, *body, *text;
        enum decode_end end;
        bool was_unsaid;
    } cases[] = {
        {"the last chunk is missing", "3\r\nabc\r\n", "abc", DECODE_BROKEN, false},
        {"cut within a chunk", "9\r\nabc", "abc", DECODE_BROKEN, false},
        {"a size that is none", "3\r\nabc\r\nzz\r\nxyz", "abc", DECODE_BROKEN, false},
        {"F22: no chunks at all", "<p>plain", "<p>plain", DECODE_WHOLE, true},
        {"no bytes", "", "", DECODE_BROKEN, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct decode_report r;
        struct decode_input in = {
            .body = str_c(cases[i].body), .is_chunked = true, .max_bytes = MOST};
        assert_str(run_input(k, &in, &r), str_c(cases[i].text));
        if (r.end != cases[i].end || r.was_unsaid != cases[i].was_unsaid)
            fail_msg("%s: end %d", cases[i].name, r.end);
    }
}

static void a_cut_body_gives_what_came_before(void **state)
{
    struct kit *k = *state;
    static pack_fn *const how[][2] = {{pack_gzip}, {pack_zlib}, {pack_raw}, {pack_br}, {pack_zstd}};
    static const char *const names[] = {"gzip", "deflate", "deflate", "br", "zstd"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct str body = packed(k, how[i]);
        for (size_t part = 1; part < 8; part++) {
            struct decode_report r;
            struct str text = run(k, str_first(body, body.n * part / 8), names[i], &r);
            assert_int_equal(r.end, DECODE_BROKEN);
            assert_int_equal(r.layers, 1);
            assert_true(str_starts(buf_str(&k->text), text));
            assert_true(part < 5 || text.n > 0 || i == 4); /* zstd has one block of it */
        }
    }
}

static void a_wrong_checksum_keeps_the_text(void **state)
{
    struct kit *k = *state;
    static pack_fn *const how[] = {pack_gzip, NULL};
    for (size_t back = 1; back <= 8; back += 7) {
        struct decode_report r;
        struct str body = packed(k, how);
        k->body.p[body.n - back] ^= 1;
        assert_str(run(k, body, "gzip", &r), buf_str(&k->text));
        assert_int_equal(r.end, DECODE_BROKEN);
    }
}

static void a_broken_start_gives_nothing_or_the_body(void **state)
{
    struct kit *k = *state;
    static pack_fn *const how[] = {pack_gzip, NULL};
    struct decode_report r;
    struct str body = packed(k, how);
    k->body.p[1] ^= 0x5a; /* no mark: not gzip at all */
    assert_str(run(k, body, "gzip", &r), body);
    assert_true(r.end == DECODE_WHOLE && r.was_unsaid);
    k->body.p[1] ^= 0x5a;
    k->body.p[2] ^= 0x5a; /* an unknown method */
    assert_int_equal(run(k, body, "gzip", &r).n, 0);
    assert_true(r.end == DECODE_BROKEN && r.layers == 1);
}

static void members_and_frames_are_joined_and_padding_is_not(void **state)
{
    struct kit *k = *state;
    struct buf b = {.max = ROOM_BYTES}, twice = {.max = ROOM_BYTES};
    static const struct {
        pack_fn *how;
        const char *coding;
    } cases[] = {{pack_gzip, "gzip"}, {pack_zstd, "zstd"}};
    static const struct str tails[] = {STR(""), STR("\0\0\0\0\0"), STR("\n"), STR("\x1f"),
                                       STR("garbage behind it")};
    buf_add(&twice, buf_str(&k->text));
    buf_add(&twice, buf_str(&k->text));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (size_t t = 0; t < sizeof tails / sizeof *tails; t++) {
            struct decode_report r;
            buf_clear(&b);
            cases[i].how(buf_str(&k->text), &b);
            cases[i].how(STR(""), &b);
            cases[i].how(buf_str(&k->text), &b);
            buf_add(&b, tails[t]);
            assert_str(run(k, buf_str(&b), cases[i].coding, &r), buf_str(&twice));
            assert_int_equal(r.end, DECODE_WHOLE);
        }
    }
    buf_done(&b);
    buf_done(&twice);
}

static void an_empty_body_needs_no_coding(void **state)
{
    struct kit *k = *state;
    static const char *const names[] = {"gzip", "deflate", "br", "zstd", "gzip, br", NULL};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct decode_report r;
        assert_int_equal(run(k, STR(""), names[i], &r).n, 0);
        assert_int_equal(r.end, DECODE_WHOLE);
        assert_int_equal(r.layers, 0);
    }
}

static void bombs_are_cut_at_bytes_and_ratio(void **state)
{
    struct kit *k = *state;
    static pack_fn *const how[] = {pack_gzip, pack_zlib, pack_raw, pack_br, pack_zstd};
    static const char *const names[] = {"gzip", "deflate", "deflate", "br", "zstd"};
    struct buf zeros = {.max = ROOM_BYTES}, bomb = {.max = ROOM_BYTES};
    buf_fill(&zeros, ' ', BOMB_BYTES);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct decode_report r;
        buf_clear(&bomb);
        how[i](buf_str(&zeros), &bomb);
        struct decode_input in = {.body = buf_str(&bomb), .content_encoding = str_c(names[i])};
        in.max_bytes = BOMB_BYTES;
        assert_int_equal(run_input(k, &in, &r).n, BOMB_BYTES);
        assert_int_equal(r.end, DECODE_WHOLE);
        in.max_bytes = BOMB_BYTES - 1;
        assert_int_equal(run_input(k, &in, &r).n, BOMB_BYTES - 1);
        assert_int_equal(r.end, DECODE_TOO_LARGE);
        in.max_ratio = 20; /* a megabyte is free */
        uint64_t most = in.max_ratio * bomb.n > 1 << 20 ? in.max_ratio * bomb.n : 1 << 20;
        assert_int_equal(run_input(k, &in, &r).n, most);
        assert_int_equal(r.end, DECODE_TOO_LARGE);
        in.max_bytes = 0;
        assert_int_equal(run_input(k, &in, &r).n, 0);
        assert_int_equal(r.end, DECODE_TOO_LARGE);
    }
    buf_done(&zeros);
    buf_done(&bomb);
}

/* Members of nothing, packed well: the layer above makes no byte of them. */
static void layers_that_vanish_are_cut_too(void **state)
{
    struct kit *k = *state;
    struct buf members = {.max = ROOM_BYTES}, bomb = {.max = ROOM_BYTES};
    struct decode_report r;
    buf_clear(&k->body);
    pack_gzip(STR(""), &k->body);
    while (members.n < BOMB_BYTES)
        buf_add(&members, buf_str(&k->body));
    pack_gzip(buf_str(&members), &bomb);
    struct decode_input in = {
        .body = buf_str(&bomb), .content_encoding = STR("gzip, gzip"), .max_bytes = BOMB_BYTES / 2};
    assert_int_equal(run_input(k, &in, &r).n, 0);
    assert_int_equal(r.end, DECODE_TOO_LARGE);
    buf_done(&members);
    buf_done(&bomb);
}

static void plain_bodies_have_a_limit_as_well(void **state)
{
    struct kit *k = *state;
    struct decode_report r;
    struct decode_input in = {.body = STR("4\r\nabcd\r\n0\r\n\r\n"), .max_bytes = 3};
    assert_str(run_input(k, &in, &r), STR("4\r\n"));
    assert_int_equal(r.end, DECODE_TOO_LARGE);
    in.is_chunked = true;
    assert_str(run_input(k, &in, &r), STR("abc"));
    assert_int_equal(r.end, DECODE_TOO_LARGE);
    in.max_bytes = 4;
    assert_str(run_input(k, &in, &r), STR("abcd"));
    assert_int_equal(r.end, DECODE_WHOLE);
}

static void gunzip_goes_by_the_bytes_alone(void **state)
{
    struct kit *k = *state;
    static pack_fn *const how[] = {pack_gzip, NULL};
    struct decode_report r;
    struct str text, body = packed(k, how);
    assert_rc(decoder_gunzip(k->d, body, MOST, &k->out, &text, &r), RC_OK);
    assert_str(text, buf_str(&k->text));
    assert_int_equal(r.layers, 1);
    assert_rc(decoder_gunzip(k->d, STR("<urlset>"), MOST, &k->out, &text, &r), RC_OK);
    assert_str(text, STR("<urlset>"));
    assert_int_equal(r.layers, 0);
    assert_rc(decoder_gunzip(k->d, body, 10, &k->out, &text, &r), RC_OK);
    assert_int_equal(text.n, 10);
    assert_int_equal(r.end, DECODE_TOO_LARGE);
}

/* Random damage: never past the limit, and the decoder serves the next body as if new. */
static void damage_never_spoils_the_next_body(void **state)
{
    struct kit *k = *state;
    static pack_fn *const how[][3] = {
        {pack_gzip}, {pack_raw}, {pack_br}, {pack_zstd}, {pack_zstd, pack_br}};
    static const char *const names[] = {"gzip", "deflate", "br", "zstd", "zstd, br"};
    struct rng rng;
    rng_init(&rng, test_seed(11));
    for (int round = 0; round < 500; round++) {
        struct decode_report r;
        size_t i = (size_t)rng_below(&rng, 5);
        struct str body = packed(k, how[i]);
        struct buf whole = {.max = ROOM_BYTES};
        buf_add(&whole, body);
        for (uint64_t n = rng_below(&rng, 4) + 1; n; n--)
            k->body.p[rng_below(&rng, body.n)] ^= (char)(1 << rng_below(&rng, 8));
        (void)run(k, body, names[i], &r);
        assert_str(run(k, buf_str(&whole), names[i], &r), buf_str(&k->text));
        assert_int_equal(r.end, DECODE_WHOLE);
        buf_done(&whole);
    }
}

static enum rc open_and_undo(void *ctx)
{
    const struct decode_input *in = ctx;
    struct decoder *d;
    struct buf out = {.max = MOST};
    struct str text;
    struct decode_report r;
    enum rc rc = decoder_open(&d);
    if (rc != RC_OK)
        return rc;
    rc = decoder_run(d, in, &out, &text, &r);
    if (rc == RC_OK)
        assert_int_equal(r.end, DECODE_WHOLE);
    decoder_close(d);
    buf_done(&out);
    return rc;
}

static void each_allocation_may_fail(void **state)
{
    struct kit *k = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct decode_input in = {.body = packed(k, rows[i].how),
                                  .content_encoding = str_c(rows[i].coding),
                                  .max_bytes = MOST};
        test_each_allocation_fails(open_and_undo, &in);
    }
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(codings_are_undone_as_far_as_they_are_there),
        TEST(chunks_come_off_before_the_codings),
        TEST(large_bodies_in_chunks_are_undone_as_they_come),
        TEST(broken_chunks_give_what_came_before),
        TEST(a_cut_body_gives_what_came_before),
        TEST(a_wrong_checksum_keeps_the_text),
        TEST(a_broken_start_gives_nothing_or_the_body),
        TEST(members_and_frames_are_joined_and_padding_is_not),
        TEST(an_empty_body_needs_no_coding),
        TEST(bombs_are_cut_at_bytes_and_ratio),
        TEST(layers_that_vanish_are_cut_too),
        TEST(plain_bodies_have_a_limit_as_well),
        TEST(gunzip_goes_by_the_bytes_alone),
        TEST(damage_never_spoils_the_next_body),
        TEST(each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
