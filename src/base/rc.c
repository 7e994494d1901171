/* SPDX-License-Identifier: Apache-2.0 */
#include "base/rc.h"

#include <assert.h>

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
};

const char *rc_text(enum rc rc)
{
    assert((unsigned)rc < RC_COUNT_);
    return texts[rc];
}
