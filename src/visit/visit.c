/* SPDX-License-Identifier: Apache-2.0 */
#include "visit/visit.h"

#include "discovery/seed_path.h"
#include "visit/links.h"

#include "base/mem.h"
#include "url/normalise.h"

enum {
    ARENA_BLOCK_BYTES = 2 << 10, /* its URL, its request */
    WARM_BLOCK_BYTES = 64 << 10, /* what a usual page says */
    ARENA_MAX_BYTES = 256 << 20, /* a page of 50,000 references, each a URL */
    FIRST_REFERENCES = 64,
};

static void visit_free(struct visit *v)
{
    arena_close(v->arena);
    mem_free(v);
}

void visit_warm(struct visit *v)
{
    struct visit_pool *pool = v->pool;
    if (v->cool)
        return;
    struct arena *warm = pool && pool->warm_count ? pool->warm[--pool->warm_count]
                                                  : arena_open(WARM_BLOCK_BYTES, ARENA_MAX_BYTES);
    if (!warm)
        return;
    v->cool = v->arena;
    v->arena = warm;
}

/* Gives the warm arena to the next visit. */
static void cool_down(struct visit *v)
{
    struct visit_pool *pool = v->pool;
    if (!v->cool)
        return;
    if (pool && pool->warm_count < VISIT_WARM) {
        arena_clear(v->arena);
        pool->warm[pool->warm_count++] = v->arena;
    } else {
        arena_close(v->arena);
    }
    v->arena = v->cool;
    v->cool = NULL;
}

static void visit_release(struct message *m)
{
    struct visit *v = visit_of(m);
    struct visit_pool *pool = v->pool;
    mem_free(v->route.guest); /* of a visit that ends because the crawl stops */
    cool_down(v);
    if (!pool || pool->count == VISIT_POOL) {
        visit_free(v);
        return;
    }
    arena_clear(v->arena);
    pool->free[pool->count++] = v;
}

/* disposition returns its host and writes down what became of it. */
static bool visit_may_end(const struct message *m)
{
    return ((const struct visit *)(const void *)m)->may_end;
}

const struct message_type visit_type = {.name = VISIT_TYPE,
                                        .release = visit_release,
                                        .pack = visit_pack,
                                        .unpack = visit_unpack,
                                        .check = visit_check,
                                        .stay = visit_stay,
                                        .lost = visit_lost,
                                        .may_end = visit_may_end};

void visit_pool_done(struct visit_pool *p)
{
    while (p->count)
        visit_free(p->free[--p->count]);
    while (p->warm_count)
        arena_close(p->warm[--p->warm_count]);
    packed_body_tools_close(p->checker);
    p->checker = NULL;
}

static struct visit *visit_make(void)
{
    struct visit *v = mem_alloc(sizeof *v);
    if (!v)
        return NULL;
    v->arena = arena_open(ARENA_BLOCK_BYTES, ARENA_MAX_BYTES);
    if (v->arena)
        return v;
    mem_free(v);
    return NULL;
}

struct visit *visit_open(enum visit_kind kind, struct visit_pool *pool)
{
    struct visit *v = pool && pool->count ? pool->free[--pool->count] : visit_make();
    if (!v)
        return NULL;
    *v = (struct visit){.arena = v->arena, .pool = pool, .kind = kind, .judged.score = -1};
    message_init(&v->head, &visit_type);
    return v;
}

enum rc visit_name(struct visit *v, enum visit_kind kind)
{
    const struct checkout *out = &v->turn.checkout;
    struct candidate c = {.host = out->host_name,
                          .path = kind == VISIT_ROBOTS ? STR("/robots.txt") : out->path,
                          .port = out->port,
                          .is_https = out->is_https};
    enum rc rc = candidate_url(&c, v->arena, &v->turn.url);
    if (rc)
        return rc;
    v->kind = kind;
    v->turn.fingerprint = url_fingerprint(&v->turn.url);
    return RC_OK;
}

/* Doubles the room; the arena keeps the outgrown list until the visit is over. */
bool parsed_grow_(struct visit_parsed *p, struct arena *arena)
{
    size_t wanted = p->reference_room ? p->reference_room * 2 : FIRST_REFERENCES;
    size_t room = wanted < VISIT_MAX_REFERENCES ? wanted : VISIT_MAX_REFERENCES;
    struct link_reference *list =
        p->reference_count < room ? arena_alloc(arena, room * sizeof *list) : NULL;
    if (!list) {
        p->is_cut = true;
        return false;
    }
    if (p->reference_count)
        memcpy(list, p->references, p->reference_count * sizeof *list);
    p->references = list;
    p->reference_room = room;
    return true;
}

bool visit_is_sitemap(const struct visit *v)
{
    bool was_named = seed_path_is_prerequisite(v->turn.checkout.seed_path);
    return v->parsed.media == MEDIA_SITEMAP || (was_named && v->parsed.media != MEDIA_HTML);
}

enum visit_change visit_change(const struct visit *v)
{
    if (!v->answer.http || !v->turn.has_history || !v->turn.history.has_digest)
        return CHANGE_UNKNOWN;
    if (v->answer.end.status == 304)
        return CHANGE_NONE;
    if (!visit_is_whole(v))
        return CHANGE_UNKNOWN;
    return digest_eq(&v->turn.history.digest, &v->stored.location.digest) ? CHANGE_NONE
                                                                          : CHANGE_SEEN;
}

void visit_refuse(struct visit *v, int code, const char *why)
{
    v->state = VISIT_REFUSED;
    v->code = code;
    v->why = why;
}
