/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of a head that contradict each other, or the body behind them: two lengths, impossible
 * ones, too long, too short, two framings, two places to go.
 *
 * Tell-tales as in header.c. A wrong length is made so that the usual lenient reading of it (stop
 * at the first odd character, wrap around, ignore) gives the page, and with it the link to
 * ".../bad". The connection stays open wherever a client could believe that the answer was
 * complete. */
#include "faults/catalog.h"
#include "faults/fact.h"
#include "faults/tell.h"

enum { SHORT_BY = 1000 };

/* F14 */
static void two_lengths(const struct fault_query *q, struct reply *r)
{
    struct tell_room page;
    struct str body = tell_text(q, &page, "two lengths", "/told/two/bad");
    tell_head(r, 200, "Content-Length: %zu\r\nContent-Length: %zu\r\n", body.n, body.n / 2);
    reply_send(r, body);
}

static void two_lengths_longer_last(const struct fault_query *q, struct reply *r)
{
    struct tell_room page;
    struct str body = tell_text(q, &page, "two lengths", "/told/last/bad");
    tell_head(r, 200, "Content-Length: 5\r\nContent-Length: %zu\r\n", body.n);
    reply_send(r, body);
}

static void same_lengths(const struct fault_query *q, struct reply *r)
{
    struct tell_room page;
    struct str body = tell_text(q, &page, "one length, twice", "/told/same/part");
    tell_head(r, 200, "Content-Length: %zu\r\nContent-Length: %zu\r\n", body.n, body.n);
    reply_send(r, body);
}

static bool f14_answer(const struct fault_query *q, struct reply *r)
{
    static const struct tell_row rows[] = {
        {"/two", 200, two_lengths},
        {"/last", 200, two_lengths_longer_last},
        {"/same", 200, same_lengths},
        {0},
    };
    return tell_by_path(rows, q, r);
}

static const struct fault_case f14_cases[] = {
    {"", "/two", "two Content-Length, the first one right"},
    {"", "/last", "two Content-Length, the last one right"},
    {"", "/same", "one Content-Length, said twice; reading it is the crawler's choice"},
    {0},
};
static const struct expect f14_expects[] = {
    {EXPECT_FETCHED, "", "/two", 0, "the page was not tried"},
    {EXPECT_FETCHED, "", "/last", 0, "the page was not tried"},
    {EXPECT_NEVER, "", "/told/two/bad", 0, "it chose one of two lengths"},
    {EXPECT_NEVER, "", "/told/last/bad", 0, "it chose one of two lengths"},
    {EXPECT_NO_REUSE, "", "/two", 0, "the connection was used on, its bytes being in doubt"},
    {EXPECT_NO_REUSE, "", "/last", 0, "the connection was used on, its bytes being in doubt"},
    {EXPECT_AT_MOST, "", "/two", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/last", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/same", TELL_TRIES, "it tried again without end"},
    {0},
};

/* F15: what stands around the right number. */
struct odd_length {
    const char *path;
    const char *link;
    const char *before;
    size_t add; /* to the number */
    const char *behind;
    bool no_number; /* only `before` */
    bool again;     /* a comma and the number once more */
    bool closes;    /* a client that ignores the field reads until the end */
};

static const struct odd_length odd_lengths[] = {
    {"/negative", "/told/negative/bad", "-5", .no_number = true, .closes = true},
    {"/plus", "/told/plus/bad", "+"},
    {"/letters", "/told/letters/bad", .behind = "abc"},
    {"/overflow", "/told/overflow/part", "1844674407370955", 1616}, /* 2^64 more than the number */
    {"/hex", "/told/hex/bad", "0x400", .no_number = true, .closes = true},
    {"/empty", "/told/empty/bad", .no_number = true, .closes = true},
    {"/list-differs", "/told/list-differs/bad", .behind = ", 6"},
    {"/list-same", "/told/list-same/good", .again = true},
};

static void length_value(const struct odd_length *row, size_t n, struct buf *out)
{
    buf_add(out, str_c(row->before));
    if (!row->no_number)
        buf_u64(out, n + row->add);
    buf_add(out, str_c(row->behind));
    if (row->again)
        buf_printf(out, ", %zu", n);
}

