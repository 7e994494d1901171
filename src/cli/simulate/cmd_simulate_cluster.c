/* SPDX-License-Identifier: Apache-2.0 */
/* simulate cluster: the protocol between agents, with everything going wrong, on simulated time. */
#include "cli/commands.h"

#include "base/mem.h"
#include "cli/simulate/seeds.h"
#include "simulate/runs.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    OUT_MAX = 1 << 20,
    MOST_HOSTS = 1000,
    MOST_URLS = 20000,
    FEW_AGENTS = 12,
    LEAST_MANY_AGENTS = 16,
    USUAL_MANY_HOSTS = 1000000,
    MOST_AGENTS = ROSTER_MAX_AGENTS - 2 * WORLD_MORE_AGENTS,
};

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
    "acked_through tells the truth",
    "nothing goes back",
    "it finishes, and never early",
    "a change moves only its own hosts",
};

static void print_faults(struct buf *out, const struct world_report *r, int kinds)
{
    buf_add(out, STR("\nfaults                         times\n"));
    for (int i = 0; i < kinds; i++)
        buf_printf(out, "  %-26s %7llu\n", world_fault_names[i], (unsigned long long)r->faults[i]);
    for (int i = 0; i < NATS_SIM_FAULTS; i++)
        buf_printf(out, "  servers: %-17s %7llu\n", nats_sim_fault_names[i],
                   (unsigned long long)r->nats_sim_faults[i]);
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
               "open or untold at a death, or when a disk was lost: %llu pages at most\n"
               "messages a simulated second: %.1f appended, %.1f read, %.1f said\n"
               "longest from a death to the settled epoch: %.1f s (dead after 15 s)\n",
               (unsigned long long)r->runs, (unsigned long long)r->failed, seconds,
               (unsigned long long)s->events, (unsigned long long)s->epochs,
               (unsigned long long)s->fetches, (unsigned long long)s->refetches,
               (unsigned long long)s->refetch_allowance, (unsigned long long)s->frozen_overlaps,
               (unsigned long long)s->most_at_stake, (double)s->appends / seconds,
               (double)s->gets / seconds, (double)s->says / seconds,
               (double)s->longest_recovery_ms / 1000);
    print_faults(out, s, WORLD_RACK);
    print_checks(out, s);
    print_failure(out, r);
}

/* ---- of many agents ---- */

static int by_size(const void *x, const void *y)
{
    uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return (a > b) - (a < b);
}

static void print_times(struct buf *out, const char *what, uint64_t *list, size_t count)
{
    if (!count) {
        buf_printf(out, "  %-40s never\n", what);
        return;
    }
    qsort(list, count, sizeof *list, by_size);
    buf_printf(out, "  %-40s %5zu times: %7.1f %7.1f %7.1f s\n", what, count,
               (double)list[0] / 1000, (double)list[count / 2] / 1000,
               (double)list[count - 1] / 1000);
}

/* Which span of a recovery; 0: it has none. */
enum span { DETECTED, ADOPTED, SETTLED, WAITED, JOINED, SPANS };
static uint64_t span_ms(const struct world_recovery *r, enum span which)
{
    switch (which) {
    case DETECTED:
        return !r->is_join && r->gone_ms ? r->said_ms - r->gone_ms : 0;
    case ADOPTED:
        return !r->is_join && r->adopted_ms ? r->adopted_ms - r->said_ms : 0;
    case SETTLED:
        return !r->is_join && r->settled_ms ? r->settled_ms - r->said_ms : 0;
    case WAITED:
        return r->is_join && r->gone_ms ? r->said_ms - r->gone_ms : 0;
    case JOINED:
        return r->is_join && r->settled_ms ? r->settled_ms - r->said_ms : 0;
    default:
        return 0;
    }
}

