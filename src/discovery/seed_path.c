/* SPDX-License-Identifier: Apache-2.0 */
#include "discovery/seed_path.h"

enum { SEED_REDIRECTS = 5 };

unsigned seed_path_depth(struct str path)
{
    unsigned depth = 0;
    for (size_t i = 0; i < path.n; i++)
        depth += hop_is_deeper(path.p[i]);
    return depth;
}

bool seed_path_is_seeds(struct str path)
{
    for (size_t i = 0; i < path.n; i++)
        if (path.p[i] != HOP_REDIRECT)
            return false;
    return true;
}

bool seed_path_joins_seeds(struct str path)
{
    return path.n >= 1 && path.n <= SEED_REDIRECTS && seed_path_is_seeds(path);
}

static bool belongs_to_embed(char hop)
{
    return hop == HOP_EMBED || hop == HOP_REDIRECT || hop == HOP_PREREQUISITE;
}

struct seed_path_parts seed_path_parts(struct str path)
{
    struct seed_path_parts parts = {0};
    size_t i = path.n;
    for (; i && path.p[i - 1] == HOP_REDIRECT; i--)
        parts.redirects++;
    for (; i && belongs_to_embed(path.p[i - 1]); i--)
        parts.embeds += path.p[i - 1] == HOP_EMBED;
    for (; i; i--)
        parts.links += hop_is_deeper(path.p[i - 1]);
    return parts;
}

unsigned seed_path_listings(struct str path)
{
    unsigned listings = 0;
    bool has_sitemap = false;
    for (size_t i = path.n; i-- > 0;) {
        char hop = path.p[i];
        if (hop == HOP_REDIRECT)
            continue;
        if (hop != HOP_PREREQUISITE && (hop != HOP_LISTED || has_sitemap))
            break;
        has_sitemap |= hop == HOP_PREREQUISITE;
        listings++;
    }
    bool is_page = seed_path_last(path) == HOP_LISTED;
    return listings - is_page;
}

struct str seed_path_append(struct str path, char hop, char *room)
{
    struct str kept = str_first(path, SEED_PATH_MAX);
    if (kept.n)
        memcpy(room, kept.p, kept.n);
    room[kept.n] = hop;
    return str_make(room, kept.n + 1);
}