static bool f15_answer(const struct fault_query *q, struct reply *r)
{
    char room[64];
    struct buf value = buf_on(room, sizeof room);
    struct tell_room page;
    for (size_t i = 0; i < sizeof odd_lengths / sizeof *odd_lengths; i++) {
        const struct odd_length *row = &odd_lengths[i];
        if (!query_path_is(q, row->path))
            continue;
        struct str body = tell_text(q, &page, "an odd length", row->link);
        length_value(row, body.n, &value);
        tell_head(r, 200, "Content-Length: " STR_FMT "\r\n", STR_ARG(buf_str(&value)));
        reply_send(r, body);
        if (row->closes)
            reply_close(r);
        return true;
    }
    return false;
}

static const struct fault_case f15_cases[] = {
    {"", "/negative", "Content-Length: -5"},
    {"", "/plus", "a plus sign before the right number"},
    {"", "/letters", "letters behind the right number"},
    {"", "/overflow", "two to the 64th more than the right number"},
    {"", "/hex", "a hexadecimal number"},
    {"", "/empty", "no number at all"},
    {"", "/list-differs", "a list of two different numbers"},
    {"", "/list-same", "a list of the right number twice: that is one value"},
    {0},
};
static const struct expect f15_expects[] = {
    {EXPECT_FETCHED, "", "/negative", 0, "the page was not tried"},
    {EXPECT_FETCHED, "", "/plus", 0, "the page was not tried"},
    {EXPECT_FETCHED, "", "/letters", 0, "the page was not tried"},
    {EXPECT_FETCHED, "", "/overflow", 0, "the page was not tried"},
    {EXPECT_FETCHED, "", "/list-differs", 0, "the page was not tried"},
    {EXPECT_NEVER, "", "/told/negative/bad", 0, "a negative length was accepted"},
    {EXPECT_NEVER, "", "/told/plus/bad", 0, "a length with a sign was accepted"},
    {EXPECT_NEVER, "", "/told/letters/bad", 0, "a length followed by letters was accepted"},
    {EXPECT_NEVER, "", "/told/hex/bad", 0, "a hexadecimal length was accepted"},
    {EXPECT_NEVER, "", "/told/empty/bad", 0, "an empty length was accepted"},
    {EXPECT_NEVER, "", "/told/list-differs/bad", 0, "it chose one of two lengths"},
    {EXPECT_FETCHED, "", "/told/list-same/good", 0, "one length said twice was refused"},
    {EXPECT_NO_REUSE, "", "/plus", 0, "the connection was used on, its bytes being in doubt"},
    {EXPECT_NO_REUSE, "", "/letters", 0, "the connection was used on, its bytes being in doubt"},
    {EXPECT_NO_REUSE, "", "/overflow", 0, "a length wrapped around at 64 bits"},
    {EXPECT_NO_REUSE, "", "/list-differs", 0,
     "the connection was used on, its bytes being in doubt"},
    {EXPECT_AT_MOST, "", "/negative", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/plus", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/letters", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/overflow", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/hex", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/empty", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/list-differs", TELL_TRIES, "it tried again without end"},
    {0},
};

/* F16: /short/page brings the very bytes of /whole/page and promises more. Their link is relative:
 * a crawler that takes the first for whole, and the second for its copy, misses /whole/good. */
static struct str page_with_relative_link(const struct fault_query *q, struct tell_room *in)
{
    struct buf b = buf_on(in->bytes, sizeof in->bytes);
    buf_printf(&b,
               "<!DOCTYPE html>\n<title>%s: whole or not</title>\n<p><a href=\"good\">next "
               "door</a> is a page that only a reader of this one finds.</p>\n",
               q->fault->id);
    return buf_str(&b);
}

static void too_short(const struct fault_query *q, struct reply *r)
{
    struct tell_room page;
    struct str body = page_with_relative_link(q, &page);
    tell_head(r, 200, "ETag: \"f16-short\"\r\nContent-Length: %zu\r\n", body.n + SHORT_BY);
    reply_send(r, body);
    reply_close(r);
}

static void not_short(const struct fault_query *q, struct reply *r)
{
    struct tell_room page;
    tell_answer(q, r, 200, TELL_HTML, STR(""), page_with_relative_link(q, &page));
}

static void next_door(const struct fault_query *q, struct reply *r)
{
    tell_page(q, r, "next door", "");
}

static void no_body(const struct fault_query *q, struct reply *r)
{
    (void)q;
    tell_head(r, 200, "ETag: \"f16-none\"\r\nContent-Length: %d\r\n", SHORT_BY);
    reply_close(r);
}

