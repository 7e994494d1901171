/* SPDX-License-Identifier: Apache-2.0 */
/* account: everything the witness keeps; for witness.c, which writes it, and report.c. */
#ifndef WITNESS_ACCOUNT_H
#define WITNESS_ACCOUNT_H

#include "witness/asked.h"
#include "witness/sights.h"
#include "witness/tally.h"
#include "witness/witness.h"

enum account_limits {
    ACCOUNT_MAX_OPEN = 1 << 20, /* requests at once */
    ACCOUNT_EXAMPLES = 10,      /* URLs named in every report */
    ACCOUNT_EXAMPLE_BYTES = 1024,
};
#define ACCOUNT_MAX_URL_BYTES (UINT64_C(8) << 30) /* of URLs' texts */

/* A request between start and end, or a free place. */
struct open_request {
    uint64_t ticket; /* 0 = free */
    uint64_t start_us;
    uint32_t host; /* rows */
    uint32_t address;
    uint32_t next_free; /* + 1 */
    uint32_t delay_ms;
    struct sights_place sight;
};

struct open_requests {
    struct open_request *list;
    uint32_t cap;
    uint32_t count;
    uint32_t free; /* + 1 */
};

/* URLs by one measure: the ordinary ones, or robots.txt. */
struct url_counts {
    uint64_t requests;
    uint64_t distinct;
    uint64_t fetched_again; /* URLs asked for more than once */
    uint64_t repeats;       /* requests beyond the first of their URL */
};

struct examples {
    struct str urls[ACCOUNT_EXAMPLES];
    uint32_t count;
};

struct witness {
    bool keep_urls;
    uint64_t next_serial; /* goes on over a reset, so that an old ticket names nothing new */
    uint64_t requests;
    uint64_t missed;      /* requests that could not be kept at all */
    uint64_t urls_missed; /* counted everywhere but by URL */
    uint64_t forbidden;
    struct url_counts pages;
    struct url_counts robots;
    struct index url_index; /* to how often */
    struct texts url_texts;
    struct texts example_texts;
    struct examples again;
    struct examples not_allowed;
    struct tallies hosts;
    struct tallies addresses;
    struct open_requests open;
    struct sights sights;
    struct asked asked;
};

#endif
