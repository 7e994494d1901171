/* SPDX-License-Identifier: Apache-2.0 */
/* How long a killed crawl takes to come back: a process makes a crawl's directory with so many URLs
 * known (the argument; 10^6) and is killed; another opens it. The files are in the page cache, and
 * no archive is there to be verified. */
#include "bench.h"
#include "drive.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TAIL_BYTES = 64 << 20, SYNC_PAGES = 1000, MAX_PAGES = 200000 };

struct scene {
    const char *name;
    bool has_snapshot;
    uint64_t tail_bytes; /* of journal behind the snapshot */
};

static const struct scene scenes[] = {
    {"a snapshot, nothing behind it", true, 0},
    {"a snapshot, 64 MB of journal behind it", true, TAIL_BYTES},
    {"no snapshot, all of it in the journal", false, 0},
};

/* Rounds as often as a fast crawl has them; the journal's length is known from the last one. */
static enum rc make_tail(struct drive *d, uint64_t bytes)
{
    struct drive_times t = {0};
    enum rc rc = ledger_sync(d->ledger);
    uint64_t from = ledger_totals(d->ledger).journal_bytes;
    for (unsigned page = 1; page <= MAX_PAGES && rc == RC_OK; page++) {
        rc = drive_page(d, &t);
        if (rc || page % SYNC_PAGES)
            continue;
        rc = ledger_sync(d->ledger);
        if (ledger_totals(d->ledger).journal_bytes - from >= bytes)
            break;
    }
    return rc ? rc : ledger_turn(d->ledger, 0);
}

/* A snapshot is what a crawl that ends leaves; the tail is the next run's, which is killed. */
static enum rc make(const char *root, const struct scene *s, uint64_t urls)
{
    struct drive d;
    enum rc rc = drive_open(root, urls / 10, &d);
    rc = rc ? rc : drive_fill(&d, urls, !s->has_snapshot);
    if (rc || !s->has_snapshot)
        return rc ? rc : ledger_turn(d.ledger, 0);
    double start = bench_cpu_ns();
    rc = ledger_finish(d.ledger);
    printf("%-44s %12.2f CPU-s\n", "  making the snapshot", (bench_cpu_ns() - start) / 1e9);
    drive_close(&d);
    if (rc || !s->tail_bytes)
        return rc;
    rc = drive_open(root, urls / 10, &d);
    return rc ? rc : make_tail(&d, s->tail_bytes);
}

static double now_s(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static enum rc look(const char *root, const struct scene *s, uint64_t urls)
{
    struct drive d;
    struct rusage use;
    double start = now_s();
    enum rc rc = drive_open(root, urls / 10, &d);
    double seconds = now_s() - start;
    if (rc)
        return rc;
    (void)getrusage(RUSAGE_SELF, &use);
    double cpu = (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
                 (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6;
    printf("%-44s %12.2f s    %5.2f CPU-s, %llu URLs, %llu batches replayed, %ld MB resident\n",
           s->name, seconds, cpu, (unsigned long long)d.urls, (unsigned long long)d.report.batches,
           use.ru_maxrss / 1024);
    drive_close(&d);
    return RC_OK;
}

/* In a process of its own, so that nothing of one is counted for the other; it ends as a killed
 * crawl does, and the parent sees by the signal that it got so far. */
static bool in_child(enum rc (*step)(const char *, const struct scene *, uint64_t),
                     const char *root, const struct scene *s, uint64_t urls)
{
    int status = 0;
    (void)fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        if (step(root, s, urls))
            _exit(1);
        (void)fflush(stdout);
        (void)raise(SIGKILL);
    }
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFSIGNALED(status) &&
           WTERMSIG(status) == SIGKILL;
}

int main(int argc, char **argv)
{
    uint64_t urls = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000 * 1000;
    bool good = true;
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes && good; i++) {
        char root[DRIVE_ROOT_BYTES];
        if (!drive_folder(root))
            return 1;
        good = in_child(make, root, &scenes[i], urls) && in_child(look, root, &scenes[i], urls);
        drive_remove(root);
    }
    return !good;
}
