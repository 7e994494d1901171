/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes as a batch of records. What is taken has been looked at whole: walking it comes to the end,
 * and written again it is the same bytes. */
#include "cluster/wire/records.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct str bytes = str_make((const char *)data, n);
    struct record_batch b;
    struct record r;
    if (!n || record_batch_read(bytes, &b))
        return 0;
    struct buf again = {.max = RECORDS_MAX_BATCH_BYTES};
    record_batch_begin(&again, &b);
    while (records_next(&b.records, &r)) {
        if (!r.host.n || r.path.n > RECORDS_MAX_PATH_BYTES)
            abort();
        record_put(&again, &r);
        if (record_compare(&r, &r))
            abort();
    }
    if (b.records.n || buf_rc(&again) || !str_eq(buf_str(&again), bytes))
        abort();
    buf_done(&again);
    return 0;
}
