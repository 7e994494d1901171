/* SPDX-License-Identifier: Apache-2.0 */
#include "base/rc.h"

#include <assert.h>
#include <errno.h>

static const char *const texts[RC_COUNT_] = {
    [RC_OK] = "ok",
    [RC_NOMEM] = "out of memory",
    [RC_LIMIT] = "over the limit",
    [RC_INVALID] = "not valid",
    [RC_CORRUPT] = "corrupt",
    [RC_NOT_FOUND] = "not found",
    [RC_EXISTS] = "exists already",
    [RC_AGAIN] = "not now",
    [RC_CLOSED] = "closed",
    [RC_LOCKED] = "locked by another process",
    [RC_IO] = "input/output error",
    [RC_DISK_FULL] = "no space left on the disk",
    [RC_SYNC] = "the disk could not confirm a write",
    [RC_UNSUPPORTED] = "not supported",
    [RC_VERSION] = "made by another version",
    [RC_DENIED] = "permission denied",
    [RC_READ_ONLY] = "read-only file system",
};

const char *rc_text(enum rc rc)
{
    assert((unsigned)rc < RC_COUNT_);
    return texts[rc];
}

enum rc rc_of_errno(int error)
{
    switch (error) {
    case ENOENT:
        return RC_NOT_FOUND;
    case EEXIST:
        return RC_EXISTS;
    case ENOSPC:
    case EDQUOT:
        return RC_DISK_FULL;
    case ENOMEM:
        return RC_NOMEM;
    case EMFILE:
    case ENFILE:
    case EFBIG:
        return RC_LIMIT;
    case ENOTDIR:
    case EISDIR:
    case ELOOP:
    case ENAMETOOLONG:
        return RC_INVALID;
    case EACCES:
    case EPERM:
        return RC_DENIED;
    case EROFS:
        return RC_READ_ONLY;
    default:
        return RC_IO;
    }
}

bool rc_is_unwritable(enum rc rc)
{
    return rc == RC_IO || rc == RC_DENIED || rc == RC_READ_ONLY;
}
