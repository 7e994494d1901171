/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a page costs more when the crawl is larger: ledgers that know 10^4, 10^5, ... URLs, a
 * tenth as many hosts, up to the argument (10^7), all open at once. They take turns at the same
 * work, so that a noisy moment of the machine meets all of them; each figure is the median of five
 * turns. The growth is also said as a share of a whole page, of which this is a small part:
 * $PAGE_US CPU-us, or 1.6 times the floor of bench/budget.tsv. */
#include "bench.h"
#include "drive.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_SIZES = 5, ROUNDS = 5, WARM_PAGES = 100, PAGES = 400, COLUMNS = 6 };

struct size {
    char root[DRIVE_ROOT_BYTES];
    uint64_t urls;
    struct drive drive;
    double us[COLUMNS][ROUNDS]; /* a page: checkout, known, outcome, admit, turn, all */
};

static enum rc open_size(struct size *s, uint64_t urls)
{
    s->urls = urls;
    if (!drive_folder(s->root))
        return RC_IO;
    enum rc rc = drive_open(s->root, urls / 10, &s->drive);
    return rc ? rc : drive_fill(&s->drive, urls, false);
}

static enum rc take_turn(struct size *s, unsigned round)
{
    struct drive_times warm = {0}, t = {0};
    enum rc rc = RC_OK;
    for (unsigned i = 0; i < WARM_PAGES && rc == RC_OK; i++)
        rc = drive_page(&s->drive, &warm);
    for (unsigned i = 0; i < PAGES && rc == RC_OK; i++)
        rc = drive_page(&s->drive, &t);
    double ns[COLUMNS] = {t.checkout, t.knows, t.outcome, t.admit, t.turn};
    for (unsigned c = 0; c < COLUMNS - 1; c++) {
        s->us[c][round] = ns[c] / PAGES / 1000;
        ns[COLUMNS - 1] += ns[c];
    }
    s->us[COLUMNS - 1][round] = ns[COLUMNS - 1] / PAGES / 1000;
    return rc;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const double list[ROUNDS])
{
    double sorted[ROUNDS];
    memcpy(sorted, list, sizeof sorted);
    qsort(sorted, ROUNDS, sizeof *sorted, by_size);
    return sorted[ROUNDS / 2];
}

static void show(const struct size *sizes, unsigned count)
{
    const char *page = getenv("PAGE_US");
    double page_us = page ? strtod(page, NULL) : 339;
    double first = median(sizes[0].us[COLUMNS - 1]);
    double known = median(sizes[count - 1].us[1]) / DRIVE_KNOWN;
    double new = median(sizes[count - 1].us[3]) / DRIVE_NEW;
    printf(
        "CPU-us a page    checkout 38 known outcome  5 new    turn     all  growth  of a page\n");
    for (unsigned i = 0; i < count; i++) {
        double all = median(sizes[i].us[COLUMNS - 1]);
        printf("%9llu URLs", (unsigned long long)sizes[i].urls);
        for (unsigned c = 0; c < COLUMNS; c++)
            printf(" %7.2f", median(sizes[i].us[c]));
        printf("  x%5.2f     %+5.1f %%\n", all / first, (all - first) / page_us * 100);
    }
    bench_row("a new URL in the largest", new, "us", "1");
    bench_row("a known one in the largest", known, "us", "0.15");
    bench_row("growth, of a page",
              (median(sizes[count - 1].us[COLUMNS - 1]) - first) / page_us * 100, "%", "10");
}

static enum rc run(struct size *sizes, unsigned count)
{
    enum rc rc = RC_OK;
    for (unsigned round = 0; round < ROUNDS; round++)
        for (unsigned i = 0; i < count && rc == RC_OK; i++)
            rc = take_turn(&sizes[i], round);
    if (rc == RC_OK)
        show(sizes, count);
    return rc;
}

int main(int argc, char **argv)
{
    static struct size sizes[MAX_SIZES];
    uint64_t most = argc > 1 ? strtoull(argv[1], NULL, 10) : 10 * 1000 * 1000;
    unsigned count = 0;
    enum rc rc = RC_OK;
    for (uint64_t n = 10000; n <= most && count < MAX_SIZES && rc == RC_OK; n *= 10)
        rc = open_size(&sizes[count++], n);
    rc = rc || !count ? rc : run(sizes, count);
    for (unsigned i = 0; i < count; i++) {
        if (sizes[i].drive.ledger)
            drive_close(&sizes[i].drive);
        drive_remove(sizes[i].root);
    }
    return rc != RC_OK;
}
