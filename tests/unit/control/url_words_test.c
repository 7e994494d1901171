/* SPDX-License-Identifier: Apache-2.0 */
#include "control/url_facts.h"
#include "lib/test.h"

#include "host/pace.h"

static void assert_words(struct origin_facts o, const char *words)
{
    struct buf out = {.max = 1000};
    url_words_origin(&o, &out);
    assert_str(buf_str(&out), str_c(words));
    buf_done(&out);
}

static void an_origin_says_what_it_has(void **state)
{
    (void)state;
    assert_words((struct origin_facts){0}, "http, port 80: robots.txt unasked");
    assert_words((struct origin_facts){.is_https = true, .robots_asked = true},
                 "https, port 443: robots.txt failing");
    assert_words((struct origin_facts){.port = 81,
                                       .robots_asked = true,
                                       .robots_has_rules = true,
                                       .failures = 3,
                                       .tries = 2,
                                       .wait_ms = 1500},
                 "http, port 81: robots.txt rules; 3 failures in a row; its URL on trial was tried "
                 "2 times; left alone for 1.5 s");
}

static void old_rules_hold_while_robots_txt_fails(void **state)
{
    (void)state;
    struct origin_facts o = {
        .robots_asked = true, .robots_has_rules = true, .robots_failing = true};
    assert_string_equal(url_words_robots_state(&o), "old rules");
    o.robots_has_rules = false;
    assert_string_equal(url_words_robots_state(&o), "failing");
}

static void an_origin_that_was_given_up_says_why(void **state)
{
    (void)state;
    struct buf out = {.max = 1000};
    struct origin_facts o = {.dead_code = FETCH_RETRIES};
    url_words_origin(&o, &out);
    assert_true(str_find_str(buf_str(&out), STR("; given up: ")) < out.n);
    buf_done(&out);
}

static void a_host_that_refuses_http_1_says_so(void **state)
{
    (void)state;
    static const char *const words[HOST_HTTP_STATES_] = {
        "nothing of it waits; 0 queued, 0 fetched (0 bytes)",
        "nothing of it waits; 0 queued, 0 fetched (0 bytes); it refused HTTP/1.1: HTTP/2 is tried "
        "next",
        "nothing of it waits; 0 queued, 0 fetched (0 bytes); HTTP/2: it refuses HTTP/1.1",
        "nothing of it waits; 0 queued, 0 fetched (0 bytes); it refuses HTTP/1.1, and HTTP/2 did "
        "not work either",
    };
    for (unsigned i = 0; i < HOST_HTTP_STATES_; i++) {
        struct buf out = {.max = 1000};
        struct url_facts f = {
            .has_host = true, .host_state = HOST_IDLE, .record.http = (enum host_http)i};
        url_words_host(&f, true, &out);
        assert_str(buf_str(&out), str_c(words[i]));
        buf_done(&out);
    }
}

static void assert_why(const struct url_facts *f, const char *words)
{
    struct buf out = {.max = 1000};
    url_words_why(f, true, &out);
    assert_str(buf_str(&out), str_c(words));
    buf_done(&out);
}

static void a_url_that_waits_says_in_which_list_and_why(void **state)
{
    (void)state;
    struct url_facts f = {.is_queued = true, .before = 3};
    assert_why(&f, "it waits in its host's queue: 3 are before it");
    f.order = ORDER_PRIORITY;
    f.list = 1;
    f.has_worth = true;
    f.worth = (struct frontier_worth){.forward = 20, .back = 8, .value = 12};
    assert_why(&f, "it waits in the second of three lists of its host: 3 are before it there; its "
                   "value is 12, as about 20 links are expected on it and 8 pages of the crawl "
                   "link to it");
    f.before = 0;
    f.worth.back = 255;
    assert_why(&f, "it waits in the second of three lists of its host: it is the next there; its "
                   "value is 12, as about 20 links are expected on it and 255 or more pages of "
                   "the crawl link to it");
    f.list = ORDER_REVISITS;
    assert_why(&f, "it waits in the list of revisits of its host: it is the next there");
    f.order = ORDER_TOPIC;
    f.has_worth = false;
    f.list = 2;
    f.wait_ms = 1500;
    assert_why(&f, "it waits in the third of three lists of its host: it is the next there; the "
                   "host may be asked again in 1.5 s");
}

static void a_page_that_was_cut_says_by_what(void **state)
{
    (void)state;
    static const char *const words[HISTORY_CUTS_] = {
        "1970-01-01T00:00:00.000Z: 200 OK, 7 bytes; a seed",
        "1970-01-01T00:00:00.000Z: 200 OK, 7 bytes, truncated: longer than is taken "
        "(fetch.body-size); "
        "a seed",
        "1970-01-01T00:00:00.000Z: 200 OK, 7 bytes, truncated: it came too slowly; a seed",
        "1970-01-01T00:00:00.000Z: 200 OK, 7 bytes, truncated: the server broke it off; a seed",
    };
    for (unsigned i = 0; i < HISTORY_CUTS_; i++) {
        struct buf out = {.max = 1000};
        struct url_facts f = {.history = {.code = 200, .bytes = 7, .cut = (uint8_t)i}};
        url_words_last(&f, &out);
        assert_str(buf_str(&out), str_c(words[i]));
        buf_done(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_origin_says_what_it_has),
        cmocka_unit_test(old_rules_hold_while_robots_txt_fails),
        cmocka_unit_test(an_origin_that_was_given_up_says_why),
        cmocka_unit_test(a_host_that_refuses_http_1_says_so),
        cmocka_unit_test(a_url_that_waits_says_in_which_list_and_why),
        cmocka_unit_test(a_page_that_was_cut_says_by_what),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
