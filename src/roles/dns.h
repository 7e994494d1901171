/* SPDX-License-Identifier: Apache-2.0 */
/* The role `dns`: the addresses of a name. The interface is struct dns itself. One a shard. */
#ifndef ROLES_DNS_H
#define ROLES_DNS_H

#include "net/dns.h"

#define DNS_INTERFACE "dns"

#endif
