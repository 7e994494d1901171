/* SPDX-License-Identifier: Apache-2.0 */
/* A body that was packed elsewhere becomes the end of one member, and nothing else can. */
#include "warc/deflated.h"

#include "lib/test.h"
#include "warc/reader.h"
#include "warc/writer.h"

#include <stdlib.h>
#include <zlib.h>

enum { MOST = 1 << 20 };

static struct deflated_packer *packer;
static struct deflated_unpacker *unpacker;

static int open_tools(void **state)
{
    (void)state;
    packer = deflated_packer_open();
    unpacker = deflated_unpacker_open();
    return !packer || !unpacker;
}

static int close_tools(void **state)
{
    (void)state;
    deflated_packer_close(packer);
    deflated_unpacker_close(unpacker);
    return 0;
}

static struct deflated packed(struct str body)
{
    struct deflated d;
    assert_rc(deflated_pack(packer, body, MOST, &d), RC_OK);
    return d;
}

/* Text, and bytes that look packed. */
static void fill(char *to, size_t n, bool is_text)
{
    uint32_t x = 7;
    for (size_t i = 0; i < n; i++) {
        x = x * 1664525 + 1013904223;
        to[i] = is_text ? "weaver orb silk "[(x >> 16) % 16] : (char)(x >> 24);
    }
}

static void a_body_comes_back_as_it_was(void **state)
{
    (void)state;
    static char room[200000];
    static const size_t sizes[] = {0, 1, 600, 4095, 65535, 65536, 200000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int is_text = 0; is_text < 2; is_text++) {
            struct str body = str_make(room, sizes[i]), back;
            fill(room, sizes[i], is_text);
            struct deflated d = packed(body);
            assert_int_equal(d.bytes, sizes[i]);
            assert_rc(deflated_unpack(unpacker, &d, MOST, &back), RC_OK);
            assert_str(back, body);
        }
}

static void what_is_packed_already_is_stored(void **state)
{
    (void)state;
    static char room[50000];
    fill(room, sizeof room, false);
    struct deflated d = packed(str_make(room, sizeof room));
    assert_true(d.stream.n < sizeof room + 40);
    assert_non_null(memmem(d.stream.p, d.stream.n, room, sizeof room));
}

static struct str member_of(struct warc_writer *w, struct str head, struct str body,
                            const struct deflated *d, struct buf *out)
{
    char room[100];
    struct buf header = buf_on(room, sizeof room);
    buf_printf(&header, "WARC/1.1\r\nContent-Length: %zu\r\n\r\n", head.n + body.n);
    warc_writer_begin(w, buf_str(&header), head.n + body.n, out);
    warc_writer_add(w, head);
    if (d)
        warc_writer_add_deflated(w, d);
    else
        warc_writer_add_body(w, body);
    assert_rc(warc_writer_end(w), RC_OK);
    return buf_str(out);
}

/* By zlib: all of it is one member. */
static size_t gunzip(struct str member, char *to, size_t room)
{
    z_stream z = {0};
    assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
    z.next_in = (Bytef *)(uintptr_t)member.p;
    z.avail_in = (uInt)member.n;
    z.next_out = (Bytef *)to;
    z.avail_out = (uInt)room;
    assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
    assert_int_equal(z.avail_in, 0);
    size_t made = room - z.avail_out;
    inflateEnd(&z);
    return made;
}

static void a_joined_record_is_one_member_and_says_what_a_written_one_says(void **state)
{
    (void)state;
    static char body[120000], one[200000], two[200000];
    static const enum warc_coding codings[] = {WARC_FAST, WARC_COMPACT, WARC_PLAIN};
    for (size_t c = 0; c < 3; c++)
        for (size_t n = 0; n <= sizeof body; n += 40000)
            for (int is_text = 0; is_text < 2; is_text++) {
                struct warc_writer *w =
                    warc_writer_open(&(struct warc_writer_options){.coding = codings[c]});
                struct buf joined = {.max = MOST}, written = {.max = MOST};
                struct str head = STR("HTTP/1.1 200 OK\r\n\r\n"), text = str_make(body, n);
                fill(body, n, is_text);
                struct deflated d = packed(text);
                struct str a = member_of(w, head, text, &d, &joined);
                assert_int_equal(warc_writer_record_bytes(w), a.n);
                struct str b = member_of(w, head, text, NULL, &written);
                if (codings[c] == WARC_PLAIN) {
                    assert_str(a, b);
                } else {
                    size_t bytes = gunzip(a, one, sizeof one);
                    assert_int_equal(gunzip(b, two, sizeof two), bytes);
                    assert_memory_equal(one, two, bytes);
                }
                buf_done(&joined);
                buf_done(&written);
                warc_writer_close(w);
            }
}

static void a_body_of_another_length_is_refused_by_the_writer(void **state)
{
    (void)state;
    struct warc_writer *w = warc_writer_open(NULL);
    struct buf out = {.max = MOST};
    struct deflated d = packed(STR("hello"));
    warc_writer_begin(w, STR("WARC/1.1\r\nContent-Length: 6\r\n\r\n"), 6, &out);
    warc_writer_add_deflated(w, &d);
    assert_rc(warc_writer_end(w), RC_INVALID);
    assert_int_equal(out.n, 0);
    warc_writer_close(w);
    buf_done(&out);
}

