/* SPDX-License-Identifier: Apache-2.0 */
#include "url/surt.h"

#include "url/host.h"
#include "url/sort.h"

/* What a SURT is made of; borrowed from the URL. */
struct parts {
    struct str scheme, host, port; /* port with its colon */
    struct str rest;
};

static size_t find_any(struct str s, struct str bytes)
{
    for (size_t i = 0; i < s.n; i++)
        if (memchr(bytes.p, s.p[i], bytes.n))
            return i;
    return s.n;
}

/* Splits scheme://user@host:port rest; false if there is no "scheme://". */
static bool split(struct str url, struct parts *ret)
{
    size_t colon = find_any(url, STR(":/?#"));
    if (colon == 0 || !str_starts(str_from(url, colon), STR("://")))
        return false;
    struct str after = str_from(url, colon + 3);
    struct str authority = str_first(after, find_any(after, STR("/?#")));
    size_t host_at = authority.n, host_end;
    while (host_at > 0 && authority.p[host_at - 1] != '@')
        host_at--;
    struct str host_port = str_from(authority, host_at);
    bool bracketed = host_port.n && host_port.p[0] == '[';
    host_end = bracketed ? str_find(host_port, ']') : str_find(host_port, ':');
    host_end += bracketed && host_end < host_port.n;
    ret->scheme = str_first(url, colon);
    ret->host = str_first(host_port, host_end);
    ret->port = str_from(host_port, host_end);
    ret->rest = str_from(after, authority.n);
    return true;
}

/* The labels from the last to the first with commas between them. A comma in a label becomes
 * `comma`. */
static void put_turned(struct str host, char comma, struct buf *out)
{
    char *to = buf_reserve(out, host.n);
    if (!to)
        return;
    for (size_t end = host.n;;) {
        size_t from = end;
        while (from > 0 && host.p[from - 1] != '.')
            from--;
        for (size_t i = from; i < end; i++)
            *to++ = (char)(host.p[i] == ',' ? comma : host.p[i]);
        if (from == 0)
            break;
        *to++ = ',';
        end = from - 1;
    }
    out->n += host.n;
}

/* Whether the whole is an address, which has no labels to turn. */
static bool is_address(struct str host)
{
    return host.n == 0 || host.p[0] == '[' || url_ends_in_number(host);
}

void url_surt(struct str url, unsigned form, struct buf *out)
{
    struct parts parts;
    if (!split(url, &parts)) {
        buf_add(out, url);
        return;
    }
    if (form & URL_SURT_SCHEME) {
        buf_add(out, parts.scheme);
        buf_add(out, STR("://("));
    }
    if (!(form & URL_SURT_KEEP_WWW) && str_starts_nocase(parts.host, STR("www.")))
        parts.host = str_from(parts.host, 4);
    if (is_address(parts.host)) {
        buf_add(out, parts.host);
    } else {
        /* A comma would read as two labels: it becomes the dot that can no longer occur. */
        put_turned(parts.host, '.', out);
        if (form & URL_SURT_COMMA)
            buf_byte(out, ',');
    }
    buf_add(out, parts.port);
    buf_byte(out, ')');
    buf_add(out, parts.rest);
}

/* Without "www." or "www12." in front, unless nothing is left or something stands before the name:
 * warcio.js looks for "http://www". */
static struct str without_www(const struct url *u)
{
    struct str host = url_host(u);
    size_t n = 3;
    if (u->pass_end > u->user_at || !str_starts(host, STR("www")))
        return host;
    while (n < host.n && ascii_is_digit(host.p[n]))
        n++;
    return n + 1 < host.n && host.p[n] == '.' ? str_from(host, n + 1) : host;
}

static void put_lower(struct str s, struct buf *out)
{
    char *to = buf_reserve(out, s.n);
    if (!to)
        return;
    for (size_t i = 0; i < s.n; i++)
        to[i] = ascii_lower(s.p[i]);
    out->n += s.n;
}

static void put_key_query(struct str query, struct buf *out)
{
    if (query.n == 0)
        return;
    buf_byte(out, '?');
    size_t at = out->n;
    put_lower(query, out);
    if (out->n == at + query.n)
        url_sort_whole_query(out->p + at, query.n);
}

void url_cdx_key(const struct url *u, struct buf *out)
{
    if (!url_is_http(u)) {
        buf_add(out, url_href(u));
        return;
    }
    put_turned(without_www(u), ',', out);
    buf_add(out, url_part_(u, u->host_end, u->port_end));
    buf_byte(out, ')');
    put_lower(url_path(u), out);
    put_key_query(url_query(u), out);
}
