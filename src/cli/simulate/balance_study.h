/* SPDX-License-Identifier: Apache-2.0 */
/* balance study: the figures behind `simulate balance`, for its table, its JSON and its chart. */
#ifndef CLI_SIMULATE_BALANCE_STUDY_H
#define CLI_SIMULATE_BALANCE_STUDY_H

#include "assign/balance.h"

enum {
    STUDY_MAX_COLUMNS = 16,
    STUDY_MAX_ROWS = 12,
    STUDY_MAX_POINTS = 65536,
    STUDY_PROBES = 2,     /* the plain ring of the paper, and ours */
    STUDY_HOSTS = 100000, /* random ones, for what is seen */
};

struct balance_study {
    uint32_t agents[STUDY_MAX_COLUMNS];
    uint32_t agent_counts;
    uint32_t points[STUDY_MAX_ROWS];
    uint32_t point_counts;
    uint32_t probes[STUDY_PROBES];
    /* computed from the arcs: [points][agents][probes] */
    struct balance ring[STUDY_MAX_ROWS][STUDY_MAX_COLUMNS][STUDY_PROBES];
    struct balance seen_ring[STUDY_MAX_COLUMNS]; /* the default ring, STUDY_HOSTS hosts */
    struct balance seen_rendezvous[STUDY_MAX_COLUMNS];
};

/* "2,5,10" into ret[0..max), each from 1 to `most`. RC_INVALID or RC_LIMIT on anything else. */
MUST_CHECK enum rc study_read_list(struct str text, uint32_t most, uint32_t *ret, uint32_t max,
                                   uint32_t *ret_count);

/* Fills in the figures; agents, points and their counts are set. */
MUST_CHECK enum rc study_measure(struct balance_study *s);

/* The row of the default number of points, or point_counts if the list lacks it. */
uint32_t study_default_row(const struct balance_study *s);

/* What the paper reports for that many points, in percent; 0 = nothing. */
double study_paper_percent(uint32_t points);

#endif
