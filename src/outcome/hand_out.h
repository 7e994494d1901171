/* SPDX-License-Identifier: Apache-2.0 */
/* hand_out: links leave the step as messages that descend from the visit or the list. Without
 * memory the step fails (part_fail): journalled links that no shard gets would be lost. */
#ifndef OUTCOME_HAND_OUT_H
#define OUTCOME_HAND_OUT_H

#include "flow/part.h"
#include "outcome/fresh_links.h"

/* To every shard that has new links, and to this one (fresh_links_for_shard). */
void hand_out_links(struct instance *self, unsigned outlet, struct message *parent,
                    const struct fresh_links *fresh);

/* To rejudge: a page whose links must be judged again, by its seed_path. The cluster counts it as
 * work that is open. */
void hand_out_page(struct instance *self, unsigned outlet, struct message *parent,
                   const struct candidate *page, struct cluster_service *cluster);

#endif
