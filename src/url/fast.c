/* SPDX-License-Identifier: Apache-2.0 */
/* fast: the short way for links that need no thought. It looks at each byte once and copies whole
 * runs; at the first byte that the standard would encode, drop or convert it gives up, and the
 * machine starts anew. So it can be wrong only by accepting too much. */
#include "url/machine.h"
#include "url/write.h"

enum {
    EXTRA_BYTES = 16, /* what the result can be longer than base and input together */
    NO_STOP = -1,     /* no byte ends the part but the end of the input */
};

struct fast {
    const char *p, *end; /* what is left of the input */
    char *o;             /* where the next byte goes */
    struct url u;
};

static uint16_t here(const struct fast *f)
{
    return (uint16_t)(f->o - f->u.p);
}

static void put_bytes(struct fast *f, const char *p, size_t n)
{
    memcpy(f->o, p, n);
    f->o += n;
}

/* Four numbers up to 255, without zeros in front: an address in the one spelling that the standard
 * writes. All others are the machine's. */
static bool is_written_ipv4(const char *p, const char *end)
{
    for (int part = 1;; part++) {
        const char *digits = p;
        unsigned value = 0;
        while (p < end && ascii_is_digit(*p) && p - digits < 3)
            value = value * 10 + (unsigned)(*p++ - '0');
        if (p == digits || value > 255 || (*digits == '0' && p - digits > 1))
            return false;
        if (part == 4)
            return p == end;
        if (p == end || *p++ != '.')
            return false;
    }
}

/* Lower-case letters, digits, - . _ of a name, or an IPv4 address. */
static bool read_host(struct fast *f)
{
    const char *p = f->p;
    char *o = f->o, *label = o;
    f->u.user_at = f->u.user_end = f->u.pass_end = f->u.host_at = here(f);
    for (; p < f->end && (url_sets[(uint8_t)*p] & URL_HOST_PLAIN); p++) {
        *o++ = ascii_lower(*p);
        if (*p == '.')
            label = o;
    }
    if (o == label || (ascii_is_digit(*label) && !is_written_ipv4(f->p, p)))
        return false;
    f->o = o;
    f->p = p;
    f->u.host_end = here(f);
    return true;
}

static bool read_port(struct fast *f)
{
    unsigned port = 0;
    const char *digits = ++f->p;
    while (f->p < f->end && ascii_is_digit(*f->p) && f->p - digits < 5)
        port = port * 10 + (unsigned)(*f->p++ - '0');
    if (f->p == digits || *digits == '0' || port > 65535)
        return false;
    if (port == (f->u.kind == URL_HTTP ? 80 : 443))
        return true;
    *f->o++ = ':';
    put_bytes(f, digits, (size_t)(f->p - digits));
    f->u.has_port = true;
    f->u.port = (uint16_t)port;
    return true;
}

/* Whether f->p begins with `base`'s n bytes up to its path, and a path may follow. Most links of a
 * page that name a host name the page's own, and what is serialised parses to itself. */
static bool is_same(const struct fast *f, const char *base, size_t n)
{
    size_t left = (size_t)(f->end - f->p);
    if (left < n || memcmp(f->p, base, n) != 0)
        return false;
    return left == n || f->p[n] == '/' || f->p[n] == '?' || f->p[n] == '#';
}

static bool read_authority(struct fast *f)
{
    f->u.has_host = true;
    if (!read_host(f) || (f->p < f->end && *f->p == ':' && !read_port(f)))
        return false;
    if (f->p < f->end && *f->p != '/' && *f->p != '?' && *f->p != '#')
        return false;
    f->u.port_end = f->u.path_at = here(f);
    if (f->p == f->end || *f->p != '/')
        *f->o++ = '/';
    return true;
}

/* Copies the path up to `end` segment by segment; what is written so far ends in a slash, or is
 * nothing and a slash comes first. */
static void put_dotted(struct fast *f, const char *end)
{
    char *root = f->u.p + f->u.path_at + 1;
    const char *p = f->p;
    if (*p == '/')
        *f->o++ = *p++;
    for (;;) {
        const char *slash = memchr(p, '/', (size_t)(end - p));
        const char *stop = slash ? slash : end;
        unsigned dots = url_dots(p, (size_t)(stop - p));
        if (dots == 0)
            put_bytes(f, p, (size_t)(stop - p) + (slash != NULL));
        if (dots == 2 && f->o > root) {
            f->o--;
            while (f->o[-1] != '/')
                f->o--;
        }
        if (!slash)
            return;
        p = slash + 1;
    }
}

