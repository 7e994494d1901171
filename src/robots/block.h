/* SPDX-License-Identifier: Apache-2.0 */
/* block: the inside of a struct robots, and how one is made.
 *
 *     struct facts | rules[] | sitemaps[] | text of rules and sitemaps
 *
 * The literal start of a rule (its prefix) reaches to its first '*', or to a '$' at its end. Rules
 * are sorted by prefix, so that all prefixes of a path lie on one chain: from the last rule that is
 * not behind the path, over `up`, each time to the nearest rule before it whose prefix is a prefix
 * of its own. A rule's text is in the form octets.h describes. */
#ifndef ROBOTS_BLOCK_H
#define ROBOTS_BLOCK_H

#include "robots/robots.h"

enum robots_kind {
    ROBOTS_KIND_RULES,
    ROBOTS_KIND_DISALLOW_ALL,
};

enum { RULE_NONE = UINT32_MAX };

struct rule {
    uint64_t pairs;     /* a bit for each pair of neighbours in the text behind the prefix */
    uint32_t at;        /* of its text */
    uint32_t up;        /* see above; RULE_NONE at the end of the chain */
    uint16_t text_n;    /* bytes of text: how specific it is */
    uint16_t prefix_n;  /* of these, up to the first '*' or the final '$' */
    uint32_t line : 31; /* a body has fewer lines than that */
    uint32_t allow : 1;
};

struct span {
    uint32_t at, n;
};

struct facts {
    uint32_t rule_count, sitemap_count, text_bytes;
    uint32_t delay_ms;
    uint8_t kind; /* enum robots_kind */
    bool has_delay, is_named;
};

struct robots {
    struct facts facts;
    struct rule rules[];
};

static inline const struct span *robots_spans(const struct robots *r)
{
    return (const struct span *)(r->rules + r->facts.rule_count);
}

static inline const char *robots_text(const struct robots *r)
{
    return (const char *)(robots_spans(r) + r->facts.sitemap_count);
}

static inline struct str rule_text(const struct robots *r, const struct rule *rule)
{
    return str_make(robots_text(r) + rule->at, rule->text_n);
}

static inline struct str rule_prefix(const struct robots *r, const struct rule *rule)
{
    return str_make(robots_text(r) + rule->at, rule->prefix_n);
}

/* The bits of `pairs` for some text. */
uint64_t pairs_of(struct str text);

/* Collects, then makes the block. Failures stick in the bufs. A zeroed one is not ready: use
 * builder_init; builder_done ends it, whatever happened. */
struct builder {
    struct facts facts; /* kind, delay, is_named: the caller sets them */
    struct buf rules, spans, text;
};

void builder_init(struct builder *b);
void builder_done(struct builder *b);

/* `text` is in the form of octets.h, not empty, at most UINT16_MAX bytes. */
void builder_rule(struct builder *b, bool allow, uint32_t line, struct str text);
void builder_sitemap(struct builder *b, struct str url);

MUST_CHECK enum rc builder_finish(struct builder *b, struct robots **ret);

#endif