static void print_recoveries(struct buf *out, const struct world_scale *s)
{
    static const char *const names[SPANS] = {
        "gone, until declared dead", "dead, until adopted", "dead, until the epoch is settled",
        "started, until its join counts", "joined, until the epoch is settled"};
    uint64_t list[WORLD_MAX_RECOVERIES];
    buf_add(out, STR("\nrecovery                                                  least   median"
                     "    most\n"));
    for (int which = 0; which < SPANS; which++) {
        size_t count = 0;
        for (size_t i = 0; i < s->recovery_count; i++) {
            uint64_t ms = span_ms(&s->recoveries[i], (enum span)which);
            if (ms)
                list[count++] = ms;
        }
        print_times(out, names[which], list, count);
    }
}

static void print_messages(struct buf *out, const struct simulate_cluster *o,
                           const struct world_report *r)
{
    double seconds = (double)r->ended_ms / 1000, each = seconds * (double)o->agents;
    double pages = r->fetches ? (double)r->fetches : 1;
    buf_printf(out,
               "\nmessages      an agent and second   a page fetched\n"
               "  appended    %19.3f   %14.1f\n"
               "  read        %19.3f   %14.1f\n"
               "  said        %19.3f   %14.1f\n"
               "  heard       %19.3f   %14.1f\n"
               "  entries of the log: %llu (%.1f a second), of which %llu renewals, %llu that did "
               "not count\n",
               (double)r->appends / each, (double)r->appends / pages, (double)r->gets / each,
               (double)r->gets / pages, (double)r->says / each, (double)r->says / pages,
               (double)r->scale.heard / each, (double)r->scale.heard / pages,
               (unsigned long long)r->scale.entries, (double)r->scale.entries / seconds,
               (unsigned long long)r->scale.renewals, (unsigned long long)r->scale.idle_entries);
}

static void print_many(struct buf *out, const struct simulate_cluster *o,
                       const struct runs_settings *set, const struct runs_result *r)
{
    const struct world_report *s = &r->sum;
    const struct world_settings world = runs_world(set, set->first);
    const struct world_scale *c = &s->scale;
    double looked = (double)c->sample * (double)(c->changes ? c->changes : 1);
    buf_printf(
        out,
        "%llu runs, %llu failed: %llu agents, %llu hosts\n"
        "timings: heartbeat %.1f s, renew %.1f s, fence %.1f s, dead %.1f s\n"
        "modelled with all invariants: %u hosts, %u URLs; the others count for shares only\n"
        "simulated: %.0f s, %llu events, %llu epochs after the %llu joins at the beginning\n"
        "fetches: %llu, of which %llu were done before (%llu allowed by crashes)\n"
        "open in a frozen process while its host was asked by another: %llu\n"
        "\nshares of all hosts (counted): standard deviation %.2f %%, largest %.2f %%; at the "
        "end %.2f %%, %.2f %%\n"
        "moved by a change (of %llu hosts looked at, %llu changes): %.3f %%; 1/agents is "
        "%.3f %%; though they need not: %llu\n",
        (unsigned long long)r->runs, (unsigned long long)r->failed, (unsigned long long)o->agents,
        (unsigned long long)o->hosts, world.timings.heartbeat_ms / 1000.0,
        world.timings.renew_ms / 1000.0, world.timings.fence_ms / 1000.0,
        world.timings.dead_ms / 1000.0, world.hosts, world.urls, (double)s->ended_ms / 1000,
        (unsigned long long)s->events, (unsigned long long)(s->epochs - o->agents * r->runs),
        (unsigned long long)o->agents, (unsigned long long)s->fetches,
        (unsigned long long)s->refetches, (unsigned long long)s->refetch_allowance,
        (unsigned long long)s->frozen_overlaps, 100 * c->deviation, 100 * c->largest,
        100 * c->end_deviation, 100 * c->end_largest, (unsigned long long)c->sample,
        (unsigned long long)c->changes, 100 * (double)c->moves / looked, 100.0 / (double)o->agents,
        (unsigned long long)c->astray);
    print_messages(out, o, s);
    print_recoveries(out, c);
    print_faults(out, s, WORLD_FAULTS);
    print_checks(out, s);
    print_failure(out, r);
    const char *missing = o->calm ? NULL : runs_missing_fault(r);
    if (missing)
        buf_printf(out, "\na kind of fault never happened: %s\n", missing);
}

