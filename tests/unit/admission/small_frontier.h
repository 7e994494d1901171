/* SPDX-License-Identifier: Apache-2.0 */
/* small_frontier: a frontier of one shard whose hosts a test can swap to a disk in memory. */
#ifndef TESTS_ADMISSION_SMALL_FRONTIER_H
#define TESTS_ADMISSION_SMALL_FRONTIER_H

#include "lib/step.h"

struct small_frontier {
    struct frontier *frontier;
    struct disk *disk;
    struct swap_job *jobs[8];
    size_t job_count;
};

void small_frontier_open(struct small_frontier *f, const struct frontier_settings *s);
void small_frontier_close(struct small_frontier *f);
/* Admits a URL; it is new. */
void small_frontier_admit(struct small_frontier *f, const char *url);
/* The hosts that were admitted leave memory; the frontier's settings have memory_bytes 1. */
void small_frontier_swap(struct small_frontier *f);
/* Rules for the http origin of a host that is there; `is_listed`: the crawl reads its sitemaps. */
void small_frontier_set_rules(struct frontier *f, const char *host, const char *robots_txt,
                              bool is_listed);

#endif
