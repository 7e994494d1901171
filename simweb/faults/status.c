/* SPDX-License-Identifier: Apache-2.0 */
/* First lines that are none, answers before the answer, and codes that want to be understood. */
#include "faults/catalog.h"
#include "faults/fact.h"
#include "faults/tell.h"

enum { HINTS = 3, FLOOD = 1000, PART_BYTES = 5000 };

/* F28, F30: first lines with a healthy rest. */
struct odd_line {
    const char *path;
    const char *line; /* up to the first header */
    const char *link;
};

static bool answer_odd_line(const struct odd_line *rows, const struct fault_query *q,
                            struct reply *r)
{
    struct tell_room page;
    for (; rows->path; rows++) {
        if (!query_path_is(q, rows->path))
            continue;
        struct str body = tell_text(q, &page, "an odd first line", rows->link);
        reply_sendf(r, "%s\r\nContent-Type: text/html\r\nContent-Length: %zu\r\n\r\n", rows->line,
                    body.n);
        reply_send(r, body);
        return true;
    }
    return false;
}

static bool f28_answer(const struct fault_query *q, struct reply *r)
{
    static const struct odd_line rows[] = {
        {"/no-code", "HTTP/1.1 OK", "/told/no-code/bad"},
        {"/one-digit", "HTTP/1.1 2 OK", "/told/one-digit/bad"},
        {"/two-digits", "HTTP/1.1 20 OK", "/told/two-digits/bad"},
        {"/hundred-digits",
         "HTTP/1.1 2000000000000000000000000000000000000000000000000000000000000000000000000000000"
         "000000000000000000000 OK",
         "/told/hundred-digits/bad"},
        {"/wraps", "HTTP/1.1 4294967496 OK", "/told/wraps/bad"}, /* 2^32 + 200 */
        {"/negative", "HTTP/1.1 -200 OK", "/told/negative/bad"},
        {"/letters", "HTTP/1.1 2OO OK", "/told/letters/bad"},
        {"/long-version",
         "HTTP/1.1000000000000000000000000000000000000000000000000000000000000000000000000000000000"
         "00000000000000000000 200 OK",
         "/told/long-version/bad"},
        {"/no-reason", "HTTP/1.1 200", "/told/no-reason/part"},
        {0},
    };
    return answer_odd_line(rows, q, r);
}

static const struct fault_case f28_cases[] = {
    {"", "/no-code", "a reason and no code"},
    {"", "/one-digit", "a code of one digit"},
    {"", "/two-digits", "a code of two digits"},
    {"", "/hundred-digits", "a code of a hundred digits"},
    {"", "/wraps", "a code that is 200 only in 32 bits"},
    {"", "/negative", "a negative code"},
    {"", "/letters", "letters O for zeros"},
    {"", "/long-version", "a version of a hundred digits"},
    {"", "/no-reason",
     "no space behind the code; whether the page is read is the crawler's choice"},
    {0},
};
static const struct expect f28_expects[] = {
    {EXPECT_FETCHED, "", "/no-code", 0, "the page was not tried"},
    {EXPECT_FETCHED, "", "/one-digit", 0, "the page was not tried"},
    {EXPECT_FETCHED, "", "/hundred-digits", 0, "the page was not tried"},
    {EXPECT_FETCHED, "", "/negative", 0, "the page was not tried"},
    {EXPECT_NEVER, "", "/told/no-code/bad", 0, "an answer without status code was read"},
    {EXPECT_NEVER, "", "/told/one-digit/bad", 0, "a code of one digit was accepted"},
    {EXPECT_NEVER, "", "/told/two-digits/bad", 0, "a code of two digits was accepted"},
    {EXPECT_NEVER, "", "/told/hundred-digits/bad", 0, "a code of a hundred digits was accepted"},
    {EXPECT_NEVER, "", "/told/wraps/bad", 0, "a code wrapped around at 32 bits"},
    {EXPECT_NEVER, "", "/told/negative/bad", 0, "a negative code was accepted"},
    {EXPECT_NEVER, "", "/told/letters/bad", 0, "a code with letters was accepted"},
    {EXPECT_NEVER, "", "/told/long-version/bad", 0, "a version of a hundred digits was accepted"},
    {EXPECT_NO_REUSE, "", "/no-code", 0, "the connection was used on after a broken first line"},
    {EXPECT_NO_REUSE, "", "/one-digit", 0, "the connection was used on after a broken first line"},
    {EXPECT_NO_REUSE, "", "/two-digits", 0, "the connection was used on after a broken first line"},
    {EXPECT_NO_REUSE, "", "/hundred-digits", 0,
     "the connection was used on after a broken first line"},
    {EXPECT_NO_REUSE, "", "/wraps", 0, "the connection was used on after a broken first line"},
    {EXPECT_NO_REUSE, "", "/negative", 0, "the connection was used on after a broken first line"},
    {EXPECT_NO_REUSE, "", "/letters", 0, "the connection was used on after a broken first line"},
    {EXPECT_AT_MOST, "", "/no-code", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/one-digit", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/two-digits", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/hundred-digits", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/wraps", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/negative", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/letters", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/long-version", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/no-reason", TELL_TRIES, "it tried again without end"},
    {0},
};

