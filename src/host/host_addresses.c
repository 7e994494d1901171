/* SPDX-License-Identifier: Apache-2.0 */
#include "host/host_addresses.h"

#include "base/mem.h"

static struct host_refused *find(const struct host_record *c, uint16_t port,
                                 const struct address *a)
{
    for (uint8_t i = 0; i < c->refused_count; i++)
        if (c->refused[i].port == port && address_eq(&c->refused[i].address, a))
            return &c->refused[i];
    return NULL;
}

static void forget(struct host_record *c, struct host_refused *r)
{
    size_t behind = (size_t)(c->refused + c->refused_count - r) - 1;
    memmove(r, r + 1, behind * sizeof *r);
    if (--c->refused_count)
        return;
    mem_free(c->refused);
    c->refused = NULL;
}

static bool has_refused(struct host_record *c, uint16_t port, const struct address *a,
                        uint64_t now_ms)
{
    struct host_refused *r = find(c, port, a);
    if (r && r->until_ms <= now_ms) {
        forget(c, r);
        return false;
    }
    return r != NULL;
}

static void move_to_front(struct address *list, uint32_t to, uint32_t from)
{
    struct address a = list[from];
    memmove(list + to + 1, list + to, (from - to) * sizeof *list);
    list[to] = a;
}

static void forget_all(struct host_record *c, uint16_t port, const struct address *list,
                       uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct host_refused *r = find(c, port, &list[i]);
        if (r)
            forget(c, r);
    }
}

uint32_t host_addresses_choose(struct host_record *c, uint16_t port, struct address *list,
                               uint32_t count, uint64_t now_ms)
{
    uint32_t good = 0;
    bool is_last = c->refused_turns + 1 >= HOST_RECORD_MAX_ADDRESSES;
    if (!c->refused_count || count < 2)
        return is_last && count ? 1 : count;
    for (uint32_t i = 0; i < count; i++)
        if (!has_refused(c, port, &list[i], now_ms))
            move_to_front(list, good++, i);
    if (!good) {
        forget_all(c, port, list, count);
        good = count;
    }
    return is_last ? 1 : good;
}

void host_addresses_refused(struct host_record *c, uint16_t port, const struct address *a,
                            uint64_t now_ms)
{
    struct host_refused *r = find(c, port, a);
    if (c->refused_turns < UINT8_MAX)
        c->refused_turns++;
    if (r)
        forget(c, r);
    if (c->refused_count == HOST_RECORD_MAX_REFUSED)
        forget(c, c->refused);
    struct host_refused *list = mem_resize(c->refused, (c->refused_count + 1u) * sizeof *list);
    if (!list)
        return;
    c->refused = list;
    list[c->refused_count++] =
        (struct host_refused){.address = *a, .port = port, .until_ms = now_ms + HOST_REFUSED_MS};
}

void host_addresses_learn(struct host_record *c, struct address *list, uint32_t count,
                          uint64_t until_ms)
{
    for (uint32_t i = 0; i < count && c->address_count; i++)
        if (address_eq(&list[i], &c->addresses[0])) {
            move_to_front(list, 0, i);
            break;
        }
    host_record_set_addresses(c, list, count, until_ms);
}
