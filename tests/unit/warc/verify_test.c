/* SPDX-License-Identifier: Apache-2.0 */
#include "kit.h"

#define BASE "WARC-Record-ID: <urn:x:1>\r\nWARC-Date: 2020-01-01T00:00:00Z\r\n"
#define URI "WARC-Target-URI: http://a/\r\n"
#define HTTP "Content-Type: application/http; msgtype=response\r\n"
#define HELLO "sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N" /* of "hello" */
#define NOTHING "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"
#define CHUNKS "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"

static const struct {
    const char *name, *fields, *block;
    unsigned defects;
    enum warc_check block_check, payload_check;
    const char *mime;
    unsigned status;
} rows[] = {
    {"a resource without digests", BASE URI "WARC-Type: resource\r\nContent-Type: a/b; c=d\r\n",
     "hello", 0, WARC_CHECK_NONE, WARC_CHECK_NONE, "a/b", 0},
    {"a block digest in base32", BASE URI "WARC-Type: resource\r\nWARC-Block-Digest: " HELLO "\r\n",
     "hello", 0, WARC_CHECK_OK, WARC_CHECK_NONE, NULL, 0},
    {"a block digest in hexadecimal",
     BASE URI
     "WARC-Type: resource\r\nWARC-Block-Digest: sha1:AAF4C61DDCC5E8A2DABEDE0F3B482CD9AEA9434D\r\n",
     "hello", 0, WARC_CHECK_OK, WARC_CHECK_NONE, NULL, 0},
    {"SHA-256",
     BASE URI "WARC-Type: resource\r\nWARC-Block-Digest: "
              "sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824\r\n",
     "hello", 0, WARC_CHECK_OK, WARC_CHECK_NONE, NULL, 0},
    {"a block digest in base64",
     BASE URI "WARC-Type: resource\r\nWARC-Block-Digest: sha1:qvTGHdzF6KLavt4PO0gs2a6pQ00=\r\n",
     "hello", 0, WARC_CHECK_OK, WARC_CHECK_NONE, NULL, 0},
    {"SHA-256 in base64",
     BASE URI "WARC-Type: resource\r\nWARC-Block-Digest: "
              "sha-256:LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=\r\n",
     "hello", 0, WARC_CHECK_OK, WARC_CHECK_NONE, NULL, 0},
    {"base64 that is none",
     BASE URI "WARC-Type: resource\r\nWARC-Block-Digest: sha1:qvTGHdzF6KLavt4PO0gs2a6pQ0!=\r\n",
     "hello", 0, WARC_CHECK_NONSENSE, WARC_CHECK_NONE, NULL, 0},
    {"a target with a blank in it",
     BASE HTTP "WARC-Type: response\r\nWARC-Target-URI: http://a/ b\r\n", "", WARC_NO_TARGET,
     WARC_CHECK_NONE, WARC_CHECK_NONE, NULL, 0},
    {"a wrong block digest", BASE URI "WARC-Type: resource\r\nWARC-Block-Digest: " HELLO "\r\n",
     "hellO", 0, WARC_CHECK_WRONG, WARC_CHECK_NONE, NULL, 0},
    {"an algorithm we do not have",
     BASE URI "WARC-Type: resource\r\nWARC-Block-Digest: md5:abc\r\n", "hello", 0,
     WARC_CHECK_SKIPPED, WARC_CHECK_NONE, NULL, 0},
    {"half a digest", BASE URI "WARC-Type: resource\r\nWARC-Block-Digest: sha1:VL2M\r\n", "hello",
     0, WARC_CHECK_NONSENSE, WARC_CHECK_NONE, NULL, 0},
    {"a payload digest over the entity",
     BASE URI HTTP "WARC-Type: response\r\nWARC-Payload-Digest: " HELLO "\r\n", CHUNKS, 0,
     WARC_CHECK_NONE, WARC_CHECK_OK, NULL, 200},
    {"a payload digest over the chunks",
     BASE URI HTTP
     "WARC-Type: response\r\nWARC-Payload-Digest: sha1:FPKJFAEPEIMEFSS2G2SDNSN5YKX3N5JX\r\n",
     CHUNKS, 0, WARC_CHECK_NONE, WARC_CHECK_STORED, NULL, 200},
    {"a wrong payload digest",
     BASE URI HTTP "WARC-Type: response\r\nWARC-Payload-Digest: " HELLO "\r\n",
     "HTTP/1.1 404 X\r\nContent-Type: x/y\r\n\r\nbye", 0, WARC_CHECK_NONE, WARC_CHECK_WRONG, "x/y",
     404},
    {"the digest of the cut entity is right",
     BASE URI HTTP "WARC-Type: response\r\nWARC-Truncated: "
                   "length\r\nWARC-Payload-Digest: " HELLO "\r\n",
     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhello", 0, WARC_CHECK_NONE,
     WARC_CHECK_OK, NULL, 200},
    {"the digest of the whole, of which this is a part",
     BASE URI HTTP "WARC-Type: response\r\nWARC-Truncated: length\r\nWARC-Payload-Digest: " HELLO
                   "\r\n",
     "HTTP/1.1 200 OK\r\n\r\nhel", 0, WARC_CHECK_NONE, WARC_CHECK_CUT, NULL, 200},
    {"a revisit's payload is elsewhere",
     BASE URI HTTP "WARC-Type: revisit\r\nWARC-Profile: http://p/\r\n"
                   "WARC-Payload-Digest: " HELLO "\r\n",
     "HTTP/1.1 304 X\r\n\r\n", 0, WARC_CHECK_NONE, WARC_CHECK_SKIPPED, NULL, 304},
    {"so is that of a segment",
     BASE URI "WARC-Type: resource\r\nWARC-Segment-Number: 1\r\n"
              "WARC-Payload-Digest: " HELLO "\r\n",
     "hel", 0, WARC_CHECK_NONE, WARC_CHECK_SKIPPED, NULL, 0},
    {"a request's payload is its body",
     BASE URI "Content-Type: application/http;msgtype=request\r\n"
              "WARC-Type: request\r\nWARC-Payload-Digest: " HELLO "\r\n",
     "POST / HTTP/1.1\r\n\r\nhello", 0, WARC_CHECK_NONE, WARC_CHECK_OK, NULL, 0},
    {"a DNS answer is not HTTP",
     BASE "WARC-Target-URI: dns:a\r\nContent-Type: text/dns\r\n"
          "WARC-Type: response\r\nWARC-Payload-Digest: " HELLO "\r\n",
     "hello", 0, WARC_CHECK_NONE, WARC_CHECK_OK, "text/dns", 0},
    {"an empty header", "", "", WARC_NO_TYPE | WARC_NO_ID | WARC_NO_DATE, WARC_CHECK_NONE,
     WARC_CHECK_NONE, NULL, 0},
    {"a date that is none",
     "WARC-Type: warcinfo\r\nWARC-Record-ID: <urn:x:1>\r\nWARC-Date: today\r\n", "", WARC_NO_DATE,
     WARC_CHECK_NONE, WARC_CHECK_NONE, NULL, 0},
    {"an identifier that is no URI",
     "WARC-Type: warcinfo\r\nWARC-Record-ID: 12\r\nWARC-Date: 2020\r\n", "", WARC_NO_ID,
     WARC_CHECK_NONE, WARC_CHECK_NONE, NULL, 0},
    {"an identifier with a byte that no URI has",
     "WARC-Type: warcinfo\r\nWARC-Record-ID: <urn:x:\xb1>\r\nWARC-Date: 2020\r\n", "", WARC_NO_ID,
     WARC_CHECK_NONE, WARC_CHECK_NONE, NULL, 0},
    {"an identifier with one bracket",
     "WARC-Type: warcinfo\r\nWARC-Record-ID: urn:x:1>\r\nWARC-Date: 2020\r\n", "", WARC_NO_ID,
     WARC_CHECK_NONE, WARC_CHECK_NONE, NULL, 0},
    {"an identifier without brackets",
     "WARC-Type: warcinfo\r\nWARC-Record-ID: urn:x:1\r\nWARC-Date: 2020\r\n", "", 0,
     WARC_CHECK_NONE, WARC_CHECK_NONE, NULL, 0},
    {"a target with letters beyond ASCII",
     BASE HTTP "WARC-Type: response\r\nWARC-Target-URI: http://a/\xc3\xbc{|}\r\n", "", 0,
     WARC_CHECK_NONE, WARC_CHECK_NONE, NULL, 0},
    {"a response without a target", BASE HTTP "WARC-Type: response\r\n", "", WARC_NO_TARGET,
     WARC_CHECK_NONE, WARC_CHECK_NONE, NULL, 0},
    {"a target in brackets, as wget writes it",
     BASE HTTP "WARC-Type: response\r\n"
               "WARC-Target-URI: <http://a/>\r\n",
     "", 0, WARC_CHECK_NONE, WARC_CHECK_NONE, NULL, 0},
    {"a revisit without a profile", BASE URI "WARC-Type: revisit\r\n", "", WARC_NO_PROFILE,
     WARC_CHECK_NONE, WARC_CHECK_NONE, NULL, 0},
    {"a continuation of nothing", BASE URI "WARC-Type: continuation\r\n", "", WARC_NO_SEGMENT,
     WARC_CHECK_NONE, WARC_CHECK_NONE, NULL, 0},
    {"a continuation that says it is the first segment",
     BASE URI "WARC-Type: continuation\r\nWARC-Segment-Origin-ID: <urn:x:0>\r\n"
              "WARC-Segment-Number: 1\r\n",
     "", WARC_NO_SEGMENT, WARC_CHECK_NONE, WARC_CHECK_NONE, NULL, 0},
    {"a continuation",
     BASE URI "WARC-Type: continuation\r\nWARC-Segment-Origin-ID: <urn:x:0>\r\n"
              "WARC-Segment-Number: 2\r\n",
     "", 0, WARC_CHECK_NONE, WARC_CHECK_NONE, NULL, 0},
    {"a digest without an algorithm", BASE URI "WARC-Type: resource\r\nWARC-Block-Digest: :abc\r\n",
     "hello", 0, WARC_CHECK_NONSENSE, WARC_CHECK_NONE, NULL, 0},
    {"the block digest wget gives a revisit",
     BASE URI HTTP "WARC-Type: revisit\r\nWARC-Profile: http://p/\r\n"
                   "WARC-Block-Digest: " NOTHING "\r\n",
     "HTTP/1.1 200 OK\r\n\r\n", 0, WARC_CHECK_SKIPPED, WARC_CHECK_NONE, NULL, 200},
    {"another wrong block digest of a revisit",
     BASE URI HTTP "WARC-Type: revisit\r\nWARC-Profile: http://p/\r\n"
                   "WARC-Block-Digest: " HELLO "\r\n",
     "HTTP/1.1 200 OK\r\n\r\n", 0, WARC_CHECK_WRONG, WARC_CHECK_NONE, NULL, 200},
    {"the digest of nothing where it is wrong",
     BASE URI "WARC-Type: resource\r\nWARC-Block-Digest: " NOTHING "\r\n", "hello", 0,
     WARC_CHECK_WRONG, WARC_CHECK_NONE, NULL, 0},
    {"HTTP/0.9 has no header to tell the payload by",
     BASE URI HTTP "WARC-Type: response\r\nWARC-Payload-Digest: " HELLO "\r\n", "hello", 0,
     WARC_CHECK_NONE, WARC_CHECK_SKIPPED, NULL, 0},
    {"an answer behind 100 Continue",
     BASE URI HTTP "WARC-Type: response\r\nWARC-Payload-Digest: " HELLO "\r\n",
     "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nContent-Type: a/b\r\n\r\n"
     "HTTP/1.1 200 OK\r\nContent-Type: x/y\r\n\r\nhello",
     0, WARC_CHECK_NONE, WARC_CHECK_OK, "x/y", 200},
    {"chunks behind 100 Continue",
     BASE URI HTTP "WARC-Type: response\r\nWARC-Payload-Digest: " HELLO "\r\n",
     "HTTP/1.1 100 Continue\r\n\r\n" CHUNKS, 0, WARC_CHECK_NONE, WARC_CHECK_OK, NULL, 200},
    {"a digest of all that is behind 100 Continue",
     BASE URI HTTP "WARC-Type: response\r\nWARC-Payload-Digest: "
                   "sha1:IORUMWLIBUO53GZZJS7FEOU3IDD3AFBH\r\n",
     "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\nhello", 0, WARC_CHECK_NONE,
     WARC_CHECK_STORED, NULL, 200},
    {"a wrong digest behind 100 Continue",
     BASE URI HTTP "WARC-Type: response\r\nWARC-Payload-Digest: " HELLO "\r\n",
     "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\nhellO", 0, WARC_CHECK_NONE,
     WARC_CHECK_WRONG, NULL, 200},
    {"what follows 101 is its body",
     BASE URI HTTP "WARC-Type: response\r\nWARC-Payload-Digest: " HELLO "\r\n",
     "HTTP/1.1 101 Switching\r\n\r\nhello", 0, WARC_CHECK_NONE, WARC_CHECK_OK, NULL, 101},
    {"nothing behind 100 Continue", BASE URI HTTP "WARC-Type: response\r\n",
     "HTTP/1.1 100 Continue\r\n\r\n", 0, WARC_CHECK_NONE, WARC_CHECK_NONE, NULL, 0},
    {"a type that only begins like HTTP",
     BASE URI "WARC-Type: resource\r\nContent-Type: application/httpx\r\n"
              "WARC-Payload-Digest: " HELLO "\r\n",
     "hello", 0, WARC_CHECK_NONE, WARC_CHECK_OK, "application/httpx", 0},
    {"a field twice", BASE BASE "WARC-Type: metadata\r\n", "", WARC_TWICE, WARC_CHECK_NONE,
     WARC_CHECK_NONE, NULL, 0},
    {"two media types",
     BASE URI "WARC-Type: resource\r\nContent-Type: a/b\r\ncontent-type: a/b\r\n", "", WARC_TWICE,
     WARC_CHECK_NONE, WARC_CHECK_NONE, "a/b", 0},
    {"what may come twice",
     BASE URI "WARC-Type: resource\r\nWARC-Concurrent-To: <urn:x:2>\r\n"
              "WARC-Concurrent-To: <urn:x:3>\r\nWARC-Protocol: h2\r\nWARC-Protocol: tls/1.3\r\n",
     "", 0, WARC_CHECK_NONE, WARC_CHECK_NONE, NULL, 0},
    {"a warcinfo about a page", BASE URI "WARC-Type: warcinfo\r\n", "", WARC_TARGET_GIVEN,
     WARC_CHECK_NONE, WARC_CHECK_NONE, NULL, 0},
    {"an unknown type needs no target", BASE "WARC-Type: novel\r\n", "", 0, WARC_CHECK_NONE,
     WARC_CHECK_NONE, NULL, 0},
};

