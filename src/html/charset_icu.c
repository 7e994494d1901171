/* SPDX-License-Identifier: Apache-2.0 */
/* The one file that knows ICU's converters and detector.
 *
 * ICU's tables are near the Encoding Standard's, not equal. The converters below were compared with
 * the standard's indexes: euc-jp-2007, ibm-943 and windows-949 agree in every character, Big5-HKSCS
 * and gb18030 but for the pairs listed. Sequences that ICU maps to private use are malformed in the
 * standard, except in Shift_JIS and gb18030, where it is mapped.
 *
 * ICU treats malformed bytes in its own way. In gb18030 that is the standard's way, so a text is
 * converted in one go; in the others ICU only says what a well-formed sequence means. */
#include "html/charset.h"
#include "html/charset_internal.h"

#include "base/mem.h"
#include "base/utf8.h"

#include <unicode/ucnv.h>
#include <unicode/ucnv_cb.h>
#include <unicode/ucsdet.h>

struct pair {
    uint16_t from, to;
};

struct pairs {
    const struct pair *p; /* sorted by `from` */
    size_t n;
};

struct converter {
    const char *name, *icu_name;
    struct pairs bytes; /* sequences ICU does not have, and their characters */
    struct pairs codes; /* characters of ICU's, and the ones wanted */
    bool drop_private;  /* private use means malformed */
};

/* clang-format off */
static const struct pair big5_bytes[] = {
    {0x87a4, 0x9f97}, {0x87ac, 0x9f96}, {0x8e69, 0x7bb8}, {0x8e6f, 0x7c06}, {0x8e7e, 0x7cce},
    {0x8eab, 0x7dd2}, {0x8eb4, 0x7e1d}, {0x8ecd, 0x8005}, {0x8ed0, 0x8028}, {0x8f57, 0x83c1},
    {0x8f69, 0x84a8}, {0x8f6e, 0x840f}, {0x8fcb, 0x89a6}, {0x8fcc, 0x89a9}, {0x8ffe, 0x8d77},
    {0x906d, 0x90fd}, {0x907a, 0x92b9}, {0x90dc, 0x975c}, {0x90f1, 0x97ff}, {0x91bf, 0x9f16},
    {0x9244, 0x8503}, {0x92af, 0x5159}, {0x92b0, 0x515b}, {0x92b1, 0x515d}, {0x92b2, 0x515e},
    {0x92c8, 0x936e}, {0x92d1, 0x7479}, {0x9447, 0x6d67}, {0x94ca, 0x799b}, {0x95d9, 0x9097},
    {0x9644, 0x975d}, {0x96ed, 0x701e}, {0x96fc, 0x5b28}, {0x9b76, 0x7201}, {0x9b78, 0x77d7},
    {0x9b7b, 0x7e87}, {0x9bc6, 0x99d6}, {0x9bde, 0x91d4}, {0x9bec, 0x60de}, {0x9bf6, 0x6fb6},
    {0x9c42, 0x8f36}, {0x9c53, 0x4fbb}, {0x9c62, 0x71df}, {0x9c68, 0x9104}, {0x9c6b, 0x9df0},
    {0x9c77, 0x83cf}, {0x9cbc, 0x5c10}, {0x9cbd, 0x79e3}, {0x9cd0, 0x5a67}, {0x9d57, 0x8f0b},
    {0x9d5a, 0x7b51}, {0x9dc4, 0x62d0}, {0x9ea9, 0x6062}, {0x9eef, 0x75f9}, {0x9efd, 0x6c4a},
    {0x9f60, 0x9b2e}, {0x9f66, 0x9f17}, {0x9fcb, 0x50ed}, {0x9fd8, 0x5f0c}, {0xa063, 0x880f},
    {0xa077, 0x62ce}, {0xa0d5, 0x7468}, {0xa0df, 0x7162}, {0xa0e4, 0x7250}, {0xa3c0, 0x2400},
    {0xa3c1, 0x2401}, {0xa3c2, 0x2402}, {0xa3c3, 0x2403}, {0xa3c4, 0x2404}, {0xa3c5, 0x2405},
    {0xa3c6, 0x2406}, {0xa3c7, 0x2407}, {0xa3c8, 0x2408}, {0xa3c9, 0x2409}, {0xa3ca, 0x240a},
    {0xa3cb, 0x240b}, {0xa3cc, 0x240c}, {0xa3cd, 0x240d}, {0xa3ce, 0x240e}, {0xa3cf, 0x240f},
    {0xa3d0, 0x2410}, {0xa3d1, 0x2411}, {0xa3d2, 0x2412}, {0xa3d3, 0x2413}, {0xa3d4, 0x2414},
    {0xa3d5, 0x2415}, {0xa3d6, 0x2416}, {0xa3d7, 0x2417}, {0xa3d8, 0x2418}, {0xa3d9, 0x2419},
    {0xa3da, 0x241a}, {0xa3db, 0x241b}, {0xa3dc, 0x241c}, {0xa3dd, 0x241d}, {0xa3de, 0x241e},
    {0xa3df, 0x241f}, {0xa3e0, 0x2421}, {0xc6cf, 0x5ef4}, {0xc6d3, 0x65e0}, {0xc6d5, 0x7676},
    {0xc6d7, 0x96b6}, {0xc6de, 0x3003}, {0xc6df, 0x4edd}, {0xfa5f, 0x5029}, {0xfa66, 0x507d},
    {0xfabd, 0x5305}, {0xfac5, 0x5344}, {0xfad5, 0x537f}, {0xfb48, 0x5605}, {0xfbb8, 0x5a77},
    {0xfbf3, 0x5e75}, {0xfbf9, 0x5ed0}, {0xfc4f, 0x5f58}, {0xfc6c, 0x60a4}, {0xfcb9, 0x6490},
    {0xfce2, 0x6674}, {0xfcf1, 0x675e}, {0xfdb7, 0x6c9c}, {0xfdb8, 0x6e1d}, {0xfdbb, 0x6e2f},
    {0xfdf1, 0x716e}, {0xfe52, 0x732a}, {0xfe6f, 0x745c}, {0xfeaa, 0x74e9}, {0xfedd, 0x7809},
};

