/* SPDX-License-Identifier: Apache-2.0 */
/* The part of codes.h that writes codes as bytes and reads them back. */
#include "base/taker.h"
#include "change/codes.h"

static bool has(uint32_t tests, enum change_test test)
{
    return tests >> test & 1;
}

static bool has_sums(uint32_t tests)
{
    return has(tests, CHANGE_TEXT_MEAN) || has(tests, CHANGE_TEXT_RMS);
}

static uint32_t pictures_kept(uint32_t pictures)
{
    return pictures < CHANGE_PICTURES ? pictures : CHANGE_PICTURES;
}

static void put_bytes(struct buf *to, const uint8_t *bytes)
{
    buf_add(to, str_make((const char *)bytes, DIGEST_SHA256_BYTES));
}

static void put_varint(struct buf *to, uint32_t v)
{
    for (; v >= 0x80; v >>= 7)
        buf_byte(to, (char)(v | 0x80));
    buf_byte(to, (char)v);
}

static void put_structure(struct buf *to, const struct change_codes *c)
{
    if (has(c->tests, CHANGE_LETTERS)) {
        buf_le64(to, c->letters_first);
        buf_le64(to, c->letters_last);
    }
    if (has(c->tests, CHANGE_LEVEL_COUNTS))
        for (uint32_t i = 0; i < c->levels.count; i++)
            put_varint(to, c->levels.at[i]);
    if (has(c->tests, CHANGE_TREE)) {
        buf_le64(to, c->tree);
        buf_le64(to, c->tree_simhash);
        buf_le32(to, c->elements);
    }
}

static void put_text(struct buf *to, const struct change_codes *c)
{
    if (has_sums(c->tests)) {
        buf_le64(to, c->text.symbols);
        buf_le64(to, c->text.codes);
        buf_le64(to, c->text.squares);
        buf_le32(to, c->text.distinct);
    }
    if (has(c->tests, CHANGE_TEXT_DIGEST))
        put_bytes(to, c->text_sha256);
    if (has(c->tests, CHANGE_TEXT_SIMHASH))
        buf_le64(to, c->text_simhash);
}

static void put_picture(struct buf *to, uint32_t tests, const struct change_picture *p)
{
    if (has(tests, CHANGE_IVAL_16))
        buf_le32(to, (uint32_t)p->ival[0].low);
    if (has(tests, CHANGE_IVAL_32))
        buf_le64(to, p->ival[1].low);
    if (has(tests, CHANGE_IVAL_64)) {
        buf_le64(to, p->ival[2].low);
        buf_le64(to, (uint64_t)p->ival[2].high);
    }
    if (has(tests, CHANGE_IMAGE_DHASH))
        buf_le64(to, p->dhash);
}

void change_codes_encode(const struct change_codes *c, struct buf *to)
{
    buf_byte(to, CHANGE_CODES_VERSION);
    buf_byte(to, (char)(has(c->tests, CHANGE_LEVEL_COUNTS) ? c->levels.count : 0));
    buf_le16(to, (uint16_t)c->tests);
    put_structure(to, c);
    put_text(to, c);
    if (c->tests & CHANGE_IMAGE_TESTS) {
        buf_le32(to, c->pictures);
        for (uint32_t i = 0; i < pictures_kept(c->pictures); i++)
            put_picture(to, c->tests, &c->at[i]);
    }
    if (has(c->tests, CHANGE_IMAGE_DIGEST))
        put_bytes(to, c->pictures_sha256);
}

/* Only the shortest spelling of a number is right, so that equal codes are equal bytes. */
static uint32_t take_varint(struct taker *r)
{
    uint64_t v = 0;
    for (unsigned shift = 0; shift < 35; shift += 7) {
        uint8_t byte = take_u8(r);
        v |= (uint64_t)(byte & 0x7f) << shift;
        if (byte & 0x80)
            continue;
        r->bad |= (byte == 0 && shift) || v > UINT32_MAX;
        return (uint32_t)v;
    }
    r->bad = true;
    return 0;
}

static void take_digest(struct taker *r, uint8_t to[DIGEST_SHA256_BYTES])
{
    struct str bytes = take_bytes(r, DIGEST_SHA256_BYTES);
    memcpy(to, bytes.p, bytes.n);
}

static void take_structure(struct taker *r, struct change_codes *c)
{
    if (has(c->tests, CHANGE_LETTERS)) {
        c->letters_first = take_u64(r);
        c->letters_last = take_u64(r);
    }
    for (uint32_t i = 0; i < c->levels.count; i++) {
        c->levels.at[i] = take_varint(r);
        r->bad |= c->levels.at[i] == 0; /* no level is empty above one in use */
    }
    if (has(c->tests, CHANGE_TREE)) {
        c->tree = take_u64(r);
        c->tree_simhash = take_u64(r);
        c->elements = take_u32(r);
    }
}

static void take_text(struct taker *r, struct change_codes *c)
{
    if (has_sums(c->tests)) {
        c->text.symbols = take_u64(r);
        c->text.codes = take_u64(r);
        c->text.squares = take_u64(r);
        c->text.distinct = take_u32(r);
    }
    if (has(c->tests, CHANGE_TEXT_DIGEST))
        take_digest(r, c->text_sha256);
    if (has(c->tests, CHANGE_TEXT_SIMHASH))
        c->text_simhash = take_u64(r);
}

static struct change_ival ival_of(uint64_t low)
{
    return (struct change_ival){-(int64_t)(low >> 63), low};
}

static void take_picture(struct taker *r, uint32_t tests, struct change_picture *p)
{
    if (has(tests, CHANGE_IVAL_16))
        p->ival[0].low = take_u32(r);
    if (has(tests, CHANGE_IVAL_32))
        p->ival[1] = ival_of(take_u64(r));
    if (has(tests, CHANGE_IVAL_64)) {
        p->ival[2].low = take_u64(r);
        uint64_t high = take_u64(r);
        memcpy(&p->ival[2].high, &high, sizeof high);
    }
    if (has(tests, CHANGE_IMAGE_DHASH))
        p->dhash = take_u64(r);
}

static void take_images(struct taker *r, struct change_codes *c)
{
    if (c->tests & CHANGE_IMAGE_TESTS) {
        c->pictures = take_u32(r);
        for (uint32_t i = 0; i < pictures_kept(c->pictures) && !r->bad; i++)
            take_picture(r, c->tests, &c->at[i]);
    }
    if (has(c->tests, CHANGE_IMAGE_DIGEST))
        take_digest(r, c->pictures_sha256);
}

enum rc change_codes_decode(struct str bytes, struct change_codes *ret)
{
    struct taker r = {.rest = bytes};
    uint8_t version = take_u8(&r);
    if (!r.bad && version != CHANGE_CODES_VERSION)
        return RC_VERSION;
    struct change_codes c = {.levels.count = take_u8(&r)};
    c.tests = take_u16(&r);
    if (r.bad || (c.tests & ~(uint32_t)CHANGE_ALL_TESTS) || c.levels.count > CHANGE_LEVELS ||
        (c.levels.count && !has(c.tests, CHANGE_LEVEL_COUNTS)))
        return RC_CORRUPT;
    take_structure(&r, &c);
    take_text(&r, &c);
    take_images(&r, &c);
    if (r.bad || r.rest.n)
        return RC_CORRUPT;
    *ret = c;
    return RC_OK;
}
