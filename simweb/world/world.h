/* SPDX-License-Identifier: Apache-2.0 */
/* world: a web that follows from a seed and a few numbers.
 *
 *   settings ──► world ──► host i ──► page p of host i ──► its links, its size, its changes
 *
 * Nothing is stored: a name, a page, a link is computed when somebody asks, from the seed and the
 * numbers of the host and the page, so a million hosts cost no memory. The server renders what the
 * world says, the oracle walks what the world says; neither reads the other's output.
 *
 * All functions of this folder are pure: the same settings and arguments give the same result, in
 * this process or another. A world is read-only after world_open and may be shared. */
#ifndef WORLD_WORLD_H
#define WORLD_WORLD_H

#include "base/options.h"

enum world_limits {
    WORLD_MAX_HOSTS = 100 * 1000 * 1000,
    WORLD_MAX_PAGES = 10 * 1000 * 1000, /* of one host */
    WORLD_MAX_LINKS = 2000,             /* of one page, everything counted */
    WORLD_MAX_IMAGES = 50,
    WORLD_MAX_ADDRESSES = 4096, /* each is a socket; past that more hosts share one */
};

enum world_host_sizes { WORLD_SIZES_EQUAL, WORLD_SIZES_ZIPF };

struct world_settings {
    uint64_t seed;
    uint64_t hosts;
    uint64_t pages;             /* a host, on average */
    unsigned host_sizes;        /* enum world_host_sizes */
    uint64_t hosts_per_domain;  /* hosts that share a registrable domain */
    uint64_t hosts_per_address; /* hosts that share an address */
    uint64_t page_bytes;        /* the median of a log-normal distribution */
    double page_spread;         /* its sigma; 0 = all pages alike */
    uint64_t links;             /* a page, on average */
    double cross;               /* share of them that leave the host */
    double zipf;                /* exponent of how often a host or page is linked to; 0 = evenly */
    uint64_t depth;             /* links from a host's home page to its farthest page */
    uint64_t images;            /* a page, on average */
    double duplicates;          /* shares of pages, together at most 0.8: */
    double near_duplicates;
    double redirects;
    double forbidden;   /* robots.txt disallows them */
    double nofollow;    /* meta robots or X-Robots-Tag says nofollow */
    double https;       /* share of hosts that are reached by https only */
    double changing;    /* share of pages that ever change */
    uint64_t change_ms; /* mean time between changes of those; each has a rate of its own */
    struct str suffix;  /* "test": the public suffix all names end in */
    bool demo;          /* names, titles and layout for people; see content/demo.h */
    uint64_t http_port; /* they stand in every URL, unless 80 and 443 */
    uint64_t https_port;
    struct option_list faults;   /* "f35", "all": hosts named after the fault, linked by the zoo */
    struct option_list sprinkle; /* "f35=0.1": that share of all ordinary hosts has it */
    double crawl_delays;         /* share of hosts whose robots.txt says Crawl-delay */
};

/* Rows for every setting above; the defaults make a web of 100 hosts that looks real. */
extern const struct option world_options[];

/* Rows for `world_options` do not say all: the sum of shares, a suffix that is no name. Puts what
 * is wrong into `why` and returns RC_INVALID; fault names are checked by the faults. */
MUST_CHECK enum rc world_settings_check(const struct world_settings *s, struct buf *why);

struct world;

/* Keeps a copy of the settings, lists and texts included. NULL without memory. */
struct world *world_open(const struct world_settings *settings);
void world_close(struct world *w);

const struct world_settings *world_settings(const struct world *w);

/* 64 bits that depend on the seed, the purpose and both numbers: the one source of chance. */
uint64_t world_chance(const struct world *w, uint32_t purpose, uint64_t a, uint64_t b);

/* Whether a chance falls into the share (0..1). */
bool world_share(uint64_t chance, double share);

/* A number in [0, below) with the world's Zipf exponent: 0 comes most often. */
uint64_t world_zipf(const struct world *w, uint64_t chance, uint64_t below);

#endif
