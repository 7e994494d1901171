/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/operator.h"

#include "cli/command.h"
#include "cli/control_client.h"
#include "cli/post_folder.h"

#include <stdio.h>
#include <unistd.h>

enum { WAIT_MS = 10000 };

static bool has_login(const char *folder, const char *below, struct operator_place *ret)
{
    char path[OPERATOR_PATH_BYTES + 32];
    int n = snprintf(ret->folder, sizeof ret->folder, "%s%s", folder, below);
    if (n < 0 || (size_t)n >= sizeof ret->folder)
        return false;
    (void)snprintf(path, sizeof path, "%s/" POST_OPERATOR ".login", ret->folder);
    bool is_there = access(path, R_OK) == 0;
    ret->is = is_there ? OPERATOR_FOUND : ret->is;
    return is_there;
}

bool operator_folder(const char *dir, struct operator_place *ret)
{
    *ret = (struct operator_place){.is = OPERATOR_NOT_NEEDED};
    return has_login(dir, "", ret) || has_login(dir, "/post", ret);
}

void operator_find(const char *dir, struct operator_place *ret)
{
    struct control_client c;
    json_t *answer = NULL;
    if (operator_folder(dir, ret))
        return;
    if (control_client_open(&c, dir, true) == EXIT_DONE) {
        control_begin(&c, "agent");
        if (control_ask(&c, &answer) == EXIT_DONE && *json_text(answer, "agent")) {
            const char *login = json_text(answer, "login");
            ret->is = OPERATOR_MISSING;
            (void)snprintf(ret->agent, sizeof ret->agent, "%s", json_text(answer, "agent"));
            (void)(has_login(login, "", ret) || has_login(login, "/..", ret));
        }
    }
    json_decref(answer);
    control_client_close(&c);
}

int operator_open(const struct operator_place *p, struct post_login *ret_login,
                  struct post_client *ret)
{
    struct post_folder f = {.fd = -1};
    *ret = (struct post_client){0};
    int code = post_folder_open(&f, p->folder, false);
    if (code == EXIT_DONE)
        code = post_folder_read_login(&f, NULL, POST_OPERATOR, ret_login);
    post_folder_close(&f);
    return code == EXIT_DONE ? post_client_open(ret, ret_login, WAIT_MS) : code;
}

int operator_tell(const struct operator_place *p, struct str line)
{
    struct post_login l = {0};
    struct post_client c;
    char subject[BUS_MAX_SUBJECT_BYTES];
    int code = operator_open(p, &l, &c);
    (void)snprintf(subject, sizeof subject, "orb.%s.control." POST_OPERATOR, l.crawl);
    if (code == EXIT_DONE) {
        enum rc rc = post_client_append(&c, subject, line, WAIT_MS);
        if (rc)
            code = cli_fail(EXIT_CLUSTER, "the servers did not take it: %s", rc_text(rc));
    }
    post_client_close(&c);
    explicit_bzero(&l, sizeof l);
    return code;
}

int operator_say_missing(const struct operator_place *p, const char *command)
{
    return cli_fail(EXIT_USAGE,
                    "%s: this is agent %s of a cluster, and the operator's login is not here: give "
                    "the folder that `cluster init` made as DIR, or --only for this agent alone",
                    command, p->agent);
}
