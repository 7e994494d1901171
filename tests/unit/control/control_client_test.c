/* SPDX-License-Identifier: Apache-2.0 */
/* The client against a server that answers what the test says. */
#include "control/control_client.h"

#include "control/answer_json.h"
#include "control/control_request.h"
#include "control/control_socket.h"
#include "lib/test.h"

#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { WAIT_MS = 10000, REQUEST_BYTES = 4096 };

struct fake {
    char dir[64];
    int fd, run;
    pthread_t thread;
    const char *answer; /* NULL: it closes the connection */
    char request[REQUEST_BYTES];
};

/* One connection: reads one line, answers, closes. */
static void *fake_main(void *arg)
{
    struct fake *f = arg;
    struct pollfd p = {.fd = f->fd, .events = POLLIN};
    size_t n = 0;
    if (poll(&p, 1, WAIT_MS) != 1)
        return NULL;
    int fd = accept(f->fd, NULL, NULL);
    while (n + 1 < sizeof f->request && !memchr(f->request, '\n', n)) {
        ssize_t got = recv(fd, f->request + n, sizeof f->request - 1 - n, 0);
        if (got <= 0)
            break;
        n += (size_t)got;
    }
    if (f->answer)
        (void)send(fd, f->answer, strlen(f->answer), MSG_NOSIGNAL);
    close(fd);
    return NULL;
}

static void fake_open(struct fake *f, const char *answer)
{
    struct buf why = {.max = 4096};
    *f = (struct fake){.answer = answer};
    (void)snprintf(f->dir, sizeof f->dir, "/tmp/control_client_XXXXXX");
    assert_non_null(mkdtemp(f->dir));
    assert_rc(control_listen(f->dir, &f->fd, &f->run, &why), RC_OK);
    assert_int_equal(pthread_create(&f->thread, NULL, fake_main, f), 0);
    buf_done(&why);
}

static void fake_close(struct fake *f)
{
    char path[128];
    assert_int_equal(pthread_join(f->thread, NULL), 0);
    control_unlisten(f->fd, f->run);
    (void)snprintf(path, sizeof path, "%s/run", f->dir);
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(rmdir(f->dir), 0);
}

static void an_answer_comes_with_its_members(void **state)
{
    (void)state;
    struct fake f;
    struct control_client c;
    struct buf why = {.max = 4096};
    json_t *answer = NULL;
    fake_open(&f, "{\"ok\":true,\"text\":\"paused\"}\n{\"last\":1}\n");
    assert_rc(control_client_open(&c, f.dir, &why), RC_OK);
    control_client_begin(&c, "set");
    jsonw_text_field(&c.j, "key", STR("delay"));
    assert_rc(control_client_ask(&c, &answer, &why), RC_OK);
    assert_string_equal(json_text(answer, "text"), "paused");
    json_decref(answer);
    answer = control_client_next(&c);
    assert_int_equal(json_u64(answer, "last"), 1);
    json_decref(answer);
    assert_null(control_client_next(&c));
    control_client_wait_gone(&c);
    control_client_close(&c);
    fake_close(&f);
    assert_string_equal(f.request, "{\"do\":\"set\",\"key\":\"delay\"}\n");
    assert_int_equal(why.n, 0);
}

static void ask(const char *said, enum rc expected, const char *wanted)
{
    struct fake f;
    struct control_client c;
    struct buf why = {.max = 4096};
    json_t *answer = NULL;
    fake_open(&f, said);
    assert_rc(control_client_open(&c, f.dir, &why), RC_OK);
    control_client_begin(&c, "status");
    assert_rc(control_client_ask(&c, &answer, &why), expected);
    assert_null(answer);
    assert_true(str_find_str(buf_str(&why), str_c(wanted)) < why.n);
    control_client_close(&c);
    fake_close(&f);
    buf_done(&why);
}

static void an_error_is_the_failure_that_the_server_met(void **state)
{
    (void)state;
    ask("{\"error\":{\"code\":\"invalid\",\"message\":\"no such key\"}}\n", RC_INVALID,
        "no such key");
    ask("{\"error\":{\"code\":\"busy\",\"message\":\"later\",\"hint\":\"try again\"}}\n", RC_AGAIN,
        "later; try again");
    ask("{\"error\":{\"code\":\"of a later version\",\"message\":\"x\"}}\n", RC_IO, "x");
}

static void a_server_that_is_gone_or_talks_nonsense_does_not_answer(void **state)
{
    (void)state;
    ask(NULL, RC_CLOSED, "does not answer");
    ask("half a line", RC_CLOSED, "does not answer");
    ask("no JSON\n", RC_CLOSED, "does not answer");
}

static void without_a_crawl_there_is_no_connection(void **state)
{
    (void)state;
    struct control_client c;
    struct buf why = {.max = 4096};
    assert_rc(control_client_open(&c, "/tmp/there-is-no-such-crawl", &why), RC_NOT_FOUND);
    assert_true(why.n > 0);
    assert_int_equal(c.fd, -1);
    control_client_close(&c);
    struct control_client zeroed = {0};
    control_client_close(&zeroed);
    buf_done(&why);
}

static void a_request_that_is_too_long_is_not_sent(void **state)
{
    (void)state;
    struct control_client c;
    struct buf why = {.max = 4096};
    struct str line;
    static char text[CONTROL_LINE_BYTES];
    memset(text, 'a', sizeof text);
    (void)!control_client_open(&c, "/tmp/there-is-no-such-crawl", &why);
    control_client_begin(&c, "set");
    jsonw_text_field(&c.j, "value", str_make(text, sizeof text));
    assert_rc(control_client_end(&c, &line), RC_LIMIT);
    control_client_begin(&c, "stop"); /* the next one is as good as any */
    assert_rc(control_client_end(&c, &line), RC_OK);
    assert_str(line, STR("{\"do\":\"stop\"}"));
    control_client_close(&c);
    buf_done(&why);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_comes_with_its_members),
        cmocka_unit_test(an_error_is_the_failure_that_the_server_met),
        cmocka_unit_test(a_server_that_is_gone_or_talks_nonsense_does_not_answer),
        cmocka_unit_test(without_a_crawl_there_is_no_connection),
        cmocka_unit_test(a_request_that_is_too_long_is_not_sent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
