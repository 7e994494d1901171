/* SPDX-License-Identifier: Apache-2.0 */
/* seen/nothing: remembers nothing, so that everything is new: to see what the set is worth. */
#include "roles/seen.h"

#include "flow/part.h"

static enum rc nothing_add(struct seen *s, uint64_t fingerprint, bool *ret_was_there)
{
    (void)s;
    (void)fingerprint;
    *ret_was_there = false;
    return RC_OK;
}

static uint64_t nothing_count(const struct seen *s)
{
    (void)s;
    return 0;
}

static void *nothing_provide(struct instance *self)
{
    (void)self;
    static struct seen nothing = {nothing_add, nothing_count, {.kind = SEEN_LINES_ONLY}};
    return &nothing;
}

const struct part part_seen_nothing = {
    .abi = PART_ABI,
    .kind = PART_PROVIDER,
    .name = "nothing",
    .help = "for lines: remembers nothing, everything is new",
    .where = PART_ON_ONE_SHARD,
    .provides = SEEN_INTERFACE,
    .provide = nothing_provide,
};
