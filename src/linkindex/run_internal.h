/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers that the two halves of pair_run.h, writing and reading, must agree on. */
#ifndef LINKINDEX_RUN_INTERNAL_H
#define LINKINDEX_RUN_INTERNAL_H

#define RUN_MAGIC "OWPAIRS\1"

enum {
    RUN_MAGIC_BYTES = 8,
    RUN_HEAD_BYTES = RUN_MAGIC_BYTES + 4 + 4 + 8 + 8 + 8,
    RUN_FOOT_BYTES = 8 + 8 + 8 + 8 + 8,
    RUN_ROW_BYTES = 16,
    RUN_HASH_BYTES = 8,
    RUN_VALUE_BYTES = 8,
    VARINT_MAX_BYTES = 10,
    RUN_PLAIN = 1, /* of a count: every pair has the letter L alone */
    PLAIN_LETTERS = 1,
};

#endif
