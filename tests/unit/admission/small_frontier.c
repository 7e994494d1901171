/* SPDX-License-Identifier: Apache-2.0 */
#include "small_frontier.h"

#include "base/hash.h"
#include "disk/disk_crash.h"
#include "frontier/swap.h"
#include "frontier/swap_job.h"
#include "ledger/host_records.h"

enum { NOW_MS = 1000 };
#define FOLDER "rest"

static void send(void *ctx, struct swap_job *job)
{
    struct small_frontier *f = ctx;
    assert_true(f->job_count < sizeof f->jobs / sizeof *f->jobs);
    f->jobs[f->job_count++] = job;
}

void small_frontier_open(struct small_frontier *f, const struct frontier_settings *s)
{
    *f = (struct small_frontier){0};
    assert_rc(disk_crash_open(&f->disk), RC_OK);
    assert_rc(disk_mkdir(f->disk, FOLDER), RC_OK);
    f->frontier = frontier_open(s, 0, 1);
    assert_non_null(f->frontier);
    frontier_swap_begin(f->frontier, (struct swap_carrier){send, f}, 0);
}

void small_frontier_close(struct small_frontier *f)
{
    frontier_close(f->frontier);
    disk_close(f->disk);
}

static void admit(struct small_frontier *f, const char *url, uint64_t now_ms)
{
    struct candidate c = step_candidate(url, "L");
    enum admitted became;
    size_t done;
    assert_rc(frontier_admit(f->frontier, &c, 1, now_ms, &became, &done), RC_OK);
    assert_int_equal(became, ADMITTED_NEW);
}

void small_frontier_admit(struct small_frontier *f, const char *url)
{
    admit(f, url, NOW_MS);
}

static void work(struct small_frontier *f, const struct snapshot_context *c)
{
    struct swap_file loaded;
    for (size_t i = 0; i < f->job_count; i++) {
        swap_job_do(f->disk, FOLDER, f->jobs[i]);
        assert_rc(frontier_came(f->frontier, f->jobs[i], c, &loaded), RC_OK);
    }
    f->job_count = 0;
}

/* The bucket that came last would stay: it is one more. */
void small_frontier_swap(struct small_frontier *f)
{
    struct snapshot_context c = {
        .now_ms = NOW_MS + 1, .wall_ms = NOW_MS + 1, .most_wait_ms = NOW_MS};
    bool more = true;
    admit(f, "http://stays.test/", NOW_MS + 1);
    while (more || f->job_count) {
        assert_rc(frontier_rotate(f->frontier, &c, true, &more), RC_OK);
        work(f, &c);
    }
}

void small_frontier_set_rules(struct frontier *f, const char *host, const char *robots_txt,
                              bool is_listed)
{
    struct robots *rules = NULL;
    struct host *h = frontier_host(f, hash64(str_c(host)), str_c(host));
    assert_non_null(h);
    struct host_record *record = host_record_of(h);
    assert_non_null(record);
    assert_rc(robots_parse(str_c(robots_txt), STR("orbweaver"), &rules), RC_OK);
    assert_rc(host_record_set_robots(record, false, 0, rules, false, 1), RC_OK);
    record->is_listed = is_listed;
}
