/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz: what every fuzz target has. A target states properties with MUST, which ends the process
 * with the place and the text of the one that does not hold. */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/str.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

#define MUST(what)                                                           \
    do {                                                                     \
        if (!(what)) {                                                       \
            (void)fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what); \
            abort();                                                         \
        }                                                                    \
    } while (0)

/* Whether `s` is absent or lies inside `whole`, as a borrowed text must. */
static inline bool fuzz_is_within(struct str s, struct str whole)
{
    return !s.p || (s.p >= whole.p && s.p + s.n <= whole.p + whole.n);
}

#endif
