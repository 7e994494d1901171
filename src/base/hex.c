/* SPDX-License-Identifier: Apache-2.0 */
#include "base/hex.h"

#include "base/bytes.h"

#define ONES UINT64_C(0x0101010101010101) /* a 1 in each byte */

/* Eight digits at once, a byte each: a page's lines have some 90 numbers. First the bytes have the
 * values of the digits; of those over 9, adding 6 sets bit 4. */
static void hex8_write(char *to, uint32_t value)
{
    uint64_t v = value;
    v = (v | v << 16) & UINT64_C(0x0000ffff0000ffff);
    v = (v | v << 8) & UINT64_C(0x00ff00ff00ff00ff);
    v = (v | v << 4) & ONES * 0x0f;
    uint64_t is_letter = (v + ONES * 6) >> 4 & ONES;
    put_be64(to, v + ONES * '0' + is_letter * ('a' - '9' - 1));
}

void buf_hex16(struct buf *b, uint64_t v)
{
    char *to = buf_reserve(b, HEX16_BYTES);
    if (!to)
        return;
    hex8_write(to, (uint32_t)(v >> 32));
    hex8_write(to + 8, (uint32_t)v);
    b->n += HEX16_BYTES;
}

/* Eight digits at once, a byte each: a report reads some 170 numbers a page. Bit 6 is set in
 * letters alone, and adds 9 to what the low bits say; what is no digit does not come out the same
 * again. */
static bool hex8_read(const char *from, uint32_t *ret)
{
    uint64_t text = get_be64(from);
    uint64_t v = (text & ONES * 0x0f) + (text >> 6 & ONES) * 9;
    uint64_t is_letter = (v + ONES * (0x80 - 10)) >> 7 & ONES;
    uint64_t again = v + ONES * '0' + is_letter * ('a' - '9' - 1);
    bool is_cased = ((text | text >> 1) & ONES * 0x20) == ONES * 0x20;
    if (v & ONES * 0xf0 || again != (text | ONES * 0x20) || !is_cased)
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