static int run_all(const struct simulate_cluster *o, bool is_large, struct buf *out)
{
    struct runs_settings s = {.agents = (uint32_t)o->agents,
                              .hosts = (uint32_t)o->hosts,
                              .urls = (uint32_t)o->urls,
                              .is_large = is_large,
                              .is_calm = o->calm};
    struct runs_result *r = mem_alloc(sizeof *r);
    struct str seeds = o->seeds.n ? o->seeds : is_large ? STR("1") : STR("1..20");
    if (!seeds_read(seeds, &s.first, &s.last)) {
        mem_free(r);
        return cli_fail(EXIT_USAGE, "--seeds: a number, or two as 1..100");
    }
    enum rc rc = r ? runs_all(&s, r) : RC_NOMEM;
    if (!rc && is_large)
        print_many(out, o, &s, r);
    else if (!rc)
        print_runs(out, r);
    bool failed = !rc && (r->failed > 0 || (is_large && !o->calm && runs_missing_fault(r)));
    if (r)
        runs_done(r);
    mem_free(r);
    if (rc)
        return cli_fail(EXIT_OTHER, "simulate cluster: %s", rc_text(rc));
    return failed ? EXIT_OTHER : EXIT_DONE;
}

static int run(struct invocation *in)
{
    struct simulate_cluster *o = in->settings;
    struct buf out = {.max = OUT_MAX};
    if (in->word_count)
        return cli_fail(EXIT_USAGE, "simulate cluster takes no arguments, only options");
    bool is_large = o->agents > FEW_AGENTS || o->hosts > MOST_HOSTS || o->urls > MOST_URLS;
    if (is_large && o->agents < LEAST_MANY_AGENTS)
        return cli_fail(EXIT_USAGE, "--hosts and --urls of this size need --agents of %d or more",
                        LEAST_MANY_AGENTS);
    if (is_large && !o->hosts)
        o->hosts = USUAL_MANY_HOSTS;
    int code = run_all(o, is_large, &out);
    cli_print(&out);
    buf_done(&out);
    return code;
}

static const struct option options[] = {
    OPTION_COUNT_ROW(struct simulate_cluster, agents, "agents", "0",
                     "agents at the beginning; 0: 3 or 4, by the seed", .max = MOST_AGENTS),
    OPTION_COUNT_ROW(
        struct simulate_cluster, hosts, "hosts", "0",
        "hosts of the made-up web, such as 1e7; 0: 20 to 40, or a million of many agents",
        .max = UINT32_MAX),
    OPTION_COUNT_ROW(struct simulate_cluster, urls, "urls", "0",
                     "its URLs; 0: 100 to 150, or some thousands of many agents",
                     .max = UINT32_MAX),
    OPTION_TEXT_ROW(struct simulate_cluster, seeds, "seeds", "",
                    "seeds, one run each; 1..20, or 1 of many agents", .arg = "A..B"),
    OPTION_BOOL_ROW(struct simulate_cluster, calm, "calm", "no", "nothing goes wrong"),
    {0},
};

const struct command cmd_simulate_cluster = {
    .name = "simulate cluster",
    .args = "",
    .summary = "agents of a cluster on simulated time, with faults",
    .details =
        "Runs the protocol between agents in one process, on simulated NATS servers and "
        "clock, with crashes, wiped disks, freezes, partitions and servers that lose what "
        "they acknowledged, all from a seed; after every event the invariants of "
        "docs/cluster-protocol.md are checked. A seed that fails is printed with its last "
        "events, and fails again. With more than 12 agents, or 1,000 hosts, it begins where "
        "all agents have joined, with timings that fit their number; every kind of fault "
        "comes at least once, racks, partitions and an outage of the servers too; shares "
        "and moves are those of all hosts, of which some thousand URLs are modelled with all "
        "invariants. 100 agents take seconds, 300 a minute, 1,000 a quarter of an hour and "
        "6 GB.",
    .options = options,
    .settings_bytes = sizeof(struct simulate_cluster),
    .run = run,
};
