/* SPDX-License-Identifier: Apache-2.0 */
/* octets: the form in which paths and patterns are compared (RFC 9309, 2.2.2).
 *
 * Letters, digits and -._~ stand for themselves, also where the original had %61; every other
 * octet that the original had percent-encoded or that no URL may hold is %XX in capitals; reserved
 * characters stay as they were, so that "/" and "%2F" differ. '*' and '$' in a path, and a '$' in
 * a pattern that is not its end, are %2A and %24: what is left of them in a pattern is special. */
#ifndef ROBOTS_OCTETS_H
#define ROBOTS_OCTETS_H

#include "base/buf.h"

/* Appends; a path ends at its '#'. */
void octets_path(struct str path, struct buf *out);
void octets_pattern(struct str pattern, struct buf *out);

/* Whether octets_path would change nothing, which is the common case. */
bool octets_plain(struct str path);

#endif
