/* SPDX-License-Identifier: Apache-2.0 */
#include "kit.h"

#include "warc/order.h"

#define R(type, id, more)                                           \
    "WARC/1.1\r\nWARC-Type: " type "\r\nWARC-Record-ID: <urn:x:" id \
    ">\r\nWARC-Date: 2020\r\n" more "Content-Length: 0\r\n\r\n\r\n\r\n"
#define INFO R("warcinfo", "0", "")

static const struct {
    const char *name, *archive;
    unsigned notes; /* of its last record */
} rows[] = {
    {"a warcinfo comes first", INFO, 0},
    {"something else comes first", R("metadata", "1", ""), WARC_ORDER_NO_INFO},
    {"the warcinfo named was seen", INFO R("metadata", "1", "WARC-Warcinfo-ID: <urn:x:0>\r\n"), 0},
    {"it was not", INFO R("metadata", "1", "WARC-Warcinfo-ID: <urn:x:9>\r\n"),
     WARC_ORDER_INFO_UNSEEN},
    {"a request before its response", INFO R("request", "1", "WARC-Concurrent-To: <urn:x:2>\r\n"),
     WARC_ORDER_CONCURRENT},
    {"a request behind its response",
     INFO R("response", "1", "") R("request", "2", "WARC-Concurrent-To: <urn:x:1>\r\n"), 0},
    {"a name used twice", INFO R("metadata", "0", ""), WARC_ORDER_TWICE},
    {"a revisit of nothing", INFO R("revisit", "1", ""), WARC_ORDER_NO_REFERENCE},
    {"a revisit of something earlier", INFO R("revisit", "1", "WARC-Refers-To-Date: 2019\r\n"), 0},
    {"a revisit of the future", INFO R("revisit", "1", "WARC-Refers-To-Date: 2021\r\n"),
     WARC_ORDER_FUTURE},
    {"a continuation without its beginning",
     INFO R("continuation", "1", "WARC-Segment-Origin-ID: <urn:x:7>\r\n"),
     WARC_ORDER_ORIGIN_UNSEEN},
};

static void relations_are_noted(void **state)
{
    (void)state;
    struct warc_order *o = warc_order_open();
    struct warc_reader *r = warc_reader_open(NULL);
    assert_true(o && r);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        unsigned notes = 0;
        enum warc_event e;
        struct str piece;
        warc_reader_reset(r);
        warc_order_reset(o);
        warc_reader_feed(r, str_c(rows[i].archive));
        warc_reader_finish(r);
        while ((e = warc_reader_next(r, &piece)) != WARC_END) {
            assert_int_not_equal(e, WARC_BROKEN);
            if (e == WARC_RECORD)
                notes = warc_order_add(o, warc_reader_record(r));
        }
        if (notes != rows[i].notes)
            fail_msg("%s: %x", rows[i].name, notes);
    }
    for (int i = 0; i < WARC_ORDER_NOTES; i++)
        assert_true(warc_order_text((enum warc_order_note)(1 << i))[0]);
    warc_reader_close(r);
    warc_order_close(o);
}

static enum rc open_and_close(void *ctx)
{
    (void)ctx;
    struct warc_order *o = warc_order_open();
    enum rc rc = o ? RC_OK : RC_NOMEM;
    warc_order_close(o);
    return rc;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    test_each_allocation_fails(open_and_close, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(relations_are_noted),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
