/* SPDX-License-Identifier: Apache-2.0 */
/* encoding: the encoders of the Encoding Standard on top of ICU's converters. ICU's tables are the
 * vendors', the standard's are what browsers agreed on; the rows below carry the differences that
 * matter for output. */
#include "url/encoding.h"

#include "base/mem.h"
#include "base/utf8.h"

#include <unicode/ucnv.h>

enum quirk {
    PLAIN,
    AS_UTF8,      /* the output encoding is UTF-8 */
    BIG5,         /* no lead bytes below A1, no private use */
    EUC_KR,       /* no private use */
    GB18030,      /* U+E5E5 has no code */
    GBK,          /* gb18030 without its four-byte codes, the euro as 80 */
    EUC_JP,       /* U+00A5, U+203E, U+2212 as their look-alikes; no JIS X 0212 */
    SHIFT_JIS,    /* likewise; no private use */
    ISO_2022_JP,  /* no shift characters, half-width katakana made full-width */
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
    {"EUC-KR", "windows-949", EUC_KR},
    {"Big5", "Big5-HKSCS", BIG5},
    {"gb18030", "gb18030", GB18030},
    {"ISO-2022-JP", "ISO-2022-JP", ISO_2022_JP},
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
    {"windows-874", "windows-874", PLAIN},
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

struct url_encoding {
    enum quirk quirk;
    UConverter *icu; /* NULL for the two made by hand */
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

/* The two single-byte encodings made by hand; 0: no such byte. */
static uint8_t hand_made(enum quirk quirk, uint32_t code)
{
    if (code < 0x80)
        return (uint8_t)code;
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
    case EUC_KR:
        return private_use ? 0 : code;
    case GB18030:
    case GBK:
        return code == 0xe5e5 ? 0 : code;
    case SHIFT_JIS:
    case EUC_JP:
        if (code == 0xa5)
            return 0x5c;
        if (code == 0x203e)
            return 0x7e;
        return private_use ? 0 : code == 0x2212 ? 0xff0d : code;
    case ISO_2022_JP:
        return code == 0x2212 ? 0xff0d : code;
    default:
        return code;
    }
}

/* Codes that ICU knows and the standard's encoder does not write. */
static bool is_refused(enum quirk quirk, const char *bytes, size_t n)
{
    uint8_t lead = n ? (uint8_t)bytes[0] : 0;
    return (quirk == BIG5 && n == 2 && lead < 0xa1) || (quirk == GBK && n == 4) ||
           (quirk == EUC_JP && n == 3);
}

static bool convert(struct url_encoding *e, uint32_t code, char room[16], size_t *ret_n)
{
    memset(room, 0, 16);
    UChar units[2] = {0, 0};
    int32_t count = 0;
    U16_APPEND_UNSAFE(units, count, code);
    const UChar *from = units;
    char *to = room;
    UErrorCode error = U_ZERO_ERROR;
    if (e->quirk == ISO_2022_JP)
        ucnv_setFallback(e->icu, (UBool)(code >= 0xff61 && code <= 0xff9f));
    ucnv_fromUnicode(e->icu, &to, room + 16, &from, units + count, NULL, false, &error);
    *ret_n = (size_t)(to - room);
    return U_SUCCESS(error) && !is_refused(e->quirk, room, *ret_n);
}

/* Back to ASCII, where a converter has states, and ready for the next text. */
static void finish(struct url_encoding *e, struct url_out *o, enum url_set set)
{
    char room[16];
    char *to = room;
    const UChar nothing = 0, *from = &nothing;
    UErrorCode error = U_ZERO_ERROR;
    if (!e->icu)
        return;
    ucnv_fromUnicode(e->icu, &to, room + sizeof room, &from, from, NULL, true, &error);
    url_put_encoded(o, str_make(room, (size_t)(to - room)), set);
    ucnv_resetFromUnicode(e->icu);
}

static void put_reference(struct url_out *o, uint32_t code)
{
    url_put_str(o, STR("%26%23"));
    url_put_number(o, code);
    url_put_str(o, STR("%3B"));
}

static void put_code(struct url_out *o, uint32_t code, enum url_set set, struct url_encoding *e)
{
    char room[16];
    size_t n = 1;
    if (!e->icu) {
        room[0] = (char)hand_made(e->quirk, code);
        if (room[0] || code == 0)
            url_put_encoded(o, str_make(room, n), set);
        else
            put_reference(o, code);
        return;
    }
    if (e->quirk == ISO_2022_JP && (code == 0x0e || code == 0x0f || code == 0x1b)) {
        put_reference(o, UTF8_REPLACEMENT);
        return;
    }
    if (e->quirk == GBK && code == 0x20ac) {
        url_put_encoded(o, STR("\x80"), set);
        return;
    }
    uint32_t lookup = replaced(e->quirk, code);
    if ((lookup || code == 0) && convert(e, lookup, room, &n)) {
        url_put_encoded(o, str_make(room, n), set);
    } else {
        finish(e, o, set);
        put_reference(o, code);
    }
}

void url_put_in_encoding(struct url_out *o, struct str s, enum url_set set, struct url_encoding *e)
{
    while (s.n && !o->full) {
        uint32_t code;
        size_t bytes;
        utf8_decode(s, &code, &bytes);
        put_code(o, code, set, e);
        s = str_from(s, bytes);
    }
    finish(e, o, set);
}
