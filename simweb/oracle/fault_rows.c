/* SPDX-License-Identifier: Apache-2.0 */
#include "oracle/fault_rows.h"

#include "world/place.h"

#include <stdio.h>

/* One URL of the fault. */
struct spot {
    struct str label, path;
    uint64_t steps; /* from the index page */
    bool https;     /* where its host's URLs are not */
};

struct writer {
    const struct fault_rows *f;
    struct fault_why why;
    struct buf url;
    int stop;
};

struct fault_why fault_why(const struct fault *f)
{
    return (struct fault_why){{'f', f->id[1], f->id[2], 0}};
}

/* What the table says ------------------------------------------------------------------------ */

static bool is_prefix(struct str path)
{
    return str_ends(path, STR("*"));
}

static bool label_fits(const struct fault_rows *f, const char *wanted, struct str label)
{
    if (!wanted || f->host >= 0)
        return true;
    return str_eq(str_c(wanted), STR("*")) ? label.n > 0 : str_eq(str_c(wanted), label);
}

/* As the judge has it: a prefix is not about robots.txt, unless it is about everything. */
static bool path_fits(struct str wanted, struct str path)
{
    struct str robots = STR("/robots.txt");
    if (!is_prefix(wanted) || str_eq(wanted, path))
        return str_eq(wanted, path);
    if (wanted.n > 1 && str_eq(path, robots) && !str_starts(wanted, robots))
        return false;
    return str_starts(path, str_first(wanted, wanted.n - 1));
}

static bool table_has(const struct fault_rows *f, enum expect_kind kind, const struct spot *s)
{
    for (const struct expect *e = f->fault->expects; e && (e->path || e->why); e++)
        if (e->kind == kind && e->path && label_fits(f, e->label, s->label) &&
            path_fits(str_c(e->path), s->path))
            return true;
    return false;
}

static enum oracle_class class_of(const struct fault_rows *f, const struct spot *s)
{
    if (table_has(f, EXPECT_NEVER, s))
        return ORACLE_KNOWN;
    if (table_has(f, EXPECT_FETCHED, s))
        return ORACLE_MUST;
    bool is_index = s->label.n == 0 && str_eq(s->path, STR("/"));
    return is_index ? ORACLE_MUST : ORACLE_MAY;
}

/* All spots, by number: the index, the cases, what only the expectations name, and for each host
 * what its pages link besides, which is left to the crawler.
 * ------------------------------------------ */

static bool is_address(struct str label)
{
    return str_find(label, '.') < label.n; /* F83's 127.0.0.1 is no host of ours */
}

static bool spot_of_case(const struct fault_case *c, struct spot *ret)
{
    *ret = (struct spot){str_c(c->label ? c->label : ""), str_c(c->path), 1, false};
    return true;
}

/* False for an expectation about no URL in particular: all of a host, all hosts, a mount's
 * neighbours. */
static bool spot_of_expect(const struct fault_rows *f, const struct expect *e, struct spot *ret)
{
    struct str path = str_c(e->path), label = str_c(e->label ? e->label : "");
    *ret = (struct spot){label, path, 2, e->https};
    if (!path.n || str_eq(path, STR("*")) || str_eq(path, STR("/*")) || is_address(label))
        return false;
    if (f->host >= 0)
        return label.n == 0;
    return e->label && (!str_eq(label, STR("*")) || fault_host(f->fault, STR("*")));
}

/* The nth host's tell-tales; the site's own name is the first. */
static bool spot_told(const struct fault_rows *f, uint32_t nth, struct spot *ret, bool *ret_none)
{
    *ret = (struct spot){.label = STR(""), .path = STR("/told/*"), .steps = 2};
    if (nth-- == 0)
        return true;
    for (const struct fault_host *h = f->fault->hosts; f->host < 0 && h && h->label; h++)
        if (nth-- == 0) {
            ret->label = str_c(h->label);
            *ret_none = h->is_dead || str_eq(ret->label, STR("*"));
            return true;
        }
    return false;
}

/* Spot number `nth`; false past the end. *ret_none: there is none of that number. */
static bool spot_at(const struct fault_rows *f, uint32_t nth, struct spot *ret, bool *ret_none)
{
    *ret_none = false;
    if (nth-- == 0) {
        *ret = (struct spot){STR(""), STR("/"), 0, false};
        return true;
    }
    for (const struct fault_case *c = f->fault->cases; c && c->path; c++)
        if (nth-- == 0)
            return spot_of_case(c, ret);
    for (const struct expect *e = f->fault->expects; e && (e->path || e->why); e++)
        if (nth-- == 0) {
            *ret_none = !spot_of_expect(f, e, ret);
            return true;
        }
    return spot_told(f, nth, ret, ret_none);
}

