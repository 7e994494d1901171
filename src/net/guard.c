/* SPDX-License-Identifier: Apache-2.0 */
#include "base/mem.h"
#include "net/address_kind.h"

#include <stdlib.h>

enum { GUARD_MAX_NETWORKS = 1024, CIDR_MAX_BYTES = 64 };

struct network {
    struct address first;
    unsigned bits;
};

struct guard {
    bool allows_all;
    size_t count;
    struct network networks[];
};

static bool prefix_eq(const uint8_t *a, const uint8_t *b, unsigned bits)
{
    unsigned whole = bits / 8, rest = bits % 8;
    return memcmp(a, b, whole) == 0 && (!rest || (a[whole] ^ b[whole]) >> (8 - rest) == 0);
}

static bool network_holds(const struct network *n, const struct address *a)
{
    return n->first.is_v6 == a->is_v6 && prefix_eq(n->first.bytes, a->bytes, n->bits);
}

/* Whether every bit behind the prefix is 0: "10.0.0.1/8" is more likely a typing error than
 * intended. */
static bool network_is_exact(const struct network *n)
{
    unsigned all = n->first.is_v6 ? 128 : 32;
    for (unsigned bit = n->bits; bit < all; bit++) {
        if (n->first.bytes[bit / 8] & (0x80u >> bit % 8))
            return false;
    }
    return true;
}

static bool network_read(struct str text, struct network *ret)
{
    struct str rest = text;
    struct str address = str_take_until(&rest, '/');
    uint64_t bits;
    if (text.n > CIDR_MAX_BYTES || address_read(address, &ret->first))
        return false;
    unsigned all = ret->first.is_v6 ? 128 : 32;
    ret->bits = all;
    if (!rest.p)
        return true;
    if (rest.n > 3 || str_to_u64(rest, &bits) || bits > all)
        return false;
    ret->bits = (unsigned)bits;
    return network_is_exact(ret);
}

/* Adds one value that the operator wrote. Commas separate the networks in it. */
static enum rc guard_add(struct guard *g, struct str item, struct buf *why)
{
    while (item.p) {
        struct str one = str_trim(str_take_until(&item, ','));
        if (str_eq(one, STR("all"))) {
            g->allows_all = true;
        } else if (!network_read(one, &g->networks[g->count])) {
            buf_printf(why,
                       "allow-private: \"" STR_FMT "\" is neither \"all\" nor a network such as "
                       "127.1.0.0/16, fd00::/8 or one address (no bits behind the prefix)",
                       STR_ARG(str_first(one, CIDR_MAX_BYTES)));
            return RC_INVALID;
        } else {
            g->count++;
        }
    }
    return RC_OK;
}

static size_t count_networks(const struct option_list *allow)
{
    size_t most = 0;
    for (size_t i = 0; i < allow->count && most <= GUARD_MAX_NETWORKS; i++) {
        most++;
        for (size_t k = 0; k < allow->items[i].n; k++)
            most += allow->items[i].p[k] == ',';
    }
    return most;
}

enum rc guard_open(const struct option_list *allow, struct guard **ret, struct buf *why)
{
    size_t most = count_networks(allow);
    if (most > GUARD_MAX_NETWORKS) {
        buf_printf(why, "allow-private: there are more than %d networks", GUARD_MAX_NETWORKS);
        return RC_INVALID;
    }
    struct guard *g = mem_zero(1, sizeof *g + most * sizeof *g->networks);
    if (!g)
        return RC_NOMEM;
    for (size_t i = 0; i < allow->count; i++) {
        enum rc rc = guard_add(g, allow->items[i], why);
        if (rc) {
            guard_close(g);
            return rc;
        }
    }
    *ret = g;
    return RC_OK;
}

void guard_close(struct guard *g)
{
    mem_free(g);
}

static bool is_listed(const struct guard *g, const struct address *a)
{
    for (size_t i = 0; i < g->count; i++) {
        if (network_holds(&g->networks[i], a))
            return true;
    }
    return false;
}

bool guard_allows(const struct guard *g, const struct address *a)
{
    uint32_t v4;
    if (g->allows_all || address_kind(a) == ADDRESS_PUBLIC || is_listed(g, a))
        return true;
    if (!address_inner(a, &v4))
        return false;
    struct address inner = {
        .bytes = {(uint8_t)(v4 >> 24), (uint8_t)(v4 >> 16), (uint8_t)(v4 >> 8), (uint8_t)v4}};
    return is_listed(g, &inner);
}

static int port_order(const void *a, const void *b)
{
    return *(const uint16_t *)a - *(const uint16_t *)b;
}

bool port_is_bad(uint16_t port)
{
    static const uint16_t bad[] = {
        0,    1,    7,    9,    11,   13,   15,   17,   19,   20,   21,   22,   23,   25,
        37,   42,   43,   53,   69,   77,   79,   87,   95,   101,  102,  103,  104,  109,
        110,  111,  113,  115,  117,  119,  123,  135,  137,  139,  143,  161,  179,  389,
        427,  465,  512,  513,  514,  515,  526,  530,  531,  532,  540,  548,  554,  556,
        563,  587,  601,  636,  989,  990,  993,  995,  1719, 1720, 1723, 2049, 3659, 4045,
        4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080};
    return bsearch(&port, bad, sizeof bad / sizeof *bad, sizeof *bad, port_order) != NULL;
}
