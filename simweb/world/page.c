/* SPDX-License-Identifier: Apache-2.0 */
#include "world/chance.h"
#include "world/shape.h"
#include "world/words.h"

/* Most pages are normal, which one comparison says. */
enum page_role page_role_by(const struct world *w, uint32_t host, uint32_t page, uint64_t key)
{
    static const enum page_role roles[WORLD_ROLES] = {PAGE_DUPLICATE, PAGE_NEAR_DUPLICATE,
                                                      PAGE_REDIRECT, PAGE_FORBIDDEN, PAGE_NOFOLLOW};
    uint64_t chance = chance_at(key, CHANCE_ROLE);
    if (page % SHAPE_RUN == 0 || chance >= w->role_until[WORLD_ROLES - 1])
        return PAGE_NORMAL;
    size_t i = 0;
    while (chance >= w->role_until[i])
        i++;
    bool is_free = roles[i] == PAGE_FORBIDDEN && !host_robots(w, host).exists;
    return is_free ? PAGE_NORMAL : roles[i];
}

enum page_role page_role(const struct world *w, uint32_t host, uint32_t page)
{
    return page_role_by(w, host, page, page_key(w, host, page));
}

uint32_t page_normal_before(const struct world *w, uint32_t host, uint32_t page)
{
    while (page_role(w, host, page) != PAGE_NORMAL)
        page--; /* page 0 is normal */
    return page;
}

uint32_t page_normal_after(const struct world *w, uint32_t host, uint32_t page)
{
    uint32_t pages = host_pages(w, host);
    do
        page++;
    while (page < pages && page_role(w, host, page) != PAGE_NORMAL);
    return page < pages ? page : pages;
}

static bool is_copy(enum page_role role)
{
    return role == PAGE_DUPLICATE || role == PAGE_NEAR_DUPLICATE;
}

/* A copy is one of the normal page before it, so only the pages up to the next one can be. */
static bool has_copy(const struct world *w, uint32_t host, uint32_t page)
{
    uint32_t end = page_normal_after(w, host, page);
    for (uint32_t p = page + 1; p < end; p++)
        if (is_copy(page_role(w, host, p)))
            return true;
    return false;
}

static struct place redirect_target(const struct world *w, uint32_t host, uint64_t chance)
{
    uint32_t to = host;
    if (chance_share(chance, w->settings.cross))
        to = (uint32_t)zipf_pick(&w->zipf_hosts, hash64_mix(chance + 1));
    uint32_t target = (uint32_t)world_zipf(w, hash64_mix(chance + 2), host_pages(w, to));
    return (struct place){to, PLACE_PAGE, page_normal_before(w, to, target), 0};
}

static uint16_t redirect_status(uint64_t chance)
{
    static const uint16_t usual[] = {301, 301, 301, 301, 302, 302, 302, 303, 307, 308};
    return usual[chance_below(chance, sizeof usual / sizeof *usual)];
}

/* A page that names no charset is one that needs none, or that browsers read as windows-1252, or
 * one with a byte order mark. */
static void choose_charset(const struct world *w, uint32_t host, uint64_t chance, struct page *ret)
{
    static const enum page_charset old[TONGUE_COUNT_] = {CHARSET_WINDOWS_1252, CHARSET_WINDOWS_1252,
                                                         CHARSET_KOI8_R, CHARSET_SHIFT_JIS};
    static const double old_share[TONGUE_COUNT_] = {0.04, 0.3, 0.3, 0.3};
    enum tongue t = host_tongue(w, host);
    double at = chance_unit(chance);
    ret->charset = at < 0.01 ? CHARSET_UTF16LE : at < 0.01 + old_share[t] ? old[t] : CHARSET_UTF8;
    ret->charset_said = (enum charset_said)(chance_below(hash64_mix(chance), 10) / 3);
    bool may_be_unsaid = ret->charset != CHARSET_UTF8
                             ? ret->charset != CHARSET_KOI8_R && ret->charset != CHARSET_SHIFT_JIS
                             : t == TONGUE_ENGLISH;
    if (ret->charset_said == CHARSET_UNSAID && !may_be_unsaid)
        ret->charset_said = CHARSET_IN_META;
    if (ret->charset == CHARSET_UTF16LE && ret->charset_said != CHARSET_UNSAID)
        ret->charset_said = CHARSET_IN_HEADER;
}

