/* SPDX-License-Identifier: Apache-2.0 */
/* Heads that break the grammar of RFC 9112. What contradicts itself stands in clash.c.
 *
 * A tell-tale ".../good" stands where every crawler must look, ".../bad" where only one looks that
 * read the head wrongly; ".../part" is the crawler's choice. Odd answers leave the connection open,
 * so that a crawler which takes it for its next request shows. */
#include "faults/catalog.h"
#include "faults/tell.h"

enum {
    LONG_LINE_BYTES = 128 * 1024, /* a little more than the 100 KB that others allow */
    MANY_LINES = 6000,
    SOME_LINES = 60,
};

/* F10 */
static void endless_lines(const struct fault_query *q, struct reply *r)
{
    (void)q;
    reply_send(r, STR("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"));
    reply_repeat(r, STR("X-Another: and another one, of which there is no last one\r\n"), 0);
    reply_close(r);
}

static void endless_line(const struct fault_query *q, struct reply *r)
{
    (void)q;
    reply_send(r, STR("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Long: "));
    reply_repeat(r, STR("this line has no end, and neither has the word that stands in it; "), 0);
    reply_close(r);
}

static void long_line(const struct fault_query *q, struct reply *r)
{
    struct tell_room page;
    struct str body = tell_text(q, &page, "behind a long line", "/told/long/part");
    reply_send(r, STR("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Long: "));
    tell_filler(r, LONG_LINE_BYTES);
    reply_sendf(r, "\r\nContent-Length: %zu\r\n\r\n", body.n);
    reply_send(r, body);
}

static void lines(const struct fault_query *q, struct reply *r, unsigned count, const char *link)
{
    struct tell_room page;
    struct str body = tell_text(q, &page, "behind many lines", link);
    reply_send(r, STR("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"));
    for (unsigned i = 0; i < count; i++)
        reply_sendf(r, "X-Line-%u: %u\r\n", i, i);
    reply_sendf(r, "Content-Length: %zu\r\n\r\n", body.n);
    reply_send(r, body);
}

static void many_lines(const struct fault_query *q, struct reply *r)
{
    lines(q, r, MANY_LINES, "/told/many/part");
}

static void some_lines(const struct fault_query *q, struct reply *r)
{
    lines(q, r, SOME_LINES, "/told/some/good");
}

static bool f10_answer(const struct fault_query *q, struct reply *r)
{
    static const struct tell_row rows[] = {
        {"/endless-lines", 200, endless_lines},
        {"/endless-line", 200, endless_line},
        {"/long", 200, long_line},
        {"/many", 200, many_lines},
        {"/some", 200, some_lines},
        {0},
    };
    return tell_by_path(rows, q, r);
}

static const struct fault_case f10_cases[] = {
    {"", "/endless-lines", "header lines without end"},
    {"", "/endless-line", "one header line without end"},
    {"", "/long", "a header line of 128 KiB; whether the page is read is the crawler's choice"},
    {"", "/many", "6000 header lines; whether the page is read is the crawler's choice"},
    {"", "/some", "60 header lines, which is nothing odd"},
    {0},
};
static const struct expect f10_expects[] = {
    {EXPECT_FETCHED, "", "/endless-lines", 0, "the page was not tried"},
    {EXPECT_FETCHED, "", "/endless-line", 0, "the page was not tried"},
    {EXPECT_BYTES, "", "/endless-lines", 0, "it has no limit for the size of a head"},
    {EXPECT_BYTES, "", "/endless-line", 0, "it has no limit for the length of a header line"},
    {EXPECT_FETCHED, "", "/told/some/good", 0, "a head of ordinary size was refused"},
    {EXPECT_AT_MOST, "", "/endless-lines", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/endless-line", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/long", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/some", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/many", TELL_TRIES, "it tried again without end"},
    {0},
};

