/* SPDX-License-Identifier: Apache-2.0 */
#include "kit.h"

#include "base/mem.h"
#include "warc/gzip.h"

enum { MAX_BYTES = 1 << 28 };

static const int64_t date_ms = INT64_C(1714979289123);

static struct warc_head head(uint8_t number)
{
    static const struct warc_id info = {{1}};
    struct warc_head h = {.date_ms = date_ms + number, .warcinfo = number == 1 ? NULL : &info};
    h.id.bytes[0] = number;
    return h;
}

static const char request[] = "GET /a HTTP/1.1\r\nHost: example.com\r\n\r\n";
static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"
                             "Transfer-Encoding: chunked\r\n\r\n";
static const char body[] = "5\r\nhello\r\n7;x=y\r\n, world\r\n0\r\n\r\n";

static enum rc block_of(struct warc_writer *w, const char *a, const char *b)
{
    warc_writer_add(w, str_c(a));
    warc_writer_add(w, str_c(b));
    return warc_writer_end(w);
}

static struct warc_capture capture(const struct digest *payload, const struct warc_id *with)
{
    return (struct warc_capture){
        .target_uri = STR("http://example.com/a"),
        .ip_address = STR("192.0.2.7"),
        .payload_digest = payload,
        .concurrent_to = with,
    };
}

static void put_first(struct warc_writer *w, struct buf *out)
{
    struct warc_warcinfo info = {
        .head = head(1),
        .filename = STR("sample.warc.gz"),
        .software = STR("orbweaver/test"),
        .hostname = STR("crawler.example"),
        .ip = STR("2001:db8::1"),
        .user_agent = STR("orbweaver (+http://example.com/bot)"),
        .robots = STR("obey"),
        .contact = STR("someone@example.com"),
        .is_part_of = STR("a test"),
        .description = STR("na\xc3\xafve"),
    };
    assert_rc(warc_put_warcinfo(w, &info, out), RC_OK);
}

static void put_fetch(struct warc_writer *w, size_t step, const struct digest *payload,
                      struct buf *out)
{
    struct warc_id third = {{3}};
    if (step == 1) {
        struct warc_request r = {.head = head(2), .capture = capture(NULL, &third)};
        warc_write_request(w, &r, strlen(request), out);
        assert_rc(block_of(w, request, ""), RC_OK);
    } else if (step == 2) {
        static const struct str protocols[] = {{"http/1.1", 8}, {"tls/1.3", 7}};
        struct warc_response r = {.head = head(3), .capture = capture(payload, NULL)};
        r.capture.identified_type = STR("text/html");
        r.capture.protocols = protocols;
        r.capture.protocol_count = 2;
        warc_write_response(w, &r, strlen(answer) + strlen(body), out);
        assert_rc(block_of(w, answer, body), RC_OK);
    } else {
        static const struct warc_outlink links[] = {
            {.uri = {"http://example.com/b", 20}, .hop = 'L', .context = {"a/@href", 7}},
            {.uri = {"http://example.com/c.css", 24}, .hop = 'E'},
        };
        struct warc_metadata r = {
            .head = head(4), .target_uri = STR("http://example.com/a"), .concurrent_to = &third};
        struct warc_fetch_facts facts = {
            .via = STR("http://example.com/"),
            .hops_from_seed = STR("L"),
            .fetch_time_ms = 17,
            .outlinks = links,
            .outlink_count = 2,
        };
        assert_rc(warc_put_fetch_metadata(w, &r, &facts, out), RC_OK);
    }
}

static void put_rest(struct warc_writer *w, size_t step, const struct digest *payload,
                     struct buf *out)
{
    struct warc_id third = {{3}};
    if (step == 4) {
        struct warc_revisit r = {
            .head = head(5),
            .capture = capture(payload, NULL),
            .refers_to = &third,
            .refers_to_uri = STR("http://example.com/a"),
            .refers_to_date_ms = date_ms,
        };
        warc_write_revisit(w, &r, strlen(answer), out);
        assert_rc(block_of(w, answer, ""), RC_OK);
    } else if (step == 5) {
        struct warc_resource r = {
            .head = head(6), .capture = capture(NULL, NULL), .content_type = STR("text/plain")};
        r.head.first_segment = true;
        warc_write_resource(w, &r, 5, out);
        assert_rc(block_of(w, "first", ""), RC_OK);
    } else if (step == 6) {
        struct warc_conversion r = {
            .head = head(7),
            .capture = {.target_uri = STR("http://example.com/a")},
            .content_type = STR("text/plain; charset=utf-8"),
            .refers_to = &third,
        };
        warc_write_conversion(w, &r, 12, out);
        assert_rc(block_of(w, "hello, ", "world"), RC_OK);
    } else {
        struct warc_continuation r = {.head = head(8),
                                      .target_uri = STR("http://example.com/a"),
                                      .origin = {{6}},
                                      .segment = 2,
                                      .total_bytes = 11};
        warc_write_continuation(w, &r, 6, out);
        assert_rc(block_of(w, "second", ""), RC_OK);
    }
}

