/* SPDX-License-Identifier: Apache-2.0 */
/* budget/shared: the limits of the crawl, counted once for all shards. */
#include "roles/budget.h"

#include "flow/part.h"

static enum rc budget_shared_open(struct instance *self, struct buf *why)
{
    (void)why;
    struct budget *b = NULL;
    enum rc rc = budget_open(self->settings, &b);
    self->state = b;
    return rc;
}

static void budget_shared_close(struct instance *self)
{
    budget_close(self->state);
}

static void *budget_shared_provide(struct instance *self)
{
    return self->state;
}

static void budget_shared_changed(struct instance *self, const void *old)
{
    (void)old;
    budget_change(self->state, self->settings);
}

const struct part part_budget_shared = {
    .abi = PART_ABI,
    .kind = PART_PROVIDER,
    .name = "shared",
    .help = "limits what is taken in all, of a host, of a domain",
    .where = PART_ON_ONE_SHARD,
    .provides = BUDGET_INTERFACE,
    .is_of_one_place = true,
    .options = budget_options,
    .settings_bytes = sizeof(struct budget_settings),
    .open = budget_shared_open,
    .close = budget_shared_close,
    .provide = budget_shared_provide,
    .changed = budget_shared_changed,
};
