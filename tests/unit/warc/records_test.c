/* SPDX-License-Identifier: Apache-2.0 */
#include "kit.h"

#include "warc/header.h"

#define FIRST                                                                                   \
    {                                                                                           \
        {                                                                                       \
            0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0xf6, 0x77, 0xf8, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, \
                0xee, 0xff                                                                      \
        }                                                                                       \
    }
static const struct warc_id first = FIRST;
static const struct warc_id second = {{1}};

static struct warc_writer *plain_writer(void)
{
    struct warc_writer_options o = {.coding = WARC_PLAIN};
    struct warc_writer *w = warc_writer_open(&o);
    assert_non_null(w);
    return w;
}

static void assert_text(struct buf *out, const char *expected)
{
    assert_str(buf_str(out), str_c(expected));
    buf_clear(out);
}

static struct digest sha1_of(const char *text)
{
    struct digest d;
    assert_rc(digest_of(DIGEST_SHA1, str_c(text), &d), RC_OK);
    return d;
}

#define ID "<urn:uuid:00112233-4455-4677-b899-aabbccddeeff>"
#define OTHER_ID "<urn:uuid:01000000-0000-4000-8000-000000000000>"
#define HEAD(type)                                           \
    "WARC/1.1\r\nWARC-Type: " type "\r\nWARC-Record-ID: " ID \
    "\r\nWARC-Date: 1970-01-01T00:00:01Z\r\n"

static const struct warc_head head = {.id = FIRST, .date_ms = 1000};

static void a_response_has_its_fields(void **state)
{
    (void)state;
    struct warc_writer *w = plain_writer();
    struct buf out = {.max = 4096};
    struct digest payload = sha1_of("b"), block = sha1_of("HTTP/1.1 200 OK\r\n\r\nb");
    static const struct str h2 = {"h2", 2};
    struct warc_response r = {
        .head = {.id = first,
                 .date_ms = 1000,
                 .warcinfo = &second,
                 .block_digest = &block,
                 .cut = WARC_CUT_DISCONNECT},
        .capture = {.target_uri = STR("https://example.com/?q=%20"),
                    .ip_address = STR("2001:db8::7"),
                    .payload_digest = &payload,
                    .identified_type = STR("text/plain"),
                    .protocols = &h2,
                    .protocol_count = 1,
                    .concurrent_to = &second},
    };
    warc_write_response(w, &r, 20, &out);
    warc_writer_add(w, STR("HTTP/1.1 200 OK\r\n\r\n"));
    warc_writer_add(w, STR("b"));
    assert_rc(warc_writer_end(w), RC_OK);
    assert_int_equal(warc_writer_record_bytes(w), out.n);
    assert_text(&out,
                HEAD("response") "WARC-Warcinfo-ID: " OTHER_ID
                                 "\r\nWARC-Block-Digest: sha1:LVJ2TIO3SVWLU6TU2ZNDAGUMNFBAYRER"
                                 "\r\nWARC-Truncated: disconnect\r\nWARC-Target-URI: "
                                 "https://example.com/?q=%20"
                                 "\r\nWARC-IP-Address: 2001:db8::7\r\nWARC-Protocol: h2"
                                 "\r\nWARC-Payload-Digest: sha1:5HLR6XXHZEWW3SPJF7622F5YXVEUDD4Y"
                                 "\r\nWARC-Identified-Payload-Type: "
                                 "text/plain\r\nWARC-Concurrent-To: " OTHER_ID "\r\nContent-Type: "
                                 "application/http;msgtype=response\r\nContent-Length: 20\r\n\r\n"
                                 "HTTP/1.1 200 OK\r\n\r\nb\r\n\r\n");
    buf_done(&out);
    warc_writer_close(w);
}

