/* SPDX-License-Identifier: Apache-2.0 */
#include "discovery/depth_index.h"

#include "base/int_map.h"
#include "base/mem.h"

enum { MAX_DEPTH = 255 };

struct depth {
    char *better;  /* a path that is shorter than the one the URL is queued with; or NULL */
    uint8_t depth; /* of the shortest path */
    bool is_done;
    bool is_again; /* it was done, and will be asked for again */
};

struct depth_index {
    struct int_map urls; /* by fingerprint: struct depth */
    uint32_t max;
    bool keeps_paths;
    struct depth last; /* has the path that the last call gave out */
};

struct depth_index *depth_index_open(uint32_t max_urls, bool keeps_paths)
{
    struct depth_index *d = mem_zero(1, sizeof *d);
    if (!d)
        return NULL;
    d->max = max_urls;
    d->keeps_paths = keeps_paths;
    d->urls = INT_MAP(sizeof(struct depth));
    return d;
}

void depth_index_close(struct depth_index *d)
{
    if (!d)
        return;
    size_t at = 0;
    uint64_t fingerprint;
    for (struct depth *s; (s = int_map_next(&d->urls, &at, &fingerprint));)
        mem_free(s->better);
    int_map_done(&d->urls);
    mem_free(d->last.better);
    mem_free(d);
}

static uint8_t bounded(unsigned depth)
{
    return (uint8_t)(depth < MAX_DEPTH ? depth : MAX_DEPTH);
}

/* The entry of a URL, made if there is room; NULL: there is none. */
static struct depth *need(struct depth_index *d, uint64_t fingerprint, unsigned depth)
{
    struct depth *s = int_map_get(&d->urls, fingerprint);
    if (s || d->urls.count >= d->max)
        return s;
    s = int_map_need(&d->urls, fingerprint, NULL);
    if (s)
        s->depth = bounded(depth);
    return s;
}

static void keep_seed_path(struct depth *s, struct str seed_path)
{
    char *copy = mem_alloc(seed_path.n + 1);
    if (!copy) /* the shorter path is forgotten, as without this table */
        return;
    if (seed_path.n)
        memcpy(copy, seed_path.p, seed_path.n);
    copy[seed_path.n] = 0;
    mem_free(s->better);
    s->better = copy;
}

enum shorter depth_index_found(struct depth_index *d, uint64_t fingerprint, unsigned depth,
                               struct str seed_path)
{
    size_t count = d->urls.count;
    struct depth *s = need(d, fingerprint, depth);
    if (s && d->urls.count > count && d->keeps_paths)
        keep_seed_path(s, seed_path);
    if (!s || bounded(depth) >= s->depth)
        return SHORTER_NOT;
    s->depth = bounded(depth);
    if (s->is_done)
        return SHORTER_DONE;
    keep_seed_path(s, seed_path);
    return SHORTER_WAITING;
}

void depth_index_waits(struct depth_index *d, uint64_t fingerprint)
{
    (void)need(d, fingerprint, MAX_DEPTH);
}

bool depth_index_knows(const struct depth_index *d, uint64_t fingerprint, unsigned depth)
{
    const struct depth *s = int_map_get(&d->urls, fingerprint);
    return s ? s->depth <= bounded(depth) : d->urls.count >= d->max;
}

struct str depth_index_seed_path(const struct depth_index *d, uint64_t fingerprint,
                                 struct str seed_path)
{
    const struct depth *s = int_map_get(&d->urls, fingerprint);
    return s && !s->is_done && s->better ? str_c(s->better) : seed_path;
}

bool depth_index_done(struct depth_index *d, uint64_t fingerprint, unsigned depth,
                      struct str *ret_seed_path)
{
    struct depth *s = need(d, fingerprint, depth);
    if (!s)
        return false;
    s->is_done = true;
    s->is_again = false;
    mem_free(d->last.better);
    d->last = *s;
    s->better = NULL;
    if (s->depth > bounded(depth))
        s->depth = bounded(depth);
    *ret_seed_path = str_c(d->last.better ? d->last.better : "");
    return d->last.better && d->last.depth < bounded(depth);
}

bool depth_index_told(struct depth_index *d, uint64_t fingerprint, unsigned depth,
                      struct str *ret_seed_path)
{
    struct depth *s = need(d, fingerprint, depth);
    *ret_seed_path = STR("");
    if (!s)
        return false;
    if (s->is_done) {
        s->depth = s->depth < bounded(depth) ? s->depth : bounded(depth);
        return false;
    }
    bool is_shorter = s->better && s->depth < bounded(depth);
    mem_free(d->last.better);
    d->last = *s;
    *s = (struct depth){.depth = bounded(depth), .is_done = true};
    if (is_shorter)
        *ret_seed_path = str_c(d->last.better);
    return is_shorter;
}

bool depth_index_is_done(struct depth_index *d, uint64_t fingerprint, struct str *ret_seed_path)
{
    return depth_index_told(d, fingerprint, MAX_DEPTH, ret_seed_path);
}

void depth_index_again(struct depth_index *d, uint64_t fingerprint)
{
    struct depth *s = need(d, fingerprint, MAX_DEPTH);
    if (!s)
        return;
    s->is_again = true;
    if (!s->is_done)
        return;
    s->is_done = false;
    s->depth = MAX_DEPTH;
}

bool depth_index_waits_again(const struct depth_index *d, uint64_t fingerprint, unsigned depth)
{
    const struct depth *s = int_map_get(&d->urls, fingerprint);
    return s && s->is_again && s->depth < bounded(depth);
}

void depth_index_far(struct depth_index *d, uint64_t fingerprint)
{
    struct depth *s = int_map_get(&d->urls, fingerprint);
    if (s && s->is_done)
        s->depth = MAX_DEPTH;
}

bool depth_index_take(struct depth_index *d, uint64_t fingerprint, struct str *ret_seed_path)
{
    struct depth *s = int_map_get(&d->urls, fingerprint);
    if (!s || s->is_done || !s->better)
        return false;
    s->is_done = true;
    mem_free(d->last.better);
    d->last = *s;
    s->better = NULL;
    *ret_seed_path = str_c(d->last.better);
    return true;
}
