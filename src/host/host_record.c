/* SPDX-License-Identifier: Apache-2.0 */
/* The stored form, little endian:
 *     version 1, flags 1 (1: listed, 2: with robots), pages 8, bytes 8, failures 4, tries 4,
 *     dead code 4; with version 3: sitemaps 8, URLs of sitemaps 8, bytes of URLs 8 that it has
 *     brought; with version 4: as with version 3, then the key of `tries` 8, count 1, and for each
 *     URL that was asked for in vain: key 8, tries 4; with version 5: as with version 4, then the
 *     version of HTTP 1 (enum host_http); with version 6: as with version 5, then where its
 *     robots.txt redirects to: port 2, https 1, redirects 1, length 4, URL; with robots: count 1, and
 *     for each
 *     port 2, flags 1 (1: https, 2: failing, 4: rules), asked 8, had 8, failures 4, and with rules:
 *     length 4, rules (robots_store)
 *
 * with origins: version 1 (2), length 4, the form above, count 1, and for each
 *     port 2, https 1, failures 4, unused 4, dead code 4, next moment by the wall clock 8 */
#include "host/host_redirect.h"

#include "base/mem.h"
#include "base/taker.h"

enum { HOST_RECORD_ALL_VERSION = 2 };
enum {
    HOST_RECORD_VERSION = 1,
    HOST_RECORD_BROUGHT_VERSION = 3,
    HOST_RECORD_TRIED_VERSION = 4,
    HOST_RECORD_HTTP_VERSION = 5,
    HOST_RECORD_REDIRECT_VERSION = 6,
};
enum { HOST_RECORD_LISTED = 1, HOST_RECORD_WITH_ROBOTS = 2, HOST_RECORD_FLAGS = 3 };
enum { ORIGIN_HTTPS = 1, ORIGIN_FAILING = 2, ORIGIN_RULES = 4, ORIGIN_FLAGS = 7 };

static void robots_done(struct host_robots *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        robots_free(list[i].rules);
    mem_free(list);
}

struct host_record *host_record_open(void)
{
    return mem_zero(1, sizeof(struct host_record));
}

void host_record_close(void *record)
{
    struct host_record *c = record;
    if (!c)
        return;
    robots_done(c->robots, c->robots_count);
    mem_free(c->addresses);
    mem_free(c->refused);
    mem_free(c->redirect);
    mem_free(c->origins);
    mem_free(c->tried);
    mem_free(c);
}

struct host_robots *host_robots_of(const struct host_record *c, bool is_https, uint16_t port)
{
    for (uint8_t i = 0; i < c->robots_count; i++)
        if (c->robots[i].port == port && c->robots[i].is_https == is_https)
            return &c->robots[i];
    return NULL;
}

static struct host_robots *oldest(struct host_record *c)
{
    struct host_robots *r = &c->robots[0];
    for (uint8_t i = 1; i < c->robots_count; i++)
        if (c->robots[i].asked_wall_ms < r->asked_wall_ms)
            r = &c->robots[i];
    return r;
}

/* The entry of an origin that has none, zeroed; NULL without memory. */
static struct host_robots *robots_add(struct host_record *c)
{
    struct host_robots *r;
    if (c->robots_count == HOST_RECORD_MAX_ORIGINS) {
        r = oldest(c);
        robots_free(r->rules);
    } else {
        r = mem_resize(c->robots, (c->robots_count + 1u) * sizeof *r);
        if (!r)
            return NULL;
        c->robots = r;
        r = &c->robots[c->robots_count++];
    }
    *r = (struct host_robots){0};
    return r;
}

