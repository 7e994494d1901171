/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a file is XML or a list is known at the first '<' or at the first line that is a URL,
 * whichever comes first; what stands before is junk. */
#include "sitemap/sitemap.h"

#include "base/mem.h"
#include "sitemap/decode.h"
#include "sitemap/record.h"
#include "sitemap/xml.h"

#include <assert.h>

struct sitemap_reader {
    struct sitemap_summary summary;
    uint64_t max_bytes;
    bool is_xml;
    bool is_finished;
    bool line_is_over;
    size_t line_n;
    char line[SITEMAP_LOC_MAX_BYTES];
    struct decode decode;
    struct xml xml;
    struct record record;
};

/* Lines */

static void line_keep(struct sitemap_reader *r, const char *p, size_t n)
{
    if (n > sizeof r->line - r->line_n)
        r->line_is_over = true;
    if (r->line_is_over)
        return;
    memcpy(r->line + r->line_n, p, n);
    r->line_n += n;
}

static void line_end(struct sitemap_reader *r)
{
    struct str line = str_make(r->line, r->line_n);
    bool is_over = r->line_is_over;
    r->line_n = 0;
    r->line_is_over = false;
    if (r->summary.format == SITEMAP_NONE) {
        if (is_over || !record_is_url(str_trim(line)))
            return;
        r->summary.format = r->record.format = SITEMAP_LIST;
    }
    record_line(&r->record, is_over ? STR("") : line, is_over);
}

static const char *line_stop(const char *p, const char *end, bool stops_at_less)
{
    while (p < end && *p != '\n' && *p != '\r' && (*p != '<' || !stops_at_less))
        p++;
    return p;
}

static void lines_add(struct sitemap_reader *r, struct str piece)
{
    const char *p = piece.p, *end = p + piece.n;
    while (p < end) {
        const char *stop = line_stop(p, end, r->summary.format == SITEMAP_NONE);
        if (stop < end && *stop == '<') {
            r->is_xml = true;
            xml_add(&r->xml, str_make(stop, (size_t)(end - stop)));
            return;
        }
        line_keep(r, p, (size_t)(stop - p));
        if (stop == end)
            return;
        line_end(r);
        p = stop + 1;
    }
}

static void text_add(void *ctx, struct str utf8)
{
    struct sitemap_reader *r = ctx;
    if (r->record.rc || r->record.format == SITEMAP_HTML)
        return;
    if (r->is_xml)
        xml_add(&r->xml, utf8);
    else
        lines_add(r, utf8);
    r->summary.format = r->record.format;
}

/* The reader */

enum rc sitemap_open(const struct sitemap_options *options, struct sitemap_reader **ret)
{
    assert(options->emit);
    struct sitemap_reader *r = mem_alloc(sizeof *r);
    if (!r)
        return RC_NOMEM;
    /* The rooms, most of its size, are left as they are. */
    r->summary = (struct sitemap_summary){0};
    r->max_bytes = options->max_bytes ? options->max_bytes : SITEMAP_MAX_BYTES;
    r->is_xml = r->is_finished = r->line_is_over = false;
    r->line_n = 0;
    memset(&r->record, 0, offsetof(struct record, loc_room));
    r->record.summary = &r->summary;
    r->record.xml = &r->xml;
    r->record.max_entries = options->max_entries ? options->max_entries : SITEMAP_MAX_ENTRIES;
    r->record.max_extras = options->max_extras ? options->max_extras : SITEMAP_MAX_EXTRAS;
    r->record.emit = options->emit;
    r->record.ctx = options->ctx;
    struct xml_sink sink = {record_tag, record_text, record_text_end, record_html, &r->record};
    xml_init(&r->xml, &sink, &r->summary);
    decode_init(&r->decode, options->charset, text_add, r);
    *ret = r;
    return RC_OK;
}

void sitemap_close(struct sitemap_reader *r)
{
    mem_free(r);
}

enum rc sitemap_add(struct sitemap_reader *r, struct str piece)
{
    assert(!r->is_finished);
    uint64_t left = r->max_bytes - r->summary.bytes;
    struct str read = piece.n > left ? str_first(piece, (size_t)left) : piece;
    r->summary.bytes += read.n;
    r->summary.bytes_cut += piece.n - read.n;
    decode_add(&r->decode, read);
    r->summary.charset_unread = r->decode.is_unread;
    if (r->record.rc)
        return r->record.rc;
    bool is_full = r->summary.entries >= r->record.max_entries;
    return is_full || r->summary.bytes == r->max_bytes ? RC_LIMIT : RC_OK;
}

enum rc sitemap_finish(struct sitemap_reader *r, bool is_whole)
{
    assert(!r->is_finished);
    r->is_finished = true;
    decode_finish(&r->decode);
    r->summary.charset_unread = r->decode.is_unread;
    if (r->record.rc)
        return r->record.rc;
    if (r->is_xml)
        record_finish(&r->record, xml_finish(&r->xml));
    else if (is_whole && r->summary.bytes_cut == 0)
        line_end(r);
    return r->record.rc;
}

const struct sitemap_summary *sitemap_summary(const struct sitemap_reader *r)
{
    return &r->summary;
}

struct str sitemap_charset(const struct sitemap_reader *r)
{
    return r->decode.label_n ? str_make(r->decode.label, r->decode.label_n) : STR_NONE;
}
