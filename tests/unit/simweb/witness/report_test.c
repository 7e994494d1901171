/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/test.h"

#include "witness/report.h"

#include <jansson.h>
#include <stdio.h>

#define MS UINT64_C(1000)

static const struct fault_knobs knobs = {
    .retry_after_s = 1, .patience_ms = 2000, .endless_bytes = 8000, .scale = 1};

static const struct report_wish all_wishes = {true, true, true};

static void ask(struct witness *w, const char *host, const char *url, uint64_t start_us,
                uint64_t end_us, uint64_t backoff_ms)
{
    struct witness_request r = {.host = str_c(host),
                                .url = str_c(url),
                                .address = 0x7f010002,
                                .is_robots = strstr(url, "robots.txt") != NULL,
                                .is_forbidden = strstr(url, "private") != NULL};
    witness_end(w, witness_start(w, &r, start_us), end_us, 200, 10, SIGHT_WHOLE, backoff_ms);
}

static json_t *report(const struct witness *w, struct report_wish wish)
{
    struct buf out;
    buf_init(&out, 1 << 20);
    witness_report(w, &knobs, 10000 * MS, wish, &out);
    assert_rc(buf_rc(&out), RC_OK);
    json_error_t error;
    json_t *j = json_loadb(out.p, out.n, JSON_REJECT_DUPLICATES, &error);
    if (!j)
        fail_msg("%s at %d: " STR_FMT, error.text, error.position, STR_ARG(buf_str(&out)));
    buf_done(&out);
    return j;
}

/* The value behind keys and numbers with dots between: "politeness.worst.0.host". */
static const json_t *at(const json_t *j, const char *path)
{
    struct str rest = str_c(path);
    while (rest.p && j) {
        struct str key = str_take_until(&rest, '.');
        char room[64];
        int n = snprintf(room, sizeof room, STR_FMT, STR_ARG(key));
        assert_true(n < (int)sizeof room);
        uint64_t number;
        if (json_is_array(j))
            j = str_to_u64(key, &number) == RC_OK ? json_array_get(j, number) : NULL;
        else
            j = json_object_get(j, room);
    }
    if (!j)
        fail_msg("the report has no %s", path);
    return j;
}

#define assert_number(j, path, expected)                            \
    assert_true(json_number_value(at(j, path)) > (expected)-1e-6 && \
                json_number_value(at(j, path)) < (expected) + 1e-6)
#define assert_text(j, path, expected) assert_string_equal(json_string_value(at(j, path)), expected)

static void an_empty_report_has_no_gaps_and_no_fault_was_seen(void **state)
{
    (void)state;
    struct witness *w = witness_open(true);
    json_t *j = report(w, all_wishes);
    assert_number(j, "requests", 0);
    assert_true(json_is_null(at(j, "politeness.least_start_gap_ms")));
    assert_true(json_is_null(at(j, "addresses.least_end_gap_ms")));
    assert_int_equal(json_array_size(at(j, "politeness.worst")), 0);
    assert_int_equal(json_object_size(at(j, "url_counts")), 0);
    uint32_t count;
    const struct fault *const *faults = faults_all(&count);
    assert_int_equal(json_array_size(at(j, "faults")), count);
    for (uint32_t i = 0; i < count; i++) {
        const json_t *f = json_array_get(at(j, "faults"), i);
        assert_text(f, "id", faults[i]->id);
        assert_text(f, "verdict", "unseen");
    }
    json_decref(j);
    witness_close(w);
}

/* Two hosts of one address; b behaves, a does not. */
static struct witness *busy(void)
{
    struct witness *w = witness_open(true);
    ask(w, "b.test", "http://b.test/robots.txt", 0, 10 * MS, 0);
    ask(w, "b.test", "http://b.test/", 1010 * MS, 1020 * MS, 0);
    ask(w, "a.test", "http://a.test/", 1500 * MS, 1600 * MS, 3000);
    ask(w, "a.test", "http://a.test/", 2100 * MS, 2101 * MS, 0);
    ask(w, "a.test", "http://a.test/private/\"x\"", 2103 * MS + 250, 2104 * MS, 0);
    witness_dns(w, STR("a.test"), 1, 0);
    witness_dns(w, STR("a.test"), 1, 0);
    witness_dns(w, STR("nx.test"), 28, 3);
    return w;
}

