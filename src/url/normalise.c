/* SPDX-License-Identifier: Apache-2.0 */
/* normalise: each rule walks its part once, reading ahead of where it writes, so nothing is
 * quadratic and nothing needs memory. The order matters: percent-encoding first, so that names are
 * compared as they are meant; what shortens a path before what looks at its end. */
#include "url/normalise.h"

#include "base/hash.h"
#include "url/host.h"
#include "url/machine.h"
#include "url/marks.h"
#include "url/sort.h"

const struct url_rule_row url_rules[] = {
    {"scheme-case", 0, "scheme in lower case"},
    {"host-case", 0, "host in lower case, international names as xn--"},
    {"host-address", 0, "0x7f.1 and the like written as 127.0.0.1, IPv6 in its short form"},
    {"default-port", 0, ":80 of http and :443 of https removed"},
    {"dot-segments", 0, ". and .. in the path resolved"},
    {"backslashes", 0, "\\ in the path written as /"},
    {"percent-encoding", 0, "spaces and everything outside ASCII percent-encoded"},
    {"fragment", URL_RULE_FRAGMENT, "#fragment removed"},
    {"userinfo", URL_RULE_USERINFO, "user:password@ removed"},
    {"host-dot", URL_RULE_HOST_DOT, "dots at the end of the host removed"},
    {"percent-case", URL_RULE_PERCENT_CASE, "%c3 written as %C3"},
    {"percent-unreserved", URL_RULE_PERCENT_UNRESERVED, "%7E written as ~: letters, digits, -._~"},
    {"session-ids", URL_RULE_SESSION_IDS, "jsessionid, PHPSESSID, sid and others removed"},
    {"tracking", URL_RULE_TRACKING, "utm_*, gclid, fbclid and others removed"},
    {"empty-query", URL_RULE_EMPTY_QUERY, "? with nothing behind it removed"},
    {"empty-parameters", URL_RULE_EMPTY_PARAMETERS, "a=1&&b=2 written as a=1&b=2"},
    {"www", URL_RULE_WWW, "www. at the start of the host removed"},
    {"slashes", URL_RULE_SLASHES, "// in the path written as /"},
    {"index-file", URL_RULE_INDEX_FILE, "index.html and the like removed where no query follows"},
    {"sort-query", URL_RULE_SORT_QUERY, "parameters sorted by bytes"},
    {NULL, 0, NULL},
};

static const struct url_rule_row *find_rule(struct str name)
{
    for (const struct url_rule_row *r = url_rules; r->name; r++)
        if (str_eq(str_c(r->name), name))
            return r;
    return NULL;
}

static bool apply_word(struct str word, uint32_t *rules)
{
    bool off = word.n && word.p[0] == '-';
    bool on = word.n && word.p[0] == '+';
    if (str_eq(word, STR("default")))
        *rules = URL_RULES_DEFAULT;
    else if (str_eq(word, STR("all")))
        *rules = URL_RULES_ALL;
    else if (str_eq(word, STR("none")))
        *rules = 0;
    else {
        const struct url_rule_row *r = find_rule(str_from(word, off || on));
        if (!r || (off && r->bit == 0))
            return false;
        *rules = off ? *rules & ~r->bit : *rules | r->bit;
    }
    return true;
}

enum rc url_rules_parse(struct str list, uint32_t *ret_rules, struct str *ret_bad)
{
    uint32_t rules = URL_RULES_DEFAULT;
    while (list.p) {
        struct str word = str_trim(str_take_until(&list, ','));
        if (word.n && !apply_word(word, &rules)) {
            *ret_bad = word;
            return RC_INVALID;
        }
    }
    *ret_rules = rules;
    return RC_OK;
}

/* Takes n bytes at `at` out and moves every offset behind them. */
static void cut(struct url *u, size_t at, size_t n)
{
    uint16_t *const offsets[] = {&u->user_at, &u->user_end, &u->pass_end,
                                 &u->host_at, &u->host_end, &u->port_end,
                                 &u->path_at, &u->query_at, &u->fragment_at};
    memmove(u->p + at, u->p + at + n, u->n - at - n);
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++)
        if (*offsets[i] >= at + n)
            *offsets[i] = (uint16_t)(*offsets[i] - n);
        else if (*offsets[i] > at)
            *offsets[i] = (uint16_t)at;
    u->n = (uint16_t)(u->n - n);
}