static const struct pair big5_codes[] = {
    {0xf303, 0x31c0}, {0xf304, 0x31c1}, {0xf305, 0x31c2}, {0xf306, 0x31c3}, {0xf307, 0x31c4},
    {0xf309, 0x31c5}, {0xf30c, 0x31c6}, {0xf30d, 0x31c7}, {0xf310, 0x31c8}, {0xf312, 0x31c9},
    {0xf313, 0x31ca}, {0xf314, 0x31cb}, {0xf315, 0x31cc}, {0xf317, 0x31cd}, {0xf318, 0x31ce},
    {0xf34a, 0x23da}, {0xf34b, 0x23db}, {0xf57a, 0x9fa6}, {0xf5a4, 0x9fa7}, {0xf5ab, 0x9fa8},
    {0xf5cc, 0x9fa9}, {0xf5ce, 0x9faa}, {0xf5d0, 0x9fab}, {0xf5d5, 0x9fac}, {0xf5ec, 0x9fad},
    {0xf5ed, 0x9fae}, {0xf5ef, 0x9faf}, {0xf602, 0x9fb2}, {0xf61c, 0x9fb3}, {0xf7e5, 0x31cf},
    {0xf7eb, 0x9fb0}, {0xf7ed, 0x9fb1},
};

static const struct pair gb_bytes[] = {{0x80, 0x20ac}};
static const struct pair gb_codes[] = {
    {0xe5e5, 0x3000}, {0xe78d, 0xfe10}, {0xe78e, 0xfe12}, {0xe78f, 0xfe11}, {0xe790, 0xfe13},
    {0xe791, 0xfe14}, {0xe792, 0xfe15}, {0xe793, 0xfe16}, {0xe794, 0xfe17}, {0xe795, 0xfe18},
    {0xe796, 0xfe19}, {0xe81e, 0x9fb4}, {0xe826, 0x9fb5}, {0xe82b, 0x9fb6}, {0xe82c, 0x9fb7},
    {0xe832, 0x9fb8}, {0xe843, 0x9fb9}, {0xe854, 0x9fba}, {0xe864, 0x9fbb},
};
/* clang-format on */

#define PAIRS(a)                        \
    {                                   \
        (a), sizeof(a) / sizeof((a)[0]) \
    }

