/* SPDX-License-Identifier: Apache-2.0 */
#include "h2_frames.h"

#include <assert.h>

enum {
    DATA = 0,
    HEADERS = 1,
    RST_STREAM = 3,
    SETTINGS = 4,
    PUSH_PROMISE = 5,
    PING = 6,
    GOAWAY = 7,
    WINDOW_UPDATE = 8,
    CONTINUATION = 9,
    UNKNOWN = 0x55,
    END_STREAM = 1,
    END_HEADERS = 4,
    PADDED = 8,
};

void h2_frame_add(struct buf *out, unsigned type, unsigned flags, uint32_t stream,
                  struct str payload)
{
    const char head[] = {(char)(payload.n >> 16),
                         (char)(payload.n >> 8),
                         (char)payload.n,
                         (char)type,
                         (char)flags,
                         (char)(stream >> 24),
                         (char)(stream >> 16),
                         (char)(stream >> 8),
                         (char)stream};
    buf_add(out, str_make(head, sizeof head));
    buf_add(out, payload);
}

static void add_text(struct buf *out, struct str s)
{
    assert(s.n < 127);
    buf_byte(out, (char)s.n);
    buf_add(out, s);
}

/* "200;a=b": HPACK's literals without indexing (RFC 7541, 6.2.2). */
static struct str block(struct buf *out, struct str text)
{
    struct str status = str_take_until(&text, ';');
    if (status.n) {
        buf_byte(out, 0);
        add_text(out, STR(":status"));
        add_text(out, status);
    }
    while (text.p) {
        struct str value = str_take_until(&text, ';'), name = str_take_until(&value, '=');
        buf_byte(out, 0);
        add_text(out, name);
        add_text(out, value);
    }
    return buf_str(out);
}

static uint32_t number(struct str s)
{
    uint64_t n = 0;
    enum rc rc = str_to_u64(s, &n);
    assert(rc == RC_OK);
    return (uint32_t)n;
}

static void add_be32(struct buf *out, uint32_t n)
{
    const char bytes[] = {(char)(n >> 24), (char)(n >> 16), (char)(n >> 8), (char)n};
    buf_add(out, str_make(bytes, sizeof bytes));
}

static void add_item(struct buf *out, char kind, struct str text, uint32_t stream)
{
    char room[4096];
    struct buf p = buf_on(room, sizeof room);
    switch (kind) {
    case 's':
        h2_frame_add(out, SETTINGS, 0, 0, STR(""));
        break;
    case 'p':
        h2_frame_add(out, PING, 0, 0, STR("12345678"));
        break;
    case 'w':
        h2_frame_add(out, WINDOW_UPDATE, 0, 0, STR("\0\0\0\1"));
        break;
    case 'u':
        h2_frame_add(out, UNKNOWN, 0, stream, STR("?"));
        break;
    case 'h':
    case 'H':
        h2_frame_add(out, HEADERS, END_HEADERS | (kind == 'H'), stream, block(&p, text));
        break;
    case 'e':
        h2_frame_add(out, HEADERS, 0, stream, block(&p, text));
        break;
    case 'c':
    case 'C':
        h2_frame_add(out, CONTINUATION, kind == 'C' ? END_HEADERS : 0, stream, block(&p, text));
        break;
    case 'd':
    case 'D':
        h2_frame_add(out, DATA, kind == 'D' ? END_STREAM : 0, stream, text);
        break;
    case 'y':
    case 'Y':
        buf_byte(&p, 7);
        buf_add(&p, text);
        buf_fill(&p, 0, 7);
        h2_frame_add(out, DATA, PADDED | (kind == 'Y'), stream, buf_str(&p));
        break;
    case 'z':
        h2_frame_add(out, DATA, PADDED, stream, STR("\2\0\0"));
        break;
    case 'q':
        add_be32(&p, 2);
        h2_frame_add(out, PUSH_PROMISE, END_HEADERS, stream, block(&p, text));
        break;
    case 'r':
        add_be32(&p, number(text));
        h2_frame_add(out, RST_STREAM, 0, stream, buf_str(&p));
        break;
    case 'g':
        add_be32(&p, number(str_take_until(&text, ',')));
        add_be32(&p, number(text));
        h2_frame_add(out, GOAWAY, 0, 0, buf_str(&p));
        break;
    default:
        assert(kind == 'x');
        buf_add(out, text);
    }
}

void h2_frames_add(struct buf *out, const char *script, uint32_t stream)
{
    struct str rest = str_c(script);
    while (rest.p) {
        struct str item = str_take_until(&rest, '|');
        size_t star = str_find(item, '*');
        uint32_t times = star < item.n ? number(str_from(item, star + 1)) : 1;
        item = str_first(item, star);
        for (uint32_t i = 0; i < times; i++)
            add_item(out, item.p[0], str_from(item, 1), stream);
    }
}
