/* SPDX-License-Identifier: Apache-2.0 */
/* normalise: the crawler's own rules on top of the URL Standard, so that links which name the same
 * page become the same bytes. Each rule has a name and can be switched; docs/url.md says why each
 * default is what it is.
 *
 *     url_normalise(&link, URL_RULES_DEFAULT);
 *     uint64_t seen = url_fingerprint(&link);
 *
 * Normalising twice equals once, and what comes out parses to itself. */
#ifndef URL_NORMALISE_H
#define URL_NORMALISE_H

#include "url/url.h"

enum url_rule {
    URL_RULE_FRAGMENT = 1 << 0,
    URL_RULE_USERINFO = 1 << 1,
    URL_RULE_HOST_DOT = 1 << 2,
    URL_RULE_PERCENT_CASE = 1 << 3,
    URL_RULE_PERCENT_UNRESERVED = 1 << 4,
    URL_RULE_SESSION_IDS = 1 << 5,
    URL_RULE_TRACKING = 1 << 6,
    URL_RULE_EMPTY_QUERY = 1 << 7,
    URL_RULE_EMPTY_PARAMETERS = 1 << 8,
    URL_RULE_WWW = 1 << 9,
    URL_RULE_SLASHES = 1 << 10,
    URL_RULE_INDEX_FILE = 1 << 11,
    URL_RULE_SORT_QUERY = 1 << 12,
    URL_RULES_ALL = (1 << 13) - 1,
    URL_RULES_DEFAULT = URL_RULE_FRAGMENT | URL_RULE_USERINFO | URL_RULE_HOST_DOT |
                        URL_RULE_PERCENT_CASE | URL_RULE_PERCENT_UNRESERVED | URL_RULE_SESSION_IDS |
                        URL_RULE_TRACKING | URL_RULE_EMPTY_QUERY,
};

/* A query with more parameters than this is not sorted. */
enum { URL_SORT_MAX_PARAMETERS = 1024 };

struct url_rule_row {
    const char *name; /* NULL ends the table */
    uint32_t bit;     /* 0: part of the URL Standard's own parsing, always on */
    const char *help;
};
extern const struct url_rule_row url_rules[];

/* Reads "default,-tracking,sort-query": from left to right, a name (or +name) switches on, -name
 * off; "default", "all" and "none" set all of them; without one of these three at the front the
 * list starts from the defaults. RC_INVALID sets *ret_bad to the word that is no rule, or that
 * switches off what is always on; *ret_rules is then untouched. */
MUST_CHECK enum rc url_rules_parse(struct str list, uint32_t *ret_rules, struct str *ret_bad);

/* Applies `rules` in place; the URL only gets shorter. Other schemes than http, https, ws, wss and
 * ftp lose their fragment (if that rule is on) and are left alone otherwise. No allocation. */
void url_normalise(struct url *u, uint32_t rules);

/* XXH3-64, seed 0, of the href. It stands in our files and messages as the identity of a URL, so it
 * is taken of normalised URLs only. */
uint64_t url_fingerprint(const struct url *u);

#endif
