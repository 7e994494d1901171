/* SPDX-License-Identifier: Apache-2.0 */
/* Answers that never end: byte by byte, or as fast as the client takes them. */
#include "faults/catalog.h"
#include "faults/tell.h"

enum {
    SLOW_LEAST_BYTES = 16,
    SLOW_MOST_BYTES = 1024 * 1024,
    ENDLESS_BLOCK_BYTES = 16 * 1024,
};

/* How many bytes at that pace outlast the patience. */
static size_t outlasting(const struct fault_knobs *knobs, uint64_t every_ms)
{
    uint64_t n = SLOW_LEAST_BYTES + knobs->patience_ms / (every_ms ? every_ms : 1);
    return n < SLOW_MOST_BYTES ? (size_t)n : SLOW_MOST_BYTES;
}

static void drip_fill(struct reply *r, size_t bytes, uint64_t every_ms)
{
    char fill[256];
    memset(fill, 'a', sizeof fill);
    for (size_t left = bytes; left > 0; left -= left < sizeof fill ? left : sizeof fill)
        reply_drip(r, str_make(fill, left < sizeof fill ? left : sizeof fill), 1, every_ms);
}

/* F07 */
static void drip_status(const struct fault_query *q, struct reply *r)
{
    uint64_t every_ms = q->knobs->drip_ms;
    reply_drip(r, STR("HTTP/1.1 200 "), 1, every_ms);
    drip_fill(r, outlasting(q->knobs, every_ms), every_ms);
    reply_hold(r);
}

static void drip_head(const struct fault_query *q, struct reply *r)
{
    uint64_t every_ms = q->knobs->drip_ms;
    reply_send(r, STR("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"));
    reply_drip(r, STR("X-Slow: "), 1, every_ms);
    drip_fill(r, outlasting(q->knobs, every_ms), every_ms);
    reply_hold(r);
}

static bool f07_answer(const struct fault_query *q, struct reply *r)
{
    static const struct tell_row rows[] = {
        {"/status", 200, drip_status},
        {"/head", 200, drip_head},
        {0},
    };
    return tell_by_path(rows, q, r);
}

