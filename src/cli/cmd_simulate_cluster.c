/* SPDX-License-Identifier: Apache-2.0 */
/* simulate cluster: the protocol between agents, with everything going wrong, on imagined time. */
#include "cli/commands.h"

#include "simulate/runs.h"

#include <stdio.h>
#include <stdlib.h>

enum { OUT_MAX = 1 << 20, MOST_HOSTS = 1000, MOST_URLS = 20000, MOST_FULL_AGENTS = 12 };

struct simulate_cluster {
    uint64_t agents, hosts, urls;
    struct str seeds;
    bool calm;
};

static const char *const invariants[WORLD_INVARIANTS + 1] = {
    "",
    "no URL is lost",
    "one agent asks a host",
    "only its owner, gate open, lease young",
    "the dead start nothing",
    "one log, one roster",
    "an outcome is said after its links",
    "refetches are accounted for",
    "records merge in any order",
    "delays hold across moves",
    "floors tell the truth",
    "nothing goes back",
    "it finishes, and never early",
    "a change moves only its own hosts",
};

static bool read_seeds(struct str text, uint64_t *ret_first, uint64_t *ret_last)
{
    size_t at = str_find_str(text, STR(".."));
    if (at == text.n) {
        bool ok = str_to_u64(text, ret_first) == RC_OK;
        *ret_last = *ret_first;
        return ok;
    }
    return str_to_u64(str_first(text, at), ret_first) == RC_OK &&
           str_to_u64(str_from(text, at + 2), ret_last) == RC_OK && *ret_first <= *ret_last;
}

static void print_faults(struct buf *out, const struct world_report *r)
{
    buf_add(out, STR("\nfaults                         times\n"));
    for (int i = 0; i < WORLD_FAULTS; i++)
        buf_printf(out, "  %-26s %7llu\n", world_fault_names[i], (unsigned long long)r->faults[i]);
    for (int i = 0; i < POST_FAULTS; i++)
        buf_printf(out, "  post office: %-13s %7llu\n", post_fault_names[i],
                   (unsigned long long)r->post_faults[i]);
}

static void print_checks(struct buf *out, const struct world_report *r)
{
    buf_add(out, STR("\ninvariants                                    checked\n"));
    for (int i = 1; i <= WORLD_INVARIANTS; i++)
        buf_printf(out, "  %2d %-38s %10llu\n", i, invariants[i],
                   (unsigned long long)r->checked[i]);
}

static void print_failure(struct buf *out, const struct runs_result *r)
{
    if (!r->failed)
        return;
    buf_printf(out, "\nseed %llu fails at event %llu: invariant %d (%s): %s\n",
               (unsigned long long)r->first_failed, (unsigned long long)r->failure.events,
               r->failure.broken, invariants[r->failure.broken], r->failure.why);
    buf_add(out, buf_str(&r->trail));
}

static void print_runs(struct buf *out, const struct runs_result *r)
{
    const struct world_report *s = &r->sum;
    double seconds = (double)s->ended_ms / 1000;
    buf_printf(out,
               "%llu runs, %llu failed\n"
               "simulated: %.0f s, %llu events, %llu epochs\n"
               "fetches: %llu, of which %llu were done before (%llu allowed by crashes)\n"
               "open in a frozen process while its host was asked by another: %llu\n"
               "messages a simulated second: %.1f appended, %.1f read, %.1f said\n"
               "longest from a death to the settled epoch: %.1f s (dead after 15 s)\n",
               (unsigned long long)r->runs, (unsigned long long)r->failed, seconds,
               (unsigned long long)s->events, (unsigned long long)s->epochs,
               (unsigned long long)s->fetches, (unsigned long long)s->refetches,
               (unsigned long long)s->refetch_allowance, (unsigned long long)s->frozen_overlaps,
               (double)s->appends / seconds, (double)s->gets / seconds, (double)s->says / seconds,
               (double)s->longest_recovery_ms / 1000);
    print_faults(out, s);
    print_checks(out, s);
    print_failure(out, r);
}

