/* SPDX-License-Identifier: Apache-2.0 */
/* settings: what the crawl wants of an answer. The step `read` fills it from its options. */
#ifndef READING_SETTINGS_H
#define READING_SETTINGS_H

#include "base/options.h"
#include "html/page.h"

struct reading_settings {
    struct str user_agent;       /* meta elements and X-Robots-Tags that name its token count */
    uint64_t text_bytes;         /* of a body without its codings */
    uint64_t links;              /* references taken from a page */
    uint64_t sitemap_urls;       /* references taken from a sitemap or feed */
    bool follow_nofollow;        /* nofollow is ignored */
    struct option_list keywords; /* focus looks for them: texts are read, too */
};

/* Whether an answer forbids to follow its links. `robots_bits`: enum page_robots, from its header
 * and its meta elements. */
static inline bool reading_obeys_nofollow(const struct reading_settings *s, unsigned robots_bits)
{
    return (robots_bits & PAGE_NOFOLLOW) && !s->follow_nofollow;
}

#endif