double page_size_exponent(const struct world *w, uint64_t key)
{
    double spread = w->settings.page_spread;
    return spread > 0 ? spread * chance_normal(chance_at(key, CHANCE_BYTES)) : 0;
}

static uint32_t page_bytes(const struct world *w, uint64_t key)
{
    enum { MOST_BYTES = 16 << 20 };
    double bytes = (double)w->settings.page_bytes * exp(page_size_exponent(w, key));
    return bytes > MOST_BYTES ? MOST_BYTES : bytes < 1 ? 1 : (uint32_t)bytes;
}

/* Rates differ from page to page, with the mean that was asked for. */
static void choose_change(const struct world *w, uint64_t chance, struct page *ret)
{
    const struct world_settings *s = &w->settings;
    ret->changes = chance_share(chance, s->changing);
    if (ret->changes)
        ret->change_per_ms = -log(1 - chance_unit(hash64_mix(chance + 1))) / (double)s->change_ms;
}

/* No page of a demo is without a picture, and its index has one for each host, up to a number
 * that a page can show. */
static uint32_t demo_images(const struct world *w, uint32_t host, uint32_t page, uint32_t chosen)
{
    enum { LEAST = 2, MOST = 24 };
    uint64_t hosts = w->settings.hosts;
    if (host == 0 && page == 0)
        return hosts < MOST ? (uint32_t)hosts : MOST;
    return chosen < LEAST ? LEAST : chosen;
}

static void choose_looks(const struct world *w, uint32_t host, uint32_t page, uint64_t key,
                         struct page *ret)
{
    uint64_t images = 2 * w->settings.images + 1;
    choose_charset(w, host, chance_at(key, CHANCE_CHARSET), ret);
    ret->has_base = chance_share(chance_at(key, CHANCE_BASE), 0.04);
    ret->bytes = page_bytes(w, key);
    ret->images = (uint32_t)chance_below(chance_at(key, CHANCE_IMAGES), images);
    if (w->settings.demo)
        ret->images = demo_images(w, host, page, ret->images);
    choose_change(w, chance_at(key, CHANCE_CHANGES), ret);
}

struct page page_of(const struct world *w, uint32_t host, uint32_t page)
{
    uint64_t key = page_key(w, host, page), chance = chance_at(key, CHANCE_TARGET);
    struct page p = {.role = page_role_by(w, host, page, key)};
    uint32_t looks_of = page;
    switch (p.role) {
    case PAGE_DUPLICATE:
    case PAGE_NEAR_DUPLICATE:
        looks_of = p.same_as = page_normal_before(w, host, page);
        key = page_key(w, host, looks_of);
        break;
    case PAGE_REDIRECT:
        p.target = redirect_target(w, host, chance);
        p.status = redirect_status(hash64_mix(chance + 3));
        return p;
    case PAGE_NOFOLLOW:
        p.nofollow_header = chance & 1;
        break;
    case PAGE_NORMAL:
        p.has_duplicate = has_copy(w, host, page);
        break;
    case PAGE_FORBIDDEN:
        break;
    }
    choose_looks(w, host, looks_of, key, &p);
    return p;
}

bool sitemap_lists(const struct world *w, uint32_t host, uint32_t page)
{
    enum page_role role = page_role(w, host, page);
    return role == PAGE_NORMAL || role == PAGE_NEAR_DUPLICATE || role == PAGE_NOFOLLOW;
}
