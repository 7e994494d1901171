/* SPDX-License-Identifier: Apache-2.0 */
/* cluster gc: purges what former agents left in their streams.
 *
 * An agent's stream has the whole history of its incarnation, because the agents that adopt it
 * read all of it. When it is adopted or has left, and that epoch is settled, no agent reads it
 * again: the present owners have everything that it told. Only that is purged, and only if every
 * agent that answers agrees. The command reads the streams before it asks the agents, so that an
 * incarnation that begins meanwhile is never purged. */
#include "cli/cluster_ask.h"
#include "cli/commands.h"
#include "provision/nats_folder.h"

#include "base/mem.h"
#include "control/answer_json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { ASK_MS = 10000, WAIT_MS = 10000, MOST_INCS = 256, TEXT_BYTES = 512, WHY_BYTES = 16 << 10 };

struct settings {
    struct str dir;
    bool dry;
};

/* What one agent's stream holds, by incarnation. */
struct found {
    uint64_t incs[MOST_INCS], messages[MOST_INCS];
    size_t count;
};

struct work {
    const struct settings *s;
    struct operator_dir operator;
    struct nats_plan *plan;
    struct nats_client admin;
    uint64_t purged, incs;
};

static json_t *ask_admin(struct work *w, const char *subject, const char *text)
{
    struct nats_client_call call = {.subject = subject, .text = str_c(text)};
    nats_client_ask(&w->admin, &call, 1, ASK_MS);
    json_t *answer = call.rc ? NULL : json_loadb(call.answer.p, call.answer.n, 0, NULL);
    if (json_object_get(answer, "error")) {
        json_decref(answer);
        answer = NULL;
    }
    buf_done(&call.answer);
    return answer;
}

/* The incarnation in "orb.CRAWL.j.NAME.INC.…"; 0: it is another subject. */
static uint64_t inc_of(struct str subject)
{
    uint64_t inc = 0;
    for (unsigned i = 0; i < 4; i++)
        (void)str_take_until(&subject, '.');
    return str_to_u64(str_take_until(&subject, '.'), &inc) ? 0 : inc;
}

static void add_found(struct found *f, uint64_t inc, uint64_t messages)
{
    size_t i = 0;
    while (i < f->count && f->incs[i] != inc)
        i++;
    if (i == MOST_INCS || !inc)
        return; /* the next run finds it */
    if (i == f->count)
        f->messages[f->count++] = 0;
    f->incs[i] = inc;
    f->messages[i] += messages;
}

static bool look_into(struct work *w, const char *name, struct found *ret)
{
    char subject[TEXT_BYTES], text[TEXT_BYTES];
    const char *key;
    json_t *count;
    *ret = (struct found){0};
    (void)snprintf(subject, sizeof subject, "$JS.API.STREAM.INFO.ORB_%s_%s", w->plan->crawl, name);
    (void)snprintf(text, sizeof text, "{\"subjects_filter\":\"orb.%s.j.%s.>\"}", w->plan->crawl,
                   name);
    json_t *answer = ask_admin(w, subject, text);
    json_t *subjects = json_object_get(json_object_get(answer, "state"), "subjects");
    json_object_foreach(subjects, key, count)
        add_found(ret, inc_of(str_c(key)), (uint64_t)json_integer_value(count));
    bool is_there = answer != NULL;
    json_decref(answer);
    return is_there;
}

/* Whether one agent's view says that the incarnation has left the crawl for good. */
static bool says_over(const json_t *view, const char *name, uint64_t inc)
{
    const json_t *former = json_object_get(view, "former"), *m;
    size_t i;
    if (json_u64(view, "epoch") != json_u64(view, "settled") ||
        json_is_false(json_object_get(view, "roster_whole")) || json_u64(former, "inc") < inc)
        return false;
    json_array_foreach(json_object_get(view, "members"), i,
                       m) if (strcmp(json_text(m, "agent"), name) == 0 &&
                              json_u64(m, "inc") == inc) return false;
    return json_u64(former, "inc") > inc || strcmp(json_text(former, "state"), "forgotten") == 0;
}

static bool is_over(const json_t *rows, const char *name, uint64_t inc)
{
    const json_t *row;
    size_t i, up = 0;
    json_array_foreach(rows, i, row)
    {
        const json_t *view = json_object_get(row, "answer");
        if (!json_is_object(view) || strcmp(json_text(view, "state"), "up") != 0)
            continue;
        if (!says_over(view, name, inc))
            return false;
        up++;
    }
    return up > 0;
}

