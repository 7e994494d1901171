/* SPDX-License-Identifier: Apache-2.0 */
/* lost: captures that are in no archive any more: what agents of a cluster told to be archived with
 * one whose directory has since begun anew (cluster/elsewhere.h says how that is known), and what
 * the index places in an archive file that is missing or too short (lost_files.h; its agent is
 * "-").
 *
 * A capture is lost if somebody was told of it, the directory it was in is gone, and neither a
 * directory that is looked at nor any other that still is has one of the same URL. It is `away` if
 * the agent that has it is none of those that are known: its archive may be there or not.
 * Everything is done by sorting, in bounded memory; where nobody was told anything nothing is
 * read. */
#ifndef OUTPUTS_LOST_H
#define OUTPUTS_LOST_H

#include "cluster/elsewhere.h"
#include "outputs/crawl_dir.h"

enum { LOST_MAX_AGENTS = 4096 };

/* What is known of the agents: with which incarnation the directory of each began. */
struct lost_agents {
    struct lost_agent {
        char name[RECORDS_MAX_NAME_BYTES + 1];
        uint64_t first; /* UINT64_MAX: all that it had is lost */
    } * list;
    size_t count;
};
/* Of two words on one agent the later incarnation counts. RC_LIMIT, RC_NOMEM. */
MUST_CHECK enum rc lost_agents_add(struct lost_agents *a, struct str name, uint64_t first);
/* By state/agent of each directory; one without belongs to nobody. */
MUST_CHECK enum rc lost_agents_read(struct lost_agents *a, struct crawl_set crawls);
/* 0: not known. */
uint64_t lost_agents_first(const struct lost_agents *a, struct str name);
void lost_agents_done(struct lost_agents *a);

struct lost_capture { /* borrowed */
    struct str url, agent;
    uint64_t inc;
    struct str hops;
    uint8_t class;
    bool is_asked; /* the last word on it in its directory: it is asked for again */
};
struct lost_counts {
    uint64_t lost, away;
    uint64_t damaged; /* lines that could not be read */
};

/* Calls `each` (may be NULL) for every lost capture, in the order of their URLs. `work` is the
 * beginning of the names of files in the first directory that are written meanwhile. Stops when
 * `each` returns other than RC_OK, and returns that. */
typedef enum rc lost_each(void *ctx, const struct lost_capture *c);
MUST_CHECK enum rc lost_find(struct crawl_set crawls, const struct lost_agents *agents,
                             const char *work, lost_each *each, void *ctx, struct lost_counts *ret);
/* The same with those files in `to`: nothing is written into the directories. */
MUST_CHECK enum rc lost_find_by(struct crawl_set crawls, const struct lost_agents *agents,
                                struct disk *to, const char *work, lost_each *each, void *ctx,
                                struct lost_counts *ret);

#endif
