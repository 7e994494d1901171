/* SPDX-License-Identifier: Apache-2.0 */
/* seeds add, seeds list: adds seeds to a running crawl, and lists seeds with their last code. */
#include "cli/commands.h"
#include "cli/crawl_client.h"
#include "cli/crawl_dirs.h"
#include "cli/stopped_crawl.h"
#include "control/control_piece.h"
#include "control/control_request.h"

#include "host/pace.h"
#include "ledger/seed.h"
#include "outputs/crawl_dir.h"
#include "report/log_reasons.h"
#include "store/history.h"
#include "url/normalise.h"

#include <stdio.h>
#include <unistd.h>

enum { BATCH_BYTES = CONTROL_LINE_BYTES / 2 };

struct settings {
    bool json, only;
};

/* Adding --------------------------------------------------------------------------------------- */

struct adding {
    struct crawl_client client;
    struct url_idn *idn;
    size_t waiting; /* URLs in the request that is being made */
    uint64_t added, known, refused;
    uint64_t said; /* to all agents, by the operator's login */
    bool as_json;
};

static void say_refused(const json_t *answer, struct adding *a)
{
    const json_t *one;
    size_t i;
    json_array_foreach(json_object_get(answer, "refused"), i, one)
    {
        cli_fail(EXIT_USAGE, "%s: %s", json_text(one, "url"), json_text(one, "why"));
        a->refused++;
    }
}

/* Sends the request; the crawl answers when its seeds are in the journal. */
static int send_batch(struct adding *a)
{
    json_t *answer = NULL;
    if (!a->waiting)
        return EXIT_DONE;
    uint64_t sent = a->waiting;
    a->waiting = 0;
    jsonw_end(&a->client.control.j);
    int code = crawl_client_ask(&a->client, &answer);
    if (code == EXIT_DONE) {
        a->said += sent;
        a->added += json_u64(answer, "added");
        a->known += json_u64(answer, "known");
        say_refused(answer, a);
    }
    json_decref(answer);
    return code;
}

static int add_long(void *ctx)
{
    struct adding *a = ctx;
    a->refused++;
    cli_fail(EXIT_USAGE, "(a long line): longer than 1 MiB");
    return EXIT_DONE;
}

/* Checked here as well as in the crawl: the agents of a cluster do not answer, and a password must
 * not be sent at all. */
static bool is_refused(struct adding *a, struct str text)
{
    static char room[URL_ROOM_BYTES];
    char name[512];
    struct buf shown = buf_on(name, sizeof name);
    const char *why = "";
    struct url u;
    if (seed_read(text, a->idn, (struct url_room){room, sizeof room}, &u, &why) != RC_INVALID)
        return false;
    seed_print(text, &shown);
    cli_fail(EXIT_USAGE, STR_FMT ": %s", STR_ARG(buf_str(&shown)), why);
    a->refused++;
    return true;
}

static int add_one(void *ctx, struct str line)
{
    struct adding *a = ctx;
    struct str url = seed_line(line);
    int code = EXIT_DONE;
    if (!url.n)
        return EXIT_DONE;
    if (is_refused(a, url))
        return EXIT_DONE;
    if (!a->waiting) {
        struct jsonw *j = crawl_client_begin(&a->client, "seeds");
        jsonw_key(j, "urls");
        jsonw_array(j);
    }
    jsonw_text(&a->client.control.j, url);
    if (++a->waiting == CONTROL_URLS || a->client.control.request.n > BATCH_BYTES)
        code = send_batch(a);
    return code;
}

static void say_added(const struct adding *a)
{
    if (!crawl_client_is_connected(&a->client) && !a->as_json)
        (void)printf("%llu sent to all agents\n", (unsigned long long)a->said);
    else if (a->as_json)
        (void)printf("{\"added\":%llu,\"known\":%llu,\"refused\":%llu}\n",
                     (unsigned long long)a->added, (unsigned long long)a->known,
                     (unsigned long long)a->refused);
    else
        (void)printf("%llu added, %llu known from earlier runs, %llu refused\n",
                     (unsigned long long)a->added, (unsigned long long)a->known,
                     (unsigned long long)a->refused);
}

