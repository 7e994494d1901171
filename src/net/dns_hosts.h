/* SPDX-License-Identifier: Apache-2.0 */
/* dns_hosts: the names of a hosts file (hosts(5)), read once.
 *
 * Lines that make no sense are passed over, as the system's resolver does. Past DNS_HOSTS_MAX_BYTES
 * the rest of the file is not read. */
#ifndef NET_DNS_HOSTS_H
#define NET_DNS_HOSTS_H

#include "net/dns.h"
#include "net/dns_name.h"

enum { DNS_HOSTS_MAX_BYTES = 4 << 20 };

struct dns_hosts;

/* A file that is not there or cannot be read has no names. RC_NOMEM. */
MUST_CHECK enum rc dns_hosts_open(const char *path, struct dns_hosts **ret);
void dns_hosts_close(struct dns_hosts *h);

/* Adds the addresses of a name to those of `to`, in the order of the file; false if it is not
 * there. */
bool dns_hosts_find(const struct dns_hosts *h, const struct dns_name *name, struct dns_result *to);

#endif
