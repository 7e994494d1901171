/* SPDX-License-Identifier: Apache-2.0 */
/* crawl_seeds: the seeds of the command line, the environment and the settings; not those of seed
 * files, which the crawl reads as it runs. */
#ifndef CLI_CRAWL_CRAWL_SEEDS_H
#define CLI_CRAWL_CRAWL_SEEDS_H

#include "cli/settings.h"

/* Adds the words of the command to the seeds of the settings, each seed once, and leaves out those
 * that are refused (ledger/seed.h): each is named on standard error with its reason, so that the
 * directory never holds it. *ret_refused: how many there were. */
MUST_CHECK enum rc crawl_seeds_gather(const struct invocation *in, struct settings *s,
                                      enum settings_source *sources, size_t *ret_refused);

/* For settings that are only shown: user names and passwords in seeds and in the URL of --cluster,
 * which a crawl refuses, become ***. */
MUST_CHECK enum rc crawl_seeds_mask(struct settings *s, struct arena *arena);

#endif
