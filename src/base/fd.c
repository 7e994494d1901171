/* SPDX-License-Identifier: Apache-2.0 */
#include "base/fd.h"

#include <errno.h>
#include <sys/resource.h>
#include <unistd.h>

bool fd_write_all(int fd, struct str bytes)
{
    while (bytes.n) {
        ssize_t n = write(fd, bytes.p, bytes.n);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        bytes = str_from(bytes, (size_t)n);
    }
    return true;
}

uint64_t fd_limit(void)
{
    struct rlimit now;
    return getrlimit(RLIMIT_NOFILE, &now) == 0 ? now.rlim_cur : 0;
}

void fd_raise_limit(void)
{
    struct rlimit now;
    if (getrlimit(RLIMIT_NOFILE, &now) != 0)
        return;
    now.rlim_cur = now.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &now); /* then it stays as it was */
}
