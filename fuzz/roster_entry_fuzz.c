/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes as an entry of the roster. What is taken is written again as the same bytes; the entries of
 * a restore can be walked to their end. */
#include "cluster/roster/roster.h"

#include <stdlib.h>

static void check_lost(struct str entries)
{
    struct buf again = {.max = ROSTER_MAX_ENTRY_BYTES};
    struct str rest = entries, bytes;
    struct roster_stand at;
    while (rest.n) {
        if (!roster_lost_next(&rest, &at, &bytes))
            abort();
        roster_lost_put(&again, &at, bytes);
    }
    if (buf_rc(&again) || !str_eq(buf_str(&again), entries))
        abort();
    buf_done(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct str bytes = str_make((const char *)data, n);
    struct roster_entry e;
    if (!n || roster_entry_read(bytes, &e))
        return 0;
    struct buf again = {.max = ROSTER_MAX_ENTRY_BYTES};
    roster_entry_write(&e, &again);
    if (buf_rc(&again) || !str_eq(buf_str(&again), bytes))
        abort();
    if (e.kind == ROSTER_RESTORE)
        check_lost(e.entries);
    buf_done(&again);
    return 0;
}
