/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/capture.h"

#include "base/mem.h"
#include "url/surt.h"
#include "warc/cdxj.h"
#include "warc/http_block.h"
#include "warc/payload.h"

struct capture_writer {
    struct warc_payload *payload;
    struct buf uri; /* of the record a revisit refers to */
};

struct capture_writer *capture_writer_open(void)
{
    struct capture_writer *c = mem_zero(1, sizeof *c);
    if (!c)
        return NULL;
    buf_init(&c->uri, DIGEST_TABLE_MAX_URI);
    c->payload = warc_payload_open();
    if (!c->payload) {
        capture_writer_close(c);
        return NULL;
    }
    return c;
}

void capture_writer_close(struct capture_writer *c)
{
    if (!c)
        return;
    warc_payload_close(c->payload);
    buf_done(&c->uri);
    mem_free(c);
}

/* What the first record is to be. */
struct plan {
    const struct capture *capture;
    struct digest digest;
    bool has_digest;
    uint64_t entity_bytes;
    bool is_revisit;
    enum warc_profile profile;
    struct digest_ref ref;
};

static enum rc plan_digest(struct capture_writer *c, struct plan *p)
{
    const struct capture *it = p->capture;
    p->has_digest = true;
    if (!it->packed)
        return payload_measure(c->payload, it->head, it->body, &p->digest, &p->entity_bytes);
    p->digest = it->packed->digest;
    p->entity_bytes = it->packed->entity_bytes;
    return RC_OK;
}

static enum rc plan_make(struct capture_writer *c, struct digest_table *table, struct plan *p)
{
    const struct capture *it = p->capture;
    if (it->not_modified && http_head_status(it->head) == 304) {
        p->is_revisit = true;
        p->profile = WARC_NOT_MODIFIED;
        p->ref = *it->not_modified;
        p->has_digest = it->not_modified_digest;
        if (p->has_digest)
            p->digest = *it->not_modified_digest;
        return RC_OK;
    }
    enum rc rc = plan_digest(c, p);
    if (rc == RC_OK && table && it->cut == WARC_CUT_NONE && p->entity_bytes)
        p->is_revisit = digest_table_get(table, &p->digest, &c->uri, &p->ref);
    if (p->is_revisit && !digest_ref_has_id(&p->ref) && it->name)
        it->name(it->name_ctx, &p->digest, &p->ref);
    p->profile = WARC_SAME_DIGEST;
    return rc;
}

static struct warc_capture common_fields(const struct plan *p, const struct str *h2)
{
    return (struct warc_capture){.target_uri = p->capture->target_uri,
                                 .ip_address = p->capture->ip_address,
                                 .protocols = h2,
                                 .protocol_count = p->capture->is_http2 ? 1 : 0};
}

static enum rc put_answer(const struct plan *p, const struct warc_spot *spot,
                          const struct warc_head *head)
{
    const struct capture *it = p->capture;
    static const struct str h2 = {"h2", 2};
    struct warc_capture fields = common_fields(p, &h2);
    fields.payload_digest = p->has_digest ? &p->digest : NULL;
    fields.identified_type = it->identified_type;
    if (p->is_revisit) {
        struct warc_revisit r = {.head = *head,
                                 .capture = fields,
                                 .profile = p->profile,
                                 .refers_to = digest_ref_has_id(&p->ref) ? &p->ref.id : NULL,
                                 .refers_to_uri = p->ref.uri,
                                 .refers_to_date_ms = p->ref.date_ms};
        warc_write_revisit(spot->writer, &r, it->head.n, spot->out);
        warc_writer_add(spot->writer, it->head);
        return warc_writer_end(spot->writer);
    }
    struct warc_response r = {.head = *head, .capture = fields};
    r.head.cut = it->cut;
    uint64_t body_bytes = it->packed ? it->packed->deflated.bytes : it->body.n;
    warc_write_response(spot->writer, &r, it->head.n + body_bytes, spot->out);
    warc_writer_add(spot->writer, it->head);
    if (it->packed)
        warc_writer_add_deflated(spot->writer, &it->packed->deflated);
    else
        warc_writer_add_body(spot->writer, it->body);
    return warc_writer_end(spot->writer);
}

static enum rc put_request(const struct plan *p, const struct warc_spot *spot,
                           const struct warc_head *head, const struct warc_id *answer)
{
    static const struct str h2 = {"h2", 2};
    struct warc_request r = {.head = *head, .capture = common_fields(p, &h2)};
    r.capture.concurrent_to = answer;
    warc_write_request(spot->writer, &r, p->capture->request.n, spot->out);
    warc_writer_add(spot->writer, p->capture->request);
    return warc_writer_end(spot->writer);
}

