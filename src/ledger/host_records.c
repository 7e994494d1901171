/* SPDX-License-Identifier: Apache-2.0 */
#include "ledger/host_records.h"

struct host_record *host_record_of(struct host *h)
{
    struct host_record *c = host_extra(h);
    if (c)
        return c;
    c = host_record_open();
    if (c)
        host_set_extra(h, c, host_record_close);
    return c;
}

const struct host_record *host_record_if(const struct host *h)
{
    return host_extra(h);
}