static int run_add(struct invocation *in)
{
    const struct settings *s = in->settings;
    struct adding a = {.as_json = s->json};
    if (in->word_count < 2)
        return cli_fail(EXIT_USAGE, "seeds add: expected the directory of a crawl, and URLs or -");
    int code = crawl_client_open_all(&a.client, in->words[0], s->only, "seeds add");
    if (code == EXIT_DONE && url_idn_open(&a.idn))
        code = cli_fail(EXIT_OTHER, "%s", rc_text(RC_NOMEM));
    for (int i = 1; i < in->word_count && code == EXIT_DONE; i++)
        code = strcmp(in->words[i], "-") == 0 ? cli_each_line_but(add_one, add_long, &a)
                                              : add_one(&a, str_c(in->words[i]));
    if (code == EXIT_DONE)
        code = send_batch(&a);
    if (code == EXIT_DONE)
        say_added(&a);
    url_idn_close(a.idn);
    crawl_client_close(&a.client);
    return code == EXIT_DONE && a.refused ? EXIT_USAGE : code;
}

/* Listing -------------------------------------------------------------------------------------- */

struct seed {
    struct str url, from;
    bool has_code;
    int code;
};

/* A directory to list: one, or that of each agent in the folder of `cluster up`. */
struct seed_dir {
    const char *dir;
    struct crawl_client client;
    bool is_running;
    struct history *history; /* of a crawl that does not run; NULL: it has none */
};

struct listing {
    struct seed_dir *dirs;
    size_t dir_count;
    bool is_agents; /* the only directory is an agent's: other agents have fetched some seeds */
    struct url_idn *idn;
    struct arena *arena; /* of a batch */
    struct seed batch[CONTROL_URLS];
    size_t count;
    struct tally listed; /* every agent knows every seed */
    struct log_reasons reasons;
    struct buf out;
    bool as_json;
};

static void print_seed(struct listing *l, const struct seed *s)
{
    bool has_code = s->has_code;
    int code = s->code;
    struct str reason = has_code ? log_reasons_of(&l->reasons, s->url, code) : STR_NONE;
    if (l->as_json) {
        struct jsonw j = jsonw_to(&l->out);
        jsonw_object(&j);
        jsonw_text_field(&j, "url", s->url);
        jsonw_key(&j, "code");
        if (has_code)
            jsonw_i64(&j, code);
        else
            jsonw_null(&j);
        if (has_code && code < 0)
            jsonw_text_field(&j, "reason", reason.n ? reason : str_c(fetch_code_text(code)));
        if (s->from.p)
            jsonw_text_field(&j, "redirected_from", s->from);
        jsonw_end(&j);
        buf_byte(&l->out, '\n');
        return;
    }
    if (has_code)
        buf_printf(&l->out, "%d\t", code);
    else
        buf_add(&l->out, STR("-\t"));
    buf_add(&l->out, s->url);
    buf_printf(&l->out, "\t%s",
               has_code       ? fetch_code_text(code)
               : l->is_agents ? "not asked for by this agent"
                              : "not asked for yet");
    if (reason.n)
        buf_printf(&l->out, ": " STR_FMT, STR_ARG(reason));
    if (s->from.p)
        buf_printf(&l->out, "; " STR_FMT " redirects there", STR_ARG(s->from));
    buf_byte(&l->out, '\n');
}

static void look_up(struct listing *l, const struct seed_dir *p, struct seed *s)
{
    static char room[URL_ROOM_BYTES];
    struct url_parser parser = {.idn = l->idn};
    struct history_entry history;
    struct url u;
    /* It is in the file in the form that the crawl compares. */
    if (s->has_code || !p->history ||
        url_parse(&parser, s->url, NULL, (struct url_room){room, sizeof room}, &u) != RC_OK)
        return;
    s->has_code = history_get(p->history, url_fingerprint(&u), l->arena, &history) == RC_OK &&
                  history.fetches;
    s->code = s->has_code ? history.code : 0;
}

static int ask_batch(struct listing *l, struct seed_dir *p)
{
    json_t *answer = NULL;
    struct jsonw *j = crawl_client_begin(&p->client, "known");
    jsonw_key(j, "urls");
    jsonw_array(j);
    for (size_t i = 0; i < l->count; i++)
        jsonw_text(j, l->batch[i].url);
    jsonw_end(j);
    int code = crawl_client_ask(&p->client, &answer);
    const json_t *codes = json_object_get(answer, "codes");
    for (size_t i = 0; i < l->count && code == EXIT_DONE; i++) {
        const json_t *one = json_array_get(codes, i);
        struct seed *s = &l->batch[i];
        s->code = s->has_code || !json_is_integer(one) ? s->code : (int)json_integer_value(one);
        s->has_code |= json_is_integer(one);
    }
    json_decref(answer);
    return code;
}

