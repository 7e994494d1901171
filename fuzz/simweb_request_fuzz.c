/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a request's head, and as a date. A head that is read lies within the bytes, is read
 * the same when nothing follows it, and every shorter piece of it waits for more; so a client that
 * sends byte by byte is answered as one that sends all at once. */
#include "wire/reply.h"
#include "wire/request.h"

#include <assert.h>

enum { PIECES_UP_TO = 512 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void check_within(struct str all, struct str part)
{
    if (part.n && !str_eq(part, STR("/"))) /* the path of "http://host" is our own */
        assert(part.p >= all.p && part.p + part.n <= all.p + all.n);
}

static void check_read(struct str all, const struct request *q, size_t used)
{
    struct request again;
    size_t used_again = 0;
    assert(used <= all.n && used <= REQUEST_MAX_BYTES);
    assert(q->method.n && q->target.n && q->header_count <= REQUEST_MAX_HEADERS);
    check_within(all, q->target);
    check_within(all, q->host);
    for (uint32_t i = 0; i < q->header_count; i++) {
        assert(q->headers[i].name.n);
        check_within(all, q->headers[i].name);
        check_within(all, q->headers[i].value);
    }
    assert(request_read(str_first(all, used), &again, &used_again) == RC_OK);
    assert(used_again == used && again.header_count == q->header_count);
    for (size_t k = 0; k < used && used <= PIECES_UP_TO; k++)
        assert(request_read(str_first(all, k), &again, &used_again) == RC_AGAIN);
}

static void check_date(struct str text)
{
    char room[64];
    struct buf b = buf_on(room, sizeof room);
    uint64_t wall_ms, again;
    if (http_date_read(text, &wall_ms) != RC_OK)
        return;
    buf_http_date(&b, wall_ms);
    bool is_past_the_form = wall_ms / 1000 > UINT64_C(253402300799); /* a leap second in 9999 */
    assert(http_date_read(buf_str(&b), &again) == RC_OK);
    assert(again == wall_ms || is_past_the_form);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct str all = str_make((const char *)data, n);
    struct request q;
    size_t used = 0;
    enum rc rc = request_read(all, &q, &used);
    assert(rc == RC_OK || rc == RC_AGAIN || rc == RC_INVALID || rc == RC_LIMIT);
    if (rc == RC_OK) {
        check_read(all, &q, used);
        (void)request_accepts(&q, STR("Accept-Encoding"), STR("gzip"));
        check_date(request_header(&q, STR("If-Modified-Since")));
    }
    check_date(all);
    return 0;
}
