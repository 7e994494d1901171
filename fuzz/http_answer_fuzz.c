/* SPDX-License-Identifier: Apache-2.0 */
/* Input: a byte that says how to cut, then the bytes of a connection. Properties: an answer means
 * the same fed whole, byte by byte and in pieces; what it takes lies within what came; an accepted
 * head gives the same fields to all readers; a chunked body that is whole can be unwrapped by the
 * reader of archives, to its last byte. */
#include "net/reply.h"

#include "base/chunked.h"
#include "fuzz.h"

static const struct reply_limits limits = {.head_bytes = 2000,
                                           .line_bytes = 300,
                                           .header_count = 20,
                                           .interim_most = 3,
                                           .body_bytes = 1500};

static struct reply read_in_steps(struct str bytes, size_t step, bool to_head, bool clean)
{
    struct reply r;
    size_t n = 0;
    reply_init(&r, &limits, to_head);
    while (n < bytes.n && r.state == REPLY_MORE) {
        n = step < bytes.n - n ? n + step : bytes.n;
        (void)reply_read(&r, str_first(bytes, n));
        MUST(r.at <= n);
    }
    (void)reply_end(&r, clean);
    return r;
}

static void check_same(const struct reply *a, const struct reply *b)
{
    MUST(a->state == b->state && a->why == b->why && a->in_body == b->in_body);
    if (!a->in_body || a->state == REPLY_REFUSED)
        return;
    MUST(a->head_at == b->head_at && a->head_n == b->head_n && a->body_n == b->body_n);
    MUST(a->head.status == b->head.status && a->head.keeps == b->head.keeps);
    MUST(a->framing.kind == b->framing.kind && a->at == b->at);
}

static void check_head(struct str head)
{
    char room[2000];
    struct head_field f;
    struct str rest = head;
    while (head_next(&rest, &f)) {
        struct buf scratch = buf_on(room, sizeof room);
        struct str value = head_value(&f, &scratch);
        MUST(f.name.n > 0 && value.p != NULL && value.n <= head.n);
        for (size_t i = 0; i < value.n; i++)
            MUST(value.p[i] != '\r' && value.p[i] != '\n' && value.p[i] != '\0');
    }
}

static void check_chunks(const struct reply *r, struct str body)
{
    struct chunked c = {0};
    struct str piece, in = body;
    while (chunked_next(&c, &in, &piece))
        MUST(piece.n > 0);
    MUST(r->state != REPLY_WHOLE || (c.end == CHUNKED_DONE && c.bytes == body.n));
    MUST(r->state != REPLY_BROKEN || c.end != CHUNKED_DONE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 || size > 8192)
        return 0;
    bool to_head = data[0] & 0x80, clean = data[0] & 0x40;
    struct str bytes = str_make((const char *)data + 1, size - 1);
    struct reply whole = read_in_steps(bytes, SIZE_MAX, to_head, clean);
    struct reply single = read_in_steps(bytes, 1, to_head, clean);
    struct reply pieces = read_in_steps(bytes, 2 + (data[0] & 0x3f), to_head, clean);
    check_same(&whole, &single);
    check_same(&whole, &pieces);
    MUST(whole.state != REPLY_MORE);
    MUST((whole.why == NULL) == (whole.state == REPLY_WHOLE));
    if (!whole.in_body || whole.state == REPLY_REFUSED)
        return 0;
    MUST(whole.head_at + whole.head_n + whole.body_n <= bytes.n);
    MUST(whole.body_n <= limits.body_bytes && whole.head.status >= 200);
    check_head(str_first(str_from(bytes, whole.head_at), whole.head_n));
    if (whole.framing.kind == FRAMING_CHUNKED)
        check_chunks(&whole,
                     str_first(str_from(bytes, whole.head_at + whole.head_n), whole.body_n));
    return 0;
}
