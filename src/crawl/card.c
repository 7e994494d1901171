/* SPDX-License-Identifier: Apache-2.0 */
/* The stored form, little endian:
 *     version 1, flags 1 (1: listed, 2: with robots), pages 8, bytes 8, failures 4, tries 4,
 *     dead code 4; with version 3: sitemaps 8, URLs of sitemaps 8, bytes of URLs 8 that it has
 *     brought; with robots: count 1, and for each
 *     port 2, flags 1 (1: https, 2: failing, 4: rules), asked 8, had 8, failures 4, and with rules:
 *     length 4, rules (robots_store)
 *
 * with origins: version 1 (2), length 4, the form above, count 1, and for each
 *     port 2, https 1, failures 4, tries 4, dead code 4, next moment by the wall clock 8 */
#include "crawl/card.h"

#include "base/mem.h"
#include "base/taker.h"

enum { CARD_ALL_VERSION = 2 };
enum { CARD_VERSION = 1, CARD_BROUGHT_VERSION = 3 };
enum { CARD_LISTED = 1, CARD_WITH_ROBOTS = 2, CARD_FLAGS = 3 };
enum { ORIGIN_HTTPS = 1, ORIGIN_FAILING = 2, ORIGIN_RULES = 4, ORIGIN_FLAGS = 7 };

static void robots_done(struct card_robots *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        robots_free(list[i].rules);
    mem_free(list);
}

static void card_close(void *extra)
{
    struct card *c = extra;
    robots_done(c->robots, c->robots_count);
    mem_free(c->addresses);
    mem_free(c->origins);
    mem_free(c);
}

struct card *card_of(struct host *h)
{
    struct card *c = host_extra(h);
    if (c)
        return c;
    c = mem_zero(1, sizeof *c);
    if (c)
        host_set_extra(h, c, card_close);
    return c;
}

const struct card *card_if(const struct host *h)
{
    return host_extra(h);
}

struct card_robots *card_robots_of(const struct card *c, bool is_https, uint16_t port)
{
    for (uint8_t i = 0; i < c->robots_count; i++)
        if (c->robots[i].port == port && c->robots[i].is_https == is_https)
            return &c->robots[i];
    return NULL;
}

static struct card_robots *oldest(struct card *c)
{
    struct card_robots *r = &c->robots[0];
    for (uint8_t i = 1; i < c->robots_count; i++)
        if (c->robots[i].asked_wall_ms < r->asked_wall_ms)
            r = &c->robots[i];
    return r;
}

/* A place for an origin that has none, zeroed. */
static struct card_robots *robots_add(struct card *c)
{
    struct card_robots *r;
    if (c->robots_count == CARD_MAX_ORIGINS) {
        r = oldest(c);
        robots_free(r->rules);
    } else {
        r = mem_resize(c->robots, (c->robots_count + 1u) * sizeof *r);
        if (!r)
            return NULL;
        c->robots = r;
        r = &c->robots[c->robots_count++];
    }
    *r = (struct card_robots){0};
    return r;
}

