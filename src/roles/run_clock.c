/* SPDX-License-Identifier: Apache-2.0 */
#include "roles/run_clock.h"

uint64_t run_clock_elapsed_ms(const struct run_clock *r)
{
    uint64_t now_ms = clock_now_ms(r->clock);
    return r->earlier_ms + (now_ms > r->begun_ms ? now_ms - r->begun_ms : 0);
}
