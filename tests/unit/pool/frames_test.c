/* SPDX-License-Identifier: Apache-2.0 */
#include "pool/frames.h"

#include "base/digest.h"
#include "pool/lanes.h"

#include "lib/test.h"

#include <stdlib.h>

enum { ROOM = 512 };

static const struct pool_hello hello = {.abi = 7,
                                        .wiring = 0x0102030405060708,
                                        .place = 1,
                                        .lane = 255,
                                        .shards = 256,
                                        .boot = 0x1112131415161718,
                                        .session = 0x2122232425262728,
                                        .last = 0x3132333435363738,
                                        .ping = 9};
static const struct pool_welcome welcome = {.session = 0x2122232425262728,
                                            .shards = 4,
                                            .is_new = true,
                                            .ping = 9,
                                            .timings = {1000, 5000, 6000, 10000, 60000}};
static const struct pool_message message = {
    .cut = 3, .ticket = 0x4142434445464748, .route = 0x5152535455565758, .credits = 1 << 30};

/* What any reader makes of a frame, written again: the same bytes, or the frame is refused. */
static enum rc read_and_write(struct str frame, struct buf *out)
{
    struct pool_hello h;
    struct pool_welcome w;
    struct pool_message m;
    struct str rest;
    bool is_final;
    uint64_t number;
    enum rc rc;
    switch (pool_frame_kind(frame)) {
    case POOL_HELLO:
        if ((rc = pool_hello_read(frame, &h)) == RC_OK)
            pool_hello_write(&h, out);
        return rc;
    case POOL_WELCOME:
        if ((rc = pool_welcome_read(frame, &w)) == RC_OK)
            pool_welcome_write(&w, out);
        return rc;
    case POOL_REFUSED:
        if ((rc = pool_refused_read(frame, &rest, &is_final)) == RC_OK)
            pool_refused_write(rest, is_final, out);
        return rc;
    case POOL_PING:
    case POOL_PONG:
        if ((rc = pool_number_read(frame, &number)) == RC_OK)
            pool_number_write((enum pool_frame)frame.p[0], number, out);
        return rc;
    case POOL_MESSAGE:
    case POOL_ANSWER:
        if ((rc = pool_message_read(frame, &m, &rest)) == RC_OK) {
            pool_message_write((enum pool_frame)frame.p[0], &m, out);
            buf_add(out, rest);
        }
        return rc;
    case POOL_ENDED:
    case POOL_SETTLED:
        if ((rc = pool_numbers_read(frame, &rest)) == RC_OK) {
            buf_byte(out, frame.p[0]);
            buf_add(out, rest);
        }
        return rc;
    case POOL_LEAVE:
    case POOL_OVER:
        buf_byte(out, frame.p[0]);
        return RC_OK;
    default:
        return RC_INVALID;
    }
}

/* One of each kind, as the format's text has them. */
static const struct {
    const char *name;
    const char *hex;
    bool takes_more; /* bytes may follow: a text, a message, more numbers */
} vectors[] = {
    {"hello",
     "01"
     "4f504d31"
     "07000000"
     "0807060504030201"
     "0100"
     "ff00"
     "0001"
     "1817161514131211"
     "2827262524232221"
     "3837363534333231"
     "0900000000000000",
     false},
    {"welcome",
     "02"
     "2827262524232221"
     "0400"
     "01"
     "0900000000000000"
     "e803000000000000"
     "8813000000000000"
     "7017000000000000"
     "1027000000000000"
     "60ea000000000000",
     false},
    {"refused",
     "03"
     "01"
     "6e6f",
     true},
    {"ping",
     "04"
     "0900000000000000",
     false},
    {"pong",
     "05"
     "ffffffffffffffff",
     false},
    {"message",
     "06"
     "0300"
     "4847464544434241"
     "5857565554535251"
     "00000040"
     "7061676521",
     true},
    {"answer",
     "07"
     "0300"
     "4847464544434241"
     "5857565554535251"
     "7061676521",
     true},
    {"ended",
     "08"
     "0100000000000000"
     "0200000000000000",
     true},
    {"settled",
     "09"
     "ff00000000000000",
     true},
    {"leave", "0a", false},
    {"over", "0b", false},
};
enum { VECTORS = sizeof vectors / sizeof *vectors };

