/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of crawl.log, links.nodes and links.arcs: what is read lies within the line, and links are
 * written as the bytes they were read from. */
#include "outputs/arcs.h"
#include "outputs/crawl_log.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void check(bool holds)
{
    if (!holds)
        abort();
}

static bool is_within(struct str s, struct str whole)
{
    return !s.p || (s.p >= whole.p && s.p + s.n <= whole.p + whole.n);
}

static void check_log(struct str line)
{
    struct crawl_log_line l;
    if (crawl_log_parse(line, &l) != RC_OK)
        return;
    const struct str texts[] = {l.time,  l.url,     l.path,   l.via,    l.mime,
                                l.shard, l.started, l.digest, l.source, l.annotations};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        check(is_within(texts[i], line));
    check(l.url.n && is_within(crawl_log_host(l.url), l.url));
    (void)crawl_log_is_duplicate(&l);
    (void)crawl_log_is_not_modified(&l);
    (void)crawl_log_is_prerequisite(&l);
}

static void check_links(struct str line)
{
    struct arc_line arcs;
    struct node_line node;
    struct buf again = {.max = 64 << 20};
    char hop;
    uint64_t to;
    if (node_line_parse(line, &node) == RC_OK)
        check(node.url.n && is_within(node.url, line));
    if (arc_line_parse(line, &arcs) != RC_OK)
        return;
    arc_line_begin(&again, arcs.page);
    while (arc_line_next(&arcs, &hop, &to))
        arc_line_add(&again, hop, to);
    check(str_eq_nocase(buf_str(&again), line));
    buf_done(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct str line = str_make((const char *)data, n);
    check_log(line);
    check_links(line);
    return 0;
}
