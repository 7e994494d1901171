/* SPDX-License-Identifier: Apache-2.0 */
/* The role `guard`: which addresses may be asked at all. The interface is struct guard itself. One
 * a shard. */
#ifndef ROLES_GUARD_H
#define ROLES_GUARD_H

#include "net/address.h"

#define GUARD_INTERFACE "guard"

#endif
