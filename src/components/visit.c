/* SPDX-License-Identifier: Apache-2.0 */
#include "components/visit.h"

#include "base/mem.h"
#include "url/normalise.h"

enum {
    ARENA_BLOCK_BYTES = 2 << 10, /* its URL, its request */
    WARM_BLOCK_BYTES = 64 << 10, /* what a usual page says */
    ARENA_MAX_BYTES = 256 << 20, /* a page of 50,000 references, each a URL */
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
    if (v->errand)
        call_end(v->errand, v->is_safe ? RC_OK : RC_CLOSED);
    cool_down(v);
    if (!pool || pool->count == VISIT_POOL) {
        visit_free(v);
        return;
    }
    arena_clear(v->arena);
    pool->free[pool->count++] = v;
}

/* settle returns its host and writes down what became of it. */
static bool visit_may_end(const struct message *m)
{
    return ((const struct visit *)(const void *)m)->is_settled;
}

const struct message_type visit_type = {.name = VISIT_TYPE,
                                        .release = visit_release,
                                        .pack = visit_pack,
                                        .unpack = visit_unpack,
                                        .stay = visit_stay,
                                        .may_end = visit_may_end};

void visit_pool_done(struct visit_pool *p)
{
    while (p->count)
        visit_free(p->free[--p->count]);
    while (p->warm_count)
        arena_close(p->warm[--p->warm_count]);
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
    *v = (struct visit){.arena = v->arena, .pool = pool, .kind = kind, .score = -1};
    message_init(&v->head, &visit_type);
    if (visit_is_list(v))
        visit_warm(v);
    return v;
}

enum rc visit_name(struct visit *v, enum visit_kind kind)
{
    const struct lent *l = &v->lent;
    struct str path = kind == VISIT_ROBOTS ? STR("/robots.txt") : l->path;
    size_t room_bytes = l->host_name.n + path.n + 32;
    char *room = arena_alloc(v->arena, 2 * room_bytes);
    if (!room)
        return RC_NOMEM;
    struct buf text = buf_on(room, room_bytes);
    buf_add(&text, l->is_https ? STR("https://") : STR("http://"));
    buf_add(&text, l->host_name);
    if (l->port) {
        buf_byte(&text, ':');
        buf_u64(&text, l->port);
    }
    buf_add(&text, path);
    /* It was written by us, so it needs neither IDN nor encodings. */
    struct url_parser parser = {0};
    enum rc rc = url_parse(&parser, buf_str(&text), NULL,
                           (struct url_room){room + room_bytes, room_bytes}, &v->url);
    if (rc)
        return rc;
    v->kind = kind;
    v->fingerprint = url_fingerprint(&v->url);
    return RC_OK;
}

/* Room for references doubles; the arena keeps the outgrown lists until the visit is over. */
static bool grow(struct visit *v)
{
    size_t room = v->reference_count ? v->reference_count * 2 : 64;
    struct visit_reference *list = arena_alloc(v->arena, room * sizeof *list);
    if (!list)
        return false;
    if (v->reference_count)
        memcpy(list, v->references, v->reference_count * sizeof *list);
    v->references = list;
    return true;
}

static bool is_power_of_two(size_t n)
{
    return (n & (n - 1)) == 0;
}

bool visit_refer(struct visit *v, struct str raw, char hop, struct str context)
{
    size_t n = v->reference_count;
    bool is_full = n == 0 || (n >= 64 && is_power_of_two(n));
    if (n == VISIT_MAX_REFERENCES || (is_full && !grow(v))) {
        v->is_cut = true;
        return false;
    }
    v->references[v->reference_count++] =
        (struct visit_reference){.raw = raw, .context = context, .hop = hop};
    return true;
}

bool visit_is_sitemap(const struct visit *v)
{
    struct str hops = v->lent.hops;
    bool was_named = hops.n && hops.p[hops.n - 1] == HOP_PREREQUISITE;
    return v->media == MEDIA_SITEMAP || (was_named && v->media != MEDIA_HTML);
}

enum visit_change visit_change(const struct visit *v)
{
    if (!v->answer || !v->has_past || !v->past.has_digest)
        return CHANGE_UNKNOWN;
    if (v->end.status == 304)
        return CHANGE_NONE;
    if (!visit_is_whole(v))
        return CHANGE_UNKNOWN;
    return digest_eq(&v->past.digest, &v->place.digest) ? CHANGE_NONE : CHANGE_SEEN;
}

void visit_refuse(struct visit *v, int code, const char *why)
{
    v->state = VISIT_REFUSED;
    v->code = code;
    v->why = why;
}

unsigned visit_depth(struct str hops)
{
    unsigned depth = 0;
    for (size_t i = 0; i < hops.n; i++)
        depth += hops.p[i] == HOP_LINK || hops.p[i] == HOP_LISTED;
    return depth;
}
