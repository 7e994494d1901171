/* SPDX-License-Identifier: Apache-2.0 */
/* A request's head as HTTP/2's fields. */
#include "net/h2_fields.h"

#include "lib/test.h"

struct row {
    const char *name;
    const char *request;
    enum rc rc;
    const char *fields; /* "name=value" joined by "|" */
};

#define GET "GET /a?b HTTP/1.1\r\n"
#define USUAL ":method=GET|:scheme=https|:authority=x.test:8443|:path=/a?b"
#define HOST "Host: x.test:8443\r\n"

static const struct row rows[] = {
    {"Host becomes the authority", GET HOST "\r\n", RC_OK, USUAL},
    {"the rest follows in its order and as it is written",
     GET "User-Agent: a b\r\n" HOST "Accept: text/html, */*;q=0.1\r\nEmpty:\r\n\r\n", RC_OK,
     USUAL "|User-Agent=a b|Accept=text/html, */*;q=0.1|Empty="},
    {"a colon in the target is no field", "GET /a:b HTTP/1.1\r\nHost: x\r\n\r\n", RC_OK,
     ":method=GET|:scheme=https|:authority=x|:path=/a:b"},
    {"HEAD is a method too", "HEAD / HTTP/1.1\r\nHost: x\r\n\r\n", RC_OK,
     ":method=HEAD|:scheme=https|:authority=x|:path=/"},
    {"fields of the connection are left out",
     GET "Connection: keep-alive\r\nKeep-Alive: timeout=5\r\nproxy-connection: x\r\n"
         "Transfer-Encoding: chunked\r\nUPGRADE: h2c\r\nHTTP2-Settings: AA\r\n" HOST "\r\n",
     RC_OK, USUAL},
    {"and those that Connection names",
     GET HOST "Connection: close, X-Hop\r\nx-hop: 1\r\nX-Stays: 1\r\n\r\n", RC_OK,
     USUAL "|X-Stays=1"},
    {"TE stays when it says trailers", GET HOST "TE: trailers\r\n\r\n", RC_OK,
     USUAL "|TE=trailers"},
    {"and goes otherwise", GET HOST "TE: gzip\r\n\r\n", RC_OK, USUAL},
    {"the first Host counts", GET HOST "Host: other\r\n\r\n", RC_OK, USUAL},
    {"lines may end with LF", "GET /a?b HTTP/1.1\nHost: x.test:8443\nA: b\n\n", RC_OK,
     USUAL "|A=b"},
    {"no Host", GET "Accept: */*\r\n\r\n", RC_INVALID, NULL},
    {"an empty Host", GET "Host:\r\n\r\n", RC_INVALID, NULL},
    {"a folded field", GET HOST "A: b\r\n c\r\n\r\n", RC_INVALID, NULL},
    {"no target", "GET  HTTP/1.1\r\n" HOST "\r\n", RC_INVALID, NULL},
    {"no version", "GET /a\r\n" HOST "\r\n", RC_INVALID, NULL},
    {"another version", "GET /a HTTP/1.0\r\n" HOST "\r\n", RC_INVALID, NULL},
    {"a blank in the target", "GET /a b HTTP/1.1\r\n" HOST "\r\n", RC_INVALID, NULL},
    {"nothing", "", RC_INVALID, NULL},
    {"no line", "GET / HTTP/1.1", RC_INVALID, NULL},
};

static void requests_become_fields(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct h2_fields f;
        struct buf got;
        print_message("# %s\n", rows[i].name);
        enum rc rc = h2_fields_read(str_c(rows[i].request), &f);
        assert_rc(rc, rows[i].rc);
        if (rc != RC_OK)
            continue;
        buf_init(&got, 10000);
        for (size_t at = 0; at < f.count; at++)
            buf_printf(&got, "%s" STR_FMT "=" STR_FMT, at ? "|" : "", STR_ARG(f.at[at].name),
                       STR_ARG(f.at[at].value));
        assert_str(buf_str(&got), str_c(rows[i].fields));
        buf_done(&got);
    }
}

static void fields_are_not_without_number(void **state)
{
    (void)state;
    struct h2_fields f;
    struct buf request;
    buf_init(&request, 10000);
    buf_add(&request, STR(GET HOST));
    for (int i = 4; i < H2_FIELDS_MOST; i++)
        buf_add(&request, STR("A: b\r\n"));
    struct str most = buf_str(&request);
    assert_rc(h2_fields_read(most, &f), RC_OK);
    assert_int_equal(f.count, H2_FIELDS_MOST);
    buf_add(&request, STR("A: b\r\n"));
    assert_rc(h2_fields_read(buf_str(&request), &f), RC_LIMIT);
    buf_done(&request);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_become_fields),
        cmocka_unit_test(fields_are_not_without_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
