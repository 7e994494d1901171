/* SPDX-License-Identifier: Apache-2.0 */
/* dns_name: a host name as it is asked for and kept: lower case, absolute, no dot at its end. */
#ifndef NET_DNS_NAME_H
#define NET_DNS_NAME_H

#include "base/str.h"

enum { DNS_NAME_BYTES = 253, DNS_LABEL_BYTES = 63, DNS_WIRE_BYTES = 255 };

struct dns_name {
    size_t n;
    char text[DNS_NAME_BYTES + 1]; /* NUL behind it */
};

/* RC_INVALID: the name or a label is empty or too long, has a character other than a-z 0-9 - _, or
 * the last label is a number. URLs take such a name for an address, so it is not looked up. */
MUST_CHECK enum rc dns_name_read(struct str text, struct dns_name *ret);

static inline struct str dns_name_str(const struct dns_name *name)
{
    return str_make(name->text, name->n);
}

#endif
