/* SPDX-License-Identifier: Apache-2.0 */
#include "scope/scope.h"

#include "base/hash.h"
#include "base/mem.h"
#include "discovery/seed_path.h"
#include "net/address.h"
#include "scope/name_set.h"
#include "scope/path_trap.h"
#include "scope/scope_regex.h"
#include "url/domain.h"
#include "url/normalise.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum {
    MOST_SEEDS = 10000000,
    MOST_COUSINS = 100000,
};

/* Settings that may change while other threads check. Each version is constant once it is
 * published, and kept until the close. */
struct live {
    struct live *older;
    uint64_t depth;
    struct regex_list *include, *exclude;
};

struct scope {
    enum scope_kind kind;
    bool pages_only;
    uint64_t embed_hops, redirects, path_segments, url_bytes;
    uint32_t rules;
    struct live *_Atomic live;
    struct name_set *seeds;   /* URLs */
    struct name_set *names;   /* SCOPE_HOST, SCOPE_DOMAIN: hosts; SCOPE_PREFIX: prefixes */
    struct name_set *domains; /* SCOPE_DOMAIN */
    struct name_set *cousins; /* other hosts of these domains, as they are met */
    _Atomic size_t longest_prefix;
    _Atomic uint64_t *regex_limits; /* checking counts, though it changes nothing else */
    pthread_mutex_t changing;       /* guards the change of `live` and of `longest_prefix` */
};

/* clang-format off */
#define ROW(kind, field, ...) OPTION_##kind##_ROW(struct scope_settings, field, __VA_ARGS__)
const struct option scope_options[] = {
    ROW(CHOICE, scope, "scope", "host", "what belongs to the crawl",
        .choices = "host|domain|prefix|page|any"),
    ROW(COUNT, depth, "depth", "100", "links followed from a seed", .letter = 'l', .live = true),
    ROW(LIST, include, "include", NULL, "take only URLs that match", .arg = "REGEX", .live = true),
    ROW(LIST, exclude, "exclude", NULL, "leave out URLs that match", .arg = "REGEX", .live = true),
    ROW(BOOL, pages_only, "pages-only", "no", "leave out images, styles and scripts"),
    ROW(COUNT, embed_hops, "embed-hops", "3",
        "how far from its page an embed may be: an image of a style is 2", .max = 100),
    ROW(COUNT, redirects, "redirects", "10", "redirects followed in a row", .max = 100),
    ROW(COUNT, path_segments, "path-segments", "25", "most folders of a path",
        .min = 1, .max = PATH_MAX_SEGMENTS),
    ROW(SIZE, url_bytes, "url-size", "4k", "most bytes of a URL", .min = 16, .max = 65000),
    ROW(TEXT, normalise, "normalise", "default",
        "the rules that make equal URLs equal (orbweaver try url --help)", .arg = "RULES"),
    {0},
};
/* clang-format on */

const char *scope_verdict_text(enum scope_verdict v)
{
    static const char *const texts[SCOPE_VERDICTS_] = {
        [SCOPE_IN] = "in scope",
        [SCOPE_NOT_HTTP] = "neither http nor https",
        [SCOPE_BAD_PORT] = "a port that is no web server's",
        [SCOPE_TOO_LONG] = "a URL that is too long",
        [SCOPE_TOO_DEEP] = "too many links from a seed",
        [SCOPE_TRAP] = "a path that repeats itself or is too deep",
        [SCOPE_REDIRECTS] = "too many redirects in a row",
        [SCOPE_EXCLUDED] = "excluded, or not included",
        [SCOPE_OUTSIDE] = "outside of what the seeds draw",
        [SCOPE_NOT_WANTED] = "not a page",
    };
    return (unsigned)v < SCOPE_VERDICTS_ ? texts[v] : "unknown";
}

/* Opening, changing, closing --------------------------------------------------------------------
 */

static void live_close(struct live *l)
{
    if (!l)
        return;
    regex_list_close(l->include);
    regex_list_close(l->exclude);
    mem_free(l);
}

static enum rc live_open(const struct scope_settings *s, struct live **ret, struct buf *why)
{
    struct live *l = mem_zero(1, sizeof *l);
    if (!l)
        return RC_NOMEM;
    l->depth = s->depth;
    enum rc rc = regex_list_open(&s->include, "include", &l->include, why);
    if (rc == RC_OK)
        rc = regex_list_open(&s->exclude, "exclude", &l->exclude, why);
    if (rc)
        live_close(l);
    else
        *ret = l;
    return rc;
}

static void fill(struct scope *s, const struct scope_settings *from)
{
    s->kind = (enum scope_kind)from->scope;
    s->pages_only = from->pages_only;
    s->embed_hops = from->embed_hops;
    s->redirects = from->redirects;
    s->path_segments = from->path_segments;
    s->url_bytes = from->url_bytes;
}

