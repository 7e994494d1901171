/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/test.h"

#include "base/mem.h"
#include "serve/site.h"

/* A web with every fault's own hosts, a path fault sprinkled over half of the ordinary ones and a
 * host fault over the others. */
struct web {
    struct arena *arena;
    struct world_settings settings;
    struct server_settings server;
    struct world *world;
    struct witness *witness;
    struct site *site;
    struct reply reply;
    struct visitor visitor;
};

static enum rc set(struct web *w, const struct option *table, void *settings, const char *key,
                   const char *value)
{
    struct buf why = {.max = 256};
    const struct option *o = option_find(table, str_c(key));
    enum rc rc = option_set(o, settings, w->arena, str_c(value), &why);
    buf_done(&why);
    return rc;
}

static void web_close(struct web *w)
{
    reply_done(&w->reply);
    site_close(w->site);
    witness_close(w->witness);
    world_close(w->world);
    arena_close(w->arena);
}

/* `more`: pairs of key and value, NULL ends them. */
static enum rc web_open(struct web *w, const char *const *more)
{
    *w = (struct web){.arena = arena_open(4096, 1 << 20)};
    reply_init(&w->reply);
    enum rc rc = w->arena ? options_default(world_options, &w->settings, w->arena) : RC_NOMEM;
    if (rc == RC_OK)
        rc = options_default(server_options, &w->server, w->arena);
    for (; rc == RC_OK && more && *more; more += 2) {
        bool is_world = option_find(world_options, str_c(more[0])) != NULL;
        rc = is_world ? set(w, world_options, &w->settings, more[0], more[1])
                      : set(w, server_options, &w->server, more[0], more[1]);
    }
    if (rc == RC_OK) {
        w->world = world_open(&w->settings);
        w->witness = witness_open(true);
        w->site = w->world && w->witness ? site_open(w->world, &w->server, w->witness) : NULL;
        rc = w->site ? RC_OK : RC_NOMEM;
    }
    if (rc != RC_OK)
        web_close(w);
    return rc;
}

/* Asks, and borrows the whole answer until the next. */
static struct str ask_as(struct web *w, const char *head)
{
    struct request q;
    size_t used;
    assert_rc(request_read(str_c(head), &q, &used), RC_OK);
    reply_clear(&w->reply);
    uint64_t ticket = site_answer(w->site, &q, &w->visitor, 1000000, 1750000000000, &w->reply);
    assert_true(ticket != 0);
    assert_rc(buf_rc(&w->reply.bytes), RC_OK);
    witness_end(w->witness, ticket, 1000001, w->reply.status, w->reply.bytes.n, SIGHT_WHOLE, 0);
    return buf_str(&w->reply.bytes);
}

static struct str ask(struct web *w, const char *host, const char *path)
{
    char room[2048];
    struct buf head = buf_on(room, sizeof room);
    buf_printf(&head, "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", path, host);
    const char *text = buf_c(&head);
    assert_non_null(text);
    return ask_as(w, text);
}

static const char *first_host(const struct web *w, uint32_t host)
{
    static char room[300];
    struct buf name = buf_on(room, sizeof room);
    host_name(w->world, host, &name);
    return buf_c(&name);
}

static void every_kind_of_host_has_its_answer(void **state)
{
    (void)state;
    static const char *const more[] = {"fault", "all", NULL};
    struct web w;
    assert_rc(web_open(&w, more), RC_OK);
    assert_true(str_starts(ask(&w, first_host(&w, 0), "/"), STR("HTTP/1.1 200 OK\r\n")));
    assert_int_equal(w.reply.status, 200);
    (void)ask(&w, "zoo.test", "/");
    assert_int_equal(w.reply.status, 200);
    (void)ask(&w, "F28.TEST:8080", "/");
    assert_int_equal(w.reply.status, 200);
    (void)ask(&w, "f28.test", "/told/x");
    assert_int_equal(w.reply.status, 200);
    (void)ask(&w, "f94.test", "/");
    assert_int_equal(w.reply.status, 421);
    (void)ask(&w, "example.org", "/");
    assert_int_equal(w.reply.status, 421);
    (void)ask(&w, first_host(&w, 0), "/nothing");
    assert_int_equal(w.reply.status, 404);
    uint32_t count = 0;
    assert_non_null(witness_sights(w.witness, fault_find(STR("f28")), &count));
    assert_int_equal(count, 2);
    web_close(&w);
}

static void hosts_are_where_and_how_the_tables_say(void **state)
{
    (void)state;
    static const char *const more[] = {"fault", "all", "https", "1", "http2", "0.5", NULL};
    struct web w;
    struct mood mood;
    uint32_t address = 0, with_h2 = 0;
    assert_rc(web_open(&w, more), RC_OK);
    for (uint32_t i = 0; i < 100; i++) {
        assert_true(site_host(w.site, str_c(first_host(&w, i)), &mood, &address));
        assert_int_equal(address, host_address(w.world, i));
        with_h2 += mood.h2 == H2_GOOD;
    }
    assert_in_range(with_h2, 25, 75);
    assert_true(site_host(w.site, STR("ZOO.test."), &mood, &address));
    assert_int_equal(address, ADDRESS_OF_ZOO);
    assert_int_equal(mood.h2, H2_NONE);
    assert_true(site_host(w.site, STR("nx.f46.test"), &mood, &address));
    assert_int_equal(mood.dns, DNS_NXDOMAIN);
    assert_false(site_host(w.site, STR("nobody.example"), &mood, &address));
    assert_false(site_host(w.site, STR(""), &mood, &address));
    web_close(&w);
}

