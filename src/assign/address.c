/* SPDX-License-Identifier: Apache-2.0 */
/* address: near addresses go to one agent, so that a single agent is polite to them.
 *
 * Near means the same /24 of IPv4 or /48 of IPv6, which a registry or provider gives to one site.
 * The group's hash is looked up on the ring, so agents join and leave as there. */
#include "assign/ring.h"

#include "base/hash.h"

enum { IPV4_GROUP_BYTES = 3, IPV6_GROUP_BYTES = 6 };

static bool is_mapped_ipv4(const struct assign_ip *ip)
{
    static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
    return ip->bytes == 16 && memcmp(ip->at, mapped, sizeof mapped) == 0;
}

/* The hash includes the family: 1.2.3.0/24 is not 102:300::/48. */
static uint64_t group_hash(const struct assign_ip *ip)
{
    char group[1 + IPV6_GROUP_BYTES];
    bool is_ipv4 = ip->bytes == 4 || is_mapped_ipv4(ip);
    const uint8_t *from = is_ipv4 && ip->bytes == 16 ? ip->at + 12 : ip->at;
    size_t n = is_ipv4 ? IPV4_GROUP_BYTES : IPV6_GROUP_BYTES;
    group[0] = is_ipv4 ? 4 : 6;
    memcpy(group + 1, from, n);
    return hash64(str_make(group, 1 + n));
}

static enum rc open_address(const struct assign_list *list, const struct assign_options *options,
                            struct assign_conflict *ret_conflict, void **ret_state)
{
    return assign_ring.open(list, options, ret_conflict, ret_state);
}

static void close_address(void *state)
{
    assign_ring.close(state);
}

static enum rc owner_by_address(void *state, const struct assign_key *key, uint32_t *ret_agent)
{
    if (key->ip.bytes != 4 && key->ip.bytes != 16)
        return RC_INVALID;
    *ret_agent = ring_owner(state, group_hash(&key->ip));
    return RC_OK;
}

const struct assign_kind assign_address = {
    .name = "address",
    .help = "by the host's IP address, near ones (IPv4 /24, IPv6 /48) to one agent",
    .by = ASSIGN_BY_ADDRESS,
    .open = open_address,
    .close = close_address,
    .owner = owner_by_address,
};
