/* SPDX-License-Identifier: Apache-2.0 */
#include "components/services.h"

#include "base/clock.h"

uint64_t ledger_service_elapsed_ms(struct ledger_service *s)
{
    uint64_t now_ms = clock_now_ms(s->clock);
    return s->earlier_ms + (now_ms > s->begun_ms ? now_ms - s->begun_ms : 0);
}
