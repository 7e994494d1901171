/* SPDX-License-Identifier: Apache-2.0 */
/* reindex: the lines of the index, made again from the archive itself. */
#ifndef ARCHIVE_REINDEX_H
#define ARCHIVE_REINDEX_H

#include "archive/walk.h"
#include "base/buf.h"

/* Appends the line of a capture, as capture_print_cdxj wrote it. `file` is the name without
 * ".open". RC_NOT_FOUND: the record has none (a request, metadata, warcinfo); RC_INVALID: it says
 * no URL or no date. */
MUST_CHECK enum rc reindex_print(struct buf *out, const char *file, const struct walk_record *r);

#endif
