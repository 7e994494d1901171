/* SPDX-License-Identifier: Apache-2.0 */
/* Breadth first, level by level. What costs no step (a redirect's target, what a page needs) joins
 * the level at hand, the rest waits for the next. A place that is met again on a shorter way while
 * it waits is moved up, so every place has its turn at its least depth. Places met only on pages
 * too deep, or by links that say nofollow, are said at the end, unless another link leads there. */
#include "oracle/oracle.h"

#include "base/mem.h"
#include "oracle/fault_rows.h"
#include "oracle/seen.h"
#include "world/links.h"

struct walk {
    const struct world *w;
    const struct oracle_wish *wish;
    int (*row)(void *ctx, const struct oracle_row *row);
    void *ctx;
    int stop; /* what `row` ended it with */
    enum rc rc;
    uint32_t host; /* of the seed */
    uint64_t depth;
    struct seen seen;
    struct keys now, next;
    struct keys doubts; /* first met as SEEN_NOFOLLOW or SEEN_DEEP */
    struct links *links;
    struct buf url;
};

static bool is_over(const struct walk *o)
{
    return o->rc || o->stop;
}

static void put_row(struct walk *o, struct place p, enum oracle_class class, const char *why,
                    uint64_t depth)
{
    if (is_over(o))
        return;
    buf_clear(&o->url);
    place_url(o->w, p, &o->url);
    o->rc = buf_rc(&o->url);
    struct oracle_row row = {class, buf_str(&o->url), why, depth};
    if (!o->rc)
        o->stop = o->row(o->ctx, &row);
}

/* Raises what is known and says whether it was less before. */
static bool rises(struct walk *o, struct place p, enum seen_state state,
                  enum seen_state *ret_before)
{
    enum seen_state before = SEEN_NOT;
    if (!is_over(o))
        o->rc = seen_raise(&o->seen, place_key(p), state, &before);
    if (ret_before)
        *ret_before = before;
    return !o->rc && before < state;
}

static void list(struct walk *o, struct keys *keys, struct place p)
{
    if (!o->rc)
        o->rc = keys_add(keys, place_key(p));
}

static void put_refused(struct walk *o, struct place p, const char *why)
{
    if (rises(o, p, SEEN_TOLD, NULL))
        put_row(o, p, ORACLE_KNOWN, why, o->depth);
}

static void put_doubt(struct walk *o, struct place p, enum seen_state state)
{
    enum seen_state before;
    if (rises(o, p, state, &before) && before == SEEN_NOT)
        list(o, &o->doubts, p);
}

/* Its turn comes in this level, or in the next. */
static void put_turn(struct walk *o, struct place p, uint64_t steps)
{
    if (o->depth + steps > o->wish->depth)
        put_doubt(o, p, SEEN_DEEP);
    else if (steps == 0 && rises(o, p, SEEN_NOW, NULL))
        list(o, &o->now, p);
    else if (steps > 0 && rises(o, p, SEEN_NEXT, NULL))
        list(o, &o->next, p);
}

/* Links -------------------------------------------------------------------------------------- */

static bool in_scope(const struct walk *o, uint32_t host)
{
    if (o->wish->scope == ORACLE_ANY)
        return true;
    if (o->wish->scope == ORACLE_DOMAIN)
        return host_domain(o->w, host) == host_domain(o->w, o->host);
    return host == o->host;
}

static bool is_needed(enum link_kind kind)
{
    return kind == LINK_IMAGE || kind == LINK_STYLE || kind == LINK_SCRIPT || kind == LINK_ICON ||
           kind == LINK_CSS_URL;
}

static uint64_t steps_of(struct place from, enum link_kind kind)
{
    bool is_near = is_needed(kind) || kind == LINK_LOCATION || kind == LINK_FEED ||
                   from.kind == PLACE_SITEMAP_INDEX;
    return is_near ? 0 : 1;
}

/* `closed`: the page says nofollow for all its links. What it needs is fetched all the same. */
static void meet(struct walk *o, struct place from, const struct link *l, bool closed)
{
    bool needed = is_needed(l->kind);
    bool nofollow = l->kind == LINK_A_NOFOLLOW && !o->wish->follow_nofollow;
    if (!in_scope(o, l->to.host))
        put_refused(o, l->to, "scope");
    else if (needed && o->wish->pages_only)
        put_refused(o, l->to, "pages-only");
    else if (l->kind == LINK_FEED && o->wish->no_sitemaps)
        put_refused(o, l->to, "no-sitemaps");
    else if (nofollow || (closed && !needed))
        put_doubt(o, l->to, SEEN_NOFOLLOW);
    else
        put_turn(o, l->to, steps_of(from, l->kind));
}

