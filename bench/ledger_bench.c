/* SPDX-License-Identifier: Apache-2.0 */
/* What the durability of a page costs the shard's thread: 38 links that are known, 5 that are new,
 * four lines; recorded, admitted, and given to the kernel every 100 pages. Syncs and snapshots are
 * the helper's time and are not counted. On real files in a folder of its own below $TMPDIR or
 * /tmp.
 */
#include "bench.h"
#include "drive.h"

enum { PAGES = 20000, HOSTS = 500 };

static enum rc run(const char *root)
{
    struct drive d;
    struct drive_times t = {0};
    enum rc rc = drive_open(root, HOSTS, &d);
    if (rc)
        return rc;
    rc = drive_fill(&d, HOSTS, false);
    for (unsigned page = 0; page < PAGES && rc == RC_OK; page++)
        rc = drive_page(&d, &t);
    if (rc == RC_OK) {
        bench_row("checkout", t.checkout / PAGES / 1000, "us", "1");
        bench_row("known: 38", t.knows / PAGES / 1000, "us", "6");
        bench_row("outcome: 5 links, 4 lines", t.outcome / PAGES / 1000, "us", "10");
        bench_row("admit: 5 new", t.admit / PAGES / 1000, "us", "5");
        bench_row("turn, a page's share", t.turn / PAGES / 1000, "us", "10");
    }
    if (rc == RC_OK && (rc = ledger_sync(d.ledger)) == RC_OK)
        bench_row("journal", (double)ledger_totals(d.ledger).journal_bytes / PAGES, "bytes", "-");
    drive_close(&d);
    return rc;
}

int main(void)
{
    char root[DRIVE_ROOT_BYTES];
    if (!drive_folder(root))
        return 1;
    enum rc rc = run(root);
    drive_remove(root);
    return rc != RC_OK;
}