enum rc host_record_set_robots(struct host_record *c, bool is_https, uint16_t port,
                               const struct robots *rules, bool is_failing, int64_t wall_ms)
{
    struct host_robots *r = host_robots_of(c, is_https, port);
    if (!r && !(r = robots_add(c))) {
        robots_free(rules);
        return RC_NOMEM;
    }
    r->port = port;
    r->is_https = is_https;
    r->is_failing = is_failing;
    r->asked_wall_ms = wall_ms;
    r->failures = is_failing ? r->failures + 1 : 0;
    if (!is_failing)
        r->had_wall_ms = wall_ms;
    if (rules) {
        robots_free(r->rules);
        r->rules = rules;
    }
    return RC_OK;
}

void host_record_set_addresses(struct host_record *c, const struct address *list, size_t count,
                               uint64_t until_ms)
{
    size_t most = count < HOST_RECORD_MAX_ADDRESSES ? count : HOST_RECORD_MAX_ADDRESSES;
    struct address *kept = most ? mem_resize(c->addresses, most * sizeof *kept) : NULL;
    if (!kept)
        return;
    memcpy(kept, list, most * sizeof *kept);
    c->addresses = kept;
    c->address_count = (uint8_t)most;
    c->addresses_until_ms = until_ms;
}

/* Writing ------------------------------------------------------------------------------------ */

static void write_rules(const struct robots *rules, struct buf *out)
{
    size_t at = out->n;
    buf_le32(out, 0);
    robots_store(rules, out);
    if (!buf_rc(out))
        put_le32(out->p + at, (uint32_t)(out->n - at - 4));
}

static void write_robots(const struct host_robots *r, struct buf *out)
{
    buf_le16(out, r->port);
    buf_byte(out, (char)((r->is_https ? ORIGIN_HTTPS : 0) | (r->is_failing ? ORIGIN_FAILING : 0) |
                         (r->rules ? ORIGIN_RULES : 0)));
    buf_le64(out, (uint64_t)r->asked_wall_ms);
    buf_le64(out, (uint64_t)r->had_wall_ms);
    buf_le32(out, r->failures);
    if (r->rules)
        write_rules(r->rules, out);
}

static bool has_brought(const struct brought *b)
{
    return b->sitemaps || b->sitemap_urls || b->url_bytes;
}

static void write_brought(const struct brought *b, struct buf *out)
{
    buf_le64(out, b->sitemaps);
    buf_le64(out, b->sitemap_urls);
    buf_le64(out, b->url_bytes);
}

static void write_tried(const struct host_record *c, struct buf *out)
{
    buf_le64(out, c->tries_key);
    buf_byte(out, (char)c->tried_count);
    for (uint8_t i = 0; i < c->tried_count; i++) {
        buf_le64(out, c->tried[i].key);
        buf_le32(out, c->tried[i].tries);
    }
}

static void write_redirect(const struct host_redirect *r, struct buf *out)
{
    buf_le16(out, r->port);
    buf_byte(out, (char)r->is_https);
    buf_byte(out, (char)r->count);
    buf_le32(out, r->url_bytes);
    buf_add(out, str_make(r->url, r->url_bytes));
}

/* The oldest version that has all there is to tell. */
static uint8_t version_of(const struct host_record *c)
{
    if (c->redirect)
        return HOST_RECORD_REDIRECT_VERSION;
    if (c->http)
        return HOST_RECORD_HTTP_VERSION;
    if (c->tries_key || c->tried_count)
        return HOST_RECORD_TRIED_VERSION;
    return has_brought(&c->brought) ? HOST_RECORD_BROUGHT_VERSION : HOST_RECORD_VERSION;
}

