/* SPDX-License-Identifier: Apache-2.0 */
/* Chunked bodies that are broken, endless, or not chunked at all.
 *
 * The first chunk is always sound and holds ".../part", which may be followed; ".../bad" stands
 * behind the break, where a wrong reading of the size (wrap around, stop at the first odd
 * character, skip) finds it. */
#include "faults/catalog.h"
#include "faults/fact.h"
#include "faults/tell.h"

enum { SOME_TRAILERS = 10 };

/* F20: what stands before the right size of the second chunk, and around it. */
struct odd_size {
    const char *path;
    const char *part, *bad;
    const char *before, *behind; /* the size, in hexadecimal */
    bool no_size;                /* only `before` */
    bool no_crlf;                /* the second chunk is not parted from the first by CR LF */
    bool goes_on; /* a third one holds the rest of its link, which is whole to none but a reader
                     who took the size for a small one */
};

static const struct odd_size odd_sizes[] = {
    {"/garbage", "/told/garbage/part", "/told/garbage/bad", "no size at all", .no_size = true},
    {"/overflow", "/told/overflow/part", "/told/overflow/bad", "1000000000000",
     .goes_on = true}, /* 2^64 more than it is */
    {"/negative", "/told/negative/part", "/told/negative/bad", "-"},
    {"/prefix", "/told/prefix/part", "/told/prefix/bad", "0x"},
    {"/letters", "/told/letters/part", "/told/letters/rest", .behind = "zz"},
    {"/missing-crlf", "/told/missing/part", "/told/missing/bad", .no_crlf = true},
};

/* Where a page can be cut so that its link to ".../bad" is in two pieces. */
static size_t inside_link(struct str text)
{
    return str_find_str(text, STR("/bad")) + 2;
}

static void send_odd_size(const struct fault_query *q, const struct odd_size *row, struct reply *r)
{
    struct tell_room first, second;
    struct str part = tell_text(q, &first, "a chunk that is well", row->part);
    struct str bad = tell_text(q, &second, "a chunk that is not", row->bad), rest = STR_NONE;
    if (row->goes_on) {
        rest = str_from(bad, inside_link(bad));
        bad.n -= rest.n;
    }
    tell_head(r, 200, "Transfer-Encoding: chunked\r\n");
    reply_sendf(r, "%zx\r\n", part.n);
    reply_send(r, part);
    if (!row->no_crlf)
        reply_send(r, STR("\r\n"));
    reply_sendf(r, "%s", row->before ? row->before : "");
    if (!row->no_size)
        reply_sendf(r, "%04zx", bad.n);
    reply_sendf(r, "%s\r\n", row->behind ? row->behind : "");
    reply_send(r, bad);
    reply_send(r, STR("\r\n"));
    if (row->goes_on)
        tell_chunk(r, rest);
    tell_chunk(r, STR(""));
}

static bool f20_answer(const struct fault_query *q, struct reply *r)
{
    for (size_t i = 0; i < sizeof odd_sizes / sizeof *odd_sizes; i++) {
        if (query_path_is(q, odd_sizes[i].path)) {
            send_odd_size(q, &odd_sizes[i], r);
            return true;
        }
    }
    return false;
}

