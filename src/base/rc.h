/* SPDX-License-Identifier: Apache-2.0 */
/* rc: the closed list of ways a call can fail.
 *
 * A failure is something the program could not do. What a server answered (404, a timeout, a
 * denial) is a result, kept as data; what cannot happen is an assert. A library's own error codes
 * become one of these in the single file that includes its header. */
#ifndef BASE_RC_H
#define BASE_RC_H

#include <stdbool.h>

enum rc {
    RC_OK = 0,
    RC_NOMEM,       /* an allocation failed */
    RC_LIMIT,       /* a stated maximum was reached */
    RC_INVALID,     /* the input is not what its format or its author's manual says */
    RC_CORRUPT,     /* our own bytes do not pass their checksum or version */
    RC_NOT_FOUND,   /* nothing has that name */
    RC_EXISTS,      /* that name is taken */
    RC_AGAIN,       /* not now: full, empty or busy; try later */
    RC_CLOSED,      /* the other end has finished */
    RC_LOCKED,      /* another process holds it */
    RC_IO,          /* the system refused a read or write, for none of the reasons here */
    RC_DISK_FULL,   /* no space left, or over quota */
    RC_SYNC,        /* fsync failed: what was written is unknown, never retried */
    RC_UNSUPPORTED, /* known, and not offered here */
    RC_VERSION,     /* made by another version of the format or interface */
    RC_DENIED,      /* this user may not */
    RC_READ_ONLY,   /* the file system takes no writes */
    RC_COUNT_
};

/* A short lower-case phrase in English for messages: "out of memory". */
const char *rc_text(enum rc rc);

/* What the kernel's `errno` says, as one of these. */
enum rc rc_of_errno(int error);

/* Whether the reason is that nothing can be written there: RC_IO, RC_DENIED, RC_READ_ONLY. */
bool rc_is_unwritable(enum rc rc);

#define MUST_CHECK __attribute__((warn_unused_result))
#define PRINTF_LIKE(at, first) __attribute__((format(printf, at, first)))

#endif