static const struct converter converters[] = {
    {"Big5", "ibm-1375_P100-2008", PAIRS(big5_bytes), PAIRS(big5_codes), true},
    {"EUC-JP", "euc-jp-2007", {0}, {0}, true},
    {"EUC-KR", "windows-949-2000", {0}, {0}, true},
    {"GBK", "gb18030", PAIRS(gb_bytes), PAIRS(gb_codes), false},
    {"gb18030", "gb18030", PAIRS(gb_bytes), PAIRS(gb_codes), false},
    {"Shift_JIS", "ibm-943_P15A-2003", {0}, {0}, false},
};

static const struct converter *converter_find(const char *name)
{
    const struct converter *c = converters;
    while (strcmp(c->name, name) != 0)
        c++;
    return c;
}

static uint16_t pair_find(struct pairs in, uint32_t from)
{
    size_t low = 0, high = in.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (in.p[middle].from == from)
            return in.p[middle].to;
        if (in.p[middle].from < from)
            low = middle + 1;
        else
            high = middle;
    }
    return 0;
}

/* ICU calls this for bytes that it cannot convert. */
static void on_malformed(const void *context, UConverterToUnicodeArgs *args, const char *bytes,
                         int32_t length, UConverterCallbackReason reason, UErrorCode *error)
{
    const struct converter *c = context;
    if (reason > UCNV_IRREGULAR)
        return; /* reset, close and clone are told here as well */
    *error = U_ZERO_ERROR;
    uint32_t sequence = 0;
    for (int32_t i = 0; i < length; i++)
        sequence = sequence << 8 | (uint8_t)bytes[i];
    UChar code = pair_find(c->bytes, sequence);
    if (code == 0)
        code = UTF8_REPLACEMENT;
    ucnv_cbToUWriteUChars(args, &code, 1, 0, error);
}

static bool is_private(uint32_t code)
{
    return code >= 0xe000 && code < 0xf900;
}

enum { CHUNK_UNITS = 2048 };

/* Appends UTF-16 that ICU made, through a room of our own since most of it is short and plain.
 * *lead keeps a first surrogate over the edge of a chunk. */
static void units_put(const struct converter *c, const UChar *u, size_t n, UChar *lead,
                      struct buf *out)
{
    char room[3 * CHUNK_UNITS + UTF8_MAX_BYTES];
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t code = u[i];
        if (U16_IS_LEAD(code)) {
            *lead = u[i];
            continue;
        }
        if (*lead && U16_IS_TRAIL(code))
            code = (uint32_t)U16_GET_SUPPLEMENTARY(*lead, code);
        *lead = 0;
        uint16_t better = is_private(code) ? pair_find(c->codes, code) : 0;
        used += utf8_encode(better ? better : code, room + used);
    }
    buf_add(out, str_make(room, used));
}

static enum rc rc_from_icu(UErrorCode error)
{
    if (U_SUCCESS(error))
        return RC_OK;
    return error == U_MEMORY_ALLOCATION_ERROR ? RC_NOMEM : RC_UNSUPPORTED;
}

static enum rc convert(UConverter *icu, const struct converter *c, struct str body, struct buf *out)
{
    const char *from = body.n ? body.p : "", *end = from + body.n;
    UChar units[CHUNK_UNITS] = {0}, lead = 0;
    UErrorCode error;
    do {
        UChar *to = units;
        error = U_ZERO_ERROR;
        ucnv_toUnicode(icu, &to, units + CHUNK_UNITS, &from, end, NULL, true, &error);
        units_put(c, units, (size_t)(to - units), &lead, out);
    } while (error == U_BUFFER_OVERFLOW_ERROR && buf_rc(out) == RC_OK);
    return buf_rc(out) == RC_OK ? rc_from_icu(error) : buf_rc(out);
}

static enum rc converter_open(const struct converter *c, UConverterToUCallback callback,
                              UConverter **ret)
{
    UErrorCode error = U_ZERO_ERROR;
    UConverter *icu = ucnv_open(c->icu_name, &error);
    if (U_FAILURE(error))
        return rc_from_icu(error);
    ucnv_setToUCallBack(icu, callback, c, NULL, NULL, &error);
    if (U_FAILURE(error)) {
        ucnv_close(icu);
        return rc_from_icu(error);
    }
    *ret = icu;
    return RC_OK;
}

