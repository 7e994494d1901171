/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands.h"

/* Each is defined at the end of the file named after it: cmd_try_url.c has cmd_try_url. */

const struct command *const cli_commands[] = {
    &cmd_crawl,
    &cmd_status,
    &cmd_pause,
    &cmd_unpause,
    &cmd_stop,
    &cmd_set,
    &cmd_checkpoint,
    &cmd_seeds_add,
    &cmd_seeds_list,
    &cmd_url,
    &cmd_fetch,
    &cmd_check,
    &cmd_config_show,
    &cmd_config_defaults,
    &cmd_simulate_balance,
    &cmd_simulate_cluster,
    &cmd_export_cdxj,
    &cmd_export_wacz,
    &cmd_export_links,
    &cmd_export_pages,
    &cmd_export_sitemap,
    &cmd_report,
    &cmd_try_url,
    &cmd_try_robots,
    &cmd_try_sitemap,
    &cmd_try_links,
    &cmd_try_text,
    &cmd_try_change,
    &cmd_try_warc,
    &cmd_try_wiring,
    NULL,
};
