/* SPDX-License-Identifier: Apache-2.0 */
/* Input: eight bytes of a clock, then a value of Retry-After or a date. Properties: a wait is at
 * least a millisecond and at most what is allowed; a date that is read is one of the years 0 to
 * 9999, whole seconds, and does not depend on the clock unless its year is short; written back as
 * IMF-fixdate it reads the same. */
#include "host/pace.h"

#include "base/bytes.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define FIRST_MS (INT64_C(-62167219200) * 1000)
#define LAST_MS (INT64_C(253402300800) * 1000) /* the leap second of the last year */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void written_back(int64_t ms, int64_t wall_ms)
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    char text[64];
    struct tm tm;
    time_t t = (time_t)(ms / 1000);
    int64_t again;
    if (ms == LAST_MS)
        return;
    must(gmtime_r(&t, &tm) != NULL);
    (void)snprintf(text, sizeof text, "Sun, %02d %.3s %04d %02d:%02d:%02d GMT", tm.tm_mday,
                   months + tm.tm_mon * 3, tm.tm_year + 1900, tm.tm_hour, tm.tm_min, tm.tm_sec);
    must(http_date_read(str_c(text), wall_ms, &again) == RC_OK && again == ms);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    int64_t wall_ms = n < 8 ? 0 : (int64_t)get_le64(data), ms;
    struct str value =
        n < 8 ? str_make((const char *)data, n) : str_make((const char *)data + 8, n - 8);
    static const uint64_t mosts[] = {0, 1, 86400 * 1000, UINT64_MAX};
    for (size_t i = 0; i < sizeof mosts / sizeof *mosts; i++) {
        uint64_t wait_ms;
        if (retry_after_read(value, wall_ms, mosts[i], &wait_ms))
            must(wait_ms >= 1 && wait_ms <= mosts[i]);
    }
    if (http_date_read(value, wall_ms, &ms) == RC_OK) {
        must(ms >= FIRST_MS && ms <= LAST_MS && ms % 1000 == 0);
        written_back(ms, wall_ms);
    }
    return 0;
}
