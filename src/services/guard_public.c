/* SPDX-License-Identifier: Apache-2.0 */
/* guard/public: only addresses that the whole internet can reach, and those that the operator
 * named. */
#include "roles/guard.h"

#include "flow/part.h"

struct guard_settings {
    struct option_list allow_private;
};

static const struct option guard_part_options[] = {
    OPTION_LIST_ROW(struct guard_settings, allow_private, "allow-private", NULL,
                    "fetch from private addresses, all or some", .arg = "CIDR", .bare = "all"),
    {0},
};

static enum rc guard_public_open(struct instance *self, struct buf *why)
{
    const struct guard_settings *s = self->settings;
    struct guard *g = NULL;
    enum rc rc = guard_open(&s->allow_private, &g, why);
    self->state = g;
    return rc;
}

static void guard_public_close(struct instance *self)
{
    guard_close(self->state);
}

static void *guard_public_provide(struct instance *self)
{
    return self->state;
}

const struct part part_guard_public = {
    .abi = PART_ABI,
    .kind = PART_PROVIDER,
    .name = "public",
    .help = "lets only public addresses be asked, and those that are allowed by name",
    .where = PART_ON_EACH_SHARD,
    .provides = GUARD_INTERFACE,
    .options = guard_part_options,
    .settings_bytes = sizeof(struct guard_settings),
    .open = guard_public_open,
    .close = guard_public_close,
    .provide = guard_public_provide,
};
