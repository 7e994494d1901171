/* SPDX-License-Identifier: Apache-2.0 */
/* The role `addresses`: when an address may be asked, and which hosts are asked now. One for all
 * shards. */
#ifndef ROLES_ADDRESSES_H
#define ROLES_ADDRESSES_H

#include "host/permit_table.h"

#define ADDRESSES_INTERFACE "addresses"

/* Both keyed by 64 bits: an address by its group (net/address.h), a host by its hash. */
struct addresses_service {
    struct permit_table *addresses;
    struct permit_table *hosts;
};

#endif
