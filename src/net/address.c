/* SPDX-License-Identifier: Apache-2.0 */
/* Reading and printing. IPv6 is printed as RFC 5952 says: lower case, no leading zeros, the first
 * of the longest runs of zero groups as "::", and a mapped IPv4 address dotted. */
#include "net/address.h"

enum { GROUPS = 8, HEX_DIGITS = 4 };

/* 0 to 255. A leading zero is refused, because it could mean octal. */
static bool octet_read(struct str text, uint8_t *ret)
{
    unsigned value = 0;
    if (text.n < 1 || text.n > 3 || (text.n > 1 && text.p[0] == '0'))
        return false;
    for (size_t i = 0; i < text.n; i++) {
        if (!ascii_is_digit(text.p[i]))
            return false;
        value = value * 10 + (unsigned)(text.p[i] - '0');
    }
    *ret = (uint8_t)value;
    return value <= UINT8_MAX;
}

static bool v4_read(struct str text, uint8_t bytes[4])
{
    for (int i = 0; i < 4; i++) {
        if (!text.p || !octet_read(str_take_until(&text, '.'), &bytes[i]))
            return false;
    }
    return text.p == NULL;
}

static bool group_read(struct str text, uint8_t *two)
{
    unsigned value = 0;
    if (text.n < 1 || text.n > HEX_DIGITS)
        return false;
    for (size_t i = 0; i < text.n; i++) {
        int digit = ascii_hex(text.p[i]);
        if (digit < 0)
            return false;
        value = value * 16 + (unsigned)digit;
    }
    two[0] = (uint8_t)(value >> 8);
    two[1] = (uint8_t)value;
    return true;
}

/* Writes the groups between colons to `bytes`. If `may_dot`, the last may be a dotted IPv4 address.
 * Returns the number of groups, -1 if one is malformed or there are too many; an empty
 * text has 0 groups. */
static int groups_read(struct str text, bool may_dot, uint8_t bytes[2 * GROUPS])
{
    int count = 0;
    if (text.n == 0)
        return 0;
    while (text.p) {
        struct str group = str_take_until(&text, ':');
        bool is_dotted = may_dot && !text.p && str_find(group, '.') < group.n;
        if (count + (is_dotted ? 2 : 1) > GROUPS)
            return -1;
        if (is_dotted ? !v4_read(group, bytes + 2L * count)
                      : !group_read(group, bytes + 2L * count))
            return -1;
        count += is_dotted ? 2 : 1;
    }
    return count;
}

/* "::" stands for one group at least. */
static bool v6_read(struct str text, uint8_t bytes[16])
{
    uint8_t head[16], tail[16];
    size_t gap = str_find_str(text, STR("::"));
    if (gap == text.n)
        return groups_read(text, true, bytes) == GROUPS;
    int before = groups_read(str_first(text, gap), false, head);
    int after = groups_read(str_from(text, gap + 2), true, tail);
    if (before < 0 || after < 0 || before + after >= GROUPS)
        return false;
    memset(bytes, 0, 16);
    memcpy(bytes, head, (size_t)before * 2);
    memcpy(bytes + 16 - (size_t)after * 2, tail, (size_t)after * 2);
    return true;
}

enum rc address_read(struct str text, struct address *ret)
{
    struct address a = {.is_v6 = text.n && str_find(text, ':') < text.n};
    bool in_brackets = text.n >= 2 && text.p[0] == '[' && text.p[text.n - 1] == ']';
    if (in_brackets)
        text = str_make(text.p + 1, text.n - 2);
    if (text.n >= ADDRESS_TEXT_BYTES || (in_brackets && !a.is_v6))
        return RC_INVALID;
    if (a.is_v6 ? !v6_read(text, a.bytes) : !v4_read(text, a.bytes))
        return RC_INVALID;
    *ret = a;
    return RC_OK;
}

static void v4_print(const uint8_t *bytes, struct buf *out)
{
    for (int i = 0; i < 4; i++) {
        if (i)
            buf_byte(out, '.');
        buf_u64(out, bytes[i]);
    }
}

static unsigned group_of(const struct address *a, int i)
{
    return (unsigned)a->bytes[2L * i] << 8 | a->bytes[2L * i + 1];
}

/* Where the first of the longest runs of at least two zero groups begins; its length, 0 = none. */
static int longest_zeros(const struct address *a, int *ret_at)
{
    int best = 1, run = 0;
    for (int i = 0; i < GROUPS; i++) {
        run = group_of(a, i) ? 0 : run + 1;
        if (run > best) {
            best = run;
            *ret_at = i + 1 - run;
        }
    }
    return best > 1 ? best : 0;
}

static bool is_mapped(const struct address *a)
{
    static const uint8_t prefix[12] = {[10] = 0xff, [11] = 0xff};
    return memcmp(a->bytes, prefix, sizeof prefix) == 0;
}

static void v6_print(const struct address *a, struct buf *out)
{
    int gap_at = -1, gap = longest_zeros(a, &gap_at);
    for (int i = 0; i < GROUPS; i++) {
        if (gap && i == gap_at) {
            buf_add(out, STR("::"));
            i += gap - 1;
            continue;
        }
        if (i && i != gap_at + gap)
            buf_byte(out, ':');
        buf_printf(out, "%x", group_of(a, i));
    }
}

void address_print(const struct address *a, struct buf *out)
{
    if (!a->is_v6) {
        v4_print(a->bytes, out);
    } else if (is_mapped(a)) {
        buf_add(out, STR("::ffff:"));
        v4_print(a->bytes + 12, out);
    } else {
        v6_print(a, out);
    }
}

bool address_eq(const struct address *a, const struct address *b)
{
    return a->is_v6 == b->is_v6 && memcmp(a->bytes, b->bytes, a->is_v6 ? 16 : 4) == 0;
}
