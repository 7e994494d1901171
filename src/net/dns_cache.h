/* SPDX-License-Identifier: Apache-2.0 */
/* dns_cache: what is known of names, until when, and no more than so many of them.
 *
 * The list runs from the name used last to the one used longest ago, which goes first when another
 * needs its place. An entry is one allocation of just the size it needs. */
#ifndef NET_DNS_CACHE_H
#define NET_DNS_CACHE_H

#include "net/dns.h"
#include "net/dns_name.h"

struct dns_cache;

/* `seed` keeps those who choose names from choosing their place in the table. NULL without memory.
 */
struct dns_cache *dns_cache_open(uint64_t most_names, uint64_t seed);
void dns_cache_close(struct dns_cache *c);

/* False if nothing is known, or not any more: then it is forgotten. */
bool dns_cache_get(struct dns_cache *c, const struct dns_name *name, uint64_t now_ms,
                   struct dns_result *ret);

/* In place of what was known. RC_NOMEM: nothing is known of it now. */
MUST_CHECK enum rc dns_cache_put(struct dns_cache *c, const struct dns_name *name,
                                 const struct dns_result *result);
void dns_cache_drop(struct dns_cache *c, const struct dns_name *name);
uint32_t dns_cache_count(const struct dns_cache *c);

#endif
