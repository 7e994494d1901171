/* SPDX-License-Identifier: Apache-2.0 */
/* disk crash: a disk in memory that remembers what is not yet durable, for tests.
 *
 * It behaves as disk.h says, and can produce the images that a power cut may leave: every state
 * the list in disk.h allows is an image, cut down to a number one can run. A test of a writer:
 *
 *     disk_crash_open(&d);
 *     disk_crash_before_each(d, look, &test);    look() is called before every changing call
 *     ... the writer works on d, test.acknowledged grows ...
 *     look(&test, d, "end");
 *
 *     look(): disk_crash_images(d, NULL, check, &test)
 *     check(image): open the writer on `image`, recover, compare with test.acknowledged
 *
 * Each image is a disk of its own: everything on it is durable, and one may go on with it, also cut
 * the power again while recovering.
 *
 * Faults: the n-th call fails, a quota, a sync that fails and drops what it should have written.
 * One thread at a time. Files are at most 64 MB. */
#ifndef DISK_DISK_CRASH_H
#define DISK_DISK_CRASH_H

#include "disk/disk.h"

enum { DISK_CRASH_MAX_FILE_BYTES = 64 << 20 };

MUST_CHECK enum rc disk_crash_open(struct disk **ret_disk);

/* Called before each call that changes anything (open that makes a file, append, sync, truncate,
 * rename, unlink, mkdir, dirsync, lock that makes its file), with its name. What it sees is the
 * state after the call before. NULL: none. */
void disk_crash_before_each(struct disk *d,
                            void (*hook)(void *ctx, struct disk *d, const char *call), void *ctx);

struct disk_crash_limits {
    uint32_t exhaustive; /* all combinations, if they are at most so many; else the corners ... */
    uint32_t samples;    /* ... and so many at random */
    uint64_t seed;
    bool few; /* of the corners only nothing and everything: for writers of many files */
};

/* Calls `each` with every image that a power cut now may leave, none twice. The image and `what` (a
 * line for a person: which changes are there) end with the call. Stops when `each` returns other
 * than RC_OK, and returns that. `limits` NULL: 400, 100, 1. RC_LIMIT: more than 120 files or
 * 120 names have changes that are not durable. */
MUST_CHECK enum rc
disk_crash_images(struct disk *d, const struct disk_crash_limits *limits,
                  enum rc (*each)(void *ctx, struct disk *image, const char *what), void *ctx);

/* The `call`-th call from now (1 is the next; every call of disk.h but the closing ones counts)
 * fails with `rc`, once. An append first writes `part_bytes` of its bytes (or all but one, if it
 * has fewer). A sync that fails has dropped what it should have written: no later sync makes it, or
 * anything in that file, durable. 0 takes the fault back. */
void disk_crash_fail_at(struct disk *d, uint64_t call, enum rc rc, size_t part_bytes);
bool disk_crash_has_failed(const struct disk *d);

/* Calls since it was opened. */
uint64_t disk_crash_calls(const struct disk *d);

/* All files together may hold so many bytes (UINT64_MAX: no quota). An append writes what fits and
 * then gives RC_DISK_FULL. */
void disk_crash_quota(struct disk *d, uint64_t bytes);

#endif
