/* SPDX-License-Identifier: Apache-2.0 */
/* ISO-2022-JP as the Encoding Standard reads it. Escape sequences switch between four sets. An
 * escape that is none is U+FFFD and the bytes behind it are read as text; so is an escape right
 * behind another, for it could hide what a filter looked for. */
#include "html/charset_internal.h"

#include "base/utf8.h"

enum set { SET_ASCII, SET_ROMAN, SET_KATAKANA, SET_KANJI };
enum { ESCAPE = 0x1b, ESCAPE_BYTES = 3 };

struct walk {
    struct charset_pairs *pairs; /* EUC-JP's: the same kanji, with the upper bits set */
    struct str rest;
    enum set set;
    bool escaped; /* the last thing was an escape */
};

static bool escape_find(struct str s, enum set *ret)
{
    static const struct {
        struct str bytes;
        enum set set;
    } rows[] = {
        {{"\x1b(B", ESCAPE_BYTES}, SET_ASCII},    {{"\x1b(J", ESCAPE_BYTES}, SET_ROMAN},
        {{"\x1b(I", ESCAPE_BYTES}, SET_KATAKANA}, {{"\x1b$@", ESCAPE_BYTES}, SET_KANJI},
        {{"\x1b$B", ESCAPE_BYTES}, SET_KANJI},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (str_starts(s, rows[i].bytes)) {
            *ret = rows[i].set;
            return true;
        }
    }
    return false;
}

static void escape_take(struct walk *w, struct buf *out)
{
    bool known = escape_find(w->rest, &w->set);
    if (!known || w->escaped)
        buf_utf8(out, UTF8_REPLACEMENT);
    w->escaped = known;
    w->rest = str_from(w->rest, known ? ESCAPE_BYTES : 1);
}

static uint32_t kanji_take(struct walk *w, uint8_t lead)
{
    bool fits = lead >= 0x21 && lead <= 0x7e;
    if (!fits || w->rest.n == 0 || *w->rest.p == ESCAPE)
        return UTF8_REPLACEMENT;
    uint8_t trail = (uint8_t)*w->rest.p;
    w->rest = str_from(w->rest, 1);
    if (trail < 0x21 || trail > 0x7e)
        return UTF8_REPLACEMENT;
    return charset_pair(w->pairs, lead | 0x80, trail | 0x80);
}

static uint32_t letter(enum set set, uint8_t byte)
{
    if (set == SET_KATAKANA)
        return byte >= 0x21 && byte <= 0x5f ? 0xff61u - 0x21 + byte : UTF8_REPLACEMENT;
    if (byte >= 0x80 || byte == 0x0e || byte == 0x0f)
        return UTF8_REPLACEMENT;
    if (set == SET_ROMAN && byte == '\\')
        return 0xa5;
    return set == SET_ROMAN && byte == '~' ? 0x203e : byte;
}

static void walk_all(struct walk *w, struct buf *out)
{
    while (w->rest.n && buf_rc(out) == RC_OK) {
        uint8_t byte = (uint8_t)*w->rest.p;
        if (byte == ESCAPE) {
            escape_take(w, out);
            continue;
        }
        w->escaped = false;
        w->rest = str_from(w->rest, 1);
        buf_utf8(out, w->set == SET_KANJI ? kanji_take(w, byte) : letter(w->set, byte));
    }
}

enum rc charset_jis_to_utf8(struct str body, struct buf *out)
{
    struct walk w = {.rest = body};
    enum rc rc = charset_pairs_open("EUC-JP", &w.pairs);
    if (rc != RC_OK)
        return rc;
    walk_all(&w, out);
    charset_pairs_close(w.pairs);
    return buf_rc(out);
}