static bool came_before(const struct fault_rows *f, uint32_t nth, const struct spot *s)
{
    struct spot other;
    bool none;
    for (uint32_t i = 0; i < nth && spot_at(f, i, &other, &none); i++)
        if (!none && str_eq(other.label, s->label) && str_eq(other.path, s->path) &&
            other.https == s->https)
            return true;
    return false;
}

/* Rows --------------------------------------------------------------------------------------- */

static bool in_scope(const struct fault_rows *f, struct str label)
{
    if (f->host >= 0 || f->wish->scope == ORACLE_ANY)
        return true;
    if (!f->seed_label.p)
        return false;
    return f->wish->scope == ORACLE_DOMAIN || str_eq(label, f->seed_label);
}

static void write_url(struct writer *w, const struct spot *s)
{
    const struct fault_rows *f = w->f;
    buf_clear(&w->url);
    if (f->host < 0) {
        (s->https ? fault_https_url : fault_place_url)(f->world, f->fault, s->label, s->path,
                                                       &w->url);
        return;
    }
    host_origin(f->world, (uint32_t)f->host, false, &w->url);
    buf_printf(&w->url, "/%s", w->why.text);
    buf_add(&w->url, s->path);
}

static void put_row(struct writer *w, const struct spot *s, enum oracle_class class,
                    const char *why, uint64_t depth)
{
    write_url(w, s);
    struct oracle_row row = {class, buf_str(&w->url), class == ORACLE_MUST ? NULL : why, depth};
    if (buf_rc(&w->url) == RC_OK)
        w->stop = w->f->row(w->f->ctx, &row);
}

static void put_spot(struct writer *w, const struct spot *s)
{
    const struct fault_rows *f = w->f;
    uint64_t depth = f->depth + s->steps;
    if (!in_scope(f, s->label))
        put_row(w, s, ORACLE_KNOWN, "scope", depth);
    else if (s->steps == 2 && f->fault->shows && f->wish->no_sitemaps)
        put_row(w, s, ORACLE_KNOWN, "no-sitemaps", depth);
    else if (depth > f->wish->depth)
        put_row(w, s, ORACLE_KNOWN, "depth", depth);
    else
        put_row(w, s, class_of(f, s), w->why.text, depth);
}

/* Whether something of that host is within depth, and whether that must be fetched. */
static bool host_is_met(const struct fault_rows *f, struct str label, bool *ret_must)
{
    struct spot s;
    bool none, met = false;
    *ret_must = false;
    for (uint32_t i = 0; spot_at(f, i, &s, &none); i++) {
        if (none || !str_eq(s.label, label) || f->depth + s.steps > f->wish->depth)
            continue;
        met = true;
        *ret_must |= class_of(f, &s) == ORACLE_MUST;
    }
    return met;
}

/* Once for each host, before its first spot. */
static void put_robots(struct writer *w, uint32_t nth, const struct spot *s)
{
    struct spot other, robots = {s->label, STR("/robots.txt"), 0, s->https};
    bool none, must;
    for (uint32_t i = 0; i < nth && spot_at(w->f, i, &other, &none); i++)
        if (!none && str_eq(other.label, s->label) && other.https == s->https)
            return;
    if (!in_scope(w->f, s->label) || !host_is_met(w->f, s->label, &must))
        return;
    must |= table_has(w->f, EXPECT_FETCHED, &robots);
    put_row(w, &robots, must ? ORACLE_MUST : ORACLE_MAY, w->why.text, 0);
}

enum rc fault_rows(const struct fault_rows *f, int *ret_stop)
{
    enum { URL_MAX_BYTES = 4096 };
    struct writer w = {.f = f, .why = fault_why(f->fault)};
    struct spot s;
    bool none;
    buf_init(&w.url, URL_MAX_BYTES);
    for (uint32_t i = 0; !w.stop && buf_rc(&w.url) == RC_OK && spot_at(f, i, &s, &none); i++) {
        if (none || came_before(f, i, &s))
            continue;
        if (f->host < 0)
            put_robots(&w, i, &s);
        if (!w.stop && !str_eq(s.path, STR("/robots.txt")))
            put_spot(&w, &s);
    }
    enum rc rc = buf_rc(&w.url);
    *ret_stop = w.stop;
    buf_done(&w.url);
    return rc;
}
