/* SPDX-License-Identifier: Apache-2.0 */
/* lock_holder: which process holds the flock on a file, as /proc/locks tells. */
#ifndef DISK_LOCK_HOLDER_H
#define DISK_LOCK_HOLDER_H

#include <stdint.h>

/* Its process id; 0: no process holds it, or it runs in another container. */
uint64_t lock_holder_of(int fd);

#endif
