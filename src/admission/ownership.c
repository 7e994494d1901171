/* SPDX-License-Identifier: Apache-2.0 */
#include "admission/ownership.h"

#include "admission/fingerprints.h"

size_t ownership_choose(struct ownership_asks asks, struct candidate *list, size_t count,
                        struct buf *left_out)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (asks.owns(asks.ctx, list[i].host_hash))
            list[kept++] = list[i];
        else
            fingerprints_add(left_out, list[i].fingerprint);
    }
    return kept;
}
