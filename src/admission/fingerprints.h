/* SPDX-License-Identifier: Apache-2.0 */
/* fingerprints: a list of fingerprints in a buf that is allocated (buf_init). room.h and ownership.h
 * fill one with the links that they leave out, for ledger_drop. Running out of memory sticks in the
 * buf (buf_rc). */
#ifndef ADMISSION_FINGERPRINTS_H
#define ADMISSION_FINGERPRINTS_H

#include "base/buf.h"

static inline void fingerprints_add(struct buf *list, uint64_t fingerprint)
{
    buf_add(list, str_make((const char *)&fingerprint, sizeof fingerprint));
}

static inline const uint64_t *fingerprints_of(const struct buf *list)
{
    return (const uint64_t *)(const void *)list->p;
}

static inline size_t fingerprints_count(const struct buf *list)
{
    return list->n / sizeof(uint64_t);
}

#endif