/* A home page, and its copies, link to the path fault that is sprinkled over the host. */
static void meet_mount(struct walk *o, struct place p, const struct page *page)
{
    const struct fault_host *row;
    bool copy = page->role == PAGE_DUPLICATE || page->role == PAGE_NEAR_DUPLICATE;
    if (p.page != 0 && !(copy && page->same_as == 0))
        return;
    const struct fault *f = fault_sprinkled(o->w, p.host, &row);
    if (f && f->is_path)
        put_turn(o, (struct place){p.host, (enum place_kind)PLACE_MOUNT, 0, 0}, 1);
}

static void meet_all(struct walk *o, struct place p)
{
    struct page page = {0};
    if (p.kind == PLACE_PAGE)
        page = page_of(o->w, p.host, p.page);
    bool closed = page.role == PAGE_NOFOLLOW && !o->wish->follow_nofollow;
    links_of(o->w, p, o->links);
    for (uint32_t i = 0; i < o->links->count && !is_over(o); i++)
        meet(o, p, &o->links->list[i], closed);
    if (p.kind == PLACE_PAGE)
        meet_mount(o, p, &page);
}

/* Turns -------------------------------------------------------------------------------------- */

/* The first turn of a host: its robots.txt, and the sitemap that it names. */
static void visit_host(struct walk *o, uint32_t host, const char *dead_by)
{
    struct place robots = {host, PLACE_ROBOTS, 0, 0}, index = {host, PLACE_SITEMAP_INDEX, 0, 0};
    if (!rises(o, robots, SEEN_TOLD, NULL))
        return;
    put_row(o, robots, dead_by ? ORACLE_MAY : ORACLE_MUST, dead_by, 0);
    if (dead_by || !host_robots(o->w, host).names_sitemap)
        return;
    if (o->wish->no_sitemaps)
        put_refused(o, index, "no-sitemaps");
    else
        put_turn(o, index, 0);
}

static void visit_mount(struct walk *o, uint32_t host, uint64_t depth)
{
    const struct fault_host *row;
    struct fault_rows f = {
        .world = o->w,
        .wish = o->wish,
        .fault = fault_sprinkled(o->w, host, &row),
        .host = host,
        .depth = depth,
        .row = o->row,
        .ctx = o->ctx,
    };
    o->rc = fault_rows(&f, &o->stop);
}

static bool is_forbidden(const struct walk *o, struct place p)
{
    return p.kind == PLACE_PAGE && !o->wish->ignore_robots &&
           page_of(o->w, p.host, p.page).role == PAGE_FORBIDDEN;
}

static void visit(struct walk *o, struct place p)
{
    const struct fault_host *row;
    const struct fault *f = fault_sprinkled(o->w, p.host, &row);
    bool dead = f && row && row->is_dead;
    struct fault_why why = f ? fault_why(f) : (struct fault_why){""};
    visit_host(o, p.host, dead ? why.text : NULL);
    if ((int)p.kind == PLACE_MOUNT) {
        visit_mount(o, p.host, o->depth);
    } else if (p.kind == PLACE_ROBOTS) {
        return; /* said with its host */
    } else if (dead) {
        put_row(o, p, ORACLE_KNOWN, why.text, o->depth);
    } else if (is_forbidden(o, p)) {
        put_row(o, p, ORACLE_KNOWN, "robots", o->depth);
    } else {
        put_row(o, p, ORACLE_MUST, NULL, o->depth);
        meet_all(o, p);
    }
}

/* Those that were moved up while they waited have had their turn. */
static void begin_level(struct walk *o)
{
    o->now.count = 0;
    for (uint64_t i = 0; i < o->next.count && !is_over(o); i++) {
        struct place p = key_place(o->next.list[i]);
        if (rises(o, p, SEEN_NOW, NULL))
            list(o, &o->now, p);
    }
    o->next.count = 0;
    o->depth++;
}

