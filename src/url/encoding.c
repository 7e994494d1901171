/* SPDX-License-Identifier: Apache-2.0 */
/* encoding: the encoders of the Encoding Standard on top of ICU's converters. ICU's tables are the
 * vendors', the standard's are what browsers agreed on; the quirks below and encoding_fixes.c carry
 * the differences. ICU is asked for one character at a time and has no state; that of ISO-2022-JP
 * is kept here. */
#include "url/encoding.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "url/encoding_fixes.h"

#include <unicode/ucnv.h>

enum quirk {
    PLAIN,
    AS_UTF8,      /* the output encoding is UTF-8 */
    BIG5,         /* no lead bytes below A1, no private use */
    NO_PRIVATE,   /* no private use */
    GB18030,      /* U+E5E5 has no code */
    GBK,          /* gb18030 without its four-byte codes, the euro as 80 */
    EUC_JP,       /* U+00A5, U+203E, U+2212 as their look-alikes; no JIS X 0212, no C1 */
    SHIFT_JIS,    /* likewise; no private use */
    ISO_2022_JP,  /* the codes of EUC-JP with shifts between, half-width katakana made full-width */
    ISO_8859_16,  /* ICU has no table */
    USER_DEFINED, /* U+F780..U+F7FF are the bytes from 80 on */
};

struct row {
    const char *name;
    const char *icu;
    enum quirk quirk;
};

static const struct row rows[] = {
    {"UTF-8", NULL, AS_UTF8},
    {"UTF-16LE", NULL, AS_UTF8},
    {"UTF-16BE", NULL, AS_UTF8},
    {"replacement", NULL, AS_UTF8},
    {"windows-1252", "windows-1252", PLAIN},
    {"windows-1251", "windows-1251", PLAIN},
    {"GBK", "gb18030", GBK},
    {"Shift_JIS", "Shift_JIS", SHIFT_JIS},
    {"EUC-JP", "EUC-JP", EUC_JP},
    {"EUC-KR", "windows-949", NO_PRIVATE},
    {"Big5", "Big5-HKSCS", BIG5},
    {"gb18030", "gb18030", GB18030},
    {"ISO-2022-JP", "EUC-JP", ISO_2022_JP},
    {"IBM866", "IBM866", PLAIN},
    {"ISO-8859-2", "ISO-8859-2", PLAIN},
    {"ISO-8859-3", "ISO-8859-3", PLAIN},
    {"ISO-8859-4", "ISO-8859-4", PLAIN},
    {"ISO-8859-5", "ISO-8859-5", PLAIN},
    {"ISO-8859-6", "ISO-8859-6", PLAIN},
    {"ISO-8859-7", "ISO-8859-7", PLAIN},
    {"ISO-8859-8", "ISO-8859-8", PLAIN},
    {"ISO-8859-8-I", "ISO-8859-8", PLAIN},
    {"ISO-8859-10", "ISO-8859-10", PLAIN},
    {"ISO-8859-13", "ISO-8859-13", PLAIN},
    {"ISO-8859-14", "ISO-8859-14", PLAIN},
    {"ISO-8859-15", "ISO-8859-15", PLAIN},
    {"ISO-8859-16", NULL, ISO_8859_16},
    {"KOI8-R", "KOI8-R", PLAIN},
    {"KOI8-U", "KOI8-U", PLAIN},
    {"macintosh", "macintosh", PLAIN},
    {"windows-874", "windows-874", NO_PRIVATE},
    {"windows-1250", "windows-1250", PLAIN},
    {"windows-1253", "windows-1253", PLAIN},
    {"windows-1254", "windows-1254", PLAIN},
    {"windows-1255", "windows-1255", PLAIN},
    {"windows-1256", "windows-1256", PLAIN},
    {"windows-1257", "windows-1257", PLAIN},
    {"windows-1258", "windows-1258", PLAIN},
    {"x-mac-cyrillic", "x-mac-cyrillic", PLAIN},
    {"x-user-defined", NULL, USER_DEFINED},
};

