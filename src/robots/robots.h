/* SPDX-License-Identifier: Apache-2.0 */
/* robots: what a robots.txt (RFC 9309) lets one crawler do.
 *
 * robots_parse keeps only what concerns one agent, in one block of memory; a few hundred bytes for
 * most hosts. Where files or parsers disagree, docs/robots.md says what is done here.
 *
 *     robots_parse(body, STR("orbweaver"), &rules);
 *     struct robots_verdict v = robots_check(rules, STR("/a/b?c=d"));
 *     robots_free(rules);
 *
 * A struct robots does not change after it is made, so any number of threads may read it. */
#ifndef ROBOTS_ROBOTS_H
#define ROBOTS_ROBOTS_H

#include "base/buf.h"

enum {
    ROBOTS_BODY_MAX = 500 * 1024, /* bytes that are read; RFC 9309, 2.5 */
    ROBOTS_LINE_MAX = 16663,      /* bytes of a line that are read */
    ROBOTS_PATH_MAX = 8 * 1024,   /* bytes looked at of a path that must be re-encoded first */
    ROBOTS_WORK_MAX = 16 << 20,   /* bytes of rules and path that one check compares */
    ROBOTS_DELAY_MAX_MS = 24 * 60 * 60 * 1000,
    ROBOTS_REDIRECTS_MAX = 5, /* RFC 9309, 2.3.1.2 */
};

struct robots;

/* Reads `body` as robots.txt for `agent`, which is compared whole (not cut at a space or slash)
 * with the product token of each User-agent line, letters in either case. If some group names the
 * agent, those groups count, merged; else those for "*". An agent "*" has no group of its own.
 *
 * On RC_OK *ret is the caller's (robots_free); on RC_NOMEM it is untouched. Nothing is borrowed.
 * There is no other failure: any bytes are a robots.txt. What stands past ROBOTS_BODY_MAX is
 * ignored, with the line it cuts. */
MUST_CHECK enum rc robots_parse(struct str body, struct str agent, struct robots **ret);

/* The two answers that need no file. Static: robots_free does nothing to them. */
const struct robots *robots_allow_all(void);
const struct robots *robots_disallow_all(void);

/* Frees what robots_parse or robots_load made; accepts NULL and the two above. */
void robots_free(const struct robots *r);

/* Bytes of memory it takes. */
size_t robots_bytes(const struct robots *r);

struct robots_verdict {
    bool allowed;
    unsigned line;   /* of the rule that decided, from 1; 0 if none did */
    struct str rule; /* its pattern, percent-encoded as it is compared; absent if none did */
};

/* May `path_and_query` ("/a?b", as it stands in the URL; a fragment is ignored, an empty path is
 * "/") be fetched? The longest rule that matches decides, allow wins a tie. /robots.txt itself is
 * always allowed. `rule` is borrowed from `r`. Percent-encoding is compared by octets: %e3 is %E3
 * is the raw byte, %61 is "a", but %2F is not "/". Time is linear in the path for each rule whose
 * text before its first '*' fits, and logarithmic in the number of the others. A path that would
 * take more than ROBOTS_WORK_MAX (thousands of rules with stars, and kilobytes of path) is not
 * allowed, with line 0: only an attacker has such a path. */
struct robots_verdict robots_check(const struct robots *r, struct str path_and_query);

/* Whether a rule concerns the agent. False: everything is allowed. */
bool robots_has_rules(const struct robots *r);

/* Whether some group named the agent. A crawler with several names parses for each in the order of
 * its liking and keeps the first that has a group. */
bool robots_is_named(const struct robots *r);

/* The Crawl-delay that concerns the agent, at most ROBOTS_DELAY_MAX_MS. False: none was given. */
bool robots_delay_ms(const struct robots *r, uint32_t *ret_ms);

/* The Sitemap lines of the whole file in order, as written: the caller resolves them against the
 * address of the robots.txt. `i` from 0; false past the last. */
bool robots_sitemap(const struct robots *r, size_t i, struct str *ret_url);

/* What the status of an answer to /robots.txt means. */
enum robots_status_meaning {
    ROBOTS_USE_BODY,  /* 2xx: parse it */
    ROBOTS_UNCHANGED, /* 304: what was known holds */
    ROBOTS_REDIRECT,  /* go there, at most ROBOTS_REDIRECTS_MAX times, then it is ROBOTS_ALLOW */
    ROBOTS_ALLOW,     /* there is none: robots_allow_all */
    ROBOTS_RETRY,     /* not known: robots_disallow_all, and ask again later */
};

/* `http_status` is 0 or less when there was no answer (DNS, connection, time out). */
enum robots_status_meaning robots_status(int http_status);

/* As bytes for a file or a message, and back. Version and byte order are part of the format; a
 * checksum is the caller's. robots_load answers RC_VERSION to another version, RC_CORRUPT to bytes
 * that do not add up, RC_NOMEM; *ret is then untouched. The two static answers
 * can be stored too; they come back as memory of the caller's. */
void robots_store(const struct robots *r, struct buf *out);
MUST_CHECK enum rc robots_load(struct str bytes, struct robots **ret);

#endif