void kit_sample(struct buf *out, enum warc_coding coding, size_t *ends)
{
    struct warc_writer_options o = {.coding = coding};
    struct warc_writer *w = warc_writer_open(&o);
    struct digest payload;
    assert_non_null(w);
    assert_rc(digest_of(DIGEST_SHA1, STR("hello, world"), &payload), RC_OK);
    for (size_t i = 0; i < KIT_RECORDS; i++) {
        if (i == 0)
            put_first(w, out);
        else if (i < 4)
            put_fetch(w, i, &payload, out);
        else
            put_rest(w, i, &payload, out);
        if (ends)
            ends[i] = out->n;
    }
    warc_writer_close(w);
}

void kit_member(struct buf *out, struct str plain)
{
    struct gzip_fast *g = gzip_fast_open(1);
    assert_non_null(g);
    gzip_fast_begin(g, 0);
    gzip_fast_add(g, plain, true, out);
    gzip_fast_close(g);
}

void kit_raw(struct buf *out, enum warc_coding coding, const char *header, struct str block)
{
    struct buf all = {.max = MAX_BYTES};
    buf_add(&all, str_c(header));
    buf_add(&all, STR("\r\n"));
    buf_add(&all, block);
    buf_add(&all, STR("\r\n\r\n"));
    if (coding == WARC_PLAIN)
        buf_add(out, buf_str(&all));
    else
        kit_member(out, buf_str(&all));
    buf_done(&all);
}

static void tell_record(struct kit_reading *k, const struct warc_record *r)
{
    k->records++;
    buf_printf(&k->story, "record %llu %u.%u %s at %llu+%llu/%llu block %llu notes %u\n",
               (unsigned long long)r->number, r->version_major, r->version_minor,
               warc_type_name(r->type), (unsigned long long)r->position.offset,
               (unsigned long long)r->position.in_member, (unsigned long long)r->position.plain,
               (unsigned long long)r->block_bytes, r->notes);
    for (size_t i = 0; i < r->field_count; i++)
        buf_printf(&k->story, "  " STR_FMT "=" STR_FMT "\n", STR_ARG(r->fields[i].name),
                   STR_ARG(r->fields[i].value));
}

static void tell_end(struct kit_reading *k, struct warc_ended e)
{
    k->ended++;
    buf_printf(&k->story, "\nend %llu own %d notes %u\n", (unsigned long long)e.bytes, e.own_member,
               e.notes);
}

/* The next feed, in memory of exactly its size; the one before is freed. */
static bool feed(struct warc_reader *r, struct str *rest, size_t step, char **held)
{
    struct str bytes = step ? str_first(*rest, step) : *rest;
    *rest = str_from(*rest, bytes.n);
    mem_free(*held);
    *held = NULL;
    if (bytes.n == 0) {
        warc_reader_finish(r);
        return true;
    }
    *held = mem_alloc(bytes.n);
    if (!*held)
        return false;
    memcpy(*held, bytes.p, bytes.n);
    warc_reader_feed(r, str_make(*held, bytes.n));
    return true;
}

enum rc kit_read(struct str archive, size_t step, const struct warc_reader_options *o,
                 struct kit_reading *ret)
{
    *ret = (struct kit_reading){.story = {.max = MAX_BYTES}};
    struct warc_reader *r = warc_reader_open(o);
    if (!r)
        return RC_NOMEM;
    char *held = NULL;
    struct str piece;
    enum warc_event event = WARC_MORE;
    bool fed = true;
    /* Each event takes a byte or ends a step, so more events than this would be a loop. */
    size_t most = archive.n * 1100 + (1 << 16);
    for (size_t i = 0; fed && event != WARC_END && event != WARC_BROKEN; i++) {
        assert_true(i < most);
        event = warc_reader_next(r, &piece);
        if (event == WARC_MORE)
            fed = feed(r, &archive, step, &held);
        else if (event == WARC_RECORD)
            tell_record(ret, warc_reader_record(r));
        else if (event == WARC_BLOCK)
            buf_add(&ret->story, piece);
        else if (event == WARC_RECORD_END)
            tell_end(ret, warc_reader_ended(r));
    }
    ret->broken = event == WARC_BROKEN;
    ret->problem = *warc_reader_problem(r);
    ret->whole_bytes = warc_reader_whole_bytes(r);
    warc_reader_close(r);
    mem_free(held);
    return fed && buf_rc(&ret->story) == RC_OK && ret->problem.rc != RC_NOMEM ? RC_OK : RC_NOMEM;
}

void kit_reading_done(struct kit_reading *k)
{
    buf_done(&k->story);
}
