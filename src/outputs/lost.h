/* SPDX-License-Identifier: Apache-2.0 */
/* lost: captures that no archive has any more. Either an agent of a cluster reported the capture,
 * and its directory has begun anew since (cluster/wire/elsewhere.h says how that is known); or the
 * index names an archive file that is missing or too short (lost_files.h; the agent is "-").
 *
 * A capture is lost if an agent reported it, the directory that had it is gone, and no directory
 * that still exists has a capture of the same URL. It is `away` if the agent that reported it is
 * not known: its archive may exist or not. Everything is done by sorting, in bounded memory; if
 * there are no reports and no archive file is missing, no index is read. */
#ifndef OUTPUTS_LOST_H
#define OUTPUTS_LOST_H

#include "cluster/wire/elsewhere.h"
#include "outputs/crawl_dir.h"

enum { LOST_MAX_AGENTS = 4096 };

/* The known agents: with which incarnation the directory of each began. */
struct lost_agents {
    struct lost_agent {
        char name[RECORDS_MAX_NAME_BYTES + 1];
        uint64_t first; /* UINT64_MAX: all that it had is lost */
    } * list;
    size_t count;
};
/* Of two entries for one agent the later incarnation wins. RC_LIMIT, RC_NOMEM. */
MUST_CHECK enum rc lost_agents_add(struct lost_agents *a, struct str name, uint64_t first);
/* Reads state/agent of each directory; a directory without that file belongs to no agent. */
MUST_CHECK enum rc lost_agents_read(struct lost_agents *a, struct crawl_set crawls);
/* 0: not known. */
uint64_t lost_agents_first(const struct lost_agents *a, struct str name);
void lost_agents_done(struct lost_agents *a);

struct lost_capture { /* borrowed */
    struct str url, agent;
    uint64_t inc;
    struct str seed_path;
    uint8_t class;
    bool is_asked; /* the last line about it in its directory: it is asked for again */
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