static void end_doubts(struct walk *o)
{
    uint64_t too_deep = o->wish->depth + 1;
    for (uint64_t i = 0; i < o->doubts.count && !is_over(o); i++) {
        struct place p = key_place(o->doubts.list[i]);
        enum seen_state state = seen_get(&o->seen, o->doubts.list[i]);
        if ((int)p.kind == PLACE_MOUNT && state == SEEN_DEEP)
            visit_mount(o, p.host, too_deep);
        else if (state == SEEN_DEEP)
            put_row(o, p, ORACLE_KNOWN, "depth", too_deep);
        else if (state == SEEN_NOFOLLOW)
            put_row(o, p, ORACLE_KNOWN, "nofollow", UINT64_MAX);
    }
}

static void walk_levels(struct walk *o, struct place seed)
{
    put_turn(o, seed, 0);
    while (o->now.count > 0 && !is_over(o)) {
        for (uint64_t i = 0; i < o->now.count && !is_over(o); i++)
            visit(o, key_place(o->now.list[i]));
        begin_level(o);
    }
    end_doubts(o);
}

static enum rc walk_places(struct walk *o, struct place seed)
{
    enum { URL_MAX_BYTES = 2048 };
    o->host = seed.host;
    seen_init(&o->seen);
    buf_init(&o->url, URL_MAX_BYTES);
    o->links = mem_alloc(sizeof *o->links);
    if (!o->links)
        o->rc = RC_NOMEM;
    walk_levels(o, seed);
    mem_free(o->links);
    buf_done(&o->url);
    seen_done(&o->seen);
    keys_done(&o->now);
    keys_done(&o->next);
    keys_done(&o->doubts);
    return o->rc;
}

/* Faults' own hosts --------------------------------------------------------------------------- */

static void walk_fault(struct walk *o, const struct fault *f, struct str seed_label)
{
    struct fault_rows rows = {
        .world = o->w,
        .wish = o->wish,
        .fault = f,
        .host = -1,
        .seed_label = seed_label,
        .depth = o->depth,
        .row = o->row,
        .ctx = o->ctx,
    };
    if (!is_over(o))
        o->rc = fault_rows(&rows, &o->stop);
}

/* The zoo links to the index of every enabled fault; a scope narrower than "any" ends at it. */
static void walk_zoo(struct walk *o, struct str url)
{
    uint32_t count;
    const struct fault *const *all = faults_all(&count);
    char room[300];
    struct buf robots = buf_on(room, sizeof room);
    buf_add(&robots, url);
    buf_add(&robots, STR("robots.txt"));
    struct oracle_row rows[] = {{ORACLE_MUST, buf_str(&robots), NULL, 0},
                                {ORACLE_MUST, url, NULL, 0}};
    o->rc = buf_rc(&robots);
    for (int i = 0; i < 2 && !is_over(o); i++)
        o->stop = o->row(o->ctx, &rows[i]);
    o->depth = 1;
    for (uint32_t i = 0; i < count; i++)
        if (fault_enabled(o->w, all[i]))
            walk_fault(o, all[i], STR_NONE);
}

/* The seed ------------------------------------------------------------------------------------ */

struct seed {
    struct str host; /* lower case, without port, in `room` */
    struct str path; /* with query; "/" if the URL has none */
    char room[256];
};

static bool seed_read(struct str url, struct seed *ret)
{
    struct str rest = url;
    if (!str_starts_nocase(rest, STR("http://")) && !str_starts_nocase(rest, STR("https://")))
        return false;
    rest = str_from(rest, str_find(rest, '/') + 2);
    size_t end = 0;
    while (end < rest.n && rest.p[end] != '/' && rest.p[end] != '?' && rest.p[end] != '#')
        end++;
    struct str host = str_first(rest, end);
    host = str_first(host, str_find(host, ':'));
    if (host.n == 0 || host.n > sizeof ret->room)
        return false;
    for (size_t i = 0; i < host.n; i++)
        ret->room[i] = ascii_lower(host.p[i]);
    ret->host = str_make(ret->room, host.n);
    ret->path = str_from(rest, end);
    ret->path = str_first(ret->path, str_find(ret->path, '#'));
    if (ret->path.n == 0)
        ret->path = STR("/");
    return true;
}

/* Whether the URL is the one that the web itself would write, apart from a missing path and a
 * fragment; the same host by another scheme or port is another site. */