enum rc charset_icu_to_utf8(const char *name, struct str body, struct buf *out)
{
    const struct converter *c = converter_find(name);
    UConverter *icu = NULL;
    enum rc rc = converter_open(c, on_malformed, &icu);
    if (rc != RC_OK)
        return rc;
    rc = convert(icu, c, body, out);
    ucnv_close(icu);
    return rc;
}

struct charset_pairs {
    const struct converter *c;
    UConverter *icu;
    uint32_t codes[0x80][0x100]; /* by lead and trail; 0 where ICU was not asked yet */
};

enum rc charset_pairs_open(const char *name, struct charset_pairs **ret)
{
    struct charset_pairs *p = mem_zero(1, sizeof *p);
    if (!p)
        return RC_NOMEM;
    p->c = converter_find(name);
    enum rc rc = converter_open(p->c, UCNV_TO_U_CALLBACK_STOP, &p->icu);
    if (rc != RC_OK) {
        mem_free(p);
        return rc;
    }
    *ret = p;
    return RC_OK;
}

void charset_pairs_close(struct charset_pairs *p)
{
    if (!p)
        return;
    ucnv_close(p->icu);
    mem_free(p);
}

uint32_t charset_sequence(struct charset_pairs *p, struct str bytes)
{
    UChar units[4] = {0}, *to = units;
    const char *from = bytes.p;
    UErrorCode error = U_ZERO_ERROR;
    ucnv_toUnicode(p->icu, &to, units + 4, &from, bytes.p + bytes.n, NULL, true, &error);
    if (U_FAILURE(error))
        ucnv_resetToUnicode(p->icu);
    uint32_t code = 0;
    if (U_SUCCESS(error) && to == units + 1)
        code = units[0];
    else if (U_SUCCESS(error) && to == units + 2 && U16_IS_LEAD(units[0]))
        code = (uint32_t)U16_GET_SUPPLEMENTARY(units[0], units[1]);
    uint32_t better = code ? pair_find(p->c->codes, code) : 0;
    if (better)
        return better;
    return code && !(p->c->drop_private && is_private(code)) ? code : UTF8_REPLACEMENT;
}

uint32_t charset_pair(struct charset_pairs *p, uint8_t lead, uint8_t trail)
{
    uint32_t *code = &p->codes[lead & 0x7f][trail];
    if (*code == 0)
        *code = pair_find(p->c->bytes, (uint32_t)lead << 8 | trail);
    if (*code == 0)
        *code = charset_sequence(p, str_make((char[]){(char)lead, (char)trail}, 2));
    return *code;
}

/* Below this the detector is right too seldom to overrule windows-1252. */
enum { CONFIDENCE_MIN = 20 };

/* The surest of ICU's answers that is an encoding of the web. UTF-16 and UTF-32 are left out: on
 * bytes without a mark they are a guess about zeros, and wrong on binary files. */
static const char *match_name(const UCharsetMatch *match)
{
    UErrorCode error = U_ZERO_ERROR;
    int32_t confidence = ucsdet_getConfidence(match, &error);
    const char *icu_name = ucsdet_getName(match, &error);
    if (U_FAILURE(error) || confidence < CONFIDENCE_MIN)
        return NULL;
    const char *name = charset_name(str_c(icu_name));
    if (!name || strcmp(name, "replacement") == 0 || strncmp(name, "UTF-16", 6) == 0)
        return NULL;
    return name;
}

const char *charset_icu_detect(struct str sample)
{
    UErrorCode error = U_ZERO_ERROR;
    UCharsetDetector *detector = ucsdet_open(&error);
    if (U_FAILURE(error))
        return NULL;
    ucsdet_enableInputFilter(detector, true);
    ucsdet_setText(detector, sample.p, (int32_t)sample.n, &error);
    int32_t count = 0;
    const UCharsetMatch **all = ucsdet_detectAll(detector, &count, &error);
    const char *name = NULL;
    for (int32_t i = 0; U_SUCCESS(error) && i < count && !name; i++)
        name = match_name(all[i]);
    ucsdet_close(detector);
    return name;
}
