/* SPDX-License-Identifier: Apache-2.0 */
#include "kit.h"

#include <inttypes.h>

static enum rc dump_entry(void *ctx, const struct sitemap_entry *e)
{
    struct buf *b = ctx;
    buf_printf(b, "%s %u " STR_FMT, sitemap_kind_name(e->kind), e->number, STR_ARG(e->loc));
    if (e->lastmod.p)
        buf_printf(b, " lastmod=" STR_FMT, STR_ARG(e->lastmod));
    if (e->has_lastmod_ms)
        buf_printf(b, " ms=%" PRId64, e->lastmod_ms);
    if (e->changefreq)
        buf_printf(b, " freq=%s", sitemap_changefreq_name(e->changefreq));
    if (e->priority_permille != SITEMAP_NO_PRIORITY)
        buf_printf(b, " priority=%d", e->priority_permille);
    if (e->lang.p)
        buf_printf(b, " lang=" STR_FMT, STR_ARG(e->lang));
    buf_byte(b, '\n');
    return RC_OK;
}

struct sitemap_summary kit_read(struct str file, struct sitemap_options options, size_t piece_bytes,
                                bool is_whole, struct buf *dump)
{
    struct sitemap_reader *r;
    options.emit = dump_entry;
    options.ctx = dump;
    assert_rc(sitemap_open(&options, &r), RC_OK);
    while (file.n) {
        struct str piece = piece_bytes ? str_first(file, piece_bytes) : file;
        enum rc rc = sitemap_add(r, piece);
        assert_true(rc == RC_OK || rc == RC_LIMIT);
        file = str_from(file, piece.n);
    }
    assert_rc(sitemap_finish(r, is_whole), RC_OK);
    struct sitemap_summary summary = *sitemap_summary(r);
    sitemap_close(r);
    assert_rc(buf_rc(dump), RC_OK);
    return summary;
}

bool kit_same(const struct sitemap_summary *a, const struct sitemap_summary *b)
{
    return a->format == b->format && a->bytes == b->bytes && a->bytes_cut == b->bytes_cut &&
           a->entries == b->entries && a->extras == b->extras && a->entries_cut == b->entries_cut &&
           a->extras_cut == b->extras_cut && a->without_loc == b->without_loc &&
           a->too_long == b->too_long && a->refs_dropped == b->refs_dropped &&
           a->doctype == b->doctype && a->doctype_cut == b->doctype_cut &&
           a->charset_unread == b->charset_unread;
}

struct sitemap_summary kit_expect(struct str file, struct sitemap_options options,
                                  struct str expected)
{
    static const size_t pieces[] = {0, 1, 7};
    struct sitemap_summary summary = {0};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        struct buf dump;
        buf_init(&dump, 64 << 20);
        struct sitemap_summary now = kit_read(file, options, pieces[i], true, &dump);
        assert_str(buf_str(&dump), expected);
        if (i > 0)
            assert_true(kit_same(&now, &summary));
        summary = now;
        buf_done(&dump);
    }
    return summary;
}

void kit_rows(const struct kit_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        print_message("# %s\n", rows[i].name);
        (void)kit_expect(rows[i].file, (struct sitemap_options){0}, rows[i].expected);
    }
}
