/* SPDX-License-Identifier: Apache-2.0 */
#include "scope/link_urls.h"

#include "base/int_set.h"
#include "base/mem.h"
#include "url/encoding.h"
#include "url/normalise.h"

struct link_urls {
    struct link_urls_settings set;
    struct int_set seen; /* fingerprints of the page's links */
    /* The page at hand: */
    struct url_parser parser;
    struct url base;
    const struct url *relative_to;
    size_t bytes; /* of the links so far */
    bool are_urls, is_cut;
    char room[URL_ROOM_BYTES];
    char base_room[URL_ROOM_BYTES];
};

struct link_urls *link_urls_open(const struct link_urls_settings *s)
{
    struct link_urls *u = mem_zero(1, sizeof *u);
    if (u)
        u->set = *s;
    return u;
}

void link_urls_close(struct link_urls *u)
{
    if (!u)
        return;
    int_set_done(&u->seen);
    mem_free(u);
}

/* A page ---------------------------------------------------------------------------------------- */

/* The page's own URL, or what its base element makes of it. */
static void set_base(struct link_urls *u, const struct link_urls_source *s)
{
    u->relative_to = s->page;
    if (!s->page || !s->base.p)
        return;
    struct url_parser plain = {.idn = u->set.idn};
    if (url_parse(&plain, s->base, s->page, (struct url_room){u->base_room, sizeof u->base_room},
                  &u->base) == RC_OK &&
        u->base.kind != URL_OTHER)
        u->relative_to = &u->base;
}

enum rc link_urls_begin(struct link_urls *u, const struct link_urls_source *s, size_t count)
{
    if (int_set_begin(&u->seen, count) != RC_OK)
        return RC_NOMEM;
    u->parser = (struct url_parser){.idn = u->set.idn};
    u->bytes = 0;
    u->is_cut = false;
    u->are_urls = s->are_urls;
    if (s->charset && url_encoding_open(str_c(s->charset), &u->parser.encoding))
        u->parser.encoding = NULL;
    set_base(u, s);
    return RC_OK;
}

bool link_urls_end(struct link_urls *u)
{
    url_encoding_close(u->parser.encoding);
    u->parser.encoding = NULL;
    return u->is_cut;
}

/* A link ---------------------------------------------------------------------------------------- */

static enum rc parse(struct link_urls *u, struct str raw, struct url *ret)
{
    struct url_room room = {u->room, sizeof u->room};
    struct url_parser plain = {0};
    if (u->are_urls && url_parse(&plain, raw, NULL, room, ret) == RC_OK)
        return RC_OK;
    return url_parse(&u->parser, raw, u->relative_to, room, ret);
}

/* Whether a frontier can hold it. */
static bool is_holdable(const struct link_urls *u, const struct url *url)
{
    return url_host(url).n <= u->set.host_bytes && url_path_query(url).n <= u->set.path_bytes;
}

/* Whether there is room for one more link of the page. */
static bool has_room(struct link_urls *u, const struct url *url, const struct link_reference *r)
{
    size_t bytes = url_href(url).n + r->context.n;
    if (bytes > u->set.link_bytes - u->bytes) {
        u->is_cut = true;
        return false;
    }
    u->bytes += bytes;
    return true;
}

bool link_urls_next(struct link_urls *u, const struct link_reference *r, struct url *ret,
                    uint64_t *ret_fingerprint)
{
    if (parse(u, r->raw, ret) != RC_OK || !url_is_http(ret))
        return false;
    url_normalise(ret, u->set.rules);
    *ret_fingerprint = url_fingerprint(ret);
    return is_holdable(u, ret) && int_set_put(&u->seen, *ret_fingerprint) && has_room(u, ret, r);
}
