/* SPDX-License-Identifier: Apache-2.0 */
/* fd: what write(2) leaves to its callers. */
#ifndef BASE_FD_H
#define BASE_FD_H

#include "base/rc.h"
#include "base/str.h"

/* All of it, however often it takes; false: errno says why not. */
MUST_CHECK bool fd_write_all(int fd, struct str bytes);

#endif
