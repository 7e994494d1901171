/* SPDX-License-Identifier: Apache-2.0 */
/* swap job: what a carrier (frontier/swap.h) does on a disk. Nothing is synced: see there. */
#ifndef FRONTIER_SWAP_JOB_H
#define FRONTIER_SWAP_JOB_H

#include "disk/disk.h"
#include "frontier/swap.h"

enum { SWAP_PATH_BYTES = 128 };

/* FOLDER/BUCKET-GENERATION, in hex. */
const char *swap_path(char room[SWAP_PATH_BYTES], const char *folder, unsigned bucket,
                      uint64_t generation);
/* False: it is no name of such a file. */
bool swap_path_read(struct str name, unsigned *ret_bucket, uint64_t *ret_generation);

/* Does it, and leaves in job->rc what became of it. RC_CORRUPT: it is shorter than it was. */
void swap_job_do(struct disk *d, const char *folder, struct swap_job *job);

/* Whether a file that another process left has file.bytes. RC_CORRUPT: it is missing, or
 * shorter. */
MUST_CHECK enum rc swap_file_check(struct disk *d, const char *folder, unsigned bucket,
                                   struct swap_file file);
/* Cuts such a file to file.bytes. */
MUST_CHECK enum rc swap_file_cut(struct disk *d, const char *folder, unsigned bucket,
                                 struct swap_file file);
MUST_CHECK enum rc swap_file_sync(struct disk *d, const char *folder, unsigned bucket,
                                  uint64_t generation);

#endif