/* Where ISO 8859-16 is not Latin-1. */
static const struct {
    uint16_t code;
    uint8_t byte;
} latin10[] = {
    {0x0104, 0xa1}, {0x0105, 0xa2}, {0x0141, 0xa3}, {0x20ac, 0xa4}, {0x201e, 0xa5}, {0x0160, 0xa6},
    {0x0161, 0xa8}, {0x0218, 0xaa}, {0x0179, 0xac}, {0x017a, 0xae}, {0x017b, 0xaf}, {0x010c, 0xb2},
    {0x0142, 0xb3}, {0x017d, 0xb4}, {0x201d, 0xb5}, {0x017e, 0xb8}, {0x010d, 0xb9}, {0x0219, 0xba},
    {0x0152, 0xbc}, {0x0153, 0xbd}, {0x0178, 0xbe}, {0x017c, 0xbf}, {0x0102, 0xc3}, {0x0106, 0xc5},
    {0x0110, 0xd0}, {0x0143, 0xd1}, {0x0150, 0xd5}, {0x015a, 0xd7}, {0x0170, 0xd8}, {0x0118, 0xdd},
    {0x021a, 0xde}, {0x0103, 0xe3}, {0x0107, 0xe5}, {0x0111, 0xf0}, {0x0144, 0xf1}, {0x0151, 0xf5},
    {0x015b, 0xf7}, {0x0171, 0xf8}, {0x0119, 0xfd}, {0x021b, 0xfe},
};
enum { LATIN10_COUNT = sizeof latin10 / sizeof *latin10 };

/* What ISO-2022-JP is shifted to. */
enum shift { SHIFT_ASCII, SHIFT_ROMAN, SHIFT_KANJI };

struct url_encoding {
    enum quirk quirk;
    enum shift shift;          /* SHIFT_ASCII between texts */
    const struct fixes *fixes; /* NULL: none */
    UConverter *icu;           /* NULL for the two made by hand */
};

static const struct row *find_row(struct str name)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (str_eq_nocase(str_c(rows[i].name), name))
            return &rows[i];
    return NULL;
}

static enum rc open_converter(struct url_encoding *e, const char *name)
{
    UErrorCode error = U_ZERO_ERROR;
    e->icu = ucnv_open(name, &error);
    if (U_FAILURE(error))
        return error == U_MEMORY_ALLOCATION_ERROR ? RC_NOMEM : RC_UNSUPPORTED;
    ucnv_setFallback(e->icu, false);
    error = U_ZERO_ERROR;
    ucnv_setFromUCallBack(e->icu, UCNV_FROM_U_CALLBACK_STOP, NULL, NULL, NULL, &error);
    return U_FAILURE(error) ? RC_UNSUPPORTED : RC_OK;
}

enum rc url_encoding_open(struct str name, struct url_encoding **ret)
{
    const struct row *row = find_row(name);
    if (!row)
        return RC_NOT_FOUND;
    if (row->quirk == AS_UTF8) {
        *ret = NULL;
        return RC_OK;
    }
    struct url_encoding *e = mem_zero(1, sizeof *e);
    if (!e)
        return RC_NOMEM;
    e->quirk = row->quirk;
    e->fixes = fixes_of(row->name);
    enum rc rc = row->icu ? open_converter(e, row->icu) : RC_OK;
    if (rc) {
        url_encoding_close(e);
        return rc;
    }
    *ret = e;
    return RC_OK;
}

void url_encoding_close(struct url_encoding *e)
{
    if (!e)
        return;
    ucnv_close(e->icu);
    mem_free(e);
}

static uint8_t latin10_byte(uint32_t code)
{
    for (size_t i = 0; i < LATIN10_COUNT; i++)
        if (latin10[i].code == code)
            return latin10[i].byte;
    for (size_t i = 0; i < LATIN10_COUNT; i++)
        if (latin10[i].byte == code)
            return 0;
    return code < 0x100 ? (uint8_t)code : 0;
}

/* The two single-byte encodings made by hand, past ASCII; 0: no such byte. */
static uint8_t hand_made(enum quirk quirk, uint32_t code)
{
    if (quirk == ISO_8859_16)
        return latin10_byte(code);
    return code >= 0xf780 && code <= 0xf7ff ? (uint8_t)(code - 0xf700) : 0;
}

/* What the standard's encoder looks up instead of `code`; 0 if it refuses it outright. */
static uint32_t replaced(enum quirk quirk, uint32_t code)
{
    bool private_use = code >= 0xe000 && code <= 0xf8ff;
    switch (quirk) {
    case BIG5:
    case NO_PRIVATE:
        return private_use ? 0 : code;
    case GB18030:
    case GBK:
        return code == 0xe5e5 ? 0 : code;
    case EUC_JP:
    case ISO_2022_JP:
        if (code < 0xa0)
            return 0;
        /* fall through */
    case SHIFT_JIS:
        if (code == 0xa5)
            return 0x5c;
        if (code == 0x203e)
            return 0x7e;
        return private_use ? 0 : code == 0x2212 ? 0xff0d : code;
    default:
        return code;
    }
}

/* Codes that ICU knows and the standard's encoder does not write. */
static bool is_refused(enum quirk quirk, const char *bytes, size_t n)
{
    uint8_t lead = n ? (uint8_t)bytes[0] : 0;
    return (quirk == BIG5 && n == 2 && lead < 0xa1) || (quirk == GBK && n == 4) ||
           ((quirk == EUC_JP || quirk == ISO_2022_JP) && n == 3);
}

