/* SPDX-License-Identifier: Apache-2.0 */
#include "sitemap/decode.h"

#include "base/utf8.h"

enum { ROOM_BYTES = 4096 };

/* What windows-1252 has at 0x80 to 0x9f; its five holes are control characters (Encoding Standard).
 */
static const uint16_t upper_1252[32] = {
    0x20ac, 0x81,   0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x8d,   0x017d, 0x8f,   0x90,   0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
    0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x9d,   0x017e, 0x0178,
};

struct label {
    const char *name;
    enum decode_charset charset;
};

static const struct label labels[] = {
    {"utf-8", DECODE_UTF8},
    {"utf8", DECODE_UTF8},
    {"us-ascii", DECODE_WINDOWS_1252},
    {"ascii", DECODE_WINDOWS_1252},
    {"iso-8859-1", DECODE_WINDOWS_1252},
    {"iso8859-1", DECODE_WINDOWS_1252},
    {"iso_8859-1", DECODE_WINDOWS_1252},
    {"latin1", DECODE_WINDOWS_1252},
    {"latin-1", DECODE_WINDOWS_1252},
    {"windows-1252", DECODE_WINDOWS_1252},
    {"cp1252", DECODE_WINDOWS_1252},
    /* The first bytes have shown UTF-16 already; where they have not, a label of UTF-16 is
     * wrong. */
    {"utf-16", DECODE_UTF8},
    {"utf-16le", DECODE_UTF8},
    {"utf-16be", DECODE_UTF8},
};

static void label_keep(struct decode *d, struct str label)
{
    label = str_trim(label);
    if (label.n == 0 || label.n > sizeof d->label)
        return;
    memcpy(d->label, label.p, label.n);
    d->label_n = label.n;
}

void decode_init(struct decode *d, struct str label, void (*out)(void *ctx, struct str utf8),
                 void *ctx)
{
    d->charset = DECODE_UNDECIDED;
    d->is_unread = false;
    d->out = out;
    d->ctx = ctx;
    d->high = 0;
    d->has_odd = false;
    d->label_n = d->head_n = 0;
    label_keep(d, label);
}

/* Deciding */

/* Unicode's marks, or the zeroes beside the first character of a file without one. */
static enum decode_charset charset_of_bytes(struct str head, size_t *ret_mark)
{
    *ret_mark = str_starts(head, STR("\xef\xbb\xbf")) ? 3 : 0;
    if (*ret_mark)
        return DECODE_UTF8;
    *ret_mark = str_starts(head, STR("\xff\xfe")) || str_starts(head, STR("\xfe\xff")) ? 2 : 0;
    if (*ret_mark)
        return *head.p == '\xff' ? DECODE_UTF16_LE : DECODE_UTF16_BE;
    if (head.n < 4)
        return DECODE_UNDECIDED;
    if (head.p[0] && !head.p[1] && head.p[2] && !head.p[3])
        return DECODE_UTF16_LE;
    if (!head.p[0] && head.p[1] && !head.p[2] && head.p[3])
        return DECODE_UTF16_BE;
    return DECODE_UNDECIDED;
}

/* What stands in quotes behind "encoding" in the declaration; absent if there is none. */
static struct str declared(struct str head)
{
    head = str_trim(head);
    if (!str_starts_nocase(head, STR("<?xml")))
        return STR_NONE;
    head = str_first(head, str_find(head, '>'));
    head = str_from(head, str_find_str(head, STR("encoding")));
    head = str_trim(str_from(head, 8));
    if (head.n == 0 || *head.p != '=')
        return STR_NONE;
    head = str_trim(str_from(head, 1));
    if (head.n == 0 || (*head.p != '"' && *head.p != '\''))
        return STR_NONE;
    struct str rest = str_from(head, 1);
    size_t end = str_find(rest, *head.p);
    return end < rest.n ? str_first(rest, end) : STR_NONE;
}

static enum decode_charset charset_of_label(struct decode *d)
{
    struct str label = str_make(d->label, d->label_n);
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
        if (str_eq_nocase(label, str_c(labels[i].name)))
            return labels[i].charset;
    d->is_unread = label.n > 0;
    return DECODE_UTF8;
}

/* Converting. Both write a room full at a time; a character has at most three bytes here, four for
 * a pair of surrogates. */

static void from_1252(struct decode *d, struct str s)
{
    char room[ROOM_BYTES];
    while (s.n) {
        size_t n = 0, i = 0;
        for (; i < s.n && n + UTF8_MAX_BYTES <= sizeof room; i++) {
            uint8_t c = (uint8_t)s.p[i];
            n += utf8_encode(c >= 0x80 && c < 0xa0 ? upper_1252[c - 0x80] : c, room + n);
        }
        d->out(d->ctx, str_make(room, n));
        s = str_from(s, i);
    }
}

/* One unit of UTF-16 into `to`, which has room for two characters: a surrogate alone becomes U+FFFD
 * when it is seen to be alone. */
static size_t unit_put(struct decode *d, uint16_t unit, char *to)
{
    size_t n = 0;
    bool is_low = (unit & 0xfc00) == 0xdc00;
    if (d->high && is_low) {
        uint32_t code = 0x10000 + ((uint32_t)(d->high & 0x3ff) << 10) + (unit & 0x3ff);
        d->high = 0;
        return utf8_encode(code, to);
    }
    if (d->high)
        n = utf8_encode(UTF8_REPLACEMENT, to);
    d->high = (unit & 0xfc00) == 0xd800 ? unit : 0;
    return d->high ? n : n + utf8_encode(unit, to + n);
}

static void from_utf16(struct decode *d, struct str s)
{
    char room[ROOM_BYTES];
    unsigned first_shift = d->charset == DECODE_UTF16_BE ? 8 : 0;
    while (s.n) {
        size_t n = 0, i = 0;
        for (; i < s.n && n + 2 * (size_t)UTF8_MAX_BYTES <= sizeof room; i++) {
            uint8_t c = (uint8_t)s.p[i];
            if (d->has_odd)
                n += unit_put(d, (uint16_t)(d->odd << first_shift | c << (8 - first_shift)),
                              room + n);
            d->has_odd = !d->has_odd;
            d->odd = c;
        }
        d->out(d->ctx, str_make(room, n));
        s = str_from(s, i);
    }
}

static void convert(struct decode *d, struct str s)
{
    if (s.n == 0)
        return;
    if (d->charset == DECODE_UTF8)
        d->out(d->ctx, s);
    else if (d->charset == DECODE_WINDOWS_1252)
        from_1252(d, s);
    else
        from_utf16(d, s);
}

static void decide(struct decode *d)
{
    struct str head = str_make(d->head, d->head_n);
    size_t mark;
    d->charset = charset_of_bytes(head, &mark);
    if (d->charset == DECODE_UNDECIDED) {
        if (d->label_n == 0)
            label_keep(d, declared(head));
        d->charset = charset_of_label(d);
    }
    convert(d, str_from(head, mark));
}

void decode_add(struct decode *d, struct str piece)
{
    if (d->charset == DECODE_UNDECIDED) {
        struct str first = str_first(piece, sizeof d->head - d->head_n);
        if (first.n)
            memcpy(d->head + d->head_n, first.p, first.n);
        d->head_n += first.n;
        piece = str_from(piece, first.n);
        if (d->head_n < sizeof d->head)
            return;
        decide(d);
    }
    convert(d, piece);
}

void decode_finish(struct decode *d)
{
    if (d->charset == DECODE_UNDECIDED)
        decide(d);
}
