/* SPDX-License-Identifier: Apache-2.0 */
#include "html/charset.h"

#include "base/utf8.h"
#include "html/charset_internal.h"

enum {
    LATE_META_BYTES = 64 * 1024,
    SAMPLE_BYTES = 8 * 1024, /* the detector reads at most this much */
    SAMPLE_LEAD_BYTES = 64,  /* of plain text before the first byte that says something */
};

static struct charset_guess guess_bom(struct str body)
{
    if (str_starts(body, STR("\xef\xbb\xbf")))
        return (struct charset_guess){"UTF-8", CHARSET_BOM, 3};
    if (str_starts(body, STR("\xfe\xff")))
        return (struct charset_guess){"UTF-16BE", CHARSET_BOM, 2};
    if (str_starts(body, STR("\xff\xfe")))
        return (struct charset_guess){"UTF-16LE", CHARSET_BOM, 2};
    return (struct charset_guess){0};
}

static const char *guess_declared(struct str body)
{
    const char *name = charset_prescan(body);
    return name ? name : charset_declared(str_first(body, LATE_META_BYTES), true);
}

/* Position of the first byte that plain ASCII text would not have; ESC begins ISO-2022-JP. */
static size_t first_telling(struct str s)
{
    for (size_t i = 0; i < s.n; i++) {
        if ((s.p[i] & 0x80) || s.p[i] == 0x1b)
            return i;
    }
    return s.n;
}

/* Whether it is UTF-8. The last character may be incomplete. */
static bool is_utf8(struct str s)
{
    struct str bad = str_from(s, utf8_valid(s));
    uint32_t code;
    size_t bytes;
    return bad.n == 0 || (bad.n < UTF8_MAX_BYTES && !utf8_decode(bad, &code, &bytes) &&
                          bytes == bad.n && (uint8_t)*bad.p >= 0xc2 && (uint8_t)*bad.p <= 0xf4);
}

static const char *guess_detected(struct str body)
{
    size_t telling = first_telling(body);
    if (telling == body.n)
        return NULL;
    if ((body.p[telling] & 0x80) && is_utf8(str_from(body, telling)))
        return "UTF-8";
    size_t from = telling > SAMPLE_LEAD_BYTES ? telling - SAMPLE_LEAD_BYTES : 0;
    return charset_icu_detect(str_first(str_from(body, from), SAMPLE_BYTES));
}

struct charset_guess charset_guess(struct str body, struct str http_content_type)
{
    struct charset_guess g = guess_bom(body);
    if (g.name)
        return g;
    if ((g.name = charset_name(charset_param(http_content_type))))
        g.source = CHARSET_HTTP;
    else if ((g.name = guess_declared(body)))
        g.source = CHARSET_META;
    else if ((g.name = guess_detected(body)))
        g.source = CHARSET_DETECTED;
    else
        g = (struct charset_guess){"windows-1252", CHARSET_DEFAULT, 0};
    return g;
}

/* A byte from 0x80 on is the table's code point, or one past `base` where there is no table. */
static uint32_t single_code(const uint16_t *table, uint32_t base, uint8_t byte)
{
    uint32_t code = table ? table[byte - 0x80] : base + byte - 0x80;
    return code ? code : UTF8_REPLACEMENT;
}

static void single_to_utf8(const uint16_t *table, uint32_t base, struct str body, struct buf *out)
{
    while (body.n && buf_rc(out) == RC_OK) {
        size_t plain = utf8_ascii_run(body);
        buf_add(out, str_first(body, plain));
        body = str_from(body, plain);
        size_t i = 0;
        for (; i < body.n && (body.p[i] & 0x80); i++) {
            char *to = buf_reserve(out, UTF8_MAX_BYTES);
            if (!to)
                return;
            out->n += utf8_encode(single_code(table, base, (uint8_t)body.p[i]), to);
        }
        body = str_from(body, i);
    }
}

static uint32_t utf16_unit(struct str s, size_t at, bool big)
{
    uint8_t a = (uint8_t)s.p[at], b = (uint8_t)s.p[at + 1];
    return big ? (uint32_t)a << 8 | b : (uint32_t)b << 8 | a;
}

static void utf16_to_utf8(struct str s, bool big, struct buf *out)
{
    for (size_t at = 0; at < s.n && buf_rc(out) == RC_OK;) {
        if (at + 1 == s.n) {
            buf_utf8(out, UTF8_REPLACEMENT); /* half a unit */
            break;
        }
        uint32_t code = utf16_unit(s, at, big);
        at += 2;
        if (code >> 10 == 0xd800 >> 10 && at + 1 == s.n)
            at++; /* half a unit behind half a pair: malformed together */
        if (code >> 10 == 0xd800 >> 10 && at + 1 < s.n) {
            uint32_t low = utf16_unit(s, at, big);
            if (low >> 10 == 0xdc00 >> 10) {
                code = 0x10000 + ((code & 0x3ff) << 10 | (low & 0x3ff));
                at += 2;
            }
        }
        buf_utf8(out, code); /* a lone surrogate becomes U+FFFD there */
    }
}

enum rc charset_to_utf8(const char *name, struct str body, struct buf *out)
{
    const struct charset *c = charset_find(name);
    if (!c)
        return RC_NOT_FOUND;
    switch (c->kind) {
    case KIND_UTF8:
        buf_utf8_clean(out, body);
        break;
    case KIND_UTF16LE:
    case KIND_UTF16BE:
        utf16_to_utf8(body, c->kind == KIND_UTF16BE, out);
        break;
    case KIND_SINGLE:
        single_to_utf8(c->table, 0, body, out);
        break;
    case KIND_USER_DEFINED:
        single_to_utf8(NULL, 0xf780, body, out);
        break;
    case KIND_REPLACEMENT:
        if (body.n)
            buf_utf8(out, UTF8_REPLACEMENT);
        break;
    case KIND_PAIRS:
        return charset_pairs_to_utf8(c->name, body, out);
    case KIND_ISO_2022_JP:
        return charset_jis_to_utf8(body, out);
    case KIND_ICU:
        return charset_icu_to_utf8(c->name, body, out);
    }
    return buf_rc(out);
}
