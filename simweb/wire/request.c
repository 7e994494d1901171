/* SPDX-License-Identifier: Apache-2.0 */
/* Line by line, so that a head that can no longer become a request is refused before it has
 * ended (RFC 9112, 2 to 3; no leniency it only allows: no bare LF, no obs-fold). */
#include "wire/request.h"

enum { MAX_EMPTY_LINES = 2 }; /* before a request line, RFC 9112 2.2 */

/* Bytes of a token (RFC 9110 5.6.2). */
static bool is_token_byte(char c)
{
    return ascii_is_alnum(c) || (c && strchr("!#$%&'*+-.^_`|~", c));
}

static bool is_token(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!is_token_byte(s.p[i]))
            return false;
    return s.n > 0;
}

/* What a field's value may hold: tab, visible, and bytes beyond ASCII. */
static bool is_value(struct str s)
{
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if ((c < ' ' && c != '\t') || c == 0x7f)
            return false;
    }
    return true;
}

static bool is_target(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] <= ' ' || s.p[i] > '~' || s.p[i] == '#')
            return false;
    return s.n > 0;
}

/* Takes a line that ends in CR LF. RC_AGAIN: it has no end yet; RC_INVALID: it ends in LF alone. */
static enum rc take_line(struct str *rest, struct str *ret)
{
    size_t end = str_find(*rest, '\n');
    if (end == rest->n)
        return RC_AGAIN;
    if (end == 0 || rest->p[end - 1] != '\r')
        return RC_INVALID;
    *ret = str_first(*rest, end - 1);
    *rest = str_from(*rest, end + 1);
    return RC_OK;
}

/* "heron.test:8080" without its port; RC_INVALID for what can be no authority. */
static enum rc host_of_authority(struct str a, struct str *ret)
{
    size_t colon;
    if (a.n && a.p[0] == '[') {
        size_t close = str_find(a, ']');
        if (close == a.n)
            return RC_INVALID;
        colon = close + 1;
    } else {
        colon = str_find(a, ':');
    }
    struct str port = str_from(a, colon);
    for (size_t i = 1; i < port.n; i++)
        if (!ascii_is_digit(port.p[i]))
            return RC_INVALID;
    if (port.n && port.p[0] != ':')
        return RC_INVALID;
    *ret = str_first(a, colon);
    for (size_t i = 0; i < ret->n; i++)
        if (ret->p[i] <= ' ' || ret->p[i] > '~' || strchr("/?#@\\,\"<>", ret->p[i]))
            return RC_INVALID;
    return RC_OK;
}

/* "http://host/path" becomes its path and its host; everything else stays. */
static enum rc read_target(struct str target, struct request *r)
{
    if (!is_target(target))
        return RC_INVALID;
    r->target = target;
    if (target.p[0] == '/' || (str_eq(target, STR("*")) && str_eq(r->method, STR("OPTIONS"))))
        return RC_OK;
    size_t skip = str_starts_nocase(target, STR("http://"))    ? 7
                  : str_starts_nocase(target, STR("https://")) ? 8
                                                               : 0;
    if (!skip)
        return RC_INVALID;
    struct str rest = str_from(target, skip);
    size_t end = 0;
    while (end < rest.n && rest.p[end] != '/' && rest.p[end] != '?')
        end++;
    r->target = str_from(rest, end);
    if (r->target.n == 0)
        r->target = STR("/");
    if (end == 0 || r->target.p[0] != '/')
        return RC_INVALID;
    r->is_proxied = true;
    return host_of_authority(str_first(rest, end), &r->host);
}

static enum rc read_request_line(struct str line, struct request *r)
{
    r->method = str_take_until(&line, ' ');
    struct str target = str_take_until(&line, ' ');
    if (!is_token(r->method) || !line.p)
        return RC_INVALID;
    if (str_eq(line, STR("HTTP/1.0")))
        r->is_http10 = true;
    else if (!str_eq(line, STR("HTTP/1.1")))
        return RC_INVALID;
    return read_target(target, r);
}

