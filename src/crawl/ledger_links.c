/* SPDX-License-Identifier: Apache-2.0 */
#include "crawl/ledger_inside.h"

enum rc ledger_links_of(struct ledger *l, uint64_t fingerprint, struct arena *arena,
                        outlinks_each *each, void *ctx, struct past *ret_past, bool *ret_is_lost)
{
    struct str who;
    *ret_is_lost = !l->history;
    enum rc rc = l->history ? history_get(l->history, fingerprint, arena, ret_past) : RC_NOT_FOUND;
    if (rc)
        return rc;
    *ret_is_lost = ret_past->fetches && !ret_past->file.p;
    if (!ret_past->file.p || past_is_elsewhere(ret_past, &who))
        return RC_NOT_FOUND;
    return outlinks_read(l->disk, LEDGER_ARCHIVE, ret_past->file, ret_past->file_offset,
                         ret_past->file_bytes, each, ctx);
}