static void both_profiles_of_a_revisit(void **state)
{
    (void)state;
    struct warc_writer *w = plain_writer();
    struct buf out = {.max = 4096};
    struct digest payload = sha1_of("");
    struct warc_revisit r = {
        .head = head,
        .capture = {.target_uri = STR("http://a/"), .payload_digest = &payload},
        .refers_to = &second,
        .refers_to_uri = STR("http://b/"),
        .refers_to_date_ms = 500,
    };
    warc_write_revisit(w, &r, 0, &out);
    assert_rc(warc_writer_end(w), RC_OK);
    assert_text(
        &out,
        HEAD("revisit") "WARC-Target-URI: http://a/\r\n"
                        "WARC-Payload-Digest: sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ\r\n"
                        "WARC-Profile: "
                        "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest\r\n"
                        "WARC-Refers-To: " OTHER_ID "\r\nWARC-Refers-To-Target-URI: http://b/\r\n"
                        "WARC-Refers-To-Date: 1970-01-01T00:00:00.500Z\r\n"
                        "Content-Type: application/http;msgtype=response\r\nContent-Length: "
                        "0\r\n\r\n\r\n\r\n");
    r.profile = WARC_NOT_MODIFIED;
    r.capture.payload_digest = NULL;
    r.refers_to = NULL;
    r.refers_to_uri = STR_NONE;
    warc_write_revisit(w, &r, 0, &out);
    assert_rc(warc_writer_end(w), RC_OK);
    assert_text(
        &out, HEAD("revisit") "WARC-Target-URI: http://a/\r\n"
                              "WARC-Profile: "
                              "http://netpreserve.org/warc/1.1/revisit/server-not-modified\r\n"
                              "Content-Type: application/http;msgtype=response\r\nContent-Length: "
                              "0\r\n\r\n\r\n\r\n");
    r.profile = WARC_SAME_DIGEST;
    warc_write_revisit(w, &r, 0, &out);
    assert_rc(warc_writer_end(w), RC_INVALID);
    buf_done(&out);
    warc_writer_close(w);
}

static void a_fetch_is_described(void **state)
{
    (void)state;
    struct warc_writer *w = plain_writer();
    struct buf out = {.max = 4096};
    struct warc_metadata r = {
        .head = head, .target_uri = STR("http://a/"), .concurrent_to = &second};
    struct warc_outlink links[] = {{STR("http://a/b"), 'L', STR("a/@href")},
                                   {STR("http://a/c"), 'E', STR_NONE}};
    struct warc_fetch_facts facts = {.via = STR("http://z/"),
                                     .hops_from_seed = STR("LR"),
                                     .fetch_time_ms = 12,
                                     .outlinks = links,
                                     .outlink_count = 2};
    assert_rc(warc_put_fetch_metadata(w, &r, &facts, &out), RC_OK);
    assert_text(
        &out,
        HEAD("metadata") "WARC-Target-URI: http://a/\r\nWARC-Concurrent-To: " OTHER_ID
                         "\r\nContent-Type: application/warc-fields\r\nContent-Length: 105\r\n\r\n"
                         "via: http://z/\r\nhopsFromSeed: LR\r\nfetchTimeMs: 12\r\n"
                         "outlink: http://a/b L a/@href\r\noutlink: http://a/c E\r\n\r\n\r\n");
    links[1].uri = STR("http://a/\r\nx: y");
    assert_rc(warc_put_fetch_metadata(w, &r, &facts, &out), RC_INVALID);
    assert_int_equal(out.n, 0);
    buf_done(&out);
    warc_writer_close(w);
}

static void a_warcinfo_describes_its_file(void **state)
{
    (void)state;
    struct warc_writer *w = plain_writer();
    struct buf out = {.max = 4096};
    struct warc_warcinfo r = {
        .head = head, .filename = STR("a.warc"), .software = STR("x/1"), .contact = STR("me")};
    assert_rc(warc_put_warcinfo(w, &r, &out), RC_OK);
    assert_text(
        &out, HEAD("warcinfo") "WARC-Filename: a.warc\r\nContent-Type: application/warc-fields\r\n"
                               "Content-Length: 151\r\n\r\nsoftware: x/1\r\nformat: WARC File "
                               "Format 1.1\r\nconformsTo: "
                               "http://iipc.github.io/warc-specifications/specifications/"
                               "warc-format/warc-1.1/\r\n"
                               "operator: me\r\n\r\n\r\n");
    r.software = STR_NONE;
    assert_rc(warc_put_warcinfo(w, &r, &out), RC_INVALID);
    buf_done(&out);
    warc_writer_close(w);
}