static int run_small(const struct simulate_cluster *o, struct buf *out)
{
    struct runs_settings s = {.agents = (uint32_t)o->agents,
                              .hosts = (uint32_t)o->hosts,
                              .urls = (uint32_t)o->urls,
                              .is_calm = o->calm};
    struct runs_result r;
    if (!read_seeds(o->seeds, &s.first, &s.last))
        return cli_fail(EXIT_USAGE, "--seeds: a number, or two as 1..100");
    enum rc rc = runs_all(&s, &r);
    if (!rc)
        print_runs(out, &r);
    bool failed = r.failed > 0;
    runs_done(&r);
    if (rc)
        return cli_fail(EXIT_OTHER, "simulate cluster: %s", rc_text(rc));
    return failed ? EXIT_OTHER : EXIT_DONE;
}

/* Too many for processes: the rings alone. */
static int run_scale(const struct simulate_cluster *o, struct buf *out)
{
    struct scale_report r;
    uint64_t first = 1, last;
    if (!read_seeds(o->seeds, &first, &last))
        return cli_fail(EXIT_USAGE, "--seeds: a number, or two as 1..100");
    enum rc rc = scale_measure((uint32_t)o->agents, o->hosts ? o->hosts : 1000000, first, &r);
    if (rc)
        return cli_fail(EXIT_OTHER, "simulate cluster: %s", rc_text(rc));
    buf_printf(out,
               "%llu agents, %llu hosts (%llu of them looked at), no processes: rings alone\n"
               "shares: standard deviation %.2f %%, largest %.2f %%\n"
               "the last one to join moved %.3f %% of the hosts; 1/agents is %.3f %%\n"
               "moved though they need not: %llu\n"
               "every agent hears %llu heartbeats and reads %llu entries of the roster a second\n",
               (unsigned long long)r.agents, (unsigned long long)r.hosts,
               (unsigned long long)r.sample, 100 * r.deviation, 100 * r.largest, 100 * r.moved,
               100.0 / (double)r.agents, (unsigned long long)r.astray,
               (unsigned long long)r.beats_per_s, (unsigned long long)r.log_entries_per_s);
    return r.astray ? EXIT_OTHER : EXIT_DONE;
}

static int run(struct invocation *in)
{
    const struct simulate_cluster *o = in->settings;
    struct buf out = {.max = OUT_MAX};
    if (in->word_count)
        return cli_fail(EXIT_USAGE, "simulate cluster takes no arguments, only options");
    bool is_large = o->agents > MOST_FULL_AGENTS || o->hosts > MOST_HOSTS || o->urls > MOST_URLS;
    if (is_large && !o->agents)
        return cli_fail(EXIT_USAGE, "so many hosts need --agents");
    int code = is_large ? run_scale(o, &out) : run_small(o, &out);
    cli_print(&out);
    buf_done(&out);
    return code;
}

static const struct option options[] = {
    OPTION_COUNT_ROW(struct simulate_cluster, agents, "agents", "0",
                     "agents at the beginning; 0: 3 or 4, by the seed", .max = ROSTER_MAX_AGENTS),
    OPTION_COUNT_ROW(struct simulate_cluster, hosts, "hosts", "0",
                     "hosts of the made-up web; 0: 20 to 40", .max = UINT32_MAX),
    OPTION_COUNT_ROW(struct simulate_cluster, urls, "urls", "0", "its URLs; 0: 100 to 150",
                     .max = UINT32_MAX),
    OPTION_TEXT_ROW(struct simulate_cluster, seeds, "seeds", "1..20", "seeds, one run each",
                    .arg = "A..B"),
    OPTION_BOOL_ROW(struct simulate_cluster, calm, "calm", "no", "nothing goes wrong"),
    {0},
};

const struct command cmd_simulate_cluster = {
    .name = "simulate cluster",
    .args = "",
    .summary = "agents of a cluster on imagined time, with faults",
    .details = "Runs the protocol between agents in one process, on a simulated post office and "
               "clock, with crashes, wiped disks, freezes, partitions and servers that lose what "
               "they acknowledged, all from a seed; after every event the invariants of "
               "docs/cluster-protocol.md are checked. A seed that fails is printed with its last "
               "events, and fails again. More than 12 agents or 1,000 hosts: the rings alone, with "
               "their shares and what a change moves.",
    .options = options,
    .settings_bytes = sizeof(struct simulate_cluster),
    .run = run,
};
