/* SPDX-License-Identifier: Apache-2.0 */
/* boot: which boot of the machine this is. Bytes that a process gave to the kernel survive the
 * process, but not a power cut: a file written in the same boot holds everything that was written
 * to it. */
#ifndef BASE_BOOT_H
#define BASE_BOOT_H

#include <stdint.h>

/* A number for the running kernel; 0: the system does not tell. */
uint64_t boot_id(void);

#endif
