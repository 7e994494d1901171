/* SPDX-License-Identifier: Apache-2.0 */
#include "world/world.h"

#include "world/shape.h"

#define ROW(type, field, key, def, help, ...) \
    OPTION_##type##_ROW(struct world_settings, field, key, def, help, __VA_ARGS__)

const struct option world_options[] = {
    ROW(COUNT, seed, "seed", "1", "another number, another web"),
    ROW(COUNT, hosts, "hosts", "100", "how many hosts", .min = 1, .max = WORLD_MAX_HOSTS),
    ROW(COUNT, pages, "pages", "100", "pages a host, on average", .min = 1, .max = WORLD_MAX_PAGES),
    ROW(CHOICE, host_sizes, "host-sizes", "equal", "how pages are spread over the hosts",
        .choices = "equal|zipf"),
    ROW(COUNT, hosts_per_domain, "hosts-per-domain", "2", "hosts that share a registrable domain",
        .min = 1, .max = 100000),
    ROW(COUNT, hosts_per_address, "hosts-per-address", "4", "hosts that share an address", .min = 1,
        .max = WORLD_MAX_HOSTS),
    ROW(SIZE, page_bytes, "page-bytes", "13k", "median size of a page (log-normal)", .min = 1,
        .max = 1 << 22),
    ROW(REAL, page_spread, "page-spread", "1.24", "its sigma; 0 makes all pages alike"),
    ROW(COUNT, links, "links", "43", "links a page, on average", .max = SHAPE_MOST_LINKS / 4),
    ROW(REAL, cross, "cross", "0.2", "share of links that leave the host"),
    ROW(REAL, zipf, "zipf", "1.0", "how uneven links are spread; 0 is evenly"),
    ROW(COUNT, depth, "site-depth", "5", "links from a host's home page to its farthest page",
        .min = 1, .max = 1000),
    ROW(COUNT, images, "images", "2", "images a page, on average", .max = WORLD_MAX_IMAGES / 2),
    ROW(REAL, duplicates, "duplicates", "0.02", "share of pages that are copies of another"),
    ROW(REAL, near_duplicates, "near-duplicates", "0.03", "share that are almost copies"),
    ROW(REAL, redirects, "redirects", "0.05", "share that redirect"),
    ROW(REAL, forbidden, "forbidden", "0.02", "share that robots.txt forbids"),
    ROW(REAL, nofollow, "nofollow", "0.01", "share that say nofollow"),
    ROW(REAL, https, "https", "0", "share of hosts reached by https only"),
    ROW(REAL, crawl_delays, "crawl-delays", "0.05", "share of hosts with a Crawl-delay"),
    ROW(REAL, changing, "changing", "0.3", "share of pages that ever change"),
    ROW(DURATION, change_ms, "change-every", "7d", "mean time between changes of those",
        .min = 1000),
    ROW(TEXT, suffix, "suffix", "test", "what all names end in", .arg = "NAME"),
    ROW(BOOL, demo, "demo", "no", "names and looks for people"),
    ROW(COUNT, http_port, "http-port", "8080", "where http is served; 0 is any free port",
        .max = 65535),
    ROW(COUNT, https_port, "https-port", "8443", "where https is served; 0 is any free port",
        .max = 65535),
    ROW(LIST, faults, "fault", NULL, "hosts of a fault: f35, or all", .arg = "ID"),
    ROW(LIST, sprinkle, "sprinkle", NULL, "a fault on that share of the hosts: f35=0.1",
        .arg = "ID=SHARE"),
    {0},
};

static bool is_share(double value)
{
    return value >= 0 && value <= 1; /* false for NaN */
}

static enum rc check_shares(const struct world_settings *s, struct buf *why)
{
    const struct {
        const char *key;
        double value;
    } shares[] = {
        {"cross", s->cross},
        {"duplicates", s->duplicates},
        {"near-duplicates", s->near_duplicates},
        {"redirects", s->redirects},
        {"forbidden", s->forbidden},
        {"nofollow", s->nofollow},
        {"https", s->https},
        {"crawl-delays", s->crawl_delays},
        {"changing", s->changing},
    };
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        if (!is_share(shares[i].value)) {
            buf_printf(why, "%s: expected a share from 0 to 1", shares[i].key);
            return RC_INVALID;
        }
    double sum = s->duplicates + s->near_duplicates + s->redirects + s->forbidden + s->nofollow;
    if (sum > 0.8 + 1e-9) {
        buf_printf(why,
                   "duplicates, near-duplicates, redirects, forbidden and nofollow are %g "
                   "together: expected at most 0.8, the rest are normal pages",
                   sum);
        return RC_INVALID;
    }
    return RC_OK;
}

static bool is_label(struct str s)
{
    if (s.n == 0 || s.n > 63 || s.p[0] == '-' || s.p[s.n - 1] == '-')
        return false;
    for (size_t i = 0; i < s.n; i++)
        if (!ascii_is_digit(s.p[i]) && !(s.p[i] >= 'a' && s.p[i] <= 'z') && s.p[i] != '-')
            return false;
    return true;
}

/* A name whose last label is all digits would be an address. */
static bool is_suffix(struct str s)
{
    enum { MOST_BYTES = 100 };
    struct str label = STR_NONE;
    if (s.n == 0 || s.n > MOST_BYTES || s.p[s.n - 1] == '.')
        return false;
    while (s.p) {
        label = str_take_until(&s, '.');
        if (!is_label(label))
            return false;
    }
    return !ascii_is_digit(label.p[label.n - 1]);
}

enum rc world_settings_check(const struct world_settings *s, struct buf *why)
{
    enum rc rc = check_shares(s, why);
    if (rc)
        return rc;
    if (!(s->zipf >= 0 && s->zipf <= 4))
        buf_printf(why, "zipf: expected a number from 0 to 4");
    else if (!(s->page_spread >= 0 && s->page_spread <= 3))
        buf_printf(why, "page-spread: expected a number from 0 to 3");
    else if (!is_suffix(s->suffix))
        buf_printf(why, "suffix: expected a name in lower case such as test or sim.example");
    else if (shape_branching(shape_largest_host(s), s->depth) > SHAPE_MOST_BRANCHES)
        buf_printf(why,
                   "depth: %llu is too few for a host of %llu pages: one page would have to link "
                   "to thousands",
                   (unsigned long long)s->depth, (unsigned long long)shape_largest_host(s));
    else
        return RC_OK;
    return RC_INVALID;
}
