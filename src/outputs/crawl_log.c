/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs/crawl_log.h"

#include "base/log.h"
#include "discovery/seed_path.h"
#include "warc/date.h"

#include <stdarg.h>

/* Annotations: those that tools for Heritrix's logs look for, and our own. */
static const struct str marks[MARKS_] = {
    [MARK_TRIES] = STR("tries:"),
    [MARK_NOT_MODIFIED] = STR("warcRevisit:notModified"),
    [MARK_REVISIT] = STR("warcRevisit:digest"),
    [MARK_DUPLICATE] = STR("duplicate:digest"),
    [MARK_CHANGED] = STR("changed"),
    [MARK_UNCHANGED] = STR("unchanged"),
    [MARK_CHANGED_STRUCTURE] = STR("changed:structure"),
    [MARK_CHANGED_TEXT] = STR("changed:text"),
    [MARK_CHANGED_MARKUP] = STR("changed:markup"),
    [MARK_CUT_LENGTH] = STR("lenTrunc"),
    [MARK_CUT_TIME] = STR("timeTrunc"),
    [MARK_CUT_DISCONNECT] = STR("midFetchTrunc"),
    [MARK_UNVERIFIED] = STR("unverified"),
    [MARK_H2] = STR("h2"),
    [MARK_LINKS_CUT] = STR("links:cut"),
    [MARK_OVER_LIMIT] = STR("overLimit:"),
    [MARK_TYPE] = STR("type"),
    [MARK_PEEKED] = STR("peeked"),
    [MARK_NOINDEX] = STR("noindex"),
    [MARK_NOFOLLOW] = STR("nofollow"),
    [MARK_SCORE] = STR("score:"),
};

/* Writing ------------------------------------------------------------------------------------- */

void crawl_log_mark(struct buf *notes, enum crawl_log_mark mark)
{
    if (notes->n)
        buf_byte(notes, ',');
    buf_add(notes, marks[mark]);
}

void crawl_log_mark_value(struct buf *notes, enum crawl_log_mark mark, const char *format, ...)
{
    va_list args;
    crawl_log_mark(notes, mark);
    va_start(args, format);
    buf_vprintf(notes, format, args);
    va_end(args);
}

/* A reason may be another machine's: it stays one field of one line. */
static bool ends_field(char c)
{
    return (unsigned char)c <= ' ' || c == 127;
}

void crawl_log_reason_add(struct buf *notes, const char *sentence)
{
    if (notes->n)
        buf_byte(notes, ',');
    for (const char *c = sentence; *c; c++)
        buf_byte(notes, (char)(ends_field(*c) ? '_' : *c));
}

static void put_field(struct buf *out, struct str text)
{
    buf_byte(out, ' ');
    buf_add(out, text.n ? text : STR("-"));
}

static void put_status(struct buf *out, int status)
{
    if (status >= 0)
        buf_u64_wide(out, (unsigned)status, 5, ' ');
    else
        buf_printf(out, "%5d", status);
}

/* "20240506070808999+124" */
static void put_span(struct buf *out, int64_t begun_ms, uint64_t took_ms)
{
    warc_ts14_print(out, begun_ms);
    buf_u64_wide(out, (uint64_t)(begun_ms % 1000), 3, '0');
    buf_byte(out, '+');
    buf_u64(out, took_ms);
}

static void put_path(struct buf *out, const struct crawl_log_entry *e)
{
    buf_byte(out, ' ');
    buf_add(out, e->path);
    if (e->is_prerequisite)
        buf_byte(out, HOP_PREREQUISITE);
    else if (!e->path.n)
        buf_byte(out, '-');
}

void crawl_log_print(struct buf *out, const struct crawl_log_entry *e)
{
    buf_time_iso(out, e->wall_ms);
    buf_byte(out, ' ');
    put_status(out, e->status);
    buf_byte(out, ' ');
    buf_u64_wide(out, e->bytes, 10, ' ');
    put_field(out, e->url);
    put_path(out, e);
    put_field(out, e->via);
    put_field(out, e->mime);
    buf_add(out, STR(" #"));
    buf_u64_wide(out, e->shard, 3, '0');
    buf_byte(out, ' ');
    if (e->begun_ms)
        put_span(out, e->begun_ms, e->took_ms);
    else
        buf_byte(out, '-');
    buf_add(out, e->sha1 ? STR(" sha1:") : STR(" -"));
    if (e->sha1)
        buf_base32(out, e->sha1->bytes, DIGEST_SHA1_BYTES);
    buf_add(out, STR(" -")); /* the source, which tools may have, we do not */
    put_field(out, e->annotations);
    buf_byte(out, '\n');
}

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
    return seed_path_is_prerequisite(l->path);
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

bool crawl_log_has(const struct crawl_log_line *l, struct str annotation)
{
    return has_annotation(l->annotations, annotation);
}

/* An annotation that is no sentence. */
static bool is_mark(struct str one)
{
    for (unsigned i = 0; i < MARKS_; i++) {
        bool has_value = marks[i].p[marks[i].n - 1] == ':';
        if (has_value ? str_starts(one, marks[i]) : str_eq(one, marks[i]))
            return true;
    }
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
    return has_annotation(l->annotations, marks[MARK_DUPLICATE]) ||
           has_annotation(l->annotations, marks[MARK_REVISIT]);
}

bool crawl_log_is_not_modified(const struct crawl_log_line *l)
{
    return l->status == 304 || has_annotation(l->annotations, marks[MARK_NOT_MODIFIED]);
}
