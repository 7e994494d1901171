/* SPDX-License-Identifier: Apache-2.0 */
/* ip: addresses in hosts, section 3.5 of the URL Standard. */
#include "url/host.h"

enum { TOO_MUCH = 33 }; /* numbers stop growing here, in bits: past 32 all are refused */

static bool number_parse(struct str s, uint64_t *ret)
{
    unsigned radix = 10;
    if (s.n == 0)
        return false;
    if (s.n >= 2 && s.p[0] == '0') {
        bool hex = (s.p[1] | 32) == 'x';
        radix = hex ? 16 : 8;
        s = str_from(s, hex ? 2 : 1);
    }
    uint64_t value = 0;
    for (size_t i = 0; i < s.n; i++) {
        int digit = ascii_hex(s.p[i]);
        if (digit < 0 || (unsigned)digit >= radix)
            return false;
        value = value * radix + (unsigned)digit;
        if (value >> TOO_MUCH)
            value = UINT64_C(1) << TOO_MUCH;
    }
    *ret = value;
    return true;
}

static struct str without_last_dot(struct str s)
{
    return s.n > 1 && s.p[s.n - 1] == '.' ? str_first(s, s.n - 1) : s;
}

static bool all_digits(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!ascii_is_digit(s.p[i]))
            return false;
    return s.n > 0;
}

bool url_ends_in_number(struct str name)
{
    name = without_last_dot(name);
    size_t from = name.n;
    while (from > 0 && name.p[from - 1] != '.')
        from--;
    struct str last = str_from(name, from);
    uint64_t value;
    return all_digits(last) || number_parse(last, &value);
}

bool url_ipv4_parse(struct str text, uint32_t *ret_address)
{
    struct str rest = without_last_dot(text);
    uint64_t address = 0, part = 0;
    unsigned count = 0;
    while (rest.p) {
        if (count == 4 || !number_parse(str_take_until(&rest, '.'), &part))
            return false;
        count++;
        if (!rest.p)
            break;
        if (part > 255)
            return false;
        address |= part << (8 * (4 - count));
    }
    if (count == 0 || part >= UINT64_C(1) << (8 * (5 - count)))
        return false;
    *ret_address = (uint32_t)(address | part);
    return true;
}

void url_ipv4_write(struct url_out *o, uint32_t address)
{
    for (int shift = 24; shift >= 0; shift -= 8) {
        url_put_number(o, address >> shift & 255);
        if (shift)
            url_put(o, '.');
    }
}

/* Four plain decimal numbers at the end of an IPv6 address, as two pieces. */
static bool dotted_tail(struct str s, uint16_t pieces[2])
{
    uint32_t address = 0;
    for (int part = 0; part < 4; part++) {
        if (!s.p)
            return false;
        struct str digits = str_take_until(&s, '.');
        uint32_t value = 0;
        if (digits.n > 3 || !all_digits(digits) || (digits.n > 1 && digits.p[0] == '0'))
            return false;
        for (size_t i = 0; i < digits.n; i++)
            value = value * 10 + (uint32_t)(digits.p[i] - '0');
        if (value > 255)
            return false;
        address = address << 8 | value;
    }
    pieces[0] = (uint16_t)(address >> 16);
    pieces[1] = (uint16_t)address;
    return !s.p;
}

/* Up to four hexadecimal digits at the start of *s, which is left behind them. */
static uint16_t take_piece(struct str *s, size_t *ret_digits)
{
    unsigned value = 0;
    size_t n = 0;
    while (n < 4 && n < s->n && ascii_hex(s->p[n]) >= 0)
        value = value << 4 | (unsigned)ascii_hex(s->p[n++]);
    *ret_digits = n;
    *s = str_from(*s, n);
    return (uint16_t)value;
}

/* Moves what stands behind "::" (itself one piece, before `gap`) to the end, with zeros in between.
 */
static void spread(uint16_t pieces[8], unsigned count, unsigned gap)
{
    unsigned behind = count - gap;
    for (unsigned i = 0; i < 8 - gap; i++) {
        unsigned to = 7 - i;
        pieces[to] = i < behind ? pieces[count - 1 - i] : 0;
    }
}

/* One piece and the colon behind it. False ends the walk: *ret_ok says whether well. */
static bool ipv6_step(struct str *s, uint16_t pieces[8], unsigned *count, int *gap, bool *ret_ok)
{
    *ret_ok = false;
    if (*count == 8)
        return false;
    if (s->p[0] == ':') {
        if (*gap >= 0)
            return false;
        pieces[(*count)++] = 0;
        *gap = (int)*count;
        *s = str_from(*s, 1);
        *ret_ok = true;
        return s->n > 0;
    }
    struct str here = *s;
    size_t digits;
    uint16_t piece = take_piece(s, &digits);
    if (s->n && s->p[0] == '.') {
        *ret_ok = digits > 0 && *count <= 6 && dotted_tail(here, pieces + *count);
        *count += 2;
        return false;
    }
    pieces[(*count)++] = piece;
    if (digits == 0)
        return false;
    *ret_ok = s->n == 0;
    if (s->n == 0 || s->p[0] != ':')
        return false;
    *s = str_from(*s, 1);
    return s->n > 0;
}

bool url_ipv6_parse(struct str text, uint16_t ret_pieces[8])
{
    struct str s = text;
    unsigned count = 0;
    int gap = -1;
    bool ok = false;
    memset(ret_pieces, 0, 8 * sizeof *ret_pieces);
    if (s.n == 0 || (s.p[0] == ':' && (s.n < 2 || s.p[1] != ':')))
        return false;
    if (s.p[0] == ':')
        s = str_from(s, 1);
    while (s.n && ipv6_step(&s, ret_pieces, &count, &gap, &ok))
        continue;
    if (!ok || (gap < 0 && count != 8))
        return false;
    if (gap >= 0)
        spread(ret_pieces, count, (unsigned)gap);
    return true;
}

/* The first longest run of two zero pieces or more; 8 if there is none. */
static unsigned longest_zeros(const uint16_t pieces[8], unsigned *ret_n)
{
    unsigned best = 8;
    *ret_n = 1;
    for (unsigned i = 0; i < 8; i++) {
        unsigned n = 0;
        while (i + n < 8 && pieces[i + n] == 0)
            n++;
        if (n > *ret_n) {
            best = i;
            *ret_n = n;
        }
        i += n;
    }
    return best;
}

static void put_hex(struct url_out *o, unsigned piece)
{
    bool begun = false;
    for (int shift = 12; shift >= 0; shift -= 4) {
        unsigned digit = piece >> shift & 15;
        begun = begun || digit || shift == 0;
        if (begun)
            url_put(o, "0123456789abcdef"[digit]);
    }
}

void url_ipv6_write(struct url_out *o, const uint16_t pieces[8])
{
    unsigned skip, at = longest_zeros(pieces, &skip);
    for (unsigned i = 0; i < 8; i++) {
        if (i == at) {
            url_put_str(o, i ? STR(":") : STR("::"));
            i += skip - 1;
            continue;
        }
        put_hex(o, pieces[i]);
        if (i < 7)
            url_put(o, ':');
    }
}
