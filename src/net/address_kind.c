/* SPDX-License-Identifier: Apache-2.0 */
/* What an address is: the special-purpose registries of RFC 6890 as two tables, and the IPv4
 * addresses that travel inside IPv6 ones.
 *
 * What a registry calls globally reachable but no web server can have (anycast of protocols,
 * ORCHID, drone identities) is reserved here; so is all of IPv6 that is not handed out (outside
 * 2000::/3).
 *
 * Clouds also answer their own machines at addresses that the registries call ordinary. A page
 * could make a crawler in that cloud ask there, so these are rows as well: ADDRESS_PLATFORM.
 */
#include "net/address_kind.h"

#include "base/bytes.h"

const char *address_kind_name(enum address_kind kind)
{
    static const char *const names[ADDRESS_KINDS_] = {
        "public",      "loopback",  "private",  "link-local",
        "unspecified", "multicast", "reserved", "platform",
    };
    return (unsigned)kind < ADDRESS_KINDS_ ? names[kind] : "unknown";
}

struct v4_row {
    uint32_t prefix;
    unsigned bits;
    enum address_kind kind;
};

static const struct v4_row v4_rows[] = {
    {0x00000000, 8, ADDRESS_UNSPECIFIED}, /* 0.0.0.0/8, "this network" */
    {0x0a000000, 8, ADDRESS_PRIVATE},     /* 10.0.0.0/8 */
    {0x64400000, 10, ADDRESS_PRIVATE},    /* 100.64.0.0/10, shared by a provider's customers */
    {0x7f000000, 8, ADDRESS_LOOPBACK},    /* 127.0.0.0/8 */
    {0xa11a0000, 16, ADDRESS_PLATFORM},   /* 161.26.0.0/16, IBM's infrastructure services */
    {0xa6080000, 14, ADDRESS_PLATFORM},   /* 166.8.0.0/14, IBM's service endpoints */
    {0xa83f8110, 32, ADDRESS_PLATFORM},   /* 168.63.129.16, Azure's host */
    {0xa9fe0000, 16, ADDRESS_LINK_LOCAL}, /* 169.254.0.0/16, metadata of most clouds */
    {0xac100000, 12, ADDRESS_PRIVATE},    /* 172.16.0.0/12 */
    {0xc0000000, 24, ADDRESS_RESERVED},   /* 192.0.0.0/24, protocol assignments */
    {0xc0000200, 24, ADDRESS_RESERVED},   /* 192.0.2.0/24, documentation */
    {0xc050087c, 32, ADDRESS_PLATFORM},   /* 192.80.8.124, metadata of Equinix Metal */
    {0xc0586300, 24, ADDRESS_RESERVED},   /* 192.88.99.0/24, 6to4 relays, withdrawn */
    {0xc0a80000, 16, ADDRESS_PRIVATE},    /* 192.168.0.0/16 */
    {0xc6120000, 15, ADDRESS_RESERVED},   /* 198.18.0.0/15, benchmarking */
    {0xc6336400, 24, ADDRESS_RESERVED},   /* 198.51.100.0/24, documentation */
    {0xc7249904, 30, ADDRESS_PLATFORM},   /* 199.36.153.4/30, Google's restricted access */
    {0xc7249908, 30, ADDRESS_PLATFORM},   /* 199.36.153.8/30, Google's private access */
    {0xcb007100, 24, ADDRESS_RESERVED},   /* 203.0.113.0/24, documentation */
    {0xe0000000, 4, ADDRESS_MULTICAST},   /* 224.0.0.0/4 */
    {0xf0000000, 4, ADDRESS_RESERVED},    /* 240.0.0.0/4, future use, and broadcast */
};

/* The first eight bytes decide; the first row that fits. */
struct v6_row {
    uint64_t prefix;
    unsigned bits;
    enum address_kind kind;
};

