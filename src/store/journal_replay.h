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

#endif
