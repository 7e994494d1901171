/* SPDX-License-Identifier: Apache-2.0 */
#include "base/int_set.h"

#include "base/mem.h"

enum { FIRST_SLOTS = 64 };

void int_set_done(struct int_set *s)
{
    mem_free(s->slots);
    *s = (struct int_set){0};
}

enum rc int_set_begin(struct int_set *s, size_t count)
{
    size_t needed = FIRST_SLOTS;
    while (needed / 2 < count)
        needed *= 2;
    if (needed > s->room) {
        uint64_t *slots = mem_zero(needed, sizeof *slots);
        if (!slots)
            return RC_NOMEM;
        mem_free(s->slots);
        *s = (struct int_set){.slots = slots, .slot_count = needed, .room = needed};
        return RC_OK;
    }
    memset(s->slots, 0, needed * sizeof *s->slots);
    s->slot_count = needed;
    s->count = 0;
    s->has_zero = false;
    return RC_OK;
}

static enum rc grow_slots(struct int_set *s)
{
    size_t slot_count = s->slot_count ? s->slot_count * 2 : FIRST_SLOTS;
    struct int_set larger = {
        .slot_count = slot_count, .room = slot_count, .count = s->count, .has_zero = s->has_zero};
    larger.slots = mem_zero(slot_count, sizeof *larger.slots);
    if (!larger.slots)
        return RC_NOMEM;
    for (size_t i = 0; i < s->slot_count; i++)
        if (s->slots[i])
            *int_set_slot(&larger, s->slots[i]) = s->slots[i];
    mem_free(s->slots);
    *s = larger;
    return RC_OK;
}

enum rc int_set_add(struct int_set *s, uint64_t key, bool *ret_is_new)
{
    *ret_is_new = false;
    if (int_set_has(s, key))
        return RC_OK;
    if (s->count >= s->slot_count / 4 * 3) {
        enum rc rc = grow_slots(s);
        if (rc)
            return rc;
    }
    *ret_is_new = int_set_put(s, key);
    return RC_OK;
}
