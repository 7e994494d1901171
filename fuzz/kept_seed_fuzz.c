/* SPDX-License-Identifier: Apache-2.0 */
/* A line of state/seeds is written as the bytes it was read from. */
#include "outputs/kept_seed.h"

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct str line = str_make((const char *)data, n);
    struct buf again = {.max = 64 << 20};
    struct kept_seed s = kept_seed_parse(line);
    MUST(fuzz_is_within(s.url, line) && fuzz_is_within(s.from, line));
    MUST(str_find(s.url, ' ') == s.url.n);
    kept_seed_print(&again, s);
    MUST(buf_rc(&again) == RC_OK && again.n == n + 1 && again.p[n] == '\n');
    MUST(str_eq(str_first(buf_str(&again), n), line));
    buf_done(&again);
    return 0;
}
