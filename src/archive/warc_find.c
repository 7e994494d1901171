/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/warc_find.h"

#include "archive/warc_name.h"

static enum rc open_named(struct disk *d, const char *folder, struct str name, bool is_open,
                          struct disk_file **ret)
{
    char path[WARC_PATH_BYTES], last[DISK_MAX_NAME_BYTES + 1];
    if (name.n >= sizeof last)
        return RC_NOT_FOUND;
    memcpy(last, name.p, name.n);
    last[name.n] = 0;
    return warc_path(path, folder, last, is_open) ? disk_open(d, path, DISK_READ, ret)
                                                  : RC_NOT_FOUND;
}

enum rc warc_find(struct disk *d, const char *folder, struct str name, struct disk_file **ret)
{
    enum rc rc = open_named(d, folder, name, false, ret);
    return rc == RC_NOT_FOUND ? open_named(d, folder, name, true, ret) : rc;
}

enum rc warc_measure(struct disk *d, const char *folder, struct str name, struct warc_size *ret)
{
    struct disk_file *f = NULL;
    *ret = (struct warc_size){0};
    enum rc rc = warc_find(d, folder, name, &f);
    ret->is_missing = rc == RC_NOT_FOUND;
    if (rc == RC_NOT_FOUND || rc == RC_INVALID)
        return RC_OK;
    rc = rc ? rc : disk_size(f, &ret->bytes);
    disk_file_close(f);
    return rc;
}

bool warc_has_open(struct disk *d, const char *folder, struct str name)
{
    struct disk_file *f = NULL;
    enum rc rc = open_named(d, folder, name, true, &f);
    disk_file_close(f);
    return rc == RC_OK;
}