static enum rc seed_check(const struct oracle_wish *wish, const struct buf *right, struct buf *why)
{
    struct str given = str_first(wish->seed_url, str_find(wish->seed_url, '#'));
    struct str url = buf_str(right);
    if (buf_rc(right) != RC_OK)
        return buf_rc(right);
    if (str_eq_nocase(given, url))
        return RC_OK;
    if (str_ends(url, STR("/")) && str_eq_nocase(given, str_first(url, url.n - 1)))
        return RC_OK;
    buf_printf(why, "nothing is at that seed; did you mean " STR_FMT "?", STR_ARG(url));
    return RC_INVALID;
}

static enum rc no_place(const struct oracle_wish *wish, struct buf *why)
{
    buf_printf(why, "no page of this web has the URL \"" STR_FMT "\"",
               STR_ARG(str_first(wish->seed_url, 200)));
    return RC_INVALID;
}

static bool is_mount(const struct walk *o, uint32_t host, struct str path)
{
    const struct fault_host *row;
    const struct fault *f = fault_sprinkled(o->w, host, &row);
    char mount[] = {'/', 'f', 0, 0, '/'};
    if (!f || !f->is_path)
        return false;
    mount[2] = f->id[1];
    mount[3] = f->id[2];
    return str_eq(path, str_make(mount, sizeof mount));
}

static enum rc walk_from_place(struct walk *o, uint32_t host, struct str path, struct buf *why)
{
    char room[2048];
    struct buf url = buf_on(room, sizeof room);
    struct place p = place_of(o->w, host, path);
    if (p.kind == PLACE_NONE && is_mount(o, host, path))
        p = (struct place){host, (enum place_kind)PLACE_MOUNT, 0, 0};
    if (p.kind == PLACE_NONE)
        return no_place(o->wish, why);
    host_origin(o->w, host, false, &url);
    buf_add(&url, path);
    enum rc rc = seed_check(o->wish, &url, why);
    return rc ? rc : walk_places(o, p);
}

/* A crawl of a fault begins at its index page, or at that of the zoo. */
static enum rc walk_from_fault(struct walk *o, const struct fault *f, struct str label,
                               struct str path, struct buf *why)
{
    char room[512];
    struct buf url = buf_on(room, sizeof room);
    if (label.n || !str_eq(path, STR("/")))
        return no_place(o->wish, why);
    fault_place_url(o->w, f, label, path, &url);
    enum rc rc = seed_check(o->wish, &url, why);
    if (rc == RC_OK)
        walk_fault(o, f, label);
    return rc ? rc : o->rc;
}

static enum rc walk_from_zoo(struct walk *o, struct str path, struct buf *why)
{
    const struct world_settings *s = world_settings(o->w);
    char room[300];
    struct buf url = buf_on(room, sizeof room);
    if (!str_eq(path, STR("/")))
        return no_place(o->wish, why);
    buf_printf(&url, "http://zoo." STR_FMT, STR_ARG(s->suffix));
    if (s->http_port != 80)
        buf_printf(&url, ":%u", (unsigned)s->http_port);
    buf_byte(&url, '/');
    enum rc rc = seed_check(o->wish, &url, why);
    if (rc == RC_OK)
        walk_zoo(o, buf_str(&url));
    return rc ? rc : o->rc;
}

enum rc oracle_walk(const struct world *w, const struct oracle_wish *wish,
                    int (*row)(void *ctx, const struct oracle_row *row), void *ctx, struct buf *why)
{
    struct walk o = {.w = w, .wish = wish, .row = row, .ctx = ctx};
    struct seed seed;
    struct str label;
    if (!seed_read(wish->seed_url, &seed))
        return no_place(wish, why);
    const struct fault *f = fault_of_host(w, seed.host, &label);
    int64_t host = host_of(w, seed.host);
    enum rc rc;
    if (f)
        rc = walk_from_fault(&o, f, label, seed.path, why);
    else if (is_zoo(w, seed.host))
        rc = walk_from_zoo(&o, seed.path, why);
    else if (host >= 0)
        rc = walk_from_place(&o, (uint32_t)host, seed.path, why);
    else
        rc = no_place(wish, why);
    if (rc == RC_LIMIT)
        buf_printf(why, "more than %u million URLs; a narrower scope or a depth would do",
                   (unsigned)(SEEN_MAX / 1000000));
    return rc;
}
