/* SPDX-License-Identifier: Apache-2.0 */
#include "frontier/swap_job.h"

#include <stdio.h>

enum { BUCKET_DIGITS = 3, GENERATION_DIGITS = 16 };

const char *swap_path(char room[SWAP_PATH_BYTES], const char *folder, unsigned bucket,
                      uint64_t generation)
{
    (void)snprintf(room, SWAP_PATH_BYTES, "%s/%03x-%016llx", folder, bucket,
                   (unsigned long long)generation);
    return room;
}

static bool read_hex(struct str digits, uint64_t *ret)
{
    *ret = 0;
    for (size_t i = 0; i < digits.n; i++) {
        char c = digits.p[i];
        if (!ascii_is_digit(c) && (c < 'a' || c > 'f'))
            return false;
        *ret = *ret * 16 + (uint64_t)(ascii_is_digit(c) ? c - '0' : c - 'a' + 10);
    }
    return true;
}

bool swap_path_read(struct str name, unsigned *ret_bucket, uint64_t *ret_generation)
{
    uint64_t bucket;
    if (name.n != BUCKET_DIGITS + 1 + GENERATION_DIGITS || name.p[BUCKET_DIGITS] != '-' ||
        !read_hex(str_first(name, BUCKET_DIGITS), &bucket) ||
        !read_hex(str_from(name, BUCKET_DIGITS + 1), ret_generation))
        return false;
    *ret_bucket = (unsigned)bucket;
    return *ret_generation != 0;
}

static enum rc read_all(struct disk_file *f, struct swap_job *j)
{
    size_t got = 0;
    char *to = buf_reserve(&j->bytes, (size_t)j->file.bytes);
    enum rc rc = to ? disk_read(f, 0, to, (size_t)j->file.bytes, &got) : buf_rc(&j->bytes);
    j->bytes.n = rc ? 0 : got;
    return rc == RC_OK && got < j->file.bytes ? RC_CORRUPT : rc;
}

void swap_job_do(struct disk *d, const char *folder, struct swap_job *job)
{
    static const enum disk_mode modes[] = {[SWAP_WRITE] = DISK_CREATE,
                                           [SWAP_APPEND] = DISK_APPEND,
                                           [SWAP_READ] = DISK_READ,
                                           [SWAP_LOOK] = DISK_READ};
    char path[SWAP_PATH_BYTES];
    struct disk_file *f = NULL;
    struct str bytes = buf_str(&job->bytes);
    enum rc rc = disk_open(d, swap_path(path, folder, job->bucket, job->file.generation),
                           modes[job->what], &f);
    if (rc == RC_NOT_FOUND)
        rc = RC_CORRUPT;
    if (rc == RC_OK)
        rc = modes[job->what] == DISK_READ ? read_all(f, job) : disk_append(f, &bytes, 1);
    disk_file_close(f);
    job->rc = rc;
}

static enum rc size_of(struct disk *d, const char *path, uint64_t *ret)
{
    struct disk_file *f = NULL;
    enum rc rc = disk_open(d, path, DISK_READ, &f);
    rc = rc ? rc : disk_size(f, ret);
    disk_file_close(f);
    return rc;
}

/* RC_CORRUPT: it is not there, or shorter. */
static enum rc size_at_least(struct disk *d, const char *path, uint64_t bytes, uint64_t *ret)
{
    enum rc rc = size_of(d, path, ret);
    return rc == RC_NOT_FOUND || (rc == RC_OK && *ret < bytes) ? RC_CORRUPT : rc;
}

enum rc swap_file_check(struct disk *d, const char *folder, unsigned bucket, struct swap_file file)
{
    char path[SWAP_PATH_BYTES];
    uint64_t size = 0;
    return size_at_least(d, swap_path(path, folder, bucket, file.generation), file.bytes, &size);
}

enum rc swap_file_cut(struct disk *d, const char *folder, unsigned bucket, struct swap_file file)
{
    char path[SWAP_PATH_BYTES];
    struct disk_file *f = NULL;
    uint64_t size = 0;
    enum rc rc =
        size_at_least(d, swap_path(path, folder, bucket, file.generation), file.bytes, &size);
    if (rc || size == file.bytes)
        return rc;
    rc = disk_open(d, path, DISK_APPEND, &f);
    rc = rc ? rc : disk_truncate(f, file.bytes);
    disk_file_close(f);
    return rc;
}

enum rc swap_file_sync(struct disk *d, const char *folder, unsigned bucket, uint64_t generation)
{
    char path[SWAP_PATH_BYTES];
    struct disk_file *f = NULL;
    enum rc rc = disk_open(d, swap_path(path, folder, bucket, generation), DISK_APPEND, &f);
    rc = rc ? rc : disk_sync(f);
    disk_file_close(f);
    return rc;
}
