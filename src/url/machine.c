/* SPDX-License-Identifier: Apache-2.0 */
/* machine: section 4.4 of the URL Standard. The states that walk one part are functions that take
 * that part whole, since it ends at a known byte; the path of states between them is the
 * standard's. The URL is serialised as it is read, so a part that comes from the base is one copy.
 */
#include "url/machine.h"

#include "base/utf8.h"
#include "url/encoding.h"
#include "url/host.h"

struct machine {
    struct url_parser *parser;
    const struct url *base;
    const char *p, *end; /* what is left of the input: valid UTF-8, no tabs, no newlines */
    struct url_out out;
    struct url u;
};

static enum rc refuse(struct machine *m, enum url_reason reason)
{
    m->parser->reason = reason;
    return RC_INVALID;
}

static bool is_special(const struct machine *m)
{
    return m->u.kind != URL_OTHER;
}

static bool is_slash(const struct machine *m, char c)
{
    return c == '/' || (c == '\\' && is_special(m));
}

static bool at_slash(const struct machine *m)
{
    return m->p < m->end && is_slash(m, *m->p);
}

static void skip_slashes(struct machine *m)
{
    while (at_slash(m))
        m->p++;
}

static uint16_t here(const struct machine *m)
{
    return (uint16_t)m->out.n;
}

static struct str left(const struct machine *m)
{
    return str_make(m->p, (size_t)(m->end - m->p));
}

/* The bytes from here to the first that ends a host or a segment. */
static const char *find_end(const struct machine *m)
{
    const char *q = m->p;
    while (q < m->end && !is_slash(m, *q) && *q != '?' && *q != '#')
        q++;
    return q;
}

unsigned url_dots(const char *p, size_t n)
{
    unsigned dots = 0;
    size_t i = 0;
    while (i < n && dots < 3) {
        if (p[i] == '.')
            i++;
        else if (i + 2 < n && p[i] == '%' && p[i + 1] == '2' && (p[i + 2] | 32) == 'e')
            i += 3;
        else
            return 0;
        dots++;
    }
    return i == n && dots < 3 ? dots : 0;
}

/* "C:" or, unless `normal`, "C|". */
static bool is_drive(struct str s, bool normal)
{
    return s.n == 2 && ascii_is_alpha(s.p[0]) && (s.p[1] == ':' || (!normal && s.p[1] == '|'));
}

static bool starts_with_drive(const struct machine *m)
{
    struct str s = left(m);
    return is_drive(str_first(s, 2), false) &&
           (s.n == 2 || s.p[2] == '/' || s.p[2] == '\\' || s.p[2] == '?' || s.p[2] == '#');
}

/* Fragment and query, whatever of them is there; then the input is read. */
static void read_query(struct machine *m)
{
    struct str s = left(m);
    struct str query = str_first(s, str_find(s, '#'));
    struct url_encoding *encoding = m->parser->encoding;
    enum url_set set = is_special(m) ? URL_SET_SPECIAL_QUERY : URL_SET_QUERY;
    bool is_ws = m->u.kind == URL_WS || m->u.kind == URL_WSS;
    if (encoding && is_special(m) && !is_ws)
        url_put_in_encoding(&m->out, query, set, encoding);
    else
        url_put_encoded(&m->out, query, set);
    m->p += query.n;
}

static void read_tail(struct machine *m)
{
    m->u.query_at = here(m);
    if (m->p < m->end && *m->p == '?') {
        url_put(&m->out, *m->p++);
        read_query(m);
    }
    m->u.fragment_at = here(m);
    if (m->p < m->end && *m->p == '#') {
        url_put(&m->out, *m->p++);
        url_put_encoded(&m->out, left(m), URL_SET_FRAGMENT);
        m->p = m->end;
    }
}

