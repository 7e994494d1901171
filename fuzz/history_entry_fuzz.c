/* SPDX-License-Identifier: Apache-2.0 */
/* What is read of the history is written as bytes that read as the same. */
#include "store/history_entry.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void check(bool holds)
{
    if (!holds)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct arena *arena = arena_open(4096, 64 << 20);
    struct buf first = {.max = 64 << 20}, second = {.max = 64 << 20};
    struct history_entry p, again;
    if (history_entry_read(str_make((const char *)data, n), arena, &p) == RC_OK) {
        history_entry_write(&p, &first);
        check(first.n <= n + 3); /* lengths are written shortest; version 1 has three fewer */
        check(history_entry_read(buf_str(&first), arena, &again) == RC_OK);
        history_entry_write(&again, &second);
        check(str_eq(buf_str(&first), buf_str(&second)));
    }
    buf_done(&first);
    buf_done(&second);
    arena_close(arena);
    return 0;
}
