/* SPDX-License-Identifier: Apache-2.0 */
/* peer: which machine is at the other end of a socket. */
#ifndef NET_PEER_H
#define NET_PEER_H

#include <stdint.h>

/* The address_group of the other end: an IPv4 address, or the /64 of an IPv6 one. 0: not known. */
uint64_t peer_group(int fd);

#endif
