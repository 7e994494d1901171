/* SPDX-License-Identifier: Apache-2.0 */
#include "host/host_guest.h"

/* The moment of the host itself: a reservation put its own URLs off, unless the host was put off
 * further since then. */
static uint64_t moment_of(const struct host_record *c, uint64_t due_ms)
{
    return c->guest_ms && due_ms == c->guest_ms + HOST_GUEST_GRACE_MS ? c->guest_ms : due_ms;
}

struct host_guest_answer host_guest_ask(struct host_record *c, uint64_t due_ms, bool has_queue,
                                        uint64_t now_ms)
{
    uint64_t moment_ms = moment_of(c, due_ms);
    if (moment_ms <= now_ms) {
        c->guest_ms = 0;
        c->had_guest = true;
        return (struct host_guest_answer){.may = true};
    }
    struct host_guest_answer a = {.when_ms = moment_ms};
    if (has_queue && !c->guest_ms && !c->had_guest) {
        c->guest_ms = moment_ms;
        a.hold_ms = moment_ms + HOST_GUEST_GRACE_MS;
    }
    return a;
}

uint64_t host_guest_due_ms(const struct host_record *c, const struct pace_settings *s,
                           uint64_t wait_ms, uint64_t now_ms)
{
    if (!wait_ms)
        return now_ms;
    uint64_t delay_ms = pace_delay_ms(s, host_record_delay_ms(c));
    return now_ms + (wait_ms > delay_ms ? wait_ms : delay_ms) + 1;
}
