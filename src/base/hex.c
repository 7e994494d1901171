/* SPDX-License-Identifier: Apache-2.0 */
#include "base/hex.h"

#include "base/bytes.h"

void buf_hex16(struct buf *b, uint64_t v)
{
    static const char digits[] = "0123456789abcdef";
    char *to = buf_reserve(b, HEX16_BYTES);
    if (!to)
        return;
    for (int i = HEX16_BYTES - 1; i >= 0; i--, v >>= 4)
        to[i] = digits[v & 15];
    b->n += HEX16_BYTES;
}

/* Eight digits at once, a byte each: a report reads some 170 numbers a page. Bit 6 is set in
 * letters alone, and adds 9 to what the low bits say; what is no digit does not come out the same
 * again. */
static bool hex8_read(const char *from, uint32_t *ret)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t text = get_be64(from);
    uint64_t v = (text & ones * 0x0f) + (text >> 6 & ones) * 9;
    uint64_t is_letter = (v + ones * (0x80 - 10)) >> 7 & ones;
    uint64_t again = v + ones * '0' + is_letter * ('a' - '9' - 1);
    bool is_cased = ((text | text >> 1) & ones * 0x20) == ones * 0x20;
    if (v & ones * 0xf0 || again != (text | ones * 0x20) || !is_cased)
        return false;
    v = (v | v >> 4) & UINT64_C(0x00ff00ff00ff00ff);
    v = (v | v >> 8) & UINT64_C(0x0000ffff0000ffff);
    *ret = (uint32_t)(v | v >> 16);
    return true;
}

bool hex16_read(struct str s, uint64_t *ret)
{
    uint32_t high, low;
    if (!s.p || s.n != HEX16_BYTES || !hex8_read(s.p, &high) || !hex8_read(s.p + 8, &low))
        return false;
    *ret = (uint64_t)high << 32 | low;
    return true;
}
