/* SPDX-License-Identifier: Apache-2.0 */
/* sort: sorts rows by a 64-bit key in time linear in their number (radix); private to this folder.
 * Stable: rows with the same key keep their order. */
#ifndef ASSIGN_SORT_H
#define ASSIGN_SORT_H

#include "base/rc.h"

#include <stdint.h>

struct sort_row {
    uint64_t key;
    uint32_t value;
};

/* RC_NOMEM leaves the rows as they were. */
MUST_CHECK enum rc sort_rows(struct sort_row *rows, uint32_t count);

#endif