/* Each row breaks one thing in a response that is otherwise right. */
static const struct {
    const char *name;
    size_t field; /* 0 target, 1 address, 2 identified type, 3 protocol */
    struct str value;
    enum rc rc;
} refusals[] = {
    {"a whole URI is taken", 0, {"http://a/", 9}, RC_OK},
    {"a dns URI is taken", 0, {"dns:example.com", 15}, RC_OK},
    {"a relative URI", 0, {"/a", 2}, RC_INVALID},
    {"a URI without a scheme", 0, {"://a", 4}, RC_INVALID},
    {"a scheme that begins with a digit", 0, {"1a:b", 4}, RC_INVALID},
    {"a scheme with a NUL", 0, {"a\0b:c", 5}, RC_INVALID},
    {"a scheme alone", 0, {"http:", 5}, RC_INVALID},
    {"a URI with a line end", 0, {"http://a/\r\nX: y", 15}, RC_INVALID},
    {"a URI with a blank", 0, {"http://a/ b", 11}, RC_INVALID},
    {"a URI in brackets", 0, {"<http://a/>", 11}, RC_INVALID},
    {"a URI with a raw letter above ASCII", 0, {"http://a/\xc3\xa9", 11}, RC_INVALID},
    {"an empty URI", 0, {"", 0}, RC_INVALID},
    {"an IPv4 address", 1, {"192.0.2.1", 9}, RC_OK},
    {"an IPv6 address", 1, {"::1", 3}, RC_OK},
    {"a name is no address", 1, {"example.com", 11}, RC_INVALID},
    {"an address in brackets", 1, {"[::1]", 5}, RC_INVALID},
    {"an address with something behind", 1, {"192.0.2.1\r\nX: y", 15}, RC_INVALID},
    {"an address with a NUL", 1, {"::1\0", 4}, RC_INVALID},
    {"an address that is too long",
     1,
     {"0000:0000:0000:0000:0000:0000:0000:0000:0000:0000", 49},
     RC_INVALID},
    {"a media type", 2, {"text/html; charset=utf-8", 24}, RC_OK},
    {"half a media type", 2, {"text", 4}, RC_INVALID},
    {"a media type with a line end", 2, {"text/html\nX: y", 14}, RC_INVALID},
    {"a protocol", 3, {"h2", 2}, RC_OK},
    {"a protocol with CR", 3, {"h2\rX", 4}, RC_INVALID},
    {"a protocol that is not UTF-8", 3, {"h\xff", 2}, RC_INVALID},
};

/* Whatever the length, and wherever the byte stands. */
static void a_uri_has_visible_ascii_and_no_brackets(void **state)
{
    (void)state;
    char room[] = "a:0123456789012345678";
    for (size_t n = 3; n < sizeof room; n++)
        for (size_t at = 2; at < n; at++)
            for (int byte = 0; byte < 256; byte++) {
                bool fits = byte > ' ' && byte <= '~' && byte != '<' && byte != '>';
                char before = room[at];
                room[at] = (char)byte;
                assert_int_equal(header_is_uri(str_make(room, n)), fits);
                room[at] = before;
            }
}

static void values_that_would_break_a_header_are_refused(void **state)
{
    (void)state;
    struct warc_writer *w = plain_writer();
    struct buf out = {.max = 1 << 20};
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        struct warc_response r = {.head = head, .capture = {.target_uri = STR("http://a/")}};
        struct str *fields[] = {&r.capture.target_uri, &r.capture.ip_address,
                                &r.capture.identified_type};
        if (refusals[i].field < 3)
            *fields[refusals[i].field] = refusals[i].value;
        else
            r.capture.protocols = &refusals[i].value, r.capture.protocol_count = 1;
        buf_clear(&out);
        buf_add(&out, STR("before"));
        warc_write_response(w, &r, 1, &out);
        warc_writer_add(w, STR("x"));
        enum rc rc = warc_writer_end(w);
        if (rc != refusals[i].rc || (rc && out.n != 6))
            fail_msg("%s: rc %d, %zu bytes", refusals[i].name, rc, out.n);
    }
    buf_done(&out);
    warc_writer_close(w);
}

