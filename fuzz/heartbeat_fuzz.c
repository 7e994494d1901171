/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes as a heartbeat. What is taken is, written again, the same bytes. */
#include "cluster/wire/heartbeat.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct str bytes = str_make((const char *)data, n);
    struct heartbeat h;
    struct heartbeat_lists lists;
    char room[HEARTBEAT_MAX_BYTES];
    struct buf again = buf_on(room, sizeof room);
    if (heartbeat_read(bytes, &h, &lists))
        return 0;
    heartbeat_write(&h, &lists, &again);
    if (buf_rc(&again) || !str_eq(buf_str(&again), bytes))
        abort();
    return 0;
}
