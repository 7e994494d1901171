/* SPDX-License-Identifier: Apache-2.0 */
/* crawl_files: the files of a crawl's directory that commands read or write themselves. */
#ifndef CLI_CRAWL_FILES_H
#define CLI_CRAWL_FILES_H

#define CONFIG_OF_CRAWL "orbweaver.yaml" /* its settings (cli/crawl/saved_settings.h) */
#define CRAWL_LIMITS_FILE "state/limits" /* limits that a run reached (cli/crawl/crawl_limits.h) */
#define CRAWL_SEEDS_FILE "state/seeds"   /* every seed (outputs/kept_seed.h) */
#define CRAWL_VERSION_FILE "state/VERSION" /* in every crawl's directory */

#endif