static int list_batch(struct listing *l)
{
    int code = EXIT_DONE;
    for (size_t k = 0; k < l->dir_count && l->count && code == EXIT_DONE; k++) {
        struct seed_dir *p = &l->dirs[k];
        if (p->is_running)
            code = ask_batch(l, p);
        for (size_t i = 0; !p->is_running && i < l->count; i++)
            look_up(l, p, &l->batch[i]);
    }
    for (size_t i = 0; i < l->count && code == EXIT_DONE; i++)
        print_seed(l, &l->batch[i]);
    l->count = 0;
    arena_clear(l->arena);
    cli_print(&l->out);
    return code;
}

static int list_one(void *ctx, struct str url, struct str from)
{
    struct listing *l = ctx;
    struct seed *s = &l->batch[l->count];
    if (l->dir_count > 1 && tally_find(&l->listed, url))
        return EXIT_DONE;
    bool has_room = l->dir_count == 1 || tally_row(&l->listed, url);
    *s = (struct seed){.url = arena_dup(l->arena, url)};
    s->from = from.p ? arena_dup(l->arena, from) : STR_NONE;
    if (!s->url.p || !has_room)
        return cli_fail(EXIT_OTHER, "%s", rc_text(RC_NOMEM));
    return ++l->count == CONTROL_URLS ? list_batch(l) : EXIT_DONE;
}

static int list(struct listing *l)
{
    int code = EXIT_DONE;
    for (size_t i = 0; i < l->dir_count && code == EXIT_DONE; i++)
        code = stopped_crawl_seeds(l->dirs[i].dir, list_one, l);
    return code == EXIT_DONE ? list_batch(l) : code;
}

/* Without a history no seed has a code. */
static int open_history(struct seed_dir *p, struct arena *arena)
{
    struct buf why = {.max = 4096};
    struct str path = arena_printf(arena, "%s/state/history", p->dir);
    enum rc rc = path.p ? history_open_read(path.p, &p->history, &why) : RC_NOMEM;
    rc = rc == RC_NOT_FOUND ? RC_OK : rc;
    int code = cli_code_of(rc);
    if (rc)
        cli_fail((enum exit_code)code, STR_FMT,
                 STR_ARG(why.n ? buf_str(&why) : str_c(rc_text(rc))));
    buf_done(&why);
    return code;
}

static int want_reason(void *ctx, struct str url, struct str from)
{
    struct listing *l = ctx;
    (void)from;
    return log_reasons_want(&l->reasons, url) ? cli_fail(EXIT_OTHER, "%s", rc_text(RC_NOMEM))
                                              : EXIT_DONE;
}

/* Warns of an agent's directory that the codes of the other agents are missing. */
static void say_agents(struct listing *l, const struct seed_dir *p, struct disk *d)
{
    uint64_t bytes = 0;
    l->is_agents =
        l->dir_count == 1 && crawl_dir_bytes(d, piece_paths[PIECE_AGENT], &bytes) == RC_OK && bytes;
    if (l->is_agents)
        (void)fprintf(
            stderr,
            "orbweaver: %s belongs to one agent of a cluster: a seed that another agent asked "
            "for has no code here; the folder of `cluster up` lists those of all\n",
            p->dir);
}

/* The reasons of all seeds, in one pass over crawl.log. */
static int read_reasons(struct listing *l, const struct seed_dir *p)
{
    struct disk *d = NULL;
    struct buf why = {.max = 4096};
    int code = stopped_crawl_seeds(p->dir, want_reason, l);
    enum rc rc = code == EXIT_DONE ? crawl_dir_open(p->dir, &d, &why) : RC_OK;
    if (d) {
        say_agents(l, p, d);
        rc = log_reasons_read(&l->reasons, d);
    }
    disk_close(d);
    buf_done(&why);
    return code != EXIT_DONE || !rc ? code : cli_fail(EXIT_OTHER, "%s: %s", p->dir, rc_text(rc));
}

static int open_dir(struct listing *l, struct seed_dir *p, struct arena *arena)
{
    int code = crawl_client_open(&p->client, p->dir, true);
    p->is_running = code == EXIT_DONE;
    if (code == EXIT_USAGE)
        code = open_history(p, arena);
    return code == EXIT_DONE ? read_reasons(l, p) : code;
}