static const struct v6_row v6_rows[] = {
    {0xfc00000000000000, 7, ADDRESS_PRIVATE},     /* fc00::/7, unique local */
    {0xfe80000000000000, 10, ADDRESS_LINK_LOCAL}, /* fe80::/10 */
    {0xfec0000000000000, 10, ADDRESS_PRIVATE},    /* fec0::/10, site-local, withdrawn */
    {0xff00000000000000, 8, ADDRESS_MULTICAST},   /* ff00::/8 */
    {0x2001000000000000, 23, ADDRESS_RESERVED},   /* 2001::/23: benchmarking, ORCHID, AMT, ... */
    {0x20010db800000000, 32, ADDRESS_RESERVED},   /* 2001:db8::/32, documentation */
    {0x3fff000000000000, 20, ADDRESS_RESERVED},   /* 3fff::/20, documentation */
    {0x26002d0000021000, 64, ADDRESS_PLATFORM},   /* Google's restricted access */
    {0x26002d0000022000, 64, ADDRESS_PLATFORM},   /* Google's private access */
    {0x2000000000000000, 3, ADDRESS_PUBLIC},      /* 2000::/3, global unicast */
    {0, 0, ADDRESS_RESERVED},                     /* 100::/64 (discard), 5f00::/16, the rest */
};

enum address_kind address_kind_v4(uint32_t v4)
{
    for (size_t i = 0; i < sizeof v4_rows / sizeof *v4_rows; i++) {
        if ((v4 ^ v4_rows[i].prefix) >> (32 - v4_rows[i].bits) == 0)
            return v4_rows[i].kind;
    }
    return ADDRESS_PUBLIC;
}

static enum address_kind v6_kind(uint64_t high)
{
    size_t i = 0;
    while (v6_rows[i].bits && (high ^ v6_rows[i].prefix) >> (64 - v6_rows[i].bits))
        i++;
    return v6_rows[i].kind;
}

static uint64_t high_of(const struct address *a)
{
    return get_be64(a->bytes);
}

static bool is_local_nat64(uint64_t high)
{
    return high >> 16 == 0x0064ff9b0001;
}

static bool is_teredo(uint64_t high)
{
    return high >> 32 == 0x20010000;
}

bool address_inner(const struct address *a, uint32_t *ret_v4)
{
    uint64_t high = high_of(a);
    uint32_t third = get_be32(a->bytes + 8), last = get_be32(a->bytes + 12);
    if (!a->is_v6)
        return false;
    if (high == 0 && third == 0 && last <= 1)
        return false; /* :: and ::1 are themselves */
    if ((high == 0 && (third == 0 || third == 0xffff)) || (high == 0x0064ff9b00000000 && !third) ||
        is_local_nat64(high))
        *ret_v4 = last;
    else if (high >> 48 == 0x2002)
        *ret_v4 = (uint32_t)(high >> 16);
    else if (is_teredo(high))
        *ret_v4 = ~last; /* stored with every bit turned (RFC 4380, 4) */
    else
        return false;
    return true;
}

/* Local NAT64 leads into this network only, and a Teredo client is reached through its server
 * too. */
static enum address_kind inner_kind(const struct address *a, uint32_t v4)
{
    uint64_t high = high_of(a);
    enum address_kind kind = address_kind_v4(v4);
    if (kind == ADDRESS_PUBLIC && is_local_nat64(high))
        return ADDRESS_PRIVATE;
    if (kind == ADDRESS_PUBLIC && is_teredo(high))
        return address_kind_v4((uint32_t)high);
    return kind;
}

enum address_kind address_kind(const struct address *a)
{
    uint32_t v4;
    if (!a->is_v6)
        return address_kind_v4(get_be32(a->bytes));
    if (address_inner(a, &v4))
        return inner_kind(a, v4);
    if (high_of(a) == 0 && get_be32(a->bytes + 8) == 0)
        return get_be32(a->bytes + 12) ? ADDRESS_LOOPBACK : ADDRESS_UNSPECIFIED;
    return v6_kind(high_of(a));
}

/* The group of an IPv4 address begins with 0:ffff. No IPv6 address has that prefix, so the groups
 * of both families never collide. */
uint64_t address_group(const struct address *a)
{
    uint32_t v4 = get_be32(a->bytes);
    if (a->is_v6 && !address_inner(a, &v4))
        return high_of(a);
    return UINT64_C(0x0000ffff00000000) | v4;
}
