/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/wire/subjects.h"

#include "cluster/wire/names.h"

/* The parts between the dots: a literal word, or one of these. */
#define CRAWL "$c"
#define TO "$t"
#define FROM "$f"
#define INC "$i"
enum { MOST_TOKENS = 7 };

static const char *const forms[SUBJECT_KINDS][MOST_TOKENS + 1] = {
    [SUBJECT_HEARTBEAT] = {"orb", CRAWL, "hb", FROM},
    [SUBJECT_ROSTER] = {"orb", CRAWL, "roster", FROM},
    [SUBJECT_IN] = {"orb", CRAWL, "j", TO, INC, "in", FROM},
    [SUBJECT_OUT] = {"orb", CRAWL, "j", TO, INC, "out"},
    [SUBJECT_CONTROL] = {"orb", CRAWL, "control", FROM},
    [SUBJECT_SCOPE] = {"orb", CRAWL, "scope", FROM},
    [SUBJECT_ASK] = {"orb", CRAWL, "ask", TO, FROM},
    [SUBJECT_BUNDLE] = {"orb", CRAWL, "bundle", TO, FROM},
};

bool subject_crawl_ok(struct str crawl)
{
    return cluster_name_ok(crawl) && str_find(crawl, '_') == crawl.n;
}

bool subject_agent_ok(struct str agent)
{
    return cluster_name_ok(agent) && !str_eq(agent, STR("ROSTER")) &&
           !str_eq(agent, STR("CONTROL"));
}

static bool is_token(const char *token, const char *which)
{
    return strcmp(token, which) == 0;
}

static struct str *name_at(struct subject *s, const char *token)
{
    return is_token(token, CRAWL)  ? &s->crawl
           : is_token(token, TO)   ? &s->to
           : is_token(token, FROM) ? &s->from
                                   : NULL;
}

static bool name_ok(const char *token, struct str name)
{
    return is_token(token, CRAWL) ? subject_crawl_ok(name) : subject_agent_ok(name);
}

/* Writing ------------------------------------------------------------------------------------- */

static void refuse(struct buf *out)
{
    if (!out->rc)
        out->rc = RC_INVALID;
}

static void put_name(struct buf *out, const char *token, struct str name)
{
    if (!name.p)
        buf_byte(out, '*');
    else if (name_ok(token, name))
        buf_add(out, name);
    else
        refuse(out);
}

static void put_inc(struct buf *out, uint64_t inc)
{
    if (inc)
        buf_u64(out, inc);
    else
        buf_byte(out, '*');
}

void subject_write(const struct subject *s, struct buf *out)
{
    struct subject copy = *s;
    const char *const *form = forms[s->kind];
    for (unsigned i = 0; form[i]; i++) {
        const struct str *name = name_at(&copy, form[i]);
        if (i)
            buf_byte(out, '.');
        if (name)
            put_name(out, form[i], *name);
        else if (is_token(form[i], INC))
            put_inc(out, s->inc);
        else
            buf_add(out, str_c(form[i]));
    }
}

void subject_stream(const struct subject *s, struct buf *out)
{
    bool is_log =
        s->kind == SUBJECT_ROSTER || s->kind == SUBJECT_CONTROL || s->kind == SUBJECT_SCOPE;
    bool is_box = s->kind == SUBJECT_IN || s->kind == SUBJECT_OUT;
    if (!subject_crawl_ok(s->crawl) || (!is_log && !(is_box && subject_agent_ok(s->to)))) {
        refuse(out);
        return;
    }
    buf_add(out, STR("ORB_"));
    buf_add(out, s->crawl);
    buf_byte(out, '_');
    buf_add(out, is_box ? s->to : s->kind == SUBJECT_ROSTER ? STR("ROSTER") : STR("CONTROL"));
}

void subject_incarnation(struct str crawl, struct str agent, uint64_t inc, struct buf *out)
{
    if (!subject_crawl_ok(crawl) || !subject_agent_ok(agent) || !inc) {
        refuse(out);
        return;
    }
    buf_add(out, STR("orb."));
    buf_add(out, crawl);
    buf_add(out, STR(".j."));
    buf_add(out, agent);
    buf_byte(out, '.');
    buf_u64(out, inc);
    buf_add(out, STR(".>"));
}

/* Reading ------------------------------------------------------------------------------------- */

/* Accepts only what put_inc writes: no leading zero. */
static bool read_inc(struct str token, uint64_t *ret)
{
    return token.n && token.p[0] != '0' && str_to_u64(token, ret) == RC_OK;
}

static bool read_as(const char *const *form, struct str rest, struct subject *s)
{
    for (unsigned i = 0; form[i]; i++) {
        if (!rest.p)
            return false;
        struct str token = str_take_until(&rest, '.'), *name = name_at(s, form[i]);
        if (name)
            *name = token;
        if (name                     ? !name_ok(form[i], token)
            : is_token(form[i], INC) ? !read_inc(token, &s->inc)
                                     : !str_eq(token, str_c(form[i])))
            return false;
    }
    return !rest.p;
}

enum rc subject_read(struct str text, struct subject *ret)
{
    for (unsigned kind = 0; kind < SUBJECT_KINDS; kind++) {
        struct subject s = {.kind = (enum subject_kind)kind};
        if (text.n && read_as(forms[kind], text, &s)) {
            *ret = s;
            return RC_OK;
        }
    }
    return RC_INVALID;
}