static void shorten(struct machine *m)
{
    const char *path = m->out.p + m->u.path_at;
    size_t n = m->out.n - m->u.path_at;
    if (m->u.kind == URL_FILE && n == 3 && is_drive(str_make(path + 1, 2), true))
        return;
    while (n > 0 && path[--n] != '/')
        continue;
    m->out.n = m->u.path_at + n;
}

static void put_segment(struct machine *m, struct str segment)
{
    bool first = m->out.n == m->u.path_at;
    url_put(&m->out, '/');
    if (first && m->u.kind == URL_FILE && is_drive(segment, false)) {
        url_put(&m->out, segment.p[0]);
        url_put(&m->out, ':');
        return;
    }
    url_put_encoded(&m->out, segment, URL_SET_PATH);
}

/* Path state: segments are added to what the path already holds. */
static void read_path(struct machine *m)
{
    for (;;) {
        const char *end = find_end(m);
        struct str segment = str_make(m->p, (size_t)(end - m->p));
        unsigned dots = url_dots(segment.p, segment.n);
        m->p = end;
        bool more = at_slash(m);
        if (dots == 2)
            shorten(m);
        if (dots == 0)
            put_segment(m, segment);
        else if (!more)
            url_put(&m->out, '/');
        if (!more)
            return;
        m->p++;
    }
}

static void read_path_start(struct machine *m)
{
    m->u.path_at = here(m);
    if (at_slash(m))
        m->p++;
    else if (!is_special(m) && (m->p == m->end || *m->p == '?' || *m->p == '#'))
        return;
    read_path(m);
}

/* A space is kept unless the query or fragment follows it, so that cutting those off later cannot
 * leave a space at the end. */
static void read_opaque_path(struct machine *m)
{
    const char *end = m->p;
    m->u.opaque_path = true;
    m->u.path_at = here(m);
    while (end < m->end && *end != '?' && *end != '#')
        end++;
    bool spaced = end < m->end && end > m->p && end[-1] == ' ';
    url_put_encoded(&m->out, str_make(m->p, (size_t)(end - m->p) - spaced), URL_SET_C0);
    if (spaced)
        url_put_percent(&m->out, ' ');
    m->p = end;
}

static void put_userinfo(struct machine *m, struct str info)
{
    struct str user = str_first(info, str_find(info, ':'));
    struct str pass = str_from(info, user.n + 1);
    url_put_encoded(&m->out, user, URL_SET_USERINFO);
    m->u.user_end = here(m);
    if (pass.n) {
        url_put(&m->out, ':');
        url_put_encoded(&m->out, pass, URL_SET_USERINFO);
    }
    m->u.pass_end = here(m);
    if (user.n || pass.n)
        url_put(&m->out, '@');
}

static uint16_t default_port(enum url_kind kind)
{
    static const uint16_t ports[] = {[URL_HTTP] = 80, [URL_HTTPS] = 443, [URL_WS] = 80,
                                     [URL_WSS] = 443, [URL_FTP] = 21,    [URL_FILE] = 0};
    return ports[kind];
}

uint16_t url_port(const struct url *u)
{
    return u->has_port ? u->port : default_port((enum url_kind)u->kind);
}

static enum rc put_port(struct machine *m, struct str digits)
{
    uint32_t port = 0;
    for (size_t i = 0; i < digits.n; i++) {
        if (!ascii_is_digit(digits.p[i]))
            return refuse(m, URL_REASON_PORT);
        port = port * 10 + (uint32_t)(digits.p[i] - '0');
        if (port > 65535)
            return refuse(m, URL_REASON_PORT);
    }
    if (digits.n == 0 || (is_special(m) && port == default_port((enum url_kind)m->u.kind)))
        return RC_OK;
    m->u.has_port = true;
    m->u.port = (uint16_t)port;
    url_put(&m->out, ':');
    url_put_number(&m->out, port);
    return RC_OK;
}

