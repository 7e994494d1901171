/* SPDX-License-Identifier: Apache-2.0 */
/* idn: international host names to ASCII, by ICU with the options the URL Standard asks for
 * (non-transitional, bidi and joiners checked, hyphens and DNS lengths not). idn.c is the only file
 * that includes ICU's IDNA header. Names that are ASCII already never come here. */
#ifndef URL_IDN_H
#define URL_IDN_H

#include "base/str.h"

/* The longest name (UTF-8, percent-encoding undone) that is converted: the work grows with the
 * square of a label's length. */
enum { URL_IDN_MAX_BYTES = 1024, URL_IDN_ROOM_BYTES = 8192 };

struct url_idn;

/* Opened once, shared by all threads (nothing in it changes), closed at the end. RC_NOMEM, or
 * RC_UNSUPPORTED if ICU's data is missing. */
MUST_CHECK enum rc url_idn_open(struct url_idn **ret);
void url_idn_close(struct url_idn *idn);

/* Converts `name` into `room` of URL_IDN_ROOM_BYTES and sets *ret_n. RC_INVALID: not a name;
 * RC_LIMIT: too long. The result may still hold characters that a host must not have. */
MUST_CHECK enum rc url_idn_to_ascii(const struct url_idn *idn, struct str name, char *room,
                                    size_t *ret_n);

#endif
