/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/warc_find.h"

#include "archive/warc_name.h"

enum rc warc_find(struct disk *d, const char *folder, struct str name, struct disk_file **ret)
{
    char path[WARC_PATH_BYTES], last[DISK_MAX_NAME_BYTES + 1];
    enum rc rc = RC_NOT_FOUND;
    if (name.n >= sizeof last)
        return RC_NOT_FOUND;
    memcpy(last, name.p, name.n);
    last[name.n] = 0;
    for (int is_open = 0; is_open < 2 && rc == RC_NOT_FOUND; is_open++)
        if (warc_path(path, folder, last, is_open))
            rc = disk_open(d, path, DISK_READ, ret);
    return rc;
}

enum rc warc_find_size(struct disk *d, const char *folder, struct str name, uint64_t *ret)
{
    struct disk_file *f = NULL;
    *ret = 0;
    enum rc rc = warc_find(d, folder, name, &f);
    rc = rc ? rc : disk_size(f, ret);
    disk_file_close(f);
    return rc;
}