/* F29 */
static void only_a_page(const struct fault_query *q, struct reply *r)
{
    struct tell_room page;
    reply_send(r, tell_text(q, &page, "no status line", "/told/page/part"));
    reply_close(r);
}

static void like_a_head(const struct fault_query *q, struct reply *r)
{
    struct tell_room page;
    reply_sendf(r,
                "Content-Type: text/html\r\nLocation: " STR_FMT "/told/head/bad\r\n"
                "Set-Cookie: nine=yes\r\n\r\n",
                STR_ARG(q->mount));
    reply_send(r, tell_text(q, &page, "no status line", "/told/head/part"));
    reply_close(r);
}

static bool f29_answer(const struct fault_query *q, struct reply *r)
{
    static const struct tell_row rows[] = {
        {"/page", 0, only_a_page},
        {"/head", 0, like_a_head},
        {0},
    };
    return tell_by_path(rows, q, r);
}

static const struct fault_case f29_cases[] = {
    {"", "/page", "a page without any head"},
    {"", "/head", "a body that begins like a head"},
    {0},
};
static const struct expect f29_expects[] = {
    {EXPECT_FETCHED, "", "/page", 0, "the page was not tried"},
    {EXPECT_FETCHED, "", "/head", 0, "the page was not tried"},
    {EXPECT_NEVER, "", "/told/head/bad", 0, "header fields were taken out of a body"},
    {EXPECT_NO_FACT, "", "*", FACT_COOKIE, "header fields were taken out of a body"},
    {EXPECT_AT_MOST, "", "/page", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/head", TELL_TRIES, "it tried again without end"},
    {0},
};

/* F30 */
static void send_frames(const struct fault_query *q, struct reply *r)
{
    (void)q; /* an empty SETTINGS frame, then GOAWAY(PROTOCOL_ERROR) */
    reply_send(r, STR("\0\0\0\x04\0\0\0\0\0"));
    reply_send(r, STR("\0\0\x08\x07\0\0\0\0\0\0\0\0\0\0\0\0\x01"));
    reply_close(r);
}

static void send_preface(const struct fault_query *q, struct reply *r)
{
    reply_send(r, STR("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"));
    send_frames(q, r);
}

static void send_ssh(const struct fault_query *q, struct reply *r)
{
    (void)q;
    reply_send(r, STR("SSH-2.0-simweb\r\n"));
    reply_close(r);
}

static bool f30_answer(const struct fault_query *q, struct reply *r)
{
    static const struct odd_line lines[] = {
        {"/minor", "HTTP/1.2 200 OK", "/told/minor/part"},
        {"/two", "HTTP/2 200 OK", "/told/two/bad"},
        {"/three", "HTTP/3.0 200 OK", "/told/three/bad"},
        {"/rtsp", "RTSP/1.0 200 OK", "/told/rtsp/bad"},
        {"/lower", "http/1.1 200 OK", "/told/lower/part"},
        {0},
    };
    static const struct tell_row rows[] = {
        {"/preface", 0, send_preface},
        {"/frames", 0, send_frames},
        {"/ssh", 0, send_ssh},
        {0},
    };
    return answer_odd_line(lines, q, r) || tell_by_path(rows, q, r);
}

static const struct fault_case f30_cases[] = {
    {"", "/minor", "HTTP/1.2; some read it as 1.1"},
    {"", "/two", "HTTP/2 as text"},
    {"", "/three", "HTTP/3.0 as text"},
    {"", "/rtsp", "another protocol that looks alike"},
    {"", "/lower", "http/1.1 in lower case; some read it all the same"},
    {"", "/preface", "the first words of a client of HTTP/2"},
    {"", "/frames", "frames of HTTP/2 that nobody asked for"},
    {"", "/ssh", "the greeting of another protocol"},
    {0},
};
static const struct expect f30_expects[] = {
    {EXPECT_FETCHED, "", "/two", 0, "the page was not tried"},
    {EXPECT_FETCHED, "", "/frames", 0, "the page was not tried"},
    {EXPECT_FETCHED, "", "/ssh", 0, "the page was not tried"},
    {EXPECT_NEVER, "", "/told/two/bad", 0, "HTTP/2 as text was accepted"},
    {EXPECT_NEVER, "", "/told/three/bad", 0, "HTTP/3.0 as text was accepted"},
    {EXPECT_NEVER, "", "/told/rtsp/bad", 0, "another protocol was taken for HTTP"},
    {EXPECT_NO_REUSE, "", "/two", 0, "the connection was used on after another protocol"},
    {EXPECT_NO_REUSE, "", "/three", 0, "the connection was used on after another protocol"},
    {EXPECT_NO_REUSE, "", "/rtsp", 0, "the connection was used on after another protocol"},
    {EXPECT_AT_MOST, "", "/minor", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/two", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/three", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/rtsp", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/lower", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/preface", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/frames", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/ssh", TELL_TRIES, "it tried again without end"},
    {0},
};

/* F31 */
static void final_page(const struct fault_query *q, struct reply *r, const char *link)
{
    struct tell_room page;
    struct str body = tell_text(q, &page, "after all", link);
    tell_head(r, 200, "Content-Length: %zu\r\n", body.n);
    reply_send(r, body);
}

static void hints_then_final(const struct fault_query *q, struct reply *r)
{
    reply_send(r, STR("HTTP/1.1 100 Continue\r\n\r\n"));
    for (int i = 0; i < HINTS; i++)
        reply_sendf(r,
                    "HTTP/1.1 103 Early Hints\r\nLink: <" STR_FMT
                    "/told/hints/style>; rel=preload; as=style\r\n\r\n",
                    STR_ARG(q->mount));
    final_page(q, r, "/told/hints/good");
}

static void flood_then_final(const struct fault_query *q, struct reply *r)
{
    reply_repeat(r, STR("HTTP/1.1 103 Early Hints\r\nX-Hint: another one\r\n\r\n"), FLOOD);
    final_page(q, r, "/told/flood/part");
}

static void endless_hints(const struct fault_query *q, struct reply *r)
{
    (void)q;
    reply_repeat(r, STR("HTTP/1.1 103 Early Hints\r\nX-Hint: another one\r\n\r\n"), 0);
    reply_close(r);
}

static void never_final(const struct fault_query *q, struct reply *r)
{
    (void)q;
    reply_send(r, STR("HTTP/1.1 100 Continue\r\n\r\n"));
    reply_hold(r);
}

static void only_interim(const struct fault_query *q, struct reply *r)
{
    (void)q;
    reply_send(r, STR("HTTP/1.1 100 Continue\r\n\r\n"));
    reply_close(r);
}

static void switches(const struct fault_query *q, struct reply *r)
{
    struct tell_room page;
    reply_send(r, STR("HTTP/1.1 101 Switching Protocols\r\nUpgrade: simweb/1\r\n"
                      "Connection: Upgrade\r\n\r\n"));
    reply_send(r, tell_text(q, &page, "another protocol", "/told/switch/bad"));
    reply_close(r);
}

static bool f31_answer(const struct fault_query *q, struct reply *r)
{
    static const struct tell_row rows[] = {
        {"/hints", 200, hints_then_final},
        {"/flood", 200, flood_then_final},
        {"/endless", 103, endless_hints},
        {"/never", 100, never_final},
        {"/only", 100, only_interim},
        {"/switch", 101, switches},
        {0},
    };
    return tell_by_path(rows, q, r);
}

static const struct fault_case f31_cases[] = {
    {"", "/hints", "a few interim answers, then the page"},
    {"", "/flood", "a thousand interim answers, then the page, which need not be read"},
    {"", "/endless", "interim answers without end"},
    {"", "/never", "one interim answer and nothing behind it"},
    {"", "/only", "one interim answer, then the end"},
    {"", "/switch", "a switch to a protocol that nobody asked for"},
    {0},
};
static const struct expect f31_expects[] = {
    {EXPECT_FETCHED, "", "/told/hints/good", 0, "a few interim answers cost the page"},
    {EXPECT_FETCHED, "", "/endless", 0, "the page was not tried"},
    {EXPECT_FETCHED, "", "/never", 0, "the page was not tried"},
    {EXPECT_BYTES, "", "/endless", 0, "it has no limit for interim answers"},
    {EXPECT_LEAVES, "", "/never", 0, "an interim answer ended its time limits"},
    {EXPECT_NEVER, "", "/told/switch/bad", 0, "a protocol nobody asked for was read as a page"},
    {EXPECT_AT_MOST, "", "/hints", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/flood", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/endless", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/never", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/only", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/switch", TELL_TRIES, "it tried again without end"},
    {0},
};

/* F32: the body that may not be is an answer, which a client that leaves it in the connection
 * attaches to its next request. */
static void bodiless(const struct fault_query *q, struct reply *r, const char *line,
                     const char *link)
{
    struct tell_room page;
    struct str body = tell_text(q, &page, "a body that may not be", link);
    reply_sendf(r, "HTTP/1.1 %s\r\nETag: \"f32\"\r\n\r\n", line);
    reply_sendf(r, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %zu\r\n\r\n",
                body.n);
    reply_send(r, body);
}

static void no_content(const struct fault_query *q, struct reply *r)
{
    bodiless(q, r, "204 No Content", "/told/no-content/bad");
}

static void not_modified(const struct fault_query *q, struct reply *r)
{
    bodiless(q, r, "304 Not Modified", "/told/not-modified/bad");
}

static void plain_body(const struct fault_query *q, struct reply *r)
{
    struct tell_room page;
    struct str body = tell_text(q, &page, "a body that may not be", "/told/text/bad");
    tell_head(r, 204, "Content-Length: %zu\r\n", body.n);
    reply_send(r, body);
}

static void head_with_body(const struct fault_query *q, struct reply *r)
{
    bool is_head = query_is_head(q);
    final_page(q, r, is_head ? "/told/head/bad" : "/told/head/good");
}

static bool f32_answer(const struct fault_query *q, struct reply *r)
{
    static const struct tell_row rows[] = {
        {"/no-content", 204, no_content},
        {"/not-modified", 304, not_modified},
        {"/text", 204, plain_body},
        {"/head", 200, head_with_body},
        {0},
    };
    return tell_by_path(rows, q, r);
}

static const struct fault_case f32_cases[] = {
    {"", "/no-content", "204 with another answer behind it"},
    {"", "/not-modified", "304 with another answer behind it"},
    {"", "/text", "204 with a length and a page"},
    {"", "/head", "an ordinary page, whose HEAD has a body"},
    {0},
};
static const struct expect f32_expects[] = {
    {EXPECT_FETCHED, "", "/no-content", 0, "the page was not tried"},
    {EXPECT_FETCHED, "", "/not-modified", 0, "the page was not tried"},
    {EXPECT_FETCHED, "", "/text", 0, "the page was not tried"},
    {EXPECT_FETCHED, "", "/told/head/good", 0, "an ordinary page was not read"},
    {EXPECT_NEVER, "", "/told/no-content/bad", 0, "bytes behind a 204 were read"},
    {EXPECT_NEVER, "", "/told/not-modified/bad", 0, "bytes behind a 304 were read"},
    {EXPECT_NEVER, "", "/told/text/bad", 0, "bytes behind a 204 were read"},
    {EXPECT_NEVER, "", "/told/head/bad", 0, "bytes behind the answer to HEAD were read"},
    {EXPECT_NO_REUSE, "", "/no-content", 0, "a connection with leftover bytes was used on"},
    {EXPECT_NO_REUSE, "", "/not-modified", 0, "a connection with leftover bytes was used on"},
    {EXPECT_NO_REUSE, "", "/text", 0, "a connection with leftover bytes was used on"},
    {EXPECT_AT_MOST, "", "/no-content", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/not-modified", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/text", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/head", TELL_TRIES, "it tried again without end"},
    {0},
};

/* F33 */
static void first_part(const struct fault_query *q, struct reply *r)
{
    struct tell_room page;
    struct str body = tell_text(q, &page, "the first part", "/told/first/part");
    tell_head(r, 206,
              "ETag: \"f33-first\"\r\nContent-Range: bytes 0-%zu/%d\r\nContent-Length: %zu\r\n",
              body.n - 1, PART_BYTES, body.n);
    reply_send(r, body);
}

static void middle_part(const struct fault_query *q, struct reply *r)
{
    struct tell_room page;
    struct str body = tell_text(q, &page, "a part from the middle", "/told/middle/part");
    tell_head(r, 206,
              "ETag: \"f33-middle\"\r\nContent-Range: bytes 1000-%zu/%d\r\nContent-Length: %zu\r\n",
              1000 + body.n - 1, PART_BYTES, body.n);
    reply_send(r, body);
}

static void range_on_200(const struct fault_query *q, struct reply *r)
{
    struct tell_room page;
    struct str body = tell_text(q, &page, "200 with a range", "/told/range/part");
    tell_head(r, 200, "Content-Range: bytes 0-%zu/%d\r\nContent-Length: %zu\r\n", body.n - 1,
              PART_BYTES, body.n);
    reply_send(r, body);
}

static bool f33_answer(const struct fault_query *q, struct reply *r)
{
    static const struct tell_row rows[] = {
        {"/first", 206, first_part},
        {"/middle", 206, middle_part},
        {"/range", 200, range_on_200},
        {0},
    };
    return tell_by_path(rows, q, r);
}

static const struct fault_case f33_cases[] = {
    {"", "/first", "206 with the first part of a page"},
    {"", "/middle", "206 with a part from the middle"},
    {"", "/range", "200 with a Content-Range"},
    {0},
};
static const struct expect f33_expects[] = {
    {EXPECT_FETCHED, "", "/first", 0, "the page was not tried"},
    {EXPECT_FETCHED, "", "/middle", 0, "the page was not tried"},
    {EXPECT_NO_FACT, "", "/first", FACT_CONDITION, "a part was kept as if it were the page"},
    {EXPECT_NO_FACT, "", "/middle", FACT_CONDITION, "a part was kept as if it were the page"},
    {EXPECT_AT_MOST, "", "/first", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/middle", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/range", TELL_TRIES, "it tried again without end"},
    {0},
};

/* F34 */
static void refuse(const struct fault_query *q, struct reply *r, uint16_t status, const char *more)
{
    struct tell_room page;
    struct str body = tell_text(q, &page, status_text(status), NULL);
    tell_head(r, status, "%sContent-Length: %zu\r\n", more, body.n);
    reply_send(r, body);
}

static void basic(const struct fault_query *q, struct reply *r)
{
    refuse(q, r, 401, "WWW-Authenticate: Basic realm=\"the simulated web\"\r\n");
}

static void negotiate(const struct fault_query *q, struct reply *r)
{
    refuse(q, r, 401, "WWW-Authenticate: Negotiate\r\nWWW-Authenticate: NTLM\r\n");
}

static void proxy(const struct fault_query *q, struct reply *r)
{
    refuse(q, r, 407, "Proxy-Authenticate: Basic realm=\"the simulated web\"\r\n");
}

static void legal(const struct fault_query *q, struct reply *r)
{
    refuse(q, r, 451, "");
}

static bool f34_answer(const struct fault_query *q, struct reply *r)
{
    static const struct tell_row rows[] = {
        {"/basic", 401, basic},
        {"/negotiate", 401, negotiate},
        {"/proxy", 407, proxy},
        {"/legal", 451, legal},
        {0},
    };
    return tell_by_path(rows, q, r);
}

static const struct fault_case f34_cases[] = {
    {"", "/basic", "401 that wants a name and a password"},
    {"", "/negotiate", "401 that wants the machine's own identity"},
    {"", "/proxy", "407, though there is no proxy"},
    {"", "/legal", "451"},
    {"", "/told/after", "a healthy page"},
    {0},
};
static const struct expect f34_expects[] = {
    {EXPECT_FETCHED, "", "/basic", 0, "the page was not tried"},
    {EXPECT_FETCHED, "", "/negotiate", 0, "the page was not tried"},
    {EXPECT_FETCHED, "", "/proxy", 0, "the page was not tried"},
    {EXPECT_FETCHED, "", "/legal", 0, "the page was not tried"},
    {EXPECT_FETCHED, "", "/told/after", 0, "a refused page cost other pages of the host"},
    {EXPECT_NO_FACT, "", "*", FACT_AUTHORIZATION, "credentials were sent to whoever asked"},
    {EXPECT_AT_MOST, "", "/basic", 5, "it tried a refused page again and again"},
    {EXPECT_AT_MOST, "", "/negotiate", 5, "it tried a refused page again and again"},
    {EXPECT_AT_MOST, "", "/proxy", 5, "it tried a refused page again and again"},
    {EXPECT_AT_MOST, "", "/legal", 5, "it tried a refused page again and again"},
    {0},
};

const struct fault faults_status[] = {
    {"F28", "status",
     "begins with a status line whose code is no number of three digits, or whose version has a "
     "hundred",
     "rejects the answer without any overflow and closes the connection. We accept a line that "
     "ends behind its code",
     NULL, f28_cases, f28_expects, f28_answer, true},
    {"F29", "status", "sends a body and no status line, as HTTP/0.9 did",
     "refuses it, or keeps it as 0.9; never takes header fields out of the body. We refuse it",
     NULL, f29_cases, f29_expects, f29_answer, true},
    {"F30", "status", "speaks another version or another protocol: HTTP/1.2, HTTP/2, RTSP, SSH",
     "rejects the answer and closes the connection. HTTP/1.2 could be read as 1.1 by the letter of "
     "RFC 9110; we reject it",
     NULL, f30_cases, f30_expects, f30_answer, true},
    {"F31", "status", "sends interim answers (1xx) before the final one, in floods, or for ever",
     "skips a few of them, and has limits for their number, bytes and time. A switch of protocols "
     "that it did not ask for is an error",
     NULL, f31_cases, f31_expects, f31_answer, true},
    {"F32", "status", "sends a body where there is none: with 204, with 304, to HEAD",
     "takes no body, and never uses a connection with leftover bytes again", NULL, f32_cases,
     f32_expects, f32_answer, true},
    {"F33", "status", "answers 206, or with a Content-Range, though no range was asked for",
     "treats it as a part, not as the page: never revalidated as whole. We note it, keep the bytes "
     "and follow no links in it",
     NULL, f33_cases, f33_expects, f33_answer, true},
    {"F34", "status", "refuses with 401, 407 or 451",
     "notes the status, sends no credentials, and does not try again and again", NULL, f34_cases,
     f34_expects, f34_answer, true},
    {0},
};