/* F11: a redirect that only exists for whoever ends a line, or a string, at the wrong byte. */
static void nul_in_location(const struct fault_query *q, struct reply *r)
{
    reply_sendf(r, "HTTP/1.1 302 Found\r\nLocation: " STR_FMT "/told/nul/bad", STR_ARG(q->mount));
    reply_send(r, STR("\0.html\r\nContent-Length: 0\r\n\r\n"));
}

static void bare_cr(const struct fault_query *q, struct reply *r)
{
    reply_sendf(r,
                "HTTP/1.1 302 Found\r\nX-Odd: one\rLocation: " STR_FMT
                "/told/cr/bad\r\nContent-Length: 0\r\n\r\n",
                STR_ARG(q->mount));
}

static void odd_line(const struct fault_query *q, struct reply *r, struct str line,
                     const char *link)
{
    struct tell_room page;
    struct str body = tell_text(q, &page, "behind an odd line", link);
    reply_send(r, STR("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"));
    reply_send(r, line);
    reply_sendf(r, "Content-Length: %zu\r\n\r\n", body.n);
    reply_send(r, body);
}

static void nul_in_value(const struct fault_query *q, struct reply *r)
{
    odd_line(q, r, STR("X-Odd: one\0two\r\n"), "/told/value/part");
}

static void nul_in_name(const struct fault_query *q, struct reply *r)
{
    odd_line(q, r, STR("X-O\0dd: one\r\n"), "/told/name/part");
}

static void control_byte(const struct fault_query *q, struct reply *r)
{
    odd_line(q, r, STR("X-Odd: \x01\x02\x1b[31m\x7f\r\n"), "/told/control/part");
}

static bool f11_answer(const struct fault_query *q, struct reply *r)
{
    static const struct tell_row rows[] = {
        {"/nul", 302, nul_in_location},    {"/cr", 302, bare_cr},
        {"/nul-value", 200, nul_in_value}, {"/nul-name", 200, nul_in_name},
        {"/control", 200, control_byte},   {0},
    };
    return tell_by_path(rows, q, r);
}

static const struct fault_case f11_cases[] = {
    {"", "/nul", "a Location with a NUL in the middle"},
    {"", "/cr", "a Location behind a bare CR, inside another field"},
    {"", "/nul-value", "a NUL in a field nobody needs"},
    {"", "/nul-name", "a NUL in a field's name"},
    {"", "/control", "control bytes in a field nobody needs"},
    {0},
};
static const struct expect f11_expects[] = {
    {EXPECT_FETCHED, "", "/nul", 0, "the page was not tried"},
    {EXPECT_FETCHED, "", "/cr", 0, "the page was not tried"},
    {EXPECT_NEVER, "", "/told/nul/bad*", 0, "a value was cut at a NUL and used"},
    {EXPECT_NEVER, "", "/told/cr/bad", 0, "a bare CR was taken for the end of a line"},
    {EXPECT_AT_MOST, "", "/nul", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/cr", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/nul-value", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/nul-name", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/control", TELL_TRIES, "it tried again without end"},
    {0},
};

/* F12 */
static void no_colon(const struct fault_query *q, struct reply *r)
{
    odd_line(q, r, STR("this line has no colon\r\n"), "/told/colon/part");
}

static void name_with_space(const struct fault_query *q, struct reply *r)
{
    odd_line(q, r, STR("Two Words: a value\r\n"), "/told/space/part");
}

static void space_before_colon(const struct fault_query *q, struct reply *r)
{
    odd_line(q, r, STR("X-Odd : a value\r\n"), "/told/before/part");
}

static void no_name(const struct fault_query *q, struct reply *r)
{
    odd_line(q, r, STR(": a value without a name\r\n"), "/told/nameless/part");
}

static bool f12_answer(const struct fault_query *q, struct reply *r)
{
    static const struct tell_row rows[] = {
        {"/no-colon", 200, no_colon},
        {"/space", 200, name_with_space},
        {"/space-before-colon", 200, space_before_colon},
        {"/no-name", 200, no_name},
        {0},
    };
    return tell_by_path(rows, q, r);
}

