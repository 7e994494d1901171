/* SPDX-License-Identifier: Apache-2.0 */
/* zip_out: a ZIP file in the making. libzip stands behind this header and nowhere else.
 *
 * Nothing is there under the file's name before zip_out_finish has written all of it. */
#ifndef REPORT_ZIP_OUT_H
#define REPORT_ZIP_OUT_H

#include "base/buf.h"

struct zip_out;

/* Failures come with `why`. RC_IO, RC_NOMEM. */
MUST_CHECK enum rc zip_out_open(const char *path, struct zip_out **ret, struct buf *why);
/* Without a finish nothing is kept. Accepts NULL. */
void zip_out_close(struct zip_out *z);

enum zip_out_how {
    ZIP_OUT_PACKED,
    ZIP_OUT_STORED,        /* the bytes as they are */
    ZIP_OUT_STORED_MOVING, /* and the file may get another name meanwhile: it is kept open */
};

/* The first `bytes` of the file at `path`, which are as they are until the finish, as `name`. */
MUST_CHECK enum rc zip_out_file(struct zip_out *z, const char *name, const char *path,
                                uint64_t bytes, enum zip_out_how how, struct buf *why);

/* `bytes` are copied. */
MUST_CHECK enum rc zip_out_bytes(struct zip_out *z, const char *name, struct str bytes,
                                 struct buf *why);

/* RC_DISK_FULL, RC_IO, ... */
MUST_CHECK enum rc zip_out_finish(struct zip_out *z, struct buf *why);

#endif
