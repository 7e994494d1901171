/* SPDX-License-Identifier: Apache-2.0 */
/* cluster status, cluster drain: what the agents of a cluster say of themselves and of each other,
 * and taking one out of it, from any machine. */
#include "cli/commands.h"
#include "cli/control_client.h"
#include "cli/post_folder.h"
#include "cli/status_sum.h"

#include "base/clock.h"
#include "base/mem.h"

#include <stdio.h>
#include <string.h>

enum {
    ASK_MS = 3000,
    KNOWN_MS = 300,     /* for those that other agents do not hear either */
    LIMIT_SECONDS = 10, /* for the agent that asks the others */
    OUT_MAX_BYTES = 1 << 20,
    SUBJECT_BYTES = 160,
};

struct settings {
    bool json;
    struct str dir;
};

/* Asking by the operator's login --------------------------------------------------------------- */

static json_t *row_of(const char *agent, const struct post_client_call *c)
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

static const json_t *member_of(const json_t *view, const char *agent)
{
    const json_t *m, *found = NULL;
    size_t i;
    json_array_foreach(json_object_get(view, "members"), i,
                       m) if (strcmp(json_text(m, "agent"), agent) == 0) found = m;
    return found;
}

struct asking {
    const struct post_plan *plan;
    const struct post_client_call *calls;
    uint64_t look_ms;
};

/* What the first that has answered says of all; the caller's. NULL: none has. */
static json_t *first_answer(const struct asking *a)
{
    for (uint32_t i = 0; i < a->plan->agent_count; i++)
        if (a->calls[i].has_ended && a->calls[i].rc == RC_OK)
            return json_loadb(a->calls[i].answer.p, a->calls[i].answer.n, 0, NULL);
    return NULL;
}

/* Whether only those are missing that the others do not hear, or that are not in the roster. */
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
        const json_t *m = member_of(view, a->plan->agents[i].name);
        bool is_heard = m && !json_is_true(json_object_get(m, "suspect")) &&
                        strcmp(json_text(m, "state"), "dead") != 0;
        all = a->calls[i].has_ended || !is_heard;
    }
    json_decref(view);
    return all;
}

static int ask_plan(struct post_client *c, const struct post_plan *plan, const char *question,
                    json_t *rows)
{
    struct post_client_call *calls = mem_zero(plan->agent_count + 1, sizeof *calls);
    char(*subjects)[SUBJECT_BYTES] = mem_zero(plan->agent_count + 1, sizeof *subjects);
    for (uint32_t i = 0; calls && subjects && i < plan->agent_count; i++) {
        (void)snprintf(subjects[i], SUBJECT_BYTES, "orb.%s.ask.%s." POST_OPERATOR, plan->crawl,
                       plan->agents[i].name);
        calls[i] = (struct post_client_call){.subject = subjects[i], .text = str_c(question)};
    }
    struct asking asking = {plan, calls, clock_now_ms(clock_real()) + KNOWN_MS};
    if (calls && subjects)
        post_client_ask_until(c, calls, plan->agent_count, ASK_MS, is_enough, &asking);
    for (uint32_t i = 0; calls && subjects && i < plan->agent_count; i++) {
        (void)json_array_append_new(rows, row_of(plan->agents[i].name, &calls[i]));
        buf_done(&calls[i].answer);
    }
    mem_free(calls);
    mem_free(subjects);
    return EXIT_DONE;
}

int cluster_ask_all(const struct operator_place *p, const char *question, json_t **ret,
                    unsigned *copies)
{
    struct post_folder f = {.fd = -1};
    struct post_plan *plan = mem_zero(1, sizeof *plan);
    struct post_login login = {0};
    struct post_client client = {0};
    if (!plan)
        return cli_fail(EXIT_OTHER, "%s", rc_text(RC_NOMEM));
    int code = post_folder_open(&f, p->folder, false);
    if (code == EXIT_DONE)
        code = post_folder_plan(&f, plan);
    post_folder_close(&f);
    if (code == EXIT_DONE)
        code = operator_open(p, &login, &client);
    if (code == EXIT_DONE) {
        *ret = json_array();
        code = ask_plan(&client, plan, question, *ret);
    }
    if (copies)
        *copies = post_plan_copies(plan);
    post_client_close(&client);
    explicit_bzero(&login, sizeof login);
    mem_free(plan);
    return code;
}

/* status --------------------------------------------------------------------------------------- */

/* An agent's own directory: it asks the others. */
int cluster_ask_from(const char *dir, json_t **ret)
{
    struct control_client c;
    json_t *answer = NULL;
    int code = control_client_open(&c, dir, false);
    if (code == EXIT_DONE) {
        control_client_limit(&c, LIMIT_SECONDS);
        control_begin(&c, "cluster");
        code = control_ask(&c, &answer);
    }
    if (code == EXIT_DONE) {
        json_t *others = json_incref(json_object_get(answer, "others"));
        (void)json_object_del(answer, "others");
        *ret = json_pack("[{s:s,s:O}]", "agent", json_text(answer, "agent"), "answer", answer);
        (void)json_array_extend(*ret, others);
        json_decref(others);
    }
    json_decref(answer);
    control_client_close(&c);
    return code;
}

