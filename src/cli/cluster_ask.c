/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cluster_ask.h"

#include "cli/crawl_client.h"
#include "provision/nats_folder.h"

#include "base/clock.h"
#include "base/mem.h"

#include <stdio.h>
#include <string.h>

enum {
    ASK_MS = 3000,
    KNOWN_MS = 300,     /* for agents that the other agents do not hear either */
    LIMIT_SECONDS = 10, /* for the agent that asks the others */
    SUBJECT_BYTES = 160,
    WHY_BYTES = 16 << 10,
};

const json_t *cluster_member(const json_t *view, const char *agent)
{
    const json_t *m, *found = NULL;
    size_t i;
    json_array_foreach(json_object_get(view, "members"), i,
                       m) if (strcmp(json_text(m, "agent"), agent) == 0) found = m;
    return found;
}

/* Asking by the operator's login --------------------------------------------------------------- */

static json_t *row_of(const char *agent, const struct nats_client_call *c)
{
    json_t *row = json_object(), *answer = NULL;
    (void)json_object_set_new(row, "agent", json_string(agent));
    if (c->rc == RC_OK && c->has_ended)
        answer = json_loadb(c->answer.p, c->answer.n, 0, NULL);
    if (json_is_object(answer)) {
        (void)json_object_set_new(row, "answer", answer);
    } else {
        json_decref(answer);
        (void)json_object_set_new(row, "error", json_string("no answer"));
    }
    return row;
}

struct asking {
    const struct nats_plan *plan;
    const struct nats_client_call *calls;
    uint64_t look_ms;
};

/* The first answer, which names all members; the caller's. NULL: none has come yet. */
static json_t *first_answer(const struct asking *a)
{
    for (uint32_t i = 0; i < a->plan->agent_count; i++)
        if (a->calls[i].has_ended && a->calls[i].rc == RC_OK)
            return json_loadb(a->calls[i].answer.p, a->calls[i].answer.n, 0, NULL);
    return NULL;
}

/* Whether the only missing answers are of agents that the others do not hear, or that are not in
 * the roster. */
static bool is_enough(void *ctx)
{
    struct asking *a = ctx;
    uint64_t now_ms = clock_now_ms(clock_real());
    if (now_ms < a->look_ms)
        return false;
    a->look_ms = now_ms + KNOWN_MS;
    json_t *view = first_answer(a);
    bool all = json_is_array(json_object_get(view, "members"));
    for (uint32_t i = 0; all && i < a->plan->agent_count; i++) {
        const json_t *m = cluster_member(view, a->plan->agents[i].name);
        bool is_heard = m && !json_is_true(json_object_get(m, "suspect")) &&
                        strcmp(json_text(m, "state"), "dead") != 0;
        all = a->calls[i].has_ended || !is_heard;
    }
    json_decref(view);
    return all;
}

static void ask_plan(struct nats_client *c, const struct nats_plan *plan, const char *question,
                     json_t *rows)
{
    struct nats_client_call *calls = mem_zero(plan->agent_count + 1, sizeof *calls);
    char(*subjects)[SUBJECT_BYTES] = mem_zero(plan->agent_count + 1, sizeof *subjects);
    for (uint32_t i = 0; calls && subjects && i < plan->agent_count; i++) {
        (void)snprintf(subjects[i], SUBJECT_BYTES, "orb.%s.ask.%s." NATS_OPERATOR, plan->crawl,
                       plan->agents[i].name);
        calls[i] = (struct nats_client_call){.subject = subjects[i], .text = str_c(question)};
    }
    struct asking asking = {plan, calls, clock_now_ms(clock_real()) + KNOWN_MS};
    if (calls && subjects)
        nats_client_ask_until(c, calls, plan->agent_count, ASK_MS, is_enough, &asking);
    for (uint32_t i = 0; calls && subjects && i < plan->agent_count; i++) {
        (void)json_array_append_new(rows, row_of(plan->agents[i].name, &calls[i]));
        buf_done(&calls[i].answer);
    }
    mem_free(calls);
    mem_free(subjects);
}

int cluster_ask_all(const struct operator_dir *o, const char *question, json_t **ret,
                    unsigned *copies)
{
    struct nats_folder f = {.fd = -1};
    struct nats_plan *plan = mem_zero(1, sizeof *plan);
    struct nats_login login = {0};
    struct nats_client client = {0};
    struct buf why = {.max = WHY_BYTES};
    enum rc rc = plan ? nats_folder_open(&f, o->folder, false, &why) : RC_NOMEM;
    rc = rc ? rc : nats_folder_plan(&f, plan);
    nats_folder_close(&f);
    int code = cli_say(rc, &why);
    if (code == EXIT_DONE)
        code = operator_open(o, &login, &client);
    if (code == EXIT_DONE) {
        *ret = json_array();
        ask_plan(&client, plan, question, *ret);
    }
    if (copies && plan)
        *copies = nats_plan_copies(plan);
    nats_client_close(&client);
    explicit_bzero(&login, sizeof login);
    mem_free(plan);
    buf_done(&why);
    return code;
}

/* From an agent's directory ------------------------------------------------------------------- */

int cluster_ask_from(const char *dir, json_t **ret)
{
    struct crawl_client c;
    json_t *answer = NULL;
    int code = crawl_client_open(&c, dir, false);
    if (code == EXIT_DONE) {
        control_client_set_timeout(&c.control, LIMIT_SECONDS);
        (void)crawl_client_begin(&c, "cluster");
        code = crawl_client_ask(&c, &answer);
    }
    if (code == EXIT_DONE) {
        json_t *others = json_incref(json_object_get(answer, "others"));
        (void)json_object_del(answer, "others");
        *ret = json_pack("[{s:s,s:O}]", "agent", json_text(answer, "agent"), "answer", answer);
        (void)json_array_extend(*ret, others);
        json_decref(others);
    }
    json_decref(answer);
    crawl_client_close(&c);
    return code;
}
