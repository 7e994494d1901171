/* SPDX-License-Identifier: Apache-2.0 */
/* domain: the registrable domain of a host by the public suffix list (libpsl's built-in copy, the
 * private section included, so that each site of a hosting company counts on its own). domain.c is
 * the only file that includes libpsl. */
#ifndef URL_DOMAIN_H
#define URL_DOMAIN_H

#include "base/str.h"

/* Hosts longer than this have no registrable domain. */
enum { URL_DOMAIN_MAX_BYTES = 1023 };

/* The registrable domain in `host`, as the end of it ("example.co.uk" of "www.example.co.uk");
 * absent when it has none: the host is a public suffix itself, an address, empty, or begins with a
 * dot. Takes ASCII (xn--) and UTF-8 names in any case of ASCII letters; one dot at the end is
 * passed over and not part of the result. No allocation of ours. */
struct str url_domain(struct str host);

/* Whether libpsl has a built-in list; without it no host has a domain. */
bool url_domain_has_list(void);

#endif
