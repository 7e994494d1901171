/* SPDX-License-Identifier: Apache-2.0 */
#include "discovery/depth_key.h"

#include "base/hash.h"

uint64_t depth_index_note_key(uint64_t fingerprint)
{
    return hash64_mix(fingerprint ^ UINT64_C(0x6e6561726572)); /* "nearer" */
}

uint64_t depth_index_origin_key(uint64_t host_hash, bool is_https, uint16_t port)
{
    return hash64_mix(host_hash ^ hash64_mix(((uint64_t)port << 1 | is_https) + 1));
}