/* How much an agent has of all hosts: by who knows the newest roster. */
static const json_t *newest(const json_t *rows)
{
    const json_t *row, *best = NULL;
    size_t i;
    json_array_foreach(rows, i, row)
    {
        const json_t *a = json_object_get(row, "answer");
        if (json_is_object(a) && (!best || json_u64(a, "roster") > json_u64(best, "roster")))
            best = a;
    }
    return best;
}

static void suspects(struct buf *out, const json_t *answer)
{
    const json_t *name;
    size_t i;
    if (!json_array_size(json_object_get(answer, "suspects")))
        buf_add(out, STR("-"));
    json_array_foreach(json_object_get(answer, "suspects"), i, name)
        buf_printf(out, "%s%s", i ? "," : "", json_string_value(name));
}

static void state_words(char room[24], const json_t *answer)
{
    bool is_paused = strcmp(json_text(answer, "crawl_state"), "paused") == 0;
    (void)snprintf(room, 24, "%s%s", json_is_object(answer) ? json_text(answer, "state") : "silent",
                   is_paused ? ",paused" : "");
}

/* What the roster, and those that hear it or not, know of an agent that does not answer. */
static void print_silent(struct buf *out, const json_t *row, const json_t *view, const json_t *m)
{
    buf_printf(out, "  %s", json_text(row, "error"));
    if (m)
        buf_printf(out, "; in the roster: %s; last heard by %s %.1f s ago", json_text(m, "state"),
                   json_text(view, "agent"), (double)json_u64(m, "silent_ms") / 1000);
    else if (view)
        buf_add(out, STR("; not in the roster"));
    buf_byte(out, '\n');
}

static void print_row(struct buf *out, const json_t *row, const json_t *view)
{
    const json_t *a = json_object_get(row, "answer");
    const json_t *m = member_of(view, json_text(row, "agent"));
    char state[24];
    state_words(state, a);
    buf_printf(out, "%-12s %-14s %4llu %6llu %6.1f%%", json_text(row, "agent"), state,
               (unsigned long long)json_u64(json_is_object(a) ? a : m, "inc"),
               (unsigned long long)json_u64(m, "weight"),
               100 * json_number_value(json_object_get(m, "share")));
    if (!json_is_object(a)) {
        print_silent(out, row, view, m);
        return;
    }
    buf_printf(out, " %9llu %9llu %7llu %7llu %7llu %6llu/%llu ",
               (unsigned long long)json_u64(a, "queued"), (unsigned long long)json_u64(a, "pages"),
               (unsigned long long)json_u64(a, "pages_unsent"),
               (unsigned long long)json_u64(a, "parcels"),
               (unsigned long long)json_u64(a, "behind"), (unsigned long long)json_u64(a, "epoch"),
               (unsigned long long)json_u64(a, "settled"));
    suspects(out, a);
    buf_byte(out, '\n');
}

/* What would be asked for again if an agent's disk were lost now; and which agents wait for it. */
static void print_untold(struct buf *out, const json_t *rows)
{
    const json_t *row;
    size_t i;
    json_array_foreach(rows, i, row)
    {
        const json_t *a = json_object_get(row, "answer");
        uint64_t untold = json_u64(a, "untold"), most = json_u64(a, "untold_most");
        if (!json_is_object(a) || !json_object_get(a, "untold"))
            continue;
        buf_printf(out, "%s: %llu outcomes untold", json_text(row, "agent"),
                   (unsigned long long)untold);
        if (most)
            buf_printf(out, ", at most %llu", (unsigned long long)most);
        if (json_is_true(json_object_get(a, "untold_paused")))
            buf_printf(out, "; paused: %llu outcomes untold", (unsigned long long)untold);
        buf_byte(out, '\n');
    }
}

/* For programs: the same. */
static void add_known(json_t *rows)
{
    const json_t *view = newest(rows);
    json_t *row;
    size_t i;
    json_array_foreach(rows, i, row)
    {
        const json_t *m = member_of(view, json_text(row, "agent"));
        if (json_object_get(row, "answer"))
            continue;
        (void)json_object_set_new(row, "silent", json_true());
        if (m)
            (void)json_object_set_new(row, "known", json_deep_copy(m));
    }
}

