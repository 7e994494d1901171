/* SPDX-License-Identifier: Apache-2.0 */
/* pack: bodies as servers code them, for the tests of decode. */
#ifndef TESTS_FETCH_PACK_H
#define TESTS_FETCH_PACK_H

#include "base/buf.h"

/* Each appends `text`, coded, to `out`; a failure fails the test. */
void pack_gzip(struct str text, struct buf *out);
void pack_zlib(struct str text, struct buf *out);
void pack_raw(struct str text, struct buf *out); /* deflate without wrapping */
void pack_br(struct str text, struct buf *out);
void pack_zstd(struct str text, struct buf *out);
void pack_plain(struct str text, struct buf *out);

/* In chunks of `step` bytes, with the last one and the empty line. */
void pack_chunks(struct str text, size_t step, struct buf *out);

#endif
