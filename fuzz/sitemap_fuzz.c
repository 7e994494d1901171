/* SPDX-License-Identifier: Apache-2.0 */
/* Input: a byte that says how the rest is cut, and a sitemap. Properties: what comes out does not
 * depend on the cuts; no limit is passed; all that comes out together is not longer than what went
 * in (three times that where bytes beyond ASCII had to be converted), so nothing was expanded; it
 * is UTF-8; the counts are those of what was emitted. */
#include "sitemap/sitemap.h"

#include "base/utf8.h"
#include "fuzz.h"

enum { MAX_ENTRIES = 20, MAX_EXTRAS = 10, MAX_INPUT = 64 << 10 };

struct seen {
    struct buf all;
    size_t bytes;
    uint32_t entries, extras;
};

static void keep(struct seen *s, struct str text)
{
    MUST(utf8_valid(text) == text.n);
    s->bytes += text.n;
    buf_le32(&s->all, (uint32_t)text.n);
    buf_add(&s->all, text);
}

static enum rc see(void *ctx, const struct sitemap_entry *e)
{
    struct seen *s = ctx;
    bool is_extra = e->kind > SITEMAP_CHILD;
    s->entries += !is_extra;
    s->extras += is_extra;
    MUST(e->loc.n > 0 && e->loc.n <= SITEMAP_LOC_MAX_BYTES);
    MUST(e->lastmod.n <= SITEMAP_DATE_MAX_BYTES && e->lang.n <= SITEMAP_DATE_MAX_BYTES);
    MUST(e->priority_permille >= SITEMAP_NO_PRIORITY && e->priority_permille <= 1000);
    MUST(!is_extra || (!e->lastmod.p && !e->changefreq));
    MUST(e->number > 0);
    keep(s, e->loc);
    keep(s, e->lastmod);
    keep(s, e->lang);
    buf_le32(&s->all, e->number);
    buf_le32(&s->all, (uint32_t)e->priority_permille);
    buf_le32(&s->all, (uint32_t)e->changefreq << 8 | (uint32_t)e->kind);
    buf_le64(&s->all, e->has_lastmod_ms ? (uint64_t)e->lastmod_ms : 0);
    return RC_OK;
}

static struct sitemap_summary read_in_pieces(struct str file, uint8_t cut, struct seen *s)
{
    struct sitemap_options o = {
        .max_entries = MAX_ENTRIES, .max_extras = MAX_EXTRAS, .emit = see, .ctx = s};
    struct sitemap_reader *r;
    *s = (struct seen){0};
    buf_init(&s->all, 1 << 24);
    MUST(sitemap_open(&o, &r) == RC_OK);
    for (uint32_t i = 1; file.n; i++) {
        size_t n = cut == 0 ? file.n : 1 + (cut * i * 2654435761u >> 16) % cut;
        enum rc rc = sitemap_add(r, str_first(file, n));
        MUST(rc == RC_OK || rc == RC_LIMIT);
        file = str_from(file, n);
    }
    MUST(sitemap_finish(r, (cut & 1) == 0) == RC_OK);
    struct sitemap_summary summary = *sitemap_summary(r);
    sitemap_close(r);
    MUST(buf_rc(&s->all) == RC_OK);
    MUST(summary.entries == s->entries && summary.extras == s->extras);
    MUST(s->entries <= MAX_ENTRIES && s->extras <= MAX_EXTRAS);
    return summary;
}

static bool same(const struct sitemap_summary *a, const struct sitemap_summary *b)
{
    return a->format == b->format && a->bytes == b->bytes && a->bytes_cut == b->bytes_cut &&
           a->entries == b->entries && a->extras == b->extras && a->entries_cut == b->entries_cut &&
           a->extras_cut == b->extras_cut && a->without_loc == b->without_loc &&
           a->too_long == b->too_long && a->refs_dropped == b->refs_dropped &&
           a->doctype == b->doctype && a->doctype_cut == b->doctype_cut &&
           a->charset_unread == b->charset_unread;
}

static bool is_plain(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if ((uint8_t)s.p[i] >= 0x80 || s.p[i] == 0)
            return false;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0 || size > MAX_INPUT)
        return 0;
    struct str file = str_make((const char *)data + 1, size - 1);
    uint8_t cut = data[0] & 0xfe; /* whole, so that the end is the same */
    struct seen whole, pieces;
    struct sitemap_summary a = read_in_pieces(file, 0, &whole);
    struct sitemap_summary b = read_in_pieces(file, cut ? cut : 2, &pieces);
    MUST(str_eq(buf_str(&whole.all), buf_str(&pieces.all)));
    MUST(same(&a, &b));
    MUST(whole.bytes <= (is_plain(file) ? 1 : 3) * file.n);
    MUST(a.bytes == file.n && a.bytes_cut == 0);
    buf_done(&whole.all);
    buf_done(&pieces.all);
    struct sitemap_summary c = read_in_pieces(file, data[0] | 1, &pieces);
    MUST(c.entries <= a.entries);
    buf_done(&pieces.all);
    return 0;
}