static enum rc read_header(struct str line, struct request *r)
{
    size_t colon = str_find(line, ':');
    struct header h = {.name = str_first(line, colon),
                       .value = str_trim(str_from(line, colon + 1))};
    if (colon == line.n || !is_token(h.name) || !is_value(str_from(line, colon + 1)))
        return RC_INVALID;
    if (r->header_count == REQUEST_MAX_HEADERS)
        return RC_LIMIT;
    r->headers[r->header_count++] = h;
    return RC_OK;
}

static uint32_t header_count(const struct request *r, struct str name)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < r->header_count; i++)
        count += str_eq_nocase(r->headers[i].name, name);
    return count;
}

/* One Host, and one length at most: two would let a proxy and us see different requests. */
static enum rc check_whole(struct request *r)
{
    uint32_t hosts = header_count(r, STR("Host"));
    if (hosts > 1 || (hosts == 0 && !r->is_http10))
        return RC_INVALID;
    struct str host = STR_NONE;
    if (hosts && host_of_authority(request_header(r, STR("Host")), &host) != RC_OK)
        return RC_INVALID;
    if (!r->host.p)
        r->host = host;
    uint32_t lengths = header_count(r, STR("Content-Length"));
    uint64_t length;
    if (lengths > 1 || (lengths && request_header(r, STR("Transfer-Encoding")).p))
        return RC_INVALID;
    if (lengths && str_to_u64(request_header(r, STR("Content-Length")), &length) != RC_OK)
        return RC_INVALID;
    r->keep_alive = r->is_http10 ? request_accepts(r, STR("Connection"), STR("keep-alive"))
                                 : !request_accepts(r, STR("Connection"), STR("close"));
    return RC_OK;
}

static enum rc read_lines(struct str bytes, struct request *r, size_t *ret_used)
{
    struct str rest = bytes, line = STR_NONE;
    enum rc rc = take_line(&rest, &line);
    for (int i = 0; i < MAX_EMPTY_LINES && rc == RC_OK && line.n == 0; i++)
        rc = take_line(&rest, &line);
    if (rc == RC_OK)
        rc = read_request_line(line, r);
    while (rc == RC_OK) {
        rc = take_line(&rest, &line);
        if (rc == RC_OK && line.n == 0)
            break;
        if (rc == RC_OK)
            rc = read_header(line, r);
    }
    if (rc != RC_OK)
        return rc;
    *ret_used = bytes.n - rest.n;
    r->raw = str_first(bytes, *ret_used);
    return check_whole(r);
}

enum rc request_read(struct str bytes, struct request *ret, size_t *ret_used)
{
    ret->method = ret->target = ret->host = ret->sni = ret->raw = STR_NONE;
    ret->is_http10 = ret->keep_alive = ret->is_proxied = ret->is_https = ret->is_h2 = false;
    ret->header_count = 0;
    enum rc rc = read_lines(str_first(bytes, REQUEST_MAX_BYTES), ret, ret_used);
    return rc == RC_AGAIN && bytes.n >= REQUEST_MAX_BYTES ? RC_LIMIT : rc;
}

struct str request_header(const struct request *r, struct str name)
{
    for (uint32_t i = 0; i < r->header_count; i++)
        if (str_eq_nocase(r->headers[i].name, name))
            return r->headers[i].value;
    return STR_NONE;
}

/* ";q=0", ";q=0.0", ";q=0.000", with white space wherever it may stand (RFC 9110 12.4.2). */
static bool has_weight_zero(struct str parameters)
{
    while (parameters.p) {
        struct str one = str_trim(str_take_until(&parameters, ';'));
        if (!str_starts_nocase(one, STR("q=")))
            continue;
        for (size_t i = 2; i < one.n; i++)
            if (one.p[i] != '0' && one.p[i] != '.')
                return false;
        return one.n > 2;
    }
    return false;
}

static bool lists(struct str value, struct str token)
{
    while (value.p) {
        struct str parameters = str_take_until(&value, ',');
        struct str name = str_trim(str_take_until(&parameters, ';'));
        if (str_eq_nocase(name, token))
            return !has_weight_zero(parameters);
    }
    return false;
}

bool request_accepts(const struct request *r, struct str header, struct str token)
{
    for (uint32_t i = 0; i < r->header_count; i++)
        if (str_eq_nocase(r->headers[i].name, header) && lists(r->headers[i].value, token))
            return true;
    return false;
}