/* Where the ":port" of an authority begins, or its end: the first colon outside brackets. */
static size_t find_port(struct str s)
{
    bool inside = false;
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == ':' && !inside)
            return i;
        if (s.p[i] == '[' || s.p[i] == ']')
            inside = s.p[i] == '[';
    }
    return s.n;
}

static void begin_authority(struct machine *m)
{
    url_put_str(&m->out, STR("//"));
    m->u.has_host = true;
    m->u.user_at = m->u.user_end = m->u.pass_end = m->u.host_at = here(m);
}

static enum rc put_host(struct machine *m, struct str host)
{
    m->u.host_at = here(m);
    enum rc rc = RC_OK;
    if (host.n)
        rc = url_host_write(m->parser, host, is_special(m), &m->out);
    m->u.host_end = m->u.port_end = here(m);
    return rc;
}

/* Authority, host and port states, up to the path. */
static enum rc read_authority(struct machine *m)
{
    const char *end = find_end(m);
    struct str all = str_make(m->p, (size_t)(end - m->p));
    size_t host_at = all.n;
    while (host_at > 0 && all.p[host_at - 1] != '@')
        host_at--;
    begin_authority(m);
    if (host_at)
        put_userinfo(m, str_first(all, host_at - 1));
    struct str host_port = str_from(all, host_at);
    struct str host = str_first(host_port, find_port(host_port));
    bool port_follows = host.n < host_port.n;
    if (host.n == 0 && (is_special(m) || host_at || port_follows))
        return refuse(m, URL_REASON_HOST_MISSING);
    enum rc rc = put_host(m, host);
    if (rc == RC_OK && port_follows)
        rc = put_port(m, str_from(host_port, host.n + 1));
    if (rc)
        return rc;
    m->u.port_end = here(m);
    m->p = end;
    read_path_start(m);
    read_tail(m);
    return RC_OK;
}

/* Scheme and authority of the base. */
static void copy_authority(struct machine *m)
{
    char *p = m->u.p;
    m->u = *m->base;
    m->u.p = p;
    m->out.n = 0;
    url_put_str(&m->out, url_before_path(m->base));
    m->u.path_at = m->u.query_at = m->u.fragment_at = here(m);
}

static void copy_path(struct machine *m)
{
    url_put_str(&m->out, url_path(m->base));
}

/* What is left is a path relative to the base's, a query, a fragment, or nothing. */
static void read_relative_path(struct machine *m, bool forget_path)
{
    copy_path(m);
    if (m->p == m->end || *m->p == '#') {
        m->u.query_at = here(m);
        url_put_str(&m->out, url_part_(m->base, m->base->query_at, m->base->fragment_at));
        uint16_t query_at = m->u.query_at;
        read_tail(m);
        m->u.query_at = query_at;
        return;
    }
    if (*m->p != '?') {
        if (forget_path)
            m->out.n = m->u.path_at;
        else
            shorten(m);
        read_path(m);
    }
    read_tail(m);
}

static enum rc read_relative(struct machine *m)
{
    copy_authority(m);
    if (!at_slash(m)) {
        read_relative_path(m, false);
        return RC_OK;
    }
    m->p++;
    if (at_slash(m)) {
        m->p++;
        if (is_special(m))
            skip_slashes(m);
        m->out.n = m->u.scheme_n + 1u;
        m->u.has_port = false;
        m->u.port = 0;
        return read_authority(m);
    }
    read_path(m);
    read_tail(m);
    return RC_OK;
}

/* "file://" and the host behind it, if that is not a drive letter. */
static enum rc read_file_host(struct machine *m)
{
    const char *end = find_end(m);
    struct str host = str_make(m->p, (size_t)(end - m->p));
    begin_authority(m);
    if (is_drive(host, false)) {
        m->u.host_end = m->u.port_end = m->u.path_at = here(m);
        read_path(m);
    } else {
        enum rc rc = put_host(m, host);
        if (rc)
            return rc;
        if (str_eq(str_make(m->out.p + m->u.host_at, m->out.n - m->u.host_at), STR("localhost")))
            m->out.n = m->u.host_end = m->u.port_end = m->u.host_at;
        m->p = end;
        read_path_start(m);
    }
    read_tail(m);
    return RC_OK;
}

