/* SPDX-License-Identifier: Apache-2.0 */
/* crawl_status: the numbers of a running crawl (roles/counters.h), for a person and for programs.
 *
 * The progress line, the last words of `crawl`, the lines of --json and the control server take
 * them from here. */
#ifndef CONTROL_CRAWL_STATUS_H
#define CONTROL_CRAWL_STATUS_H

#include "base/jsonw.h"
#include "roles/ledger.h"

/* One line without its LF. The rate is that of the last `over_ms`, in which `fetched_before` were
 * fetched before; with 0 there is none. */
void crawl_status_print(struct ledger_service *l, uint64_t fetched_before, uint64_t over_ms,
                        struct buf *out);

/* One JSON object, and the members of that object alone. */
void crawl_status_json(struct ledger_service *l, struct buf *out);
void crawl_status_fields(struct ledger_service *l, struct jsonw *j);

#endif
