/* SPDX-License-Identifier: Apache-2.0 */
/* refresh: the address in <meta http-equiv=refresh content="5; url=x"> and in the Refresh header.
 *
 * Follows the "shared declarative refresh steps" of the HTML Standard, with all they forgive: a
 * comma for the semicolon, no "url=", quotes opened and never closed. */
#ifndef HTML_REFRESH_H
#define HTML_REFRESH_H

#include "base/str.h"

/* True and *ret_url, a piece of `content`, not resolved and not trimmed, if it names an address;
 * false if it is malformed, or only asks for the same page again ("30", "30; url="). */
bool refresh_url(struct str content, struct str *ret_url);

#endif