/* "file:///" and a path; with a base of its kind the host is the base's. */
static void begin_file(struct machine *m, bool with_base)
{
    if (with_base) {
        copy_authority(m);
        return;
    }
    begin_authority(m);
    m->u.host_end = m->u.port_end = m->u.path_at = here(m);
}

static enum rc read_file(struct machine *m)
{
    bool with_base = m->base && m->base->kind == URL_FILE;
    if (at_slash(m) && m->p + 1 < m->end && is_slash(m, m->p[1])) {
        m->p += 2;
        return read_file_host(m);
    }
    begin_file(m, with_base);
    if (at_slash(m)) {
        m->p++;
        struct str path = with_base ? url_path(m->base) : STR_NONE;
        bool drive = path.n >= 3 && is_drive(str_make(path.p + 1, 2), true) &&
                     (path.n == 3 || path.p[3] == '/');
        if (drive && !starts_with_drive(m))
            url_put_str(&m->out, str_first(path, 3));
    } else if (with_base) {
        read_relative_path(m, starts_with_drive(m));
        return RC_OK;
    }
    read_path(m);
    read_tail(m);
    return RC_OK;
}

static enum url_kind kind_of(struct str scheme)
{
    static const struct {
        const char *name;
        enum url_kind kind;
    } kinds[] = {{"http", URL_HTTP}, {"https", URL_HTTPS}, {"ws", URL_WS},
                 {"wss", URL_WSS},   {"ftp", URL_FTP},     {"file", URL_FILE}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (str_eq(str_c(kinds[i].name), scheme))
            return kinds[i].kind;
    return URL_OTHER;
}

/* The scheme and its colon are written: what follows begins here. */
static void set_scheme(struct machine *m)
{
    if (m->out.n == 0)
        return; /* no room for even that */
    m->u.scheme_n = (uint16_t)(here(m) - 1);
    m->u.kind = (uint8_t)kind_of(str_make(m->out.p, m->u.scheme_n));
    m->u.user_at = m->u.user_end = m->u.pass_end = here(m);
    m->u.host_at = m->u.host_end = m->u.port_end = here(m);
}

/* Writes the scheme and its colon; false, with nothing read, if there is none. */
static bool read_scheme(struct machine *m)
{
    const char *q = m->p;
    if (q == m->end || !ascii_is_alpha(*q))
        return false;
    while (q < m->end && (ascii_is_alnum(*q) || *q == '+' || *q == '-' || *q == '.'))
        q++;
    if (q == m->end || *q != ':')
        return false;
    for (; m->p <= q; m->p++)
        url_put(&m->out, ascii_lower(*m->p));
    set_scheme(m);
    return true;
}

static enum rc read_after_scheme(struct machine *m)
{
    if (m->u.kind == URL_FILE)
        return read_file(m);
    if (is_special(m)) {
        bool slashes = str_starts(left(m), STR("//"));
        if (m->base && m->base->kind == m->u.kind && !slashes)
            return read_relative(m);
        skip_slashes(m);
        return read_authority(m);
    }
    if (str_starts(left(m), STR("//"))) {
        m->p += 2;
        return read_authority(m);
    }
    if (at_slash(m))
        read_path_start(m);
    else
        read_opaque_path(m);
    read_tail(m);
    return RC_OK;
}

static enum rc read_without_scheme(struct machine *m)
{
    if (!m->base)
        return refuse(m, URL_REASON_NO_BASE);
    if (m->base->opaque_path && (m->p == m->end || *m->p != '#'))
        return refuse(m, URL_REASON_BASE_OPAQUE);
    if (m->base->kind == URL_FILE) {
        url_put_str(&m->out, STR("file:"));
        set_scheme(m);
        return read_file(m);
    }
    if (!m->base->opaque_path)
        return read_relative(m);
    copy_authority(m);
    read_relative_path(m, false);
    return RC_OK;
}

/* A path that begins with "//" would read as a host where there is none. */
static void guard_path(struct machine *m)
{
    struct url *u = &m->u;
    struct str path = str_make(m->out.p + u->path_at, u->query_at - (size_t)u->path_at);
    if (u->has_host || u->opaque_path || !str_starts(path, STR("//")))
        return;
    url_put_str(&m->out, STR("/."));
    if (m->out.full)
        return;
    memmove(m->out.p + u->path_at + 2, m->out.p + u->path_at, m->out.n - 2 - u->path_at);
    memcpy(m->out.p + u->path_at, "/.", 2);
    u->path_at = (uint16_t)(u->path_at + 2);
    u->query_at = (uint16_t)(u->query_at + 2);
    u->fragment_at = (uint16_t)(u->fragment_at + 2);
}

static enum rc read_whole(struct machine *m, struct url *ret)
{
    enum rc rc = read_scheme(m) ? read_after_scheme(m) : read_without_scheme(m);
    if (rc == RC_OK && !m->out.full)
        guard_path(m);
    if (m->out.full || rc == RC_LIMIT) {
        m->parser->reason = URL_REASON_LENGTH;
        return RC_LIMIT;
    }
    if (rc)
        return rc;
    m->u.n = here(m);
    m->out.p[m->out.n] = '\0';
    *ret = m->u;
    return RC_OK;
}

struct str url_trim(struct str input)
{
    while (input.n && (uint8_t)input.p[0] <= ' ')
        input = str_from(input, 1);
    while (input.n && (uint8_t)input.p[input.n - 1] <= ' ')
        input.n--;
    return input;
}

static bool is_clean(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] == '\t' || s.p[i] == '\n' || s.p[i] == '\r')
            return false;
    return utf8_valid(s) == s.n;
}

