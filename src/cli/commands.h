/* SPDX-License-Identifier: Apache-2.0 */
/* commands: the list of all commands, in the order the help shows them. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "cli/command.h"

/* Ends with NULL. */
extern const struct command *const cli_commands[];

/* Each stands at the end of the file named after it. */
extern const struct command cmd_check;
extern const struct command cmd_cluster_add;
extern const struct command cmd_agent_join;
extern const struct command cmd_agent_leave;
extern const struct command cmd_cluster_drain;
extern const struct command cmd_cluster_gc;
extern const struct command cmd_cluster_init;
extern const struct command cmd_cluster_status;
extern const struct command cmd_cluster_up;
extern const struct command cmd_cluster_remove;
extern const struct command cmd_cluster_streams;
extern const struct command cmd_config_defaults;
extern const struct command cmd_config_show;
extern const struct command cmd_checkpoint;
extern const struct command cmd_crawl;
extern const struct command cmd_export_cdxj;
extern const struct command cmd_export_links;
extern const struct command cmd_export_pages;
extern const struct command cmd_export_sitemap;
extern const struct command cmd_export_wacz;
extern const struct command cmd_repair;
extern const struct command cmd_report;
extern const struct command cmd_fetch;
extern const struct command cmd_member_add;
extern const struct command cmd_member_remove;
extern const struct command cmd_pause;
extern const struct command cmd_seeds_add;
extern const struct command cmd_sink_add;
extern const struct command cmd_sink_init;
extern const struct command cmd_sink_listen;
extern const struct command cmd_sink_remove;
extern const struct command cmd_sink_send;
extern const struct command cmd_seeds_list;
extern const struct command cmd_set;
extern const struct command cmd_simulate_balance;
extern const struct command cmd_simulate_cluster;
extern const struct command cmd_simulate_pool;
extern const struct command cmd_status;
extern const struct command cmd_stop;
extern const struct command cmd_try_change;
extern const struct command cmd_try_links;
extern const struct command cmd_try_robots;
extern const struct command cmd_try_sitemap;
extern const struct command cmd_try_text;
extern const struct command cmd_try_url;
extern const struct command cmd_try_warc;
extern const struct command cmd_try_wiring;
extern const struct command cmd_unpause;
extern const struct command cmd_url;

#endif