static const struct fault_case f07_cases[] = {
    {"", "/status", "the status line comes a byte at a time"},
    {"", "/head", "the header lines come a byte at a time"},
    {0},
};
static const struct expect f07_expects[] = {
    {EXPECT_FETCHED, "", "/status", 0, "the page was not tried"},
    {EXPECT_FETCHED, "", "/head", 0, "the page was not tried"},
    {EXPECT_LEAVES, "", "/status", 0, "each byte began its time limit anew"},
    {EXPECT_LEAVES, "", "/head", 0, "each byte began its time limit anew"},
    {EXPECT_AT_MOST, "", "/status", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/head", TELL_TRIES, "it tried again without end"},
    {0},
};

/* F08 */
static uint64_t body_drip_ms(const struct fault_query *q)
{
    return q->knobs->drip_ms / 10 ? q->knobs->drip_ms / 10 : 1;
}

static void drip_body(const struct fault_query *q, struct reply *r)
{
    struct tell_room page;
    tell_head(r, 200, "Connection: close\r\n");
    reply_send(r, tell_text(q, &page, "a slow page", "/told/body/part"));
    drip_fill(r, outlasting(q->knobs, body_drip_ms(q)), body_drip_ms(q));
    reply_hold(r);
}

static void drip_length(const struct fault_query *q, struct reply *r)
{
    struct tell_room page;
    tell_head(r, 200, "Content-Length: %d\r\n", 2 * SLOW_MOST_BYTES);
    reply_send(r, tell_text(q, &page, "a slow page", "/told/length/part"));
    drip_fill(r, outlasting(q->knobs, body_drip_ms(q)), body_drip_ms(q));
    reply_hold(r);
}

/* A chunk of one byte is six bytes on the wire: "1\r\na\r\n". */
static void drip_chunks(const struct fault_query *q, struct reply *r)
{
    struct tell_room page;
    size_t chunks = outlasting(q->knobs, body_drip_ms(q));
    tell_head(r, 200, "Transfer-Encoding: chunked\r\n");
    tell_chunk(r, tell_text(q, &page, "a slow page", "/told/chunks/part"));
    for (size_t i = 0; i < chunks; i++)
        reply_drip(r, STR("1\r\na\r\n"), 6, body_drip_ms(q));
    reply_hold(r);
}

static bool f08_answer(const struct fault_query *q, struct reply *r)
{
    static const struct tell_row rows[] = {
        {"/body", 200, drip_body},
        {"/length", 200, drip_length},
        {"/chunks", 200, drip_chunks},
        {0},
    };
    return tell_by_path(rows, q, r);
}

static const struct fault_case f08_cases[] = {
    {"", "/body", "a body without length, a byte at a time"},
    {"", "/length", "two megabytes promised, a byte at a time"},
    {"", "/chunks", "chunks of one byte, one at a time"},
    {0},
};
static const struct expect f08_expects[] = {
    {EXPECT_FETCHED, "", "/body", 0, "the page was not tried"},
    {EXPECT_FETCHED, "", "/length", 0, "the page was not tried"},
    {EXPECT_FETCHED, "", "/chunks", 0, "the page was not tried"},
    {EXPECT_LEAVES, "", "/body", 0, "it has no limit for the time of a whole fetch"},
    {EXPECT_LEAVES, "", "/length", 0, "it has no limit for the time of a whole fetch"},
    {EXPECT_LEAVES, "", "/chunks", 0, "it has no limit for the time of a whole fetch"},
    {EXPECT_AT_MOST, "", "/body", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/length", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/chunks", TELL_TRIES, "it tried again without end"},
    {0},
};

/* F09 */
static void repeat_block(struct reply *r, const char *line)
{
    char room[ENDLESS_BLOCK_BYTES];
    struct buf b = buf_on(room, sizeof room);
    for (struct str s = str_c(line); b.n + s.n <= sizeof room;)
        buf_add(&b, s);
    reply_repeat(r, buf_str(&b), 0);
}

static void endless_radio(const struct fault_query *q, struct reply *r)
{
    (void)q;
    reply_send(r, STR("HTTP/1.1 200 OK\r\nContent-Type: audio/mpeg\r\nConnection: close\r\n"
                      "icy-name: the simulated web's own station\r\n\r\n"));
    repeat_block(r, "\xff\xfb\x90\x44 never the same song twice ");
    reply_close(r);
}

static void endless_page(const struct fault_query *q, struct reply *r)
{
    struct tell_room page;
    tell_head(r, 200, "Connection: close\r\n");
    reply_send(r, tell_text(q, &page, "an endless page", "/told/page/part"));
    repeat_block(r, "<p>This sentence comes again and again, and nothing comes behind it.</p>\n");
    reply_close(r);
}

static bool f09_answer(const struct fault_query *q, struct reply *r)
{
    static const struct tell_row rows[] = {
        {"/radio", 200, endless_radio},
        {"/page", 200, endless_page},
        {0},
    };
    return tell_by_path(rows, q, r);
}

static const struct fault_case f09_cases[] = {
    {"", "/radio", "a radio station: audio without length or end"},
    {"", "/page", "HTML without length or end"},
    {0},
};
static const struct expect f09_expects[] = {
    {EXPECT_FETCHED, "", "/page", 0, "the page was not tried"},
    {EXPECT_BYTES, "", "/radio", 0, "it has no limit for the size of a body"},
    {EXPECT_BYTES, "", "/page", 0, "it has no limit for the size of a body"},
    {EXPECT_AT_MOST, "", "/radio", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/page", TELL_TRIES, "it tried again without end"},
    {0},
};

const struct fault faults_slow[] = {
    {"F07", "slow", "sends its head a byte at a time, ten seconds apart",
     "has a time limit for the whole head, not only for the next byte; closes the connection", NULL,
     f07_cases, f07_expects, f07_answer, true},
    {"F08", "slow", "sends its body a byte at a time and never ends it",
     "has a time limit for the whole fetch, or a least rate; what came is truncated. We keep it "
     "and follow its links",
     NULL, f08_cases, f08_expects, f08_answer, true},
    {"F09", "slow", "sends a body without length that never ends, as fast as it is taken",
     "has a limit for the size of a body and closes the connection there; what came is truncated. "
     "Its memory stays flat",
     NULL, f09_cases, f09_expects, f09_answer, true},
    {0},
};
