/* SPDX-License-Identifier: Apache-2.0 */
/* budget: how much of everything the crawl may take: in all, of a host, of a registrable domain.
 *
 * One for all shards. Totals are atomic and exact: budget_take() reserves before a fetch, so that
 * --pages 100 fetches a hundred. What a host has used is kept by its owner and handed in. Domains
 * are a striped table; a lock is held for a lookup.
 *
 * New hosts: of one registrable domain at most `domain_hosts` are admitted, and as many again for
 * each other domain that was seen to link to a new host of it (F47, F69: farms of host names under
 * one domain); from 8 such domains on there is no such limit. A domain that was refused a host
 * counts as a farm: it gets `farm_pages` pages in all, until it may have more hosts. One page
 * brings at most `page_hosts` new hosts. Of one path at most `path_queries` different queries are
 * admitted on a host (F62, F65), counted approximately in a table of bounded size: never fewer than
 * that many are let through. A host without a registrable domain (an address, a public suffix) is a
 * domain of its own.
 *
 * Where several agents are one crawl (budget_share_with_others), the limits of the crawl and of a
 * domain hold for all agents together: each adds what the others last told it. So the crawl exceeds
 * a limit by what they take between two reports. Each agent counts the hosts of a domain on its
 * own. */
#ifndef SCOPE_BUDGET_H
#define SCOPE_BUDGET_H

#include "base/options.h"
#include "base/rc.h"
#include "host/bring.h"
#include "scope/domain_sums.h"

struct budget_settings {
    uint64_t pages, size_bytes, time_ms; /* in all; 0 = no limit */
    uint64_t host_pages, host_bytes;     /* 0 = no limit */
    uint64_t domain_pages, domain_bytes; /* 0 = no limit */
    uint64_t domain_hosts;               /* 1,000; here and below, too, 0 = no limit */
    uint64_t farm_pages;                 /* 20,000 */
    uint64_t page_hosts;                 /* 200 */
    uint64_t path_queries;               /* 1,000 */
    struct bring_limits bring;           /* what a host may bring: 3, 10,000, 250,000, 1 GiB */
};
extern const struct option budget_options[];

enum budget_verdict {
    BUDGET_OK,
    BUDGET_PAGES, /* the crawl's: it ends; likewise the next three */
    BUDGET_BYTES,
    BUDGET_TIME,
    BUDGET_ELSEWHERE, /* another agent says that one of those is reached */
    BUDGET_HOST,      /* the host's or the domain's: this URL is given up (FETCH_QUOTA) */
    BUDGET_DOMAIN,
    BUDGET_VERDICTS_
};
const char *budget_verdict_text(enum budget_verdict v);

struct budget;
MUST_CHECK enum rc budget_open(const struct budget_settings *s, struct budget **ret);
void budget_close(struct budget *b);
void budget_change(struct budget *b, const struct budget_settings *to); /* any thread */

/* At resume, before anything is taken: adds what earlier runs have used. `elapsed_ms` is their time
 * of crawling; the functions below take the time of this run, and add the earlier time to it. Links
 * that other domains had to a domain are forgotten. */
void budget_restore(struct budget *b, uint64_t pages, uint64_t bytes, uint64_t elapsed_ms);
void budget_restore_domain(struct budget *b, struct str host, uint64_t pages, uint64_t bytes,
                           bool is_new_host);

/* Before a fetch: reserves one page. `host_pages` and `host_bytes` are what its host has used.
 * robots.txt is not counted: do not ask for it here. */
enum budget_verdict budget_take(struct budget *b, struct str host, uint64_t host_pages,
                                uint64_t host_bytes, uint64_t elapsed_ms);
/* Whether host and domain have room for one more page, without reserving: BUDGET_OK, BUDGET_HOST,
 * BUDGET_DOMAIN. For robots.txt, which is not worth asking for where no page follows. */
enum budget_verdict budget_share(struct budget *b, struct str host, uint64_t host_pages,
                                 uint64_t host_bytes);
/* After a fetch: adds the bytes that it took. `fetched` false: nothing came of it, and the page is
 * given back. */
void budget_used(struct budget *b, struct str host, bool fetched, uint64_t bytes);

/* Whether BUDGET_PAGES is final: all pages of the limit have been fetched. While it is false some
 * are only reserved, and may be given back. */
bool budget_is_spent(struct budget *b);

/* Milliseconds until BUDGET_TIME, 0 from then on; UINT64_MAX: there is no such limit. */
uint64_t budget_left_ms(struct budget *b, uint64_t elapsed_ms);

/* Whether the crawl is over, without reserving. */
enum budget_verdict budget_state(struct budget *b, uint64_t elapsed_ms);

/* Every limit of the whole crawl that is reached: a bit 1 << BUDGET_PAGES, BUDGET_BYTES and
 * BUDGET_TIME each. Pages that are only reserved do not count. When another agent ended the crawl
 * and the sums of pages and bytes do not say why, its time was over: then BUDGET_TIME is reached
 * here too. */
unsigned budget_reached(struct budget *b, uint64_t elapsed_ms);
/* Takes away that one limit: BUDGET_PAGES, BUDGET_BYTES or BUDGET_TIME. */
void budget_lift(struct budget *b, enum budget_verdict limit);

/* Several agents -------------------------------------------------------------------------------
 *
 * All of it from any thread. Without budget_share_with_others, before anything is taken, the rest
 * does nothing. */
MUST_CHECK enum rc budget_share_with_others(struct budget *b);
struct budget_sum {
    uint64_t pages, bytes;
    bool is_over; /* a limit in all is reached */
};
/* What this agent has fetched, and whether its own sums end the crawl. Pages under way do not
 * count: they may come to nothing, and the crawl would end too early. */
struct budget_sum budget_sum(struct budget *b, uint64_t elapsed_ms);
/* What all other agents have used, and whether one of them says that the crawl is over. */
void budget_others(struct budget *b, const struct budget_sum *s);
/* If domains have limits: the sums that the other agents are told next, and a sum that agent
 * `agent` has told. */
size_t budget_tell_domains(struct budget *b, struct domain_sum *ret, size_t most);
void budget_heard_domain(struct budget *b, uint64_t agent, const struct domain_sum *d);

/* Whether a new host may be admitted, found on a page of `from_host` ("" = a seed,
 * always); counts it if so. `page_new_hosts` is how many that page has brought already. */
bool budget_new_host(struct budget *b, struct str host, struct str from_host,
                     unsigned page_new_hosts);

/* What one host may bring, as it is set now. Any thread. */
struct bring_limits budget_bring(struct budget *b);

/* Whether one more query of that path may be admitted; counts it, so ask it only of a URL that is
 * not known yet. `path_query` has a '?' or is let through. */
bool budget_query(struct budget *b, uint64_t host_hash, struct str path_query);

#endif
