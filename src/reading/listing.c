/* SPDX-License-Identifier: Apache-2.0 */
#include "reading/listing.h"

#include "html/charset.h"
#include "sitemap/sitemap.h"

struct taking {
    struct visit *v;
    uint64_t most;
    size_t bytes; /* of the addresses so far */
};

/* The letter of an entry; 0: it is not taken. */
static char hop_of(enum sitemap_kind kind)
{
    if (kind == SITEMAP_CHILD)
        return HOP_PREREQUISITE;
    return kind == SITEMAP_PAGE || kind == SITEMAP_ALTERNATE ? HOP_LISTED : 0;
}

static enum rc on_entry(void *ctx, const struct sitemap_entry *e)
{
    struct taking *t = ctx;
    struct visit *v = t->v;
    char hop = hop_of(e->kind);
    if (!hop)
        return RC_OK;
    t->bytes += e->loc.n;
    if (v->parsed.reference_count >= t->most || t->bytes > VISIT_MAX_LINK_BYTES) {
        v->parsed.is_cut = true;
        return RC_LIMIT;
    }
    struct str raw = arena_dup(v->arena, e->loc);
    return raw.p && visit_refer(v, raw, hop, STR("sitemap/loc")) ? RC_OK : RC_LIMIT;
}

static enum rc take_entries(struct str text, const struct sitemap_options *o, bool is_whole,
                            bool *is_cut)
{
    struct sitemap_reader *reader;
    enum rc rc = sitemap_open(o, &reader);
    if (rc)
        return rc;
    rc = sitemap_add(reader, text);
    if (rc == RC_OK)
        rc = sitemap_finish(reader, is_whole);
    *is_cut |= sitemap_summary(reader)->entries_cut || sitemap_summary(reader)->bytes_cut;
    sitemap_close(reader);
    return rc == RC_LIMIT ? RC_OK : rc;
}

enum rc listing_read(struct reading_tools *t, const struct reading_settings *s, struct visit *v)
{
    struct decode_report report;
    struct str text = v->parsed.text;
    enum rc rc =
        decoder_gunzip(t->decoder, v->parsed.text, SITEMAP_MAX_BYTES, &t->gunzip, &text, &report);
    if (rc)
        return rc;
    struct taking taking = {.v = v, .most = s->sitemap_urls};
    struct sitemap_options o = {
        .charset = charset_param(v->answer.heads.type), .emit = on_entry, .ctx = &taking};
    return take_entries(text, &o, v->answer.http->outcome == HTTP_WHOLE, &v->parsed.is_cut);
}
