/* SPDX-License-Identifier: Apache-2.0 */
/* surt: URLs turned around so that sorting by bytes puts a domain's pages together:
 * http://www.example.com/a -> com,example)/a */
#ifndef URL_SURT_H
#define URL_SURT_H

#include "base/buf.h"
#include "url/url.h"

enum url_surt_form {
    URL_SURT_SCHEME = 1,   /* http://(com,example)/a */
    URL_SURT_COMMA = 2,    /* com,example,)/a: prefixes then match whole labels */
    URL_SURT_KEEP_WWW = 4, /* com,example,www)/a */
    URL_SURT_KEY = 0,      /* com,example)/a */
};

/* Appends the SURT of `url` to `out`. Works on the text alone: nothing is normalised, userinfo is
 * left out, addresses are not turned, and text without "scheme://" is appended as it stands. Time
 * is linear, `out` grows by at most url.n + 3 bytes. */
void url_surt(struct str url, unsigned form, struct buf *out);

/* Appends the key that CDX and CDXJ indexes have by common practice (Wayback, pywb): a SURT of the
 * key form that also turns IPv4 addresses, takes the brackets off IPv6 addresses, strips www1.,
 * www2. and so on, lowers the case of everything, sorts the query (up to URL_SORT_MAX_PARAMETERS)
 * and drops an empty one, and drops the slash behind a path. The fragment is left out. Other
 * schemes than http, https and ftp are appended as they stand. */
void url_cdx_key(const struct url *u, struct buf *out);

#endif
