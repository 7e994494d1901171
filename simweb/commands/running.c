/* SPDX-License-Identifier: Apache-2.0 */
#include "commands/running.h"

#include <arpa/inet.h>
#include <jansson.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, ASK_SECONDS = 600, CHUNK_BYTES = 1 << 16 };

static json_t *read_run_file(struct str dir)
{
    char path[PATH_BYTES];
    int n = snprintf(path, sizeof path, STR_FMT "/run.json", STR_ARG(dir));
    if (n < 0 || (size_t)n >= sizeof path)
        return NULL;
    return json_load_file(path, 0, NULL);
}

static enum rc set_from_json(const struct option *o, struct world_settings *web,
                             struct arena *arena, const json_t *value)
{
    struct buf why = {.max = 256};
    enum rc rc = RC_OK;
    if (json_is_string(value)) {
        struct str text = str_make(json_string_value(value), json_string_length(value));
        rc = option_set(o, web, arena, text, &why);
    } else if (json_is_array(value)) {
        size_t i;
        json_t *item;
        option_list_clear(o, web);
        json_array_foreach(value, i, item)
        {
            struct str text = str_make(json_string_value(item), json_string_length(item));
            rc = rc ? rc : text.p ? option_set(o, web, arena, text, &why) : RC_INVALID;
        }
    } else {
        rc = RC_INVALID;
    }
    buf_done(&why);
    return rc;
}

enum rc running_settings(struct str dir, struct world_settings *web, struct arena *arena)
{
    json_t *run = read_run_file(dir);
    if (!run)
        return RC_NOT_FOUND;
    json_t *settings = json_object_get(run, "settings");
    enum rc rc = json_is_object(settings) ? RC_OK : RC_INVALID;
    const char *key;
    json_t *value;
    json_object_foreach(settings, key, value)
    {
        const struct option *o = option_find(world_options, str_c(key));
        rc = rc ? rc : o ? set_from_json(o, web, arena, value) : RC_INVALID;
    }
    web->http_port = (uint64_t)json_integer_value(json_object_get(run, "http_port"));
    web->https_port = (uint64_t)json_integer_value(json_object_get(run, "https_port"));
    json_decref(run);
    return rc;
}

static int connect_to(const char *address)
{
    struct sockaddr_in to = {.sin_family = AF_INET};
    struct str rest = str_c(address);
    struct str host = str_take_until(&rest, ':');
    char ip[64];
    uint64_t port = 0;
    int n = snprintf(ip, sizeof ip, STR_FMT, STR_ARG(host));
    if (n < 0 || (size_t)n >= sizeof ip || str_to_u64(rest, &port) || port > UINT16_MAX ||
        inet_pton(AF_INET, ip, &to.sin_addr) != 1)
        return -1;
    to.sin_port = htons((uint16_t)port);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct timeval limit = {.tv_sec = ASK_SECONDS};
    if (fd >= 0 && (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) ||
                    connect(fd, (struct sockaddr *)&to, sizeof to))) {
        (void)close(fd);
        fd = -1;
    }
    return fd;
}

static bool send_all(int fd, struct str bytes)
{
    while (bytes.n) {
        ssize_t n = send(fd, bytes.p, bytes.n, MSG_NOSIGNAL);
        if (n <= 0)
            return false;
        bytes = str_from(bytes, (size_t)n);
    }
    return true;
}

/* Everything up to the end of the connection: the request said Connection: close. */
static enum rc read_all(int fd, struct buf *to)
{
    char *room;
    while ((room = buf_reserve(to, CHUNK_BYTES))) {
        ssize_t n = recv(fd, room, CHUNK_BYTES, 0);
        if (n <= 0)
            return n ? RC_IO : RC_OK;
        to->n += (size_t)n;
    }
    return buf_rc(to);
}

static enum rc exchange(const char *control, const char *token, const char *method,
                        const char *path, struct buf *answer)
{
    struct buf ask = {.max = (size_t)PATH_BYTES * 2};
    buf_printf(&ask,
               "%s %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n"
               "Content-Length: 0\r\nConnection: close\r\n\r\n",
               method, path, control, token);
    int fd = connect_to(control);
    enum rc rc = fd < 0 ? RC_CLOSED : buf_rc(&ask);
    if (rc == RC_OK && !send_all(fd, buf_str(&ask)))
        rc = RC_IO;
    if (rc == RC_OK)
        rc = read_all(fd, answer);
    if (fd >= 0)
        (void)close(fd);
    buf_done(&ask);
    return rc;
}

static enum rc take_body(struct buf *answer, struct buf *ret, struct buf *why)
{
    struct str all = buf_str(answer);
    size_t head = str_find_str(all, STR("\r\n\r\n"));
    struct str body = str_from(all, head + 4);
    if (str_starts(all, STR("HTTP/1.1 200 "))) {
        buf_add(ret, body);
        return buf_rc(ret);
    }
    struct str line = all;
    line = str_take_until(&line, '\r');
    buf_printf(why, "the control port answered \"" STR_FMT "\": " STR_FMT, STR_ARG(line),
               STR_ARG(str_first(body, 500)));
    return RC_INVALID;
}

enum rc running_ask(struct str dir, const char *method, const char *path, struct buf *ret,
                    struct buf *why)
{
    json_t *run = read_run_file(dir);
    const char *control = json_string_value(json_object_get(run, "control"));
    const char *token = json_string_value(json_object_get(run, "token"));
    struct buf answer = {.max = ret->max + 2 * (size_t)CHUNK_BYTES};
    enum rc rc = RC_NOT_FOUND;
    if (!control || !token)
        buf_printf(why,
                   "no simulated web runs from \"" STR_FMT
                   "\"; start one with `simweb serve --dir " STR_FMT "`, or name its --dir",
                   STR_ARG(dir), STR_ARG(dir));
    else if ((rc = exchange(control, token, method, path, &answer)))
        buf_printf(why, "the control port %s does not answer (%s); is it still running?", control,
                   rc_text(rc));
    else
        rc = take_body(&answer, ret, why);
    buf_done(&answer);
    json_decref(run);
    return rc;
}
