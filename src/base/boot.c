/* SPDX-License-Identifier: Apache-2.0 */
#include "base/boot.h"

#include "base/hash.h"

#include <fcntl.h>
#include <unistd.h>

uint64_t boot_id(void)
{
    char text[64];
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    ssize_t n = read(fd, text, sizeof text);
    (void)close(fd);
    return n > 0 ? hash64(str_make(text, (size_t)n)) : 0;
}
