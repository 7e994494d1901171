/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/simulate/balance_study.h"

/* Few agents vary much from one set of names to another: more sets are tried. */
enum { AGENTS_A_COLUMN = 60 };

enum rc study_read_list(struct str text, uint32_t most, uint32_t *ret, uint32_t max,
                        uint32_t *ret_count)
{
    uint32_t count = 0;
    while (text.p) {
        uint64_t v;
        enum rc rc = str_to_u64(str_trim(str_take_until(&text, ',')), &v);
        if (rc)
            return rc;
        if (v < 1 || v > most || count == max)
            return RC_LIMIT;
        ret[count++] = (uint32_t)v;
    }
    *ret_count = count;
    return count ? RC_OK : RC_INVALID;
}

static enum rc measure_column(struct balance_study *s, uint32_t column)
{
    uint32_t agents = s->agents[column];
    uint32_t sets = (AGENTS_A_COLUMN + agents - 1) / agents;
    enum rc rc = RC_OK;
    for (uint32_t row = 0; rc == RC_OK && row < s->point_counts; row++)
        rc = balance_ring(agents, s->points[row], sets, s->probes, STUDY_PROBES,
                          s->ring[row][column]);
    if (rc == RC_OK)
        rc =
            balance_seen(assign_kind_find(STR("ring")), agents, STUDY_HOSTS, &s->seen_ring[column]);
    if (rc == RC_OK)
        rc = balance_seen(assign_kind_find(STR("rendezvous")), agents, STUDY_HOSTS,
                          &s->seen_rendezvous[column]);
    return rc;
}

enum rc study_measure(struct balance_study *s)
{
    enum rc rc = RC_OK;
    s->probes[0] = 1;
    s->probes[1] = ASSIGN_PROBES;
    for (uint32_t i = 0; rc == RC_OK && i < s->agent_counts; i++)
        rc = measure_column(s, i);
    return rc;
}

uint32_t study_default_row(const struct balance_study *s)
{
    uint32_t row = 0;
    while (row < s->point_counts && s->points[row] != ASSIGN_POINTS)
        row++;
    return row;
}

double study_paper_percent(uint32_t points)
{
    return points == 100 ? 6 : points == 200 ? 4.5 : 0;
}
