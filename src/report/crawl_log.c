/* SPDX-License-Identifier: Apache-2.0 */
#include "report/crawl_log.h"

/* Parsing ------------------------------------------------------------------------------------- */

static struct str take_field(struct str *line)
{
    while (line->n && line->p[0] == ' ')
        *line = str_from(*line, 1);
    size_t n = str_find(*line, ' ');
    struct str field = str_first(*line, n);
    *line = str_from(*line, n);
    return field;
}

static struct str or_none(struct str field)
{
    return str_eq(field, STR("-")) ? STR_NONE : field;
}

static bool read_status(struct str s, int32_t *ret)
{
    uint64_t v;
    bool is_negative = s.n && s.p[0] == '-';
    if (str_to_u64(str_from(s, is_negative), &v) != RC_OK || v > 99999)
        return false;
    *ret = is_negative ? -(int32_t)v : (int32_t)v;
    return true;
}

static bool read_bytes(struct str s, uint64_t *ret)
{
    *ret = 0;
    return str_eq(s, STR("-")) || str_to_u64(s, ret) == RC_OK;
}

enum { TIME, STATUS, BYTES, URL, FIRST_TEXT, TEXTS = 7, FIELDS = FIRST_TEXT + TEXTS };

enum rc crawl_log_parse(struct str line, struct crawl_log_line *ret)
{
    struct str f[FIELDS];
    struct crawl_log_line l = {0};
    for (size_t i = 0; i < FIELDS; i++)
        f[i] = take_field(&line);
    l.annotations = or_none(str_trim(line));
    l.time = or_none(f[TIME]);
    l.url = f[URL];
    struct str *texts[TEXTS] = {&l.path,    &l.via,    &l.mime,  &l.shard,
                                &l.started, &l.digest, &l.source};
    for (size_t i = 0; i < TEXTS; i++)
        *texts[i] = or_none(f[FIRST_TEXT + i]);
    if (!f[FIELDS - 1].n || !str_trim(line).n || str_eq(l.url, STR("-")))
        return RC_INVALID;
    if (!read_status(f[STATUS], &l.status) || !read_bytes(f[BYTES], &l.bytes))
        return RC_INVALID;
    *ret = l;
    return RC_OK;
}

/* What it says -------------------------------------------------------------------------------- */

struct str crawl_log_host(struct str url)
{
    size_t at = str_find_str(url, STR("://"));
    if (at == url.n)
        return STR_NONE;
    struct str rest = str_from(url, at + 3);
    size_t n = 0;
    while (n < rest.n && rest.p[n] != '/' && rest.p[n] != '?' && rest.p[n] != '#')
        n++;
    rest = str_first(rest, n);
    size_t user = str_find(rest, '@');
    if (user < rest.n)
        rest = str_from(rest, user + 1);
    bool is_six = rest.n && rest.p[0] == '[';
    size_t end = is_six ? str_find(rest, ']') + 1 : str_find(rest, ':');
    rest = str_first(rest, end);
    return rest.n ? rest : STR_NONE;
}

bool crawl_log_is_prerequisite(const struct crawl_log_line *l)
{
    return l->path.n && l->path.p[l->path.n - 1] == 'P';
}

bool crawl_log_is_robots(const struct crawl_log_line *l)
{
    struct str rest = str_from(l->url, str_find_str(l->url, STR("://")) + 3);
    rest = str_from(rest, str_find(rest, '/'));
    return crawl_log_is_prerequisite(l) && str_eq(rest, STR("/robots.txt"));
}

static bool has_annotation(struct str list, struct str name)
{
    while (list.p) {
        struct str one = str_take_until(&list, ',');
        if (str_eq(one, name))
            return true;
    }
    return false;
}

/* The words that tools for Heritrix's logs look for. */
bool crawl_log_has(const struct crawl_log_line *l, struct str annotation)
{
    return has_annotation(l->annotations, annotation);
}

/* An annotation that is no sentence (components/settle_lines.c). */
static bool is_mark(struct str one)
{
    static const struct str whole[] = {STR("unchanged"),     STR("changed"),    STR("lenTrunc"),
                                       STR("timeTrunc"),     STR("unverified"), STR("h2"),
                                       STR("midFetchTrunc"), STR("type"),       STR("noindex"),
                                       STR("nofollow")};
    static const struct str starts[] = {STR("tries:"),     STR("warcRevisit:"), STR("changed:"),
                                        STR("duplicate:"), STR("links:"),       STR("score:")};
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (str_eq(one, whole[i]))
            return true;
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (str_starts(one, starts[i]))
            return true;
    return false;
}

/* The reason stands last, and may have commas in it. */
struct str crawl_log_reason(const struct crawl_log_line *l)
{
    struct str rest = l->annotations;
    while (rest.n) {
        struct str from = rest;
        if (!is_mark(str_take_until(&rest, ',')))
            return from;
    }
    return STR_NONE;
}

bool crawl_log_is_duplicate(const struct crawl_log_line *l)
{
    return has_annotation(l->annotations, STR("duplicate:digest")) ||
           has_annotation(l->annotations, STR("warcRevisit:digest"));
}

bool crawl_log_is_not_modified(const struct crawl_log_line *l)
{
    return l->status == 304 || has_annotation(l->annotations, STR("warcRevisit:notModified"));
}
