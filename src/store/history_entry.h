/* SPDX-License-Identifier: Apache-2.0 */
/* history_entry: what is known of a URL, as the bytes that history keeps, and back.
 *
 *     [version 1][flags 1][via 8][date 8][code 4][bytes 8][fetches 4][changes 4]
 *     with a digest: [SHA-1 20][captured 8][record 16]
 *     with a file: [offset 8][bytes 8]
 *     url, seed_path, etag, last-modified, mime, codes, file: each [length + 1 as a varint][bytes];
 *     0 = absent
 *     [what changed, in bits 0 to 2, and what cut it, in bits 3 and 4: 1]
 *     of version 3: [forward 2]
 *
 * Integers are little endian. Nothing follows. An entry without `forward` is of version 2. Version
 * 1 has neither codes nor what changed, and is still read. */
#ifndef STORE_HISTORY_ENTRY_H
#define STORE_HISTORY_ENTRY_H

#include "store/history.h"

enum { HISTORY_ENTRY_PLAIN = 2, HISTORY_ENTRY_VERSION = 3, HISTORY_ENTRY_MAX_BYTES = 1 << 20 };

void history_entry_write(const struct history_entry *p, struct buf *out);

/* Texts are copied into the arena. RC_CORRUPT, RC_VERSION, RC_NOMEM leave *ret as it was. */
MUST_CHECK enum rc history_entry_read(struct str bytes, struct arena *arena,
                                      struct history_entry *ret);

#endif
