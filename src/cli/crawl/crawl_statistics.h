/* SPDX-License-Identifier: Apache-2.0 */
/* crawl_statistics: logs/progress-statistics.log, a line every twenty seconds, in the columns that
 * Heritrix users know; "-" where this crawler has no such number. It is for people,
 * so it is neither synced nor cut at a resume, and a crawl runs also without it. */
#ifndef CLI_CRAWL_CRAWL_STATISTICS_H
#define CLI_CRAWL_CRAWL_STATISTICS_H

#include "roles/ledger.h"

struct crawl_statistics;

/* Appends to what earlier runs wrote. NULL: it cannot. */
struct crawl_statistics *crawl_statistics_open(const char *dir, struct ledger_service *ledger);
/* Writes a last line. Accepts NULL, as the next does. */
void crawl_statistics_close(struct crawl_statistics *s);

/* Writes a line if it is time. */
void crawl_statistics_look(struct crawl_statistics *s, uint64_t now_ms);

#endif
