/* SPDX-License-Identifier: Apache-2.0 */
#include "world/links.h"

#include "world/chance.h"
#include "world/shape.h"
#include "world/tongue.h"

#include <assert.h>

/* A list of links while it is made. What each link would ask of its page is asked once. */
struct maker {
    const struct world *w;
    struct place from; /* of a copy: the original */
    struct page page;
    enum tongue tongue;    /* of the host */
    enum tongue raw;       /* whose words may stand undecoded, besides English */
    bool any_raw;          /* all of them may */
    bool relative_allowed; /* the same bytes stand nowhere else, or there is a base */
    bool is_https;
    uint32_t pages;   /* of the host */
    uint64_t key;     /* of the page's chances */
    uint64_t manners; /* of how its links are written, one chance after another */
    struct zipf near; /* how often each page of the host is linked to */
    struct links *ret;
};

static struct zipf zipf_of_host(const struct world *w, uint32_t host)
{
    return w->settings.host_sizes == WORLD_SIZES_EQUAL ? w->zipf_pages
                                                       : zipf_of(w, host_pages(w, host));
}

static void maker_look(struct maker *m)
{
    static const enum tongue raw[CHARSET_COUNT_] = {
        [CHARSET_WINDOWS_1252] = TONGUE_LATIN,
        [CHARSET_SHIFT_JIS] = TONGUE_JAPANESE,
        [CHARSET_KOI8_R] = TONGUE_RUSSIAN,
    };
    m->page = page_of(m->w, m->from.host, m->from.page);
    if (m->page.role == PAGE_DUPLICATE || m->page.role == PAGE_NEAR_DUPLICATE) {
        m->from.page = m->page.same_as;
        m->page = page_of(m->w, m->from.host, m->from.page);
    }
    m->raw = raw[m->page.charset];
    m->any_raw = m->page.charset == CHARSET_UTF16LE ||
                 (m->page.charset == CHARSET_UTF8 && m->page.charset_said != CHARSET_UNSAID);
}

static struct maker maker_of(const struct world *w, struct place from, struct links *ret)
{
    struct maker m = {.w = w, .from = from, .ret = ret};
    if (from.kind == PLACE_PAGE)
        maker_look(&m);
    m.relative_allowed = m.page.has_base || !m.page.has_duplicate;
    m.tongue = host_tongue(w, from.host);
    m.is_https = host_is_https(w, from.host);
    m.pages = host_pages(w, from.host);
    m.key = page_key(w, from.host, m.from.page);
    m.manners = chance_at(m.key, CHANCE_LINK_MANNER + from.kind);
    m.near = zipf_of_host(w, from.host);
    return m;
}

/* How a link is written ---------------------------------------------------------------------- */

static enum link_form choose_form(const struct maker *m, struct place to, uint64_t chance)
{
    bool near = to.host == m->from.host;
    if (near && bits_share(chance, 0, 0.45))
        return m->relative_allowed ? FORM_RELATIVE : FORM_ROOT;
    if (near && bits_share(chance, 0, 0.85))
        return FORM_ROOT;
    if (bits_share(chance, 0, 0.93))
        return FORM_ABSOLUTE;
    return near || host_is_https(m->w, to.host) == m->is_https ? FORM_PROTOCOL : FORM_ABSOLUTE;
}

static bool may_be_raw(const struct maker *m, struct place to)
{
    if (to.kind != PLACE_PAGE && to.kind != PLACE_IMAGE)
        return false;
    enum tongue host = to.host == m->from.host ? m->tongue : host_tongue(m->w, to.host);
    if (host == TONGUE_ENGLISH)
        return false;
    enum tongue t = page_words(m->w, to.host, to.page).tongue;
    return t != TONGUE_ENGLISH && (m->any_raw || t == m->raw);
}

/* Of a chance whose first sixteen bits are the form's. */
static unsigned choose_quirks(const struct maker *m, struct place to, uint64_t chance)
{
    unsigned quirks = 0;
    uint64_t more = hash64_mix(chance);
    if (bits_share(chance, 16, 0.10))
        quirks |= QUIRK_ENTITIES;
    if (bits_share(chance, 32, 0.10))
        quirks |= bits_share(chance, 32, 0.04) ? QUIRK_UNQUOTED : QUIRK_SINGLE;
    if (bits_share(chance, 48, 0.03))
        quirks |= QUIRK_UPPER;
    if (bits_share(more, 0, 0.02))
        quirks |= QUIRK_SPACES;
    if (bits_share(more, 16, 0.12))
        quirks |= QUIRK_FRAGMENT;
    if (bits_share(more, 32, 0.02))
        quirks |= QUIRK_DOTS;
    if (bits_share(more, 48, 0.5) && may_be_raw(m, to))
        quirks |= QUIRK_RAW_CHARS;
    return quirks;
}

