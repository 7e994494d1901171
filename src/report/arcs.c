/* SPDX-License-Identifier: Apache-2.0 */
#include "report/arcs.h"

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

/* A report reads some 90 of these a page, so digits are not told apart one by one: bit 6 is set in
 * letters alone, and adds 9 to what the low bits say. What is no digit is seen once, at the end. */
bool hex16_read(struct str s, uint64_t *ret)
{
    uint64_t v = 0;
    bool bad = false;
    if (s.n != ARCS_HEX_BYTES)
        return false;
    for (size_t i = 0; i < ARCS_HEX_BYTES; i++) {
        uint8_t c = (uint8_t)s.p[i], low = c | 32;
        bad |= (uint8_t)(c - '0') > 9 && (uint8_t)(low - 'a') > 5;
        v = v << 4 | ((c & 15U) + (c >> 6) * 9U);
    }
    if (bad)
        return false;
    *ret = v;
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