/* The verdict on the one record of an archive. */
static enum rc judge(struct warc_verifier *v, struct str archive, struct warc_verdict *ret)
{
    struct warc_reader *r = warc_reader_open(NULL);
    if (!r)
        return RC_NOMEM;
    struct str piece;
    enum rc rc = RC_NOMEM;
    enum warc_event e;
    warc_reader_feed(r, archive);
    warc_reader_finish(r);
    while ((e = warc_reader_next(r, &piece)) != WARC_END && e != WARC_BROKEN) {
        if (e == WARC_RECORD)
            warc_verifier_begin(v, warc_reader_record(r));
        for (size_t i = 0; e == WARC_BLOCK && i < piece.n; i++)
            warc_verifier_add(v, str_make(piece.p + i, 1));
        if (e == WARC_RECORD_END)
            rc = warc_verifier_end(v, ret);
    }
    /* The mime of a record that is not HTTP is borrowed from the reader; none of it is kept. */
    if (rc == RC_OK && ret->mime.p)
        assert_true(ret->mime.n > 0);
    static char kept[64];
    if (rc == RC_OK && ret->mime.n < sizeof kept && ret->mime.p) {
        memcpy(kept, ret->mime.p, ret->mime.n);
        ret->mime.p = kept;
    }
    warc_reader_close(r);
    return rc;
}

