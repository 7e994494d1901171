/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/crawl_client.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { WHY_BYTES = 16 << 10 };

/* No crawl runs in `dir`: what to do; or that it is no directory. */
static int say_absent(const char *dir, struct str why)
{
    struct stat st;
    if (stat(dir, &st) != 0)
        return cli_fail(EXIT_USAGE, "%s: %s", dir,
                        errno == ENOENT ? "no such directory" : rc_text(rc_of_errno(errno)));
    if (!S_ISDIR(st.st_mode))
        return cli_fail(EXIT_USAGE, "%s: not a directory", dir);
    return cli_fail(EXIT_USAGE, STR_FMT "; orbweaver crawl -o %s starts it, or resumes it",
                    STR_ARG(why), dir);
}

int crawl_client_open(struct crawl_client *c, const char *dir, bool is_quiet)
{
    struct buf why = {.max = WHY_BYTES};
    c->all = (struct operator_dir){.is = OPERATOR_NOT_NEEDED};
    enum rc rc = control_client_open(&c->control, dir, &why);
    int code = EXIT_USAGE;
    if (rc != RC_NOT_FOUND)
        code = cli_say_as(EXIT_OTHER, rc, &why);
    else if (!is_quiet)
        code = say_absent(dir, buf_str(&why));
    buf_done(&why);
    return code;
}

int crawl_client_open_all(struct crawl_client *c, const char *dir, bool only, const char *command)
{
    struct operator_dir all = {.is = OPERATOR_NOT_NEEDED};
    if (!only)
        operator_find(dir, &all);
    bool is_folder = all.is == OPERATOR_FOUND && !all.agent[0];
    int code = crawl_client_open(c, dir, is_folder);
    c->all = all;
    if (is_folder)
        return EXIT_DONE; /* no crawl runs in that folder; the request goes to all agents */
    if (code == EXIT_DONE && all.is == OPERATOR_MISSING)
        return operator_say_missing(&all, command);
    return code;
}

void crawl_client_close(struct crawl_client *c)
{
    control_client_close(&c->control);
}

struct jsonw *crawl_client_begin(struct crawl_client *c, const char *what)
{
    control_client_begin(&c->control, what);
    return &c->control.j;
}

/* This crawl first: if it refuses the request, the other agents do not get it. */
int crawl_client_ask(struct crawl_client *c, json_t **ret)
{
    struct buf why = {.max = WHY_BYTES};
    struct str line;
    if (control_client_end(&c->control, &line))
        return cli_fail(EXIT_USAGE, "the request is too long");
    bool is_connected = crawl_client_is_connected(c);
    enum rc rc = is_connected ? control_client_send(&c->control, ret, &why) : RC_OK;
    int code = cli_say(rc, &why);
    if (code == EXIT_DONE && c->all.is == OPERATOR_FOUND)
        code = operator_tell(&c->all, line);
    if (code == EXIT_DONE && !is_connected)
        *ret = json_pack("{s:b,s:s}", "ok", 1, "text", "sent to all agents");
    buf_done(&why);
    return code;
}

int crawl_client_tell(const char *dir, const char *what, bool only, bool as_json)
{
    struct crawl_client c;
    json_t *answer = NULL;
    int code = crawl_client_open_all(&c, dir, only, what);
    if (code == EXIT_DONE) {
        (void)crawl_client_begin(&c, what);
        code = crawl_client_ask(&c, &answer);
    }
    bool goes_to_all = crawl_client_is_connected(&c) && c.all.is == OPERATOR_FOUND;
    if (code == EXIT_DONE && as_json)
        json_print_line(answer);
    else if (code == EXIT_DONE)
        (void)printf("%s%s\n", json_text(answer, "text"),
                     goes_to_all ? "; sent to all agents" : "");
    json_decref(answer);
    crawl_client_close(&c);
    return code;
}

void json_print_line(const json_t *j)
{
    char *text = json_dumps(j, JSON_COMPACT);
    (void)cli_write(stdout, str_c(text ? text : "{}")); /* main reports a failed write */
    (void)putchar('\n');
    free(text);
}
