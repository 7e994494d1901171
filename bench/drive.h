/* SPDX-License-Identifier: Apache-2.0 */
/* drive: a crawl's ledger worked without a network, so that benches see what remembering costs.
 *
 * The web is made of numbers: URL u has a host, by Zipf's law nearly (four of five URLs of a page
 * stay on one host), and a path of 46 bytes. Page p brings five URLs that are new and 38 that are
 * known, drawn from all before with equal chance: that is worse for the caches than a real page,
 * most of whose links are its own site's. */
#ifndef BENCH_DRIVE_H
#define BENCH_DRIVE_H

#include "ledger/ledger.h"

enum { DRIVE_NEW = 5, DRIVE_KNOWN = 38, DRIVE_ROOT_BYTES = 200 };

struct drive {
    struct disk *disk;
    struct ledger *ledger;
    struct ledger_report report;
    uint64_t hosts;
    uint64_t urls; /* made so far: the next one's number */
    uint64_t now_ms;
};

struct drive_times { /* CPU ns, summed */
    double checkout, knows, outcome, admit, turn;
};

/* A new folder below $TMPDIR or /tmp, and its end with all that is in it. */
bool drive_folder(char root[DRIVE_ROOT_BYTES]);
void drive_remove(const char *root);

/* Opens, or opens again, the ledger in `root`; says on standard error why it cannot. */
MUST_CHECK enum rc drive_open(const char *root, uint64_t hosts, struct drive *ret);
void drive_close(struct drive *d);

/* Makes known what is missing to `urls`: into the frontier alone, or through the journal, 43 links
 * a batch. */
MUST_CHECK enum rc drive_fill(struct drive *d, uint64_t urls, bool journalled);

/* One page: a checkout, its links looked up, the outcome recorded with four lines, new links
 * admitted; every 100 pages a turn. */
MUST_CHECK enum rc drive_page(struct drive *d, struct drive_times *t);

#endif
