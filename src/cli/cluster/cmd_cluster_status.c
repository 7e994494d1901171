/* SPDX-License-Identifier: Apache-2.0 */
/* cluster status, cluster drain: the views of all agents of a cluster, and how to take one out,
 * from any machine. */
#include "cli/cluster_ask.h"
#include "cli/commands.h"
#include "cli/crawl_client.h"

#include <stdio.h>
#include <string.h>

enum { OUT_MAX_BYTES = 1 << 20 };

struct settings {
    bool json;
    struct str dir;
};

/* status --------------------------------------------------------------------------------------- */

/* The view with the newest roster: it has the shares of all agents. */
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

/* What the roster and the other agents know of an agent that does not answer. */
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

/* The numbers of an agent's view (roles/cluster.h) that have a column. */
static const struct column {
    const char *heading, *key;
    int width;
} columns[] = {
    {"queued", "queued", 9},   {"pages", "pages", 9},   {"unsent", "pages_unsent", 7},
    {"parcels", "parcels", 7}, {"behind", "behind", 7},
};

#define EACH_COLUMN(c) \
    for (const struct column *c = columns; c < columns + sizeof columns / sizeof *columns; c++)

static void print_headings(struct buf *out)
{
    buf_printf(out, "%-12s %-14s %4s %6s %7s", "agent", "state", "inc", "weight", "share");
    EACH_COLUMN(c) buf_printf(out, " %*s", c->width, c->heading);
    buf_printf(out, " %8s %s\n", "ep./set.", "suspects");
}

static void print_row(struct buf *out, const json_t *row, const json_t *view)
{
    const json_t *a = json_object_get(row, "answer");
    const json_t *m = cluster_member(view, json_text(row, "agent"));
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
    EACH_COLUMN(c) buf_printf(out, " %*llu", c->width, (unsigned long long)json_u64(a, c->key));
    buf_printf(out, " %6llu/%llu ", (unsigned long long)json_u64(a, "epoch"),
               (unsigned long long)json_u64(a, "settled"));
    suspects(out, a);
    buf_byte(out, '\n');
}

/* How many pages would be fetched again if an agent's disk were lost now, and which agents pause
 * for that. */
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