static unsigned quirks_allowed(enum link_kind kind)
{
    unsigned none_of_place = ~(unsigned)QUIRK_FRAGMENT;
    switch (kind) {
    case LINK_A:
    case LINK_A_NOFOLLOW:
    case LINK_AREA:
    case LINK_IFRAME:
        return ~0u;
    case LINK_IMAGE:
    case LINK_STYLE:
    case LINK_SCRIPT:
    case LINK_ICON:
    case LINK_FEED:
        return none_of_place;
    case LINK_CSS_URL:
        return QUIRK_SINGLE | QUIRK_UNQUOTED | QUIRK_DOTS;
    case LINK_REFRESH:
    case LINK_LISTED:
    case LINK_LOCATION:
        return 0;
    }
    return 0;
}

static void add(struct maker *m, struct place to, enum link_kind kind)
{
    struct links *r = m->ret;
    assert(r->count < WORLD_MAX_LINKS);
    uint64_t chance = chance_at(m->manners, r->count);
    struct link *l = &r->list[r->count++];
    *l = (struct link){.to = to, .kind = kind, .form = FORM_ABSOLUTE};
    if (kind == LINK_LISTED)
        return;
    l->form = choose_form(m, to, chance);
    l->quirks = choose_quirks(m, to, chance) & quirks_allowed(kind);
}

static struct place page_at(uint32_t host, uint32_t page)
{
    return (struct place){host, PLACE_PAGE, page, 0};
}

static struct place of_host(const struct maker *m, enum place_kind kind)
{
    return (struct place){m->from.host, kind, 0, 0};
}

/* What a page links to ----------------------------------------------------------------------- */

static void add_head(struct maker *m)
{
    uint64_t chance = chance_at(m->key, CHANCE_REFRESH);
    add(m, of_host(m, PLACE_STYLE), LINK_STYLE);
    add(m, of_host(m, PLACE_SCRIPT), LINK_SCRIPT);
    add(m, of_host(m, PLACE_ICON), LINK_ICON);
    add(m, of_host(m, PLACE_FEED), LINK_FEED);
    if (chance_share(chance, m->w->settings.demo ? 0 : 0.01)) {
        uint32_t to = (uint32_t)zipf_pick(&m->near, hash64_mix(chance));
        add(m, page_at(m->from.host, to), LINK_REFRESH);
    }
}

/* Where the body's links lead, before they are written down. */
struct body {
    struct place to[SHAPE_MOST_LINKS + SHAPE_MOST_HOST_BRANCHES + SHAPE_RUN];
    uint32_t count;
};

static void body_add_tree(const struct maker *m, struct body *b)
{
    uint32_t branches = page_branching(m->w, m->from.host);
    uint64_t from = (uint64_t)branches * m->from.page + 1;
    uint64_t last = (uint64_t)branches * page_normal_after(m->w, m->from.host, m->from.page);
    for (uint64_t p = from; p <= last && p < m->pages; p++)
        b->to[b->count++] = page_at(m->from.host, (uint32_t)p);
}

static void body_add_hosts(const struct maker *m, struct body *b)
{
    uint64_t branches = host_branching(m->w), from = branches * m->from.host + 1;
    for (uint64_t h = from; h < from + branches && h < m->w->settings.hosts; h++)
        b->to[b->count++] = page_at((uint32_t)h, 0);
}

/* A page of another host: half the time its home. */
static struct place far_page(const struct maker *m, uint64_t chance)
{
    uint32_t host = (uint32_t)zipf_pick(&m->w->zipf_hosts, chance);
    if (host == m->from.host)
        host = (uint32_t)((host + 1) % m->w->settings.hosts);
    chance = hash64_mix(chance + 1);
    if (chance & 1)
        return page_at(host, 0);
    struct zipf there = zipf_of_host(m->w, host);
    return page_at(host, (uint32_t)zipf_pick(&there, chance));
}

/* A larger page has more links, though not in proportion; the mean is what was asked for. */
static uint32_t links_wanted(const struct maker *m)
{
    const struct world_settings *s = &m->w->settings;
    double e = page_size_exponent(m->w, m->key);
    double wanted = (double)s->links * exp(e / 2 - s->page_spread * s->page_spread / 8);
    uint64_t whole = (uint64_t)(wanted + 0.5);
    return whole < SHAPE_MOST_LINKS ? (uint32_t)whole : SHAPE_MOST_LINKS;
}