static const struct fault_case f20_cases[] = {
    {"", "/garbage", "words where a size should be"},
    {"", "/overflow", "a size two to the 64th too large"},
    {"", "/negative", "a minus sign before the size"},
    {"", "/prefix", "0x before the size"},
    {"", "/letters", "letters behind the size, which some take for an extension"},
    {"", "/missing-crlf", "no CR LF between two chunks"},
    {0},
};
static const struct expect f20_expects[] = {
    {EXPECT_FETCHED, "", "/garbage", 0, "the page was not tried"},
    {EXPECT_FETCHED, "", "/overflow", 0, "the page was not tried"},
    {EXPECT_FETCHED, "", "/negative", 0, "the page was not tried"},
    {EXPECT_FETCHED, "", "/missing-crlf", 0, "the page was not tried"},
    {EXPECT_NEVER, "", "/told/garbage/bad", 0, "it read on behind a chunk without size"},
    {EXPECT_NEVER, "", "/told/overflow/bad", 0, "a chunk's size wrapped around at 64 bits"},
    {EXPECT_NEVER, "", "/told/negative/bad", 0, "a chunk's size with a sign was accepted"},
    {EXPECT_NEVER, "", "/told/prefix/bad", 0, "a chunk's size with 0x was accepted"},
    {EXPECT_NEVER, "", "/told/missing/bad", 0, "it read on where chunks are not parted"},
    {EXPECT_NO_REUSE, "", "/garbage", 0, "the connection was used on after a broken chunk"},
    {EXPECT_NO_REUSE, "", "/overflow", 0, "the connection was used on after a broken chunk"},
    {EXPECT_NO_REUSE, "", "/negative", 0, "the connection was used on after a broken chunk"},
    {EXPECT_NO_REUSE, "", "/prefix", 0, "the connection was used on after a broken chunk"},
    {EXPECT_NO_REUSE, "", "/missing-crlf", 0, "the connection was used on after a broken chunk"},
    {EXPECT_AT_MOST, "", "/garbage", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/overflow", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/negative", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/prefix", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/letters", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/missing-crlf", TELL_TRIES, "it tried again without end"},
    {0},
};

/* F21 */
static void endless_chunks(const struct fault_query *q, struct reply *r)
{
    struct tell_room page;
    tell_head(r, 200, "Transfer-Encoding: chunked\r\n");
    tell_chunk(r, tell_text(q, &page, "chunks without end", "/told/endless/part"));
    reply_repeat(
        r, STR("40\r\n<p>A chunk of sixty-four bytes, and not by far the last one.</p>\r\n"), 0);
    reply_close(r);
}

static void no_last_chunk(const struct fault_query *q, struct reply *r)
{
    struct tell_room page;
    tell_head(r, 200, "ETag: \"f21-last\"\r\nTransfer-Encoding: chunked\r\n");
    tell_chunk(r, tell_text(q, &page, "no last chunk", "/told/no-last/part"));
    reply_close(r);
}

static void half_a_chunk(const struct fault_query *q, struct reply *r)
{
    struct tell_room page;
    struct str body = tell_text(q, &page, "half a chunk", "/told/half/part");
    tell_head(r, 200, "ETag: \"f21-half\"\r\nTransfer-Encoding: chunked\r\n");
    reply_sendf(r, "%zx\r\n", 2 * body.n);
    reply_send(r, body);
    reply_close(r);
}

static bool f21_answer(const struct fault_query *q, struct reply *r)
{
    static const struct tell_row rows[] = {
        {"/endless", 200, endless_chunks},
        {"/no-last", 200, no_last_chunk},
        {"/half", 200, half_a_chunk},
        {0},
    };
    return tell_by_path(rows, q, r);
}

static const struct fault_case f21_cases[] = {
    {"", "/endless", "chunks without end"},
    {"", "/no-last", "the connection ends before the last chunk"},
    {"", "/half", "the connection ends inside a chunk"},
    {0},
};
static const struct expect f21_expects[] = {
    {EXPECT_FETCHED, "", "/endless", 0, "the page was not tried"},
    {EXPECT_FETCHED, "", "/no-last", 0, "the page was not tried"},
    {EXPECT_FETCHED, "", "/half", 0, "the page was not tried"},
    {EXPECT_BYTES, "", "/endless", 0, "it has no limit for the size of a chunked body"},
    {EXPECT_NO_FACT, "", "/no-last", FACT_CONDITION, "half a page was kept as if it were whole"},
    {EXPECT_NO_FACT, "", "/half", FACT_CONDITION, "half a page was kept as if it were whole"},
    {EXPECT_AT_MOST, "", "/endless", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/no-last", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/half", TELL_TRIES, "it tried again without end"},
    {0},
};

/* F22 */
static void plain_page(const struct fault_query *q, struct reply *r)
{
    struct tell_room page;
    tell_head(r, 200, "Transfer-Encoding: chunked\r\nConnection: close\r\n");
    reply_send(r, tell_text(q, &page, "no chunks here", "/told/plain/part"));
    reply_close(r);
}

/* "Fac" is a size in hexadecimal, "e" too; what follows is not. */
static void plain_like_a_size(const struct fault_query *q, struct reply *r)
{
    struct tell_room page;
    tell_head(r, 200, "Transfer-Encoding: chunked\r\nConnection: close\r\n");
    reply_send(r, STR("Face to face with a body that only begins like a chunk.\r\n"));
    reply_send(r, tell_text(q, &page, "no chunks here", "/told/like/part"));
    reply_close(r);
}

static bool f22_answer(const struct fault_query *q, struct reply *r)
{
    static const struct tell_row rows[] = {
        {"/plain", 200, plain_page},
        {"/like", 200, plain_like_a_size},
        {0},
    };
    return tell_by_path(rows, q, r);
}

static const struct fault_case f22_cases[] = {
    {"", "/plain", "a plain page that calls itself chunked"},
    {"", "/like", "the same, beginning with letters that could be a size"},
    {"", "/told/after", "a healthy page"},
    {0},
};
static const struct expect f22_expects[] = {
    {EXPECT_FETCHED, "", "/plain", 0, "the page was not tried"},
    {EXPECT_FETCHED, "", "/like", 0, "the page was not tried"},
    {EXPECT_FETCHED, "", "/told/after", 0, "a wrong header cost other pages of the host"},
    {EXPECT_AT_MOST, "", "/plain", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/like", TELL_TRIES, "it tried again without end"},
    {0},
};

/* F23 */
static void some_trailers(const struct fault_query *q, struct reply *r)
{
    struct tell_room page;
    tell_head(r, 200, "Transfer-Encoding: chunked\r\nTrailer: X-Sum\r\n");
    tell_chunk(r, tell_text(q, &page, "some trailers", "/told/some/good"));
    reply_send(r, STR("0\r\nX-Sum: 17\r\nSet-Cookie: trailer=yes\r\n"));
    for (unsigned i = 0; i < SOME_TRAILERS; i++)
        reply_sendf(r, "X-Trailer-%u: %u\r\n", i, i);
    reply_send(r, STR("\r\n"));
}

static void endless_trailers(const struct fault_query *q, struct reply *r)
{
    struct tell_room page;
    tell_head(r, 200, "Transfer-Encoding: chunked\r\n");
    tell_chunk(r, tell_text(q, &page, "endless trailers", "/told/endless/part"));
    reply_send(r, STR("0\r\n"));
    reply_repeat(r, STR("X-Trailer: one more line behind the body, and never the last one\r\n"), 0);
    reply_close(r);
}

static void nul_in_trailer(const struct fault_query *q, struct reply *r)
{
    struct tell_room page;
    tell_head(r, 200, "Transfer-Encoding: chunked\r\n");
    tell_chunk(r, tell_text(q, &page, "a NUL in a trailer", "/told/nul/part"));
    reply_send(r, STR("0\r\nX-Trailer: one\0two\r\n\r\n"));
}

/* Whoever looks for "chunked" anywhere in the list reads a page with a link to "order/bad". Whoever
 * reads until the end, as RFC 9112 6.3 has it, and shows the bytes as they are, finds another. */
static void chunked_first(const struct fault_query *q, struct reply *r)
{
    struct tell_room page;
    tell_head(r, 200, "Transfer-Encoding: chunked, gzip\r\nConnection: close\r\n");
    struct str text = tell_text(q, &page, "chunked not last", "/told/order/bad");
    tell_chunk(r, str_first(text, inside_link(text)));
    tell_chunk(r, str_from(text, inside_link(text)));
    tell_chunk(r, STR(""));
    reply_close(r);
}

static void chunked_twice(const struct fault_query *q, struct reply *r)
{
    struct tell_room page;
    tell_head(r, 200, "Transfer-Encoding: chunked, chunked\r\nConnection: close\r\n");
    tell_chunk(r, tell_text(q, &page, "chunked twice", "/told/twice/part"));
    tell_chunk(r, STR(""));
    reply_close(r);
}

static bool f23_answer(const struct fault_query *q, struct reply *r)
{
    static const struct tell_row rows[] = {
        {"/some", 200, some_trailers},  {"/endless", 200, endless_trailers},
        {"/nul", 200, nul_in_trailer},  {"/order", 200, chunked_first},
        {"/twice", 200, chunked_twice}, {0},
    };
    return tell_by_path(rows, q, r);
}

static const struct fault_case f23_cases[] = {
    {"", "/some", "a dozen trailers, one of which sets a cookie"},
    {"", "/endless", "trailers without end"},
    {"", "/nul", "a NUL in a trailer"},
    {"", "/order", "Transfer-Encoding: chunked, gzip"},
    {"", "/twice", "Transfer-Encoding: chunked, chunked"},
    {0},
};
static const struct expect f23_expects[] = {
    {EXPECT_FETCHED, "", "/told/some/good", 0, "a few trailers cost the page"},
    {EXPECT_NO_FACT, "", "*", FACT_COOKIE, "a cookie was taken from a trailer"},
    {EXPECT_FETCHED, "", "/endless", 0, "the page was not tried"},
    {EXPECT_BYTES, "", "/endless", 0, "it has no limit for the size of trailers"},
    {EXPECT_FETCHED, "", "/order", 0, "the page was not tried"},
    {EXPECT_NEVER, "", "/told/order/bad", 0, "codings in the wrong order were accepted"},
    {EXPECT_AT_MOST, "", "/some", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/endless", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/nul", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/order", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/twice", TELL_TRIES, "it tried again without end"},
    {0},
};

const struct fault faults_chunk[] = {
    {"F20", "chunk",
     "sends a sound chunk and then one whose size is garbage, too large for 64 bits, or that is "
     "not parted from the one before",
     "ends the answer there as truncated, adds no byte of what follows to it, and closes the "
     "connection. We keep the sound part and follow its links",
     NULL, f20_cases, f20_expects, f20_answer, true},
    {"F21", "chunk", "sends chunks without end, or closes the connection before the last one",
     "has a limit for the size of a body; a body without its last chunk is truncated and never "
     "revalidated as whole",
     NULL, f21_cases, f21_expects, f21_answer, true},
    {"F22", "chunk", "says Transfer-Encoding: chunked and sends a plain body",
     "sees it by the first bytes, keeps the body as it came and notes it. Whether its links are "
     "followed is open; we follow them",
     NULL, f22_cases, f22_expects, f22_answer, true},
    {"F23", "chunk",
     "sends trailers, odd ones and endless ones; or says chunked where it is not the last coding",
     "ignores trailers within a limit and takes nothing from them; rejects codings in an order "
     "that has no end mark. We reject NUL in a trailer and chunked said twice too",
     NULL, f23_cases, f23_expects, f23_answer, true},
    {0},
};
