/* SPDX-License-Identifier: Apache-2.0 */
/* sealed: DIR/state/sealed, the length of every archive file that got its last name, so that one
 * that is missing or was changed is noticed (file_list.h).
 *
 *   NAME BYTES sealed   the file is whole in this length, and stays so
 *   NAME BYTES lost     it is missing, or has only BYTES bytes; the operator knows
 *   NAME BYTES asked    likewise, and its captures were asked for again
 *
 * The line is durable before the file gets its last name. */
#ifndef ARCHIVE_SEALED_H
#define ARCHIVE_SEALED_H

#include "archive/sent.h"

struct sealed;

/* As file_list_open. `folder` has the archive files; borrowed, as `d`. */
MUST_CHECK enum rc sealed_open(struct disk *d, const char *folder, bool writes,
                               struct sealed **ret);
void sealed_close(struct sealed *s); /* accepts NULL */

/* A file is going to be sealed in that length; it lasts after sealed_sync. */
MUST_CHECK enum rc sealed_add(struct sealed *s, struct str name, uint64_t bytes);
MUST_CHECK enum rc sealed_sync(struct sealed *s);

/* Files of the folder that the list does not have, as of an earlier version, are added. */
MUST_CHECK enum rc sealed_adopt(struct sealed *s);

/* A file that does not have its length any more: how many bytes it should have and has (0: it is
 * not there). Anything but RC_OK ends the comparison. */
typedef enum rc sealed_each(void *ctx, struct str name, uint64_t bytes, uint64_t there);

/* Each file whose loss the operator does not know of. What an archive machine has acknowledged
 * (`sent`; NULL: nothing) may be missing. Reads no contents. */
MUST_CHECK enum rc sealed_compare(const struct sealed *s, const struct sent *sent,
                                  sealed_each *each, void *ctx);

/* Each file of the folder whose name is one of ours (warc_name.h) and that the list does not have.
 */
MUST_CHECK enum rc sealed_find_unknown(struct sealed *s, sealed_each *each, void *ctx);

/* Records, durably, that the operator knows of all files that sealed_compare would report: they are
 * lost from now on. */
MUST_CHECK enum rc sealed_accept(struct sealed *s, const struct sent *sent);

/* The same of one file, of which so many bytes are there; it lasts after sealed_sync. */
MUST_CHECK enum rc sealed_lose(struct sealed *s, struct str name, uint64_t there);

/* sealed_has_lost: a file is lost and its captures were not asked for again. sealed_has_asked: a
 * file is lost and they were. sealed_asked: records, durably, that the captures of all lost files
 * were asked for now. */
bool sealed_has_lost(const struct sealed *s);
bool sealed_is_lost(const struct sealed *s, struct str name); /* asked for again or not */
bool sealed_knows(const struct sealed *s, struct str name);   /* the list has it */
bool sealed_has_asked(const struct sealed *s);
MUST_CHECK enum rc sealed_asked(struct sealed *s);

#endif
