/* SPDX-License-Identifier: Apache-2.0 */
/* warc_name: the names of WARC files, PREFIX-yyyymmddhhmmssSSS-SERIAL-HOST.warc.gz, and ".open". */
#ifndef ARCHIVE_WARC_NAME_H
#define ARCHIVE_WARC_NAME_H

#include "base/buf.h"

/* Room for FOLDER/NAME.open with its NUL. */
enum { WARC_PATH_BYTES = 1100 };

/* Appends the name. A moment outside the years 0 to 9999 is written as the first of them. */
void warc_name_print(struct buf *out, struct str prefix, int64_t ms, uint64_t serial,
                     struct str host);

/* The serial of such a name, with or without ".open"; RC_INVALID if it is another's. */
MUST_CHECK enum rc warc_name_serial(struct str name, uint64_t *ret_serial);

/* Whether the name is that of a file being written; *ret_last is its name without ".open". */
bool warc_name_is_open(struct str name, struct str *ret_last);

/* Letters, digits, '.' and '_', and `extra`. */
bool warc_name_part_ok(struct str part, size_t max, char extra);

/* Prints FOLDER/NAME, and ".open" behind it, into `room`; NULL if it does not fit. */
const char *warc_path(char room[WARC_PATH_BYTES], const char *folder, const char *name, bool open);

#endif
