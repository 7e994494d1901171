/* SPDX-License-Identifier: Apache-2.0 */
/* scope: which URLs belong to the crawl.
 *
 * A URL passes when it is http or https on a port that may be asked, not too long, not one of the
 * traps below, matches --include (if there is one) and no --exclude, is not too deep, and lies in
 * the scope that the seeds draw:
 *     host    the host names of the seeds (any scheme, any port)
 *     domain  their registrable domains (a host without one: that host)
 *     prefix  the seeds' URLs up to their last slash (scheme ignored, "www." not)
 *     page    the seeds themselves
 *     any     everything
 * Embeds of pages in scope (images, styles, scripts) are taken from anywhere, unless pages_only: up
 * to `embed_hops` E's at the end of the seed_path. R's and P's between and behind them do not count
 * (an image that was moved is still an image). --include and --exclude hold for embeds too.
 *
 * A URL joins the seeds if its seed_path is 1 to 5 R's and nothing else: a seed redirects to it
 * (seed_path_joins_seeds). It gets SCOPE_OUTSIDE only if nothing else is against it. A caller that
 * sees both adds the URL as a seed and checks it again. A URL that is excluded, or a trap, does not
 * join.
 *
 * Traps: a path with more than `path_segments` segments, a segment or a group of up to 16
 * segments that stands more than twice in a row (F63), a URL over `url_bytes`, more than
 * `redirects` R's at the end of the seed_path (F38, F39).
 *
 * One for all shards. Checks are lock-free and may run while seeds are added: the sets only grow,
 * and a table that was outgrown is kept until the close. Regular expressions are PCRE2 with limits
 * on match and depth; pcre2 is included by scope_regex.c alone. */
#ifndef SCOPE_SCOPE_H
#define SCOPE_SCOPE_H

#include "base/options.h"
#include "url/url.h"

enum scope_kind { SCOPE_HOST, SCOPE_DOMAIN, SCOPE_PREFIX, SCOPE_PAGE, SCOPE_ANY };

struct scope_settings {
    unsigned scope; /* enum scope_kind */
    uint64_t depth; /* L and X letters in the seed_path */
    struct option_list include, exclude;
    bool pages_only;
    uint64_t embed_hops;    /* 3 */
    uint64_t redirects;     /* 10 */
    uint64_t path_segments; /* 25; at most 1,000 */
    uint64_t url_bytes;     /* 4,096; at most 65,000 */
    struct str normalise;   /* url_rules_parse's; absent = the defaults */
};
extern const struct option scope_options[]; /* keys as in src/cli/settings.c where they are there */

enum scope_verdict {
    SCOPE_IN,
    SCOPE_NOT_HTTP, /* another scheme: left out silently */
    SCOPE_BAD_PORT,
    SCOPE_TOO_LONG,
    SCOPE_TOO_DEEP,
    SCOPE_TRAP,       /* repetition, segments */
    SCOPE_REDIRECTS,  /* too many in a row */
    SCOPE_EXCLUDED,   /* --exclude, or not in --include */
    SCOPE_OUTSIDE,    /* of what the seeds draw */
    SCOPE_NOT_WANTED, /* an embed, with pages_only */
    SCOPE_VERDICTS_
};
const char *scope_verdict_text(enum scope_verdict v); /* "outside of what the seeds draw" … */

struct scope;

/* RC_INVALID: a regular expression or a rule; `why` names it, the place and what is wrong. */
MUST_CHECK enum rc scope_open(const struct scope_settings *s, struct scope **ret, struct buf *why);
void scope_close(struct scope *s);

/* The rules (url/normalise.h) by which URLs of this crawl are compared. */
uint32_t scope_rules(const struct scope *s);

/* Live settings (depth, include, exclude) changed. RC_INVALID, RC_NOMEM: the old ones hold. */
MUST_CHECK enum rc scope_change(struct scope *s, const struct scope_settings *to, struct buf *why);

/* A seed, normalised. Any thread; RC_NOMEM, RC_LIMIT (10 million). A seed is in scope even where
 * include, exclude, depth or traps would say no; not with another scheme or a bad port: such a seed
 * draws nothing (RC_OK). */
MUST_CHECK enum rc scope_add_seed(struct scope *s, const struct url *seed);

/* `seed_path`: the letters from the seed to this URL (discovery/seed_path.h), its own included. Any
 * thread. */
enum scope_verdict scope_check(const struct scope *s, const struct url *u, struct str seed_path);

/* How often a regular expression has given up because it needed too much work; --include then
 * counts as not matched, --exclude as matched. */
uint64_t scope_regex_limits(const struct scope *s);

#endif