void host_record_write(const struct host_record *c, bool with_robots, struct buf *out)
{
    uint8_t version = version_of(c);
    buf_byte(out, (char)version);
    buf_byte(out, (char)((c->is_listed ? HOST_RECORD_LISTED : 0) |
                         (with_robots ? HOST_RECORD_WITH_ROBOTS : 0)));
    buf_le64(out, c->pages);
    buf_le64(out, c->bytes);
    buf_le32(out, c->failures);
    buf_le32(out, c->tries);
    buf_le32(out, (uint32_t)c->dead_code);
    if (version >= HOST_RECORD_BROUGHT_VERSION)
        write_brought(&c->brought, out);
    if (version >= HOST_RECORD_TRIED_VERSION)
        write_tried(c, out);
    if (version >= HOST_RECORD_HTTP_VERSION)
        buf_byte(out, (char)c->http);
    if (version >= HOST_RECORD_REDIRECT_VERSION)
        write_redirect(c->redirect, out);
    if (!with_robots)
        return;
    buf_byte(out, (char)c->robots_count);
    for (uint8_t i = 0; i < c->robots_count; i++)
        write_robots(&c->robots[i], out);
}

/* Reading ------------------------------------------------------------------------------------ */

static enum rc read_rules(struct taker *t, struct host_robots *r)
{
    struct robots *rules = NULL;
    struct str bytes = take_str32(t);
    if (t->bad)
        return RC_CORRUPT;
    enum rc rc = robots_load(bytes, &rules);
    if (rc == RC_OK)
        r->rules = rules;
    return rc;
}

static enum rc read_robots(struct taker *t, struct host_robots *r)
{
    r->port = take_u16(t);
    uint8_t flags = take_u8(t);
    r->is_https = flags & ORIGIN_HTTPS;
    r->is_failing = flags & ORIGIN_FAILING;
    r->asked_wall_ms = (int64_t)take_u64(t);
    r->had_wall_ms = (int64_t)take_u64(t);
    r->failures = take_u32(t);
    if (t->bad || flags & ~ORIGIN_FLAGS)
        return RC_CORRUPT;
    return flags & ORIGIN_RULES ? read_rules(t, r) : RC_OK;
}

/* Puts the list in place of the record's; the record's own stays on any failure. */
static enum rc read_all_robots(struct host_record *fresh, struct taker *t)
{
    uint8_t count = take_u8(t);
    fresh->robots = NULL;
    fresh->robots_count = 0;
    if (t->bad || count > HOST_RECORD_MAX_ORIGINS)
        return RC_CORRUPT;
    if (!count)
        return RC_OK;
    fresh->robots = mem_zero(count, sizeof *fresh->robots);
    if (!fresh->robots)
        return RC_NOMEM;
    enum rc rc = RC_OK;
    while (fresh->robots_count < count && rc == RC_OK)
        rc = read_robots(t, &fresh->robots[fresh->robots_count++]);
    for (uint8_t i = 0; i < count && rc == RC_OK; i++) /* a record has no origin twice */
        if (host_robots_of(fresh, fresh->robots[i].is_https, fresh->robots[i].port) !=
            &fresh->robots[i])
            rc = RC_CORRUPT;
    return rc;
}

static struct brought read_brought(struct taker *t)
{
    struct brought b = {.sitemaps = take_u64(t)};
    b.sitemap_urls = take_u64(t);
    b.url_bytes = take_u64(t);
    return b;
}

/* Puts the list in place of the record's; the record's own stays on any failure. */
static enum rc read_tried(struct host_record *fresh, struct taker *t)
{
    fresh->tries_key = take_u64(t);
    uint8_t count = take_u8(t);
    if (t->bad || count > HOST_RECORD_MAX_TRIED)
        return RC_CORRUPT;
    if (!count)
        return RC_OK;
    struct host_tried *list = mem_zero(count, sizeof *list);
    if (!list)
        return RC_NOMEM;
    for (uint8_t i = 0; i < count; i++) {
        list[i].key = take_u64(t);
        list[i].tries = take_u32(t);
    }
    fresh->tried = list;
    fresh->tried_count = count;
    return RC_OK;
}

/* Puts it in place of the record's; the record's own stays on any failure. */
static enum rc read_redirect(struct host_record *fresh, struct taker *t)
{
    uint16_t port = take_u16(t);
    uint8_t https = take_u8(t), count = take_u8(t);
    struct str url = take_str32(t);
    if (t->bad || https > 1 || !url.n)
        return RC_CORRUPT;
    host_redirect_set(fresh, https, port, url, count);
    return fresh->redirect ? RC_OK : RC_NOMEM;
}

