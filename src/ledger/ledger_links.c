/* SPDX-License-Identifier: Apache-2.0 */
#include "ledger/ledger_internal.h"

enum rc ledger_links_of(struct ledger *l, uint64_t fingerprint, struct arena *arena,
                        outlinks_each *each, void *ctx, struct history_entry *ret_history,
                        bool *ret_is_lost)
{
    struct str agent;
    *ret_is_lost = !l->history;
    enum rc rc =
        l->history ? history_get(l->history, fingerprint, arena, ret_history) : RC_NOT_FOUND;
    if (rc)
        return rc;
    *ret_is_lost = ret_history->fetches && !ret_history->file.p;
    if (!ret_history->file.p || history_entry_is_elsewhere(ret_history, &agent))
        return RC_NOT_FOUND;
    return outlinks_read(l->disk, LEDGER_ARCHIVE, ret_history->file, ret_history->file_offset,
                         ret_history->file_bytes, each, ctx);
}
