/* SPDX-License-Identifier: Apache-2.0 */
/* roster: what it costs to read a log of 1,000 agents with 3,072 points each: joins, renewals,
 * deaths; and the owner of a host when some of the ring are absent. */
#include "bench.h"

#include "base/hash.h"
#include "cluster/roster/roster.h"

#include <stdlib.h>

enum { LOOKUPS = 1 << 18, RENEWALS = 100000 };

struct log {
    struct roster *roster;
    uint64_t stamp_ms;
};

static void append(struct log *l, struct str writer, struct roster_entry e)
{
    char room[256];
    struct buf out = buf_on(room, sizeof room);
    struct roster_stand at = {roster_length(l->roster) + 1, l->stamp_ms, writer};
    const char *why;
    roster_entry_write(&e, &out);
    if (buf_rc(&out) || roster_take(l->roster, &at, buf_str(&out), &why) || why[0])
        abort();
}

static struct str name_of(unsigned i, char room[32])
{
    return str_make(room, (size_t)snprintf(room, 32, "crawler-%u", i));
}

static void found(struct log *l)
{
    struct roster_timings t = {1000, 5000, 6000, 45000, 55000, 60000};
    *l = (struct log){0};
    if (roster_open(&l->roster))
        abort();
    append(
        l, STR("operator"),
        (struct roster_entry){
            .kind = ROSTER_FOUND, .timings = t, .points = ASSIGN_POINTS, .probes = ASSIGN_PROBES});
}

static void join(struct log *l, unsigned i)
{
    char room[32];
    uint64_t epoch = roster_epoch(l->roster) + 1;
    append(l, name_of(i, room),
           (struct roster_entry){.kind = ROSTER_JOIN, .inc = 1, .epoch = epoch, .weight = 64});
    append(l, name_of(i, room), (struct roster_entry){.kind = ROSTER_SETTLED, .epoch = epoch});
}

static void renew(struct log *l, unsigned i)
{
    char room[32];
    append(l, name_of(i, room), (struct roster_entry){.kind = ROSTER_RENEW, .inc = 1});
}

static void dies(struct log *l, unsigned i)
{
    char room[32];
    const struct roster_agent *a = roster_find(l->roster, name_of(i, room));
    append(l, STR("crawler-0"),
           (struct roster_entry){.kind = ROSTER_DEAD,
                                 .victim = name_of(i, room),
                                 .inc = 1,
                                 .lease = a->lease_number,
                                 .epoch = roster_epoch(l->roster) + 1});
}

static void bench_owner(const struct log *l, const char *label)
{
    double ns;
    uint64_t epoch = roster_epoch(l->roster);
    BENCH_BEST(ns, LOOKUPS, {
        for (uint64_t i = 0; i < LOOKUPS; i++)
            BENCH_USE(roster_owner(l->roster, hash64_mix(i), epoch));
    });
    bench_row(label, ns, "ns", "-");
}

static void bench_joins(struct log *l, unsigned from, unsigned to)
{
    char label[64];
    double start = bench_cpu_ns();
    for (unsigned i = from; i < to; i++)
        join(l, i);
    snprintf(label, sizeof label, "joins and settlings %u to %u, all", from, to);
    bench_row(label, (bench_cpu_ns() - start) / 1e9, "s", "-");
}

int main(void)
{
    struct log l;
    found(&l);
    bench_joins(&l, 0, 100);
    bench_joins(&l, 100, 900);
    bench_joins(&l, 900, 999);
    double start = bench_cpu_ns();
    join(&l, 999);
    bench_row("the thousandth join", (bench_cpu_ns() - start) / 1e6, "ms", "-");
    start = bench_cpu_ns();
    for (unsigned i = 0; i < RENEWALS; i++)
        renew(&l, i % 1000);
    bench_row("a renewal", (bench_cpu_ns() - start) / RENEWALS, "ns", "-");
    bench_owner(&l, "owner of a host, 1,000 agents");
    for (unsigned i = 0; i < 60; i++, l.stamp_ms += 1000)
        renew(&l, 0);
    dies(&l, 1);
    bench_owner(&l, "owner, one of them dead");
    start = bench_cpu_ns();
    for (unsigned i = 2; i < 251; i++)
        dies(&l, i);
    bench_row("a death", (bench_cpu_ns() - start) / 249, "ns", "-");
    bench_owner(&l, "owner, a quarter of them dead");
    start = bench_cpu_ns();
    BENCH_USE(roster_hash(l.roster));
    bench_row("the hash, 251 epochs", (bench_cpu_ns() - start) / 1e6, "ms", "-");
    roster_close(l.roster);
    return 0;
}