static bool is_unreserved(unsigned char c)
{
    return c < 128 && (ascii_is_alnum((char)c) || c == '-' || c == '.' || c == '_' || c == '~');
}

/* Whether a digit written behind p[0..n) could complete a "%" that stands there on its own: then
 * decoding would make an escape that was never one. */
static bool would_join(const char *p, size_t n)
{
    return (n >= 1 && p[n - 1] == '%') || (n >= 2 && p[n - 2] == '%' && ascii_hex(p[n - 1]) >= 0);
}

/* The byte that "%XX" at the start of `s` stands for, or -1. */
static int escaped_byte(struct str s)
{
    if (s.n < 3 || s.p[0] != '%')
        return -1;
    int high = ascii_hex(s.p[1]), low = ascii_hex(s.p[2]);
    return high < 0 || low < 0 ? -1 : high * 16 + low;
}

static char cased(char digit, uint32_t rules)
{
    if (rules & URL_RULE_PERCENT_CASE)
        return ascii_upper(digit);
    return digit;
}

static size_t walk_percents(char *p, size_t n, uint32_t rules)
{
    size_t r = str_find(str_make(p, n), '%'), w = r;
    while (r < n) {
        int byte = escaped_byte(str_make(p + r, n - r));
        if (byte < 0) {
            p[w++] = p[r++];
            continue;
        }
        if ((rules & URL_RULE_PERCENT_UNRESERVED) && is_unreserved((unsigned char)byte) &&
            !would_join(p, w)) {
            p[w++] = (char)byte;
        } else {
            p[w++] = '%';
            p[w++] = cased(p[r + 1], rules);
            p[w++] = cased(p[r + 2], rules);
        }
        r += 3;
    }
    return w;
}

/* Copies a segment to `to` without its ";session=..."; a segment that would be left as . or ..
 * stays whole. Returns the length written. */
static size_t put_segment(char *to, struct str segment)
{
    struct str rest = segment;
    struct str name = str_take_until(&rest, ';');
    if (!rest.p || url_dots(name.p, name.n)) {
        memmove(to, segment.p, segment.n);
        return segment.n;
    }
    size_t w = name.n;
    memmove(to, name.p, name.n);
    while (rest.p) {
        struct str parameter = str_take_until(&rest, ';');
        if (url_mark_find(parameter) == URL_MARK_SESSION)
            continue;
        to[w++] = ';';
        memmove(to + w, parameter.p, parameter.n);
        w += parameter.n;
    }
    return w;
}

static size_t walk_sessions(char *p, size_t n)
{
    size_t w = 1;
    if (!memchr(p, ';', n) && !memchr(p, '(', n))
        return n;
    for (size_t r = 1; r <= n;) {
        size_t end = r + str_find(str_make(p + r, n - r), '/');
        struct str segment = str_make(p + r, end - r);
        size_t written = put_segment(p + w, segment);
        r = end + 1;
        if (url_mark_is_segment(str_make(p + w, written)))
            continue;
        w += written;
        if (end < n)
            p[w++] = '/';
    }
    return w;
}

static size_t walk_slashes(char *p, size_t n)
{
    size_t w = 0;
    for (size_t r = 0; r < n; r++)
        if (p[r] != '/' || w == 0 || p[w - 1] != '/')
            p[w++] = p[r];
    return w;
}

static void normalise_path(struct url *u, uint32_t rules)
{
    char *p = u->p + u->path_at;
    size_t was = u->query_at - (size_t)u->path_at, n = was;
    if (rules & (URL_RULE_PERCENT_CASE | URL_RULE_PERCENT_UNRESERVED))
        n = walk_percents(p, n, rules);
    if (rules & URL_RULE_SESSION_IDS)
        n = walk_sessions(p, n);
    if (rules & URL_RULE_SLASHES)
        n = walk_slashes(p, n);
    if (n < was)
        cut(u, u->path_at + n, was - n);
}