/* Copies the input without tabs and newlines, everything that is not UTF-8 replaced. Separate, so
 * that the usual call does not carry this much stack. */
__attribute__((noinline)) static enum rc run_cleaned(struct machine *m, struct str s,
                                                     struct url *ret)
{
    char room[URL_MAX_BYTES];
    struct buf clean = buf_on(room, sizeof room);
    while (s.n) {
        size_t run_n = 0;
        while (run_n < s.n && s.p[run_n] != '\t' && s.p[run_n] != '\n' && s.p[run_n] != '\r')
            run_n++;
        buf_utf8_clean(&clean, str_first(s, run_n));
        s = str_from(s, run_n + 1);
    }
    if (buf_rc(&clean) != RC_OK) {
        m->parser->reason = URL_REASON_LENGTH;
        return RC_LIMIT;
    }
    m->p = room;
    m->end = room + clean.n;
    enum rc rc = read_whole(m, ret);
    m->p = m->end = NULL; /* the room ends here */
    return rc;
}

enum rc url_machine_parse(struct url_parser *parser, struct str input, const struct url *base,
                          struct url_room room, struct url *ret)
{
    struct str s = url_trim(input);
    size_t cap = room.n < URL_ROOM_BYTES ? room.n : URL_ROOM_BYTES;
    parser->reason = URL_REASON_LENGTH;
    if (s.n > URL_MAX_BYTES || cap == 0)
        return RC_LIMIT;
    parser->reason = URL_REASON_NONE;
    struct machine m = {.parser = parser, .base = base, .out = {.p = room.p, .cap = cap - 1}};
    m.u.p = room.p;
    if (!is_clean(s))
        return run_cleaned(&m, s, ret);
    m.p = s.n ? s.p : "";
    m.end = m.p + s.n;
    return read_whole(&m, ret);
}