/* The same for programs. */
static void add_known(json_t *rows)
{
    const json_t *view = newest(rows);
    json_t *row;
    size_t i;
    json_array_foreach(rows, i, row)
    {
        const json_t *m = cluster_member(view, json_text(row, "agent"));
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
    buf_byte(out, '\n');
    print_headings(out);
    json_array_foreach(rows, i, row) print_row(out, row, view);
    print_untold(out, rows);
}

/* A star: the manager's directory --------------------------------------------------------------- */

static const char *member_state(const json_t *m)
{
    return !json_is_true(json_object_get(m, "present"))  ? "absent"
           : json_is_true(json_object_get(m, "leaving")) ? "leaving"
           : json_u64(m, "connected")                    ? "connected"
                                                         : "silent";
}

static void print_member(struct buf *out, const json_t *m)
{
    char open[48], number[16] = "-";
    if (json_object_get(m, "number"))
        (void)snprintf(number, sizeof number, "%llu", (unsigned long long)json_u64(m, "number"));
    (void)snprintf(open, sizeof open, "%llu/%llu", (unsigned long long)json_u64(m, "open"),
                   (unsigned long long)json_u64(m, "window"));
    buf_printf(out, "%-20s %6s %-10s %5llu %9s %9llu %9llu %6llu %9.1f %7.1f %7llu\n",
               json_text(m, "name"), number, member_state(m),
               (unsigned long long)json_u64(m, "connected"), open,
               (unsigned long long)json_u64(m, "sent"), (unsigned long long)json_u64(m, "answered"),
               (unsigned long long)json_u64(m, "lost"), (double)json_u64(m, "bytes") / 1e6,
               (double)json_u64(m, "silent_ms") / 1000, (unsigned long long)json_u64(m, "since_s"));
}

static void print_star(struct buf *out, const char *dir, const json_t *status)
{
    const json_t *m, *members = json_object_get(status, "members");
    size_t i;
    buf_printf(out, "manager %s (%s): %s, %zu members\n", dir, json_text(status, "wiring"),
               json_text(status, "state"), json_array_size(members));
    buf_printf(out, "%-20s %6s %-10s %5s %9s %9s %9s %6s %9s %7s %7s\n", "member", "number",
               "state", "links", "open/most", "sent", "answered", "lost", "MB", "heard s", "for s");
    json_array_foreach(members, i, m) print_member(out, m);
}

/* False: no crawl with a pool runs there. */
static bool show_star(const char *dir, bool as_json)
{
    struct crawl_client c = {0};
    struct buf out = {.max = OUT_MAX_BYTES};
    json_t *status = NULL;
    bool is_star = crawl_client_open(&c, dir, true) == EXIT_DONE;
    if (is_star) {
        (void)crawl_client_begin(&c, "status");
        is_star = crawl_client_ask(&c, &status) == EXIT_DONE && json_object_get(status, "members");
        crawl_client_close(&c);
    }
    if (is_star && as_json) {
        json_print_line(status);
    } else if (is_star) {
        print_star(&out, dir, status);
        cli_print(&out);
    }
    json_decref(status);
    buf_done(&out);
    return is_star;
}

static int run_status(struct invocation *in)
{
    const struct settings *s = in->settings;
    const char *dir = in->word_count ? in->words[0] : "cluster";
    struct operator_dir operator;
    struct buf out = {.max = OUT_MAX_BYTES};
    unsigned copies = 0;
    json_t *rows = NULL;
    if (in->word_count > 1)
        return cli_fail(EXIT_USAGE, "cluster status: expected one directory, got %d words",
                        in->word_count);
    bool is_operators = operator_folder(dir, &operator);
    if (!is_operators && show_star(dir, s->json))
        return EXIT_DONE;
    int code = is_operators ? cluster_ask_all(&operator, "{\"do\":\"agent\"}", &rows, &copies)
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
    struct operator_dir operator;
    struct buf line = {.max = 1024};
    struct jsonw j = jsonw_to(&line);
    if (in->word_count != 1 || !nats_name_is_good(str_c(in->words[0])))
        return cli_fail(EXIT_USAGE, "cluster drain: expected the name of one agent");
    operator_find(s->dir.p, &operator);
    if (operator.is != OPERATOR_FOUND)
        return cli_fail(EXIT_USAGE,
                        "cluster drain: %s: the operator's login is not here; --dir "
                        "is the folder that `cluster init` made",
                        s->dir.p);
    jsonw_object(&j);
    jsonw_text_field(&j, "do", STR("drain"));
    jsonw_text_field(&j, "agent", str_c(in->words[0]));
    jsonw_end(&j);
    int code = operator_tell(&operator, buf_str(&line));
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
    .summary = "agents, shares, queues, lag, epochs, which agents suspect which",
    .details =
        "DIR is the operator's folder (every agent of the plan is asked), the folder of\n"
        "`cluster up`, or the directory of a running agent, which asks those it knows.\n"
        "unsent: pages whose links are not all acknowledged; parcels: messages not durable at\n"
        "their receiver; behind: messages read and not durable here; ep./set.: the epoch an agent\n"
        "knows and the last that is settled. All are asked at once, for three seconds at most; an\n"
        "agent that does not answer is silent, and its line says what the others know of it. The\n"
        "command does not wait for an agent that the others do not hear either.\n"
        "Of a crawl with a pool DIR is the manager's directory: its members, their leases "
        "(seconds\n"
        "since the last ping), windows, and what each was sent, answered and lost.\n"
        "Below: pages of each agent that are done and not told to the cluster. If its disk were\n"
        "lost, they would be asked for again. At the bound (cluster.untold-pages) it pauses.",
    .options = status_options,
    .settings_bytes = sizeof(struct settings),
    .run = run_status,
};

const struct command cmd_cluster_drain = {
    .name = "cluster drain",
    .args = "NAME",
    .summary = "make an agent hand its hosts over and leave",
    .details =
        "Sent with the operator's login, from any machine. Only an agent that runs hears it;\n"
        "one that does not is adopted by the others anyway. `crawl` with the same options\n"
        "brings it back.",
    .options = drain_options,
    .settings_bytes = sizeof(struct settings),
    .run = run_drain,
};
