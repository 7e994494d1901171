/* SPDX-License-Identifier: Apache-2.0 */
/* admit: links of this shard's hosts enter the frontier, unless they are known. They are in the
 * journal already, so a crash now loses none of them. */
#include "components/links.h"
#include "components/services.h"

#include "flow/part.h"

enum { AT_ONCE = 512 };

static void admit_some(struct instance *self, struct ledger_service *ledger,
                       const struct links *links, size_t from, size_t count)
{
    enum admitted became[AT_ONCE];
    uint64_t fresh = 0;
    enum rc rc = ledger_admit(ledger->ledger, self->shard, links->epoch, &links->list[from], count,
                              part_now_ms(self), became);
    if (rc) {
        part_fail(self, rc, "cannot admit links: %s", rc_text(rc));
        return;
    }
    for (size_t i = 0; i < count; i++)
        fresh += became[i] == ADMITTED_NEW;
    count_add(&ledger->counts.admitted, fresh);
    count_add(&ledger->counts.known, count - fresh);
}

static void admit_handle(struct instance *self, unsigned inlet, struct message *m)
{
    (void)inlet;
    struct ledger_service *ledger = part_provider(self, 0);
    const struct links *links = links_of(m);
    for (size_t at = 0; at < links->count; at += AT_ONCE) {
        size_t rest = links->count - at;
        admit_some(self, ledger, links, at, rest < AT_ONCE ? rest : AT_ONCE);
    }
    part_emit(self, 0, m);
}

const struct part part_admit = {
    .abi = PART_ABI,
    .kind = PART_COMPONENT,
    .name = "admit",
    .help = "puts links that are new into their host's queue",
    .inlets = (const struct part_port[]){{"in", LINKS_TYPE, "links of this shard", false}, {0}},
    .outlets = (const struct part_port[]){{"out", LINKS_TYPE, "the same, admitted", false}, {0}},
    .needs = (const struct part_need[]){{"ledger", LEDGER_INTERFACE, "has the frontier"}, {0}},
    .handle = admit_handle,
};
