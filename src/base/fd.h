/* SPDX-License-Identifier: Apache-2.0 */
/* fd: what write(2) leaves to its callers, and how many descriptors there may be. */
#ifndef BASE_FD_H
#define BASE_FD_H

#include "base/rc.h"
#include "base/str.h"

/* All of it, however often it takes; false: errno says why not. */
MUST_CHECK bool fd_write_all(int fd, struct str bytes);

/* How many descriptors the process may have. */
uint64_t fd_limit(void);

/* Raises that to what the system allows (the hard limit). Once, at the start. */
void fd_raise_limit(void);

#endif
