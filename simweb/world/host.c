/* SPDX-License-Identifier: Apache-2.0 */
#include "world/chance.h"
#include "world/put.h"
#include "world/shape.h"
#include "world/words.h"

/* Labels in front of a domain, by the host's number in it; later hosts are s10, s11, … */
#define LABEL(word)            \
    {                          \
        word, sizeof(word) - 1 \
    }
static const struct str sub_labels[] = {
    LABEL("www"),  LABEL("blog"),  LABEL("shop"), LABEL("news"),  LABEL("docs"),
    LABEL("wiki"), LABEL("forum"), LABEL("en"),   LABEL("media"), LABEL("archive")};
enum { SUB_LABELS = sizeof sub_labels / sizeof *sub_labels };

/* Hosts that have a demo's name come first and are a domain each. Both numbers fit into 32 bits,
 * which a machine divides faster. */
uint32_t host_domain(const struct world *w, uint32_t host)
{
    if (host < w->demo_hosts)
        return host;
    return w->demo_hosts + (host - w->demo_hosts) / (uint32_t)w->settings.hosts_per_domain;
}

static uint32_t number_in_domain(const struct world *w, uint32_t host)
{
    return (host - w->demo_hosts) % (uint32_t)w->settings.hosts_per_domain;
}

/* The first host of some domains has the domain's own name, without www. */
static char *pen_sub_label(char *to, const struct world *w, uint32_t domain, uint32_t number)
{
    if (number == 0 && chance_share(chance_of(w, CHANCE_HOST_NAME, domain, 1), 0.25))
        return to;
    if (number < SUB_LABELS)
        to = pen(to, sub_labels[number]);
    else
        to = pen_u64(PEN(to, "s"), number);
    return pen_byte(to, '.');
}

/* "www.heron12", without the suffix. */
static void labels_write(const struct world *w, uint32_t host, struct buf *out)
{
    char room[WORD_ROOM + 3 * PEN_DIGITS];
    if (host < w->demo_hosts) {
        put(out, demo_label(host));
        return;
    }
    uint32_t domain = host_domain(w, host);
    char *to = pen_sub_label(room, w, domain, number_in_domain(w, host));
    uint64_t chance = chance_of(w, CHANCE_HOST_NAME, domain, 0);
    const struct word *noun = word_chosen(TONGUE_ENGLISH, WORD_NOUN, chance);
    memcpy(to, noun->text, WORD_ROOM);
    to = pen_u64(to + noun->n, domain);
    put(out, str_make(room, (size_t)(to - room)));
}

void host_name(const struct world *w, uint32_t host, struct buf *out)
{
    labels_write(w, host, out);
    put_byte(out, '.');
    put(out, w->settings.suffix);
}

static int64_t demo_host_of(const struct world *w, struct str label)
{
    for (uint32_t i = 0, count = w->demo_hosts; i < count; i++)
        if (str_eq_nocase(label, demo_label(i)))
            return i;
    return -1;
}

/* The number behind the last letters of "heron12"; false without. */
static bool number_at_end(struct str s, uint64_t *ret)
{
    size_t at = s.n;
    while (at > 0 && ascii_is_digit(s.p[at - 1]))
        at--;
    return str_to_u64(str_from(s, at), ret) == RC_OK;
}

/* Which number in its domain a host with that first label would have. */
static uint64_t number_of_label(struct str label)
{
    uint64_t number = 0;
    for (uint32_t i = 0; i < SUB_LABELS; i++)
        if (str_eq_nocase(label, sub_labels[i]))
            return i;
    return label.n > 1 && number_at_end(label, &number) ? number : 0;
}

/* Splits "www.heron12" and computes which host could be called that; whether it is remains to be
 * seen. */
static int64_t host_guess(const struct world *w, struct str name)
{
    uint64_t domain = 0, demo = w->demo_hosts, per_domain = w->settings.hosts_per_domain;
    size_t dot = str_find(name, '.');
    struct str label = dot < name.n ? str_first(name, dot) : STR_NONE;
    struct str rest = dot < name.n ? str_from(name, dot + 1) : name;
    uint64_t number = label.p ? number_of_label(label) : 0;
    if (!number_at_end(rest, &domain) || domain < demo || domain >= WORLD_MAX_HOSTS ||
        number >= per_domain)
        return -1;
    uint64_t host = demo + (domain - demo) * per_domain + number;
    return host < w->settings.hosts ? (int64_t)host : -1;
}

