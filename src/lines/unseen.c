/* SPDX-License-Identifier: Apache-2.0 */
/* unseen: lets a line through the first time; asks the provider `seen`. With several shards it
 * stands behind a queue with `route: hash`, so that equal lines meet. */
#include "lines/line.h"
#include "roles/seen.h"

#include "flow/part.h"

enum { NEED_SEEN };

enum { OUT, AGAIN };

static void unseen_handle(struct instance *self, unsigned inlet, struct message *m)
{
    (void)inlet;
    struct seen *seen = part_provider(self, NEED_SEEN);
    bool was_there = false;
    enum rc rc = seen->add(seen, m->route, &was_there);
    if (rc) {
        part_fail(self, rc, "cannot remember a line: %s", rc_text(rc));
        part_end(self, m);
        return;
    }
    part_emit(self, was_there ? AGAIN : OUT, m);
}

const struct part part_unseen = {
    .abi = PART_ABI,
    .kind = PART_COMPONENT,
    .name = "unseen",
    .help = "lets a line through the first time only",
    .inlets = (const struct part_port[]){{"in", LINE_TYPE, "lines", false}, {0}},
    .outlets = (const struct part_port[]){{"out", LINE_TYPE, "new lines", false},
                                          {"again", LINE_TYPE, "lines that came before", true},
                                          {0}},
    .needs =
        (const struct part_need[]){[NEED_SEEN] = {"seen", SEEN_INTERFACE, "what came before"}, {0}},
    .handle = unseen_handle,
};
