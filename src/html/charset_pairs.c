/* SPDX-License-Identifier: Apache-2.0 */
/* The encodings of one and two bytes a character, malformed bytes treated as the Encoding Standard
 * says: a sequence that means nothing is one U+FFFD, and if its last byte is ASCII, that byte is
 * read again. So no lead byte can swallow markup, and all browsers agree on what is left. */
#include "html/charset_internal.h"

#include "base/utf8.h"

/* Lead bytes of EUC-JP that announce other sets, and the last row of JIS X 0212: what ICU has
 * behind it are vendors' additions that the standard does not know. */
enum { EUC_KANA = 0x8e, EUC_THREE = 0x8f, JIS_0212_LAST = 0xed };

/* How an encoding is laid out. */
struct layout {
    const char *name;
    uint32_t (*single)(uint8_t byte); /* a byte past ASCII alone; U+FFFD: nothing */
    bool (*is_lead)(uint8_t byte);
    bool (*is_trail)(uint8_t byte);
};

struct walk {
    const struct layout *layout;
    struct charset_pairs *pairs;
    const uint8_t *p, *end;
};

static bool within(uint8_t byte, uint8_t from, uint8_t to)
{
    return byte >= from && byte <= to;
}

static uint32_t single_none(uint8_t byte)
{
    (void)byte;
    return UTF8_REPLACEMENT;
}

static uint32_t single_sjis(uint8_t byte)
{
    if (byte == 0x80)
        return byte;
    return within(byte, 0xa1, 0xdf) ? 0xff61u - 0xa1 + byte : UTF8_REPLACEMENT;
}

static bool lead_most(uint8_t byte)
{
    return within(byte, 0x81, 0xfe);
}

static bool lead_sjis(uint8_t byte)
{
    return within(byte, 0x81, 0x9f) || within(byte, 0xe0, 0xfc);
}

static bool trail_euc(uint8_t byte)
{
    return within(byte, 0xa1, 0xfe);
}

static bool lead_euc_jp(uint8_t byte)
{
    return trail_euc(byte) || byte == EUC_KANA || byte == EUC_THREE;
}

static bool trail_big5(uint8_t byte)
{
    return within(byte, 0x40, 0x7e) || trail_euc(byte);
}

static bool trail_euc_kr(uint8_t byte)
{
    return within(byte, 0x41, 0xfe);
}

static bool trail_sjis(uint8_t byte)
{
    return within(byte, 0x40, 0x7e) || within(byte, 0x80, 0xfc);
}

static const struct layout layouts[] = {
    {"Big5", single_none, lead_most, trail_big5},
    {"EUC-JP", single_none, lead_euc_jp, trail_euc},
    {"EUC-KR", single_none, lead_most, trail_euc_kr},
    {"Shift_JIS", single_sjis, lead_sjis, trail_sjis},
};

static void put_code(struct buf *out, uint32_t code)
{
    char *to = buf_reserve(out, UTF8_MAX_BYTES);
    if (to)
        out->n += utf8_encode(code, to);
}

/* Ê and ê with macron or caron are one character in Big5 and two in Unicode. Returns the mark, 0 if
 * it is none of these. */
static uint32_t big5_marked(uint8_t lead, uint8_t trail, uint32_t *ret_letter)
{
    if (lead != 0x88 || (trail != 0x62 && trail != 0x64 && trail != 0xa3 && trail != 0xa5))
        return 0;
    *ret_letter = trail < 0x80 ? 0xca : 0xea;
    return trail == 0x62 || trail == 0xa3 ? 0x304 : 0x30c;
}

/* The code point of a lead and a trail byte; `three`: EUC_THREE stands before them. U+FFFD if they
 * have none. */
static uint32_t code_of(const struct walk *w, bool three, uint8_t lead, uint8_t trail)
{
    bool is_euc_jp = w->layout->is_lead == lead_euc_jp;
    if (!w->layout->is_trail(trail))
        return UTF8_REPLACEMENT;
    if (three && lead > JIS_0212_LAST)
        return UTF8_REPLACEMENT;
    if (three)
        return charset_sequence(w->pairs,
                                str_make((char[]){(char)EUC_THREE, (char)lead, (char)trail}, 3));
    if (is_euc_jp && lead == EUC_KANA)
        return trail <= 0xdf ? 0xff61u - 0xa1 + trail : UTF8_REPLACEMENT;
    if (is_euc_jp && lead == EUC_THREE)
        return UTF8_REPLACEMENT;
    return charset_pair(w->pairs, lead, trail);
}

/* Behind a lead byte. */
static void trail_take(struct walk *w, uint8_t lead, struct buf *out)
{
    bool three =
        lead == EUC_THREE && w->layout->is_lead == lead_euc_jp && w->p < w->end && trail_euc(*w->p);
    if (three)
        lead = *w->p++;
    if (w->p == w->end) {
        put_code(out, UTF8_REPLACEMENT);
        return;
    }
    uint8_t trail = *w->p;
    uint32_t code = code_of(w, three, lead, trail), letter;
    uint32_t mark = w->layout->is_trail == trail_big5 ? big5_marked(lead, trail, &letter) : 0;
    if (mark) {
        put_code(out, letter);
        code = mark;
    }
    if (code != UTF8_REPLACEMENT || trail >= 0x80)
        w->p++;
    put_code(out, code);
}

static void walk_all(struct walk *w, struct buf *out)
{
    while (w->p < w->end && buf_rc(out) == RC_OK) {
        const uint8_t *from = w->p;
        while (w->p < w->end && *w->p < 0x80)
            w->p++;
        buf_add(out, str_make((const char *)from, (size_t)(w->p - from)));
        if (w->p == w->end)
            break;
        uint8_t byte = *w->p++;
        if (w->layout->is_lead(byte))
            trail_take(w, byte, out);
        else
            put_code(out, w->layout->single(byte));
    }
}

enum rc charset_pairs_to_utf8(const char *name, struct str body, struct buf *out)
{
    struct walk w = {.layout = layouts};
    while (strcmp(w.layout->name, name) != 0)
        w.layout++;
    if (body.n == 0)
        return buf_rc(out);
    enum rc rc = charset_pairs_open(name, &w.pairs);
    if (rc != RC_OK)
        return rc;
    w.p = (const uint8_t *)body.p;
    w.end = w.p + body.n;
    walk_all(&w, out);
    charset_pairs_close(w.pairs);
    return buf_rc(out);
}
