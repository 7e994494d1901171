/* SPDX-License-Identifier: Apache-2.0 */
/* left_out: links that their page's host may not bring (host/bring.h): counted, and told. */
#ifndef OUTCOME_LEFT_OUT_H
#define OUTCOME_LEFT_OUT_H

#include "base/log.h"
#include "roles/counters.h"
#include "scope/link.h"

/* Counts links->left_out, and logs the first of each limit. `told`: the limits of that host that
 * the log has told (bits of enum bring_verdict); NULL: the links are of no host, and are only
 * counted. */
void left_out_tell(const struct found_links *links, struct str host_name, uint8_t *told,
                   struct crawl_counts *counts, struct log *log);

#endif