static int purge(struct work *w, const char *name, uint64_t inc, uint64_t messages)
{
    char subject[TEXT_BYTES], text[TEXT_BYTES];
    (void)snprintf(subject, sizeof subject, "$JS.API.STREAM.PURGE.ORB_%s_%s", w->plan->crawl, name);
    (void)snprintf(text, sizeof text, "{\"filter\":\"orb.%s.j.%s.%" PRIu64 ".>\"}", w->plan->crawl,
                   name, inc);
    json_t *answer = w->s->dry ? NULL : ask_admin(w, subject, text);
    if (!w->s->dry && !answer)
        return cli_fail(EXIT_CLUSTER, "the servers did not purge %s's incarnation %" PRIu64, name,
                        inc);
    uint64_t count = w->s->dry ? messages : json_u64(answer, "purged");
    (void)printf("%s %" PRIu64 ": %" PRIu64 " messages%s\n", name, inc, count,
                 w->s->dry ? " could go" : "");
    w->purged += count;
    w->incs++;
    json_decref(answer);
    return EXIT_DONE;
}

static int look_at(struct work *w, const char *name)
{
    struct found f;
    char question[TEXT_BYTES];
    json_t *rows = NULL;
    if (!look_into(w, name, &f))
        return cli_fail(EXIT_CLUSTER, "cannot read the stream of agent %s", name);
    if (!f.count)
        return EXIT_DONE;
    (void)snprintf(question, sizeof question, "{\"do\":\"agent\",\"agent\":\"%s\"}", name);
    int code = cluster_ask_all(&w->operator, question, &rows, NULL);
    for (size_t i = 0; i < f.count && code == EXIT_DONE; i++)
        if (is_over(rows, name, f.incs[i]))
            code = purge(w, name, f.incs[i], f.messages[i]);
    json_decref(rows);
    return code;
}

static int open_admin(struct work *w)
{
    struct nats_folder f;
    struct nats_login l = {0};
    struct buf why = {.max = WHY_BYTES};
    enum rc rc = nats_folder_open(&f, w->operator.folder, false, &why);
    rc = rc ? rc : nats_folder_plan(&f, w->plan);
    rc = rc ? rc : nats_folder_read_login(&f, NULL, "admin", &l);
    nats_folder_close(&f);
    int code = cli_say(rc, &why);
    if (code == EXIT_DONE)
        code = cli_say_as(EXIT_CLUSTER, nats_client_open(&w->admin, &l, WAIT_MS, &why), &why);
    explicit_bzero(&l, sizeof l);
    buf_done(&why);
    return code;
}

static int run(struct invocation *in)
{
    struct work w = {.s = in->settings};
    if (in->word_count)
        return cli_fail(EXIT_USAGE, "cluster gc: expected no words, got \"%s\"", in->words[0]);
    if (!operator_folder(w.s->dir.p, &w.operator))
        return cli_fail(EXIT_USAGE, "%s: not the folder that `cluster init` made", w.s->dir.p);
    w.plan = mem_zero(1, sizeof *w.plan);
    int code = w.plan ? open_admin(&w) : cli_fail(EXIT_OTHER, "%s", rc_text(RC_NOMEM));
    for (uint32_t i = 0; code == EXIT_DONE && i < w.plan->agent_count; i++)
        code = look_at(&w, w.plan->agents[i].name);
    if (code == EXIT_DONE)
        (void)printf("%" PRIu64 " incarnations, %" PRIu64 " messages%s\n", w.incs, w.purged,
                     w.s->dry ? " could go" : " purged");
    nats_client_close(&w.admin);
    mem_free(w.plan);
    return code;
}

static const struct option options[] = {
    OPTION_TEXT_ROW(struct settings, dir, "dir", "cluster", "the operator's folder of the cluster",
                    .letter = 'd', .arg = "DIR"),
    OPTION_BOOL_ROW(struct settings, dry, "dry-run", "no", "only say what would be purged",
                    .letter = 'n'),
    {0},
};

const struct command cmd_cluster_gc = {
    .name = "cluster gc",
    .args = "",
    .summary = "purges what former agents left behind",
    .details =
        "A stream has all messages of an incarnation of its agent, for the agents that adopt it.\n"
        "When it is adopted or has left, and every agent that answers agrees, no agent reads them\n"
        "again, and they are purged. At least one agent must run. Streams of agents that are in\n"
        "the crawl only grow, up to --stream-size of `cluster init`.",
    .options = options,
    .settings_bytes = sizeof(struct settings),
    .run = run,
};