/* Writes the bytes of that vector into `room`. */
static struct str vector(size_t i, char *room)
{
    size_t n = strlen(vectors[i].hex) / 2;
    assert_true(n <= ROOM);
    assert_rc(hex_decode(str_c(vectors[i].hex), (uint8_t *)room, n), RC_OK);
    return str_make(room, n);
}

static void each_kind_is_written_as_its_vector(void **state)
{
    (void)state;
    char room[ROOM], wanted[ROOM];
    struct buf out = buf_on(room, sizeof room);
    size_t at = 0;
#define AS_VECTOR(write)                                 \
    do {                                                 \
        buf_clear(&out);                                 \
        write;                                           \
        assert_rc(buf_rc(&out), RC_OK);                  \
        assert_str(buf_str(&out), vector(at++, wanted)); \
    } while (0)
    AS_VECTOR(pool_hello_write(&hello, &out));
    AS_VECTOR(pool_welcome_write(&welcome, &out));
    AS_VECTOR(pool_refused_write(STR("no"), true, &out));
    AS_VECTOR(pool_number_write(POOL_PING, 9, &out));
    AS_VECTOR(pool_number_write(POOL_PONG, UINT64_MAX, &out));
    AS_VECTOR((pool_message_write(POOL_MESSAGE, &message, &out), buf_add(&out, STR("page!"))));
    AS_VECTOR((pool_message_write(POOL_ANSWER, &message, &out), buf_add(&out, STR("page!"))));
#undef AS_VECTOR
}

static void each_kind_is_read_whole(void **state)
{
    (void)state;
    char room[ROOM], again[ROOM];
    for (size_t i = 0; i < VECTORS; i++) {
        struct buf out = buf_on(again, sizeof again);
        assert_int_equal(pool_frame_kind(vector(i, room)), i + 1);
        assert_rc(read_and_write(vector(i, room), &out), RC_OK);
        assert_str(buf_str(&out), vector(i, room));
    }
    assert_int_equal(VECTORS, POOL_FRAMES_ - 1);
}

static void fields_are_those_that_were_written(void **state)
{
    (void)state;
    char room[ROOM];
    struct pool_hello h;
    assert_rc(pool_hello_read(vector(0, room), &h), RC_OK);
    assert_true(h.abi == hello.abi && h.wiring == hello.wiring && h.place == hello.place &&
                h.lane == hello.lane && h.shards == hello.shards && h.boot == hello.boot &&
                h.session == hello.session && h.last == hello.last && h.ping == hello.ping);
    struct pool_welcome w;
    assert_rc(pool_welcome_read(vector(1, room), &w), RC_OK);
    assert_true(w.session == welcome.session && w.shards == 4 && w.is_new && w.ping == 9);
    assert_memory_equal(&w.timings, &welcome.timings, sizeof w.timings);
    struct str rest;
    bool is_final;
    assert_rc(pool_refused_read(vector(2, room), &rest, &is_final), RC_OK);
    assert_str(rest, STR("no"));
    assert_true(is_final);
    uint64_t number;
    assert_rc(pool_number_read(vector(4, room), &number), RC_OK);
    assert_int_equal(number, UINT64_MAX);
    struct pool_message m;
    assert_rc(pool_message_read(vector(5, room), &m, &rest), RC_OK);
    assert_true(m.cut == 3 && m.ticket == message.ticket && m.route == message.route &&
                m.credits == POOL_MAX_CREDITS);
    assert_str(rest, STR("page!"));
    assert_rc(pool_message_read(vector(6, room), &m, &rest), RC_OK);
    assert_true(m.ticket == message.ticket && m.credits == 0);
    assert_rc(pool_numbers_read(vector(7, room), &rest), RC_OK);
    assert_int_equal(rest.n, 16);
    assert_int_equal(get_le64(rest.p + 8), 2);
}

