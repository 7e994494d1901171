/* SPDX-License-Identifier: Apache-2.0 */
/* A line of links.nodes or links.arcs that is read is written as the bytes it was read from (but
 * for the case of its hexadecimal digits). */
#include "outputs/arcs.h"

#include "base/buf.h"
#include "fuzz.h"

static void check_node(struct str line)
{
    struct node_line node;
    struct buf again = {.max = 64 << 20};
    if (node_line_parse(line, &node) != RC_OK)
        return;
    MUST(node.url.n && fuzz_is_within(node.url, line));
    node_line_begin(&again, node.fingerprint);
    buf_add(&again, node.url);
    MUST(str_eq_nocase(buf_str(&again), line));
    buf_done(&again);
}

static void check_arcs(struct str line)
{
    struct arc_line arcs;
    struct buf again = {.max = 64 << 20};
    char hop;
    uint64_t to;
    if (arc_line_parse(line, &arcs) != RC_OK)
        return;
    arc_line_begin(&again, arcs.page);
    while (arc_line_next(&arcs, &hop, &to))
        arc_line_add(&again, hop, to);
    MUST(str_eq_nocase(buf_str(&again), line));
    buf_done(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct str line = str_make((const char *)data, n);
    check_node(line);
    check_arcs(line);
    return 0;
}
