/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/control_client.h"

#include "cli/control_request.h"
#include "cli/control_socket.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

enum { ANSWER_SECONDS = 60, READ_BYTES = 16 << 10 };

static void set_limit(int fd, int seconds)
{
    struct timeval limit = {.tv_sec = seconds};
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    (void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

/* No crawl runs in `dir`, and here is what to do; or it is no directory, which is all there is to
 * say. */
static void say_absent(const char *dir, struct str why)
{
    struct stat st;
    if (stat(dir, &st) != 0)
        cli_fail(EXIT_USAGE, "%s: %s", dir,
                 errno == ENOENT ? "no such directory" : rc_text(rc_of_errno(errno)));
    else if (!S_ISDIR(st.st_mode))
        cli_fail(EXIT_USAGE, "%s: not a directory", dir);
    else
        cli_fail(EXIT_USAGE, STR_FMT "; orbweaver crawl -o %s starts it, or goes on with it",
                 STR_ARG(why), dir);
}

int control_client_open(struct control_client *c, const char *dir, bool is_quiet)
{
    struct buf why = {.max = 4096};
    *c = (struct control_client){.fd = -1, .dir = dir};
    buf_init(&c->request, CONTROL_LINE_BYTES);
    buf_init(&c->in, CONTROL_ANSWER_BYTES);
    enum rc rc = control_connect(dir, &c->fd, &why);
    int code = rc == RC_OK ? EXIT_DONE : rc == RC_NOT_FOUND ? EXIT_USAGE : EXIT_OTHER;
    if (rc == RC_NOT_FOUND && !is_quiet)
        say_absent(dir, buf_str(&why));
    else if (rc && rc != RC_NOT_FOUND)
        cli_fail(EXIT_OTHER, STR_FMT, STR_ARG(buf_str(&why)));
    if (rc == RC_OK)
        set_limit(c->fd, ANSWER_SECONDS);
    buf_done(&why);
    return code;
}

void control_client_limit(struct control_client *c, int seconds)
{
    set_limit(c->fd, seconds);
}

int control_client_open_all(struct control_client *c, const char *dir, bool only,
                            const char *command)
{
    struct operator_place all = {.is = OPERATOR_NOT_NEEDED};
    if (!only)
        operator_find(dir, &all);
    bool is_folder = all.is == OPERATOR_FOUND && !all.agent[0];
    int code = control_client_open(c, dir, is_folder);
    c->all = all;
    if (is_folder)
        return EXIT_DONE; /* nobody runs there; all are told */
    if (code == EXIT_DONE && all.is == OPERATOR_MISSING)
        return operator_say_missing(&all, command);
    return code;
}

void control_client_close(struct control_client *c)
{
    if (c->fd >= 0 && c->request.max)
        close(c->fd);
    buf_done(&c->request);
    buf_done(&c->in);
}

void control_begin(struct control_client *c, const char *what)
{
    buf_clear(&c->request);
    c->j = jsonw_to(&c->request);
    jsonw_object(&c->j);
    jsonw_text_field(&c->j, "do", str_c(what));
}

static bool send_all(int fd, struct str bytes)
{
    while (bytes.n) {
        ssize_t n = send(fd, bytes.p, bytes.n, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        bytes = str_from(bytes, (size_t)n);
    }
    return true;
}

/* The next line, without its LF, is c->in's first *ret_bytes; false: there is none. */
static bool read_line(struct control_client *c, size_t *ret_bytes)
{
    for (;;) {
        size_t end = str_find(buf_str(&c->in), '\n');
        if (end < c->in.n) {
            *ret_bytes = end;
            return true;
        }
        char *to = buf_reserve(&c->in, READ_BYTES);
        ssize_t n = to ? recv(c->fd, to, READ_BYTES, 0) : -1;
        if (n < 0 && to && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        c->in.n += (size_t)n;
    }
}

static json_t *read_json(struct control_client *c)
{
    size_t n = 0;
    json_error_t error;
    if (!read_line(c, &n))
        return NULL;
    json_t *json = json_loadb(c->in.p, n, 0, &error);
    memmove(c->in.p, c->in.p + n + 1, c->in.n - n - 1);
    c->in.n -= n + 1;
    return json;
}

/* What the crawl could not do, for a person. */
static int say_error(const json_t *error)
{
    const char *code = json_text(error, "code");
    const char *hint = json_text(error, "hint");
    bool is_usage = strcmp(code, "invalid") == 0 || strcmp(code, "not-found") == 0 ||
                    strcmp(code, "not-while-running") == 0;
    return cli_fail(is_usage ? EXIT_USAGE : EXIT_OTHER, "%s%s%s", json_text(error, "message"),
                    *hint ? "; " : "", hint);
}

static int ask_here(struct control_client *c, json_t **ret)
{
    json_t *json = send_all(c->fd, buf_str(&c->request)) ? read_json(c) : NULL;
    if (!json)
        return cli_fail(EXIT_OTHER, "the crawl in %s does not answer", c->dir);
    const json_t *error = json_object_get(json, "error");
    if (error) {
        int code = say_error(error);
        json_decref(json);
        return code;
    }
    *ret = json;
    return EXIT_DONE;
}

/* Here first: what is wrong with it is said to a person, and not to all. */
int control_ask(struct control_client *c, json_t **ret)
{
    jsonw_end(&c->j);
    struct str line = buf_str(&c->request);
    buf_byte(&c->request, '\n');
    if (buf_rc(&c->request))
        return cli_fail(EXIT_USAGE, "the request is too long");
    line = str_first(buf_str(&c->request), line.n);
    int code = c->fd >= 0 ? ask_here(c, ret) : EXIT_DONE;
    if (code == EXIT_DONE && c->all.is == OPERATOR_FOUND)
        code = operator_tell(&c->all, line);
    if (code == EXIT_DONE && c->fd < 0)
        *ret = json_pack("{s:b,s:s}", "ok", 1, "text", "said to all agents");
    return code;
}

int control_more(struct control_client *c, json_t **ret)
{
    set_limit(c->fd, 0);
    *ret = read_json(c);
    return EXIT_DONE;
}

void control_wait_gone(struct control_client *c)
{
    char byte;
    ssize_t n;
    set_limit(c->fd, 0);
    do
        n = recv(c->fd, &byte, 1, 0);
    while (n > 0 || (n < 0 && errno == EINTR));
}

int control_tell(const char *dir, const char *what, bool only, bool as_json)
{
    struct control_client c;
    json_t *answer = NULL;
    int code = control_client_open_all(&c, dir, only, what);
    if (code == EXIT_DONE) {
        control_begin(&c, what);
        code = control_ask(&c, &answer);
    }
    if (code == EXIT_DONE && as_json)
        json_print_line(answer);
    else if (code == EXIT_DONE)
        (void)printf("%s%s\n", json_text(answer, "text"),
                     c.fd >= 0 && c.all.is == OPERATOR_FOUND ? "; said to all agents" : "");
    json_decref(answer);
    control_client_close(&c);
    return code;
}

uint64_t json_u64(const json_t *j, const char *key)
{
    json_int_t value = json_integer_value(json_object_get(j, key));
    return value > 0 ? (uint64_t)value : 0;
}

const char *json_text(const json_t *j, const char *key)
{
    const char *text = json_string_value(json_object_get(j, key));
    return text ? text : "";
}

void json_print_line(const json_t *j)
{
    char *text = json_dumps(j, JSON_COMPACT);
    (void)cli_write(stdout, str_c(text ? text : "{}")); /* main says so if it cannot be written */
    (void)putchar('\n');
    free(text);
}