enum rc card_set_robots(struct card *c, bool is_https, uint16_t port, const struct robots *rules,
                        bool is_failing, int64_t wall_ms)
{
    struct card_robots *r = card_robots_of(c, is_https, port);
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

/* Writing ------------------------------------------------------------------------------------ */

static void write_rules(const struct robots *rules, struct buf *out)
{
    size_t at = out->n;
    buf_le32(out, 0);
    robots_store(rules, out);
    if (!buf_rc(out))
        put_le32(out->p + at, (uint32_t)(out->n - at - 4));
}

static void write_robots(const struct card_robots *r, struct buf *out)
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

void card_write(const struct card *c, bool with_robots, struct buf *out)
{
    bool brought = has_brought(&c->brought);
    buf_byte(out, (char)(brought ? CARD_BROUGHT_VERSION : CARD_VERSION));
    buf_byte(out, (char)((c->is_listed ? CARD_LISTED : 0) | (with_robots ? CARD_WITH_ROBOTS : 0)));
    buf_le64(out, c->pages);
    buf_le64(out, c->bytes);
    buf_le32(out, c->failures);
    buf_le32(out, c->tries);
    buf_le32(out, (uint32_t)c->dead_code);
    if (brought)
        write_brought(&c->brought, out);
    if (!with_robots)
        return;
    buf_byte(out, (char)c->robots_count);
    for (uint8_t i = 0; i < c->robots_count; i++)
        write_robots(&c->robots[i], out);
}

/* Reading ------------------------------------------------------------------------------------ */

static enum rc read_rules(struct taker *t, struct card_robots *r)
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

static enum rc read_robots(struct taker *t, struct card_robots *r)
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

/* Puts the list in place of the card's; the card's own stays on any failure. */
static enum rc read_all_robots(struct card *fresh, struct taker *t)
{
    uint8_t count = take_u8(t);
    fresh->robots = NULL;
    fresh->robots_count = 0;
    if (t->bad || count > CARD_MAX_ORIGINS)
        return RC_CORRUPT;
    if (!count)
        return RC_OK;
    fresh->robots = mem_zero(count, sizeof *fresh->robots);
    if (!fresh->robots)
        return RC_NOMEM;
    enum rc rc = RC_OK;
    while (fresh->robots_count < count && rc == RC_OK)
        rc = read_robots(t, &fresh->robots[fresh->robots_count++]);
    for (uint8_t i = 0; i < count && rc == RC_OK; i++) /* an origin twice is no card of ours */
        if (card_robots_of(fresh, fresh->robots[i].is_https, fresh->robots[i].port) !=
            &fresh->robots[i])
            rc = RC_CORRUPT;
    if (rc)
        robots_done(fresh->robots, fresh->robots_count);
    return rc;
}

static struct brought read_brought(struct taker *t)
{
    struct brought b = {.sitemaps = take_u64(t)};
    b.sitemap_urls = take_u64(t);
    b.url_bytes = take_u64(t);
    return b;
}

enum rc card_read(struct card *c, struct str bytes)
{
    struct taker t = {.rest = bytes};
    struct card fresh = *c;
    uint8_t version = take_u8(&t);
    if (version != CARD_VERSION && version != CARD_BROUGHT_VERSION)
        return bytes.n ? RC_VERSION : RC_CORRUPT;
    uint8_t flags = take_u8(&t);
    fresh.is_listed = flags & CARD_LISTED;
    fresh.pages = take_u64(&t);
    fresh.bytes = take_u64(&t);
    fresh.failures = take_u32(&t);
    fresh.tries = take_u32(&t);
    fresh.dead_code = (int32_t)take_u32(&t);
    fresh.brought = version == CARD_BROUGHT_VERSION ? read_brought(&t) : (struct brought){0};
    if (t.bad || flags & ~CARD_FLAGS)
        return RC_CORRUPT;
    bool has_robots = flags & CARD_WITH_ROBOTS;
    enum rc rc = has_robots ? read_all_robots(&fresh, &t) : RC_OK;
    if (rc)
        return rc;
    if (t.rest.n) {
        if (has_robots)
            robots_done(fresh.robots, fresh.robots_count);
        return RC_CORRUPT;
    }
    if (has_robots)
        robots_done(c->robots, c->robots_count);
    *c = fresh;
    return RC_OK;
}

uint64_t card_delay_ms(const struct card *c)
{
    uint64_t longest = 0;
    for (uint8_t i = 0; i < c->robots_count; i++) {
        uint32_t ms = 0;
        if (c->robots[i].rules && robots_delay_ms(c->robots[i].rules, &ms) && ms > longest)
            longest = ms;
    }
    return longest;
}

size_t card_bytes(const struct card *c)
{
    size_t bytes = sizeof *c + c->robots_count * sizeof *c->robots +
                   c->address_count * sizeof *c->addresses + c->origin_count * sizeof *c->origins;
    for (uint8_t i = 0; i < c->robots_count; i++)
        bytes += c->robots[i].rules ? robots_bytes(c->robots[i].rules) : 0;
    return bytes;
}

struct card_origin *card_origin_of(struct card *c, bool is_https, uint16_t port, bool make)
{
    for (uint8_t i = 0; i < c->origin_count; i++)
        if (c->origins[i].is_https == is_https && c->origins[i].port == port)
            return &c->origins[i];
    if (!make || c->origin_count == CARD_MAX_ORIGINS)
        return NULL;
    size_t bytes = (c->origin_count + 1u) * sizeof *c->origins;
    struct card_origin *list = mem_resize(c->origins, bytes);
    if (!list)
        return NULL;
    c->origins = list;
    list[c->origin_count] = (struct card_origin){.port = port, .is_https = is_https};
    return &list[c->origin_count++];
}

void card_origin_is_well(struct card *c, bool is_https, uint16_t port)
{
    struct card_origin *o = card_origin_of(c, is_https, port, false);
    if (!o)
        return;
    o->failures = 0;
    o->tries = 0;
    o->trial = 0;
    o->next_ms = 0;
}

/* With origins --------------------------------------------------------------------------------- */

void card_write_all(const struct card *c, const struct card_clocks *t, bool with_robots,
                    struct buf *out)
{
    if (!c->origin_count) {
        card_write(c, with_robots, out);
        return;
    }
    buf_byte(out, CARD_ALL_VERSION);
    size_t at = out->n;
    buf_le32(out, 0);
    card_write(c, with_robots, out);
    if (buf_rc(out))
        return;
    put_le32(out->p + at, (uint32_t)(out->n - at - 4));
    buf_byte(out, (char)c->origin_count);
    for (uint8_t i = 0; i < c->origin_count; i++) {
        const struct card_origin *o = &c->origins[i];
        buf_le16(out, o->port);
        buf_byte(out, (char)o->is_https);
        buf_le32(out, o->failures);
        buf_le32(out, o->tries);
        buf_le32(out, (uint32_t)o->dead_code);
        buf_le64(out, o->next_ms > t->now_ms ? t->wall_ms + (o->next_ms - t->now_ms) : 0);
    }
}

static uint64_t moment_of(const struct card_clocks *t, uint64_t wall_ms)
{
    uint64_t wait_ms = wall_ms > t->wall_ms ? wall_ms - t->wall_ms : 0;
    if (!wait_ms)
        return 0;
    return t->now_ms + (wait_ms < t->most_wait_ms ? wait_ms : t->most_wait_ms);
}

static enum rc read_origins(struct card *c, const struct card_clocks *t, struct taker *from)
{
    uint8_t count = take_u8(from);
    for (uint8_t i = 0; i < count && !from->bad; i++) {
        uint16_t port = take_u16(from);
        uint8_t https = take_u8(from);
        struct card_origin o = {.port = port, .is_https = https == 1};
        o.failures = take_u32(from);
        o.tries = take_u32(from);
        o.dead_code = (int32_t)take_u32(from);
        o.next_ms = moment_of(t, take_u64(from));
        if (from->bad || https > 1 || count > CARD_MAX_ORIGINS)
            return RC_CORRUPT;
        struct card_origin *to = card_origin_of(c, o.is_https, o.port, true);
        if (!to)
            return RC_NOMEM;
        *to = o;
    }
    return from->bad || from->rest.n ? RC_CORRUPT : RC_OK;
}

enum rc card_read_all(struct card *c, const struct card_clocks *t, struct str bytes)
{
    struct taker from = {.rest = bytes};
    if (take_u8(&from) != CARD_ALL_VERSION)
        return card_read(c, bytes);
    struct str plain = take_str32(&from);
    enum rc rc = from.bad ? RC_CORRUPT : card_read(c, plain);
    return rc ? rc : read_origins(c, t, &from);
}
