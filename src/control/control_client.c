/* SPDX-License-Identifier: Apache-2.0 */
#include "control/control_client.h"

#include "control/answer_json.h"
#include "control/control_request.h"
#include "control/control_socket.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { ANSWER_SECONDS = 60, READ_BYTES = 16 << 10 };

void control_client_set_timeout(struct control_client *c, int seconds)
{
    struct timeval limit = {.tv_sec = seconds};
    (void)setsockopt(c->fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    (void)setsockopt(c->fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

enum rc control_client_open(struct control_client *c, const char *dir, struct buf *why)
{
    *c = (struct control_client){.fd = -1, .dir = dir};
    buf_init(&c->request, CONTROL_LINE_BYTES);
    buf_init(&c->in, CONTROL_ANSWER_BYTES);
    enum rc rc = control_connect(dir, &c->fd, why);
    if (rc == RC_OK)
        control_client_set_timeout(c, ANSWER_SECONDS);
    return rc;
}

void control_client_close(struct control_client *c)
{
    if (c->fd >= 0 && c->request.max)
        close(c->fd);
    buf_done(&c->request);
    buf_done(&c->in);
}

/* Requests ------------------------------------------------------------------------------------- */

void control_client_begin(struct control_client *c, const char *what)
{
    buf_clear(&c->request);
    c->j = jsonw_to(&c->request);
    jsonw_object(&c->j);
    jsonw_text_field(&c->j, "do", str_c(what));
}

enum rc control_client_end(struct control_client *c, struct str *ret_line)
{
    jsonw_end(&c->j);
    size_t n = c->request.n;
    buf_byte(&c->request, '\n');
    *ret_line = str_first(buf_str(&c->request), n);
    return buf_rc(&c->request);
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

/* What the crawl could not do. */
static enum rc read_error(const json_t *error, struct buf *why)
{
    const char *hint = json_text(error, "hint");
    buf_printf(why, "%s%s%s", json_text(error, "message"), *hint ? "; " : "", hint);
    return control_error_rc(str_c(json_text(error, "code")));
}

enum rc control_client_send(struct control_client *c, json_t **ret, struct buf *why)
{
    json_t *json = send_all(c->fd, buf_str(&c->request)) ? read_json(c) : NULL;
    if (!json) {
        buf_printf(why, "the crawl in %s does not answer", c->dir);
        return RC_CLOSED;
    }
    const json_t *error = json_object_get(json, "error");
    if (!error) {
        *ret = json;
        return RC_OK;
    }
    enum rc rc = read_error(error, why);
    json_decref(json);
    return rc;
}

enum rc control_client_ask(struct control_client *c, json_t **ret, struct buf *why)
{
    struct str line;
    enum rc rc = control_client_end(c, &line);
    if (rc)
        buf_add(why, STR("the request is too long"));
    return rc ? rc : control_client_send(c, ret, why);
}

json_t *control_client_next(struct control_client *c)
{
    control_client_set_timeout(c, 0);
    return read_json(c);
}

void control_client_wait_gone(struct control_client *c)
{
    char byte;
    ssize_t n;
    control_client_set_timeout(c, 0);
    do
        n = recv(c->fd, &byte, 1, 0);
    while (n > 0 || (n < 0 && errno == EINTR));
}