static enum rc read_rules(struct str text, uint32_t *ret, struct buf *why)
{
    struct str bad;
    enum rc rc = url_rules_parse(text.p ? text : STR("default"), ret, &bad);
    if (rc)
        buf_printf(why, "normalise: \"" STR_FMT "\" is no rule", STR_ARG(bad));
    return rc;
}

uint32_t scope_rules(const struct scope *s)
{
    return s->rules;
}

enum rc scope_open(const struct scope_settings *settings, struct scope **ret, struct buf *why)
{
    struct scope *s = mem_zero(1, sizeof *s);
    struct live *live = NULL;
    if (!s)
        return RC_NOMEM;
    pthread_mutex_init(&s->changing, NULL);
    fill(s, settings);
    s->regex_limits = mem_zero(1, sizeof *s->regex_limits);
    s->seeds = name_set_open(MOST_SEEDS);
    s->names = name_set_open(MOST_SEEDS);
    s->domains = name_set_open(MOST_SEEDS);
    s->cousins = name_set_open(MOST_COUSINS);
    enum rc rc = RC_NOMEM;
    if (s->regex_limits && s->seeds && s->names && s->domains && s->cousins)
        rc = read_rules(settings->normalise, &s->rules, why);
    rc = rc ? rc : live_open(settings, &live, why);
    atomic_store_explicit(&s->live, live, memory_order_release);
    if (rc)
        scope_close(s);
    else
        *ret = s;
    return rc;
}

void scope_close(struct scope *s)
{
    if (!s)
        return;
    struct live *l = atomic_load_explicit(&s->live, memory_order_acquire);
    while (l) {
        struct live *older = l->older;
        live_close(l);
        l = older;
    }
    name_set_close(s->seeds);
    name_set_close(s->names);
    name_set_close(s->domains);
    name_set_close(s->cousins);
    mem_free(s->regex_limits);
    pthread_mutex_destroy(&s->changing);
    mem_free(s);
}

enum rc scope_change(struct scope *s, const struct scope_settings *to, struct buf *why)
{
    struct live *l = NULL;
    enum rc rc = live_open(to, &l, why);
    if (rc)
        return rc;
    pthread_mutex_lock(&s->changing);
    l->older = atomic_load_explicit(&s->live, memory_order_relaxed);
    atomic_store_explicit(&s->live, l, memory_order_release);
    pthread_mutex_unlock(&s->changing);
    return RC_OK;
}

uint64_t scope_regex_limits(const struct scope *s)
{
    return atomic_load_explicit(s->regex_limits, memory_order_relaxed);
}

/* Names -----------------------------------------------------------------------------------------
 */

/* A dot at the end makes no other host. */
static struct str host_of(const struct url *u)
{
    struct str host = url_host(u);
    return host.n > 1 && host.p[host.n - 1] == '.' ? str_first(host, host.n - 1) : host;
}

static struct str seed_name(const struct url *u)
{
    return str_make(u->p, u->fragment_at);
}

static bool has(const struct name_set *set, struct str name)
{
    return name_set_has(set, hash64(name), name);
}

static enum rc add(struct name_set *set, struct str name)
{
    return name_set_add(set, hash64(name), name);
}

/* Byte by byte, so that the hashes of all prefixes of a URL cost one walk over it. */
#define PREFIX_HASH_BEGIN UINT64_C(0xcbf29ce484222325)
static uint64_t prefix_hash_step(uint64_t hash, char byte)
{
    return (hash ^ (unsigned char)byte) * UINT64_C(0x100000001b3);
}

/* Host, port and path: scheme and query are left out. */
static struct str prefix_room(const struct url *u)
{
    return str_make(u->p + u->host_at, (size_t)(u->query_at - u->host_at));
}

static bool has_prefix(const struct scope *s, const struct url *u)
{
    struct str room = prefix_room(u);
    size_t path = (size_t)(u->path_at - u->host_at);
    size_t most = atomic_load_explicit(&s->longest_prefix, memory_order_acquire);
    uint64_t hash = PREFIX_HASH_BEGIN;
    for (size_t i = 0; i < room.n && i < most; i++) {
        hash = prefix_hash_step(hash, room.p[i]);
        if (i >= path && room.p[i] == '/' &&
            name_set_has(s->names, hash64_mix(hash), str_first(room, i + 1)))
            return true;
    }
    return false;
}

static enum rc add_prefix(struct scope *s, const struct url *u)
{
    struct str prefix = prefix_room(u);
    while (prefix.n && prefix.p[prefix.n - 1] != '/')
        prefix.n--;
    uint64_t hash = PREFIX_HASH_BEGIN;
    for (size_t i = 0; i < prefix.n; i++)
        hash = prefix_hash_step(hash, prefix.p[i]);
    pthread_mutex_lock(&s->changing);
    if (prefix.n > atomic_load_explicit(&s->longest_prefix, memory_order_relaxed))
        atomic_store_explicit(&s->longest_prefix, prefix.n, memory_order_release);
    pthread_mutex_unlock(&s->changing);
    return name_set_add(s->names, hash64_mix(hash), prefix);
}

