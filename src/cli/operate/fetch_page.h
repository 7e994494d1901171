/* SPDX-License-Identifier: Apache-2.0 */
/* fetch_page: what an answer says, as `orbweaver fetch` reports it. */
#ifndef CLI_OPERATE_FETCH_PAGE_H
#define CLI_OPERATE_FETCH_PAGE_H

#include "cli/operate/fetch_net.h"
#include "robots/robots.h"
#include "scope/scope.h"

#include <jansson.h>

struct fetch_page {
    const struct url *url;
    const struct fetched *fetched;
    struct str agent;           /* the robots token */
    struct scope *scope;        /* with the URL as its seed */
    const struct robots *rules; /* of the URL's origin; NULL: not asked */
    const struct url_idn *idn;
    struct arena *arena;
};

/* Adds "answer", and where there is a page, "page" and "links". RC_NOMEM. */
MUST_CHECK enum rc fetch_page_report(const struct fetch_page *p, json_t *report);

/* fetch_screen.c: the whole report for a person. */
void fetch_screen(const json_t *report, struct buf *out);

json_t *json_str(struct str s); /* null if absent */

#endif
