/* SPDX-License-Identifier: Apache-2.0 */
/* host_record: what the crawl knows of a host, beside its queue. ledger/host_records.h finds it.
 *
 * The host's shard owns it. Its first part is durable: it is in the snapshots of buckets and in the
 * journal with every outcome. The second part is in snapshots only. The third part belongs to this
 * process. host_turn.h tells how the fields change. */
#ifndef HOST_HOST_RECORD_H
#define HOST_HOST_RECORD_H

#include "base/buf.h"
#include "host/bring.h"
#include "host/host_http.h"
#include "host/host_wait.h"
#include "net/address.h"
#include "robots/robots.h"

enum {
    HOST_RECORD_MAX_ADDRESSES = 4,
    HOST_RECORD_MAX_ORIGINS = 16,
    HOST_RECORD_MAX_TRIED = 32,
};

/* The robots.txt of one origin. Past HOST_RECORD_MAX_ORIGINS of a host, a new one replaces the one
 * that was asked for longest ago. */
struct host_robots {
    uint16_t port; /* 0 = the scheme's own */
    bool is_https;
    bool is_failing;            /* it cannot be had; `rules` are the last known, or none */
    const struct robots *rules; /* NULL: never had */
    int64_t asked_wall_ms;      /* when it was asked for last */
    int64_t had_wall_ms;        /* when it was had last; 0 = never */
    uint32_t failures;          /* in a row */
};

/* An origin that did not answer, of a host with several. */
struct host_origin {
    uint16_t port; /* 0 = the scheme's own */
    bool is_https;
    uint32_t failures; /* in a row, of connections to it; the record's own count all else */
    int32_t dead_code; /* not 0: its URLs end with this code, without being asked */
    uint64_t trial;    /* hash of the path that is on trial; 0 = none. The origin's other URLs wait
                          until it has its result */
    uint64_t next_ms;  /* it is left alone until then */
};

/* An address that refused a connection (host_addresses.h). */
struct host_refused {
    struct address address;
    uint16_t port;
    uint64_t until_ms; /* it is passed over until then */
};

/* A URL that was asked for in vain, and is asked for again (host_tries.h). */
struct host_tried {
    uint64_t key;
    uint32_t tries;
};

struct host_record {
    /* durable */
    uint64_t pages, bytes; /* fetched; robots.txt not counted */
    uint32_t failures;     /* in a row, of the host (host/pace.h) */
    uint32_t tries;        /* of the URL at the head of its queue */
    uint64_t tries_key;    /* which URL that is; 0 = not known: the one that is asked for next */
    uint8_t tried_count;   /* its other URLs that were asked for in vain; the oldest first */
    struct host_tried *tried;
    int32_t dead_code; /* not 0: all its URLs end with this code, without being asked */
    bool is_listed;    /* its sitemaps were queued */
    uint8_t http;      /* enum host_http */
    struct host_redirect *redirect; /* of its robots.txt (host_redirect.h); NULL = none */
    struct brought brought;         /* URLs that it has brought to the crawl */
    uint8_t robots_count;
    struct host_robots *robots;
    /* in snapshots only: outcomes do not have it */
    uint8_t origin_count;
    struct host_origin *origins;
    /* of this process, while its bucket is in memory */
    uint8_t address_count;
    struct address *addresses;
    uint64_t addresses_until_ms;
    uint8_t refused_count,
        refused_turns; /* addresses that refused; turns in a row that found one */
    struct host_refused *refused;
    uint8_t told_limits; /* bits of enum bring_verdict: limits that the log has reported */
    enum host_wait wait; /* why it is not asked before its moment */
    int32_t wait_code;   /* with it: the result of the last try */
    uint64_t guest_ms;   /* reserved for a guest (host_guest.h); 0 = not */
    bool had_guest;      /* since the last turn of a URL of its own */
    uint32_t put_back;   /* URLs in a row that were checked out and put back (host_turn_next) */
};

struct host_record *host_record_open(void); /* NULL without memory */
void host_record_close(void *record);

struct host_robots *host_robots_of(const struct host_record *c, bool is_https, uint16_t port);
/* Notes that the robots.txt was asked for at `wall_ms`. Takes `rules` (robots_free) also on
 * failure: RC_NOMEM. NULL rules: the old ones stay. */
MUST_CHECK enum rc host_record_set_robots(struct host_record *c, bool is_https, uint16_t port,
                                          const struct robots *rules, bool is_failing,
                                          int64_t wall_ms);

/* What is known of an origin that did not answer; NULL: nothing. With `make` it is made; NULL
 * without memory, or past HOST_RECORD_MAX_ORIGINS. */
struct host_origin *host_origin_of(struct host_record *c, bool is_https, uint16_t port, bool make);
/* The origin has answered: its failures are forgotten. */
void host_origin_is_well(struct host_record *c, bool is_https, uint16_t port);

/* The addresses that DNS gave, kept for the host's next visits until `until_ms`; without memory
 * they are not kept. At most HOST_RECORD_MAX_ADDRESSES. */
void host_record_set_addresses(struct host_record *c, const struct address *list, size_t count,
                               uint64_t until_ms);
static inline bool host_record_has_addresses(const struct host_record *c, uint64_t now_ms)
{
    return c->address_count && c->addresses_until_ms > now_ms;
}

/* The longest Crawl-delay that an origin of the host asks for; 0: none does. */
uint64_t host_record_delay_ms(const struct host_record *c);

/* Memory that it takes, about. */
size_t host_record_bytes(const struct host_record *c);

/* Writes the record as bytes, with or without its robots.txt, and reads it (RC_CORRUPT, RC_VERSION,
 * RC_NOMEM). */
void host_record_write(const struct host_record *c, bool with_robots, struct buf *out);
MUST_CHECK enum rc host_record_read(struct host_record *c, struct str bytes);

/* Both clocks at one moment; a moment read that is further away than `most_wait_ms` is cut. */
struct host_record_clocks {
    uint64_t now_ms, wall_ms, most_wait_ms;
};
/* For a snapshot: as above, and with its origins if there are any. host_record_read_all reads both
 * forms. */
void host_record_write_all(const struct host_record *c, const struct host_record_clocks *t,
                           bool with_robots, struct buf *out);
MUST_CHECK enum rc host_record_read_all(struct host_record *c, const struct host_record_clocks *t,
                                        struct str bytes);

#endif
