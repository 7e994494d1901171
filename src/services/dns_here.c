/* SPDX-License-Identifier: Apache-2.0 */
/* dns/here: names are resolved from this machine, on the shard's own loop. */
#include "roles/dns.h"

#include "flow/part.h"

static enum rc dns_here_open(struct instance *self, struct buf *why)
{
    struct dns *d = NULL;
    enum rc rc = dns_open(part_loop(self), self->settings, &d, why);
    self->state = d;
    return rc;
}

static void dns_here_close(struct instance *self)
{
    dns_close(self->state);
}

static void *dns_here_provide(struct instance *self)
{
    return self->state;
}

const struct part part_dns_here = {
    .abi = PART_ABI,
    .kind = PART_PROVIDER,
    .name = "here",
    .help = "asks name servers from this machine, and remembers what they said",
    .where = PART_ON_EACH_SHARD,
    .provides = DNS_INTERFACE,
    .options = dns_options,
    .settings_bytes = sizeof(struct dns_settings),
    .open = dns_here_open,
    .close = dns_here_close,
    .provide = dns_here_provide,
};
