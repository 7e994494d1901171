/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes as what an agent remembers of itself: each line is a fact, behind a length of two bytes.
 * Any of it is refused or taken; what was taken is taken again, to the same effect. */
#include "bus/bus_sim.h"
#include "cluster/protocol/agent.h"

#include <stdlib.h>

struct remembered {
    struct port port;
    struct str bytes;
};

static enum rc recall(struct port *p,
                      enum rc (*each)(void *ctx, uint64_t position, struct str fact), void *ctx)
{
    struct str rest = ((struct remembered *)p)->bytes;
    enum rc rc = RC_OK;
    for (uint64_t position = 1; rest.n >= 2 && rc == RC_OK; position++) {
        size_t n = (unsigned char)rest.p[0] | (size_t)(unsigned char)rest.p[1] << 8;
        rest = str_from(rest, 2);
        n = n < rest.n ? n : rest.n;
        rc = each(ctx, position, str_first(rest, n));
        rest = str_from(rest, n);
    }
    return rc;
}

static uint64_t none(struct port *p)
{
    (void)p;
    return 0;
}

static struct port_counts nothing(struct port *p)
{
    (void)p;
    return (struct port_counts){0};
}

static enum rc open_once(struct str bytes, struct agent_status *ret)
{
    static const struct port_ops ops = {
        .recall = recall, .end = none, .durable = none, .kept = none, .counts = nothing};
    struct remembered r = {.port = {&ops}, .bytes = bytes};
    struct agent_settings s = {.crawl = STR("c"), .name = STR("a"), .weight = 64, .seed = 1};
    struct nats_sim *post = nats_sim_open(1, 1);
    struct bus *bus = post ? nats_sim_connect(post, 0) : NULL;
    struct agent *a = NULL;
    enum rc rc = bus ? agent_open(&s, bus, &r.port, 0, &a) : RC_NOMEM;
    if (rc == RC_OK)
        agent_status(a, 0, ret);
    agent_close(a);
    bus_close(bus);
    nats_sim_close(post);
    return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct agent_status first = {0}, second = {0};
    struct str bytes = str_make((const char *)data, n);
    enum rc rc = open_once(bytes, &first);
    if (rc != open_once(bytes, &second))
        abort();
    if (rc == RC_OK &&
        (first.inc != second.inc || first.boot != second.boot ||
         first.roster_length != second.roster_length || first.cursor != second.cursor))
        abort();
    return 0;
}
