/* SPDX-License-Identifier: Apache-2.0 */
/* Method: the path is brought into the form of the rules' texts; a binary search finds the last
 * rule that is not behind it in the order of prefixes; the chain up from there has all rules whose
 * prefix the path has, and only what stands behind their first '*' is left to match. There each
 * piece between stars is taken at its first occurrence, which is as good as any later one, so
 * nothing is ever tried twice. What all of this costs for one path is bounded, since the same host
 * may have written the rules and the path. */
#include "robots/block.h"
#include "robots/octets.h"

/* Whether `text`, which begins with '*' or is a final "$" or empty, matches all of `path`. */
static bool tail_matches(struct str text, struct str path)
{
    if (text.n && *text.p == '$')
        return path.n == 0;
    while (text.n) {
        text = str_from(text, 1); /* the star */
        struct str piece = str_first(text, str_find(text, '*'));
        text = str_from(text, piece.n);
        if (piece.n && piece.p[piece.n - 1] == '$')
            return str_ends(path, str_first(piece, piece.n - 1));
        size_t at = str_find_str(path, piece);
        if (at == path.n && piece.n)
            return false;
        path = str_from(path, at + piece.n);
    }
    return true;
}

/* The last rule whose prefix is not behind the path; RULE_NONE if all are. */
static uint32_t rule_before(const struct robots *r, struct str path)
{
    uint32_t from = 0, end = r->facts.rule_count;
    while (from < end) {
        uint32_t middle = from + (end - from) / 2;
        if (str_cmp(rule_prefix(r, &r->rules[middle]), path) <= 0)
            from = middle + 1;
        else
            end = middle;
    }
    return from ? from - 1 : RULE_NONE;
}

static size_t common_bytes(struct str a, struct str b)
{
    size_t i = 0;
    while (i < a.n && i < b.n && a.p[i] == b.p[i])
        i++;
    return i;
}

static bool decides_over(const struct rule *a, const struct rule *b)
{
    return !b || a->text_n > b->text_n || (a->text_n == b->text_n && a->allow && !b->allow);
}

/* Whether the path has all pairs of neighbours that the rule wants. */
static bool rule_may_match(const struct rule *rule, uint64_t pairs)
{
    return (rule->pairs & ~pairs) == 0;
}

static bool rule_matches(const struct robots *r, const struct rule *rule, struct str path)
{
    return tail_matches(str_from(rule_text(r, rule), rule->prefix_n),
                        str_from(path, rule->prefix_n));
}

/* Bytes of rule and path that matching looks at, at most; without a star nothing is left to look
 * at behind the prefix. */
static size_t rule_work(const struct robots *r, const struct rule *rule, struct str path)
{
    struct str tail = str_from(rule_text(r, rule), rule->prefix_n);
    return tail.n && *tail.p == '*' ? tail.n + path.n - rule->prefix_n : 0;
}

/* The rule that decides, or NULL. False: finding it would take more than ROBOTS_WORK_MAX. */
static bool rule_find(const struct robots *r, struct str path, const struct rule **ret)
{
    const struct rule *best = *ret = NULL;
    size_t work = 0;
    uint32_t i = rule_before(r, path);
    if (i == RULE_NONE)
        return true;
    size_t common = common_bytes(rule_prefix(r, &r->rules[i]), path);
    uint64_t pairs = 0; /* made when a rule needs it */
    for (; i != RULE_NONE; i = r->rules[i].up) {
        const struct rule *rule = &r->rules[i];
        if (rule->prefix_n > common || !decides_over(rule, best))
            continue;
        if (rule->pairs && !pairs)
            pairs = pairs_of(path);
        if (!rule_may_match(rule, pairs))
            continue;
        work += rule_work(r, rule, path);
        if (work > ROBOTS_WORK_MAX)
            return false;
        if (rule_matches(r, rule, path))
            best = rule;
    }
    *ret = best;
    return true;
}

static struct robots_verdict verdict_on(const struct robots *r, struct str path)
{
    if (str_eq(path, STR("/robots.txt")))
        return (struct robots_verdict){.allowed = true};
    if (r->facts.kind == ROBOTS_KIND_DISALLOW_ALL)
        return (struct robots_verdict){.allowed = false};
    const struct rule *rule;
    if (!rule_find(r, path, &rule))
        return (struct robots_verdict){.allowed = false};
    if (!rule)
        return (struct robots_verdict){.allowed = true};
    return (struct robots_verdict){rule->allow, rule->line, rule_text(r, rule)};
}

struct robots_verdict robots_check(const struct robots *r, struct str path_and_query)
{
    if (path_and_query.n && *path_and_query.p == '/' && octets_plain(path_and_query))
        return verdict_on(r, path_and_query);
    char room[3 * ROBOTS_PATH_MAX + 1];
    struct buf path = buf_on(room, sizeof room);
    if (path_and_query.n == 0 || *path_and_query.p != '/')
        buf_byte(&path, '/');
    octets_path(str_first(path_and_query, ROBOTS_PATH_MAX), &path);
    return verdict_on(r, buf_str(&path));
}

bool robots_has_rules(const struct robots *r)
{
    return r->facts.rule_count > 0;
}

bool robots_is_named(const struct robots *r)
{
    return r->facts.is_named;
}

bool robots_delay_ms(const struct robots *r, uint32_t *ret_ms)
{
    if (r->facts.has_delay)
        *ret_ms = r->facts.delay_ms;
    return r->facts.has_delay;
}

bool robots_sitemap(const struct robots *r, size_t i, struct str *ret_url)
{
    if (i >= r->facts.sitemap_count)
        return false;
    struct span span = robots_spans(r)[i];
    *ret_url = str_make(robots_text(r) + span.at, span.n);
    return true;
}
