/* SPDX-License-Identifier: Apache-2.0 */
/* host: the standard's host parser: names, IPv4 in all its forms, IPv6, opaque hosts. Internal to
 * url; ip.c has the addresses, host.c the rest. */
#ifndef URL_HOST_H
#define URL_HOST_H

#include "url/url.h"
#include "url/write.h"

/* Writes `host` (valid UTF-8, not empty) to `o` as serialised. `special`: a name or an address;
 * otherwise an opaque host. RC_INVALID sets parser->reason. A full `o` is the caller's to check. */
MUST_CHECK enum rc url_host_write(struct url_parser *parser, struct str host, bool special,
                                  struct url_out *o);

/* Whether the last label (but for one dot behind it) is a number, so that the whole must be an IPv4
 * address. */
bool url_ends_in_number(struct str name);

/* IPv4 as one to four decimal, octal or hexadecimal numbers; false if it is none. */
bool url_ipv4_parse(struct str text, uint32_t *ret_address);
void url_ipv4_write(struct url_out *o, uint32_t address);

/* IPv6 without its brackets. */
bool url_ipv6_parse(struct str text, uint16_t ret_pieces[8]);
void url_ipv6_write(struct url_out *o, const uint16_t pieces[8]);

#endif
