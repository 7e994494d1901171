/* SPDX-License-Identifier: Apache-2.0 */
/* lines: a robots.txt as a row of keys and values, with what people mistype forgiven. */
#ifndef ROBOTS_LINES_H
#define ROBOTS_LINES_H

#include "base/str.h"

enum robots_key {
    KEY_NONE, /* empty, a comment, or a key that says nothing to us */
    KEY_USER_AGENT,
    KEY_ALLOW,
    KEY_DISALLOW,
    KEY_CRAWL_DELAY,
    KEY_SITEMAP,
};

struct robots_lines {
    struct str rest;
    unsigned number; /* of the line last taken */
};

/* Begins behind a byte order mark, with the first ROBOTS_BODY_MAX bytes; a line that this cuts is
 * left out, for half a rule can forbid a whole host. */
void robots_lines_init(struct robots_lines *l, struct str body);

/* Takes one line, which ends at CR, LF or CR LF. *ret_value is a piece of the body, trimmed and
 * without comment. False at the end. */
bool robots_lines_next(struct robots_lines *l, enum robots_key *ret_key, struct str *ret_value);

#endif