static enum rc add_domain(struct scope *s, struct str host)
{
    struct str domain = url_domain(host);
    return domain.p ? add(s->domains, domain) : add(s->names, host);
}

/* The public suffix list says whether a seed's domain that a host ends in is its own:
 * bucket.s3.amazonaws.com is no host of amazonaws.com. As that takes longer than all the rest, the
 * answer is kept for the first hosts that are in. */
static bool is_cousin(const struct scope *s, struct str host, uint64_t hash)
{
    struct str domain = url_domain(host);
    if (!domain.p || !has(s->domains, domain))
        return false;
    if (name_set_count(s->cousins) < MOST_COUSINS) {
        enum rc rc = name_set_add(s->cousins, hash, host);
        (void)rc; /* without memory it is asked again */
    }
    return true;
}

static bool has_domain(const struct scope *s, struct str host)
{
    uint64_t hash = hash64(host);
    if (name_set_has(s->names, hash, host) || name_set_has(s->cousins, hash, host))
        return true;
    if (host.n > URL_DOMAIN_MAX_BYTES)
        return false;
    for (struct str end = host; end.n; end = str_from(end, str_find(end, '.') + 1))
        if (has(s->domains, end))
            return is_cousin(s, host, hash);
    return false;
}

enum rc scope_add_seed(struct scope *s, const struct url *seed)
{
    if (!url_is_http(seed) || (seed->has_port && port_is_bad(seed->port)))
        return RC_OK;
    enum rc rc = add(s->seeds, seed_name(seed));
    if (rc)
        return rc;
    switch (s->kind) {
    case SCOPE_HOST:
        return add(s->names, host_of(seed));
    case SCOPE_DOMAIN:
        return add_domain(s, host_of(seed));
    case SCOPE_PREFIX:
        return add_prefix(s, seed);
    case SCOPE_PAGE:
    case SCOPE_ANY:
        break;
    }
    return RC_OK;
}

/* Checking --------------------------------------------------------------------------------------
 */

static bool is_drawn(const struct scope *s, const struct url *u)
{
    switch (s->kind) {
    case SCOPE_HOST:
        return has(s->names, host_of(u));
    case SCOPE_DOMAIN:
        return has_domain(s, host_of(u));
    case SCOPE_PREFIX:
        return has_prefix(s, u);
    case SCOPE_PAGE:
        return has(s->seeds, seed_name(u));
    case SCOPE_ANY:
        break;
    }
    return true;
}

static bool is_outside(const struct scope *s, const struct url *u, size_t embeds)
{
    bool is_near = embeds && embeds <= s->embed_hops;
    return !is_near && !is_drawn(s, u);
}

static enum regex_answer ask(const struct scope *s, const struct regex_list *l, struct str url)
{
    enum regex_answer answer = regex_list_ask(l, url);
    if (answer == REGEX_GAVE_UP)
        atomic_fetch_add_explicit(s->regex_limits, 1, memory_order_relaxed);
    return answer;
}

static bool is_excluded(const struct scope *s, const struct live *l, struct str url)
{
    if (!regex_list_is_empty(l->include) && ask(s, l->include, url) != REGEX_SOME)
        return true;
    return !regex_list_is_empty(l->exclude) && ask(s, l->exclude, url) != REGEX_NONE;
}

/* From the cheapest question to the dearest. But a URL that may join the seeds gets SCOPE_OUTSIDE
 * only if nothing else is against it. */
static enum scope_verdict judge(const struct scope *s, const struct url *u, struct str seed_path)
{
    const struct live *live = atomic_load_explicit(&s->live, memory_order_acquire);
    struct seed_path_parts path = seed_path_parts(seed_path);
    if (u->fragment_at > s->url_bytes)
        return SCOPE_TOO_LONG;
    if (path.embeds && s->pages_only)
        return SCOPE_NOT_WANTED;
    if (path.redirects > s->redirects)
        return SCOPE_REDIRECTS;
    if (path.links > live->depth)
        return SCOPE_TOO_DEEP;
    bool outside = is_outside(s, u, path.embeds);
    if (outside && !seed_path_joins_seeds(seed_path))
        return SCOPE_OUTSIDE;
    if (path_is_trap(url_path(u), s->path_segments))
        return SCOPE_TRAP;
    if (is_excluded(s, live, seed_name(u)))
        return SCOPE_EXCLUDED;
    return outside ? SCOPE_OUTSIDE : SCOPE_IN;
}

enum scope_verdict scope_check(const struct scope *s, const struct url *u, struct str seed_path)
{
    if (!url_is_http(u))
        return SCOPE_NOT_HTTP;
    if (u->has_port && port_is_bad(u->port))
        return SCOPE_BAD_PORT;
    enum scope_verdict v = judge(s, u, seed_path);
    return v != SCOPE_IN && has(s->seeds, seed_name(u)) ? SCOPE_IN : v;
}
