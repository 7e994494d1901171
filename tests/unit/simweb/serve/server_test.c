/* SPDX-License-Identifier: Apache-2.0 */
/* The server as a whole: what it opens, what it refuses, what it leaves behind. */
#include "lib/test.h"

#include "serve/server.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct setup {
    struct arena *arena;
    struct world_settings web;
    struct server_settings server;
    char folder[64];
};

static void setup_init(struct setup *s)
{
    *s = (struct setup){.arena = arena_open(4096, 1 << 20)};
    assert_non_null(s->arena);
    assert_rc(options_default(world_options, &s->web, s->arena), RC_OK);
    assert_rc(options_default(server_options, &s->server, s->arena), RC_OK);
    (void)snprintf(s->folder, sizeof s->folder, "/tmp/simweb-test-XXXXXX");
    assert_non_null(mkdtemp(s->folder));
    s->web.http_port = s->web.https_port = 0;
    s->web.hosts = 8;
    s->server.dns_port = s->server.control_port = 0;
    s->server.dir = str_c(s->folder);
}

static void setup_done(struct setup *s)
{
    static const char *const files[] = {"lock", "run.json", "ca.pem", "ca.key"};
    char path[128];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", s->folder, files[i]);
        (void)unlink(path);
    }
    assert_int_equal(rmdir(s->folder), 0);
    arena_close(s->arena);
}

static bool exists(const struct setup *s, const char *name, mode_t *ret_mode)
{
    char path[128];
    struct stat st;
    (void)snprintf(path, sizeof path, "%s/%s", s->folder, name);
    if (stat(path, &st))
        return false;
    *ret_mode = st.st_mode & 0777;
    return true;
}

static void it_opens_on_ports_of_its_own_and_leaves_only_its_authority(void **state)
{
    (void)state;
    struct setup s;
    struct buf why = {.max = 4096};
    struct server *server = NULL;
    uint16_t http, https, dns, control;
    mode_t mode;
    setup_init(&s);
    assert_rc(server_open(&s.web, &s.server, &server, &why), RC_OK);
    server_ports(server, &http, &https, &dns, &control);
    assert_true(http && https && dns && control && http != https);
    assert_int_equal(world_settings(server_world(server))->http_port, http);
    assert_true(exists(&s, "run.json", &mode));
    assert_int_equal(mode, 0600);
    struct server *second = NULL;
    assert_rc(server_open(&s.web, &s.server, &second, &why), RC_LOCKED);
    assert_null(second);
    assert_true(str_find_str(buf_str(&why), STR("already")) < why.n);
    server_stop(server);
    assert_rc(server_run(server), RC_OK);
    server_close(server);
    assert_false(exists(&s, "run.json", &mode));
    buf_clear(&why);
    assert_rc(server_open(&s.web, &s.server, &second, &why), RC_OK);
    server_close(second);
    buf_done(&why);
    setup_done(&s);
}

static void what_cannot_be_had_is_refused_with_what_to_do(void **state)
{
    (void)state;
    struct setup s;
    struct buf why = {.max = 4096};
    struct server *first = NULL, *server = NULL;
    uint16_t http, https, dns, control;
    setup_init(&s);
    struct setup other = s;
    assert_rc(server_open(&s.web, &s.server, &first, &why), RC_OK);
    server_ports(first, &http, &https, &dns, &control);
    other.server.dir = STR("/dev/null/x");
    assert_true(server_open(&other.web, &other.server, &server, &why) != RC_OK);
    assert_true(str_find_str(buf_str(&why), STR("--dir")) < why.n);
    (void)snprintf(other.folder, sizeof other.folder, "/tmp/simweb-test-XXXXXX");
    assert_non_null(mkdtemp(other.folder));
    other.server.dir = str_c(other.folder);
    other.web.http_port = http;
    buf_clear(&why);
    assert_rc(server_open(&other.web, &other.server, &server, &why), RC_EXISTS);
    assert_true(str_find_str(buf_str(&why), STR("--http-port")) < why.n);
    other.web.http_port = 0;
    other.server.dns_port = dns;
    buf_clear(&why);
    assert_rc(server_open(&other.web, &other.server, &server, &why), RC_IO);
    assert_true(str_find_str(buf_str(&why), STR("--dns-port")) < why.n);
    other.server.dns_port = 0;
    other.server.most_connections = 2000000000;
    buf_clear(&why);
    assert_rc(server_open(&other.web, &other.server, &server, &why), RC_LIMIT);
    assert_true(str_find_str(buf_str(&why), STR("--hosts-per-address")) < why.n);
    assert_null(server);
    server_close(first);
    buf_done(&why);
    other.arena = NULL;
    setup_done(&other);
    setup_done(&s);
}

static void settings_that_contradict_themselves_are_refused(void **state)
{
    (void)state;
    struct setup s;
    struct buf why = {.max = 4096};
    struct server *server = NULL;
    setup_init(&s);
    struct server_settings wrong[6];
    for (int i = 0; i < 6; i++)
        wrong[i] = s.server;
    wrong[0].chunked = 1.5;
    wrong[1].coded = -0.1;
    wrong[2].rate_limit = -1;
    wrong[3].latency_least_ms = 5;
    wrong[4].bandwidth_least = 1;
    wrong[5].clock_speed = -1;
    assert_rc(server_settings_check(&s.server, &why), RC_OK);
    for (int i = 0; i < 6; i++) {
        buf_clear(&why);
        assert_rc(server_open(&s.web, &wrong[i], &server, &why), RC_INVALID);
        assert_true(str_starts(buf_str(&why), STR("--")));
    }
    buf_done(&why);
    setup_done(&s);
}

static enum rc open_and_close(void *ctx)
{
    struct setup *s = ctx;
    struct buf why = {.max = 4096};
    struct server *server = NULL;
    enum rc rc = server_open(&s->web, &s->server, &server, &why);
    server_close(server);
    /* A setting that cannot be printed, a key that cannot be kept: no memory under another name. */
    buf_done(&why);
    return rc == RC_OK ? RC_OK : RC_NOMEM;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct setup s;
    setup_init(&s);
    test_each_allocation_fails(open_and_close, &s);
    setup_done(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_opens_on_ports_of_its_own_and_leaves_only_its_authority),
        cmocka_unit_test(what_cannot_be_had_is_refused_with_what_to_do),
        cmocka_unit_test(settings_that_contradict_themselves_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
