/* SPDX-License-Identifier: Apache-2.0 */
#include "outcome/hand_out.h"

static void emit(struct instance *self, unsigned outlet, struct message *parent, struct links *l)
{
    part_derive(self, parent, &l->head);
    part_emit(self, outlet, &l->head);
}

void hand_out_links(struct instance *self, unsigned outlet, struct message *parent,
                    const struct fresh_links *fresh)
{
    for (unsigned to = 0; to < self->shard_count; to++) {
        struct links *l = NULL;
        enum rc rc = fresh_links_for_shard(fresh, to, self->shard, self->shard_count, &l);
        if (rc)
            part_fail(self, rc, "no memory for links");
        else if (l)
            emit(self, outlet, parent, l);
    }
}

void hand_out_page(struct instance *self, unsigned outlet, struct message *parent,
                   const struct candidate *page, struct cluster_service *cluster)
{
    struct links *l = links_open(&page, 1, STR(""), 0, 0);
    if (!l) {
        part_fail(self, RC_NOMEM, "no memory for links");
        return;
    }
    cluster->ops->begin(cluster);
    emit(self, outlet, parent, l);
}