static void the_report_says_who_was_treated_how(void **state)
{
    (void)state;
    struct witness *w = busy();
    json_t *j = report(w, (struct report_wish){0});
    assert_number(j, "requests", 5);
    assert_number(j, "open", 0);
    assert_number(j, "robots.requests", 1);
    assert_number(j, "urls.distinct", 3);
    assert_number(j, "urls.fetched_again", 1);
    assert_number(j, "urls.repeats", 1);
    assert_number(j, "urls.forbidden", 1);
    assert_text(j, "urls.again_first.0", "http://a.test/");
    assert_text(j, "urls.forbidden_first.0", "http://a.test/private/\"x\"");
    assert_number(j, "politeness.hosts", 2);
    assert_number(j, "politeness.connections", 5); /* one for each request */
    assert_number(j, "politeness.resumed", 0);
    assert_number(j, "politeness.most_open", 1);
    assert_number(j, "politeness.least_start_gap_ms", 3.25);
    assert_number(j, "politeness.least_end_gap_ms", 2.25);
    assert_number(j, "politeness.during_backoff", 2);
    assert_number(j, "politeness.worst_early_ms", 2400 - BACKOFF_SLACK_MS);
    assert_text(j, "politeness.worst.0.host", "a.test");
    assert_number(j, "politeness.worst.0.requests", 3);
    assert_text(j, "politeness.worst.1.host", "b.test");
    assert_number(j, "politeness.worst.1.least_end_gap_ms", 1000);
    assert_number(j, "addresses.addresses", 1);
    assert_text(j, "addresses.worst.0.address", "127.1.0.2");
    assert_number(j, "addresses.worst.0.requests", 5);
    assert_number(j, "dns.queries", 3);
    assert_number(j, "dns.rcodes.3", 1);
    assert_number(j, "dns.aaaa", 1);
    assert_text(j, "dns.most_asked.0.name", "a.test");
    assert_number(j, "dns.most_asked.0.count", 2);
    assert_null(json_object_get(j, "url_counts"));
    assert_null(json_object_get(j, "hosts"));
    assert_null(json_object_get(j, "sights"));
    json_decref(j);
    witness_close(w);
}

static void wishes_list_every_url_host_name_and_sight(void **state)
{
    (void)state;
    struct witness *w = busy();
    uint32_t count;
    const struct fault *const *faults = faults_all(&count);
    struct witness_request r = {.host = STR("x.test"),
                                .url = STR("http://x.test/\xff"),
                                .address = 0x7f006401,
                                .fault = count ? faults[0] : NULL,
                                .path = STR("/?q"),
                                .facts = FACT_H2 | FACT_SNI};
    (void)witness_start(w, &r, 9000 * MS);
    json_t *j = report(w, all_wishes);
    assert_number(j, "open", 1);
    assert_int_equal(json_object_size(at(j, "url_counts")), 5);
    assert_int_equal(json_integer_value(json_object_get(at(j, "url_counts"), "http://a.test/")), 2);
    assert_int_equal(json_array_size(at(j, "hosts")), 3);
    assert_text(j, "hosts.0.host", "b.test");
    assert_int_equal(json_array_size(at(j, "dns_names")), 2);
    assert_int_equal(json_array_size(at(j, "sights")), count ? 1 : 0);
    if (count) {
        assert_text(j, "sights.0.fault", faults[0]->id);
        assert_text(j, "sights.0.path", "/?q");
        assert_text(j, "sights.0.end", "open");
        assert_text(j, "sights.0.facts", "HTTP/2 SNI");
    }
    json_decref(j);
    witness_close(w);
}

