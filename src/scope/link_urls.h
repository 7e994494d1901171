/* SPDX-License-Identifier: Apache-2.0 */
/* link_urls: makes URLs of the references of a page or of a list.
 *
 * A reference is resolved against its page and normalised; what is no http or https URL, what a
 * frontier cannot hold and what was there already is left out.
 *
 *     rc = link_urls_begin(u, &source, count);
 *     for (each reference)
 *         if (link_urls_next(u, &reference, &url, &fingerprint))
 *             ... url, until the next call ...
 *     bool is_cut = link_urls_end(u);
 *
 * References may be URLs already: then they take a short way, without names of other alphabets and
 * encodings. Whatever is said of them, what comes out is normalised, so they may come from another
 * process. One thread uses it. */
#ifndef SCOPE_LINK_URLS_H
#define SCOPE_LINK_URLS_H

#include "scope/link.h"
#include "url/idn.h"
#include "url/url.h"

struct link_urls_settings {
    const struct url_idn *idn; /* borrowed; or NULL */
    uint32_t rules;            /* url/normalise.h */
    size_t host_bytes;         /* a URL with a longer host is left out */
    size_t path_bytes;         /* likewise, with its query */
    size_t link_bytes;         /* texts of the links of one page, in all */
};

/* Borrowed until link_urls_end. */
struct link_urls_source {
    const struct url *page; /* what references are relative to; NULL: they are absolute */
    struct str base;        /* what they are relative to instead, as written; absent: `page` */
    const char *charset;    /* NULL: UTF-8 */
    bool are_urls;          /* another link_urls made them */
};

struct link_urls;

/* NULL without memory. */
struct link_urls *link_urls_open(const struct link_urls_settings *s);
void link_urls_close(struct link_urls *u);

/* Begins a page with up to `count` references. RC_NOMEM: there is nothing to end. */
MUST_CHECK enum rc link_urls_begin(struct link_urls *u, const struct link_urls_source *s,
                                   size_t count);

/* Whether a URL is made of the reference: *ret, which stays until the next call. */
bool link_urls_next(struct link_urls *u, const struct link_reference *r, struct url *ret,
                    uint64_t *ret_fingerprint);

/* Whether there were more texts than `link_bytes`. */
bool link_urls_end(struct link_urls *u);

#endif
