/* SPDX-License-Identifier: Apache-2.0 */
/* address_kind: for the guard: IPv4 as a number, and the one inside an IPv6 address. */
#ifndef NET_ADDRESS_KIND_H
#define NET_ADDRESS_KIND_H

#include "net/address.h"

enum address_kind address_kind_v4(uint32_t v4);

/* The IPv4 address that an IPv6 one leads to: mapped, compatible, NAT64 (RFC 6052, 8215: the last
 * four bytes), 6to4, the client of Teredo. False if there is none. */
bool address_inner(const struct address *a, uint32_t *ret_v4);

#endif