static bool f16_answer(const struct fault_query *q, struct reply *r)
{
    static const struct tell_row rows[] = {
        {"/short/page", 200, too_short}, {"/short/good", 200, next_door},
        {"/whole/page", 200, not_short}, {"/whole/good", 200, next_door},
        {"/none", 200, no_body},         {0},
    };
    return tell_by_path(rows, q, r);
}

static const struct fault_case f16_cases[] = {
    {"", "/short/page", "a thousand bytes less than promised, then the end"},
    {"", "/whole/page", "the same bytes, and no more promised: a whole page"},
    {"", "/none", "a thousand bytes promised, none sent"},
    {0},
};
static const struct expect f16_expects[] = {
    {EXPECT_FETCHED, "", "/short/page", 0, "the page was not tried"},
    {EXPECT_FETCHED, "", "/whole/good", 0, "a whole page was taken for a copy of half a page"},
    {EXPECT_NO_FACT, "", "/short/page", FACT_CONDITION, "half a page was kept as if it were whole"},
    {EXPECT_NO_FACT, "", "/none", FACT_CONDITION, "half a page was kept as if it were whole"},
    {EXPECT_AT_MOST, "", "/short/page", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/short/good", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/whole/page", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/none", TELL_TRIES, "it tried again without end"},
    {0},
};

/* F17 */
static void extra_answer(const struct fault_query *q, struct reply *r)
{
    struct tell_room page, extra;
    struct str body = tell_text(q, &page, "and one more", "/told/answer/good");
    struct str more = tell_text(q, &extra, "nobody asked for this", "/told/answer/bad");
    tell_head(r, 200, "Content-Length: %zu\r\n", body.n);
    reply_send(r, body);
    tell_head(r, 200, "Content-Length: %zu\r\n", more.n);
    reply_send(r, more);
}

static void extra_text(const struct fault_query *q, struct reply *r)
{
    struct tell_room page, extra;
    struct str body = tell_text(q, &page, "and some more", "/told/text/good");
    tell_head(r, 200, "Content-Length: %zu\r\n", body.n);
    reply_send(r, body);
    reply_send(r, tell_text(q, &extra, "past its own length", "/told/text/bad"));
}

static bool f17_answer(const struct fault_query *q, struct reply *r)
{
    static const struct tell_row rows[] = {
        {"/answer", 200, extra_answer},
        {"/text", 200, extra_text},
        {0},
    };
    return tell_by_path(rows, q, r);
}

static const struct fault_case f17_cases[] = {
    {"", "/answer", "a page with a whole second answer behind it"},
    {"", "/text", "a page that goes on behind its length"},
    {0},
};
static const struct expect f17_expects[] = {
    {EXPECT_FETCHED, "", "/told/answer/good", 0, "the page within its length was not read"},
    {EXPECT_FETCHED, "", "/told/text/good", 0, "the page within its length was not read"},
    {EXPECT_NEVER, "", "/told/answer/bad", 0,
     "leftover bytes became the answer to another request"},
    {EXPECT_NEVER, "", "/told/text/bad", 0, "it read past the length of the body"},
    {EXPECT_NO_REUSE, "", "/answer", 0, "a connection with leftover bytes was used on"},
    {EXPECT_NO_REUSE, "", "/text", 0, "a connection with leftover bytes was used on"},
    {EXPECT_AT_MOST, "", "/answer", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/text", TELL_TRIES, "it tried again without end"},
    {0},
};

/* F18: read by its length, the body begins with a link that stands in a chunk extension. */
static void both_framings(const struct fault_query *q, struct reply *r, const char *name,
                          bool length_first)
{
    struct tell_room page;
    char good[32], length[32];
    struct buf link = buf_on(good, sizeof good - 1);
    struct buf field = buf_on(length, sizeof length - 1);
    buf_printf(&link, "/told/%s/good", name);
    good[link.n] = 0;
    struct str body = tell_text(q, &page, "two framings", good);
    buf_printf(&field, "Content-Length: %zu\r\n", body.n);
    length[field.n] = 0;
    tell_head(r, 200, "%sTransfer-Encoding: chunked\r\n%s", length_first ? length : "",
              length_first ? "" : length);
    reply_sendf(r, "%zx;x=\"<a href='" STR_FMT "/told/%s/bad'>x</a>\"\r\n", body.n,
                STR_ARG(q->mount), name);
    reply_send(r, body);
    reply_send(r, STR("\r\n0\r\n\r\n"));
}

static void chunked_then_length(const struct fault_query *q, struct reply *r)
{
    both_framings(q, r, "chunked", false);
}

static void length_then_chunked(const struct fault_query *q, struct reply *r)
{
    both_framings(q, r, "length", true);
}

static bool f18_answer(const struct fault_query *q, struct reply *r)
{
    static const struct tell_row rows[] = {
        {"/chunked", 200, chunked_then_length},
        {"/length", 200, length_then_chunked},
        {0},
    };
    return tell_by_path(rows, q, r);
}

static const struct fault_case f18_cases[] = {
    {"", "/chunked", "Transfer-Encoding, then Content-Length"},
    {"", "/length", "Content-Length, then Transfer-Encoding"},
    {0},
};
static const struct expect f18_expects[] = {
    {EXPECT_FETCHED, "", "/told/chunked/good", 0, "Transfer-Encoding did not win"},
    {EXPECT_FETCHED, "", "/told/length/good", 0, "Transfer-Encoding did not win"},
    {EXPECT_NEVER, "", "/told/chunked/bad", 0, "chunks were read as text"},
    {EXPECT_NEVER, "", "/told/length/bad", 0, "chunks were read as text"},
    {EXPECT_NO_REUSE, "", "/chunked", 0, "the connection was used on, its bytes being in doubt"},
    {EXPECT_NO_REUSE, "", "/length", 0, "the connection was used on, its bytes being in doubt"},
    {EXPECT_AT_MOST, "", "/chunked", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/length", TELL_TRIES, "it tried again without end"},
    {0},
};

/* F19 */
static void two_locations(const struct fault_query *q, struct reply *r)
{
    reply_sendf(r,
                "HTTP/1.1 302 Found\r\nLocation: " STR_FMT "/told/two/first\r\nLocation: " STR_FMT
                "/told/two/bad\r\nContent-Length: 0\r\n\r\n",
                STR_ARG(q->mount), STR_ARG(q->mount));
}

static void same_locations(const struct fault_query *q, struct reply *r)
{
    reply_sendf(r,
                "HTTP/1.1 302 Found\r\nLocation: " STR_FMT "/told/same/part\r\nLocation: " STR_FMT
                "/told/same/part\r\nContent-Length: 0\r\n\r\n",
                STR_ARG(q->mount), STR_ARG(q->mount));
}

static bool f19_answer(const struct fault_query *q, struct reply *r)
{
    static const struct tell_row rows[] = {
        {"/two", 302, two_locations},
        {"/same", 302, same_locations},
        {0},
    };
    return tell_by_path(rows, q, r);
}

static const struct fault_case f19_cases[] = {
    {"", "/two", "a redirect to two places"},
    {"", "/same", "a redirect to one place, said twice"},
    {0},
};
static const struct expect f19_expects[] = {
    {EXPECT_FETCHED, "", "/two", 0, "the page was not tried"},
    {EXPECT_NEVER, "", "/told/two/bad", 0, "it took the second of two places"},
    {EXPECT_AT_MOST, "", "/two", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/same", TELL_TRIES, "it tried again without end"},
    {0},
};

const struct fault faults_clash[] = {
    {"F14", "hdr", "says two different Content-Length",
     "rejects the answer and closes the connection: nobody knows where it ends", NULL, f14_cases,
     f14_expects, f14_answer, true},
    {"F15", "hdr",
     "says a Content-Length that is none: negative, with a sign, with letters, past 64 bits, "
     "hexadecimal, empty, a list",
     "rejects the answer and closes the connection; only a list of one and the same number is that "
     "number. One past 64 bits may also count as more than will ever come, but never wraps around; "
     "we reject it",
     NULL, f15_cases, f15_expects, f15_answer, true},
    {"F16", "hdr", "closes the connection before the promised length has come",
     "treats what came as truncated: never revalidated as whole, never the original that a whole "
     "page is a copy of. We keep it and follow its links",
     NULL, f16_cases, f16_expects, f16_answer, true},
    {"F17", "hdr", "sends more bytes than its Content-Length says",
     "takes exactly that many and never uses the connection again", NULL, f17_cases, f17_expects,
     f17_answer, true},
    {"F18", "hdr", "says both Transfer-Encoding and Content-Length",
     "reads the chunks, ignores the length, and closes the connection afterwards (RFC 9112 would "
     "have it treated as an error as well; that loses a page that many servers send)",
     NULL, f18_cases, f18_expects, f18_answer, true},
    {"F19", "hdr", "redirects with two Location fields",
     "treats it as an error or takes the first, and always the same. We take the first", NULL,
     f19_cases, f19_expects, f19_answer, true},
    {0},
};
