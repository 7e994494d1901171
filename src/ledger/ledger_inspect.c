/* SPDX-License-Identifier: Apache-2.0 */
#include "ledger/ledger_internal.h"

/* The commit of the MANIFEST: lengths that were synced. A crawl that is young, or a copy of its
 * results alone, has none. */
static enum rc read_lengths(struct disk *d, uint64_t lengths[LEDGER_FILES], struct buf *why)
{
    struct buf bytes = {.max = MANIFEST_MAX_BYTES};
    struct manifest m;
    struct str commit;
    struct batch b = {0};
    const char *what;
    enum rc rc = disk_read_whole(d, LEDGER_MANIFEST, &bytes);
    bool is_there = rc != RC_NOT_FOUND;
    rc = rc ? rc : manifest_read(buf_str(&bytes), &m, &commit);
    rc = rc ? rc : batch_read(commit, &b, &what);
    if (rc == RC_OK && b.kind == BATCH_COMMIT)
        memcpy(lengths, b.commit.lengths, sizeof b.commit.lengths);
    buf_done(&bytes);
    if (rc && is_there)
        buf_printf(why, LEDGER_MANIFEST ": %s", rc_text(rc));
    return is_there ? rc : RC_OK;
}

enum rc ledger_inspect(struct disk *d, struct buf *why)
{
    struct ledger l = {.disk = d};
    uint64_t lengths[LEDGER_FILES] = {0};
    bool is_there;
    enum rc rc = ledger_check_version(&l, &is_there, why);
    rc = rc ? rc : read_lengths(d, lengths, why);
    return rc ? rc : ledger_check_lines(&l, lengths, why);
}