static bool read_path(struct fast *f)
{
    const char *q = f->p;
    bool dotted = false;
    for (; q < f->end; q++) {
        uint8_t sets = url_sets[(uint8_t)*q];
        if (!(sets & URL_PATH_LOOK))
            continue;
        if (sets & URL_SET_PATH)
            break;
        if (*q == '\\')
            return false;
        dotted = dotted || q == f->p || q[-1] == '/';
    }
    if (q < f->end && *q != '?' && *q != '#')
        return false;
    if (dotted)
        put_dotted(f, q);
    else
        put_bytes(f, f->p, (size_t)(q - f->p));
    f->p = q;
    return true;
}

/* Copies the query or fragment, whose mark f->p stands at. */
static bool read_part(struct fast *f, uint8_t set, int stop)
{
    const char *q = f->p + 1;
    while (q < f->end && !(url_sets[(uint8_t)*q] & set))
        q++;
    if (q < f->end && (uint8_t)*q != stop)
        return false;
    put_bytes(f, f->p, (size_t)(q - f->p));
    f->p = q;
    return true;
}

static bool read_tail(struct fast *f)
{
    f->u.query_at = here(f);
    if (f->p < f->end && *f->p == '?' && !read_part(f, URL_SET_SPECIAL_QUERY, '#'))
        return false;
    f->u.fragment_at = here(f);
    return f->p == f->end || read_part(f, URL_SET_FRAGMENT, NO_STOP);
}

static bool read_rest(struct fast *f)
{
    return read_path(f) && read_tail(f);
}

static void copy_base(struct fast *f, const struct url *base, size_t n)
{
    f->u = *base;
    f->u.p = f->o;
    put_bytes(f, base->p, n);
}

/* What stands behind the authority, which is `base`'s and n bytes long here. */
static bool read_rest_of_same(struct fast *f, const struct url *base, size_t n)
{
    copy_base(f, base, base->path_at);
    f->p += n;
    if (f->p == f->end || *f->p != '/')
        *f->o++ = '/';
    return read_rest(f);
}

/* "http://" or "https://", as written: other spellings are the machine's. */
static bool read_absolute(struct fast *f, const struct url *base)
{
    if (base && url_is_http(base) && is_same(f, base->p, base->port_end))
        return read_rest_of_same(f, base, base->port_end);
    struct str s = str_make(f->p, (size_t)(f->end - f->p));
    bool tls = str_starts(s, STR("https://"));
    if (!tls && !str_starts(s, STR("http://")))
        return false;
    f->u.kind = tls ? URL_HTTPS : URL_HTTP;
    f->u.scheme_n = tls ? 5 : 4;
    put_bytes(f, f->p, f->u.scheme_n + 3u);
    f->p += f->u.scheme_n + 3u;
    return read_authority(f) && read_rest(f);
}

static bool has_scheme(const struct fast *f)
{
    const char *q = f->p;
    if (q == f->end || !ascii_is_alpha(*q))
        return false;
    while (q < f->end && (ascii_is_alnum(*q) || *q == '+' || *q == '-' || *q == '.'))
        q++;
    return q < f->end && *q == ':';
}

static bool read_same_scheme(struct fast *f, const struct url *base)
{
    size_t name = base->scheme_n + 1u;
    if (is_same(f, base->p + name, base->port_end - name))
        return read_rest_of_same(f, base, base->port_end - name);
    f->u.kind = base->kind;
    f->u.scheme_n = base->scheme_n;
    put_bytes(f, base->p, base->scheme_n + 3u);
    f->p += 2;
    return read_authority(f) && read_rest(f);
}

static bool read_relative(struct fast *f, const struct url *base)
{
    if (f->p == f->end || *f->p == '#') {
        copy_base(f, base, base->fragment_at);
        return f->p == f->end || read_part(f, URL_SET_FRAGMENT, NO_STOP);
    }
    if (*f->p == '?') {
        copy_base(f, base, base->query_at);
        return read_tail(f);
    }
    if (*f->p == '/') {
        if (f->p + 1 < f->end && f->p[1] == '/')
            return read_same_scheme(f, base);
        copy_base(f, base, base->path_at);
        return read_rest(f);
    }
    size_t folder = base->query_at;
    while (base->p[folder - 1] != '/')
        folder--;
    copy_base(f, base, folder);
    return read_rest(f);
}

bool url_fast_parse(struct str input, const struct url *base, struct url_room room, struct url *ret)
{
    struct fast f = {.p = input.p ? input.p : "", .o = room.p};
    size_t cap = room.n < URL_ROOM_BYTES ? room.n : URL_ROOM_BYTES;
    f.end = f.p + input.n;
    f.u.p = room.p;
    if ((base ? base->n : 0) + input.n + EXTRA_BYTES > cap)
        return false;
    bool ok;
    if (has_scheme(&f))
        ok = read_absolute(&f, base);
    else
        ok = base && url_is_http(base) && read_relative(&f, base);
    if (!ok)
        return false;
    f.u.n = here(&f);
    *f.o = '\0';
    *ret = f.u;
    return true;
}
