/* SPDX-License-Identifier: Apache-2.0 */
/* card: what the crawl keeps on a host, beside its queue (frontier's host_extra).
 *
 * Owned by the host's shard. The first part is durable: it is in the images of buckets and comes
 * with every outcome; the second is in images; the third is only what this process knows. */
#ifndef CRAWL_CARD_H
#define CRAWL_CARD_H

#include "base/buf.h"
#include "frontier/frontier.h"
#include "net/address.h"
#include "robots/robots.h"
#include "scope/bring.h"

enum { CARD_MAX_ADDRESSES = 4, CARD_MAX_ORIGINS = 16 };

/* The rules of one origin. What is asked for beyond CARD_MAX_ORIGINS of a host takes the place of
 * the oldest. */
struct card_robots {
    uint16_t port; /* 0 = the scheme's own */
    bool is_https;
    bool is_failing;            /* robots.txt cannot be had; `rules` are the last known, or none */
    const struct robots *rules; /* NULL: never had */
    int64_t asked_wall_ms;      /* when it was asked for last */
    int64_t had_wall_ms;        /* when it was had last; 0 = never */
    uint32_t failures;          /* in a row */
};

/* An origin of a host with several that does not answer, while the others may. */
struct card_origin {
    uint16_t port; /* 0 = the scheme's own */
    bool is_https;
    uint32_t failures, tries; /* as the card's, which count for a host with one origin */
    int32_t dead_code;        /* likewise */
    uint64_t trial;   /* hash of the path whose tries these are; 0 = none. The origin's other
                         URLs wait until it has its result */
    uint64_t next_ms; /* it is left alone until then */
};

struct card {
    /* durable */
    uint64_t pages, bytes;  /* fetched; robots.txt not counted */
    uint32_t failures;      /* in a row, of the host (fetch/pace.h) */
    uint32_t tries;         /* of the URL at the head of its queue */
    int32_t dead_code;      /* not 0: all its URLs end with this code, without being asked */
    bool is_listed;         /* its sitemaps were queued */
    struct brought brought; /* URLs that it has brought to the crawl */
    uint8_t robots_count;
    struct card_robots *robots;
    /* in images only: outcomes do not have it */
    uint8_t origin_count;
    struct card_origin *origins;
    /* of this process, while its bucket is in memory */
    uint8_t address_count;
    struct address *addresses;
    uint64_t addresses_until_ms;
    uint8_t told_limits; /* bits of enum bring_verdict: limits of it that the log has told */
    uint32_t
        put_back; /* URLs in a row that were lent and put back, for their origin is left alone */
};

/* The host's card, made if it has none; NULL without memory. */
struct card *card_of(struct host *h);
const struct card *card_if(const struct host *h); /* NULL: it has none */

struct card_robots *card_robots_of(const struct card *c, bool is_https, uint16_t port);
/* Takes `rules` (robots_free) also on failure: RC_NOMEM. NULL rules: the old ones stay. */
MUST_CHECK enum rc card_set_robots(struct card *c, bool is_https, uint16_t port,
                                   const struct robots *rules, bool is_failing, int64_t wall_ms);

/* What is known of an origin that did not answer; NULL: nothing. With `make` it is made; NULL
 * without memory, or past CARD_MAX_ORIGINS. */
struct card_origin *card_origin_of(struct card *c, bool is_https, uint16_t port, bool make);
/* It has answered: its failures are forgotten. */
void card_origin_is_well(struct card *c, bool is_https, uint16_t port);

/* The longest Crawl-delay that an origin of the host asks for; 0: none does. */
uint64_t card_delay_ms(const struct card *c);

/* Memory that it takes, about. */
size_t card_bytes(const struct card *c);

/* As bytes, without robots / with them; and back (RC_CORRUPT, RC_VERSION, RC_NOMEM). */
void card_write(const struct card *c, bool with_robots, struct buf *out);
MUST_CHECK enum rc card_read(struct card *c, struct str bytes);

/* Both clocks at one moment; a moment read that is further away than `most_wait_ms` is cut. */
struct card_clocks {
    uint64_t now_ms, wall_ms, most_wait_ms;
};
/* For an image: as above, and with its origins if there are any. card_read_all reads both forms. */
void card_write_all(const struct card *c, const struct card_clocks *t, bool with_robots,
                    struct buf *out);
MUST_CHECK enum rc card_read_all(struct card *c, const struct card_clocks *t, struct str bytes);

#endif
