/* SPDX-License-Identifier: Apache-2.0 */
#include "flow/pool_internal.h"

#define INLET(n)                                                       \
    {                                                                  \
        "to" #n, "any", "messages for the other end", .optional = true \
    }
#define OUTLET(n)                                                       \
    {                                                                   \
        "from" #n, "any", "messages of the other end", .optional = true \
    }
#define LOST(n)                                                                \
    {                                                                          \
        "lost" #n, "any", "messages that no member answered", .optional = true \
    }

_Static_assert(POOL_MAX_CUTS == 8, "the tables have as many rows");

const struct part_port pool_inlets[] = {INLET(0), INLET(1), INLET(2), INLET(3), INLET(4),
                                        INLET(5), INLET(6), INLET(7), {0}};
const struct part_port pool_outlets[] = {
    OUTLET(0), OUTLET(1), OUTLET(2), OUTLET(3), OUTLET(4), OUTLET(5), OUTLET(6), OUTLET(7), LOST(0),
    LOST(1),   LOST(2),   LOST(3),   LOST(4),   LOST(5),   LOST(6),   LOST(7),   {0}};
