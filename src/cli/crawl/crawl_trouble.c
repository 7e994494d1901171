/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/crawl/crawl_trouble.h"

static const struct wiring_part *find_part(const struct wiring *w, struct str name)
{
    for (unsigned i = 0; i < w->component_count; i++)
        if (str_eq(w->components[i].name, name))
            return &w->components[i];
    for (unsigned i = 0; i < w->provider_count; i++)
        if (str_eq(w->providers[i].name, name))
            return &w->providers[i];
    return NULL;
}

/* Whether the part has the crawl's value of that key: the wiring copies it there. */
static bool is_crawls(const struct settings *s, const struct wiring_part *p, struct str key)
{
    const struct option *row = option_find(settings_table, key);
    const struct option *own = p && p->part->options ? option_find(p->part->options, key) : NULL;
    return row && own && row->type == own->type &&
           memcmp((const char *)s + row->offset, (const char *)p->settings + own->offset,
                  option_bytes(own)) == 0;
}

void crawl_trouble_print(const struct settings *s, const struct wiring *w, struct str why,
                         struct buf *out)
{
    struct str key = str_first(why, str_find(why, ':'));
    size_t part_bytes = str_find(key, '.');
    bool is_flag = part_bytes < key.n && is_crawls(s, find_part(w, str_first(key, part_bytes)),
                                                   str_from(key, part_bytes + 1));
    buf_add(out, is_flag ? STR("--") : STR(""));
    buf_add(out, is_flag ? str_from(why, part_bytes + 1) : why);
}