static enum rc put_metadata(const struct plan *p, const struct warc_spot *spot,
                            const struct warc_head *head, const struct warc_id *answer)
{
    struct warc_metadata m = {
        .head = *head, .target_uri = p->capture->target_uri, .concurrent_to = answer};
    return warc_put_fetch_metadata(spot->writer, &m, p->capture->facts, spot->out);
}

/* All its records; *ret_record_bytes is the first one's length. */
static enum rc put_records(const struct plan *p, struct warc_files *files,
                           const struct warc_spot *spot, struct warc_id id,
                           uint64_t *ret_record_bytes)
{
    struct warc_head head = {.id = id, .date_ms = p->capture->date_ms, .warcinfo = spot->info};
    enum rc rc = put_answer(p, spot, &head);
    *ret_record_bytes = warc_writer_record_bytes(spot->writer);
    if (rc == RC_OK && p->capture->request.p) {
        head.id = warc_files_new_id(files);
        rc = put_request(p, spot, &head, &id);
    }
    if (rc == RC_OK && p->capture->facts) {
        head.id = warc_files_new_id(files);
        rc = put_metadata(p, spot, &head, &id);
    }
    return rc;
}

static void fill_location(struct warc_location *location, const struct plan *p,
                          const struct warc_spot *spot, struct warc_id id, uint64_t record_bytes)
{
    *location = (struct warc_location){.offset = spot->offset,
                                       .bytes = spot->out->n - spot->out_before,
                                       .position = spot->position + spot->out->n - spot->out_before,
                                       .record_bytes = record_bytes,
                                       .id = id,
                                       .digest = p->digest,
                                       .entity_bytes = p->entity_bytes,
                                       .is_revisit = p->is_revisit};
    memcpy(location->file, spot->file, strlen(spot->file) + 1);
}

enum rc capture_write(struct capture_writer *c, struct warc_files *files,
                      struct digest_table *table, const struct capture *capture,
                      struct warc_location *ret)
{
    struct plan p = {.capture = capture};
    struct warc_spot spot;
    uint64_t record_bytes = 0;
    enum rc rc = plan_make(c, table, &p);
    rc = rc ? rc : warc_files_begin(files, capture->date_ms, &spot);
    if (rc)
        return rc;
    struct warc_id id = warc_files_new_id(files);
    struct warc_location location;
    rc = put_records(&p, files, &spot, id, &record_bytes);
    fill_location(&location, &p, &spot, id, record_bytes);
    enum rc ended = warc_files_end(files, &spot, rc == RC_OK);
    rc = rc ? rc : ended;
    if (rc == RC_OK)
        *ret = location;
    return rc;
}

void capture_remember(struct digest_table *table, const struct capture *capture,
                      const struct warc_location *location)
{
    struct digest_ref ref = {
        .id = location->id, .date_ms = capture->date_ms, .uri = capture->target_uri};
    if (!location->is_revisit && capture->cut == WARC_CUT_NONE && location->entity_bytes)
        digest_table_put(table, &location->digest, &ref);
}

/* A digest that was never set is all zeros, which no payload has. */
static bool has_digest(const struct warc_location *location)
{
    static const struct digest none;
    return memcmp(location->digest.bytes, none.bytes, DIGEST_SHA1_BYTES) != 0;
}

static enum rc print_line(struct buf *out, struct str key, const struct capture *capture,
                          const struct warc_location *location)
{
    char digest_room[40];
    struct buf digest = buf_on(digest_room, sizeof digest_room);
    buf_base32(&digest, location->digest.bytes, DIGEST_SHA1_BYTES);
    struct cdxj_entry e = {.key = key,
                           .date_ms = capture->date_ms,
                           .url = capture->target_uri,
                           .mime = http_head_mime(capture->head),
                           .status = http_head_status(capture->head),
                           .digest = has_digest(location) ? buf_str(&digest) : STR_NONE,
                           .length = location->record_bytes,
                           .offset = location->offset,
                           .filename = str_c(location->file)};
    if (location->is_revisit)
        e.mime = STR("warc/revisit");
    else if (!e.mime.n)
        e.mime = STR("unk"); /* as pywb writes it */
    return cdxj_print(out, &e);
}

enum rc capture_print_cdxj(struct buf *out, const struct capture *capture,
                           const struct warc_location *location)
{
    char room[URL_ROOM_BYTES], key_room[2 * URL_ROOM_BYTES];
    struct buf key = buf_on(key_room, sizeof key_room);
    struct url_parser parser = {0};
    struct url url;
    enum rc rc =
        url_parse(&parser, capture->target_uri, NULL, (struct url_room){room, sizeof room}, &url);
    if (rc)
        return rc;
    url_cdx_key(&url, &key);
    rc = buf_rc(&key);
    return rc ? rc : print_line(out, buf_str(&key), capture, location);
}
