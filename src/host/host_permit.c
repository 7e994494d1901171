/* SPDX-License-Identifier: Apache-2.0 */
#include "host/host_permit.h"

uint64_t host_permit_take(struct host_permit *p, struct permit_table *addresses,
                          struct permit_table *hosts, uint64_t now_ms)
{
    uint64_t when_ms = permit_table_ask(addresses, p->address_group, now_ms);
    if (when_ms)
        return when_ms;
    when_ms = permit_table_ask(hosts, p->host_hash, now_ms);
    if (when_ms) /* rare: a robots.txt that redirected there is asked for */
        permit_table_done(addresses, p->address_group, now_ms);
    p->is_held = when_ms == 0;
    return when_ms;
}

void host_permit_return(struct host_permit *p, struct permit_table *addresses,
                        struct permit_table *hosts, uint64_t now_ms)
{
    if (!p->is_held)
        return;
    permit_table_done(hosts, p->host_hash, now_ms);
    permit_table_done(addresses, p->address_group, now_ms);
    p->is_held = false;
}
