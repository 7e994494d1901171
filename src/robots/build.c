/* SPDX-License-Identifier: Apache-2.0 */
#include "robots/block.h"

#include "base/mem.h"

#include <stdlib.h>

/* More than any body of ROBOTS_BODY_MAX can need. */
enum { PART_MAX_BYTES = 4 << 20 };

void builder_init(struct builder *b)
{
    *b = (struct builder){0};
    buf_init(&b->rules, PART_MAX_BYTES);
    buf_init(&b->spans, PART_MAX_BYTES);
    buf_init(&b->text, PART_MAX_BYTES);
}

void builder_done(struct builder *b)
{
    buf_done(&b->rules);
    buf_done(&b->spans);
    buf_done(&b->text);
}

uint64_t pairs_of(struct str text)
{
    uint64_t bits = 0;
    for (size_t i = 0; i + 1 < text.n; i++) {
        char a = text.p[i], b = text.p[i + 1];
        if (a == '*' || b == '*' || b == '$')
            continue; /* neighbours in a pattern need not be neighbours in a path */
        bits |= UINT64_C(1) << (((uint8_t)a * 37u + (uint8_t)b * 11u) & 63);
    }
    return bits;
}

static size_t prefix_bytes(struct str text)
{
    size_t star = str_find(text, '*');
    return star == text.n && text.p[text.n - 1] == '$' ? text.n - 1 : star;
}

void builder_rule(struct builder *b, bool allow, uint32_t line, struct str text)
{
    size_t prefix = prefix_bytes(text);
    struct rule rule = {
        .pairs = pairs_of(str_from(text, prefix)),
        .at = (uint32_t)b->text.n,
        .up = RULE_NONE,
        .text_n = (uint16_t)text.n,
        .prefix_n = (uint16_t)prefix,
        .line = line & 0x7fffffffu,
        .allow = allow,
    };
    buf_add(&b->rules, str_make((const char *)&rule, sizeof rule));
    buf_add(&b->text, text);
    b->facts.rule_count++;
}

void builder_sitemap(struct builder *b, struct str url)
{
    struct span span = {(uint32_t)b->text.n, (uint32_t)url.n};
    buf_add(&b->spans, str_make((const char *)&span, sizeof span));
    buf_add(&b->text, url);
    b->facts.sitemap_count++;
}

/* By prefix; among equal prefixes the one that would decide comes last, as the chain runs
 * backwards. */
static int rule_order(const void *a, const void *b, void *ctx)
{
    const struct robots *r = ctx;
    const struct rule *x = a, *y = b;
    int order = str_cmp(rule_prefix(r, x), rule_prefix(r, y));
    if (order == 0)
        order = (int)x->text_n - (int)y->text_n;
    if (order == 0)
        order = (int)x->allow - (int)y->allow;
    if (order == 0)
        order = x->line == y->line ? 0 : x->line < y->line ? 1 : -1;
    return order ? order : str_cmp(rule_text(r, x), rule_text(r, y));
}

static void rules_chain(struct robots *r)
{
    for (uint32_t i = 1; i < r->facts.rule_count; i++) {
        uint32_t up = i - 1;
        while (up != RULE_NONE &&
               !str_starts(rule_prefix(r, &r->rules[i]), rule_prefix(r, &r->rules[up])))
            up = r->rules[up].up;
        r->rules[i].up = up;
    }
}

static char *part_put(char *to, struct str part)
{
    if (part.n)
        memcpy(to, part.p, part.n);
    return to + part.n;
}

enum rc builder_finish(struct builder *b, struct robots **ret)
{
    const struct buf *parts[] = {&b->rules, &b->spans, &b->text};
    size_t bytes = sizeof(struct robots);
    for (size_t i = 0; i < 3; i++) {
        if (buf_rc(parts[i]) != RC_OK)
            return buf_rc(parts[i]);
        bytes += parts[i]->n;
    }
    struct robots *r = mem_alloc(bytes);
    if (!r)
        return RC_NOMEM;
    r->facts = b->facts;
    r->facts.text_bytes = (uint32_t)b->text.n;
    char *to = (char *)r->rules;
    for (size_t i = 0; i < 3; i++)
        to = part_put(to, buf_str(parts[i]));
    qsort_r(r->rules, r->facts.rule_count, sizeof r->rules[0], rule_order, r);
    rules_chain(r);
    *ret = r;
    return RC_OK;
}

static const struct robots allow_all = {.facts = {.kind = ROBOTS_KIND_RULES}};
static const struct robots disallow_all = {.facts = {.kind = ROBOTS_KIND_DISALLOW_ALL}};

const struct robots *robots_allow_all(void)
{
    return &allow_all;
}

const struct robots *robots_disallow_all(void)
{
    return &disallow_all;
}

void robots_free(const struct robots *r)
{
    if (r != &allow_all && r != &disallow_all)
        mem_free((void *)(uintptr_t)r);
}

size_t robots_bytes(const struct robots *r)
{
    return sizeof *r + r->facts.rule_count * sizeof r->rules[0] +
           r->facts.sitemap_count * sizeof(struct span) + r->facts.text_bytes;
}
