/* SPDX-License-Identifier: Apache-2.0 */
/* settings: everything a person can decide about a crawl, in one table.
 *
 * The table feeds the flags, the keys of orbweaver.yaml, the variables ORBWEAVER_KEY, `check`,
 * `config`, the manual and completion. A flag beats the environment, which beats the file, which
 * beats the default. */
#ifndef CLI_SETTINGS_H
#define CLI_SETTINGS_H

#include "cli/command.h"

struct settings {
    struct option_list seeds;
    struct option_list input; /* files with a seed a line; "-" is standard input */
    struct str output;        /* the crawl's directory */
    struct str config;
    struct str wiring;
    struct str place, place_secret;   /* of a wiring with places: the one to run, and a file */
    struct str member, member_secret; /* of a pool: this process's name and secret */
    bool member_trusted;              /* of the manager's copy of its key */
    struct str manager;               /* address:port of the pool's manager; absent: the wiring's */
    struct option_list set;           /* "part.key=value" */

    unsigned scope; /* enum scope_kind (scope/scope.h) */
    uint64_t depth;
    struct option_list include;
    struct option_list exclude;
    bool pages_only;
    struct str normalise;
    uint64_t pages; /* 0 = no limit, here and in the next two */
    uint64_t time_ms, grace_ms;
    uint64_t size_bytes;

    uint64_t host_pages;
    uint64_t domain_pages;
    uint64_t body_bytes;
    struct option_list types;

    struct option_list keywords;
    double keep_score;
    double follow_score;
    double link_score;
    unsigned order; /* enum order_kind (order/order.h) */
    uint64_t peek_bytes;

    struct str user_agent;
    struct str contact;
    uint64_t delay_ms;
    uint64_t ip_conns;
    uint64_t ip_delay_ms;
    bool ignore_robots;
    uint64_t tries;
    bool drop_dead;
    uint64_t timeout_ms;

    struct option_list allow_private;
    struct str resolver;
    unsigned http; /* enum http_version (net/http.h) */
    bool insecure;
    struct str ca_file;

    uint64_t frontier_bytes; /* 0 = no limit */
    bool archive_only;
    bool link_index;
    bool recrawl;
    bool compare;
    struct str cluster;
    struct str agent;
    struct str cluster_credentials;
    uint64_t agent_weight;
    uint64_t disk_quota; /* 0 = none */
    bool refetch_lost;

    struct str sink;
    bool sink_remove;
    uint64_t sink_wait_ms;

    struct str ui;
    bool json;
    bool quiet;
    bool verbose;
};

extern const struct option settings_table[];

/* Where a value comes from; FROM_CRAWL: from the crawl's own directory. */
enum settings_source {
    FROM_DEFAULT,
    FROM_FILE,
    FROM_CRAWL,
    FROM_ENVIRONMENT,
    FROM_FLAG,
    SETTINGS_SOURCES
};
extern const char *const settings_source_names[SETTINGS_SOURCES];

/* Joins defaults, the file named by --config (or $ORBWEAVER_CONFIG, or the orbweaver.yaml of the
 * directory that --output names), the environment and the flags of `in`, whose own settings hold
 * only defaults and flags. On RC_OK *ret_settings and *ret_sources (one per row of the table) live
 * in in->arena. On RC_INVALID it has printed what is wrong on standard error, with file, line and
 * key. */
MUST_CHECK enum rc settings_gather(struct invocation *in, struct settings **ret_settings,
                                   enum settings_source **ret_sources);

#endif
