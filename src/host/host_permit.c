/* SPDX-License-Identifier: Apache-2.0 */
#include "host/host_permit.h"

uint64_t host_permit_take(struct host_permit *p, struct address_table *addresses,
                          struct address_table *hosts, uint64_t now_ms)
{
    uint64_t when_ms = address_table_ask(addresses, p->address_group, now_ms);
    if (when_ms)
        return when_ms;
    when_ms = address_table_ask(hosts, p->host_hash, now_ms);
    if (when_ms) /* rare: a robots.txt that redirected there is asked for */
        address_table_done(addresses, p->address_group, now_ms);
    p->is_held = when_ms == 0;
    return when_ms;
}

void host_permit_return(struct host_permit *p, struct address_table *addresses,
                        struct address_table *hosts, uint64_t now_ms)
{
    if (!p->is_held)
        return;
    address_table_done(hosts, p->host_hash, now_ms);
    address_table_done(addresses, p->address_group, now_ms);
    p->is_held = false;
}
