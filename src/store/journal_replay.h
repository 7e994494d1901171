/* SPDX-License-Identifier: Apache-2.0 */
/* journal_replay: reads a journal's segments up to the first batch that is not whole, and cuts the
 * rest off, durably. */
#ifndef STORE_JOURNAL_REPLAY_H
#define STORE_JOURNAL_REPLAY_H

#include "store/journal.h"
#include "store/journal_reading.h"

/* As journal_open says; *ret_end is where the next batch goes. Afterwards the last segment, if
 * there is one, ends exactly there. */
MUST_CHECK enum rc journal_replay(struct segments *s, uint64_t from, journal_each *each, void *ctx,
                                  uint64_t *ret_end);

/* The batches from `position` on, which lies in the segment that is open, up to the first that is
 * not whole; those from `from` on go to `each`. *ret_end is behind the last whole one. */
MUST_CHECK enum rc journal_read_run(struct journal_reading *r, uint64_t position, uint64_t from,
                                    journal_each *each, void *ctx, uint64_t *ret_end);

/* The place of the last segment that begins at or before `from`. */
size_t journal_first_needed(const struct segments *s, uint64_t from);

#endif