static void of_many_hosts_the_ten_worst_are_named_worst_first(void **state)
{
    (void)state;
    struct witness *w = witness_open(false);
    for (int i = 0; i < 100; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "h%d.test", i);
        uint64_t gap_us = (uint64_t)((i * 37) % 100 + 1) * MS; /* each another one */
        ask(w, name, name, 0, 1, 0);
        ask(w, name, name, 1 + gap_us, 2 + gap_us, 0);
    }
    json_t *j = report(w, (struct report_wish){0});
    assert_int_equal(json_array_size(at(j, "politeness.worst")), 10);
    for (int i = 0; i < 10; i++) {
        const json_t *row = json_array_get(at(j, "politeness.worst"), (size_t)i);
        assert_number(row, "least_end_gap_ms", i + 1);
    }
    json_decref(j);
    witness_close(w);
}

static void past_the_maximum_the_failure_sticks(void **state)
{
    (void)state;
    struct witness *w = busy();
    struct buf out;
    buf_init(&out, 300);
    witness_report(w, &knobs, 0, all_wishes, &out);
    assert_rc(buf_rc(&out), RC_LIMIT);
    buf_done(&out);
    witness_close(w);
}

static bool has(const struct buf *b, const char *what)
{
    return str_find_str(buf_str(b), str_c(what)) < b->n;
}

static void a_person_reads_the_same_on_one_screen(void **state)
{
    (void)state;
    struct witness *w = busy();
    struct buf json, text;
    buf_init(&json, 1 << 20);
    buf_init(&text, 1 << 20);
    witness_report(w, &knobs, 10000 * MS, (struct report_wish){0}, &json);
    assert_rc(report_text(buf_str(&json), &text), RC_OK);
    assert_true(has(&text, "5 requests, 1 of them for robots.txt"));
    assert_true(has(&text, "3 URLs; 1 asked for again"));
    assert_true(has(&text, "2 hosts: most at once 1"));
    assert_true(has(&text, "2 requests came during a back-off, the worst 2380.0 ms too early"));
    assert_true(has(&text, "a.test"));
    assert_true(has(&text, "127.1.0.2"));
    assert_true(has(&text, "faults: 0 good, 0 bad,"));
    buf_done(&json);
    buf_done(&text);
    witness_close(w);
}

static void bad_faults_are_printed_with_their_reasons(void **state)
{
    (void)state;
    struct buf text;
    buf_init(&text, 1 << 20);
    assert_rc(report_text(
                  STR("{\"politeness\":{},\"faults\":["
                      "{\"id\":\"F01\",\"verdict\":\"good\",\"why\":[]},"
                      "{\"id\":\"F02\",\"verdict\":\"bad\",\"why\":[\"one\",\"two\",\"3\",\"4\"]},"
                      "{\"id\":\"F03\",\"verdict\":\"unseen\",\"why\":[\"hidden\"]}]}"),
                  &text),
              RC_OK);
    assert_true(has(
        &text, "faults: 1 good, 1 bad, 1 not seen\n  F02  one\n       two\n       and 2 more\n"));
    assert_false(has(&text, "hidden"));
    buf_done(&text);
}

static void what_is_no_report_is_refused(void **state)
{
    (void)state;
    const char *const wrong[] = {"",    "[]", "{}", "{\"politeness\":1}", "{\"politeness\":{}",
                                 "\xff"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct buf text;
        buf_init(&text, 1000);
        assert_rc(report_text(str_c(wrong[i]), &text), RC_INVALID);
        assert_int_equal(text.n, 0);
        buf_done(&text);
    }
}

static enum rc write_it(void *ctx)
{
    const struct witness *w = ctx;
    struct buf out;
    buf_init(&out, 1 << 20);
    witness_report(w, &knobs, 0, all_wishes, &out);
    enum rc rc = buf_rc(&out);
    buf_done(&out);
    return rc;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct witness *w = busy();
    test_each_allocation_fails(write_it, w);
    witness_close(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_report_has_no_gaps_and_no_fault_was_seen),
        cmocka_unit_test(the_report_says_who_was_treated_how),
        cmocka_unit_test(wishes_list_every_url_host_name_and_sight),
        cmocka_unit_test(of_many_hosts_the_ten_worst_are_named_worst_first),
        cmocka_unit_test(past_the_maximum_the_failure_sticks),
        cmocka_unit_test(a_person_reads_the_same_on_one_screen),
        cmocka_unit_test(bad_faults_are_printed_with_their_reasons),
        cmocka_unit_test(what_is_no_report_is_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