/* DIR, or the directories of the agents that have begun in the folder of `cluster up`. */
static int find_dirs(struct invocation *in, struct listing *l, struct crawl_dirs *dirs)
{
    struct crawl_dirs_want want = {.here = true};
    struct str plan = arena_printf(in->arena, "%s/post/plan.json", in->words[0]);
    bool is_up = plan.p && access(plan.p, R_OK) == 0;
    struct operator_dir operator;
    if (!is_up && operator_folder(in->words[0], &operator))
        return cli_fail(EXIT_USAGE,
                        "%s is the operator's folder of a cluster. Each agent's directory has the "
                        "seeds: give that, on its machine; or orbweaver url %s URL asks the agent "
                        "that owns the host",
                        in->words[0], in->words[0]);
    int code = is_up ? crawl_dirs_open(in, &want, dirs) : EXIT_DONE;
    if (code != EXIT_DONE)
        return code;
    l->dir_count = is_up ? dirs->count : 1;
    l->dirs = arena_zero(in->arena, l->dir_count * sizeof *l->dirs);
    for (size_t i = 0; l->dirs && i < l->dir_count; i++) {
        l->dirs[i].dir = is_up ? dirs->paths[i] : in->words[0];
        l->dirs[i].client.control.fd = -1;
    }
    return l->dirs ? EXIT_DONE : cli_fail(EXIT_OTHER, "%s", rc_text(RC_NOMEM));
}

struct listed_row {
    struct str key;
};

static int open_listing(struct listing *l)
{
    buf_init(&l->out, 32 << 20);
    l->arena = arena_open(64 << 10, 64 << 20);
    enum rc rc = l->arena ? url_idn_open(&l->idn) : RC_NOMEM;
    rc = rc ? rc : tally_init(&l->listed, sizeof(struct listed_row), LOG_REASONS_MAX_URLS);
    rc = rc ? rc : log_reasons_init(&l->reasons);
    return rc ? cli_fail(EXIT_OTHER, "%s", rc_text(rc)) : EXIT_DONE;
}

static void close_listing(struct listing *l)
{
    for (size_t i = 0; l->dirs && i < l->dir_count; i++) {
        crawl_client_close(&l->dirs[i].client);
        history_close(l->dirs[i].history);
    }
    log_reasons_done(&l->reasons);
    tally_done(&l->listed);
    url_idn_close(l->idn);
    arena_close(l->arena);
    buf_done(&l->out);
}

static int run_list(struct invocation *in)
{
    const struct settings *s = in->settings;
    struct crawl_dirs dirs = {0};
    if (in->word_count != 1)
        return cli_fail(EXIT_USAGE, "seeds list: expected one directory of a crawl");
    struct listing *l = arena_zero(in->arena, sizeof *l);
    if (!l)
        return cli_fail(EXIT_OTHER, "%s", rc_text(RC_NOMEM));
    l->as_json = s->json;
    int code = open_listing(l);
    if (code == EXIT_DONE)
        code = find_dirs(in, l, &dirs);
    for (size_t i = 0; i < l->dir_count && code == EXIT_DONE; i++)
        code = open_dir(l, &l->dirs[i], in->arena);
    code = code == EXIT_DONE ? list(l) : code;
    close_listing(l);
    crawl_dirs_close(&dirs);
    return code;
}

static const struct option options[] = {
    OPTION_BOOL_ROW(struct settings, json, "json", "no", "print JSON", .letter = 'j'),
    {0},
};
static const struct option add_options[] = {
    OPTION_BOOL_ROW(struct settings, json, "json", "no", "print JSON", .letter = 'j'),
    OPTION_BOOL_ROW(struct settings, only, "only", "no", "in a cluster: by this agent alone"),
    {0},
};

const struct command cmd_seeds_add = {
    .name = "seeds add",
    .args = "DIR URL...|-",
    .summary = "add seeds to the running crawl",
    .details =
        "Each URL joins the crawl as if it had been there from the start: it is queued and draws\n"
        "the scope. \"-\" reads them from standard input, one a line. When this ends with exit "
        "code\n"
        "0 all are safe; those that are no URLs are named and not taken (exit code 2). When no\n"
        "crawl runs in DIR, orbweaver crawl -o DIR URL... brings them. In a cluster all agents "
        "are\n"
        "told, by the operator's login (docs/cluster.md): the scope is drawn alike everywhere.",
    .options = add_options,
    .settings_bytes = sizeof(struct settings),
    .run = run_add,
};

const struct command cmd_seeds_list = {
    .name = "seeds list",
    .args = "DIR",
    .summary = "the seeds of a crawl, each with its last status",
    .details =
        "A line a seed, separated by tabs: the last code (- if it was never asked for), the\n"
        "URL, and the code in words; for a seed that failed or was refused, also the reason that\n"
        "crawl.log has. Where a seed redirects to is a seed, too. DIR may be the folder of\n"
        "`cluster up`: the agents' codes are put together. Of one agent's directory, seeds that\n"
        "other agents asked for have no code.",
    .options = options,
    .settings_bytes = sizeof(struct settings),
    .run = run_list,
};