static bool is_dropped(struct str parameter, uint32_t rules)
{
    if (parameter.n == 0)
        return rules & URL_RULE_EMPTY_PARAMETERS;
    enum url_mark mark = url_mark_find(parameter);
    return (mark == URL_MARK_SESSION && (rules & URL_RULE_SESSION_IDS)) ||
           (mark == URL_MARK_TRACKING && (rules & URL_RULE_TRACKING));
}

/* Drops parameters from the query; *ret_none says that none is left where there were some. */
static size_t walk_parameters(char *p, size_t n, uint32_t rules, bool *ret_none)
{
    struct str rest = str_make(p, n);
    size_t w = 0, kept = 0;
    while (rest.p) {
        struct str parameter = str_take_until(&rest, '&');
        if (is_dropped(parameter, rules))
            continue;
        if (kept++)
            p[w++] = '&';
        if (parameter.p != p + w)
            memmove(p + w, parameter.p, parameter.n);
        w += parameter.n;
    }
    *ret_none = kept == 0;
    return w;
}

static void normalise_query(struct url *u, uint32_t rules)
{
    char *p = u->p + u->query_at + 1;
    size_t was = u->fragment_at - (size_t)u->query_at - 1, n = was;
    bool none = false;
    if (rules & (URL_RULE_PERCENT_CASE | URL_RULE_PERCENT_UNRESERVED))
        n = walk_percents(p, n, rules);
    if (rules & (URL_RULE_SESSION_IDS | URL_RULE_TRACKING | URL_RULE_EMPTY_PARAMETERS))
        n = walk_parameters(p, n, rules, &none);
    if (rules & URL_RULE_SORT_QUERY)
        url_sort_query(p, n);
    bool drop = n == 0 && (none || (rules & URL_RULE_EMPTY_QUERY));
    if (drop)
        cut(u, u->query_at, was + 1);
    else if (n < was)
        cut(u, u->query_at + 1 + n, was - n);
}

/* Dots behind the host, unless without them it would read as an address. */
static void cut_host_dots(struct url *u)
{
    struct str host = url_host(u);
    size_t n = host.n;
    while (n > 0 && host.p[n - 1] == '.')
        n--;
    if (n < host.n && n > 0 && !url_ends_in_number(str_first(host, n)))
        cut(u, u->host_at + n, host.n - n);
}

static void cut_www(struct url *u)
{
    struct str host = url_host(u), rest = host;
    while (str_starts(rest, STR("www.")) && str_find(str_from(rest, 4), '.') < rest.n - 4 &&
           rest.p[4] != '.')
        rest = str_from(rest, 4);
    if (rest.n < host.n)
        cut(u, u->host_at, host.n - rest.n);
}

static void cut_index_file(struct url *u)
{
    static const char *const names[] = {"index.html",  "index.htm",    "index.shtml", "index.php",
                                        "index.jsp",   "index.asp",    "index.aspx",  "index.cfm",
                                        "index.xhtml", "default.html", "default.htm", "default.asp",
                                        "default.aspx"};
    struct str path = url_path(u);
    size_t from = path.n;
    while (from > 0 && path.p[from - 1] != '/')
        from--;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (str_eq_nocase(str_from(path, from), str_c(names[i]))) {
            cut(u, u->path_at + from, path.n - from);
            return;
        }
}

static void normalise_web(struct url *u, uint32_t rules)
{
    if ((rules & URL_RULE_USERINFO) && u->host_at > u->user_at)
        cut(u, u->user_at, (size_t)(u->host_at - u->user_at));
    if ((rules & URL_RULE_HOST_DOT) && u->p[u->host_end - 1] == '.')
        cut_host_dots(u);
    if ((rules & URL_RULE_WWW) && u->p[u->host_at] == 'w')
        cut_www(u);
    normalise_path(u, rules);
    if (u->query_at < u->fragment_at)
        normalise_query(u, rules);
    if ((rules & URL_RULE_INDEX_FILE) && u->query_at == u->fragment_at)
        cut_index_file(u);
}

void url_normalise(struct url *u, uint32_t rules)
{
    if (rules & URL_RULE_FRAGMENT)
        u->n = u->fragment_at;
    if (u->kind != URL_OTHER && u->kind != URL_FILE)
        normalise_web(u, rules);
    u->p[u->n] = '\0';
}

uint64_t url_fingerprint(const struct url *u)
{
    return hash64(url_href(u));
}
