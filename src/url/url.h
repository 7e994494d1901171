/* SPDX-License-Identifier: Apache-2.0 */
/* url: reads, resolves and writes URLs as the WHATWG URL Standard says.
 *
 * A struct url is the serialised URL in the caller's room, and where its parts begin:
 *
 *     https://user:pass@example.com:8080/a/b?c=d#e
 *     |    |  |   |    ||          ||   |   |   | |
 *     |    |  |   |    ||          ||   |   |   | n
 *     |    |  |   |    ||          ||   |   |   fragment_at
 *     |    |  |   |    ||          ||   |   query_at
 *     |    |  |   |    ||          ||   path_at = port_end
 *     |    |  |   |    |host_at    |host_end
 *     |    |  |   |    pass_end
 *     |    |  |   user_end
 *     |    |  user_at
 *     |    scheme_n
 *     p
 *
 *     struct url_parser parser = {.idn = idn};
 *     char room[URL_ROOM_BYTES];
 *     struct url link;
 *     enum rc rc = url_parse(&parser, STR("../x?y"), &page, (struct url_room){room, sizeof room},
 *                            &link);
 *     if (rc == RC_OK)
 *         puts(link.p);
 *
 * Nothing here allocates and nothing is shared: any thread may parse with a parser of its own. An
 * ordinary link takes a short way that copies runs of plain bytes; everything else goes through the
 * standard's states (url/machine.h). Both give the same result, which tests and fuzzing check. */
#ifndef URL_URL_H
#define URL_URL_H

#include "base/str.h"

struct url_encoding; /* url/encoding.h */
struct url_idn;      /* url/idn.h */

/* The longest input (without the white space around it) and the longest result. A room of
 * URL_ROOM_BYTES is enough for every URL. */
enum { URL_MAX_BYTES = 65535, URL_ROOM_BYTES = URL_MAX_BYTES + 1 };

enum url_kind {
    URL_OTHER, /* any scheme without special treatment: mailto, data, javascript, ... */
    URL_HTTP,
    URL_HTTPS,
    URL_WS,
    URL_WSS,
    URL_FTP,
    URL_FILE,
};

/* A plain value. `p` points into the room it was parsed into, n bytes with a NUL behind them. A
 * part that is absent is empty: user_at == user_end, query_at == fragment_at (a query that is there
 * and empty is the "?" alone), fragment_at == n. path_at differs from port_end only for a URL
 * without host whose path begins with "//": then "/." stands between them. */
struct url {
    char *p;
    uint16_t n;
    uint16_t scheme_n;
    uint16_t user_at, user_end, pass_end;
    uint16_t host_at, host_end, port_end;
    uint16_t path_at, query_at, fragment_at;
    uint16_t port;    /* as written; 0 when the scheme's own, see url_port() */
    uint8_t kind;     /* enum url_kind */
    bool has_host;    /* "//" is there; the host may still be empty (file) */
    bool has_port;    /* ":port" is there, so it is not the scheme's own */
    bool opaque_path; /* mailto:x: the path is no list of segments, nothing resolves against it */
};

/* Why a URL was refused, for people. */
enum url_reason {
    URL_REASON_NONE,
    URL_REASON_NO_BASE,        /* relative, and there is no base */
    URL_REASON_BASE_OPAQUE,    /* relative, and the base is a mailto: or the like */
    URL_REASON_HOST_MISSING,   /* http://, http://user@ */
    URL_REASON_HOST_CHARACTER, /* a character no host may have */
    URL_REASON_HOST_IDN,       /* not a name by the rules of international names */
    URL_REASON_IPV4,           /* ends in a number and is no IPv4 address */
    URL_REASON_IPV6,           /* in brackets and no IPv6 address */
    URL_REASON_PORT,           /* not a number up to 65535 */
    URL_REASON_LENGTH,         /* longer than this library reads or writes */
    URL_REASON_COUNT_
};
const char *url_reason_text(enum url_reason reason);

/* What parsing needs beside its input, and the reason of the last refusal. Zeroed it reads UTF-8
 * and refuses hosts outside ASCII with RC_UNSUPPORTED. Both pointers are borrowed. */
struct url_parser {
    const struct url_idn *idn;
    struct url_encoding *encoding; /* the document's, for the query; NULL is UTF-8 */
    enum url_reason reason;        /* written by each call that fails */
};

struct url_room {
    char *p;
    size_t n;
};

/* Parses `input` (bytes meant as UTF-8; what is not becomes U+FFFD), relative to `base` unless that
 * is NULL, and writes the serialised result into `room`, which must not hold base or input.
 * RC_INVALID: the standard says failure. RC_LIMIT: input or result is longer than URL_MAX_BYTES,
 * the room is too small, or an international host name is longer than URL_IDN_MAX_BYTES. RC_NOMEM
 * and RC_UNSUPPORTED come from the IDN library alone. On failure *ret is untouched and the room
 * holds nothing of use. */
MUST_CHECK enum rc url_parse(struct url_parser *parser, struct str input, const struct url *base,
                             struct url_room room, struct url *ret);

/* The parts, borrowed from the URL. Host is as serialised: lower-case ASCII, IPv6 in brackets. */
static inline struct str url_href(const struct url *u)
{
    return str_make(u->p, u->n);
}

static inline struct str url_part_(const struct url *u, unsigned from, unsigned to)
{
    return str_make(u->p + from, to - from);
}

static inline struct str url_scheme(const struct url *u)
{
    return url_part_(u, 0, u->scheme_n);
}

static inline struct str url_host(const struct url *u)
{
    return url_part_(u, u->host_at, u->host_end);
}

/* "https://example.com:8080", what robots.txt and connections belong to; without userinfo, so it is
 * written for URLs that have none (normalising removes it). */
static inline struct str url_before_path(const struct url *u)
{
    return url_part_(u, 0, u->port_end);
}

static inline struct str url_path(const struct url *u)
{
    return url_part_(u, u->path_at, u->query_at);
}

/* Path with "?query": what a request names and robots.txt rules match. */
static inline struct str url_path_query(const struct url *u)
{
    return url_part_(u, u->path_at, u->fragment_at);
}

/* Without "?"; absent when there is none. */
static inline struct str url_query(const struct url *u)
{
    return u->query_at == u->fragment_at ? STR_NONE
                                         : url_part_(u, u->query_at + 1u, u->fragment_at);
}

/* Without "#"; absent when there is none. */
static inline struct str url_fragment(const struct url *u)
{
    return u->fragment_at == u->n ? STR_NONE : url_part_(u, u->fragment_at + 1u, u->n);
}

static inline bool url_is_http(const struct url *u)
{
    return u->kind == URL_HTTP || u->kind == URL_HTTPS;
}

/* The port to connect to: the one written or the scheme's own; 0 when neither is known. */
uint16_t url_port(const struct url *u);

/* Writes `u` once more into another room: the way to keep a URL past its room's next use. RC_LIMIT
 * when the room is smaller than u->n + 1. */
MUST_CHECK enum rc url_copy(const struct url *u, struct url_room room, struct url *ret);

#endif
