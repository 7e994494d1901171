/* SPDX-License-Identifier: Apache-2.0 */
/* simulate pool: a manager and the members of its pool, with everything going wrong, on imagined
 * time. */
#include "cli/commands.h"

#include "base/mem.h"
#include "cli/simulate/seeds.h"
#include "simulate/pool_runs.h"

enum { OUT_MAX = 1 << 20, MOST_MEMBERS = 8, MOST_HOSTS = 1000, MOST_URLS = 20000 };

struct simulate_pool {
    uint64_t members, hosts, urls;
    struct str seeds;
    bool calm;
};

static const char *const invariants[POOL_WORLD_INVARIANTS_] = {
    "",
    "a host has one open request",
    "delays hold",
    "a URL is settled once",
    "requests are accounted for",
    "nothing is lost",
    "only its lane answers a ticket",
    "no ticket is given twice",
    "a lease ends before dead",
    "the roll is dense and in order",
    "the poison page alone is given up for it",
    "windows hold, one suspect a process",
};

static void print_faults(struct buf *out, const struct pool_world_report *r)
{
    buf_add(out, STR("\nfaults                         times\n"));
    for (int i = 0; i < POOL_WORLD_FAULTS; i++)
        buf_printf(out, "  %-26s %7llu\n", pool_world_fault_names[i],
                   (unsigned long long)r->faults[i]);
    buf_add(out, STR("\nwhat the lanes met             times\n"));
    for (int i = 0; i < POOL_WORLD_EVENTS; i++)
        buf_printf(out, "  %-26s %7llu\n", pool_world_event_names[i],
                   (unsigned long long)r->met[i]);
}

static void print_checks(struct buf *out, const struct pool_world_report *r)
{
    buf_add(out, STR("\ninvariants                                    checked\n"));
    for (int i = 1; i < POOL_WORLD_INVARIANTS_; i++)
        buf_printf(out, "  %2d %-40s %8llu\n", i, invariants[i], (unsigned long long)r->checked[i]);
}

static void print_failure(struct buf *out, const struct pool_runs_result *r)
{
    if (!r->failed)
        return;
    buf_printf(out, "\nseed %llu fails at event %llu: invariant %d (%s): %s\n",
               (unsigned long long)r->first_failed, (unsigned long long)r->failure.events,
               r->failure.broken, invariants[r->failure.broken], r->failure.why);
    buf_add(out, buf_str(&r->trail));
}

static void print_runs(struct buf *out, const struct pool_runs_result *r)
{
    const struct pool_world_report *s = &r->sum;
    buf_printf(out,
               "%llu runs, %llu failed\n"
               "simulated: %.0f s, %llu events\n"
               "URLs settled: %llu with %llu requests; orphaned: %llu times\n"
               "given up: %llu, of which %llu were with members that died of something else\n"
               "open in a frozen process while its host was asked by another: %llu\n"
               "asked by a process that was frozen between its look and its request: %llu\n",
               (unsigned long long)r->runs, (unsigned long long)r->failed,
               (double)s->ended_ms / 1000, (unsigned long long)s->events,
               (unsigned long long)s->settled, (unsigned long long)s->requests,
               (unsigned long long)s->orphanings, (unsigned long long)s->given_up,
               (unsigned long long)s->unlucky, (unsigned long long)s->frozen_overlaps,
               (unsigned long long)s->late_starts);
    print_faults(out, s);
    print_checks(out, s);
    print_failure(out, r);
}

static int run_all(const struct simulate_pool *o, struct buf *out)
{
    struct pool_runs_settings s = {.members = (uint32_t)o->members,
                                   .hosts = (uint32_t)o->hosts,
                                   .urls = (uint32_t)o->urls,
                                   .is_calm = o->calm};
    if (!seeds_read(o->seeds.n ? o->seeds : STR("1..20"), &s.first, &s.last))
        return cli_fail(EXIT_USAGE, "--seeds: a number, or two as 1..100");
    struct pool_runs_result r;
    enum rc rc = pool_runs_all(&s, &r);
    if (!rc)
        print_runs(out, &r);
    pool_runs_done(&r);
    if (rc)
        return cli_fail(EXIT_OTHER, "simulate pool: %s", rc_text(rc));
    return r.failed ? EXIT_OTHER : EXIT_DONE;
}

static int run(struct invocation *in)
{
    struct buf out = {.max = OUT_MAX};
    if (in->word_count)
        return cli_fail(EXIT_USAGE, "simulate pool takes no arguments, only options");
    int code = run_all(in->settings, &out);
    cli_print(&out);
    buf_done(&out);
    return code;
}

static const struct option options[] = {
    OPTION_COUNT_ROW(struct simulate_pool, members, "members", "0",
                     "members at the beginning; 0: 2 to 5, by the seed", .max = MOST_MEMBERS),
    OPTION_COUNT_ROW(struct simulate_pool, hosts, "hosts", "0",
                     "hosts of the made-up web; 0: 6 to 15, by the seed", .max = MOST_HOSTS),
    OPTION_COUNT_ROW(struct simulate_pool, urls, "urls", "0", "URLs; 0: 150 to 299, by the seed",
                     .max = MOST_URLS),
    OPTION_TEXT_ROW(struct simulate_pool, seeds, "seeds", "", "seeds, one run each; 1..20",
                    .arg = "A..B"),
    OPTION_BOOL_ROW(struct simulate_pool, calm, "calm", "no", "nothing goes wrong"),
    {0},
};

const struct command cmd_simulate_pool = {
    .name = "simulate pool",
    .args = "",
    .summary = "a manager and the members of its pool on simulated time, with faults",
    .details =
        "Runs the leases, lanes and tickets between a manager and its members in one process, on a "
        "simulated network and clocks that differ, with crashes, freezes, partitions, answers that "
        "come late, a manager that is killed, processes that share a name, a page that kills its "
        "members, and members that lie, all from a seed; the invariants of docs/pool-protocol.md "
        "are checked throughout. A seed that fails is printed with its last events, and fails "
        "again.",
    .options = options,
    .settings_bytes = sizeof(struct simulate_pool),
    .run = run,
};