/* Written again a prefix gives itself, if it is taken at all: a shorter text, message or list. */
static void a_frame_that_is_cut_is_refused_or_read_whole(void **state)
{
    (void)state;
    char room[ROOM], again[ROOM];
    size_t refused = 0;
    for (size_t i = 0; i < VECTORS; i++) {
        struct str frame = vector(i, room);
        for (size_t n = 0; n < frame.n; n++) {
            struct buf out = buf_on(again, sizeof again);
            char *copy = malloc(n ? n : 1); /* of that size, for a sanitizer */
            assert_non_null(copy);
            memcpy(copy, frame.p, n);
            bool is_taken = read_and_write(str_make(copy, n), &out) == RC_OK;
            assert_false(is_taken && !vectors[i].takes_more);
            if (is_taken)
                assert_str(buf_str(&out), str_make(copy, n));
            refused += !is_taken;
            free(copy);
        }
    }
    assert_true(refused > 200);
}

static void a_frame_with_a_byte_more_is_refused(void **state)
{
    (void)state;
    char room[ROOM], again[ROOM];
    for (size_t i = 0; i < VECTORS; i++) {
        struct str frame = vector(i, room);
        struct buf out = buf_on(again, sizeof again);
        room[frame.n] = 1;
        bool is_list =
            pool_frame_kind(frame) == POOL_ENDED || pool_frame_kind(frame) == POOL_SETTLED;
        enum rc wanted = vectors[i].takes_more && !is_list ? RC_OK : RC_INVALID;
        assert_rc(read_and_write(str_make(room, frame.n + 1), &out), wanted);
    }
}

/* One value has one writing, so no bit is without a meaning. */
static void a_flipped_bit_is_refused_or_another_value(void **state)
{
    (void)state;
    char room[ROOM], again[ROOM];
    for (size_t i = 0; i < VECTORS; i++) {
        struct str frame = vector(i, room);
        for (size_t bit = 0; bit < frame.n * 8; bit++) {
            struct buf out = buf_on(again, sizeof again);
            room[bit / 8] = (char)(room[bit / 8] ^ 1 << bit % 8);
            if (read_and_write(frame, &out) == RC_OK)
                assert_str(buf_str(&out), frame);
            room[bit / 8] = (char)(room[bit / 8] ^ 1 << bit % 8);
        }
    }
}

static void a_reader_takes_no_other_kind(void **state)
{
    (void)state;
    char room[ROOM];
    struct pool_hello h;
    struct pool_welcome w;
    struct pool_message m;
    struct str rest;
    bool is_final;
    uint64_t number;
    for (size_t i = 0; i < VECTORS; i++) {
        struct str f = vector(i, room);
        unsigned kind = (unsigned)i + 1;
        assert_int_equal(pool_hello_read(f, &h) == RC_OK, kind == POOL_HELLO);
        assert_int_equal(pool_welcome_read(f, &w) == RC_OK, kind == POOL_WELCOME);
        assert_int_equal(pool_refused_read(f, &rest, &is_final) == RC_OK, kind == POOL_REFUSED);
        assert_int_equal(pool_number_read(f, &number) == RC_OK,
                         kind == POOL_PING || kind == POOL_PONG);
        assert_int_equal(pool_message_read(f, &m, &rest) == RC_OK,
                         kind == POOL_MESSAGE || kind == POOL_ANSWER);
        assert_int_equal(pool_numbers_read(f, &rest) == RC_OK,
                         kind == POOL_ENDED || kind == POOL_SETTLED);
    }
}

static void kinds_that_do_not_exist_are_told(void **state)
{
    (void)state;
    char room[ROOM] = {0};
    assert_int_equal(pool_frame_kind(STR("")), 0);
    assert_int_equal(pool_frame_kind(STR_NONE), 0);
    for (unsigned kind = 0; kind < 256; kind++) {
        room[0] = (char)kind;
        struct buf out = buf_on(room + 8, sizeof room - 8);
        bool is_one = kind && kind < POOL_FRAMES_;
        assert_int_equal(pool_frame_kind(str_make(room, 1)), is_one ? kind : 0);
        if (!is_one)
            assert_rc(read_and_write(str_make(room, 8), &out), RC_INVALID);
    }
}