static void body_add_chosen(const struct maker *m, struct body *b)
{
    const struct world_settings *s = &m->w->settings;
    uint32_t wanted = links_wanted(m);
    uint64_t key = chance_at(m->key, CHANCE_LINK);
    if (b->count >= wanted)
        return;
    double far = s->hosts < 2 ? 0 : s->cross * wanted / (wanted - b->count);
    for (uint32_t i = b->count; i < wanted; i++) {
        uint64_t chance = chance_at(key, i), where = hash64_mix(chance);
        if (chance_share(chance, far))
            b->to[b->count++] = far_page(m, where);
        else
            b->to[b->count++] = page_at(m->from.host, (uint32_t)zipf_pick(&m->near, where));
    }
}

/* Only a link that nobody's way depends on says nofollow. */
static enum link_kind body_kind(const struct maker *m, uint64_t chance, bool is_on_the_way)
{
    double at = chance_unit(chance);
    if (m->w->settings.demo)
        return LINK_A;
    if (at < 0.006)
        return LINK_IFRAME;
    if (at < 0.018)
        return LINK_AREA;
    return at < 0.04 && !is_on_the_way ? LINK_A_NOFOLLOW : LINK_A;
}

/* Every second image is the other candidate of the one before it. */
static void add_image(struct maker *m, uint32_t nth)
{
    struct place to = {m->from.host, PLACE_IMAGE, m->from.page, nth};
    add(m, to, LINK_IMAGE);
    struct link *l = &m->ret->list[m->ret->count - 1];
    if (nth & 1)
        l->quirks = (l->quirks & QUIRK_RAW_CHARS) | QUIRK_SRCSET;
}

static void add_body(struct maker *m, const struct body *b, uint32_t on_the_way)
{
    uint32_t images = m->page.images, done = 0;
    uint64_t kinds = chance_at(m->key, CHANCE_KIND);
    for (uint32_t i = 0; i <= b->count; i++) {
        while (done < images && (uint64_t)(done & ~1u) * b->count < (uint64_t)i * images)
            add_image(m, done++);
        if (i < b->count)
            add(m, b->to[i], body_kind(m, chance_at(kinds, i), i < on_the_way));
    }
    while (done < images)
        add_image(m, done++);
}

static void add_page_links(struct maker *m)
{
    struct body b;
    b.count = 0;
    if (m->page.role == PAGE_REDIRECT) {
        add(m, m->page.target, LINK_LOCATION);
        return;
    }
    add_head(m);
    if (m->from.page != 0)
        b.to[b.count++] = page_at(m->from.host, 0);
    if (m->page.role == PAGE_NORMAL)
        body_add_tree(m, &b);
    if (m->from.page == 0)
        body_add_hosts(m, &b);
    uint32_t on_the_way = b.count;
    body_add_chosen(m, &b);
    add_body(m, &b, on_the_way);
}

static void add_listed(struct maker *m, uint32_t from, uint32_t to)
{
    for (uint32_t p = from; p < to; p++)
        if (sitemap_lists(m->w, m->from.host, p))
            add(m, page_at(m->from.host, p), LINK_LISTED);
}

static void add_sitemaps(struct maker *m)
{
    struct place to = of_host(m, PLACE_SITEMAP);
    for (uint32_t count = host_robots(m->w, to.host).sitemaps; to.nth < count; to.nth++)
        add(m, to, LINK_LISTED);
}

void links_of(const struct world *w, struct place from, struct links *ret)
{
    uint32_t first, end;
    struct maker m = maker_of(w, from, ret);
    ret->count = 0;
    switch (from.kind) {
    case PLACE_PAGE:
        add_page_links(&m);
        break;
    case PLACE_STYLE:
        add(&m, of_host(&m, PLACE_STYLE_IMAGE), LINK_CSS_URL);
        break;
    case PLACE_SITEMAP_INDEX:
        add_sitemaps(&m);
        break;
    case PLACE_SITEMAP:
        sitemap_range(w, from.host, from.nth, &first, &end);
        add_listed(&m, first, end);
        break;
    case PLACE_FEED:
        add_listed(&m, m.pages > FEED_ITEMS ? m.pages - FEED_ITEMS : 0, m.pages);
        break;
    default:
        break;
    }
}
