/* SPDX-License-Identifier: Apache-2.0 */
#include "components/services.h"

#include "base/clock.h"

uint64_t ledger_service_elapsed_ms(struct ledger_service *s)
{
    uint64_t now_ms = clock_now_ms(s->clock);
    return s->earlier_ms + (now_ms > s->begun_ms ? now_ms - s->begun_ms : 0);
}

struct str ledger_service_url(struct ledger_service *s, uint64_t fingerprint, struct arena *arena)
{
    struct history *h = ledger_history(s->ledger);
    struct past past;
    if (!fingerprint)
        return STR_NONE;
    struct str url = recent_pages_get(s->recent, fingerprint, arena);
    if (!url.p && h && history_get(h, fingerprint, arena, &past) == RC_OK)
        url = past.url;
    return url;
}
