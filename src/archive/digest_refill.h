/* SPDX-License-Identifier: Apache-2.0 */
/* digest_refill: fills the table of payloads after a restart from the tail of an index
 * (capture_print_cdxj's lines, in the order of their capture).
 *
 * Only the last `max_bytes` of the file are read, whatever its length; the newest stay when the
 * table is full. A line has no name of its record, so what is put has none either
 * (digest_ref_has_id); its date is without milliseconds. */
#ifndef ARCHIVE_DIGEST_REFILL_H
#define ARCHIVE_DIGEST_REFILL_H

#include "archive/digest_table.h"
#include "archive/sealed.h"
#include "disk/disk.h"

/* A revisit counts as a use of its payload. A payload of a file that `lost` (NULL: none) notes as
 * lost is not put: nothing may refer to it any more. What cannot be read as a line is passed over,
 * and a file that is not there is empty. RC_NOMEM, RC_IO. */
MUST_CHECK enum rc digest_refill(struct digest_table *t, struct disk *d, const char *path,
                                 uint64_t max_bytes, const struct sealed *lost);

#endif