static void make_archive(size_t row, struct buf *out)
{
    struct buf header = {.max = 4096};
    buf_printf(&header, "WARC/1.1\r\n%sContent-Length: %zu\r\n", rows[row].fields,
               strlen(rows[row].block));
    kit_raw(out, WARC_PLAIN, buf_c(&header), str_c(rows[row].block));
    buf_done(&header);
}

static void records_are_judged(void **state)
{
    (void)state;
    struct warc_verifier *v = warc_verifier_open();
    assert_non_null(v);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct buf archive = {.max = 1 << 20};
        struct warc_verdict d;
        make_archive(i, &archive);
        assert_rc(judge(v, buf_str(&archive), &d), RC_OK);
        if (d.defects != rows[i].defects || d.block != rows[i].block_check ||
            d.payload != rows[i].payload_check || !str_eq(d.mime, str_c(rows[i].mime)) ||
            d.facts.status != rows[i].status)
            fail_msg("%s: defects %x, block %s, payload %s, status %u, mime " STR_FMT, rows[i].name,
                     d.defects, warc_check_name(d.block), warc_check_name(d.payload),
                     d.facts.status, STR_ARG(d.mime));
        bool fault = rows[i].defects || rows[i].block_check >= WARC_CHECK_WRONG ||
                     rows[i].payload_check >= WARC_CHECK_WRONG;
        assert_int_equal(warc_verdict_is_fault(&d), fault);
        buf_done(&archive);
    }
    warc_verifier_close(v);
}

static enum rc judge_all(void *ctx)
{
    (void)ctx;
    struct warc_verifier *v = warc_verifier_open();
    if (!v)
        return RC_NOMEM;
    enum rc rc = RC_OK;
    static const char record[] = "WARC/1.1\r\n" BASE URI HTTP "WARC-Type: response\r\n"
                                 "WARC-Block-Digest: " HELLO "\r\nWARC-Payload-Digest: " HELLO
                                 "\r\nContent-Length: 5\r\n\r\nhello\r\n\r\n";
    struct warc_verdict d;
    rc = judge(v, str_make(record, sizeof record - 1), &d);
    warc_verifier_close(v);
    return rc;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    test_each_allocation_fails(judge_all, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_are_judged),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
