/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/operator.h"

#include "cli/command.h"
#include "control/answer_json.h"
#include "control/control_client.h"
#include "provision/nats_folder.h"

#include <stdio.h>
#include <unistd.h>

enum { WAIT_MS = 10000, WHY_BYTES = 16 << 10 };

static bool has_login(const char *folder, const char *below, struct operator_dir *ret)
{
    char path[OPERATOR_PATH_BYTES + 32];
    int n = snprintf(ret->folder, sizeof ret->folder, "%s%s", folder, below);
    if (n < 0 || (size_t)n >= sizeof ret->folder)
        return false;
    (void)snprintf(path, sizeof path, "%s/" NATS_OPERATOR ".login", ret->folder);
    bool is_there = access(path, R_OK) == 0;
    ret->is = is_there ? OPERATOR_FOUND : ret->is;
    return is_there;
}

bool operator_folder(const char *dir, struct operator_dir *ret)
{
    *ret = (struct operator_dir){.is = OPERATOR_NOT_NEEDED};
    return has_login(dir, "", ret) || has_login(dir, "/post", ret);
}

/* The agent whose crawl runs in `dir`, and where its login is; NULL: none runs there, or it is of
 * no cluster. The caller's. */
static json_t *ask_agent(const char *dir)
{
    struct control_client c;
    struct buf why = {.max = WHY_BYTES};
    json_t *answer = NULL;
    enum rc rc = control_client_open(&c, dir, &why);
    if (rc == RC_OK) {
        control_client_begin(&c, "agent");
        rc = control_client_ask(&c, &answer, &why);
    }
    control_client_close(&c);
    buf_done(&why);
    if (rc == RC_OK && *json_text(answer, "agent"))
        return answer;
    json_decref(answer);
    return NULL;
}

void operator_find(const char *dir, struct operator_dir *ret)
{
    if (operator_folder(dir, ret))
        return;
    json_t *agent = ask_agent(dir);
    if (!agent)
        return;
    const char *login = json_text(agent, "login");
    ret->is = OPERATOR_MISSING;
    (void)snprintf(ret->agent, sizeof ret->agent, "%s", json_text(agent, "agent"));
    (void)(has_login(login, "", ret) || has_login(login, "/..", ret));
    json_decref(agent);
}

int operator_open(const struct operator_dir *o, struct nats_login *ret_login,
                  struct nats_client *ret)
{
    struct nats_folder f;
    struct buf why = {.max = WHY_BYTES};
    *ret = (struct nats_client){0};
    enum rc rc = nats_folder_open(&f, o->folder, false, &why);
    rc = rc ? rc : nats_folder_read_login(&f, NULL, NATS_OPERATOR, ret_login);
    nats_folder_close(&f);
    int code = cli_say(rc, &why);
    if (code == EXIT_DONE)
        code = cli_say_as(EXIT_CLUSTER, nats_client_open(ret, ret_login, WAIT_MS, &why), &why);
    buf_done(&why);
    return code;
}

int operator_tell(const struct operator_dir *o, struct str line)
{
    struct nats_login l = {0};
    struct nats_client c;
    char subject[BUS_MAX_SUBJECT_BYTES];
    int code = operator_open(o, &l, &c);
    (void)snprintf(subject, sizeof subject, "orb.%s.control." NATS_OPERATOR, l.crawl);
    if (code == EXIT_DONE) {
        enum rc rc = nats_client_append(&c, subject, line, WAIT_MS);
        if (rc)
            code = cli_fail(EXIT_CLUSTER, "the servers did not take the request: %s", rc_text(rc));
    }
    nats_client_close(&c);
    explicit_bzero(&l, sizeof l);
    return code;
}

int operator_say_missing(const struct operator_dir *o, const char *command)
{
    return cli_fail(EXIT_USAGE,
                    "%s: this is agent %s of a cluster, and the operator's login is not here: give "
                    "the folder that `cluster init` made as DIR, or --only for this agent alone",
                    command, o->agent);
}
