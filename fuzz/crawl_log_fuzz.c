/* SPDX-License-Identifier: Apache-2.0 */
/* A line of crawl.log: every field that is read lies within the line. */
#include "outputs/crawl_log.h"

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct str line = str_make((const char *)data, n);
    struct crawl_log_line l;
    if (crawl_log_parse(line, &l) != RC_OK)
        return 0;
    const struct str texts[] = {l.time,  l.url,     l.path,   l.via,    l.mime,
                                l.shard, l.started, l.digest, l.source, l.annotations};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        MUST(fuzz_is_within(texts[i], line));
    MUST(l.url.n && fuzz_is_within(crawl_log_host(l.url), l.url));
    MUST(fuzz_is_within(crawl_log_reason(&l), line));
    (void)crawl_log_is_duplicate(&l);
    (void)crawl_log_is_not_modified(&l);
    (void)crawl_log_is_prerequisite(&l);
    (void)crawl_log_is_robots(&l);
    return 0;
}
