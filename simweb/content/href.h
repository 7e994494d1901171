/* SPDX-License-Identifier: Apache-2.0 */
/* href: the value of an attribute that refers to a place, in the form and with the quirks of the
 * link. However it is written, a browser resolves it to exactly place_url() of the target. */
#ifndef CONTENT_HREF_H
#define CONTENT_HREF_H

#include "content/ink.h"

#include "world/links.h"

enum { HREF_PATH_BYTES = 2048 };

/* What a page's references are resolved against. */
struct href_page {
    const struct world *world;
    uint32_t host;
    bool is_https;
    enum ink ink;      /* letters outside ASCII are written in it, or as character references */
    bool may_relative; /* relative to the page's own path, or to the root if there is a base */
    char folder[HREF_PATH_BYTES]; /* "/garden/2019/": what relative references start from */
    size_t folder_bytes;
};

/* For the page at `page`. `is_copied`: its bytes stand at other paths too, so nothing in them may
 * depend on the path; unless has_base. */
void href_page_init(struct href_page *h, const struct world *w, struct place page, bool has_base,
                    bool is_copied, enum ink ink);

/* Appends ="value" of an attribute, quotes and all, as the link's quirks want. */
void href_write(const struct href_page *h, const struct link *l, struct buf *out);

/* Appends the value without quotes, for a srcset or a refresh: safe between either kind of quotes,
 * without white space around. */
void href_write_bare(const struct href_page *h, const struct link *l, struct buf *out);

#endif
