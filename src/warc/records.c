/* SPDX-License-Identifier: Apache-2.0 */
#include "warc/records.h"

#include "warc/header.h"

#define PROFILES "http://netpreserve.org/warc/1.1/revisit/"
#define FORMAT_URI "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"
#define WARC_FIELDS STR("application/warc-fields")

void warc_id_print(struct buf *out, const struct warc_id *id)
{
    static const char digits[] = "0123456789abcdef";
    uint8_t b[16];
    memcpy(b, id->bytes, sizeof b);
    b[6] = (uint8_t)((b[6] & 0x0f) | 0x40);
    b[8] = (uint8_t)((b[8] & 0x3f) | 0x80);
    char text[] = "urn:uuid:00000000-0000-0000-0000-000000000000",
         *to = text + sizeof "urn:uuid:" - 1;
    for (size_t i = 0; i < sizeof b; i++) {
        *to++ = digits[b[i] >> 4];
        *to++ = digits[b[i] & 15];
        to += *to == '-';
    }
    buf_add(out, str_make(text, sizeof text - 1));
}

static const char *cut_name(enum warc_cut cut)
{
    switch (cut) {
    case WARC_CUT_LENGTH:
        return "length";
    case WARC_CUT_TIME:
        return "time";
    case WARC_CUT_DISCONNECT:
        return "disconnect";
    case WARC_CUT_NONE:
        break;
    }
    return NULL;
}

static struct header header_start(struct warc_writer *w, struct str type,
                                  const struct warc_head *head)
{
    struct header h = {.out = warc_writer_header(w)};
    buf_add(h.out, STR("WARC/1.1\r\n"));
    header_text(&h, STR("WARC-Type"), type);
    header_id(&h, STR("WARC-Record-ID"), &head->id);
    header_date(&h, STR("WARC-Date"), head->date_ms);
    header_id(&h, STR("WARC-Warcinfo-ID"), head->warcinfo);
    header_digest(&h, STR("WARC-Block-Digest"), head->block_digest);
    header_text(&h, STR("WARC-Truncated"), str_c(cut_name(head->cut)));
    if (head->first_segment)
        header_number(&h, STR("WARC-Segment-Number"), 1);
    return h;
}

static void header_capture(struct header *h, const struct warc_capture *c)
{
    header_require(h, c->target_uri.p != NULL);
    header_uri(h, STR("WARC-Target-URI"), c->target_uri);
    header_address(h, STR("WARC-IP-Address"), c->ip_address);
    for (size_t i = 0; i < c->protocol_count; i++)
        header_text(h, STR("WARC-Protocol"), c->protocols[i]);
    header_digest(h, STR("WARC-Payload-Digest"), c->payload_digest);
    header_media(h, STR("WARC-Identified-Payload-Type"), c->identified_type);
    header_id(h, STR("WARC-Concurrent-To"), c->concurrent_to);
}

/* Ends the header and gives it to the writer. If a value was refused, the writer gets the failure
 * instead. */
static void header_begin(struct header *h, struct warc_writer *w, struct str content_type,
                         uint64_t block_bytes, struct buf *out)
{
    header_media(h, STR("Content-Type"), content_type);
    header_number(h, STR("Content-Length"), block_bytes);
    buf_add(h->out, STR("\r\n"));
    if (h->rc == RC_OK)
        h->rc = buf_rc(h->out);
    if (h->rc)
        warc_writer_refuse(w, h->rc, out);
    else
        warc_writer_begin(w, buf_str(h->out), block_bytes, out);
}

void warc_write_response(struct warc_writer *w, const struct warc_response *r, uint64_t block_bytes,
                         struct buf *out)
{
    struct header h = header_start(w, STR("response"), &r->head);
    header_capture(&h, &r->capture);
    header_begin(&h, w, STR("application/http;msgtype=response"), block_bytes, out);
}

void warc_write_request(struct warc_writer *w, const struct warc_request *r, uint64_t block_bytes,
                        struct buf *out)
{
    struct header h = header_start(w, STR("request"), &r->head);
    header_capture(&h, &r->capture);
    header_begin(&h, w, STR("application/http;msgtype=request"), block_bytes, out);
}

void warc_write_revisit(struct warc_writer *w, const struct warc_revisit *r, uint64_t block_bytes,
                        struct buf *out)
{
    bool same = r->profile == WARC_SAME_DIGEST;
    struct header h = header_start(w, STR("revisit"), &r->head);
    header_require(&h, !same || r->capture.payload_digest);
    header_capture(&h, &r->capture);
    header_uri(&h, STR("WARC-Profile"),
               same ? STR(PROFILES "identical-payload-digest")
                    : STR(PROFILES "server-not-modified"));
    header_id(&h, STR("WARC-Refers-To"), r->refers_to);
    header_uri(&h, STR("WARC-Refers-To-Target-URI"), r->refers_to_uri);
    if (r->refers_to_uri.p)
        header_date(&h, STR("WARC-Refers-To-Date"), r->refers_to_date_ms);
    header_begin(&h, w, STR("application/http;msgtype=response"), block_bytes, out);
}

