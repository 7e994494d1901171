/* SPDX-License-Identifier: Apache-2.0 */
#include "url/host.h"

#include "base/utf8.h"
#include "url/idn.h"

enum { FORBIDDEN_HOST = 1, FORBIDDEN_DOMAIN = 2, BOTH = 3 };

static const uint8_t forbidden[256] = {
    [0] = BOTH,
    [1 ... 8] = FORBIDDEN_DOMAIN,
    ['\t'] = BOTH,
    ['\n'] = BOTH,
    [11 ... 12] = FORBIDDEN_DOMAIN,
    ['\r'] = BOTH,
    [14 ... 31] = FORBIDDEN_DOMAIN,
    [' '] = BOTH,
    ['#'] = BOTH,
    ['/'] = BOTH,
    [':'] = BOTH,
    ['<'] = BOTH,
    ['>'] = BOTH,
    ['?'] = BOTH,
    ['@'] = BOTH,
    ['['] = BOTH,
    ['\\'] = BOTH,
    [']'] = BOTH,
    ['^'] = BOTH,
    ['|'] = BOTH,
    ['%'] = FORBIDDEN_DOMAIN,
    [127] = FORBIDDEN_DOMAIN,
};

static enum rc refuse(struct url_parser *parser, enum url_reason reason)
{
    parser->reason = reason;
    return RC_INVALID;
}

static bool has_forbidden(struct str s, unsigned which)
{
    for (size_t i = 0; i < s.n; i++)
        if (forbidden[(uint8_t)s.p[i]] & which)
            return true;
    return false;
}

/* Writes `host` with percent-encoding undone and letters lowered; false if it has bytes past
 * ASCII (what is written is then for IDN, which does its own lowering). */
static bool put_decoded(struct url_out *o, struct str host)
{
    uint8_t any = 0;
    for (size_t i = 0; i < host.n; i++) {
        char c = host.p[i];
        if (c == '%' && i + 2 < host.n && ascii_hex(host.p[i + 1]) >= 0 &&
            ascii_hex(host.p[i + 2]) >= 0) {
            c = (char)(ascii_hex(host.p[i + 1]) << 4 | ascii_hex(host.p[i + 2]));
            i += 2;
        }
        any |= (uint8_t)c;
        url_put(o, ascii_lower(c));
    }
    return !(any & 0x80);
}

/* Turns the name at o[from..] into ASCII. */
static enum rc international(struct url_parser *parser, struct url_out *o, size_t from)
{
    struct str name = str_make(o->p + from, o->n - from);
    char ascii[URL_IDN_ROOM_BYTES];
    size_t n;
    if (utf8_valid(name) != name.n)
        return refuse(parser, URL_REASON_HOST_IDN);
    if (!parser->idn) {
        parser->reason = URL_REASON_HOST_IDN;
        return RC_UNSUPPORTED;
    }
    enum rc rc = url_idn_to_ascii(parser->idn, name, ascii, &n);
    if (rc) {
        parser->reason = rc == RC_LIMIT ? URL_REASON_LENGTH : URL_REASON_HOST_IDN;
        return rc;
    }
    o->n = from;
    url_put_str(o, str_make(ascii, n));
    return RC_OK;
}

static enum rc domain_write(struct url_parser *parser, struct str host, struct url_out *o)
{
    size_t from = o->n;
    bool ascii = put_decoded(o, host);
    if (o->full)
        return RC_OK;
    enum rc rc = ascii ? RC_OK : international(parser, o, from);
    if (rc)
        return rc;
    struct str name = str_make(o->p + from, o->n - from);
    if (name.n == 0)
        return refuse(parser, URL_REASON_HOST_MISSING);
    if (has_forbidden(name, FORBIDDEN_DOMAIN))
        return refuse(parser, URL_REASON_HOST_CHARACTER);
    if (!url_ends_in_number(name))
        return RC_OK;
    uint32_t address;
    if (!url_ipv4_parse(name, &address))
        return refuse(parser, URL_REASON_IPV4);
    o->n = from;
    url_ipv4_write(o, address);
    return RC_OK;
}

static enum rc bracketed_write(struct url_parser *parser, struct str host, struct url_out *o)
{
    uint16_t pieces[8];
    if (host.n < 2 || host.p[host.n - 1] != ']' ||
        !url_ipv6_parse(str_make(host.p + 1, host.n - 2), pieces))
        return refuse(parser, URL_REASON_IPV6);
    url_put(o, '[');
    url_ipv6_write(o, pieces);
    url_put(o, ']');
    return RC_OK;
}

enum rc url_host_write(struct url_parser *parser, struct str host, bool special, struct url_out *o)
{
    if (host.p[0] == '[')
        return bracketed_write(parser, host, o);
    if (special)
        return domain_write(parser, host, o);
    if (has_forbidden(host, FORBIDDEN_HOST))
        return refuse(parser, URL_REASON_HOST_CHARACTER);
    url_put_encoded(o, host, URL_SET_C0);
    return RC_OK;
}
