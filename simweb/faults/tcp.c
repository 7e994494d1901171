/* SPDX-License-Identifier: Apache-2.0 */
/* Connections that are refused, never made, never used, or end too soon. */
#include "faults/catalog.h"
#include "faults/fact.h"
#include "faults/tell.h"

enum { CUT_BYTES = 8000, CUT_WAIT_MS = 50, RACE_WAIT_MS = 50 };

/* F01, F02: nothing arrives at such a host, so the healthy rest of the site is what can be seen.
 */
static const struct fault_host f01_hosts[] = {
    {"refused", {.address = ADDRESS_REFUSES}, .is_dead = true},
    {0},
};
static const struct fault_case f01_cases[] = {
    {"refused", "/page", "a host where nobody listens"},
    {"", "/told/other", "a healthy page of another host"},
    {0},
};
static const struct expect f01_expects[] = {
    {EXPECT_NEVER, "refused", "/page", 0, "nobody listens there: no request can arrive"},
    {EXPECT_FETCHED, "", "/told/other", 0, "one host that refuses held up another"},
    {0},
};

static const struct fault_host f02_hosts[] = {
    {"silent", {.address = ADDRESS_BLACKHOLE}, .is_dead = true},
    {0},
};
static const struct fault_case f02_cases[] = {
    {"silent", "/page", "a host that answers no SYN"},
    {"", "/told/other", "a healthy page of another host"},
    {0},
};
static const struct expect f02_expects[] = {
    {EXPECT_NEVER, "silent", "/page", 0, "no connection is made there: no request can arrive"},
    {EXPECT_FETCHED, "", "/told/other", 0, "one host that is silent held up another"},
    {0},
};

/* F03 */
static void hold_at_once(const struct fault_query *q, struct reply *r)
{
    (void)q;
    reply_hold(r);
}

static bool f03_answer(const struct fault_query *q, struct reply *r)
{
    static const struct tell_row rows[] = {{"/silent", 0, hold_at_once}, {0}};
    return tell_by_path(rows, q, r);
}

static const struct fault_case f03_cases[] = {
    {"", "/silent", "the request is read and never answered"},
    {0},
};
static const struct expect f03_expects[] = {
    {EXPECT_FETCHED, "", "/silent", 0, "the page was not tried"},
    {EXPECT_LEAVES, "", "/silent", 0, "it waited for a first byte without a limit of its own"},
    {EXPECT_AT_MOST, "", "/silent", TELL_TRIES, "it tried again without end"},
    {0},
};

/* F04 */
static void close_at_once(const struct fault_query *q, struct reply *r)
{
    (void)q;
    reply_close(r);
}

static void reset_at_once(const struct fault_query *q, struct reply *r)
{
    (void)q;
    reply_reset(r);
}

static bool f04_answer(const struct fault_query *q, struct reply *r)
{
    static const struct tell_row rows[] = {
        {"/close", 0, close_at_once},
        {"/reset", 0, reset_at_once},
        {0},
    };
    return tell_by_path(rows, q, r);
}