static void without_faults_their_names_are_nobody_s(void **state)
{
    (void)state;
    struct web w;
    struct mood mood;
    uint32_t address;
    assert_rc(web_open(&w, NULL), RC_OK);
    assert_false(site_host(w.site, STR("f46.test"), &mood, &address));
    assert_false(site_host(w.site, STR("zoo.test"), &mood, &address));
    web_close(&w);
}

static void the_witness_is_told_what_was_asked(void **state)
{
    (void)state;
    struct web w;
    char room[512];
    struct buf b = buf_on(room, sizeof room);
    assert_rc(web_open(&w, NULL), RC_OK);
    (void)ask(&w, first_host(&w, 0), "/x?y");
    (void)ask(&w, first_host(&w, 0), "/x?y");
    buf_printf(&b, "http://%s:8080/x?y", first_host(&w, 0));
    assert_int_equal(witness_url_count(w.witness, buf_str(&b)), 2);
    assert_int_equal(witness_host_count(w.witness, str_c(first_host(&w, 0))), 2);
    web_close(&w);
}

static void a_path_fault_answers_below_its_mount_and_is_linked_once(void **state)
{
    (void)state;
    static const char *const more[] = {"sprinkle", "f28=1", NULL};
    struct web w;
    assert_rc(web_open(&w, more), RC_OK);
    struct str page = ask(&w, first_host(&w, 3), "/");
    size_t at = str_find_str(page, STR("<a href=\"/f28/\">"));
    assert_true(at < page.n);
    struct str rest = str_from(page, at + 1);
    assert_int_equal(str_find_str(rest, STR("<a href=\"/f28/\">")), rest.n);
    assert_true(str_find_str(rest, STR("</body>")) < rest.n);
    (void)ask(&w, first_host(&w, 3), "/f28/");
    assert_int_equal(w.reply.status, 200);
    (void)ask(&w, first_host(&w, 3), "/f28");
    assert_int_equal(w.reply.status, 404);
    (void)ask(&w, first_host(&w, 3), "/f27/");
    assert_int_equal(w.reply.status, 404);
    web_close(&w);
}

static void the_length_is_right_whatever_its_digits(void **state)
{
    (void)state;
    static const char *const sizes[] = {"300", "5k", "60k", "400k"};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const char *const more[] = {"page-bytes", sizes[i],  "page-spread", "0", "links",
                                    "3",          "chunked", "0",           NULL};
        struct web w;
        assert_rc(web_open(&w, more), RC_OK);
        for (uint32_t host = 0; host < 20; host++) {
            struct str all = ask(&w, first_host(&w, host), "/");
            size_t head = str_find_str(all, STR("\r\n\r\n"));
            size_t line = str_find_str(all, STR("Content-Length: "));
            struct str rest = str_from(all, line + 16);
            uint64_t length = 0;
            assert_rc(str_to_u64(str_take_until(&rest, '\r'), &length), RC_OK);
            assert_int_equal(length, all.n - head - 4);
        }
        web_close(&w);
    }
}

static void paces_lie_between_the_two_numbers_and_are_a_host_s_own(void **state)
{
    (void)state;
    static const char *const more[] = {
        "latency-least", "10ms", "latency-most", "1s", "bandwidth-most", "1M", NULL};
    struct web w;
    uint64_t below = 0, least_rate = UINT64_MAX;
    assert_rc(web_open(&w, more), RC_OK);
    for (uint32_t host = 0; host < 100; host++) {
        uint64_t latency_ms, again_ms, rate;
        site_pace(w.site, str_c(first_host(&w, host)), &latency_ms, &rate);
        site_pace(w.site, str_c(first_host(&w, host)), &again_ms, &rate);
        assert_in_range(latency_ms, 10, 1000);
        assert_int_equal(latency_ms, again_ms);
        assert_in_range(rate, 1, 1 << 20);
        least_rate = rate < least_rate ? rate : least_rate;
        below += latency_ms < 100;
    }
    assert_in_range(below, 30, 70); /* log-uniform: the middle is 100 */
    assert_true(least_rate < 1 << 18);
    web_close(&w);
}

static enum rc ask_one(void *ctx)
{
    static const char *const more[] = {"chunked", "1", "coded", "1", "pages", "3", NULL};
    struct web w;
    (void)ctx;
    enum rc rc = web_open(&w, more);
    if (rc != RC_OK)
        return rc;
    struct request q;
    size_t used;
    rc = request_read(STR("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), &q, &used);
    q.host = str_c(first_host(&w, 0));
    uint64_t ticket = site_answer(w.site, &q, &w.visitor, 5, 1750000000000, &w.reply);
    witness_end(w.witness, ticket, 6, 200, 0, SIGHT_WHOLE, 0);
    rc = buf_rc(&w.reply.bytes);
    web_close(&w);
    return rc;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    test_each_allocation_fails(ask_one, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_host_has_its_answer),
        cmocka_unit_test(hosts_are_where_and_how_the_tables_say),
        cmocka_unit_test(without_faults_their_names_are_nobody_s),
        cmocka_unit_test(the_witness_is_told_what_was_asked),
        cmocka_unit_test(a_path_fault_answers_below_its_mount_and_is_linked_once),
        cmocka_unit_test(the_length_is_right_whatever_its_digits),
        cmocka_unit_test(paces_lie_between_the_two_numbers_and_are_a_host_s_own),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