void warc_write_resource(struct warc_writer *w, const struct warc_resource *r, uint64_t block_bytes,
                         struct buf *out)
{
    struct header h = header_start(w, STR("resource"), &r->head);
    header_require(&h, r->content_type.p != NULL);
    header_capture(&h, &r->capture);
    header_begin(&h, w, r->content_type, block_bytes, out);
}

void warc_write_conversion(struct warc_writer *w, const struct warc_conversion *r,
                           uint64_t block_bytes, struct buf *out)
{
    struct header h = header_start(w, STR("conversion"), &r->head);
    header_require(&h, r->content_type.p && !r->capture.ip_address.p && !r->capture.concurrent_to);
    header_capture(&h, &r->capture);
    header_id(&h, STR("WARC-Refers-To"), r->refers_to);
    header_begin(&h, w, r->content_type, block_bytes, out);
}

void warc_write_continuation(struct warc_writer *w, const struct warc_continuation *r,
                             uint64_t block_bytes, struct buf *out)
{
    struct header h = header_start(w, STR("continuation"), &r->head);
    header_require(&h, r->segment >= 2 && r->target_uri.p && !r->head.first_segment);
    header_uri(&h, STR("WARC-Target-URI"), r->target_uri);
    header_id(&h, STR("WARC-Segment-Origin-ID"), &r->origin);
    header_number(&h, STR("WARC-Segment-Number"), r->segment);
    if (r->total_bytes)
        header_number(&h, STR("WARC-Segment-Total-Length"), r->total_bytes);
    header_begin(&h, w, STR_NONE, block_bytes, out);
}

void warc_write_metadata(struct warc_writer *w, const struct warc_metadata *r, uint64_t block_bytes,
                         struct buf *out)
{
    struct header h = header_start(w, STR("metadata"), &r->head);
    header_uri(&h, STR("WARC-Target-URI"), r->target_uri);
    header_id(&h, STR("WARC-Concurrent-To"), r->concurrent_to);
    header_id(&h, STR("WARC-Refers-To"), r->refers_to);
    header_begin(&h, w, r->content_type.p ? r->content_type : WARC_FIELDS, block_bytes, out);
}

static void put_outlink(struct header *h, const struct warc_outlink *link)
{
    header_require(h, header_is_uri(link->uri) && ascii_is_alpha(link->hop) &&
                          header_is_text(link->context));
    if (h->rc)
        return;
    buf_add(h->out, STR("outlink: "));
    buf_add(h->out, link->uri);
    buf_byte(h->out, ' ');
    buf_byte(h->out, link->hop);
    if (link->context.p)
        buf_byte(h->out, ' ');
    buf_add(h->out, link->context);
    buf_add(h->out, STR("\r\n"));
}

static enum rc put_facts(struct buf *out, const struct warc_fetch_facts *facts)
{
    struct header h = {.out = out};
    header_uri(&h, STR("via"), facts->via);
    header_text(&h, STR("hopsFromSeed"), facts->hops_from_seed);
    header_number(&h, STR("fetchTimeMs"), facts->fetch_time_ms);
    for (size_t i = 0; i < facts->outlink_count; i++)
        put_outlink(&h, &facts->outlinks[i]);
    return h.rc ? h.rc : buf_rc(out);
}

enum rc warc_put_fetch_metadata(struct warc_writer *w, const struct warc_metadata *r,
                                const struct warc_fetch_facts *facts, struct buf *out)
{
    struct buf *fields = warc_writer_fields(w);
    enum rc rc = put_facts(fields, facts);
    if (rc)
        return rc;
    warc_write_metadata(w, r, fields->n, out);
    warc_writer_add(w, buf_str(fields));
    return warc_writer_end(w);
}

static enum rc put_info(struct buf *out, const struct warc_warcinfo *r)
{
    struct header h = {.out = out};
    header_require(&h, r->software.n > 0);
    header_text(&h, STR("software"), r->software);
    header_text(&h, STR("format"), STR("WARC File Format 1.1"));
    header_text(&h, STR("conformsTo"), STR(FORMAT_URI));
    header_text(&h, STR("hostname"), r->hostname);
    header_address(&h, STR("ip"), r->ip);
    header_text(&h, STR("http-header-user-agent"), r->user_agent);
    header_text(&h, STR("robots"), r->robots);
    header_text(&h, STR("operator"), r->contact);
    header_text(&h, STR("isPartOf"), r->is_part_of);
    header_text(&h, STR("description"), r->description);
    return h.rc ? h.rc : buf_rc(out);
}

enum rc warc_put_warcinfo(struct warc_writer *w, const struct warc_warcinfo *r, struct buf *out)
{
    struct buf *fields = warc_writer_fields(w);
    enum rc rc = put_info(fields, r);
    if (rc)
        return rc;
    struct warc_head head = r->head;
    head.warcinfo = NULL;
    struct header h = header_start(w, STR("warcinfo"), &head);
    header_text(&h, STR("WARC-Filename"), r->filename);
    header_begin(&h, w, WARC_FIELDS, fields->n, out);
    warc_writer_add(w, buf_str(fields));
    return warc_writer_end(w);
}
