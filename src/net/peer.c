/* SPDX-License-Identifier: Apache-2.0 */
#include "net/peer.h"

#include "net/address.h"

#include <netinet/in.h>
#include <sys/socket.h>

uint64_t peer_group(int fd)
{
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } from = {0};
    socklen_t n = sizeof from;
    struct address a = {0};
    if (getpeername(fd, &from.any, &n) != 0)
        return 0;
    a.is_v6 = from.any.sa_family == AF_INET6;
    if (a.is_v6)
        memcpy(a.bytes, &from.v6.sin6_addr, sizeof from.v6.sin6_addr);
    else if (from.any.sa_family == AF_INET)
        memcpy(a.bytes, &from.v4.sin_addr, sizeof from.v4.sin_addr);
    else
        return 0;
    return address_group(&a);
}
