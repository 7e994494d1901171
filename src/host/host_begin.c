/* SPDX-License-Identifier: Apache-2.0 */
#include "host/host_begin.h"

uint64_t host_begin_ms(struct host_begin *b, uint64_t session, uint64_t crawl_delay_ms,
                       const struct pace_settings *pace, uint64_t now_ms)
{
    if (session != b->session)
        *b = (struct host_begin){.session = session, .begun_ms = now_ms};
    uint64_t moment_ms = b->begun_ms + pace_delay_ms(pace, crawl_delay_ms);
    return session && now_ms < moment_ms ? moment_ms : 0;
}
