/* SPDX-License-Identifier: Apache-2.0 */
/* read: finds what an answer says: its text, and all references, as written.
 *
 * A redirect is a reference. The bytes of HTML, style sheets, sitemaps and feeds count more than
 * their type. read judges nothing: judge-links decides whether a reference is a URL and belongs to
 * the crawl. */
#include "reading/body.h"
#include "reading/headers.h"
#include "reading/html_page.h"
#include "reading/listing.h"
#include "reading/style_sheet.h"
#include "visit/visit.h"

#define ROW(kind, field, ...) OPTION_##kind##_ROW(struct reading_settings, field, __VA_ARGS__)
static const struct option read_options[] = {
    ROW(TEXT, user_agent, "user-agent", "orbweaver", "meta elements that name it count"),
    ROW(SIZE, text_bytes, "text-size", "100M", "most bytes of an unpacked body", .min = 1 << 10,
        .max = UINT64_C(1) << 30),
    ROW(COUNT, links, "links", "50k", "references taken from a page", .min = 1,
        .max = VISIT_MAX_REFERENCES),
    ROW(COUNT, sitemap_urls, "sitemap-urls", "50k", "references taken from a sitemap or feed",
        .min = 1, .max = VISIT_MAX_REFERENCES),
    ROW(BOOL, follow_nofollow, "follow-nofollow", "no", "follow links that say nofollow"),
    ROW(LIST, keywords, "keywords", NULL, "with keywords, texts are read for focus, too",
        .arg = "WORD,..."),
    {0},
};
#undef ROW

static enum rc read_open(struct instance *self, struct buf *why)
{
    (void)why;
    const struct reading_settings *s = self->settings;
    struct reading_tools *tools = NULL;
    enum rc rc = reading_tools_open(s->text_bytes, &tools);
    self->state = tools;
    return rc;
}

static void read_close(struct instance *self)
{
    reading_tools_close(self->state);
}

static enum rc read_body(struct reading_tools *t, const struct reading_settings *s, struct visit *v)
{
    enum rc rc = body_read(t, s, v);
    if (rc)
        return rc;
    if (visit_is_sitemap(v))
        return listing_read(t, s, v);
    if (v->parsed.media == MEDIA_HTML || v->parsed.media == MEDIA_XHTML)
        return html_page_read(t, s, v);
    if (v->parsed.media == MEDIA_CSS)
        style_sheet_refer(v->parsed.text, &t->scratch, v->arena, &v->parsed);
    return RC_OK;
}

static enum rc read_answer(struct reading_tools *t, const struct reading_settings *s,
                           struct visit *v)
{
    if (headers_read_redirect(v))
        return RC_OK;
    headers_read_robots(s, &t->scratch, v);
    headers_read_refresh(s, v);
    return read_body(t, s, v);
}

static bool is_read(const struct visit *v)
{
    return v->answer.http && v->answer.http->outcome != HTTP_UNWANTED &&
           !v->answer.has_other_type && headers_allow_reading(v->answer.end.status);
}

static void read_handle(struct instance *self, unsigned inlet, struct message *m)
{
    (void)inlet;
    struct reading_tools *t = self->state;
    struct visit *v = visit_of(m);
    if (is_read(v) && read_answer(t, self->settings, v) == RC_NOMEM)
        v->parsed.note = "no memory to read it";
    part_emit(self, 0, m);
    reading_tools_shrink(t); /* behind the steps that use the texts */
}

const struct part part_read = {
    .abi = PART_ABI,
    .kind = PART_COMPONENT,
    .name = "read",
    .help = "finds what an answer says and refers to",
    .inlets = (const struct part_port[]){{"in", VISIT_TYPE, "answers", false}, {0}},
    .outlets = (const struct part_port[]){{"out", VISIT_TYPE, "with references", false}, {0}},
    .options = read_options,
    .settings_bytes = sizeof(struct reading_settings),
    .open = read_open,
    .close = read_close,
    .handle = read_handle,
};
