/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs/arcs.h"

enum { LINK_BYTES = 2 + HEX16_BYTES }; /* a blank, a letter, the digits */

void node_line_begin(struct buf *out, uint64_t fingerprint)
{
    buf_hex16(out, fingerprint);
    buf_byte(out, ' ');
}

void arc_line_begin(struct buf *out, uint64_t page)
{
    buf_hex16(out, page);
}

void arc_line_add(struct buf *out, char hop, uint64_t to)
{
    buf_byte(out, ' ');
    buf_byte(out, hop);
    buf_hex16(out, to);
}

enum rc node_line_parse(struct str line, struct node_line *ret)
{
    uint64_t v;
    if (line.n < HEX16_BYTES + 2 || line.p[HEX16_BYTES] != ' ' ||
        !hex16_read(str_first(line, HEX16_BYTES), &v))
        return RC_INVALID;
    *ret = (struct node_line){v, str_from(line, HEX16_BYTES + 1)};
    return RC_OK;
}

static bool read_link(struct str at, char *ret_hop, uint64_t *ret_to)
{
    if (at.n < LINK_BYTES || at.p[0] != ' ' || !ascii_is_alpha(at.p[1]))
        return false;
    *ret_hop = at.p[1];
    return hex16_read(str_make(at.p + 2, HEX16_BYTES), ret_to);
}

enum rc arc_line_parse(struct str line, struct arc_line *ret)
{
    struct arc_line l = {.rest = str_from(line, HEX16_BYTES)};
    char hop;
    uint64_t to;
    if (!hex16_read(str_first(line, HEX16_BYTES), &l.page))
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
