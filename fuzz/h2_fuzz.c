/* SPDX-License-Identifier: Apache-2.0 */
/* Input: a byte that says how to cut, then what a server of HTTP/2 sends after our request; with
 * the byte's top bit its first SETTINGS stand there already. Properties: the result is the same fed
 * whole, byte by byte and in pieces, into much room or little; an answer that has a head is
 * HTTP/1.1's text for every reader; limits hold: of the heads, of what we owe, of the
 * frames that bring nothing; and a connection that may be asked again takes the next request. */
#include "net/h2.h"

#include "base/buf.h"
#include "fuzz.h"
#include "net/reply.h"

enum { HEAD_BYTES = 1000, LINES = 12, MOST_BYTES = 20000, ROOM = 4096 };

static const struct h2_limits limits = {.head_bytes = HEAD_BYTES, .header_count = LINES};

struct result {
    enum h2_state state;
    const char *why;
    bool has_head, may_ask;
    size_t pending;
    struct buf text;
};

static struct str request_of(unsigned how)
{
    return how & 0x40 ? STR("HEAD /a HTTP/1.1\r\nHost: x.test\r\n\r\n")
                      : STR("GET /a HTTP/1.1\r\nHost: x.test\r\n\r\n");
}

/* The session of one connection, to the end of its bytes. */
static struct result run(struct str bytes, unsigned how, size_t step, size_t room)
{
    static char to[ROOM];
    struct result r = {0};
    struct h2 *h = h2_open(&limits);
    MUST(h != NULL);
    buf_init(&r.text, HEAD_BYTES * 2 + MOST_BYTES);
    MUST(h2_ask(h, request_of(how)) == H2_ASKED);
    while (bytes.n) {
        size_t n;
        struct str piece = str_first(bytes, step);
        (void)h2_take(h, piece, to, room, &n);
        do {
            MUST(n <= room);
            buf_add(&r.text, str_make(to, n));
            n = h2_give(h, to, room);
        } while (n);
        MUST(h2_pending(h).n <= H2_PENDING_BYTES);
        bytes = str_from(bytes, piece.n);
    }
    r.may_ask = h2_may_ask(h);
    r.state = h2_end(h);
    r.why = h2_why(h);
    r.has_head = h2_has_head(h);
    r.pending = h2_pending(h).n;
    MUST(r.state != H2_NOMEM && buf_rc(&r.text) == RC_OK);
    h2_close(h);
    return r;
}

static void check_same(const struct result *a, const struct result *b)
{
    MUST(a->state == b->state && a->why == b->why && a->has_head == b->has_head);
    MUST(a->may_ask == b->may_ask && a->pending == b->pending);
    MUST(str_eq(buf_str(&a->text), buf_str(&b->text)));
}

/* Every field has a name, and its line ends nowhere but at its end. */
static size_t count_fields(struct str head)
{
    struct head_field f;
    size_t count = 0, lines = 0;
    for (struct str rest = head; head_next(&rest, &f);) {
        MUST(!f.is_folded && f.name.n > 0);
        count++;
    }
    for (size_t i = 0; i < head.n; i++)
        lines += head.p[i] == '\n';
    MUST(lines == count + 2);
    return count;
}

/* With limits that leave the judgement to h2.h. */
static void check_text(const struct result *r, bool to_head)
{
    static const struct reply_limits wide = {HEAD_BYTES * 4, HEAD_BYTES * 4, LINES * 4, MOST_BYTES,
                                             MOST_BYTES};
    struct reply reply;
    struct str all = buf_str(&r->text);
    reply_init(&reply, &wide, to_head);
    reply.is_h2 = true;
    if (reply_read(&reply, all) == REPLY_REFUSED)
        return;
    MUST(reply.in_body && reply.head.status >= 200);
    MUST(reply.head_at + reply.head_n <= HEAD_BYTES + 2 * LINES);
    MUST(count_fields(str_first(str_from(all, reply.head_at), reply.head_n)) <= LINES);
    MUST(reply.body_n + reply.head_at + reply.head_n == all.n);
    MUST(r->state != H2_ENDED || reply_end(&reply, true) == REPLY_WHOLE);
}

static void check(struct str bytes, unsigned how)
{
    size_t step = 2 + (how & 0x3f);
    struct result whole = run(bytes, how, H2_TAKE_BYTES, ROOM);
    struct result single = run(bytes, how, 1, ROOM);
    struct result pieces = run(bytes, how, step, 1 + step % 5);
    check_same(&whole, &single);
    check_same(&whole, &pieces);
    MUST(whole.state <= H2_ENDED || whole.why);
    MUST(!whole.may_ask || whole.state == H2_ENDED);
    if (whole.has_head)
        check_text(&whole, how & 0x40);
    buf_done(&whole.text);
    buf_done(&single.text);
    buf_done(&pieces.text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char settings[] = "\0\0\0\4\0\0\0\0";
    char room[MOST_BYTES];
    struct buf bytes = buf_on(room, sizeof room);
    if (size < 1 || size > MOST_BYTES - sizeof settings)
        return 0;
    if (data[0] & 0x80)
        buf_add(&bytes, str_make(settings, sizeof settings));
    buf_add(&bytes, str_make((const char *)data + 1, size - 1));
    check(buf_str(&bytes), data[0]);
    return 0;
}