/* What stands before the rules. */
static enum rc read_counts(struct host_record *fresh, uint8_t version, struct taker *t)
{
    fresh->pages = take_u64(t);
    fresh->bytes = take_u64(t);
    fresh->failures = take_u32(t);
    fresh->tries = take_u32(t);
    fresh->dead_code = (int32_t)take_u32(t);
    fresh->brought = version >= HOST_RECORD_BROUGHT_VERSION ? read_brought(t) : (struct brought){0};
    enum rc rc = version >= HOST_RECORD_TRIED_VERSION ? read_tried(fresh, t) : RC_OK;
    fresh->http = rc == RC_OK && version >= HOST_RECORD_HTTP_VERSION ? take_u8(t) : HOST_HTTP_1_1;
    if (rc == RC_OK && fresh->http >= HOST_HTTP_STATES_)
        rc = RC_CORRUPT;
    return rc == RC_OK && version >= HOST_RECORD_REDIRECT_VERSION ? read_redirect(fresh, t) : rc;
}

static enum rc read_fresh(struct host_record *fresh, uint8_t version, struct taker *t)
{
    uint8_t flags = take_u8(t);
    fresh->is_listed = flags & HOST_RECORD_LISTED;
    enum rc rc = read_counts(fresh, version, t);
    if (rc)
        return rc;
    if (t->bad || flags & ~HOST_RECORD_FLAGS)
        return RC_CORRUPT;
    rc = flags & HOST_RECORD_WITH_ROBOTS ? read_all_robots(fresh, t) : RC_OK;
    return rc == RC_OK && t->rest.n ? RC_CORRUPT : rc;
}

/* Frees what `gone` has and `stays` has not. */
static void free_replaced(struct host_record *gone, const struct host_record *stays)
{
    if (gone->robots != stays->robots)
        robots_done(gone->robots, gone->robots_count);
    mem_free(gone->tried);
    mem_free(gone->redirect);
}

enum rc host_record_read(struct host_record *c, struct str bytes)
{
    struct taker t = {.rest = bytes};
    struct host_record fresh = *c;
    uint8_t version = take_u8(&t);
    if (version < HOST_RECORD_VERSION || version > HOST_RECORD_REDIRECT_VERSION ||
        version == HOST_RECORD_ALL_VERSION)
        return bytes.n ? RC_VERSION : RC_CORRUPT;
    fresh.tries_key = 0;
    fresh.tried_count = 0;
    fresh.tried = NULL;
    fresh.redirect = NULL;
    enum rc rc = read_fresh(&fresh, version, &t);
    if (rc) {
        free_replaced(&fresh, c);
        return rc;
    }
    free_replaced(c, &fresh);
    *c = fresh;
    return RC_OK;
}

uint64_t host_record_delay_ms(const struct host_record *c)
{
    uint64_t longest = 0;
    for (uint8_t i = 0; i < c->robots_count; i++) {
        uint32_t ms = 0;
        if (c->robots[i].rules && robots_delay_ms(c->robots[i].rules, &ms) && ms > longest)
            longest = ms;
    }
    return longest;
}

size_t host_record_bytes(const struct host_record *c)
{
    size_t bytes = sizeof *c + c->robots_count * sizeof *c->robots +
                   c->address_count * sizeof *c->addresses + c->origin_count * sizeof *c->origins +
                   c->refused_count * sizeof *c->refused + c->tried_count * sizeof *c->tried;
    for (uint8_t i = 0; i < c->robots_count; i++)
        bytes += c->robots[i].rules ? robots_bytes(c->robots[i].rules) : 0;
    return bytes + (c->redirect ? sizeof *c->redirect + c->redirect->url_bytes : 0);
}

