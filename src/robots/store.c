/* SPDX-License-Identifier: Apache-2.0 */
/* The stored form, little endian:
 *     version 1, kind 1, flags 1 (1: delay, 2: named), zero 1, delay_ms 4, rules 4, sitemaps 4
 *     for each rule: line and allow 4 (line * 2 + allow), length 2, text
 *     for each sitemap: length 4, address */
#include "robots/block.h"

#include "base/bytes.h"

enum { STORE_VERSION = 1, STORE_HEAD_BYTES = 16, FLAG_DELAY = 1, FLAG_NAMED = 2 };

void robots_store(const struct robots *r, struct buf *out)
{
    buf_byte(out, STORE_VERSION);
    buf_byte(out, (char)r->facts.kind);
    buf_byte(out,
             (char)((r->facts.has_delay ? FLAG_DELAY : 0) | (r->facts.is_named ? FLAG_NAMED : 0)));
    buf_byte(out, 0);
    buf_le32(out, r->facts.delay_ms);
    buf_le32(out, r->facts.rule_count);
    buf_le32(out, r->facts.sitemap_count);
    for (uint32_t i = 0; i < r->facts.rule_count; i++) {
        const struct rule *rule = &r->rules[i];
        buf_le32(out, (uint32_t)rule->line << 1 | rule->allow);
        buf_le16(out, rule->text_n);
        buf_add(out, rule_text(r, rule));
    }
    struct str url;
    for (size_t i = 0; robots_sitemap(r, i, &url); i++) {
        buf_le32(out, (uint32_t)url.n);
        buf_add(out, url);
    }
}

/* Takes `bytes` from the front; false if they are not there. */
static bool bytes_take(struct str *s, size_t bytes, struct str *ret)
{
    if (s->n < bytes)
        return false;
    *ret = str_first(*s, bytes);
    *s = str_from(*s, bytes);
    return true;
}

static bool rule_load(struct str *s, struct builder *b)
{
    struct str head, text;
    if (!bytes_take(s, 6, &head))
        return false;
    uint32_t line = get_le32(head.p);
    if (!bytes_take(s, get_le16(head.p + 4), &text) || text.n == 0)
        return false;
    builder_rule(b, line & 1, line >> 1, text);
    return true;
}

static bool sitemap_load(struct str *s, struct builder *b)
{
    struct str head, url;
    if (!bytes_take(s, 4, &head) || !bytes_take(s, get_le32(head.p), &url))
        return false;
    builder_sitemap(b, url);
    return true;
}

static bool head_load(const char *p, struct facts *facts)
{
    facts->kind = (uint8_t)p[1];
    facts->has_delay = p[2] & FLAG_DELAY;
    facts->is_named = p[2] & FLAG_NAMED;
    facts->delay_ms = get_le32(p + 4);
    return facts->kind <= ROBOTS_KIND_DISALLOW_ALL && (p[2] & ~(FLAG_DELAY | FLAG_NAMED)) == 0 &&
           p[3] == 0 && facts->delay_ms <= ROBOTS_DELAY_MAX_MS;
}

static bool all_load(struct str s, struct builder *b)
{
    struct str head;
    if (!bytes_take(&s, STORE_HEAD_BYTES, &head) || !head_load(head.p, &b->facts))
        return false;
    for (uint32_t i = get_le32(head.p + 8); i > 0; i--) {
        if (!rule_load(&s, b))
            return false;
    }
    for (uint32_t i = get_le32(head.p + 12); i > 0; i--) {
        if (!sitemap_load(&s, b))
            return false;
    }
    return s.n == 0;
}

enum rc robots_load(struct str bytes, struct robots **ret)
{
    if (bytes.n && *bytes.p != STORE_VERSION)
        return RC_VERSION;
    struct builder b;
    builder_init(&b);
    enum rc rc = all_load(bytes, &b) ? builder_finish(&b, ret) : RC_CORRUPT;
    builder_done(&b);
    return rc == RC_LIMIT ? RC_CORRUPT : rc;
}