static const struct fault_case f04_cases[] = {
    {"", "/close", "an orderly end (FIN) instead of an answer"},
    {"", "/reset", "a reset (RST) instead of an answer"},
    {0},
};
static const struct expect f04_expects[] = {
    {EXPECT_FETCHED, "", "/close", 0, "the page was not tried"},
    {EXPECT_FETCHED, "", "/reset", 0, "the page was not tried"},
    {EXPECT_AT_MOST, "", "/close", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/reset", TELL_TRIES, "it tried again without end"},
    {0},
};

/* F05: only a request on a used connection fails, so one more on a new connection is
 * answered. */
static void race_once(const struct fault_query *q, struct reply *r)
{
    if (q->nth_on_conn > 0 && q->nth == 0)
        reply_close(r);
    else
        tell_page(q, r, "after the race", "/told/race/good");
}

static void race_always(const struct fault_query *q, struct reply *r)
{
    if (q->nth_on_conn > 0)
        reply_reset(r);
    else
        tell_page(q, r, "a fresh connection", "/told/fresh/good");
}

static void leave_idle(const struct fault_query *q, struct reply *r)
{
    tell_page(q, r, "about to close", "/told/idle/good");
    reply_wait(r, RACE_WAIT_MS);
    reply_close(r);
}

static bool f05_answer(const struct fault_query *q, struct reply *r)
{
    static const struct tell_row rows[] = {
        {"/race", 200, race_once},
        {"/fresh", 200, race_always},
        {"/idle", 200, leave_idle},
        {0},
    };
    return tell_by_path(rows, q, r);
}

static const struct fault_case f05_cases[] = {
    {"", "/race", "the first request on a used connection meets its end; the next is answered"},
    {"", "/fresh", "a used connection is always reset; a fresh one is answered"},
    {"", "/idle", "a page whose connection stays open by its head and is closed shortly after"},
    {0},
};
static const struct expect f05_expects[] = {
    {EXPECT_FETCHED, "", "/told/race/good", 0, "a lost race was taken for a failed page"},
    {EXPECT_FETCHED, "", "/told/fresh/good", 0, "it did not ask again on a fresh connection"},
    {EXPECT_FETCHED, "", "/told/idle/good", 0, "a connection that ended while idle cost a page"},
    {EXPECT_AT_MOST, "", "/race", 4, "one answer came, and it still asked again"},
    {EXPECT_AT_MOST, "", "/fresh", 4, "one answer came, and it still asked again"},
    {EXPECT_AT_MOST, "", "/idle", 4, "one answer came, and it still asked again"},
    {0},
};

/* F06: some bytes arrive, then the connection is reset. */
static void cut(struct reply *r)
{
    reply_wait(r, CUT_WAIT_MS);
    reply_reset(r);
}

static void reset_in_body(const struct fault_query *q, struct reply *r)
{
    struct tell_room page;
    struct str body = tell_text(q, &page, "half a page", "/told/body/part");
    tell_head(r, 200, "ETag: \"f06-body\"\r\nContent-Length: %zu\r\n",
              body.n + (size_t)2 * CUT_BYTES);
    reply_send(r, body);
    tell_filler(r, CUT_BYTES);
    cut(r);
}

static void reset_in_chunk(const struct fault_query *q, struct reply *r)
{
    struct tell_room page;
    struct str body = tell_text(q, &page, "half a chunk", "/told/chunk/part");
    tell_head(r, 200, "ETag: \"f06-chunk\"\r\nTransfer-Encoding: chunked\r\n");
    tell_chunk(r, body);
    reply_sendf(r, "%x\r\n", 2 * CUT_BYTES);
    tell_filler(r, CUT_BYTES);
    cut(r);
}

static void reset_in_head(const struct fault_query *q, struct reply *r)
{
    (void)q;
    reply_send(r, STR("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Len"));
    cut(r);
}

static bool f06_answer(const struct fault_query *q, struct reply *r)
{
    static const struct tell_row rows[] = {
        {"/body", 200, reset_in_body},
        {"/chunk", 200, reset_in_chunk},
        {"/head", 200, reset_in_head},
        {0},
    };
    return tell_by_path(rows, q, r);
}

static const struct fault_case f06_cases[] = {
    {"", "/body", "a reset after half of the promised length"},
    {"", "/chunk", "a reset inside a chunk"},
    {"", "/head", "a reset inside the head"},
    {0},
};
static const struct expect f06_expects[] = {
    {EXPECT_FETCHED, "", "/body", 0, "the page was not tried"},
    {EXPECT_FETCHED, "", "/chunk", 0, "the page was not tried"},
    {EXPECT_FETCHED, "", "/head", 0, "the page was not tried"},
    {EXPECT_AT_MOST, "", "/body", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/chunk", TELL_TRIES, "it tried again without end"},
    {EXPECT_AT_MOST, "", "/head", TELL_TRIES, "it tried again without end"},
    {EXPECT_NO_FACT, "", "/body", FACT_CONDITION, "half a page was kept as if it were whole"},
    {EXPECT_NO_FACT, "", "/chunk", FACT_CONDITION, "half a page was kept as if it were whole"},
    {0},
};

const struct fault faults_tcp[] = {
    {"F01", "tcp", "refuses the connection: a SYN is answered by RST",
     "notes a failed fetch, backs off from the host and tries again later; nothing else waits for "
     "it",
     f01_hosts, f01_cases, f01_expects, NULL, false},
    {"F02", "tcp", "never answers a SYN",
     "has a time limit for connecting, shorter than the one for the whole fetch; then frees the "
     "slot and backs off. Other hosts notice nothing",
     f02_hosts, f02_cases, f02_expects, NULL, false},
    {"F03", "tcp", "accepts the connection, reads the request and never sends a byte",
     "has a time limit for the first byte, closes the connection, tries again a limited number of "
     "times",
     NULL, f03_cases, f03_expects, f03_answer, true},
    {"F04", "tcp", "ends the connection, by FIN or by RST, instead of answering",
     "on a fresh connection that is a failed fetch. On a reused one it asks once more on a fresh "
     "one, and a failure there is the result",
     NULL, f04_cases, f04_expects, f04_answer, true},
    {"F05", "tcp", "closes a kept-alive connection just as the next request is sent on it",
     "asks once more on a new connection. We do so at once if the server had not received the "
     "request; if it had, as here, that was a request of the host's turn: it is a try that failed, "
     "and the next follows after the back-off",
     NULL, f05_cases, f05_expects, f05_answer, true},
    {"F06", "tcp", "resets the connection in the middle of the head or of the body",
     "treats what came as truncated: it may be kept and its links followed, but it is no whole "
     "page, so it is never revalidated as one. We keep it and follow its links",
     NULL, f06_cases, f06_expects, f06_answer, true},
    {0},
};
