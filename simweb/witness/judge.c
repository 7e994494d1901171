/* SPDX-License-Identifier: Apache-2.0 */
/* Sights are sorted by site with an array of their numbers; a scene is a run of it. */
#include "witness/judge.h"

#include "witness/scene.h"

#include "base/mem.h"

struct case_file {
    const struct fault *fault;
    const struct sight *sights;
};

const char *verdict_name(enum verdict v)
{
    switch (v) {
    case VERDICT_GOOD:
        return "good";
    case VERDICT_BAD:
        return "bad";
    case VERDICT_UNSEEN:
        break;
    }
    return "unseen";
}

/* "nx.f46.test" and "f46.test" are the fault's own, "www.heron7.test" is not. A host that is its
 * own label ("127.0.0.1", F83) is none of ours: a link of the fault's led there. */
static bool is_own_host(const struct fault *f, const struct sight *s)
{
    if (s->label.n && str_eq(s->label, s->host))
        return true;
    struct str rest = s->host;
    if (s->label.n && str_starts(rest, s->label) && rest.n > s->label.n &&
        rest.p[s->label.n] == '.')
        rest = str_from(rest, s->label.n + 1);
    struct str id = str_c(f->id);
    return rest.n > id.n && rest.p[id.n] == '.' && str_eq_nocase(str_first(rest, id.n), id);
}

/* Absent for the fault's own hosts, which come first. */
static struct str site_of(const struct case_file *c, uint32_t i)
{
    return is_own_host(c->fault, &c->sights[i]) ? STR_NONE : c->sights[i].host;
}

typedef int order_of(const struct case_file *c, uint32_t a, uint32_t b);

static int by_start(uint32_t a, uint32_t b)
{
    return a < b ? -1 : a > b;
}

static int by_site(const struct case_file *c, uint32_t a, uint32_t b)
{
    int order = str_cmp(site_of(c, a), site_of(c, b));
    return order ? order : by_start(a, b);
}

static int by_connection(const struct case_file *c, uint32_t a, uint32_t b)
{
    uint64_t x = c->sights[a].connection;
    uint64_t y = c->sights[b].connection;
    return x < y ? -1 : x > y ? 1 : by_start(a, b);
}

static void sift(uint32_t *list, uint32_t root, uint32_t count, order_of *order,
                 const struct case_file *c)
{
    for (;;) {
        uint32_t child = 2 * root + 1;
        if (child >= count)
            return;
        if (child + 1 < count && order(c, list[child], list[child + 1]) < 0)
            child++;
        if (order(c, list[root], list[child]) >= 0)
            return;
        uint32_t swap = list[root];
        list[root] = list[child];
        list[child] = swap;
        root = child;
    }
}

/* A heap sort: no memory, no bad case. Most lists are in order already. */
static void sort(uint32_t *list, uint32_t count, order_of *order, const struct case_file *c)
{
    uint32_t sorted = 1;
    while (sorted < count && order(c, list[sorted - 1], list[sorted]) < 0)
        sorted++;
    if (sorted >= count)
        return;
    for (uint32_t i = count / 2; i-- > 0;)
        sift(list, i, count, order, c);
    for (uint32_t left = count; --left > 0;) {
        uint32_t swap = list[0];
        list[0] = list[left];
        list[left] = swap;
        sift(list, 0, left, order, c);
    }
}

struct findings {
    struct buf *why;
    uint32_t count;
    bool saw_index;
};

/* "nx.f46", or "www.heron7.test/f46" where it is sprinkled by path. */
static void site_print(const struct scene *s, const struct expect *e, struct buf *out)
{
    if (s->host.p)
        buf_add(out, s->host);
    if (s->host.p && !s->fault->is_path)
        return;
    if (s->host.p)
        buf_byte(out, '/');
    else if (e->label && *e->label)
        buf_printf(out, "%s.", e->label);
    for (const char *c = s->fault->id; *c; c++)
        buf_byte(out, ascii_lower(*c));
}

/* "nx.f46/page: never asked for (the link was lost)" */
static void finding_add(struct findings *found, const struct scene *s, const struct expect *e,
                        const struct buf *seen)
{
    if (++found->count > JUDGE_MAX_LINES)
        return;
    site_print(s, e, found->why);
    buf_printf(found->why, "%s: " STR_FMT, e->path ? e->path : "", STR_ARG(buf_str(seen)));
    if (e->why)
        buf_printf(found->why, " (%s)", e->why);
    buf_byte(found->why, '\n');
}

static bool scene_has_index(const struct scene *s)
{
    struct str shows = str_c(s->fault->shows ? s->fault->shows : "/");
    for (uint32_t i = 0; i < s->count; i++) {
        const struct sight *sight = &s->sights[s->order[i]];
        bool is_site = s->host.p || !sight->label.n;
        if (is_site && str_eq(sight->path, shows))
            return true;
    }
    return false;
}

static void scene_judge(struct scene *s, struct findings *found)
{
    char room[512];
    s->index_was_fetched = scene_has_index(s);
    if (s->index_was_fetched || (s->host.p && !s->fault->is_path))
        found->saw_index = true;
    for (const struct expect *e = s->fault->expects; e && (e->path || e->why); e++) {
        struct buf seen = buf_on(room, sizeof room);
        if (!scene_meets(s, e, &seen))
            finding_add(found, s, e, &seen);
    }
}

/* The run of sights of one site that begins at `from`. */
static uint32_t site_end(const struct case_file *c, const uint32_t *order, uint32_t count,
                         uint32_t from)
{
    uint32_t to = from + 1;
    while (to < count && str_eq(site_of(c, order[from]), site_of(c, order[to])))
        to++;
    return to;
}

static void sites_judge(const struct case_file *c, struct scene s, uint32_t *order, uint32_t count,
                        struct findings *found)
{
    uint32_t *connections = order + count;
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    sort(order, count, by_site, c);
    for (uint32_t from = 0, to; from < count; from = to) {
        to = site_end(c, order, count, from);
        memcpy(connections, order + from, (to - from) * sizeof *order);
        sort(connections, to - from, by_connection, c);
        s.host = site_of(c, order[from]);
        s.order = order + from;
        s.count = to - from;
        s.by_connection = connections;
        s.scratch = connections + count;
        scene_judge(&s, found);
    }
}

enum verdict judge_fault(const struct fault *f, const struct fault_knobs *knobs,
                         const struct sight *sights, uint32_t count, uint64_t now_us,
                         struct buf *why)
{
    uint32_t *room = mem_alloc(3 * (size_t)count * sizeof *room);
    if (!room) {
        buf_add(why, STR("no memory to judge it\n"));
        return VERDICT_UNSEEN;
    }
    struct case_file c = {f, sights};
    struct scene s = {.fault = f, .knobs = knobs, .sights = sights, .now_us = now_us};
    struct findings found = {.why = why};
    sites_judge(&c, s, room, count, &found);
    mem_free(room);
    if (found.count > JUDGE_MAX_LINES)
        buf_printf(why, "and %u more\n", (unsigned)(found.count - JUDGE_MAX_LINES));
    if (found.count)
        return VERDICT_BAD;
    if (found.saw_index)
        return VERDICT_GOOD;
    buf_add(why, !count     ? STR("never asked for\n")
                 : f->shows ? STR("none of its sitemaps was fetched\n")
                            : STR("its index page was never fetched\n"));
    return VERDICT_UNSEEN;
}
