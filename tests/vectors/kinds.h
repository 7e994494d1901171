/* SPDX-License-Identifier: Apache-2.0 */
/* kinds: what the rows of tests/vectors.tsv can be about. */
#ifndef TESTS_VECTORS_KINDS_H
#define TESTS_VECTORS_KINDS_H

#include "lib/test.h"

enum { VECTOR_FIELDS = 6 };

/* `f` are the fields behind the kind, the last (the expected result) left out. */
struct vector_kind {
    const char *name; /* NULL ends a list */
    void (*compute)(const struct str *f, struct buf *out);
};

extern const struct vector_kind base_kinds[];
extern const struct vector_kind assign_kinds_of_vectors[];
extern const struct vector_kind page_kinds[];

static inline uint64_t vector_number(struct str s)
{
    uint64_t v = 0;
    assert_rc(str_to_u64(s, &v), RC_OK);
    return v;
}

static inline void vector_hex64(struct buf *out, uint64_t v)
{
    buf_printf(out, "%016llx", (unsigned long long)v);
}

#endif