static void what_a_type_requires_is_required(void **state)
{
    (void)state;
    struct warc_writer *w = plain_writer();
    struct buf out = {.max = 4096};
    struct warc_response no_target = {.head = head};
    warc_write_response(w, &no_target, 0, &out);
    assert_rc(warc_writer_end(w), RC_INVALID);
    struct warc_request bad_date = {.head = head, .capture = {.target_uri = STR("http://a/")}};
    bad_date.head.date_ms = INT64_MAX;
    warc_write_request(w, &bad_date, 0, &out);
    assert_rc(warc_writer_end(w), RC_INVALID);
    struct warc_resource no_type = {.head = head, .capture = {.target_uri = STR("http://a/")}};
    warc_write_resource(w, &no_type, 0, &out);
    assert_rc(warc_writer_end(w), RC_INVALID);
    struct warc_conversion no_type_either = {.head = head,
                                             .capture = {.target_uri = STR("http://a/")}};
    warc_write_conversion(w, &no_type_either, 0, &out);
    assert_rc(warc_writer_end(w), RC_INVALID);
    struct warc_conversion with_address = {
        .head = head,
        .capture = {.target_uri = STR("http://a/"), .ip_address = STR("192.0.2.1")},
        .content_type = STR("text/plain")};
    warc_write_conversion(w, &with_address, 0, &out);
    assert_rc(warc_writer_end(w), RC_INVALID);
    struct warc_continuation segment_one = {
        .head = head, .target_uri = STR("http://a/"), .segment = 1};
    warc_write_continuation(w, &segment_one, 0, &out);
    assert_rc(warc_writer_end(w), RC_INVALID);
    struct buf long_uri = {.max = 1 << 20};
    buf_add(&long_uri, STR("http://a/"));
    buf_fill(&long_uri, 'x', WARC_VALUE_MAX);
    struct warc_request too_long = {.head = head, .capture = {.target_uri = buf_str(&long_uri)}};
    warc_write_request(w, &too_long, 0, &out);
    assert_rc(warc_writer_end(w), RC_INVALID);
    assert_int_equal(out.n, 0);
    buf_done(&long_uri);
    buf_done(&out);
    warc_writer_close(w);
}

static void every_type_passes_its_own_verification(void **state)
{
    (void)state;
    struct buf out = {.max = 1 << 20};
    kit_sample(&out, WARC_PLAIN, NULL);
    struct warc_reader *r = warc_reader_open(NULL);
    struct warc_verifier *v = warc_verifier_open();
    assert_true(r && v);
    warc_reader_feed(r, buf_str(&out));
    warc_reader_finish(r);
    static const enum warc_type types[KIT_RECORDS] = {
        WARC_WARCINFO, WARC_REQUEST,  WARC_RESPONSE,   WARC_METADATA,
        WARC_REVISIT,  WARC_RESOURCE, WARC_CONVERSION, WARC_CONTINUATION};
    enum warc_event e;
    struct str piece;
    struct warc_verdict verdict;
    size_t n = 0;
    while ((e = warc_reader_next(r, &piece)) != WARC_END) {
        assert_int_not_equal(e, WARC_BROKEN);
        if (e == WARC_RECORD) {
            assert_int_equal(warc_reader_record(r)->type, types[n++]);
            warc_verifier_begin(v, warc_reader_record(r));
        } else if (e == WARC_BLOCK) {
            warc_verifier_add(v, piece);
        } else {
            assert_rc(warc_verifier_end(v, &verdict), RC_OK);
            assert_false(warc_verdict_is_fault(&verdict));
            if (n == 3)
                assert_int_equal(verdict.payload, WARC_CHECK_OK);
        }
    }
    assert_int_equal(n, KIT_RECORDS);
    warc_verifier_close(v);
    warc_reader_close(r);
    buf_done(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_response_has_its_fields),
        cmocka_unit_test(both_profiles_of_a_revisit),
        cmocka_unit_test(a_fetch_is_described),
        cmocka_unit_test(a_warcinfo_describes_its_file),
        cmocka_unit_test(a_uri_has_visible_ascii_and_no_brackets),
        cmocka_unit_test(values_that_would_break_a_header_are_refused),
        cmocka_unit_test(what_a_type_requires_is_required),
        cmocka_unit_test(every_type_passes_its_own_verification),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