int64_t host_of(const struct world *w, struct str name)
{
    enum { MOST_BYTES = 253 };
    char room[MOST_BYTES + 1];
    struct buf same = buf_on(room, sizeof room);
    struct str suffix = w->settings.suffix;
    if (name.n > 0 && name.p[name.n - 1] == '.')
        name.n--;
    if (name.n > MOST_BYTES || name.n < suffix.n + 2 ||
        !str_eq_nocase(str_from(name, name.n - suffix.n), suffix) ||
        name.p[name.n - suffix.n - 1] != '.')
        return -1;
    struct str front = str_first(name, name.n - suffix.n - 1);
    int64_t host = demo_host_of(w, front);
    if (host < 0)
        host = host_guess(w, front);
    if (host < 0)
        return -1;
    host_name(w, (uint32_t)host, &same);
    return buf_rc(&same) == RC_OK && str_eq_nocase(name, buf_str(&same)) ? host : -1;
}

static bool is_for_browsers(const struct world *w)
{
    struct str s = w->settings.suffix;
    return str_eq(s, STR("localhost")) || str_ends(s, STR(".localhost"));
}

uint32_t world_addresses(const struct world *w)
{
    const struct world_settings *s = world_settings(w);
    uint64_t count = (s->hosts + s->hosts_per_address - 1) / s->hosts_per_address;
    if (is_for_browsers(w))
        return 1;
    return count < WORLD_MAX_ADDRESSES ? (uint32_t)count : WORLD_MAX_ADDRESSES;
}

uint32_t host_address(const struct world *w, uint32_t host)
{
    if (is_for_browsers(w))
        return 0x7f000001;
    uint64_t nth = host / w->settings.hosts_per_address;
    return 0x7f010000 + (uint32_t)(nth % world_addresses(w));
}

uint32_t host_pages(const struct world *w, uint32_t host)
{
    return shape_host_pages(world_settings(w), world_host_scale(w), host);
}

bool host_is_https(const struct world *w, uint32_t host)
{
    double share = w->settings.https;
    return share > 0 && chance_share(chance_of(w, CHANCE_HTTPS, host, 0), share);
}

/* Even a small host has two parts, one of them gzip'd; a part of a huge one is as long as a list of
 * links may be, and the last pages of the very largest are in none. */
static uint32_t sitemap_pages(uint32_t pages)
{
    if (pages > SHAPE_SITEMAP_PAGES * SHAPE_MOST_SITEMAPS)
        return WORLD_MAX_LINKS;
    if (pages >= 2 * SHAPE_SITEMAP_PAGES || pages < 10)
        return SHAPE_SITEMAP_PAGES;
    return (pages + 1) / 2;
}

static uint32_t sitemaps_of(uint32_t pages)
{
    uint32_t parts = (pages + sitemap_pages(pages) - 1) / sitemap_pages(pages);
    return parts < SHAPE_MOST_SITEMAPS ? parts : SHAPE_MOST_SITEMAPS;
}

/* The home of the web always has one, and lets everybody hurry. */
struct host_robots host_robots(const struct world *w, uint32_t host)
{
    struct host_robots r = {0};
    if (host != 0 && !chance_share(chance_of(w, CHANCE_ROBOTS, host, 0), 0.9))
        return r;
    r.exists = r.forbids_private = true;
    uint64_t chance = chance_of(w, CHANCE_DELAY, host, 0);
    if (host != 0 && chance_share(chance, w->settings.crawl_delays))
        r.crawl_delay_ms = 500u << (chance & 3) / 2; /* a half or a whole second */
    if (host == 0 || chance_share(chance_of(w, CHANCE_SITEMAP, host, 0), 0.7)) {
        r.names_sitemap = true;
        r.sitemaps = sitemaps_of(host_pages(w, host));
    }
    return r;
}

void sitemap_range(const struct world *w, uint32_t host, uint32_t nth, uint32_t *ret_from,
                   uint32_t *ret_to)
{
    uint32_t pages = host_pages(w, host), of_part = sitemap_pages(pages);
    uint64_t from = (uint64_t)nth * of_part, to = from + of_part;
    if (nth >= sitemaps_of(pages))
        from = to = pages;
    *ret_from = (uint32_t)from;
    *ret_to = to < pages ? (uint32_t)to : pages;
}

void host_origin(const struct world *w, uint32_t host, bool scheme_less, struct buf *out)
{
    bool https = host_is_https(w, host);
    if (!scheme_less)
        put(out, https ? STR("https:") : STR("http:"));
    PUT(out, "//");
    labels_write(w, host, out);
    put(out, w->origin_ends[https]);
}
