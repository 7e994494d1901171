/* SPDX-License-Identifier: Apache-2.0 */
/* seed: reads a text that a person wrote as a seed: it is a URL, or is refused with a reason.
 *
 * A text without a scheme gets http://, as people write them: "example.org", "localhost:8080/x",
 * "[::1]:8080", "//example.org/". A word and a colon in front of anything but a port is a scheme:
 * "mailto:a@b.c" is not a host. Refused are:
 *
 *   - a text that is no http or https URL, or is the path of a file;
 *   - a user name or password: a crawl has no logins, so it would ask for another page than the
 *     person means, and must not write the password anywhere;
 *   - a port that is never asked (net/address.h);
 *   - text that is not UTF-8, which would become another URL;
 *   - a host or path that is longer than the frontier holds. */
#ifndef LEDGER_SEED_H
#define LEDGER_SEED_H

#include "base/buf.h"
#include "url/url.h"

/* Reads `text`, without the blanks around it, into `room` (URL_ROOM_BYTES), not normalised.
 * RC_INVALID: no seed, and *ret_why is a text that stays. RC_NOMEM is from the IDN library. */
MUST_CHECK enum rc seed_read(struct str text, const struct url_idn *idn, struct url_room room,
                             struct url *ret, const char **ret_why);

/* The same without a look at user name, port and length: for a URL that is only looked up. */
MUST_CHECK enum rc seed_parse(struct str text, const struct url_idn *idn, struct url_room room,
                              struct url *ret, const char **ret_why);

/* The seed of a line of a seed file: without blanks around it, a comment ("#" at the beginning or
 * behind a blank) and the mark with which some editors begin a file; empty: there is none. */
struct str seed_line(struct str line);

/* The text as it may be shown and logged: *** in place of all that stands before an @, no control
 * characters, at most 200 bytes. */
void seed_print(struct str text, struct buf *out);

#endif
