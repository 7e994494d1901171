/* SPDX-License-Identifier: Apache-2.0 */
/* dns_cache: results of names until they expire, up to a maximum number.
 *
 * The list runs from the name used last to the one used longest ago, which is dropped first when
 * another needs room. An entry is one allocation of just the size it needs. */
#ifndef NET_DNS_CACHE_H
#define NET_DNS_CACHE_H

#include "net/dns.h"
#include "net/dns_name.h"

struct dns_cache;

/* `seed` keeps the owner of a name from choosing its slot in the table. NULL without memory. */
struct dns_cache *dns_cache_open(uint64_t most_names, uint64_t seed);
void dns_cache_close(struct dns_cache *c);

/* False if there is no result of the name. An expired result is removed. */
bool dns_cache_get(struct dns_cache *c, const struct dns_name *name, uint64_t now_ms,
                   struct dns_result *ret);

/* Replaces the result of a name. RC_NOMEM: the cache has no result for it now. */
MUST_CHECK enum rc dns_cache_put(struct dns_cache *c, const struct dns_name *name,
                                 const struct dns_result *result);
void dns_cache_drop(struct dns_cache *c, const struct dns_name *name);
uint32_t dns_cache_count(const struct dns_cache *c);

#endif
