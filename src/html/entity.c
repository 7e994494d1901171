/* SPDX-License-Identifier: Apache-2.0 */
/* The names are sorted, so the rows that agree with the first n bytes are one range; each further
 * byte narrows it by two binary searches. The last row that was met whole is the longest. */
#include "html/entity.h"

#include "base/utf8.h"

struct entity_row {
    uint16_t at;
    uint8_t n;
    uint32_t first;
    uint16_t second;
};

#include "html/entities.inc"

struct range {
    size_t lo, hi; /* rows [lo, hi) */
};

/* The byte at `depth` of a row's name, -1 behind its end. */
static int row_byte(size_t row, size_t depth)
{
    const struct entity_row *r = &entity_rows[row];
    return depth < r->n ? (unsigned char)entity_names[r->at + depth] : -1;
}

/* The first row of `in` whose byte at `depth` is at least `byte`. */
static size_t lower_bound(struct range in, size_t depth, int byte)
{
    while (in.lo < in.hi) {
        size_t mid = in.lo + (in.hi - in.lo) / 2;
        if (row_byte(mid, depth) < byte)
            in.lo = mid + 1;
        else
            in.hi = mid;
    }
    return in.lo;
}

static struct range narrow(struct range in, size_t depth, unsigned char byte)
{
    size_t lo = lower_bound(in, depth, byte);
    return (struct range){lo, lower_bound((struct range){lo, in.hi}, depth, byte + 1)};
}

static struct range first_range(char letter)
{
    if (letter < 'A' || letter > 'z')
        return (struct range){0, 0};
    size_t at = (size_t)(letter - 'A');
    return (struct range){entity_letter[at], entity_letter[at + 1]};
}

/* The longest name that `s` starts with: its row, or ENTITY_COUNT. Sets *ret_open if all of `s` is
 * the beginning of a longer name. */
static size_t longest_name(struct str s, bool *ret_open)
{
    size_t best = ENTITY_COUNT;
    *ret_open = s.n == 0;
    struct range r = s.n ? first_range(s.p[0]) : (struct range){0, 0};
    for (size_t depth = 1; r.lo < r.hi; depth++) {
        if (entity_rows[r.lo].n == depth)
            best = r.lo;
        if (depth == s.n) {
            *ret_open = r.hi - r.lo > (best == r.lo ? 1u : 0u);
            break;
        }
        r = narrow(r, depth, (unsigned char)s.p[depth]);
    }
    return best;
}

/* The characters of the numbers 128 to 159, as in windows-1252. 0: the number is the character. */
static const uint16_t numeric_table[32] = {
    0x20ac, 0,      0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
    0x2039, 0x0152, 0,      0x017d, 0,      0,      0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
    0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0,      0x017e, 0x0178,
};

static uint32_t numeric_code(uint32_t value)
{
    if (value == 0 || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
        return UTF8_REPLACEMENT;
    if (value >= 0x80 && value < 0xa0 && numeric_table[value - 0x80])
        return numeric_table[value - 0x80];
    return value;
}

static bool numeric_read(struct str s, struct entity *ret)
{
    bool hex = s.n > 2 && (s.p[2] | 32) == 'x';
    size_t from = hex ? 3 : 2, at = from;
    uint32_t value = 0;
    for (; at < s.n; at++) {
        int digit = hex ? ascii_hex(s.p[at]) : ascii_is_digit(s.p[at]) ? s.p[at] - '0' : -1;
        if (digit < 0)
            break;
        if (value <= 0x10ffff)
            value = value * (hex ? 16 : 10) + (uint32_t)digit;
    }
    if (at == from)
        return false;
    ret->text_bytes = (uint8_t)utf8_encode(numeric_code(value), ret->text);
    ret->raw_bytes = at + (at < s.n && s.p[at] == ';');
    return true;
}

static bool attribute_forbids(struct str s, size_t raw_bytes)
{
    if (s.p[raw_bytes - 1] == ';' || raw_bytes == s.n)
        return false;
    return s.p[raw_bytes] == '=' || ascii_is_alnum(s.p[raw_bytes]);
}

bool entity_read(struct str s, bool in_attribute, struct entity *ret)
{
    bool open;
    if (s.n > 1 && s.p[1] == '#')
        return numeric_read(s, ret);
    size_t row = longest_name(str_from(s, 1), &open);
    if (row == ENTITY_COUNT)
        return false;
    ret->raw_bytes = entity_rows[row].n + 1u;
    if (in_attribute && attribute_forbids(s, ret->raw_bytes))
        return false;
    size_t n = utf8_encode(entity_rows[row].first, ret->text);
    if (entity_rows[row].second)
        n += utf8_encode(entity_rows[row].second, ret->text + n);
    ret->text_bytes = (uint8_t)n;
    return true;
}

bool entity_may_go_on(struct str s)
{
    bool open;
    if (s.n < 2 || s.p[1] != '#') {
        (void)longest_name(str_from(s, 1), &open);
        return open;
    }
    bool hex = s.n > 2 && (s.p[2] | 32) == 'x';
    for (size_t at = hex ? 3 : 2; at < s.n; at++)
        if (hex ? ascii_hex(s.p[at]) < 0 : !ascii_is_digit(s.p[at]))
            return false;
    return true;
}