static void print_status(struct buf *out, const json_t *rows, unsigned copies)
{
    const json_t *view = newest(rows), *row;
    size_t i;
    if (view)
        buf_printf(out, "crawl %s: epoch %llu, %s", json_text(view, "crawl"),
                   (unsigned long long)json_u64(view, "epoch"),
                   json_u64(view, "epoch") == json_u64(view, "settled") ? "settled"
                                                                        : "hosts change hands");
    else
        buf_add(out, STR("no agent answers"));
    if (copies)
        buf_printf(out, "; %u cop%s of every stream", copies, copies == 1 ? "y" : "ies");
    uint64_t lost = 0;
    json_array_foreach(rows, i, row) lost +=
        json_u64(json_object_get(row, "answer"), "lost_captures");
    if (lost)
        buf_printf(out, "; %llu captures were lost with a disk", (unsigned long long)lost);
    buf_printf(out, "\n%-12s %-14s %4s %6s %7s %9s %9s %7s %7s %7s %8s %s\n", "agent", "state",
               "inc", "weight", "share", "queued", "pages", "unsent", "parcels", "behind",
               "ep./set.", "suspects");
    json_array_foreach(rows, i, row) print_row(out, row, view);
    print_untold(out, rows);
}

static int run_status(struct invocation *in)
{
    const struct settings *s = in->settings;
    const char *dir = in->word_count ? in->words[0] : "cluster";
    struct operator_place place;
    struct buf out = {.max = OUT_MAX_BYTES};
    unsigned copies = 0;
    json_t *rows = NULL;
    if (in->word_count > 1)
        return cli_fail(EXIT_USAGE, "cluster status: expected one directory, got %d words",
                        in->word_count);
    int code = operator_folder(dir, &place)
                   ? cluster_ask_all(&place, "{\"do\":\"agent\"}", &rows, &copies)
                   : cluster_ask_from(dir, &rows);
    if (code == EXIT_DONE && s->json) {
        add_known(rows);
        json_t *whole = json_pack("{s:b,s:i,s:O}", "ok", 1, "copies", (int)copies, "agents", rows);
        json_print_line(whole);
        json_decref(whole);
    } else if (code == EXIT_DONE) {
        print_status(&out, rows, copies);
        cli_print(&out);
    }
    json_decref(rows);
    buf_done(&out);
    return code;
}

/* drain ---------------------------------------------------------------------------------------- */

static int run_drain(struct invocation *in)
{
    const struct settings *s = in->settings;
    struct operator_place place;
    struct buf line = {.max = 1024};
    struct jsonw j = jsonw_to(&line);
    if (in->word_count != 1 || !post_name_is_good(str_c(in->words[0])))
        return cli_fail(EXIT_USAGE, "cluster drain: expected the name of one agent");
    operator_find(s->dir.p, &place);
    if (place.is != OPERATOR_FOUND)
        return cli_fail(EXIT_USAGE,
                        "cluster drain: %s: the operator's login is not here; --dir "
                        "is the folder that `cluster init` made",
                        s->dir.p);
    jsonw_object(&j);
    jsonw_text_field(&j, "do", STR("drain"));
    jsonw_text_field(&j, "agent", str_c(in->words[0]));
    jsonw_end(&j);
    int code = operator_tell(&place, buf_str(&line));
    if (code == EXIT_DONE)
        (void)printf("agent %s was told to hand its hosts over; it exits when that is done\n",
                     in->words[0]);
    buf_done(&line);
    return code;
}

static const struct option status_options[] = {
    OPTION_BOOL_ROW(struct settings, json, "json", "no", "print JSON", .letter = 'j'),
    {0},
};
static const struct option drain_options[] = {
    OPTION_TEXT_ROW(struct settings, dir, "dir", "cluster",
                    "the operator's folder, or an agent's directory near it", .letter = 'd',
                    .arg = "DIR"),
    {0},
};

const struct command cmd_cluster_status = {
    .name = "cluster status",
    .args = "[DIR]",
    .summary = "agents, shares, queues, lag, epochs, who suspects whom",
    .details =
        "DIR is the operator's folder (every agent of the plan is asked), the folder of\n"
        "`cluster up`, or the directory of a running agent, which asks those it knows.\n"
        "unsent: pages whose links are not all acknowledged; parcels: messages not durable at\n"
        "their receiver; behind: messages read and not durable here; ep./set.: the epoch an agent\n"
        "knows and the last that is settled. All are asked at once, for three seconds at most; an\n"
        "agent that does not answer is silent, and its line says what the others know of it. An\n"
        "agent that the others do not hear either is not waited for.\n"
        "Below: pages of each agent that are done and not told to the cluster. If its disk were\n"
        "lost, they would be asked for again. At the bound (cluster.untold-pages) it pauses.",
    .options = status_options,
    .settings_bytes = sizeof(struct settings),
    .run = run_status,
};

const struct command cmd_cluster_drain = {
    .name = "cluster drain",
    .args = "NAME",
    .summary = "an agent hands its hosts over and leaves",
    .details =
        "Said with the operator's login, from any machine. Only an agent that runs hears it;\n"
        "one that does not is adopted by the others anyway. `crawl` with the same options\n"
        "brings it back.",
    .options = drain_options,
    .settings_bytes = sizeof(struct settings),
    .run = run_drain,
};
