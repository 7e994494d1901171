/* SPDX-License-Identifier: Apache-2.0 */
/* Every built-in part, in the order in which `check --parts` shows them. Each stands at the end of
 * the file named after it; to add one, write its file and name it here. */
#include "catalog/catalog.h"

#include "lines/line.h"
#include "visit/links.h"
#include "visit/url_list.h"
#include "visit/visit.h"

extern const struct part part_seeds;
extern const struct part part_requeue;
extern const struct part part_schedule;
extern const struct part part_resolve;
extern const struct part part_gate;
extern const struct part part_fetch;
extern const struct part part_robots;
extern const struct part part_read;
extern const struct part part_focus;
extern const struct part part_compare;
extern const struct part part_make_urls;
extern const struct part part_pack_answer;
extern const struct part part_judge_links;
extern const struct part part_write_warc;
extern const struct part part_disposition;
extern const struct part part_admit;
extern const struct part part_rejudge;
extern const struct part part_peer_links;

extern const struct part part_ledger_here;
extern const struct part part_scope_seeds;
extern const struct part part_budget_shared;
extern const struct part part_pace_backoff;
extern const struct part part_addresses_shared;
extern const struct part part_guard_public;
extern const struct part part_dns_here;
extern const struct part part_http_here;
extern const struct part part_cluster_alone;
extern const struct part part_cluster_nats;
extern const struct part part_members_least;
extern const struct part part_members_modulo;
extern const struct part part_members_address;
extern const struct part part_sink_here;
extern const struct part part_sink_send;

extern const struct part part_lines;
extern const struct part part_match;
extern const struct part part_normalise;
extern const struct part part_owner;
extern const struct part part_unseen;
extern const struct part part_count;
extern const struct part part_write;

extern const struct part part_assign_address;
extern const struct part part_assign_modulo;
extern const struct part part_assign_rendezvous;
extern const struct part part_assign_ring;
extern const struct part part_clock_real;
extern const struct part part_clock_simulated;
extern const struct part part_seen_bloom;
extern const struct part part_seen_exact;
extern const struct part part_seen_nothing;
extern const struct part part_seen_rocksdb;

static const struct part *const parts[] = {
    &part_seeds,
    &part_requeue,
    &part_schedule,
    &part_resolve,
    &part_gate,
    &part_fetch,
    &part_robots,
    &part_read,
    &part_focus,
    &part_compare,
    &part_make_urls,
    &part_pack_answer,
    &part_judge_links,
    &part_write_warc,
    &part_disposition,
    &part_admit,
    &part_rejudge,
    &part_peer_links,

    &part_ledger_here,
    &part_scope_seeds,
    &part_budget_shared,
    &part_pace_backoff,
    &part_addresses_shared,
    &part_guard_public,
    &part_dns_here,
    &part_http_here,
    &part_cluster_alone,
    &part_cluster_nats,
    &part_members_least,
    &part_members_modulo,
    &part_members_address,
    &part_sink_here,
    &part_sink_send,

    &part_lines,
    &part_match,
    &part_normalise,
    &part_owner,
    &part_unseen,
    &part_count,
    &part_write,

    &part_assign_ring,
    &part_assign_rendezvous,
    &part_assign_address,
    &part_assign_modulo,
    &part_clock_real,
    &part_clock_simulated,
    &part_seen_exact,
    &part_seen_rocksdb,
    &part_seen_bloom,
    &part_seen_nothing,
    NULL,
};

static const struct message_type *const types[] = {&line_type, &links_type, &url_list_type,
                                                   &visit_type, NULL};

const struct catalog catalog_built_in = {.parts = parts, .types = types};