static void refused(struct deflated d, enum rc rc)
{
    struct str back;
    assert_rc(deflated_unpack(unpacker, &d, MOST, &back), rc);
}

/* The member's forgery: the stream ends early, the CRC and the length are those of what it really holds,
 * and behind it stand a trailer and a whole member with a record of another URI. */
static void a_stream_with_something_behind_its_end_is_refused(void **state)
{
    (void)state;
    struct buf forged = {.max = MOST};
    struct deflated d = packed(STR("<p>what was fetched"));
    buf_add(&forged, d.stream);
    buf_le32(&forged, d.crc);
    buf_le32(&forged, (uint32_t)d.bytes + DEFLATED_END_BYTES);
    buf_add(&forged, STR("\x1f\x8b\x08\0\0\0\0\0\0\x03 WARC-Target-URI: http://bank.test/"));
    d.stream = buf_str(&forged);
    refused(d, RC_INVALID);
    buf_done(&forged);
    d = packed(STR("<p>what was fetched"));
    struct str longer =
        str_make(d.stream.p, d.stream.n + 1); /* one byte of the trailer behind it */
    refused((struct deflated){longer, d.bytes, d.crc}, RC_INVALID);
}

static void a_stream_that_is_not_what_it_says_is_refused(void **state)
{
    (void)state;
    const struct str body = STR("<p>what was fetched, and was not what is said");
    struct deflated d = packed(body);
    refused((struct deflated){d.stream, d.bytes, d.crc ^ 1}, RC_INVALID);
    refused((struct deflated){d.stream, d.bytes - 1, d.crc}, RC_INVALID);
    refused((struct deflated){d.stream, d.bytes + 1, d.crc}, RC_INVALID);
    for (size_t n = 0; n < d.stream.n; n++)
        refused((struct deflated){str_first(d.stream, n), d.bytes, d.crc}, RC_INVALID);
    struct buf out = {.max = MOST};
    buf_add(&out, d.stream);
    for (size_t i = 0; i < out.n; i++) {
        out.p[i] = (char)(out.p[i] ^ 0x55);
        refused((struct deflated){buf_str(&out), d.bytes, d.crc}, RC_INVALID);
        out.p[i] = (char)(out.p[i] ^ 0x55);
    }
    buf_done(&out);
}

/* A stream without the two line ends: whole, with a right CRC and length. */
static void a_stream_without_the_end_of_a_record_is_refused(void **state)
{
    (void)state;
    static char text[] = "stored, and no line ends", stream[64];
    size_t n = sizeof text - 1;
    stream[0] = 1;
    stream[1] = (char)n;
    stream[3] = (char)~n;
    stream[4] = (char)0xff;
    memcpy(stream + 5, text, n);
    struct deflated d = {.stream = str_make(stream, 5 + n),
                         .bytes = n - DEFLATED_END_BYTES,
                         .crc = (uint32_t)crc32(0, (Bytef *)text, (uInt)n)};
    refused(d, RC_INVALID);
    memcpy(stream + 5 + n - 4, "\r\n\r\n", 4);
    memcpy(text + n - 4, "\r\n\r\n", 4);
    d.crc = (uint32_t)crc32(0, (Bytef *)text, (uInt)n);
    refused(d, RC_OK); /* the stream itself was good */
}

static void a_bomb_is_not_undone(void **state)
{
    (void)state;
    char *zeros = calloc(MOST + 1, 1);
    struct deflated d = packed(str_make(zeros, MOST + 1));
    assert_true(d.stream.n < MOST / 50);
    refused(d, RC_LIMIT);
    d.bytes = 1000; /* or it says less than it holds */
    refused(d, RC_INVALID);
    d.bytes = UINT64_MAX;
    refused(d, RC_LIMIT);
    free(zeros);
}

static enum rc both_ways(void *ctx)
{
    struct deflated_packer *p = deflated_packer_open();
    struct deflated_unpacker *u = deflated_unpacker_open();
    struct deflated d;
    struct str back;
    (void)ctx;
    enum rc rc = p && u ? deflated_pack(p, STR("text text text"), MOST, &d) : RC_NOMEM;
    rc = rc ? rc : deflated_unpack(u, &d, MOST, &back);
    deflated_packer_close(p);
    deflated_unpacker_close(u);
    return rc;
}

static void memory_may_be_short(void **state)
{
    (void)state;
    test_each_allocation_fails(both_ways, NULL);
    struct deflated d;
    assert_rc(deflated_pack(packer, STR("no room for this"), 10, &d), RC_LIMIT);
    assert_rc(deflated_pack(packer, STR("but for this"), MOST, &d), RC_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_comes_back_as_it_was),
        cmocka_unit_test(what_is_packed_already_is_stored),
        cmocka_unit_test(a_joined_record_is_one_member_and_says_what_a_written_one_says),
        cmocka_unit_test(a_body_of_another_length_is_refused_by_the_writer),
        cmocka_unit_test(a_stream_with_something_behind_its_end_is_refused),
        cmocka_unit_test(a_stream_that_is_not_what_it_says_is_refused),
        cmocka_unit_test(a_stream_without_the_end_of_a_record_is_refused),
        cmocka_unit_test(a_bomb_is_not_undone),
        cmocka_unit_test(memory_may_be_short),
    };
    return cmocka_run_group_tests_name("deflated", tests, open_tools, close_tools);
}
