/* SPDX-License-Identifier: Apache-2.0 */
#include "witness/sight.h"

const char *sight_end_name(enum sight_end end)
{
    switch (end) {
    case SIGHT_WHOLE:
        return "whole";
    case SIGHT_CLIENT_LEFT:
        return "client-left";
    case SIGHT_WE_ENDED:
        return "we-ended";
    case SIGHT_OPEN:
        break;
    }
    return "open";
}

uint64_t backoff_until_us(uint64_t start_us, uint64_t backoff_ms)
{
    if (backoff_ms <= BACKOFF_SLACK_MS)
        return 0;
    uint64_t after_ms = backoff_ms - BACKOFF_SLACK_MS;
    return after_ms > (UINT64_MAX - start_us) / 1000 ? UINT64_MAX : start_us + 1000 * after_ms;
}

static const struct {
    enum sight_fact fact;
    const char *name;
} facts_named[] = {
    {FACT_COOKIE, "Cookie"},
    {FACT_AUTHORIZATION, "Authorization"},
    {FACT_CONDITION, "a condition"},
    {FACT_RANGE, "Range"},
    {FACT_REFERER, "Referer"},
    {FACT_H2, "HTTP/2"},
    {FACT_HTTPS, "HTTPS"},
    {FACT_SNI, "SNI"},
    {FACT_HEAD, "HEAD"},
    {FACT_OTHER_METHOD, "another method"},
    {FACT_OTHER_SNI, "another host's SNI"},
    {FACT_PROXY, "a whole URL"},
    {FACT_HUGE_COOKIE, "huge cookies"},
};

void sight_facts_print(unsigned facts, struct buf *out)
{
    for (size_t i = 0; i < sizeof facts_named / sizeof *facts_named; i++)
        if (facts & (unsigned)facts_named[i].fact)
            buf_printf(out, " %s", facts_named[i].name);
}
