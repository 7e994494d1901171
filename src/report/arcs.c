/* SPDX-License-Identifier: Apache-2.0 */
#include "report/arcs.h"

#include "base/bytes.h"

enum { LINK_BYTES = 2 + ARCS_HEX_BYTES }; /* a blank, a letter, the digits */

void buf_hex16(struct buf *b, uint64_t v)
{
    static const char digits[] = "0123456789abcdef";
    char *to = buf_reserve(b, ARCS_HEX_BYTES);
    if (!to)
        return;
    for (int i = ARCS_HEX_BYTES - 1; i >= 0; i--, v >>= 4)
        to[i] = digits[v & 15];
    b->n += ARCS_HEX_BYTES;
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
    if (!s.p || s.n != ARCS_HEX_BYTES || !hex8_read(s.p, &high) || !hex8_read(s.p + 8, &low))
        return false;
    *ret = (uint64_t)high << 32 | low;
    return true;
}

enum rc node_line_parse(struct str line, struct node_line *ret)
{
    uint64_t v;
    if (line.n < ARCS_HEX_BYTES + 2 || line.p[ARCS_HEX_BYTES] != ' ' ||
        !hex16_read(str_first(line, ARCS_HEX_BYTES), &v))
        return RC_INVALID;
    *ret = (struct node_line){v, str_from(line, ARCS_HEX_BYTES + 1)};
    return RC_OK;
}

static bool read_link(struct str at, char *ret_hop, uint64_t *ret_to)
{
    if (at.n < LINK_BYTES || at.p[0] != ' ' || !ascii_is_alpha(at.p[1]))
        return false;
    *ret_hop = at.p[1];
    return hex16_read(str_make(at.p + 2, ARCS_HEX_BYTES), ret_to);
}

enum rc arc_line_parse(struct str line, struct arc_line *ret)
{
    struct arc_line l = {.rest = str_from(line, ARCS_HEX_BYTES)};
    char hop;
    uint64_t to;
    if (!hex16_read(str_first(line, ARCS_HEX_BYTES), &l.page))
        return RC_INVALID;
    for (struct str at = l.rest; at.n; at = str_from(at, LINK_BYTES))
        if (!read_link(at, &hop, &to))
            return RC_INVALID;
    *ret = l;
    return RC_OK;
}

bool arc_line_next(struct arc_line *l, char *ret_hop, uint64_t *ret_to)
{
    if (!read_link(l->rest, ret_hop, ret_to))
        return false;
    l->rest = str_from(l->rest, LINK_BYTES);
    return true;
}
