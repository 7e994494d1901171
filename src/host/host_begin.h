/* SPDX-License-Identifier: Apache-2.0 */
/* host_begin: when a place that has no records may begin to ask hosts.
 *
 * Where the records are, the crawl waits after a restart before it checks the first host out. At a
 * place without records (docs/remote.md) either this process or the one with the records may have
 * been killed while a host was asked, and the new one checks the host out without knowing when that
 * was. So no host is asked until a delay has passed since the first visit of that process came
 * here. The visits of an earlier process have ended by then (flow/remote.h). */
#ifndef HOST_HOST_BEGIN_H
#define HOST_HOST_BEGIN_H

#include "host/pace.h"

/* Zeroed: nothing has come. */
struct host_begin {
    uint64_t session, begun_ms; /* of the process that sends visits, and when its first came */
};

/* The moment from which the host may be asked; 0: now. `session` changes when the process that
 * sends visits is restarted (part_session()), and is 0 for a visit that was made here. */
uint64_t host_begin_ms(struct host_begin *b, uint64_t session, uint64_t crawl_delay_ms,
                       const struct pace_settings *pace, uint64_t now_ms);

#endif
