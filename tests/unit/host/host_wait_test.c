/* SPDX-License-Identifier: Apache-2.0 */
#include "host/host_wait.h"

#include "host/pace.h"
#include "lib/test.h"

static const struct {
    enum host_wait why;
    int code;
    const char *key, *text;
} rows[] = {
    {HOST_WAIT_UNKNOWN, 200, "unknown", ""},
    {HOST_WAIT_DELAY, 200, "delay", "the delay between two requests, --delay"},
    {HOST_WAIT_CRAWL_DELAY, 200, "crawl-delay",
     "the Crawl-delay of its robots.txt, at most pace.delay-most"},
    {HOST_WAIT_BACKOFF, 503, "back-off", "back-off after 503 Service Unavailable"},
    {HOST_WAIT_BACKOFF, FETCH_TIMEOUT, "back-off", "back-off after no answer in time"},
    {HOST_WAIT_RETRY_AFTER, 429, "retry-after",
     "the Retry-After, at most pace.retry-after-most, of 429 Too Many Requests"},
    {HOST_WAIT_ORIGIN, 0, "origin", "one of its ports does not answer, and nothing else waits"},
    {HOST_WAIT_ADDRESS, 0, "address", "its address is busy or was just asked (--ip-delay)"},
    {HOST_WAIT_BUDGET, 0, "limit", "a limit of the crawl is used up, or is about to be"},
    {HOST_WAIT_GUEST, 0, "redirect",
     "its robots.txt redirects to another host, whose turn has not come"},
    {HOST_WAIT_CLUSTER, 0, "cluster",
     "its former owner has not handed it over, or this agent may not ask now"},
};

static void each_reason_is_said_in_words_and_has_a_key(void **state)
{
    (void)state;
    unsigned seen = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char room[200];
        struct buf text = buf_on(room, sizeof room);
        host_wait_print(rows[i].why, rows[i].code, &text);
        assert_str(buf_str(&text), str_c(rows[i].text));
        assert_string_equal(host_wait_key(rows[i].why), rows[i].key);
        seen |= 1U << rows[i].why;
    }
    assert_int_equal(seen, (1U << (HOST_WAIT_CLUSTER + 1)) - 1); /* a row for every reason */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_reason_is_said_in_words_and_has_a_key),
    };
    return cmocka_run_group_tests_name("host_wait", tests, NULL, NULL);
}