struct host_origin *host_origin_of(struct host_record *c, bool is_https, uint16_t port, bool make)
{
    for (uint8_t i = 0; i < c->origin_count; i++)
        if (c->origins[i].is_https == is_https && c->origins[i].port == port)
            return &c->origins[i];
    if (!make || c->origin_count == HOST_RECORD_MAX_ORIGINS)
        return NULL;
    size_t bytes = (c->origin_count + 1u) * sizeof *c->origins;
    struct host_origin *list = mem_resize(c->origins, bytes);
    if (!list)
        return NULL;
    c->origins = list;
    list[c->origin_count] = (struct host_origin){.port = port, .is_https = is_https};
    return &list[c->origin_count++];
}

void host_origin_is_well(struct host_record *c, bool is_https, uint16_t port)
{
    struct host_origin *o = host_origin_of(c, is_https, port, false);
    if (!o)
        return;
    o->failures = 0;
    o->trial = 0;
    o->next_ms = 0;
}

/* With origins --------------------------------------------------------------------------------- */

void host_record_write_all(const struct host_record *c, const struct host_record_clocks *t,
                           bool with_robots, struct buf *out)
{
    if (!c->origin_count) {
        host_record_write(c, with_robots, out);
        return;
    }
    buf_byte(out, HOST_RECORD_ALL_VERSION);
    size_t at = out->n;
    buf_le32(out, 0);
    host_record_write(c, with_robots, out);
    if (buf_rc(out))
        return;
    put_le32(out->p + at, (uint32_t)(out->n - at - 4));
    buf_byte(out, (char)c->origin_count);
    for (uint8_t i = 0; i < c->origin_count; i++) {
        const struct host_origin *o = &c->origins[i];
        buf_le16(out, o->port);
        buf_byte(out, (char)o->is_https);
        buf_le32(out, o->failures);
        buf_le32(out, 0); /* an earlier version had tries here, and never used them */
        buf_le32(out, (uint32_t)o->dead_code);
        buf_le64(out, o->next_ms > t->now_ms ? t->wall_ms + (o->next_ms - t->now_ms) : 0);
    }
}

static uint64_t moment_of(const struct host_record_clocks *t, uint64_t wall_ms)
{
    uint64_t wait_ms = wall_ms > t->wall_ms ? wall_ms - t->wall_ms : 0;
    if (!wait_ms)
        return 0;
    return t->now_ms + (wait_ms < t->most_wait_ms ? wait_ms : t->most_wait_ms);
}

static enum rc read_origins(struct host_record *c, const struct host_record_clocks *t,
                            struct taker *from)
{
    uint8_t count = take_u8(from);
    for (uint8_t i = 0; i < count && !from->bad; i++) {
        uint16_t port = take_u16(from);
        uint8_t https = take_u8(from);
        struct host_origin o = {.port = port, .is_https = https == 1};
        o.failures = take_u32(from);
        (void)take_u32(from);
        o.dead_code = (int32_t)take_u32(from);
        o.next_ms = moment_of(t, take_u64(from));
        if (from->bad || https > 1 || count > HOST_RECORD_MAX_ORIGINS)
            return RC_CORRUPT;
        struct host_origin *to = host_origin_of(c, o.is_https, o.port, true);
        if (!to)
            return RC_NOMEM;
        *to = o;
    }
    return from->bad || from->rest.n ? RC_CORRUPT : RC_OK;
}

enum rc host_record_read_all(struct host_record *c, const struct host_record_clocks *t,
                             struct str bytes)
{
    struct taker from = {.rest = bytes};
    if (take_u8(&from) != HOST_RECORD_ALL_VERSION)
        return host_record_read(c, bytes);
    struct str plain = take_str32(&from);
    enum rc rc = from.bad ? RC_CORRUPT : host_record_read(c, plain);
    return rc ? rc : read_origins(c, t, &from);
}
