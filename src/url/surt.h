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

/* Appends the key that indexes of captures have, the one that warcio.js computes (getSurt), and so
 * replayweb.page, cdxj-indexer and js-wacz: the host turned around, IPv4 addresses too, IPv6
 * addresses in their brackets; www., www1. and so on left out; the port unless it is the usual one;
 * the path as it is, with its last slash; the query sorted, an empty one left out; all in lower
 * case, without userinfo and fragment. Other schemes than http and https are appended as they
 * stand. */
void url_cdx_key(const struct url *u, struct buf *out);

#endif