enum { CODE_ROOM_BYTES = 16 };

static bool convert(struct url_encoding *e, uint32_t code, char room[CODE_ROOM_BYTES],
                    size_t *ret_n)
{
    memset(room, 0, CODE_ROOM_BYTES);
    UChar units[2] = {0, 0};
    int32_t count = 0;
    U16_APPEND_UNSAFE(units, count, code);
    const UChar *from = units;
    char *to = room;
    UErrorCode error = U_ZERO_ERROR;
    ucnv_fromUnicode(e->icu, &to, room + CODE_ROOM_BYTES, &from, units + count, NULL, true, &error);
    *ret_n = (size_t)(to - room);
    if (U_FAILURE(error))
        ucnv_resetFromUnicode(e->icu);
    /* ICU leaves out invisible characters it lacks and calls that a success. */
    return U_SUCCESS(error) && *ret_n > 0 && !is_refused(e->quirk, room, *ret_n);
}

/* The bytes of a character past ASCII; false if the encoding lacks it. */
static bool code_bytes(struct url_encoding *e, uint32_t code, char room[CODE_ROOM_BYTES],
                       size_t *ret_n)
{
    uint16_t fixed;
    *ret_n = 1;
    if (!e->icu) {
        room[0] = (char)hand_made(e->quirk, code);
        return room[0] != 0;
    }
    if (e->quirk == GBK && code == 0x20ac) {
        room[0] = (char)0x80;
        return true;
    }
    if (fixes_find(e->fixes, code, &fixed)) {
        *ret_n = fixed < 0x100 ? 1 : 2;
        room[0] = (char)(fixed < 0x100 ? fixed : fixed >> 8);
        room[1] = (char)(fixed & 0xff);
        return fixed != 0;
    }
    uint32_t lookup = replaced(e->quirk, code);
    return lookup && convert(e, lookup, room, ret_n);
}

static void put_reference(struct url_out *o, uint32_t code)
{
    url_put_str(o, STR("%26%23"));
    url_put_number(o, code);
    url_put_str(o, STR("%3B"));
}

static void put_code(struct url_out *o, uint32_t code, enum url_set set, struct url_encoding *e)
{
    char room[CODE_ROOM_BYTES];
    size_t n = 1;
    room[0] = (char)code; /* ASCII, also where IBM's tables turn control characters round */
    if (code < 0x80 || code_bytes(e, code, room, &n))
        url_put_encoded(o, str_make(room, n), set);
    else
        put_reference(o, code);
}

static void put_shift(struct url_out *o, enum shift to, enum url_set set, struct url_encoding *e)
{
    static const struct str escapes[] = {{"\x1b(B", 3}, {"\x1b(J", 3}, {"\x1b$B", 3}};
    if (e->shift != to)
        url_put_encoded(o, escapes[to], set);
    e->shift = to;
}

/* The ASCII characters in ISO-2022-JP; those that shift are never written. */
static void put_ascii_shifted(struct url_out *o, uint32_t code, enum url_set set,
                              struct url_encoding *e)
{
    char byte = (char)code;
    if (e->shift == SHIFT_KANJI || byte == '\\' || byte == '~')
        put_shift(o, SHIFT_ASCII, set, e);
    if (byte == 0x0e || byte == 0x0f || byte == 0x1b)
        put_reference(o, UTF8_REPLACEMENT);
    else
        url_put_encoded(o, str_make(&byte, 1), set);
}

static void put_code_shifted(struct url_out *o, uint32_t code, enum url_set set,
                             struct url_encoding *e)
{
    char room[CODE_ROOM_BYTES];
    size_t n;
    if (code < 0x80) {
        put_ascii_shifted(o, code, set, e);
    } else if (!code_bytes(e, katakana_widen(code), room, &n)) {
        if (e->shift == SHIFT_KANJI)
            put_shift(o, SHIFT_ASCII, set, e);
        put_reference(o, code);
    } else {
        put_shift(o, n == 1 ? SHIFT_ROMAN : SHIFT_KANJI, set, e);
        for (size_t i = 0; i < n; i++)
            room[i] &= 0x7f;
        url_put_encoded(o, str_make(room, n), set);
    }
}

void url_put_in_encoding(struct url_out *o, struct str s, enum url_set set, struct url_encoding *e)
{
    while (s.n && !o->full) {
        uint32_t code;
        size_t bytes;
        utf8_decode(s, &code, &bytes);
        if (e->quirk == ISO_2022_JP)
            put_code_shifted(o, code, set, e);
        else
            put_code(o, code, set, e);
        s = str_from(s, bytes);
    }
    put_shift(o, SHIFT_ASCII, set, e);
}