static const struct fault_case f12_cases[] = {
    {"", "/no-colon", "a header line without a colon"},
    {"", "/space", "a name with a space in it"},
    {"", "/space-before-colon", "a space between name and colon"},
    {"", "/no-name", "a value without a name"},
    {"", "/told/after", "a healthy page"},
    {0},
};
static const struct expect f12_expects[] = {
    {EXPECT_FETCHED, "", "/no-colon", 0, "the page was not tried"},
    {EXPECT_FETCHED, "", "/space", 0, "the page was not tried"},
    {EXPECT_FETCHED, "", "/told/after", 0, "an odd line cost other pages of the host"},
    {EXPECT_AT_MOST, "", "/no-colon", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/space", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/space-before-colon", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/no-name", TELL_TRIES, "it tried again without end"},
    {0},
};

/* F13 */
static void folded_location(const struct fault_query *q, struct reply *r)
{
    reply_sendf(r,
                "HTTP/1.1 302 Found\r\nLocation:\r\n " STR_FMT
                "/told/location/good\r\nContent-Length: 0\r\n\r\n",
                STR_ARG(q->mount));
}

static void folded_type(const struct fault_query *q, struct reply *r)
{
    struct tell_room page;
    struct str body = tell_text(q, &page, "a folded type", "/told/type/good");
    reply_sendf(r,
                "HTTP/1.1 200 OK\r\nContent-Type: text/html;\r\n\tcharset=utf-8\r\n"
                "Content-Length: %zu\r\n\r\n",
                body.n);
    reply_send(r, body);
}

static void folded_away(const struct fault_query *q, struct reply *r)
{
    reply_sendf(r,
                "HTTP/1.1 302 Found\r\nX-Odd: one\r\n Location: " STR_FMT
                "/told/away/bad\r\nContent-Length: 0\r\n\r\n",
                STR_ARG(q->mount));
}

static bool f13_answer(const struct fault_query *q, struct reply *r)
{
    static const struct tell_row rows[] = {
        {"/location", 302, folded_location},
        {"/type", 200, folded_type},
        {"/away", 302, folded_away},
        {0},
    };
    return tell_by_path(rows, q, r);
}

static const struct fault_case f13_cases[] = {
    {"", "/location", "a Location whose value stands on the next line"},
    {"", "/type", "a Content-Type in two lines"},
    {"", "/away", "a line that looks like a Location and continues another field"},
    {0},
};
static const struct expect f13_expects[] = {
    {EXPECT_FETCHED, "", "/told/location/good", 0, "a continued line was not joined"},
    {EXPECT_FETCHED, "", "/told/type/good", 0, "a continued line was not joined"},
    {EXPECT_FETCHED, "", "/away", 0, "the page was not tried"},
    {EXPECT_NEVER, "", "/told/away/bad", 0, "a continued line was taken for a field of its own"},
    {EXPECT_AT_MOST, "", "/location", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/type", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/away", TELL_TRIES, "it tried again without end"},
    {0},
};

const struct fault faults_header[] = {
    {"F10", "hdr",
     "sends header lines without end, one without end, or very long and very many ones",
     "has limits for a line, for their number and for the whole head; past them the fetch fails "
     "and the connection is closed. Sixty ordinary lines are within every limit",
     NULL, f10_cases, f10_expects, f10_answer, true},
    {"F11", "hdr", "has a NUL, a bare CR or other control bytes in its head",
     "rejects the answer or drops the field; never ends a line or a value there. We reject NUL and "
     "bare CR and drop a field with other control bytes",
     NULL, f11_cases, f11_expects, f11_answer, true},
    {"F12", "hdr", "sends header lines without colon or name, or with a space in the name",
     "skips the line or rejects the answer, and keeps the bytes as they came. We skip the line and "
     "read the page",
     NULL, f12_cases, f12_expects, f12_answer, true},
    {"F13", "hdr", "continues a header field on the next line (obs-fold)",
     "joins the lines with a space; a continued line is never a field of its own", NULL, f13_cases,
     f13_expects, f13_answer, true},
    {0},
};