/* What a hello or welcome may not say. */
static void each_limit_of_hello_and_welcome_holds(void **state)
{
    (void)state;
    char room[ROOM];
#define REFUSED(thing, change)                                           \
    do {                                                                 \
        struct pool_##thing v = thing, ret;                              \
        struct buf out = buf_on(room, sizeof room);                      \
        v.change;                                                        \
        pool_##thing##_write(&v, &out);                                  \
        assert_rc(pool_##thing##_read(buf_str(&out), &ret), RC_INVALID); \
    } while (0)
    REFUSED(hello, lane = POOL_MAX_SHARDS);
    REFUSED(hello, shards = 0);
    REFUSED(hello, shards = POOL_MAX_SHARDS + 1);
    REFUSED(hello, ping = 0);
    REFUSED(welcome, session = 0);
    REFUSED(welcome, shards = 0);
    REFUSED(welcome, shards = POOL_MAX_SHARDS + 1);
    REFUSED(welcome, ping = 0);
    REFUSED(welcome, timings.abort_ms = 9001);
    REFUSED(welcome, timings.visit_ms = POOL_MOST_MS + 1);
#undef REFUSED
    struct pool_welcome w;
    struct buf out = buf_on(room, sizeof room);
    pool_welcome_write(&welcome, &out);
    room[1 + 8 + 2] = 2; /* is_new */
    assert_rc(pool_welcome_read(buf_str(&out), &w), RC_INVALID);
}

static void each_limit_of_the_others_holds(void **state)
{
    (void)state;
    char room[ROOM], text[POOL_MAX_REASON_BYTES + 1];
    struct buf out = buf_on(room, sizeof room);
    struct str why;
    bool is_final;
    memset(text, 'x', sizeof text);
    pool_refused_write(str_make(text, sizeof text), false, &out);
    assert_int_equal(out.n, 2 + POOL_MAX_REASON_BYTES);
    assert_rc(pool_refused_read(buf_str(&out), &why, &is_final), RC_OK);
    assert_false(is_final);
    buf_byte(&out, 'x');
    assert_rc(pool_refused_read(buf_str(&out), &why, &is_final), RC_INVALID);
    room[1] = 2;
    assert_rc(pool_refused_read(str_make(room, 2), &why, &is_final), RC_INVALID);

    struct pool_message m;
    static const struct {
        uint64_t ticket;
        uint32_t credits;
        enum rc rc;
    } rows[] = {{1, 1, RC_OK},
                {0, 1, RC_INVALID},
                {1, 0, RC_INVALID},
                {1, POOL_MAX_CREDITS + 1u, RC_INVALID}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        buf_clear(&out);
        pool_message_write(
            POOL_MESSAGE,
            &(struct pool_message){.ticket = rows[i].ticket, .credits = rows[i].credits}, &out);
        assert_rc(pool_message_read(buf_str(&out), &m, &why), rows[i].rc);
    }
    buf_clear(&out);
    pool_number_write(POOL_PING, 0, &out);
    assert_rc(pool_number_read(buf_str(&out), &(uint64_t){0}), RC_INVALID);
    assert_rc(pool_numbers_read(STR("\x08"), &why), RC_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_is_written_as_its_vector),
        cmocka_unit_test(each_kind_is_read_whole),
        cmocka_unit_test(fields_are_those_that_were_written),
        cmocka_unit_test(a_frame_that_is_cut_is_refused_or_read_whole),
        cmocka_unit_test(a_frame_with_a_byte_more_is_refused),
        cmocka_unit_test(a_flipped_bit_is_refused_or_another_value),
        cmocka_unit_test(a_reader_takes_no_other_kind),
        cmocka_unit_test(kinds_that_do_not_exist_are_told),
        cmocka_unit_test(each_limit_of_hello_and_welcome_holds),
        cmocka_unit_test(each_limit_of_the_others_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
