/* SPDX-License-Identifier: Apache-2.0 */
/* crawl_statistics: logs/progress-statistics.log, a line every twenty seconds, in the columns that
 * Heritrix users know; "-" where this crawler has no such number. It is for people who look back,
 * so it is neither synced nor cut at a resume, and a crawl goes on without it. */
#ifndef CLI_CRAWL_STATISTICS_H
#define CLI_CRAWL_STATISTICS_H

#include "components/services.h"

struct crawl_statistics;

/* Goes on behind what earlier runs wrote in the crawl's directory. NULL: it cannot. */
struct crawl_statistics *crawl_statistics_open(const char *dir, struct ledger_service *ledger);
/* With a last line. Accepts NULL, as the next. */
void crawl_statistics_close(struct crawl_statistics *s);

/* Writes a line if it is time. */
void crawl_statistics_look(struct crawl_statistics *s, uint64_t now_ms);

#endif
