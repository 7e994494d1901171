/* SPDX-License-Identifier: Apache-2.0 */
/* seed_input: the seeds that a person has given to a crawl, one after the other: first those of the
 * command line, then those of files, one a line (ledger/seed.h says what a line is). Standard input
 * is read as it is typed: the source does not wait for it. */
#ifndef ROLES_SEED_INPUT_H
#define ROLES_SEED_INPUT_H

#include "base/options.h"
#include "roles/line_input.h"

enum { SEED_INPUT_LINE_BYTES = 64 << 10, SEED_INPUT_MAX_FILES = 1000 };

struct seed_input {
    const struct option_list *seeds, *files; /* borrowed */
    size_t given;                            /* of `seeds` */
    struct line_input *inputs;               /* one for each file, in their order */
    size_t input_count, at;                  /* the one that is read now */
    uint64_t line;                           /* of that file; 0: none yet */
};

/* Opens all files at once, so that a file that cannot be read is known before the crawl begins. The
 * lists outlive it. Failures, with `why`: RC_INVALID (too many files), RC_NOT_FOUND (one cannot be
 * opened); RC_NOMEM. It is to be done then, too. */
MUST_CHECK enum rc seed_input_open(struct seed_input *in, struct instance *self,
                                   const struct option_list *seeds, const struct option_list *files,
                                   struct buf *why);
/* Accepts a zeroed one. */
void seed_input_done(struct seed_input *in);
/* Waits for nothing any more: when the part is stopped. */
void seed_input_stop(struct seed_input *in);

/* LINE_HERE: *ret is a seed, borrowed until the next call; lines without one are passed over.
 * LINE_TOO_LONG: a line is left out. LINE_END: all files have ended. The others as
 * line_input_next's. */
enum line_next seed_input_next(struct seed_input *in, struct str *ret);

/* The file and line that were read last. False: no file is being read. */
bool seed_input_where(const struct seed_input *in, struct str *ret_file, uint64_t *ret_line);

#endif
